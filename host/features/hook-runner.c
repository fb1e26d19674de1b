/* SPDX-License-Identifier: MIT
 *
 * hook-runner.c - running the hooks of one moment after the other, and going on
 * with what waited for them. */
#include "features/hook-runner.h"

#include "context/history.h"
#include "controller/call.h"
#include "controller/feature-api.h"
#include "controller/dispatch.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "hooks/hooks.h"
#include "log.h"
#include "utf8.h"

#include <string.h>

enum {
	CONTEXT_MAX = 1 << 20, RECORD_FIELD_MAX = 50000, HELD_MAX = 64,
	STOP_DENIALS_MAX = 5,      /* in a row, then the agent has finished */
	END_MS = 10000,            /* hooks of the end of a session take no longer */
};

/* Its state in a conversation is the pointer to its runner; NULL: no hooks. */
static struct hook_runner *hook_runner_of(const struct conversation *c)
{
	return *(struct hook_runner **)feature_state(c, &hooks_feature);
}

/* The hooks of one moment; the first that blocks is the last. */
struct moment {
	struct conversation *c;
	enum hook_event event;
	char *tool;
	json_object *input;
	int64_t action;
	size_t next;
	struct hook now;           /* a view of the one that runs */
	struct hook_run *run;
	struct strbuf context;
	char *denied;              /* why not; NULL: nothing against it */
	void (*done)(struct moment *m);
	struct event *observation;
	enum agent_state rest;     /* where the agent comes to, and why */
	const char *rest_reason;
	int64_t since;             /* events there then */
	struct moment *others;
};

struct held {
	char *text;
	size_t len;
	json_object *images;
};

struct hook_runner {
	struct hooks hooks;
	struct moment *moments;    /* under way */
	struct held held[HELD_MAX];
	size_t held_count;
	bool started, ended, go_on;
	char *context;             /* of the session: goes with the next message */
	unsigned stop_denials;
};

/* ---- a moment --------------------------------------------------------------- */

static void unlist(struct moment *m)
{
	struct moment **p = &hook_runner_of(m->c)->moments;

	while (*p && *p != m)
		p = &(*p)->others;
	if (*p)
		*p = m->others;
}

static void moment_free(struct moment *m)
{
	unlist(m);
	free(m->tool);
	json_object_put(m->input);
	strbuf_clear(&m->context);
	free(m->denied);
	event_unref(m->observation);
	free(m);
}

static char *masked(const struct conversation *c, const char *text)
{
	AUTO(strbuf) struct strbuf out = STRBUF(CONTEXT_MAX);

	if (mask_put(conversation_secrets(c), &out, text, strlen(text)))
		return NULL;
	return out.len ? strbuf_take(&out) : strdup("");
}

static void put_cut(json_object *o, const char *key, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (text)
		js_set_strn(o, key, text, utf8_cut(text, len, RECORD_FIELD_MAX));
}

/* What the hook did stays in the log. */
static void record(const struct moment *m, const struct hook_result *r)
{
	AUTO(json) json_object *o = json_object_new_object();
	struct error err = ERROR_NONE;

	js_set_str(o, "record", "hook");
	js_set_str(o, "hook", m->now.name);
	js_set_str(o, "event_type", hook_event_name(m->event));
	if (m->tool)
		js_set_str(o, "tool_name", m->tool);
	if (m->action >= 0)
		js_set_int(o, "action", m->action);
	js_set_bool(o, "success", r->success);
	js_set_bool(o, "blocked", m->denied != NULL);
	js_set_int(o, "exit_code", r->exit_code);
	put_cut(o, "stdout", r->out);
	put_cut(o, "stderr", r->err_text);
	put_cut(o, "reason", m->denied ? m->denied : r->reason);
	put_cut(o, "additional_context", r->context);
	put_cut(o, "error", r->error);
	if (evlog_record(conversation_log(m->c), o, &err))
		log_line(MT_LOG_WARNING, "hooks", "%s", err.text);
}

/* Where a no keeps something from happening, a hook that fails says no. */
static bool closes(enum hook_event e)
{
	return e == HOOK_BEFORE_TOOL || e == HOOK_USER_PROMPT;
}

static void deny(struct moment *m, const struct hook_result *r)
{
	AUTO(strbuf) struct strbuf text = STRBUF(RECORD_FIELD_MAX + 1024);
	const char *why = r->reason && *r->reason ? r->reason : r->err_text;
	size_t len = why ? strlen(why) : 0;

	while (len && strchr(" \t\r\n", why[len - 1]))
		len--;
	if (r->blocked && len)
		strbuf_addn(&text, why, utf8_cut(why, len, RECORD_FIELD_MAX));
	else if (r->blocked)
		strbuf_addf(&text, "The hook %.100s does not allow it.", m->now.name);
	else if (r->error)
		strbuf_addf(&text,
			    "The hook %.100s failed, and what it guards is not done "
			    "without it: %.300s",
			    m->now.name, r->error);
	else
		strbuf_addf(
			&text,
			"The hook %.100s failed with exit code %d, and what it guards "
			"is not done without it.",
			m->now.name, r->exit_code);
	m->denied = masked(m->c, text.text);
	if (!m->denied)
		m->denied = strdup("");
}

static void judge(struct moment *m, const struct hook_result *r)
{
	AUTO(free) char *context = r->context ? masked(m->c, r->context) : NULL;

	if (context && *context)
		strbuf_addf(&m->context, "%s%s", m->context.len ? "\n" : "", context);
	if (r->blocked || (!r->success && !m->now.may_fail && closes(m->event)))
		deny(m, r);
	else if (!r->success)
		conversation_notice(m->c, MT_LOG_WARNING, "the hook %s failed: %s",
				    m->now.name,
				    r->error ? r->error
					     : "see the log of the conversation");
	record(m, r);
}

static void go(struct moment *m);

static void on_done(void *arg, const struct hook_result *r)
{
	struct moment *m = arg;

	m->run = NULL;
	judge(m, r);
	go(m);
}

static bool fits(const struct moment *m, const struct hook *h)
{
	bool of_tool = m->event == HOOK_BEFORE_TOOL || m->event == HOOK_AFTER_TOOL;

	return h->event == m->event && h->argv &&
	       (!of_tool || hook_matches(h->matcher, m->tool));
}

static const char *const open_members[] = { "event_type", "tool_name", "session_id",
					    "working_dir", NULL };

/* Start the next one; when there is none, what waited goes on. */
static void go(struct moment *m)
{
	const struct hooks *all = &hook_runner_of(m->c)->hooks;

	if (mask_json(conversation_secrets(m->c), m->input, open_members, NULL))
		m->denied = strdup("Out of memory.");
	while (!m->denied && m->next < all->count) {
		struct error err = ERROR_NONE;
		struct hook_call call = {
			.hook = &m->now, .dir = conversation_workspace(m->c),
			.conversation = conversation_id(m->c), .tool = m->tool, .input = m->input,
		};

		m->now = all->all[m->next++];
		if (!fits(m, &m->now))
			continue;
		if (m->event == HOOK_SESSION_END && m->now.timeout_ms > END_MS)
			m->now.timeout_ms = END_MS;
		if (!hook_start(conversation_loop(m->c), &call, on_done, m, &m->run,
				&err))
			return;
		judge(m, &(struct hook_result){ .exit_code = -1, .error = err.text });
	}
	unlist(m); /* what goes on now may cancel what still runs */
	m->done(m);
}

static bool any(const struct conversation *c, enum hook_event event, const char *tool)
{
	const struct moment like = { .event = event, .tool = (char *)tool };

	for (size_t i = 0; hook_runner_of(c) && i < hook_runner_of(c)->hooks.count; i++)
		if (fits(&like, &hook_runner_of(c)->hooks.all[i]))
			return true;
	return false;
}

/* Run the hooks of a moment; `done` frees it. `extra` goes into what they read. */
static struct moment *moment_new(struct conversation *c, enum hook_event event,
				 const char *tool, void (*done)(struct moment *m))
{
	struct moment *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->c = c;
	m->event = event;
	m->action = -1;
	m->done = done;
	m->context = STRBUF(CONTEXT_MAX);
	m->tool = tool ? strdup(tool) : NULL;
	m->input = json_object_new_object();
	m->others = hook_runner_of(c)->moments;
	hook_runner_of(c)->moments = m;
	/* Members that an event does not have are null: a hook may rely on all names. */
	js_set_str(m->input, "event_type", hook_event_name(event));
	js_set(m->input, "tool_name", NULL);
	js_set(m->input, "tool_input", NULL);
	js_set(m->input, "tool_response", NULL);
	js_set(m->input, "message", NULL);
	if (tool)
		js_set_str(m->input, "tool_name", tool);
	js_set_str(m->input, "session_id", conversation_id(c));
	js_set_str(m->input, "working_dir", conversation_workspace(c));
	js_set_new(m->input, "metadata", json_object_new_object());
	return m;
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

static void say_held(struct moment *m)
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
		fail(&err, text.error, "the message cannot be taken: %s",
		     status_name(text.error));
	else
		conversation_add_message(m->c, text.text, text.len, h->held[0].images,
					 &err);
	if (err.code)
		conversation_notice(m->c, MT_LOG_ERROR, "%s", err.text);
}

static void refuse_held(struct moment *m)
{
	conversation_notice(m->c, MT_LOG_WARNING, "the message was not taken: %s",
			    m->denied);
	if (conversation_state(m->c) == STATE_LOADING)
		conversation_set_state(m->c, STATE_AWAITING_USER_INPUT, m->denied);
}

static void on_prompt(struct moment *m)
{
	struct conversation *c = m->c;

	if (m->denied)
		refuse_held(m);
	else
		say_held(m);
	drop_held(hook_runner_of(c));
	moment_free(m);
	next_held(c);
	step_run_ready(c);
}

static void next_held(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);
	struct moment *m;

	if (!h->held_count || conversation_is_closing(c))
		return;
	m = moment_new(c, HOOK_USER_PROMPT, NULL, on_prompt);
	if (!m) {
		conversation_notice(c, MT_LOG_ERROR, "message rejected: out of memory");
		drop_held(h);
		return;
	}
	js_set_strn(m->input, "message", h->held[0].text, h->held[0].len);
	go(m);
}

static void on_started(struct moment *m)
{
	struct conversation *c = m->c;
	struct hook_runner *h = hook_runner_of(c);

	if (m->context.len)
		h->context = strdup(m->context.text);
	if (m->denied)
		conversation_notice(c, MT_LOG_WARNING, "a hook says at the start: %s",
				    m->denied);
	moment_free(m);
	next_held(c);
	if (h->go_on) {
		struct error err = ERROR_NONE;

		h->go_on = false;
		if (conversation_continue(c, &err))
			conversation_notice(c, MT_LOG_ERROR, "%s", err.text);
	}
	step_run_ready(c);
}

/* true: the start of the session is under way, or is now. */
static bool start_session(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);
	struct moment *m;

	for (m = h->moments; m; m = m->others)
		if (m->event == HOOK_SESSION_START)
			return true;
	if (h->started)
		return false;
	h->started = true;
	if (!any(c, HOOK_SESSION_START, NULL))
		return false;
	m = moment_new(c, HOOK_SESSION_START, NULL, on_started);
	if (m)
		go(m);
	return m != NULL;
}

static int before_message(struct conversation *c, const char *text, size_t len,
			  json_object *images, bool *ret_held, struct error *err)
{
	struct hook_runner *h = hook_runner_of(c);
	struct held held = { .len = len };

	if (!h)
		return MT_OK;
	h->stop_denials = 0;
	if (!any(c, HOOK_USER_PROMPT, NULL) &&
	    (h->started || !any(c, HOOK_SESSION_START, NULL)))
		return MT_OK;
	if (h->held_count == HELD_MAX)
		return fail(err, MT_ELIMIT, "%d messages wait for their hooks already",
			    HELD_MAX);
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

static bool before_continue(struct conversation *c)
{
	if (!hook_runner_of(c) || !start_session(c))
		return false;
	hook_runner_of(c)->go_on = true;
	return true;
}

/* ---- tools ------------------------------------------------------------------------ */

static void on_before(struct moment *m)
{
	struct conversation *c = m->c;
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action =
		evlog_event(conversation_log(c), m->action, &err);

	if (turn_pending(c) != m->action || !action) {
		moment_free(m);
		return;
	}
	if (m->denied)
		dispatch_log_denial(c, action, m->denied);
	else
		dispatch_send(c, action);
	moment_free(m);
	step_run_ready(c);
}

static bool before_call(struct conversation *c, struct event *action)
{
	AUTO_CALL call = { 0 };
	const char *tool;
	struct moment *m;

	if (!hook_runner_of(c) ||
	    call_resolve(&conversation_agent(c)->catalog, action, &call, NULL))
		return false;
	tool = call.tool->name;
	if (!any(c, HOOK_BEFORE_TOOL, tool))
		return false;
	m = moment_new(c, HOOK_BEFORE_TOOL, tool, on_before);
	if (!m) {
		dispatch_log_denial(c, action, "Out of memory.");
		return true;
	}
	m->action = action->id;
	js_set(m->input, "tool_input", json_object_get(call.args));
	go(m);
	return true;
}

static void on_after(struct moment *m)
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
	if (!text.error && (m->denied || m->context.len))
		js_set_strn(e->json, "content", text.text, text.len);
	moment_free(m);
	if (action)
		dispatch_log_observation(c, action, e, &err);
	else
		event_unref(e);
	step_run_ready(c);
}

static json_object *input_of(struct conversation *c, struct event *action)
{
	AUTO_CALL call = { 0 };

	if (call_resolve(&conversation_agent(c)->catalog, action, &call, NULL))
		return json_object_get(event_args(action));
	return STEAL(call.args);
}

static bool after_call(struct conversation *c, struct event *action, const char *tool,
		       struct event *observation)
{
	json_object *response;
	struct moment *m;

	if (!observation || conversation_is_closing(c) || !any(c, HOOK_AFTER_TOOL, tool))
		return false;
	m = moment_new(c, HOOK_AFTER_TOOL, tool, on_after);
	if (!m)
		return false;
	m->action = action->id;
	m->observation = observation;
	js_set(m->input, "tool_input", input_of(c, action));
	response = json_object_new_object();
	js_set_str(response, "content", js_str(observation->json, "content", ""));
	js_set_str(response, "observation", observation->type->name);
	js_set(m->input, "tool_response", response);
	go(m);
	return true;
}

/* ---- the end
 * ------------------------------------------------------------------------ */

/* Whoever has spoken in the meantime wants it to go on. */
static bool spoken_since(const struct moment *m)
{
	return history_user_since(conversation_log(m->c), m->since);
}

static void on_stop(struct moment *m)
{
	struct conversation *c = m->c;
	struct hook_runner *h = hook_runner_of(c);
	struct error err = ERROR_NONE;

	if (spoken_since(m)) {
		log_line(MT_LOG_INFO, "hooks", "the user has spoken: the agent goes on");
	} else if (m->denied && ++h->stop_denials <= STOP_DENIALS_MAX) {
		json_object *args = json_object_new_object();

		js_set_str(args, "content", m->denied);
		conversation_agent(c)->text_only = 0;
		conversation_log_event(c,
				       event_action("message", SOURCE_USER, args, &err),
				       &err);
	} else {
		if (m->denied)
			conversation_notice(c, MT_LOG_WARNING,
					    "a hook has kept the agent from stopping %d "
					    "times: it stops now",
					    STOP_DENIALS_MAX);
		conversation_set_state(c, m->rest, m->rest_reason);
	}
	moment_free(m);
	step_run_ready(c);
}

static bool before_rest(struct conversation *c, enum agent_state state,
			const char *reason)
{
	struct moment *m = !conversation_waiting_agents(c) && any(c, HOOK_STOP, NULL)
				   ? moment_new(c, HOOK_STOP, NULL, on_stop)
				   : NULL;

	if (!m)
		return false;
	m->rest = state;
	m->rest_reason = reason;
	m->since = evlog_count(conversation_log(c));
	js_set_bool(m->input, "stop_hook_active", hook_runner_of(c)->stop_denials > 0);
	go(m);
	return true;
}

static void on_end(struct moment *m)
{
	struct conversation *c = m->c;

	moment_free(m);
	conversation_close_begin(c);
}

static bool before_close(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);
	struct moment *m;

	if (!h || !h->started || h->ended || !any(c, HOOK_SESSION_END, NULL))
		return false;
	h->ended = true;
	m = moment_new(c, HOOK_SESSION_END, NULL, on_end);
	if (m)
		go(m);
	return m != NULL;
}

/* ---- the whole
 * ------------------------------------------------------------------------ */

static void free_runner(struct hook_runner *h)
{
	while (h && h->moments) {
		struct moment *m = h->moments;

		hook_cancel(m->run);
		moment_free(m);
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
				 "%s: hooks of the type %s are not run",
				 h->hooks.all[i].name, h->hooks.all[i].type);
	if (h->hooks.count)
		*runner = h;
	else
		free_runner(h);
	return MT_OK;
}

/* What was cancelled: a call not made gets no result but that, a result stays. */
static void settle(struct conversation *c, struct moment *m)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action =
		m->action < 0 ? NULL : evlog_event(conversation_log(c), m->action, &err);

	if (action && m->observation)
		dispatch_log_observation(c, action, STEAL(m->observation), &err);
	else if (action && turn_pending(c) == m->action)
		dispatch_log_failure(c, action, "",
				     "The call was cancelled before it was made.");
}

static void cancel(struct conversation *c)
{
	struct hook_runner *h = hook_runner_of(c);

	while (h && h->moments) {
		struct moment *m = h->moments;
		bool stop = m->event == HOOK_STOP && !spoken_since(m);
		bool end = m->event == HOOK_SESSION_END;
		enum agent_state rest = m->rest;
		const char *reason = m->rest_reason;

		hook_cancel(m->run);
		m->run = NULL;
		if (m->event == HOOK_USER_PROMPT || m->event == HOOK_SESSION_START) {
			while (h->held_count)
				drop_held(h);
			h->go_on = false;
			conversation_notice(c, MT_LOG_WARNING,
					    "what was said was not taken: its hooks were "
					    "cancelled");
		}
		settle(c, m);
		moment_free(m);
		if (stop && !conversation_is_closing(c))
			conversation_set_state(c, rest, reason);
		if (end)
			conversation_close_begin(c);
	}
}

static bool is_busy(const struct conversation *c)
{
	return hook_runner_of(c) && hook_runner_of(c)->moments;
}

static const char *block_step(struct conversation *c)
{
	return is_busy(c) ? "a hook is running" : NULL;
}

/* A hook may be a program that expects one call at a time. */
static bool needs_order(const struct conversation *c)
{
	return hook_runner_of(c) != NULL;
}

static void release(struct conversation *c)
{
	struct hook_runner **runner = feature_state(c, &hooks_feature);

	free_runner(*runner);
	*runner = NULL;
}

const struct feature hooks_feature = {
	.name = "hooks",
	.state_size = sizeof(struct hook_runner *),
	.open = open_hooks,
	.before_message = before_message,
	.before_continue = before_continue,
	.before_rest = before_rest,
	.before_close = before_close,
	.blocks_step = block_step,
	.is_busy = is_busy,
	.keeps_open = is_busy,
	.needs_order = needs_order,
	.before_call = before_call,
	.after_call = after_call,
	.cancel = cancel,
	.release = release,
};
