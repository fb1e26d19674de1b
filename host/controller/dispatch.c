/* SPDX-License-Identifier: MIT
 *
 * dispatch.c - sends the pending call to a runner and handles its result. */
#include "controller/dispatch.h"

#include "controller/core.h"
#include "controller/agents.h"
#include "controller/closing.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/observations.h"
#include "controller/features.h"
#include "controller/plugins/launch.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "files.h"
#include "log.h"
#include "tools/calls.h"

#include <mortise/tool.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OUTPUT_MAX = 16 << 20,         /* maximum bytes of live output at once */
	RUNNER_FAILURES_MAX = 3,       /* consecutive, before the conversation fails */
};

/* ---- results ------------------------------------------------------------ */

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

/* ---- the connection to the runner --------------------------------------- */

static void tell_output(struct conversation *c, uint64_t call, const char *bytes,
			size_t len, bool last)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);

	mask_stream_put(&c->output_mask, &out, bytes, len, last);
	if (out.len)
		NOTIFY_WATCHERS(c, output, (int64_t)call, out.text, out.len);
}

static void dispatch_on_output(void *arg, uint64_t call, const char *bytes, size_t len)
{
	int64_t action = turn_action_of(arg, call);

	if (action >= 0)
		tell_output(arg, (uint64_t)action, bytes, len, false);
}

/* Why the call failed; "" if the note about the interruption already says so. */
static const char *failure_text(const struct call *call,
				const struct runner_result *result)
{
	if (call->interrupted && result->status == MT_ECANCELLED && !result->crashed)
		return "";
	return result->error ? result->error : "The call was cancelled.";
}

/* Ends the pending call. */
static void dispatch_take_result(struct conversation *c,
				 const struct runner_result *result)
{
	struct error err = ERROR_NONE;
	struct call *call = turn_call(c);

	tell_output(c, (uint64_t)call->id, "", 0, true);
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
	step_run_ready(c);
}

static void on_result(void *arg, const struct runner_result *result)
{
	struct conversation *c = arg;
	struct call *call;

	if (FEATURES_ASK(take_result, c, result))
		return;
	FEATURES_TELL(call_ended, c, result);
	call = turn_call(c);
	if (!call || call->number != result->call)
		return;
	if (call->early)
		call_keep_result(call, result);
	else
		dispatch_take_result(c, result);
}

static void dispatch_on_progress(void *arg, uint64_t call, double done, double total,
				 const char *message)
{
	struct conversation *c = arg;
	int64_t action = turn_action_of(c, call);
	AUTO(strbuf) struct strbuf shown = STRBUF(OUTPUT_MAX);

	if (action >= 0)
		NOTIFY_WATCHERS(c, progress, action, done, total,
				message ? mask_text(c->mask, message, &shown) : NULL);
}

static void dispatch_on_request(void *arg, uint64_t call, uint64_t request,
				const char *method, json_object *params)
{
	struct conversation *c = arg;
	AUTO(strbuf) struct strbuf text = STRBUF(512);

	if (FEATURES_ASK(request, c, call, request, method, params))
		return;
	strbuf_addf(&text, "this host does not support %s", method);
	runner_answer(c->link, request, MT_EUNSUPPORTED, text.text, text.len);
}

static void dispatch_on_log(void *arg, int level, const char *instance, const char *text)
{
	struct conversation *c = arg;
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);

	log_line(level, instance ? instance : "runner", "%s", text);
	for (size_t n = 0; all && instance && level <= MT_LOG_WARNING && n < count; n++)
		catalog_said(all[n], instance, text);
}

/* A runner failure is not an error that the model can fix. */
static void runner_failed(struct conversation *c, const char *why)
{
	if (++c->runner_failures >= RUNNER_FAILURES_MAX)
		conversation_set_error(c, EXIT_TOOL,
				       "the runner failed %u times in a row: %s",
				       c->runner_failures, why);
}

/* Lists the tools of toolsets that determine them at run time. */
static void dispatch_list_tools(struct conversation *c)
{
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);

	for (size_t n = 0; all && n < count; n++)
		for (size_t i = 0; i < all[n]->instance_count; i++)
			if (all[n]->instances[i].dynamic)
				runner_list(c->link, all[n]->instances[i].name, NULL);
}

static void dispatch_on_tools(void *arg, const char *instance, json_object *tools)
{
	struct conversation *c = arg;
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);

	for (size_t n = 0; all && n < count; n++)
		catalog_arrived(all[n], instance, tools);
	FEATURES_TELL(tools_listed, c);
}

static void dispatch_on_ready(void *arg)
{
	struct conversation *c = arg;

	c->runner_failures = 0;
	dispatch_list_tools(c);
}

static void dispatch_on_closed(void *arg, const struct error *why)
{
	struct conversation *c = arg;

	c->link = NULL;
	FEATURES_TELL(runner_closed, c);
	if (c->closing)
		conversation_close_finish(c);
	else
		runner_failed(c, why->text);
}

static const struct runner_events runner_events = {
	.ready = dispatch_on_ready,
	.output = dispatch_on_output,
	.progress = dispatch_on_progress,
	.result = on_result,
	.request = dispatch_on_request,
	.tools = dispatch_on_tools,
	.log = dispatch_on_log,
	.closed = dispatch_on_closed,
};

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

/* ---- the runner -------------------------------------------------------- */

static int open_log_file(const struct conversation *c)
{
	AUTO(free) char *path = path_join(c->dir, "runner.log");

	return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

static int dispatch_launch(struct conversation *c, struct error *err)
{
	AUTO(free) char *spool = path_join(c->dir, "spool");
	AUTO(free) char *state_dir = path_join(c->dir, "tools");
	AUTO(close) int fd = open_log_file(c);
	size_t count = 0;
	AUTO(free) const struct catalog **catalogs = agents_catalogs(c, &count);
	const struct launch l = {
		.mask = c->mask, .loop = c->loop, .config = c->config, .runtime = &c->runtime,
		.catalogs = catalogs, .catalog_count = count,
		.workspace = c->workspace, .conversation = c->id,
		.spool_dir = spool, .state_dir = state_dir, .stderr_fd = fd,
	};

	if (!spool || !state_dir || !catalogs)
		return out_of_memory(err);
	return launch_runner(&l, &runner_events, c, &c->link, err);
}

int dispatch_start_runner(struct conversation *c, struct error *err)
{
	return c->link ? MT_OK : dispatch_launch(c, err);
}

/* ---- one call ------------------------------------------------------------ */

static int log_dispatch(struct conversation *c, int64_t id, struct error *err)
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
		r = log_dispatch(c, call->id, err);
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
		dispatch_take_result(c, &call->result);
	return MT_OK;
}

void dispatch_call(struct conversation *c)
{
	if (!FEATURES_ASK(before_call, c, turn_call(c)))
		dispatch_send(c);
}

void dispatch_send(struct conversation *c)
{
	struct call *call = turn_call(c);
	struct error err = ERROR_NONE;
	bool runner;

	if (FEATURES_ASK(before_send, c, call))
		return;
	if (!dispatch_send_call(c, call, &runner, &err))
		return;
	observation_log_failure(c, call->action, "", err.text);
	if (runner && !c->link)
		runner_failed(c, err.text);
}
