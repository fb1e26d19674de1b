/* SPDX-License-Identifier: MIT
 *
 * protocol-output.c - writes events and other protocol lines to a client. */
#include "frontends/protocol-internal.h"

#include <config.h>
#include <inttypes.h>
#include <string.h>

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

enum {
	OUT_MAX = 320 << 20,  /* one line of the log and the lines held before it */
	OUT_KEEP = 128 << 10, /* reused memory */
};

/* ---- lines ------------------------------------------------------------- */

void session_begin_line(struct session *s, const char *type)
{
	strbuf_addc(&s->out, '{');
	js_key_str(&s->out, "type", type);
}

void session_end_line(struct session *s)
{
	strbuf_add(&s->out, "}\n");
	if (s->options.ready && !s->pumping)
		s->options.ready(s->options.arg);
}

static bool subscribed(const struct session *s)
{
	return s->next >= 0;
}

/* True if events remain in the log because the client reads too slowly. */
static bool behind(const struct session *s)
{
	return s->out.len >= SESSION_QUEUE || s->held ||
	       (subscribed(s) && s->next < evlog_count(conversation_log(s->c)));
}

/* Start a line that may be dropped, if the client keeps up. */
static bool begin_passing(struct session *s, const char *type)
{
	if (!subscribed(s) || s->ended)
		return false;
	if (behind(s)) {
		s->lost++;
		return false;
	}
	session_begin_line(s, type);
	return true;
}

/* The action that requires approval. */
static void put_waiting(struct strbuf *b, struct conversation *c)
{
	AUTO(json) json_object *waits = conversation_waits(c);
	AUTO(json) json_object *asks = conversation_asks(c);

	if (asks) {
		js_key(b, "asks");
		js_put(b, asks);
	}
	if (waits) {
		js_key(b, "waits");
		js_put(b, waits);
	}
}

void session_put_facts(struct strbuf *b, struct conversation *c)
{
	enum agent_state state = conversation_state(c);

	js_key_str(b, "conversation", conversation_id(c));
	js_key_str(b, "workspace", conversation_workspace(c));
	js_key_str(b, "title", conversation_title(c));
	if (*conversation_parent(c))
		js_key_str(b, "parent", conversation_parent(c));
	js_key_str(b, "state", state_name(state));
	js_key_str(b, "reason", conversation_reason(c));
	js_key_bool(b, "busy", conversation_busy(c));
	js_key_int(b, "events", evlog_count(conversation_log(c)));
	js_key_int(b, "steps", conversation_steps(c));
	js_key_int(b, "pid", getpid());
	if (state_is_resting(state))
		js_key_int(b, "exit_code", conversation_exit_code(c));
	put_waiting(b, c);
}

static void put_hello(struct session *s)
{
	session_begin_line(s, "hello");
	js_key_int(&s->out, "protocol", PROTOCOL_VERSION);
	js_key_str(&s->out, "version", VERSION);
	session_put_facts(&s->out, s->c);
	session_end_line(s);
}

static void protocol_output_put_state(struct session *s, const char *type)
{
	enum agent_state state = conversation_state(s->c);

	session_begin_line(s, type);
	js_key_str(&s->out, "state", state_name(state));
	js_key_str(&s->out, "reason", conversation_reason(s->c));
	if (s->ending)
		js_key_int(&s->out, "exit_code", s->exit_code);
	else if (state_is_resting(state))
		js_key_int(&s->out, "exit_code", conversation_exit_code(s->c));
	put_waiting(&s->out, s->c);
	if (s->ending) {
		js_key(&s->out, "models");
		llm_usage_totals_put_json(conversation_bill(s->c), &s->out);
	}
	session_end_line(s);
}

static void protocol_output_put_notice(struct session *s, int level, const char *text)
{
	session_begin_line(s, "notice");
	js_key_str(&s->out, "level",
		   level <= MT_LOG_ERROR     ? "error"
		   : level <= MT_LOG_WARNING ? "warning"
					     : "info");
	js_key_str(&s->out, "text", text);
	session_end_line(s);
}

/* ---- events ------------------------------------------------------------ */

static int protocol_output_put_event(struct session *s, int64_t id, struct error *err)
{
	struct evlog *log = conversation_log(s->c);

	return evlog_head(log, id)->undone ? MT_OK : evlog_line(log, id, &s->out, err);
}

static void put_next(struct session *s)
{
	struct error err = ERROR_NONE;
	size_t start = s->out.len;

	if (protocol_output_put_event(s, s->next, &err)) {
		if (s->out.error)
			s->out.error = MT_OK;
		strbuf_cut(&s->out, start);
		protocol_output_put_notice(s, MT_LOG_ERROR, err.text);
	}
	s->next++;
}

static void put_lost(struct session *s)
{
	char text[128];

	snprintf(text, sizeof text,
		 "%zu line%s other than events %s dropped because the client reads too "
		 "slowly",
		 s->lost, s->lost == 1 ? "" : "s", s->lost == 1 ? "was" : "were");
	s->lost = 0;
	protocol_output_put_notice(s, MT_LOG_WARNING, text);
}

static void put_questions(struct session *s)
{
	bool first = true;

	session_begin_line(s, "questions");
	js_key(&s->out, "open");
	strbuf_addc(&s->out, '[');
	for (const struct question *q = conversation_questions(s->c); q; q = q->next) {
		strbuf_add(&s->out, first ? "{" : ",{");
		js_key_int(&s->out, "question", q->id);
		if (q->action >= 0)
			js_key_int(&s->out, "action", q->action);
		js_key_str(&s->out, "text", q->text);
		if (q->choices) {
			js_key(&s->out, "choices");
			js_put(&s->out, q->choices);
		}
		strbuf_addc(&s->out, '}');
		first = false;
	}
	strbuf_addc(&s->out, ']');
	session_end_line(s);
}

static void put_due(struct session *s)
{
	if (behind(s) || s->ended)
		return;
	if (s->lost)
		put_lost(s);
	if (s->state_due && !s->ending)
		protocol_output_put_state(s, "state");
	s->state_due = false;
	if (s->questions_due && !s->ending)
		put_questions(s);
	s->questions_due = false;
	if (s->ending) {
		protocol_output_put_state(s, "end");
		s->ended = true;
	}
}

void session_pump(struct session *s)
{
	int64_t count = evlog_count(conversation_log(s->c));
	size_t before = s->out.len;

	if (s->pumping)
		return;
	s->pumping = true;
	while (subscribed(s) && s->out.len < SESSION_QUEUE &&
	       (s->held || s->next < count))
		if (!held_put(s))
			put_next(s);
	put_due(s);
	s->pumping = false;
	if (s->out.len > before && s->options.ready)
		s->options.ready(s->options.arg);
}

/* ---- notifications of the conversation --------------------------------- */

static void protocol_output_on_event(void *arg, const struct event *e)
{
	(void)e;
	session_pump(arg);
}

static void protocol_output_on_state(void *arg, enum agent_state state,
				     const char *reason)
{
	struct session *s = arg;

	(void)state, (void)reason;
	if (!subscribed(s))
		return;
	s->state_due = true;
	session_pump(s);
}

static void protocol_output_put_questions_soon(struct session *s)
{
	if (!subscribed(s))
		return;
	s->questions_due = true;
	session_pump(s);
}

static void protocol_output_on_delta(void *arg, bool reasoning, const char *text,
				     size_t len)
{
	struct session *s = arg;

	if (!s->live || !subscribed(s) || s->ended)
		return;
	if (behind(s)) {
		s->lost += !held_delta(s, reasoning, text, len);
		return;
	}
	session_begin_line(s, "delta");
	js_key_strn(&s->out, "text", text, len);
	js_key_bool(&s->out, "reasoning", reasoning);
	session_end_line(s);
}

static void protocol_output_on_output(void *arg, int64_t action, const char *bytes,
				      size_t len)
{
	struct session *s = arg;

	if (!s->live || !begin_passing(s, "output"))
		return;
	js_key_int(&s->out, "action", action);
	js_key_strn(&s->out, "text", bytes, len);
	session_end_line(s);
}

static void protocol_output_put_number(struct strbuf *b, const char *name, double value)
{
	AUTO(json) json_object *number = js_new_number(value);

	js_key(b, name);
	js_put(b, number);
}

static void protocol_output_on_progress(void *arg, int64_t action, double done,
					double total, const char *message)
{
	struct session *s = arg;

	if (!s->live || !begin_passing(s, "progress"))
		return;
	js_key_int(&s->out, "action", action);
	protocol_output_put_number(&s->out, "done", done);
	protocol_output_put_number(&s->out, "total", total);
	js_key_str(&s->out, "message", message ? message : "");
	session_end_line(s);
}

/* End a line that is sent after the deltas of the reply. */
static void end_waiting(struct session *s, size_t start, bool waits)
{
	if (!waits) {
		session_end_line(s);
		return;
	}
	strbuf_add(&s->out, "}\n");
	s->lost += !held_line(s, start);
}

static void protocol_output_on_retry(void *arg, const struct llm_error *why,
				     int64_t wait_ms)
{
	struct session *s = arg;
	size_t start = s->out.len;
	bool waits;

	if (!subscribed(s) || s->ended)
		return;
	waits = behind(s);
	session_begin_line(s, "retry");
	js_key_str(&s->out, "error", why->text);
	js_key_str(&s->out, "kind", llm_error_name(why->kind));
	js_key_int(&s->out, "attempts", why->attempts);
	js_key_int(&s->out, "wait_ms", wait_ms);
	end_waiting(s, start, waits);
}

static void on_reply(void *arg, const struct llm_reply *reply)
{
	const struct llm_usage *u = &reply->usage;
	struct session *s = arg;
	size_t start = s->out.len;
	bool waits;
	const struct {
		const char *name;
		int64_t value;
	} counts[] = {
		{ "input", u->input },           { "output", u->output },
		{ "cache_read", u->cache_read }, { "cache_write", u->cache_write },
		{ "reasoning", u->reasoning },
	};

	if (!subscribed(s) || s->ended)
		return;
	waits = behind(s);
	session_begin_line(s, "reply");
	js_key_str(&s->out, "response_id", reply->response_id ? reply->response_id : "");
	js_key_str(&s->out, "model", reply->model ? reply->model : "");
	js_key_int(&s->out, "latency_ms", reply->latency_ms);
	js_key(&s->out, "usage");
	strbuf_addc(&s->out, '{');
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (counts[i].value >= 0)
			js_key_int(&s->out, counts[i].name, counts[i].value);
	if (u->cost >= 0)
		protocol_output_put_number(&s->out, "cost", u->cost);
	strbuf_addc(&s->out, '}');
	end_waiting(s, start, waits);
}

/* Never dropped: it withdraws what the client was shown. */
static void protocol_output_on_rewound(void *arg, int64_t to)
{
	struct session *s = arg;

	if (!subscribed(s) || s->ended)
		return;
	session_begin_line(s, "rewind");
	js_key_int(&s->out, "to", to);
	session_end_line(s);
}

static void protocol_output_on_notice(void *arg, int level, const char *text)
{
	struct session *s = arg;

	if (!subscribed(s) || s->ended || level > MT_LOG_INFO)
		return;
	if (behind(s))
		s->lost++;
	else
		protocol_output_put_notice(s, level, text);
}

static void put_side_answer(struct session *s, const struct side_answer *answer)
{
	if (!subscribed(s) || s->ended)
		return;
	session_begin_line(s, "side_answer");
	js_key_str(&s->out, "question", answer->question);
	js_key_str(&s->out, answer->failed ? "error" : "text", answer->text);
	session_end_line(s);
}

static void protocol_output_on_published(void *arg, const char *topic, const void *data)
{
	if (topic == topic_side_answer)
		put_side_answer(arg, data);
	else if (topic == topic_questions)
		protocol_output_put_questions_soon(arg);
	else if (topic == topic_asks)
		protocol_output_on_state(arg, STATE_RUNNING, "");
}

/* ---- the session ------------------------------------------------------- */

static int protocol_output_on_line(char *line, size_t len, void *arg)
{
	struct session *s = arg;

	if (!s->ended)
		session_command_line(s, line, len);
	return MT_OK;
}

struct session *session_new(struct conversation *c, const struct session_options *o)
{
	static const struct watcher watcher = {
		.event = protocol_output_on_event,
		.delta = protocol_output_on_delta,
		.output = protocol_output_on_output,
		.progress = protocol_output_on_progress,
		.retry = protocol_output_on_retry,
		.state = protocol_output_on_state,
		.rewound = protocol_output_on_rewound,
		.reply = on_reply,
		.notice = protocol_output_on_notice,
		.published = protocol_output_on_published,
	};
	struct session *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->c = c;
	s->options = *o;
	s->next = o->from;
	s->live = o->live;
	s->out = STRBUF(OUT_MAX);
	jsonl_init(&s->lines, COMMAND_LINE_MAX, protocol_output_on_line, s);
	s->watch = conversation_watch(c, &watcher, s);
	if (s->watch < 0) {
		free(s);
		return NULL;
	}
	s->options.ready = NULL; /* the session does not exist yet */
	put_hello(s);
	s->options.ready = o->ready;
	return s->out.error ? session_free(s) : s;
}

struct session *session_free(struct session *s)
{
	if (s) {
		conversation_unwatch(s->c, s->watch);
		held_clear(s);
		jsonl_done(&s->lines);
		strbuf_clear(&s->out);
		free(s);
	}
	return NULL;
}

int session_feed(struct session *s, const char *bytes, size_t len)
{
	bool failed = s->lines.error != MT_OK;
	int status = jsonl_feed(&s->lines, bytes, len);

	if (!failed && status == MT_ELIMIT && !s->ended)
		protocol_output_put_notice(
			s, MT_LOG_ERROR,
			"a command line is longer than 24 MiB; further commands of "
			"this client are ignored");
	return status;
}

/* If out of memory, the whole line is dropped. */
static void drop_torn(struct session *s)
{
	char *last = memrchr(s->out.text, '\n', s->out.len);

	strbuf_cut(&s->out, last ? (size_t)(last - s->out.text) + 1 : 0);
	s->out.error = MT_OK;
	s->lost++;
}

bool session_take(struct session *s, struct strbuf *ret)
{
	struct strbuf taken;

	session_pump(s);
	if (s->out.error)
		drop_torn(s);
	taken = s->out;
	if (taken.len == 0) {
		strbuf_clear(&s->out);
		return false;
	}
	if (ret->room > OUT_KEEP)
		strbuf_clear(ret);
	strbuf_reset(ret);
	s->out = *ret;
	s->out.max = OUT_MAX;
	*ret = taken;
	return true;
}

size_t session_waiting(const struct session *s)
{
	return s->out.len;
}

void session_end(struct session *s, int exit_code)
{
	s->ending = true;
	s->exit_code = exit_code;
	session_pump(s);
}
