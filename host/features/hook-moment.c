/* SPDX-License-Identifier: MIT
 *
 * hook-moment.c - runs the hooks of one event in order and logs their results. */
#include "features/hook-moment.h"

#include "log.h"
#include "utf8.h"

#include <string.h>

enum {
	RECORD_FIELD_MAX = 50000,
	END_MS = 10000, /* time limit for hooks at the end of a session */
};

static void unlist(struct hook_moment *m)
{
	struct hook_moment **p = &m->runner->moments;

	while (*p && *p != m)
		p = &(*p)->others;
	if (*p)
		*p = m->others;
}

void hook_moment_free(struct hook_moment *m)
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
	AUTO(strbuf) struct strbuf out = STRBUF(HOOK_CONTEXT_MAX);

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

/* Log the result of the hook. */
static void hook_moment_record(const struct hook_moment *m, const struct hook_result *r)
{
	AUTO(json) json_object *o = js_new_object();
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

/* For events that a hook can deny, a hook that fails denies. */
static bool hook_moment_closes(enum hook_event e)
{
	return e == HOOK_BEFORE_TOOL || e == HOOK_USER_PROMPT;
}

static void hook_moment_deny(struct hook_moment *m, const struct hook_result *r)
{
	AUTO(strbuf) struct strbuf text = STRBUF(RECORD_FIELD_MAX + 1024);
	const char *why = r->reason && *r->reason ? r->reason : r->err_text;
	size_t len = why ? strlen(why) : 0;

	while (len && strchr(" \t\r\n", why[len - 1]))
		len--;
	if (r->blocked && len)
		strbuf_addn(&text, why, utf8_cut(why, len, RECORD_FIELD_MAX));
	else if (r->blocked)
		strbuf_addf(&text, "The hook %.100s denied it.", m->now.name);
	else if (r->error)
		strbuf_addf(&text, "Denied because the hook %.100s failed: %.300s",
			    m->now.name, r->error);
	else
		strbuf_addf(&text,
			    "Denied because the hook %.100s failed with exit code %d.",
			    m->now.name, r->exit_code);
	m->denied = masked(m->c, text.text);
	if (!m->denied)
		m->denied = strdup("");
}

static void hook_moment_judge(struct hook_moment *m, const struct hook_result *r)
{
	AUTO(free) char *context = r->context ? masked(m->c, r->context) : NULL;

	if (context && *context)
		strbuf_addf(&m->context, "%s%s", m->context.len ? "\n" : "", context);
	if (r->blocked ||
	    (!r->success && !m->now.may_fail && hook_moment_closes(m->event)))
		hook_moment_deny(m, r);
	else if (!r->success)
		conversation_notice(m->c, MT_LOG_WARNING, "hook %s failed: %s",
				    m->now.name,
				    r->error ? r->error : "see the conversation log");
	hook_moment_record(m, r);
}

static void hook_moment_on_done(void *arg, const struct hook_result *r)
{
	struct hook_moment *m = arg;

	m->run = NULL;
	hook_moment_judge(m, r);
	hook_moment_run(m);
}

static bool hook_moment_fits(const struct hook_moment *m, const struct hook *h)
{
	bool of_tool = m->event == HOOK_BEFORE_TOOL || m->event == HOOK_AFTER_TOOL;

	return h->event == m->event && h->argv &&
	       (!of_tool || hook_matches(h->matcher, m->tool));
}

static const char *const open_members[] = { "event_type", "tool_name", "session_id",
					    "working_dir", NULL };

void hook_moment_run(struct hook_moment *m)
{
	const struct hooks *all = &m->runner->hooks;

	if (mask_json(conversation_secrets(m->c), m->input, open_members, NULL))
		m->denied = strdup("Out of memory.");
	while (!m->denied && m->next < all->count) {
		struct error err = ERROR_NONE;
		struct hook_call call = {
			.hook = &m->now, .dir = conversation_workspace(m->c),
			.conversation = conversation_id(m->c), .tool = m->tool, .input = m->input,
		};

		m->now = all->all[m->next++];
		if (!hook_moment_fits(m, &m->now))
			continue;
		if (m->event == HOOK_SESSION_END && m->now.timeout_ms > END_MS)
			m->now.timeout_ms = END_MS;
		if (!hook_start(conversation_loop(m->c), &call, hook_moment_on_done, m,
				&m->run, &err))
			return;
		hook_moment_judge(m, &(struct hook_result){ .exit_code = -1,
							    .error = err.text });
	}
	unlist(m); /* continuing may cancel work that is still running */
	m->done(m);
}

bool hook_moment_possible(const struct hook_runner *h, enum hook_event event,
			  const char *tool)
{
	const struct hook_moment like = { .event = event, .tool = (char *)tool };

	for (size_t i = 0; h && i < h->hooks.count; i++)
		if (hook_moment_fits(&like, &h->hooks.all[i]))
			return true;
	return false;
}

struct hook_moment *hook_moment_new(struct hook_runner *h, struct conversation *c,
				    enum hook_event event, const char *tool,
				    void (*done)(struct hook_moment *m))
{
	AUTO(free) char *name = tool ? strdup(tool) : NULL;
	struct hook_moment *m = tool && !name ? NULL : calloc(1, sizeof *m);

	if (!m) {
		conversation_notice(c, MT_LOG_ERROR, "no %s hook was run: out of memory",
				    hook_event_name(event));
		return NULL;
	}
	m->c = c;
	m->runner = h;
	m->event = event;
	m->action = -1;
	m->done = done;
	m->context = STRBUF(HOOK_CONTEXT_MAX);
	m->tool = STEAL(name);
	m->input = js_new_object();
	m->others = h->moments;
	h->moments = m;
	/* Members that an event does not have are null: a hook may expect every name. */
	js_set_str(m->input, "event_type", hook_event_name(event));
	js_set(m->input, "tool_name", NULL);
	js_set(m->input, "tool_input", NULL);
	js_set(m->input, "tool_response", NULL);
	js_set(m->input, "message", NULL);
	if (tool)
		js_set_str(m->input, "tool_name", tool);
	js_set_str(m->input, "session_id", conversation_id(c));
	js_set_str(m->input, "working_dir", conversation_workspace(c));
	js_set_new(m->input, "metadata", js_new_object());
	return m;
}
