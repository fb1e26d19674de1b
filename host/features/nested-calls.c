/* SPDX-License-Identifier: MIT
 *
 * nested-calls.c - calls of tools that the code of another tool makes (tool/call): an
 * action with the same gate, hooks, limits and log as any other action. While it is
 * pending, the call that made it is suspended. Its events name that call in
 * `called_by`. */
#include "features/nested-calls.h"

#include "controller/actions.h"
#include "controller/call.h"
#include "controller/observations.h"
#include "controller/feature-api.h"
#include "controller/turn.h"
#include "tools/calls.h"
#include "utf8.h"

#include <mortise/tool.h>

#include <string.h>

enum {
	CALLS_MAX = 200,         /* maximum number made by one call */
	ANSWER_MAX = 1 << 20,    /* bytes of text of a result */
	LIST_MAX = 1 << 20,
};

/* Of a conversation. */
struct nested_calls {
	struct call *outer;      /* suspended while a call of its code is pending; or NULL */
	uint64_t request;        /* request that the pending call answers */
	char *answer;            /* the answer, JSON; NULL: out of memory */
	uint64_t caller;         /* number of the call that made `count` calls */
	unsigned count;
};

static struct nested_calls *nested_calls_state(const struct conversation *c)
{
	return feature_state(c, &nested_calls_feature);
}

static void nested_calls_answer(struct conversation *c, uint64_t request, int status,
				const char *text)
{
	if (conversation_runner(c))
		runner_refuse(conversation_runner(c), request, status, text);
}

/* ---- what may be called --------------------------------------------------- */

/* Exclude tools that act on the conversation, and those of the instance that is busy
 * with the calling call. */
static bool may_call(const struct conversation *c, const struct tool *tool)
{
	return !(tool->hints & MT_TOOL_CONTROL) &&
	       tool->instance != turn_call(c)->tool->instance;
}

static void nested_calls_put_tool(const struct tool *tool, struct strbuf *out)
{
	js_item(out);
	strbuf_addc(out, '{');
	js_key_str(out, "name", tool->name);
	js_key_str(out, "description", tool->description);
	js_key(out, "parameters");
	js_put(out, tool->schema_json);
	strbuf_addc(out, '}');
}

static void nested_calls_list_tools(struct conversation *c, uint64_t request)
{
	const struct catalog *all = &conversation_agent(c)->catalog;
	AUTO(strbuf) struct strbuf out = STRBUF(LIST_MAX);

	strbuf_add(&out, "{\"tools\":[");
	for (size_t i = 0; i < all->count; i++)
		if (may_call(c, &all->tools[i]))
			nested_calls_put_tool(&all->tools[i], &out);
	strbuf_add(&out, "]}");
	if (out.error)
		nested_calls_answer(c, request, MT_ELIMIT,
				    "The list of tools is too long.");
	else
		nested_calls_answer(c, request, MT_OK, out.text);
}

/* The calling call must be the pending call of an active agent. */
static int nested_calls_check(struct conversation *c, uint64_t call, struct error *err)
{
	struct nested_calls *s = nested_calls_state(c);

	if (s->outer)
		return fail(err, MT_ELIMIT, "Another call is pending.");
	if (!turn_is_running(c) || turn_pending(c) != turn_action_of(c, call) ||
	    !turn_call(c)->tool)
		return fail(err, MT_ECANCELLED, "The calling call has ended.");
	if (!turn_call(c)->tool->trusted)
		return fail(
			err, MT_EDENIED,
			"This tool may not call others: it does not come with Mortise, "
			"and `trust_hints` is not set.");
	if (state_is_resting(conversation_state(c)) || turn_call(c)->interrupted)
		return fail(err, MT_ECANCELLED,
			    "The call was not made, because the agent is not running.");
	return MT_OK;
}

static int count_call(struct conversation *c, uint64_t call, struct error *err)
{
	struct nested_calls *s = nested_calls_state(c);

	if (s->caller != call)
		s->count = 0;
	s->caller = call;
	return ++s->count > CALLS_MAX
		       ? fail(err, MT_ELIMIT,
			      "A call can make at most %d calls of tools.", CALLS_MAX)
		       : MT_OK;
}

/* ---- the call --------------------------------------------------------------- */

/* Mark an event as made by code: models, condensers and the loop detector do not see
 * it. Takes `caller`. */
static int mark(struct event *e, json_object *caller)
{
	js_set_bool(event_args(e), "hidden", true);
	return js_set(e->json, "called_by", caller);
}

static int set_caller(struct event *e, const struct call *outer, const char *tool)
{
	json_object *caller = js_new_object();

	js_set_int(caller, "action", outer->id);
	js_set_str(caller, "tool", tool);
	return mark(e, caller);
}

/* @return owned; NULL with a sentence for the code. */
static struct call *make_call(struct conversation *c, json_object *params,
			      struct error *err)
{
	json_object *args = js_get(params, "arguments");
	const char *name = js_str(params, "name", ""), *text = "{}";
	const struct tool *tool = NULL;
	AUTO(event) struct event *e = NULL;
	struct call *call;
	size_t len = 2;

	if (args)
		text = js_text(args, &len);
	e = text ? call_event(&conversation_agent(c)->catalog, name, text, len, "", &tool,
			      err)
		 : NULL;
	if (!e) {
		out_of_memory(err);
		return NULL;
	}
	if (!may_call(c, tool) || !(e->type->flags & EVENT_RUNNABLE)) {
		fail(err, MT_EDENIED, "The tool `%s` cannot be called from code.", name);
		return NULL;
	}
	call = set_caller(e, turn_call(c), tool->name) ? NULL : call_new(c, e);
	if (!call)
		out_of_memory(err);
	return call;
}

static void resume_outer(struct conversation *c)
{
	struct nested_calls *s = nested_calls_state(c);
	AUTO(free) char *text = STEAL(s->answer);

	turn_start(c, STEAL(s->outer));
	nested_calls_answer(c, s->request, text ? MT_OK : MT_ENOMEM,
			    text ? text : "Out of memory.");
}

static void nested_calls_make(struct conversation *c, uint64_t request, struct call *call)
{
	struct nested_calls *s = nested_calls_state(c);

	s->request = request;
	s->outer = turn_suspend(c);
	action_log_call(c, call);
	if (s->outer && turn_is_idle(c)) /* the log cannot be written */
		resume_outer(c);
}

static bool nested_calls_request_answer(struct conversation *c, uint64_t call,
					uint64_t request, const char *method,
					json_object *params)
{
	bool lists = strcmp(method, "tool/list") == 0;
	struct error err = ERROR_NONE;
	struct call *made = NULL;

	if (!lists && strcmp(method, "tool/call") != 0)
		return false;
	if (!nested_calls_check(c, call, &err) && lists) {
		nested_calls_list_tools(c, request);
		return true;
	}
	if (!err.code && !count_call(c, call, &err))
		made = make_call(c, params, &err);
	if (made)
		nested_calls_make(c, request, made);
	else
		nested_calls_answer(c, request, err.code, err.text);
	return true;
}

/* ---- its result ----------------------------------------------------------- */

/* Is this the observation of a pending call made by code? The turn has already ended
 * it. */
static bool is_result(const struct conversation *c)
{
	return nested_calls_state(c)->outer && turn_is_idle(c);
}

static char *nested_calls_answer_of(const struct event *observation)
{
	static const char *const failures[] = { "error", "user_rejected" };
	AUTO(strbuf) struct strbuf out = STRBUF(7 * ANSWER_MAX);
	AUTO(strbuf) struct strbuf command = STRBUF(64 << 20);
	bool failed = js_bool(event_args(observation), "is_error", false);
	size_t len;
	const char *text = event_content(observation, &len);

	if (observation->type->id == OBSERVATION_RUN &&
	    event_command_text(observation, &command) == MT_OK) {
		text = command.text;
		len = command.len;
	}
	for (size_t i = 0; i < ARRAY_LEN(failures); i++)
		failed |= strcmp(observation->type->name, failures[i]) == 0;
	strbuf_addc(&out, '{');
	js_key_strn(&out, "text", text, utf8_cut(text, len, ANSWER_MAX));
	js_key_bool(&out, "is_error", failed);
	js_key_bool(&out, "is_cut", len > ANSWER_MAX);
	strbuf_addc(&out, '}');
	return strbuf_take(&out);
}

static void nested_calls_before_observation(struct conversation *c, struct event *action,
					    const struct call *call,
					    struct event *observation)
{
	json_object *caller = event_caller(action);
	struct nested_calls *s = nested_calls_state(c);

	(void)call;
	if (is_result(c)) {
		free(s->answer);
		s->answer = observation ? nested_calls_answer_of(observation) : NULL;
	}
	if (caller && observation)
		mark(observation, json_object_get(caller));
}

static void nested_calls_after_observation(struct conversation *c, struct event *action)
{
	(void)action;
	if (is_result(c))
		resume_outer(c);
}

/* ---- the end of the call that made it ---------------------------------------- */

/* The calling code has ended before its call. */
static bool nested_calls_take_result(struct conversation *c,
				     const struct runner_result *result)
{
	struct nested_calls *s = nested_calls_state(c);
	const struct call *call = turn_call(c);
	bool waited = turn_awaits_approval(c);

	if (!s->outer || s->outer->number != result->call || !call)
		return false;
	if (call->number && conversation_runner(c))
		runner_cancel(conversation_runner(c), call->number);
	observation_log_failure(
		c, call->action, "",
		"The call was cancelled, because the code that made it has "
		"ended.");
	if (waited)
		conversation_set_state(c, STATE_RUNNING, "");
	return false;
}

static void nested_calls_cancel(struct conversation *c)
{
	const struct nested_calls *s = nested_calls_state(c);

	if (s->outer && s->outer->number && conversation_runner(c))
		runner_cancel(conversation_runner(c), s->outer->number);
}

static void nested_calls_interrupt(struct conversation *c)
{
	if (nested_calls_state(c)->outer)
		nested_calls_state(c)->outer->interrupted = true;
	nested_calls_cancel(c);
}

/* The next calls of the reply were not made by the code. */
static bool nested_calls_needs_order(const struct conversation *c)
{
	return nested_calls_state(c)->outer;
}

/* The newest call made by code after this action; -1: none, or it has a result. */
static int64_t unanswered(const struct conversation *c, int64_t action)
{
	const struct evlog *log = conversation_log(c);

	for (int64_t id = evlog_count(log) - 1; id > action; id--) {
		const struct evlog_head *head = evlog_head(log, id);

		if (!head->hidden || head->undone)
			continue;
		return head->type->is_action ? id : -1;
	}
	return -1;
}

/* The process ended during a call made by code: it gets an observation before the call
 * that made it. */
static int nested_calls_restore_action(struct conversation *c, struct event *action,
				       bool *ret_done, struct error *err)
{
	int64_t id = unanswered(c, action->id);
	AUTO(event) struct event *e =
		id >= 0 ? evlog_event(conversation_log(c), id, err) : NULL;

	(void)ret_done;
	if (id >= 0 && !e)
		return err->code;
	if (e && js_int(event_caller(e), "action", -1) == action->id)
		observation_log_failure(
			c, e, "",
			evlog_dispatched(conversation_log(c), id)
				? "The call was interrupted when the process ended; "
				  "it may have taken effect."
				: "The call was not made: the process ended before.");
	return MT_OK;
}

static void nested_calls_release(struct conversation *c)
{
	struct nested_calls *s = nested_calls_state(c);

	s->outer = call_free(s->outer);
	free(s->answer);
	s->answer = NULL;
}

const struct feature nested_calls_feature = {
	.name = "nested calls",
	.state_size = sizeof(struct nested_calls),
	.restore_action = nested_calls_restore_action,
	.needs_order = nested_calls_needs_order,
	.request = nested_calls_request_answer,
	.take_result = nested_calls_take_result,
	.before_observation = nested_calls_before_observation,
	.after_observation = nested_calls_after_observation,
	.interrupt = nested_calls_interrupt,
	.cancel = nested_calls_cancel,
	.release = nested_calls_release,
};
