/* SPDX-License-Identifier: MIT
 *
 * runner-events.c - handles what the runner reports: output, results, requests of tools,
 * and the end of the connection. */
#include "controller/runner-events.h"

#include "controller/agents.h"
#include "controller/closing.h"
#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/plugins/server-access.h"
#include "controller/sandbox.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "log.h"

#include <string.h>

enum { OUTPUT_MAX = 16 << 20 }; /* maximum bytes of a progress message */

static void runner_on_output(void *arg, uint64_t call, const char *bytes, size_t len)
{
	int64_t action = turn_action_of(arg, call);

	if (action >= 0)
		dispatch_show_output(arg, action, bytes, len, false);
}

static void runner_on_result(void *arg, const struct runner_result *result)
{
	struct conversation *c = arg;
	struct call *call;

	if (result->limit_text)
		conversation_notice(c, MT_LOG_WARNING, "%s", result->limit_text);
	if (FEATURES_ASK(take_result, c, result))
		return;
	FEATURES_TELL(call_ended, c, result);
	call = turn_call(c);
	if (!call || call->number != result->call)
		return;
	if (call->early) {
		call_keep_result(call, result);
		return;
	}
	dispatch_end_call(c, result);
	step_run_ready(c);
}

static void runner_on_progress(void *arg, uint64_t call, double done, double total,
			       const char *message)
{
	struct conversation *c = arg;
	int64_t action = turn_action_of(c, call);
	AUTO(strbuf) struct strbuf shown = STRBUF(OUTPUT_MAX);

	if (action >= 0)
		NOTIFY_WATCHERS(c, progress, action, done, total,
				message ? mask_text(c->mask, message, &shown) : NULL);
}

static void runner_on_request(void *arg, uint64_t call, uint64_t request,
			      const char *method, json_object *params)
{
	struct conversation *c = arg;
	AUTO(strbuf) struct strbuf text = STRBUF(512);

	if (FEATURES_ASK(request, c, call, request, method, params))
		return;
	strbuf_addf(&text, "this host does not support %s", method);
	runner_answer(c->link, request, MT_EUNSUPPORTED, text.text, text.len);
}

static void runner_on_log(void *arg, int level, const char *instance, const char *text)
{
	struct conversation *c = arg;
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);

	log_line(level, instance ? instance : "runner", "%s", text);
	for (size_t n = 0; all && instance && level <= MT_LOG_WARNING && n < count; n++)
		catalog_said(all[n], instance, text);
}

/* List the tools of toolsets that determine them at run time. */
static void list_run_time_tools(struct conversation *c)
{
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);

	for (size_t n = 0; all && n < count; n++)
		for (size_t i = 0; i < all[n]->instance_count; i++)
			if (all[n]->instances[i].dynamic)
				runner_list(c->link, all[n]->instances[i].name, NULL);
}

/* What the sandbox has to do with the failure of a server. */
static void add_access(const struct conversation *c, const struct catalog **all,
		       size_t count, const char *instance, struct strbuf *out)
{
	for (size_t n = 0; n < count; n++)
		for (size_t i = 0; i < all[n]->instance_count; i++) {
			const struct tool_instance *t = &all[n]->instances[i];

			if (strcmp(t->name, instance) != 0)
				continue;
			if (conversation_is_sandboxed(c))
				server_access_note(conversation_sandbox_config(c),
						   c->workspace, t, out);
			return;
		}
}

static void runner_on_tools(void *arg, const char *instance, json_object *tools,
			    const char *why)
{
	struct conversation *c = arg;
	size_t count = 0;
	AUTO(free) const struct catalog **all = agents_catalogs(c, &count);
	AUTO(strbuf) struct strbuf reason = STRBUF(8192);

	if (!tools) {
		strbuf_add(&reason, why);
		add_access(c, all, all ? count : 0, instance, &reason);
		log_line(MT_LOG_ERROR, instance, "cannot list the tools of `%s`: %s",
			 instance, reason.text);
	}
	for (size_t n = 0; all && n < count; n++) {
		if (!tools)
			catalog_said(all[n], instance, reason.text);
		catalog_arrived(all[n], instance, tools);
	}
	FEATURES_TELL(tools_listed, c);
}

/* Tell the user once. */
static void report_sandbox(struct conversation *c)
{
	const struct runner_sandbox *s = runner_sandbox(c->link);

	if (c->sandbox_reported || !s->used || s->enforced || c->depth > 0)
		return;
	c->sandbox_reported = true;
	conversation_notice(
		c, MT_LOG_WARNING,
		"not all of the sandbox is enforced: %s; `mortise doctor` says "
		"what to do",
		s->reason);
}

static void runner_on_ready(void *arg)
{
	struct conversation *c = arg;

	c->runner_failures = 0;
	report_sandbox(c);
	list_run_time_tools(c);
}

static void runner_on_closed(void *arg, const struct error *why)
{
	struct conversation *c = arg;
	const bool restarting = c->restarting;

	c->link = NULL;
	c->restarting = false;
	FEATURES_TELL(runner_closed, c);
	if (c->closing)
		conversation_close_finish(c);
	else if (!restarting)
		dispatch_runner_failed(c, why->text);
}

const struct runner_events runner_event_handlers = {
	.ready = runner_on_ready,
	.output = runner_on_output,
	.progress = runner_on_progress,
	.result = runner_on_result,
	.request = runner_on_request,
	.tools = runner_on_tools,
	.log = runner_on_log,
	.closed = runner_on_closed,
};
