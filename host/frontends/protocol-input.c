/* SPDX-License-Identifier: MIT
 *
 * protocol-input.c - parses, checks and executes commands of clients. */
#include "frontends/protocol-internal.h"

#include "conversation/rewind.h"
#include "features/goal.h"
#include "features/loop-recovery.h"
#include "features/permissions.h"
#include "features/snapshots.h"
#include "options.h"

#include <inttypes.h>
#include <string.h>

enum { MEMBERS_MAX = 8, ID_MAX = 256 };

struct member {
	const char *name;
	json_type type;
	bool required;
};

/** The result of a command: members for its result line. */
struct outcome {
	int64_t event;  /* the event it was logged as; -1: none */
	int64_t events; /* number of events in the log; -1: not reported */
	int64_t to;     /* event that it returned to; -1: none */
	char *text;     /* text of a withdrawn message; owned */
	char *files;    /* what was restored, for the user; owned */
	bool facts, servers, approvals;
};

struct command {
	const char *name;
	struct member members[MEMBERS_MAX];
	int (*run)(struct session *s, json_object *line, struct outcome *ret,
		   struct error *err);
};

/* ---- the commands ------------------------------------------------------ */

static int run_subscribe(struct session *s, json_object *line, struct outcome *ret,
			 struct error *err)
{
	int64_t count = evlog_count(conversation_log(s->c));
	int64_t since = js_int(line, "since", count - 1);

	if (since < -1 || since >= count)
		return fail(err, MT_EINVAL,
			    "no event %" PRId64 "; the log has %" PRId64
			    " events (use -1 for all of them)",
			    since, count);
	s->next = since + 1;
	s->live = js_bool(line, "live", false);
	s->state_due = true;
	s->questions_due = conversation_questions(s->c) != NULL;
	ret->events = count;
	return MT_OK;
}

static int run_message(struct session *s, json_object *line, struct outcome *ret,
		       struct error *err)
{
	json_object *text = js_get(line, "text"), *images = js_get(line, "images");
	size_t len = (size_t)json_object_get_string_len(text);
	int64_t id = evlog_count(conversation_log(s->c));
	int r;

	if (strspn(json_object_get_string(text), " \t\r\n") == len)
		return fail(err, MT_EINVAL, "the message is empty");
	r = conversation_say(s->c, json_object_get_string(text), len, images,
			     js_bool(line, "queue", false), err);
	ret->event = evlog_count(conversation_log(s->c)) > id ? id : -1;
	return r;
}

static int run_interrupt(struct session *s, json_object *line, struct outcome *ret,
			 struct error *err)
{
	(void)line, (void)ret;
	return conversation_interrupt(s->c, err);
}

static int run_withdraw(struct session *s, json_object *line, struct outcome *ret,
			struct error *err)
{
	(void)line, (void)ret;
	return conversation_withdraw(s->c, err);
}

static int protocol_input_run_btw(struct session *s, json_object *line,
				  struct outcome *ret, struct error *err)
{
	json_object *text = js_get(line, "text");
	size_t len = (size_t)json_object_get_string_len(text);

	(void)ret;
	if (strspn(json_object_get_string(text), " \t\r\n") == len)
		return fail(err, MT_EINVAL, "the question is empty");
	return conversation_ask_aside(s->c, json_object_get_string(text), len, err);
}

static int run_pause(struct session *s, json_object *line, struct outcome *ret,
		     struct error *err)
{
	(void)line, (void)ret;
	return conversation_pause(s->c, "paused by the user", err);
}

static int protocol_input_run_resume(struct session *s, json_object *line,
				     struct outcome *ret, struct error *err)
{
	(void)line, (void)ret;
	return conversation_continue(s->c, err);
}

static int run_stop(struct session *s, json_object *line, struct outcome *ret,
		    struct error *err)
{
	(void)line, (void)ret, (void)err;
	conversation_stop(s->c, "stopped by the user");
	if (s->options.stopped)
		s->options.stopped(s->options.arg);
	return MT_OK;
}

static int run_keep(struct session *s, json_object *line, struct outcome *ret,
		    struct error *err)
{
	(void)line, (void)ret, (void)err;
	if (s->options.keep)
		s->options.keep(s->options.arg);
	return MT_OK;
}

/* True if the answer is for the pending action. */
static bool answers_that(const struct conversation *c, json_object *line,
			 const char *child)
{
	AUTO(json) json_object *asks = child ? conversation_asks(c) : NULL;
	size_t count = asks ? json_object_array_length(asks) : 0;
	AUTO(json) json_object *waits = child ? NULL : conversation_waits(c);
	int64_t action = js_int(line, "action", -1);

	if (action < 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		json_object *one = json_object_array_get_idx(asks, i);

		if (strcmp(js_str(one, "conversation", ""), child) == 0)
			return js_int(one, "action", -1) == action;
	}
	return !child && js_int(waits, "action", -1) == action;
}

/* Answer an action of this conversation, or of a subagent that runs in parallel. */
static int protocol_input_answer(struct session *s, json_object *line,
				 const struct approval *a, struct error *err)
{
	const char *child = js_str(line, "conversation", NULL);

	if (child && strcmp(child, conversation_id(s->c)) == 0)
		child = NULL;
	if (!answers_that(s->c, line, child))
		return fail(err, MT_EINVAL,
			    "that action is no longer waiting for approval");
	return child ? conversation_confirm_child(s->c, child, a, err)
		     : conversation_confirm(s->c, a, err);
}

static int protocol_input_run_confirm(struct session *s, json_object *line,
				      struct outcome *ret, struct error *err)
{
	const char *keep = js_str(line, "keep", "conversation");
	const struct approval a = {
		.answer = js_bool(line, "always", false) ? ANSWER_ALWAYS : ANSWER_YES,
		.hash = js_str(line, "hash", NULL),
		.scope = js_int(line, "scope", -1),
		.project = strcmp(keep, "project") == 0,
		.arguments = js_get(line, "arguments"),
	};

	(void)ret;
	if (!a.project && strcmp(keep, "conversation") != 0)
		return fail(err, MT_EINVAL,
			    "confirm: `keep` must be conversation or "
			    "project, not `%.40s`",
			    keep);
	if (js_get(line, "scope") && a.scope < 0)
		return fail(err, MT_EINVAL,
			    "confirm: `scope` must be an index into "
			    "`scopes`");
	if (a.answer != ANSWER_ALWAYS && (a.project || js_get(line, "scope")))
		return fail(err, MT_EINVAL,
			    "confirm: `scope` and `keep` require "
			    "`always`");
	return protocol_input_answer(s, line, &a, err);
}

static int run_reject(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	const struct approval a = {
		.answer = ANSWER_NO,
		.hash = js_str(line, "hash", NULL),
		.reason = js_str(line, "reason", ""),
		.scope = -1,
	};

	(void)ret;
	return protocol_input_answer(s, line, &a, err);
}

static int run_action(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	ret->event = evlog_count(conversation_log(s->c));
	return conversation_action(s->c, js_get(line, "action"), err);
}

static int run_condense(struct session *s, json_object *line, struct outcome *ret,
			struct error *err)
{
	(void)line;
	ret->event = evlog_count(conversation_log(s->c));
	return conversation_condense(s->c, err);
}

static int run_undo(struct session *s, json_object *line, struct outcome *ret,
		    struct error *err)
{
	int r = conversation_take_back(s->c, js_int(line, "messages", 1),
				       js_bool(line, "files", true), &ret->text, err);

	ret->files = snapshots_take_report(s->c);
	return r;
}

static int run_rewind(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	int r = conversation_rewind(s->c, js_int(line, "to", -1),
				    js_bool(line, "files", true), &ret->to, err);

	ret->files = snapshots_take_report(s->c);
	return r;
}

static int protocol_input_run_recover(struct session *s, json_object *line,
				      struct outcome *ret, struct error *err)
{
	(void)ret;
	return loop_recovery_choose(s->c, js_int(line, "option", 0), err);
}

static int protocol_input_run_goal(struct session *s, json_object *line,
				   struct outcome *ret, struct error *err)
{
	return goal_set(s->c, js_str(line, "command", ""), &ret->text, err);
}

static int run_skills(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	(void)line;
	return conversation_tell(s->c, TELL_SKILLS, &ret->text, err);
}

static int run_answer(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	(void)ret;
	return conversation_answer(s->c, js_int(line, "question", -1),
				   js_str(line, "text", NULL), err);
}

static int run_input(struct session *s, json_object *line, struct outcome *ret,
		     struct error *err)
{
	json_object *text = js_get(line, "text");

	(void)ret;
	return conversation_input(s->c, json_object_get_string(text),
				  (size_t)json_object_get_string_len(text), err);
}

static int run_mcp(struct session *s, json_object *line, struct outcome *ret,
		   struct error *err)
{
	(void)line;
	ret->servers = true;
	return conversation_tell(s->c, TELL_SERVERS, &ret->text, err);
}

static int run_approvals(struct session *s, json_object *line, struct outcome *ret,
			 struct error *err)
{
	(void)s, (void)line, (void)err;
	ret->approvals = true;
	return MT_OK;
}

static int run_permissions(struct session *s, json_object *line, struct outcome *ret,
			   struct error *err)
{
	int r = permissions_change(s->c, js_get(line, "set"),
				   js_bool(line, "reset", false), err);

	if (r)
		return r;
	ret->text = permissions_table(s->c, err);
	return ret->text ? MT_OK : err->code;
}

static int run_revoke(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	(void)ret;
	return conversation_revoke(s->c, js_str(line, "text", ""), err);
}

static int run_status(struct session *s, json_object *line, struct outcome *ret,
		      struct error *err)
{
	(void)s, (void)line, (void)err;
	ret->facts = true;
	return MT_OK;
}

static const struct command commands[] = {
	{ "subscribe",
	  { { "since", json_type_int, false }, { "live", json_type_boolean, false } },
	  run_subscribe },
	{ "message",
	  { { "text", json_type_string, true },
	    { "images", json_type_array, false },
	    { "queue", json_type_boolean, false } },
	  run_message },
	{ "interrupt", { { 0 } }, run_interrupt },
	{ "withdraw", { { 0 } }, run_withdraw },
	{ "btw", { { "text", json_type_string, true } }, protocol_input_run_btw },
	{ "pause", { { 0 } }, run_pause },
	{ "resume", { { 0 } }, protocol_input_run_resume },
	{ "stop", { { 0 } }, run_stop },
	{ "keep_alive", { { 0 } }, run_keep },
	{ "keep", { { 0 } }, run_keep }, /* former name */
	{ "confirm",
	  { { "always", json_type_boolean, false },
	    { "hash", json_type_string, false },
	    { "scope", json_type_int, false },
	    { "keep", json_type_string, false },
	    { "arguments", json_type_object, false },
	    { "action", json_type_int, false },
	    { "conversation", json_type_string, false } },
	  protocol_input_run_confirm },
	{ "reject",
	  { { "reason", json_type_string, false },
	    { "hash", json_type_string, false },
	    { "action", json_type_int, false },
	    { "conversation", json_type_string, false } },
	  run_reject },
	{ "action", { { "action", json_type_object, true } }, run_action },
	{ "condense", { { 0 } }, run_condense },
	{ "undo",
	  { { "messages", json_type_int, false }, { "files", json_type_boolean, false } },
	  run_undo },
	{ "rewind",
	  { { "to", json_type_int, true }, { "files", json_type_boolean, false } },
	  run_rewind },
	{ "recover", { { "option", json_type_int, true } }, protocol_input_run_recover },
	{ "goal", { { "command", json_type_string, false } }, protocol_input_run_goal },
	{ "skills", { { 0 } }, run_skills },
	{ "answer",
	  { { "question", json_type_int, true }, { "text", json_type_string, false } },
	  run_answer },
	{ "input", { { "text", json_type_string, true } }, run_input },
	{ "mcp", { { 0 } }, run_mcp },
	{ "approvals", { { 0 } }, run_approvals },
	{ "permissions",
	  { { "set", json_type_array, false }, { "reset", json_type_boolean, false } },
	  run_permissions },
	{ "revoke", { { "text", json_type_string, true } }, run_revoke },
	{ "status", { { 0 } }, run_status },
};

/* ---- checking a line --------------------------------------------------- */

static int protocol_input_find_command(const char *name, const struct command **ret,
				       struct error *err)
{
	AUTO(strbuf) struct strbuf all = STRBUF(1024);
	const char *names[ARRAY_LEN(commands)], *near;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			*ret = &commands[i];
			return MT_OK;
		}
		names[i] = commands[i].name;
	}
	near = option_suggest(name, names, ARRAY_LEN(names));
	if (near)
		return fail(err, MT_EINVAL, "unknown command `%.64s`; did you mean `%s`?",
			    name, near);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	return fail(err, MT_EINVAL, "unknown command `%.64s`; use one of %s", name,
		    all.text);
}

static const struct member *find_member(const struct command *c, const char *name)
{
	for (size_t i = 0; i < MEMBERS_MAX && c->members[i].name; i++)
		if (strcmp(c->members[i].name, name) == 0)
			return &c->members[i];
	return NULL;
}

static const char *protocol_input_type_name(json_type type)
{
	switch (type) {
	case json_type_int:
		return "an integer";
	case json_type_boolean:
		return "true or false";
	case json_type_string:
		return "a string";
	case json_type_object:
		return "an object";
	case json_type_array:
		return "a list";
	case json_type_null:
	case json_type_double:
		break;
	}
	return "something else";
}

static int check_members(const struct command *c, json_object *line, struct error *err)
{
	json_object_object_foreach(line, name, value) {
		const struct member *m = find_member(c, name);

		if (strcmp(name, "type") == 0 || strcmp(name, "id") == 0)
			continue;
		if (!m)
			return fail(err, MT_EINVAL, "%s: unknown member `%.64s`", c->name,
				    name);
		if (!json_object_is_type(value, m->type) && (value || m->required))
			return fail(err, MT_EINVAL, "%s: `%s` must be %s", c->name,
				    m->name, protocol_input_type_name(m->type));
	}
	for (size_t i = 0; i < MEMBERS_MAX && c->members[i].name; i++)
		if (c->members[i].required && !js_get(line, c->members[i].name))
			return fail(err, MT_EINVAL, "%s: `%s` is missing", c->name,
				    c->members[i].name);
	return MT_OK;
}

static int check_id(json_object *id, struct error *err)
{
	size_t len = 0;

	if (!id || json_object_is_type(id, json_type_int))
		return MT_OK;
	if (json_object_is_type(id, json_type_string))
		js_text(id, &len);
	return len > 0 && len <= ID_MAX
		       ? MT_OK
		       : fail(err, MT_EINVAL,
			      "`id` must be an integer or a string of at most "
			      "%d bytes",
			      ID_MAX - 2);
}

/* ---- the result -------------------------------------------------------- */

/* Append the approvals of this conversation, as text for the user. */
static void put_approvals(struct strbuf *b, const struct conversation *c)
{
	AUTO(json) json_object *list = conversation_approvals(c);
	size_t count = list ? json_object_array_length(list) : 0;

	js_key(b, "approvals");
	strbuf_addc(b, '[');
	for (size_t i = 0; i < count; i++) {
		strbuf_add(b, i ? ",{" : "{");
		js_key_str(b, "text",
			   js_str(json_object_array_get_idx(list, i), "text", ""));
		strbuf_addc(b, '}');
	}
	strbuf_addc(b, ']');
}

static void protocol_input_put_result(struct session *s, json_object *id,
				      const struct outcome *o, const struct error *err)
{
	session_begin_line(s, "result");
	if (id) {
		js_key(&s->out, "id");
		js_put(&s->out, id);
	}
	js_key_bool(&s->out, "ok", err->code == MT_OK);
	if (err->code) {
		js_key_str(&s->out, "error", err->text);
		js_key_str(&s->out, "code", status_name(err->code));
	}
	if (!err->code && o->event >= 0)
		js_key_int(&s->out, "event", o->event);
	if (!err->code && o->events >= 0)
		js_key_int(&s->out, "events", o->events);
	if (!err->code && o->to >= 0)
		js_key_int(&s->out, "to", o->to);
	if (!err->code && o->text)
		js_key_str(&s->out, "text", o->text);
	if (!err->code && o->files)
		js_key_str(&s->out, "files", o->files);
	if (!err->code && o->servers) {
		AUTO(json) json_object *servers = conversation_servers(s->c);

		js_key(&s->out, "servers");
		js_put(&s->out, servers);
	}
	if (!err->code && o->approvals)
		put_approvals(&s->out, s->c);
	if (!err->code && o->facts)
		session_put_facts(&s->out, s->c);
	session_end_line(s);
}

static int protocol_input_run(struct session *s, json_object *line, struct outcome *o,
			      struct error *err)
{
	json_object *type = js_get(line, "type");
	const struct command *c = NULL;

	if (!json_object_is_type(type, json_type_string))
		return fail(err, MT_EINVAL,
			    "a command must be {\"type\": NAME, ...}; `type` is %s",
			    type ? "not a string" : "missing");
	if (protocol_input_find_command(json_object_get_string(type), &c, err) ||
	    check_members(c, line, err) || c->run(s, line, o, err))
		return err->code;
	return evlog_barrier(conversation_log(s->c), err);
}

void session_command_line(struct session *s, char *text, size_t len)
{
	struct error err = ERROR_NONE;
	struct outcome o = { .event = -1, .events = -1, .to = -1 };
	AUTO(json) json_object *line = NULL;
	json_object *id = NULL;

	if (strspn(text, " \t") == len)
		return;
	line = js_parse_object(text, len, &err);
	id = js_get(line, "id");
	if (line && check_id(id, &err))
		id = NULL;
	else if (line)
		protocol_input_run(s, line, &o, &err);
	protocol_input_put_result(s, id, &o, &err);
	free(o.text);
	free(o.files);
	session_pump(s);
}
