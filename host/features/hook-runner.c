/* SPDX-License-Identifier: MIT
 *
 * hook-runner.c - runs hooks at their events and holds the work that waits for them. */
#include "features/hook-runner.h"

#include "context/history.h"
#include "controller/call.h"
#include "controller/dispatch.h"
#include "controller/observations.h"
#include "controller/closing.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "conversation/messages.h"
#include "features/hook-moment.h"
#include "features/unattended.h"
#include "log.h"

#include <string.h>

enum { STOP_DENIALS_MAX = 5 }; /* consecutive denials, after which the agent may stop */

/* The hooks of a conversation; NULL: it has none. */
static struct hook_runner *hook_runner_of(const struct conversation *c)
{
	return *(struct hook_runner **)feature_state(c, &hooks_feature);
}

/* ---- the session and its messages ---------------------------------------------- */

static void next_held(struct conversation *c);

static void drop_held(struct hook_runner *h)
{
	struct held first = h->held[0];

	memmove(h->held, h->held + 1, --h->held_count * sizeof *h->held);
	free(first.text);
	json_object_put(first.images);
}

static void say_held(struct hook_moment *m)
{
	struct hook_runner *h = hook_runner_of(m->c);
	AUTO(strbuf) struct strbuf text = STRBUF(256 << 20);
	struct error err = ERROR_NONE;

	strbuf_addn(&text, h->held[0].text, h->held[0].len);
	if (h->context && *h->context)
		strbuf_addf(&text, "\n\n%s", h->context);
	if (m->context.len)
		strbuf_addf(&text, "\n\n%s", m->context.text);
	free(h->context);
	h->context = NULL;
	if (text.error)
		fail(&err, text.error, "cannot accept the message: %s",
		     status_name(text.error));
	else
		conversation_add_message(m->c, text.text, text.len, h->held[0].images,
					 h->held[0].queue, &err);
	if (err.code)
		conversation_notice(m->c, MT_LOG_ERROR, "%s", err.text);
}

static void refuse_held(struct hook_moment *m)
{
	conversation_notice(m->c, MT_LOG_WARNING, "message rejected: %s", m->denied);
	if (conversation_state(m->c) == STATE_LOADING)
		conversation_set_state(m->c, STATE_AWAITING_USER_INPUT, m->denied);
}

static void on_prompt(struct hook_moment *m)
{
	struct conversation *c = m->c;

	if (m->denied)
		refuse_held(m);
	else
		say_held(m);
	drop_held(hook_runner_of(c));
	hook_moment_free(m);
	next_held(c);
	step_run_ready(c);
}

static void next_held(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);
	struct hook_moment *m;

	if (!h->held_count || conversation_is_closing(c))
		return;
	m = hook_moment_new(hook_runner_of(c), c, HOOK_USER_PROMPT, NULL, on_prompt);
	if (!m) {
		conversation_notice(c, MT_LOG_ERROR, "message rejected: out of memory");
		drop_held(h);
		return;
	}
	js_set_strn(m->input, "message", h->held[0].text, h->held[0].len);
	hook_moment_run(m);
}

static void on_started(struct hook_moment *m)
{
	struct conversation *c = m->c;
	struct hook_runner *h = hook_runner_of(c);

	if (m->context.len)
		h->context = strdup(m->context.text);
	if (m->denied)
		conversation_notice(c, MT_LOG_WARNING,
				    "a session-start hook reported: %s", m->denied);
	hook_moment_free(m);
	next_held(c);
	if (h->continue_after) {
		struct error err = ERROR_NONE;

		h->continue_after = false;
		if (conversation_continue(c, &err))
			conversation_notice(c, MT_LOG_ERROR, "%s", err.text);
	}
	step_run_ready(c);
}

/* true: the session start hooks are running, or start now */
static bool start_session(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);
	struct hook_moment *m;

	for (m = h->moments; m; m = m->others)
		if (m->event == HOOK_SESSION_START)
			return true;
	if (h->started)
		return false;
	h->started = true;
	if (!hook_moment_possible(hook_runner_of(c), HOOK_SESSION_START, NULL))
		return false;
	m = hook_moment_new(hook_runner_of(c), c, HOOK_SESSION_START, NULL, on_started);
	if (m)
		hook_moment_run(m);
	return m != NULL;
}

static int hook_runner_before_message(struct conversation *c, const char *text,
				      size_t len, json_object *images, bool queue,
				      bool *ret_held, struct error *err)
{
	struct hook_runner *h = hook_runner_of(c);
	struct held held = { .len = len, .queue = queue };

	if (!h)
		return MT_OK;
	h->stop_denials = 0;
	if (!hook_moment_possible(hook_runner_of(c), HOOK_USER_PROMPT, NULL) &&
	    (h->started ||
	     !hook_moment_possible(hook_runner_of(c), HOOK_SESSION_START, NULL)))
		return MT_OK;
	if (h->held_count == HOOK_MESSAGES_MAX)
		return fail(err, MT_ELIMIT,
			    "%d messages are already waiting for their "
			    "hooks",
			    HOOK_MESSAGES_MAX);
	held.text = malloc(len + 1);
	if (!held.text)
		return out_of_memory(err);
	*ret_held = true;
	memcpy(held.text, text, len);
	held.text[len] = '\0';
	held.images = json_object_get(images);
	h->held[h->held_count++] = held;
	if (!start_session(c) && h->held_count == 1)
		next_held(c);
	return MT_OK;
}

static int hook_runner_before_continue(struct conversation *c, bool *ret_held,
				       struct error *err)
{
	(void)err;
	if (!hook_runner_of(c) || !start_session(c))
		return MT_OK;
	hook_runner_of(c)->continue_after = true;
	*ret_held = true;
	return MT_OK;
}

/* ---- tools ------------------------------------------------------------------------ */

static void on_before(struct hook_moment *m)
{
	struct conversation *c = m->c;

	if (turn_pending(c) != m->action) {
		hook_moment_free(m);
		return;
	}
	if (m->denied)
		observation_log_denial(c, turn_call(c)->action, m->denied);
	else
		dispatch_send(c);
	hook_moment_free(m);
	step_run_ready(c);
}

static bool before_call(struct conversation *c, struct call *call)
{
	struct hook_moment *m;

	if (!hook_runner_of(c) || !call->tool ||
	    !hook_moment_possible(hook_runner_of(c), HOOK_BEFORE_TOOL, call->tool->name))
		return false;
	m = hook_moment_new(hook_runner_of(c), c, HOOK_BEFORE_TOOL, call->tool->name,
			    on_before);
	if (!m) {
		observation_log_denial(c, call->action, "Out of memory.");
		return true;
	}
	m->action = call->id;
	js_set(m->input, "tool_input", json_object_get(call->logged_args));
	hook_moment_run(m);
	return true;
}

static void on_after(struct hook_moment *m)
{
	struct conversation *c = m->c;
	struct event *e = STEAL(m->observation);
	AUTO(strbuf) struct strbuf text = STRBUF(256 << 20);
	const char *content = js_str(e->json, "content", "");
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action =
		evlog_event(conversation_log(c), m->action, &err);

	strbuf_add(&text, content);
	if (m->denied)
		strbuf_addf(&text, "%s[hook] %s", text.len ? "\n\n" : "", m->denied);
	if (m->context.len)
		strbuf_addf(&text, "%s%s", text.len ? "\n\n" : "", m->context.text);
	if (text.error)
		js_fail(e->json);
	else if (m->denied || m->context.len)
		js_set_strn(e->json, "content", text.text, text.len);
	hook_moment_free(m);
	if (action)
		observation_log(c, action, e, &err);
	else
		event_unref(e);
	step_run_ready(c);
}

static bool after_call(struct conversation *c, const struct call *call,
		       struct event *observation)
{
	const char *tool = call->tool->name;
	json_object *response;
	struct hook_moment *m;

	if (!observation || conversation_is_closing(c) ||
	    !hook_moment_possible(hook_runner_of(c), HOOK_AFTER_TOOL, tool))
		return false;
	m = hook_moment_new(hook_runner_of(c), c, HOOK_AFTER_TOOL, tool, on_after);
	if (!m)
		return false;
	m->action = call->id;
	m->observation = observation;
	js_set(m->input, "tool_input", json_object_get(call->logged_args));
	response = js_new_object();
	js_set_str(response, "content", js_str(observation->json, "content", ""));
	js_set_str(response, "observation", observation->type->name);
	js_set(m->input, "tool_response", response);
	hook_moment_run(m);
	return true;
}

/* ---- the end
 * ------------------------------------------------------------------------ */

/* A message sent in the meantime means that the agent continues. */
static bool spoken_since(const struct hook_moment *m)
{
	return history_user_since(conversation_log(m->c), m->since);
}

static void on_stop(struct hook_moment *m)
{
	struct conversation *c = m->c;
	struct hook_runner *h = hook_runner_of(c);
	struct error err = ERROR_NONE;

	if (spoken_since(m)) {
		log_line(MT_LOG_INFO, "hooks",
			 "the user sent a message; the agent continues");
	} else if (m->denied && ++h->stop_denials <= STOP_DENIALS_MAX) {
		json_object *args = js_new_object();

		js_set_str(args, "content", m->denied);
		unattended_reset(conversation_agent(c));
		conversation_log_event(
			c, event_action("message", SOURCE_ENVIRONMENT, args, &err), &err);
	} else {
		if (m->denied)
			conversation_notice(c, MT_LOG_WARNING,
					    "hooks prevented the agent from stopping "
					    "%d times; stopping now",
					    STOP_DENIALS_MAX);
		conversation_set_state(c, m->rest, m->rest_reason);
	}
	hook_moment_free(m);
	step_run_ready(c);
}

static bool hook_runner_before_rest(struct conversation *c, enum agent_state state,
				    const char *reason)
{
	struct hook_moment *m =
		!conversation_agent(c)->above &&
				hook_moment_possible(hook_runner_of(c), HOOK_STOP, NULL)
			? hook_moment_new(hook_runner_of(c), c, HOOK_STOP, NULL, on_stop)
			: NULL;

	if (!m)
		return false;
	m->rest = state;
	m->rest_reason = reason;
	m->since = evlog_count(conversation_log(c));
	js_set_bool(m->input, "stop_hook_active", hook_runner_of(c)->stop_denials > 0);
	hook_moment_run(m);
	return true;
}

static void hook_runner_on_end(struct hook_moment *m)
{
	struct conversation *c = m->c;

	hook_moment_free(m);
	conversation_close_begin(c);
}

static bool before_close(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);
	struct hook_moment *m;

	if (!h || !h->started || h->ended ||
	    !hook_moment_possible(hook_runner_of(c), HOOK_SESSION_END, NULL))
		return false;
	h->ended = true;
	m = hook_moment_new(hook_runner_of(c), c, HOOK_SESSION_END, NULL,
			    hook_runner_on_end);
	if (m)
		hook_moment_run(m);
	return m != NULL;
}

/* ---- the whole
 * ------------------------------------------------------------------------ */

static void free_runner(struct hook_runner *h)
{
	while (h && h->moments) {
		struct hook_moment *m = h->moments;

		hook_cancel(m->run);
		hook_moment_free(m);
	}
	while (h && h->held_count)
		drop_held(h);
	if (h) {
		hooks_clear(&h->hooks);
		free(h->context);
	}
	free(h);
}

static int open_hooks(struct conversation *c, struct error *err)
{
	struct hook_runner **runner = feature_state(c, &hooks_feature);
	struct hook_runner *h = calloc(1, sizeof *h);
	AUTO(free) char *note = NULL;

	if (!h)
		return out_of_memory(err);
	if (hooks_load(conversation_config(c), conversation_workspace(c), &h->hooks,
		       &note, err)) {
		free(h);
		return err->code;
	}
	if (note)
		log_line(MT_LOG_WARNING, "hooks", "%s", note);
	for (size_t i = 0; i < h->hooks.count; i++)
		if (!h->hooks.all[i].argv)
			log_line(MT_LOG_WARNING, "hooks",
				 "%s: hooks of type %s are not supported and were "
				 "ignored",
				 h->hooks.all[i].name, h->hooks.all[i].type);
	if (h->hooks.count)
		*runner = h;
	else
		free_runner(h);
	return MT_OK;
}

/* The work was cancelled: a call that was not made gets this as its result; an
 * existing result is kept. */
static void hook_runner_settle(struct conversation *c, struct hook_moment *m)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action =
		m->action < 0 ? NULL : evlog_event(conversation_log(c), m->action, &err);

	if (action && m->observation)
		observation_log(c, action, STEAL(m->observation), &err);
	else if (action && turn_pending(c) == m->action)
		observation_log_failure(c, action, "",
					"The call was cancelled before it was made.");
}

static void hook_runner_cancel(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);

	while (h && h->moments) {
		struct hook_moment *m = h->moments;
		bool stop = m->event == HOOK_STOP && !spoken_since(m);
		bool end = m->event == HOOK_SESSION_END;
		enum agent_state rest = m->rest;
		const char *reason = m->rest_reason;

		hook_cancel(m->run);
		m->run = NULL;
		if (m->event == HOOK_USER_PROMPT || m->event == HOOK_SESSION_START) {
			while (h->held_count)
				drop_held(h);
			h->continue_after = false;
			conversation_notice(c, MT_LOG_WARNING,
					    "message not sent: its hooks were cancelled");
		}
		hook_runner_settle(c, m);
		hook_moment_free(m);
		if (stop && !conversation_is_closing(c))
			conversation_set_state(c, rest, reason);
		if (end)
			conversation_close_begin(c);
	}
}

static bool hook_runner_is_busy(const struct conversation *c)
{
	return hook_runner_of(c) && hook_runner_of(c)->moments;
}

static const char *hook_runner_block_step(struct conversation *c)
{
	return hook_runner_is_busy(c) ? "a hook is running" : NULL;
}

/* A hook may be a program that expects one call at a time. */
static bool hook_runner_needs_order(const struct conversation *c)
{
	return hook_runner_of(c) != NULL;
}

static void hook_runner_release(struct conversation *c)
{
	struct hook_runner **runner = feature_state(c, &hooks_feature);

	free_runner(*runner);
	*runner = NULL;
}

const struct feature hooks_feature = {
	.name = "hooks",
	.state_size = sizeof(struct hook_runner *),
	.open = open_hooks,
	.before_message = hook_runner_before_message,
	.before_continue = hook_runner_before_continue,
	.before_rest = hook_runner_before_rest,
	.before_close = before_close,
	.blocks_step = hook_runner_block_step,
	.is_busy = hook_runner_is_busy,
	.keeps_open = hook_runner_is_busy,
	.needs_order = hook_runner_needs_order,
	.before_call = before_call,
	.after_call = after_call,
	.cancel = hook_runner_cancel,
	.release = hook_runner_release,
};
