/* SPDX-License-Identifier: MIT
 *
 * dispatch.c - sends the pending call to a runner, and ends it with its result. */
#include "controller/dispatch.h"

#include "controller/core.h"
#include "controller/agents.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/features.h"
#include "controller/plugins/launch.h"
#include "controller/sandbox.h"
#include "controller/turn.h"
#include "files.h"
#include "tools/calls.h"

#include <mortise/tool.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OUTPUT_MAX = 16 << 20,         /* maximum bytes of live output at once */
	RUNNER_FAILURES_MAX = 3,       /* consecutive, before the conversation fails */
};

/* ---- the end of a call ---------------------------------------------------- */

static struct event *observation_of(struct conversation *c, const struct call *call,
				    const struct runner_result *result, struct error *err)
{
	struct event *e = result_to_observation(call->tool, call->action, result, c->mask,
						c->log, err);

	if (e)
		FEATURES_TELL(after_result, c, call->action, result, e);
	return e;
}

static bool failed_outside(const struct runner_result *result)
{
	return result->crashed || result->status == MT_ECANCELLED ||
	       result->status == MT_ETIMEOUT;
}

void dispatch_show_output(struct conversation *c, int64_t action, const char *bytes,
			  size_t len, bool last)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);

	mask_stream_put(&c->output_mask, &out, bytes, len, last);
	if (out.len)
		NOTIFY_WATCHERS(c, output, action, out.text, out.len);
}

/* Why the call failed; "" if the note about the interruption already says so. */
static const char *failure_text(const struct call *call,
				const struct runner_result *result)
{
	if (call->interrupted && result->status == MT_ECANCELLED && !result->crashed)
		return "";
	return result->error ? result->error : "The call was cancelled.";
}

void dispatch_end_call(struct conversation *c, const struct runner_result *result)
{
	struct error err = ERROR_NONE;
	struct call *call = turn_call(c);

	dispatch_show_output(c, call->id, "", 0, true);
	call->ended = true;
	call->interrupted = call->interrupted && failed_outside(result);
	if (failed_outside(result)) {
		AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);
		const char *why = failure_text(call, result);

		strbuf_addn(&text, result->text, result->text_len);
		strbuf_addf(&text, "%s%s", text.len && *why ? "\n" : "", why);
		observation_log_failure(c, call->action, "", text.text);
	} else {
		struct event *e = observation_of(c, call, result, &err);

		if (FEATURES_ASK(after_call, c, call, e))
			return;
		observation_log(c, call->action, e, &err);
	}
}

/* ---- the runner -------------------------------------------------------- */

void dispatch_runner_failed(struct conversation *c, const char *why)
{
	if (++c->runner_failures >= RUNNER_FAILURES_MAX)
		conversation_set_error(c, EXIT_TOOL,
				       "the runner failed %u times in a row: %s",
				       c->runner_failures, why);
}

int conversation_input(struct conversation *c, const char *bytes, size_t len,
		       struct error *err)
{
	const struct call *call = turn_call(c);
	int r = c->link && call && call->number
			? runner_input(c->link, call->number, bytes, len)
			: MT_ENOTFOUND;

	if (r == MT_ENOTFOUND)
		return fail(err, r, "no running tool accepts input");
	return r ? fail(err, r, "cannot send the input: %s", status_name(r)) : MT_OK;
}

/* A fork continues with results whose complete text is there. */
static char *parent_spool(const struct conversation *c)
{
	const char *slash = strrchr(c->dir, '/');
	AUTO(strbuf) struct strbuf path = STRBUF(8192);

	if (!c->parent || !*c->parent || !slash)
		return NULL;
	strbuf_addf(&path, "%.*s/%s/spool", (int)(slash - c->dir), c->dir, c->parent);
	return strbuf_take(&path);
}

char *conversation_tool_workspace(const struct conversation *c)
{
	const struct launch l = { .config = c->config, .runtime = &c->runtime,
				  .workspace = c->workspace, .conversation = c->id };

	return c->runtime.component ? launch_workspace(&l) : strdup(c->workspace);
}

int dispatch_open_runner(struct conversation *c, const struct dispatch_place *place,
			 const struct runner_events *events, void *arg,
			 struct runner **ret, struct error *err)
{
	AUTO(free) char *spool = path_join(c->dir, "spool");
	AUTO(free) char *parent = parent_spool(c);
	AUTO(free) char *log = path_join(c->dir, "runner.log");
	AUTO(close) int fd =
		log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	size_t count = 0;
	AUTO(free) const struct catalog **catalogs = agents_catalogs(c, &count);
	const struct launch l = {
		.mask = c->mask, .loop = c->loop, .config = place->config, .runtime = &c->runtime,
		.catalogs = catalogs, .catalog_count = count,
		.workspace = c->workspace, .conversation = c->id, .group = c->group,
		.spool_dir = spool, .state_dir = place->state_dir, .stderr_fd = fd,
		.stderr_path = log,
		.parent_spool = parent, .overlay = place->overlay,
		.isolated = place->isolated,
	};

	if (!spool || !catalogs)
		return out_of_memory(err);
	return launch_runner(&l, events, arg, ret, err);
}

static int dispatch_launch(struct conversation *c, struct error *err)
{
	AUTO(free) char *state_dir = path_join(c->dir, "tools");
	const struct dispatch_place place = { .config = conversation_sandbox_config(c),
					      .overlay = c->overlay,
					      .state_dir = state_dir };

	return state_dir ? dispatch_open_runner(c, &place, c->runner_events, c, &c->link,
						err)
			 : out_of_memory(err);
}

char *dispatch_instance_dir(const struct conversation *c, const char *instance)
{
	AUTO(free) char *all = path_join(c->dir, "tools");

	return all ? path_join(all, instance) : NULL;
}

int dispatch_start_runner(struct conversation *c, struct error *err)
{
	return c->link ? MT_OK : dispatch_launch(c, err);
}

/* A file `carry` in the directory of each instance, in which it may store its state
 * (plugins/tools/bash/carry.h). */
static void offer_to_carry(const struct conversation *c)
{
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);

	for (size_t n = 0; all && n < count; n++)
		for (size_t i = 0; i < all[n]->instance_count; i++) {
			AUTO(strbuf) struct strbuf path = STRBUF(8192);

			strbuf_addf(&path, "%s/tools/%s/carry", c->dir,
				    all[n]->instances[i].name);
			if (!path.error)
				file_write(path.text, "", 0, 0600, false, NULL);
		}
}

void dispatch_restart_runner(struct conversation *c)
{
	if (!c->link || c->restarting)
		return;
	offer_to_carry(c);
	c->restarting = true;
	runner_close(c->link);
}

/* ---- one call ------------------------------------------------------------ */

int dispatch_log(struct conversation *c, int64_t id, struct error *err)
{
	AUTO(json) json_object *record = js_new_object();

	if (js_set_str(record, "record", "dispatch") || js_set_int(record, "action", id))
		return out_of_memory(err);
	if (evlog_record(c->log, record, err))
		return err->code;
	return conversation_barrier(c, err);
}

static int send_to_runner(struct conversation *c, struct call *call, struct error *err)
{
	size_t len;
	const char *text = js_text(call->args, &len);

	if (!text)
		return out_of_memory(err);
	call->number = (uint64_t)call->id;
	return runner_call(c->link, call->number, call_instance(c, call),
			   call->tool->real, text, len, call->deadline_ms, err);
}

static int dispatch_control(struct conversation *c, const struct call *call,
			    struct error *err)
{
	bool done;
	int r = FEATURES_TRY(&done, run_control, c, call, &done, err);

	return r || done ? r
			 : fail(err, MT_EUNSUPPORTED, "this host cannot run the call");
}

/* *ret_runner: whether a runner was needed. */
static int dispatch_send_call(struct conversation *c, struct call *call, bool *ret_runner,
			      struct error *err)
{
	bool sent;
	int r = call->why.code;

	*ret_runner = !r && !(call->tool->hints & MT_TOOL_CONTROL);
	if (r)
		return fail(err, r, "%s", call->why.text);
	if (*ret_runner)
		r = dispatch_start_runner(c, err);
	if (!r)
		r = dispatch_log(c, call->id, err);
	if (r)
		return r;
	if (!call->sent_at)
		call->sent_at = uv_hrtime();
	if (!*ret_runner)
		return dispatch_control(c, call, err);
	sent = call->early;
	call->early = false;
	if (!sent)
		r = send_to_runner(c, call, err);
	if (r)
		return r;
	FEATURES_TELL(call_sent, c);
	if (sent && call->over)
		dispatch_end_call(c, &call->result);
	return MT_OK;
}

void dispatch_call(struct conversation *c)
{
	if (!FEATURES_ASK(before_call, c, turn_call(c)))
		dispatch_send(c);
}

void dispatch_send(struct conversation *c)
{
	if (!FEATURES_ASK(before_send, c, turn_call(c)))
		dispatch_send_checked(c);
}

void dispatch_send_checked(struct conversation *c)
{
	struct call *call = turn_call(c);
	struct error err = ERROR_NONE;
	bool runner;

	if (!dispatch_send_call(c, call, &runner, &err))
		return;
	observation_log_failure(c, call->action, "", err.text);
	if (runner && !c->link)
		dispatch_runner_failed(c, err.text);
}
