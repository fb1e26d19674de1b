/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-advance.h - tests agents, condensers, analyzers and runtimes: shared
 * by harness-agent.h, harness-condenser.h, harness-analyzer.h and harness-runtime.h. A
 * test gives a component events, options and replies of a model, and compares its output.
 *
 * A test is compiled with the source of the plugin and without Mortise. The harness ends
 * the program with a message where the test itself is wrong, or out of memory. It does not
 * decide what the host would do with a result. Not part of the ABI. C only. */
#ifndef MORTISE_HARNESS_ADVANCE_H
#define MORTISE_HARNESS_ADVANCE_H

#ifdef MORTISE_HARNESS_DIALECT_H
#error "test dialects in a program of their own: they see another struct mt_request"
#endif

#include <mortise/advance.h>
#include <mortise/harness-base.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

/** An event of the view. The test sets the members. */
struct mt_event {
	int64_t id, cause;      /* cause: id of the action that it answers; -1: none */
	int is_action, pinned;
	int joined;             /* the view may not be cut before it */
	const char *type, *source; /* "run", "agent" */
	const char *text;       /* as a model would read it */
	const char *reply;      /* id of the response that it came from; "": none */
	const char *shown;      /* what masks it, or a summary; NULL: it shows itself */
	int is_summary;         /* a place without an event */
	struct mt_harness_pair *fields;
	struct mt_event *next;
};

struct mt_request {
	struct mt_ctx *ctx;
};

struct mt_reply {
	struct mt_str text;
	struct mt_harness_pair *calls;
};

/** A component under test. The test reads and sets the members of the first three
 *  groups; texts that it sets are not copied. */
struct mt_ctx {
	/* -- what the last call did -- */
	char *done;          /* what it put out and asked for, a line each: see below */
	char *error;         /* the sentence of `refuse`; NULL: it did not refuse */
	int risk, deny;      /* of the verdict of an analyzer; -1: unknown */
	int effects;         /* how many it asked for since the start */

	/* -- what the next call sees -- */
	char *state;         /* what it kept; NULL: nothing */
	int http_status;     /* that host->http returns; 0, at first: the request is sent */
	int64_t view_tokens, window_tokens; /* -1, at first: unknown */
	int requested;       /* a condensation is */
	FILE *log;           /* NULL, at first: messages are dropped */

	/* -- the action that an analyzer is asked about -- */
	const char *tool, *arguments, *thought, *reasoning, *workspace, *directory;
	const char *const *roots; /* more directories, up to NULL; NULL: none */
	uint32_t hints;
	int said, trusted;
	const struct mt_event *action;

	/* -- the rest belongs to the harness -- */
	const struct mt_component *component;
	struct mt_harness_pair *options, *prompts, *texts, *blobs;
	struct mt_event *events;
	struct mt_request request;
	struct mt_reply reply;
	int (*advance)(struct mt_ctx *h, const struct mt_in *in);
	void (*close)(struct mt_ctx *h); /* may be NULL */
	void *instance;
	int opened;
};

/* Lines of `done`:
 *   request | history | message ROLE TEXT | tool NAME (*: all) | set NAME JSON |
 *   define NAME SCHEMA | media ID | send | keep TEXT
 *   http METHOD URL | header LINE | body TEXT | body blob NAME (what follows an http)
 *   call N | action TYPE JSON | say TEXT | ask TEXT (the user is waited for) | report TEXT
 *   drop PLACE COUNT | mask PLACE TEXT | forget PLACES at OFFSET: SUMMARY
 *   verdict RISK DENY RULE: REASON | rule RISK DENY NAME TEXT: REASON
 *   arg TEXT | env NAME=VALUE | workspace PATH */

/* ---- what the test gives ------------------------------------------------------------ */

/* For mt_agent_open, mt_condenser_open, mt_analyzer_open and mt_runtime_open. */
static inline struct mt_ctx *mt_advance_open(const struct mt_plugin *plugin,
					     uint32_t kind, const char *name,
					     int (*advance)(struct mt_ctx *h,
							    const struct mt_in *in))
{
	struct mt_ctx *h = (struct mt_ctx *)mt_harness_memory(calloc(1, sizeof *h));

	h->component = mt_harness_component(plugin, kind, name);
	h->advance = advance;
	h->done = mt_harness_copy("", 0);
	h->view_tokens = h->window_tokens = -1;
	h->risk = h->said = -1;
	h->tool = "";
	h->arguments = "{}";
	h->request.ctx = h;
	return h;
}

/** Set an option. */
static inline void mt_advance_option(struct mt_ctx *h, const char *name,
				     const char *value)
{
	mt_harness_set(&h->options, name, value, strlen(value));
}

/** The text of a template: for the agent, "[NAME]" by default. */
static inline void mt_advance_prompt(struct mt_ctx *h, const char *name, const char *text)
{
	mt_harness_set(&h->prompts, name, text, strlen(text));
}

static inline struct mt_event *mt_advance_event(struct mt_ctx *h, const char *type,
						const char *source)
{
	struct mt_event *e = (struct mt_event *)mt_harness_memory(calloc(1, sizeof *e));
	struct mt_event **end = &h->events;

	for (; *end; end = &(*end)->next)
		e->id++;
	*end = e;
	e->type = type;
	e->source = source;
	e->text = e->reply = "";
	e->cause = -1;
	return e;
}

/** Append an action to the view. */
static inline struct mt_event *mt_advance_action(struct mt_ctx *h, const char *type,
						 const char *source, const char *text)
{
	struct mt_event *e = mt_advance_event(h, type, source);

	e->is_action = 1;
	e->text = text;
	return e;
}

/** Append an observation that answers `action`. */
static inline struct mt_event *mt_advance_observation(struct mt_ctx *h,
						      const struct mt_event *action,
						      const char *text)
{
	struct mt_event *e = mt_advance_event(h, action->type, "environment");

	e->cause = action->id;
	e->text = text;
	return e;
}

/** Set a field of an event: ("args.command", "ls"). */
static inline void mt_advance_field(struct mt_event *e, const char *path,
				    const char *text)
{
	mt_harness_set(&e->fields, path, text, strlen(text));
}

/** The text of the next reply of the model. */
static inline void mt_advance_reply(struct mt_ctx *h, const char *text)
{
	h->reply.text = mt_harness_str(text);
}

/** Append a tool call to it. `args`: a JSON object. */
static inline void mt_advance_reply_call(struct mt_ctx *h, const char *name,
					 const char *args)
{
	mt_harness_add(&h->reply.calls, name, MT_OK, args, strlen(args));
}

/** The bytes of a blob, for host->blob. */
static inline void mt_advance_blob(struct mt_ctx *h, const char *name, const void *bytes,
				   size_t len)
{
	mt_harness_set(&h->blobs, name, (const char *)bytes, len);
}

/* ---- services ------------------------------------------------------------------------- */

static inline const char *mt_advance_get_option(struct mt_ctx *h, const char *name)
{
	return mt_harness_value(h->component, h->options, name);
}

static inline int64_t mt_advance_option_int(struct mt_ctx *h, const char *name)
{
	return mt_harness_number(mt_advance_get_option(h, name));
}

static inline const char *mt_advance_option_at(struct mt_ctx *h, size_t n,
					       const char **ret_value)
{
	struct mt_harness_pair *pair = h->options;

	while (pair && n-- > 0)
		pair = pair->next;
	if (pair)
		*ret_value = pair->text;
	return pair ? pair->name : NULL;
}

MT_PRINTF(3, 4)
static inline void mt_advance_log(struct mt_ctx *h, int level, const char *fmt, ...)
{
	va_list ap;

	if (!h->log)
		return;
	fprintf(h->log, "log %d: ", level);
	va_start(ap, fmt);
	vfprintf(h->log, fmt, ap);
	va_end(ap);
	fputc('\n', h->log);
}

static inline void mt_advance_log_text(struct mt_ctx *h, int level, struct mt_str text)
{
	mt_advance_log(h, level, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

/* The event or summary at a place; NULL past the end. */
static inline const struct mt_event *mt_advance_place(struct mt_ctx *h, size_t place)
{
	const struct mt_event *e = h->events;

	while (e && place-- > 0)
		e = e->next;
	return e;
}

static inline size_t mt_advance_view_count(struct mt_ctx *h)
{
	size_t count = 0;

	for (const struct mt_event *e = h->events; e; e = e->next)
		count++;
	return count;
}

static inline const struct mt_event *mt_advance_view_at(struct mt_ctx *h, size_t place)
{
	const struct mt_event *e = mt_advance_place(h, place);

	return e && !e->is_summary ? e : NULL;
}

static inline int64_t mt_advance_event_id(const struct mt_event *e)
{
	return e->id;
}

static inline int mt_advance_event_is_action(const struct mt_event *e)
{
	return e->is_action;
}

static inline const char *mt_advance_event_type(const struct mt_event *e)
{
	return e->type;
}

static inline const char *mt_advance_event_source(const struct mt_event *e)
{
	return e->source;
}

static inline int64_t mt_advance_event_cause(const struct mt_event *e)
{
	return e->cause;
}

static inline struct mt_str mt_advance_event_field(const struct mt_event *e,
						   const char *path)
{
	struct mt_harness_pair *pair = mt_harness_find(e->fields, path);

	return mt_harness_str(pair ? pair->text : NULL);
}

static inline struct mt_str mt_advance_event_text(struct mt_ctx *h,
						  const struct mt_event *e)
{
	(void)h;
	return mt_harness_str(e->text);
}

static inline const char *mt_advance_event_reply(const struct mt_event *e)
{
	return e->reply;
}

static inline struct mt_request *mt_advance_request(struct mt_ctx *h)
{
	mt_harness_put(&h->done, "request\n");
	return &h->request;
}

static inline int mt_advance_history(struct mt_request *r)
{
	mt_harness_put(&r->ctx->done, "history\n");
	return MT_OK;
}

static inline int mt_advance_message(struct mt_request *r, int role, struct mt_str text)
{
	static const char *const roles[] = { "", "system", "user", "assistant", "tool" };

	if (role < MT_ROLE_SYSTEM || role > MT_ROLE_TOOL)
		return MT_EINVAL;
	mt_harness_put(&r->ctx->done, "message %s %.*s\n", roles[role], (int)text.len,
		       text.ptr ? text.ptr : "");
	return MT_OK;
}

static inline int mt_advance_request_tool(struct mt_request *r, const char *name)
{
	mt_harness_put(&r->ctx->done, "tool %s\n", name ? name : "*");
	return MT_OK;
}

static inline int mt_advance_set(struct mt_request *r, const char *name,
				 struct mt_str json)
{
	mt_harness_put(&r->ctx->done, "set %s %.*s\n", name, (int)json.len, json.ptr);
	return MT_OK;
}

static inline int mt_advance_define(struct mt_request *r, const char *name,
				    struct mt_str description, struct mt_str schema)
{
	(void)description;
	mt_harness_put(&r->ctx->done, "define %s %.*s\n", name, (int)schema.len,
		       schema.ptr);
	return MT_OK;
}

static inline int mt_advance_media(struct mt_request *r, const struct mt_event *e)
{
	mt_harness_put(&r->ctx->done, "media %lld\n", (long long)e->id);
	return MT_OK;
}

static inline struct mt_str mt_advance_reply_text(const struct mt_reply *reply)
{
	return reply->text;
}

static inline size_t mt_advance_reply_calls(const struct mt_reply *reply)
{
	size_t count = 0;

	for (const struct mt_harness_pair *call = reply->calls; call; call = call->next)
		count++;
	return count;
}

static inline const struct mt_harness_pair *mt_advance_nth_call(
	const struct mt_reply *reply, size_t n)
{
	const struct mt_harness_pair *call = reply->calls;

	while (call && n-- > 0)
		call = call->next;
	return call;
}

static inline struct mt_str mt_advance_call_name(const struct mt_reply *reply, size_t n)
{
	const struct mt_harness_pair *call = mt_advance_nth_call(reply, n);

	return mt_harness_str(call ? call->name : NULL);
}

static inline struct mt_str mt_advance_call_args(const struct mt_reply *reply, size_t n)
{
	const struct mt_harness_pair *call = mt_advance_nth_call(reply, n);

	return mt_harness_str(call ? call->text : NULL);
}

static inline int mt_advance_send(struct mt_ctx *h, struct mt_request *r)
{
	(void)r;
	mt_harness_put(&h->done, "send\n");
	return ++h->effects;
}

static inline void mt_advance_put_headers(struct mt_ctx *h, struct mt_str lines)
{
	while (lines.len) {
		const char *end = (const char *)memchr(lines.ptr, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.ptr) : lines.len;

		mt_harness_put(&h->done, "header %.*s\n", (int)len, lines.ptr);
		lines.ptr += end ? len + 1 : len;
		lines.len -= end ? len + 1 : len;
	}
}

static inline int mt_advance_http(struct mt_ctx *h, const struct mt_http_request *r)
{
	int has_body = r->body.ptr || r->body_blob;

	if (h->http_status)
		return h->http_status;
	if (r->body_blob && !mt_harness_find(h->blobs, r->body_blob))
		return MT_ENOTFOUND;
	mt_harness_put(&h->done, "http %s %s\n",
		       r->method  ? r->method
		       : has_body ? "POST"
				  : "GET",
		       r->url ? r->url : "");
	mt_advance_put_headers(h, r->headers);
	if (r->body_blob)
		mt_harness_put(&h->done, "body blob %s\n", r->body_blob);
	else if (r->body.ptr)
		mt_harness_put(&h->done, "body %.*s\n", (int)r->body.len, r->body.ptr);
	return ++h->effects;
}

static inline int mt_advance_get_blob(struct mt_ctx *h, const char *name,
				      struct mt_str *ret)
{
	const struct mt_harness_pair *pair = mt_harness_find(h->blobs, name);

	if (!pair)
		return MT_ENOTFOUND;
	ret->ptr = pair->text;
	ret->len = pair->len;
	return MT_OK;
}

static inline int mt_advance_keep(struct mt_ctx *h, struct mt_str state)
{
	if (state.len > MT_STATE_MAX)
		return MT_ELIMIT;
	free(h->state);
	h->state = mt_harness_copy(state.ptr, state.len);
	mt_harness_put(&h->done, "keep %s\n", h->state);
	return MT_OK;
}

static inline int mt_advance_get_prompt(struct mt_ctx *h, const char *name,
					struct mt_str data, struct mt_str *ret_text)
{
	struct mt_harness_pair *pair = mt_harness_find(h->prompts, name);
	char *text = NULL;

	(void)data;
	if (!pair) {
		mt_harness_put(&text, "[%s]", name);
		mt_advance_prompt(h, name, text);
		free(text);
		pair = mt_harness_find(h->prompts, name);
	}
	*ret_text = mt_harness_str(pair->text);
	return MT_OK;
}

static inline void mt_advance_set_error(struct mt_ctx *h, const char *fmt, va_list ap)
{
	free(h->error);
	h->error = mt_harness_format(fmt, ap);
}

MT_PRINTF(2, 3)
static inline void mt_advance_refuse(struct mt_ctx *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	mt_advance_set_error(h, fmt, ap);
	va_end(ap);
}

static inline void mt_advance_refuse_text(struct mt_ctx *h, struct mt_str text)
{
	mt_advance_refuse(h, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

/** The services that every kind is given. */
static inline const struct mt_host *mt_advance_host(void)
{
	static const struct mt_host host = {
		.size = sizeof host,
		.option = mt_advance_get_option,
		.option_int = mt_advance_option_int,
		.log = mt_advance_log,
		.view_count = mt_advance_view_count,
		.view_at = mt_advance_view_at,
		.event_id = mt_advance_event_id,
		.event_is_action = mt_advance_event_is_action,
		.event_type = mt_advance_event_type,
		.event_source = mt_advance_event_source,
		.event_cause = mt_advance_event_cause,
		.event_field = mt_advance_event_field,
		.event_text = mt_advance_event_text,
		.event_reply = mt_advance_event_reply,
		.request = mt_advance_request,
		.request_history = mt_advance_history,
		.request_message = mt_advance_message,
		.request_tool = mt_advance_request_tool,
		.request_set = mt_advance_set,
		.reply_text = mt_advance_reply_text,
		.reply_calls = mt_advance_reply_calls,
		.reply_call_name = mt_advance_call_name,
		.reply_call_args = mt_advance_call_args,
		.send = mt_advance_send,
		.keep = mt_advance_keep,
		.prompt = mt_advance_get_prompt,
		.option_at = mt_advance_option_at,
		.request_define_tool = mt_advance_define,
		.refuse = mt_advance_refuse,
		.request_media = mt_advance_media,
		.http = mt_advance_http,
		.blob = mt_advance_get_blob,
		.log_text = mt_advance_log_text,
		.refuse_text = mt_advance_refuse_text,
	};

	return &host;
}

/* ---- the calls --------------------------------------------------------------------------------- */

static inline void mt_advance_forget_result(struct mt_ctx *h)
{
	free(h->error);
	h->error = NULL;
	h->done[0] = '\0';
	h->risk = -1;
	h->deny = 0;
}

/* Call `advance` with this. */
static inline int mt_advance_with(struct mt_ctx *h, struct mt_in *in)
{
	char *state = h->state ? mt_harness_copy(h->state, strlen(h->state)) : NULL;
	int status;

	mt_advance_forget_result(h);
	in->size = sizeof *in;
	in->state = mt_harness_str(state);
	status = h->advance(h, in);
	free(state);
	return status;
}

/** Call `advance` with MT_START. @return its status; the result is in the harness. */
static inline int mt_advance_start(struct mt_ctx *h)
{
	struct mt_in in = { .what = MT_START };

	h->effects = 0;
	return mt_advance_with(h, &in);
}

/** With MT_REPLIED: the reply that the test has given, which ends with the call. */
static inline int mt_advance_replied(struct mt_ctx *h)
{
	struct mt_in in = { .what = MT_REPLIED, .effect = (uint32_t)h->effects,
			    .reply = &h->reply };
	int status = mt_advance_with(h, &in);

	mt_harness_remove(&h->reply.calls, NULL);
	h->reply.text = mt_harness_str(NULL);
	return status;
}

/** With MT_FAILED. `error`: enum mt_error_kind. */
static inline int mt_advance_failed(struct mt_ctx *h, int error, const char *sentence)
{
	struct mt_in in = { .what = MT_FAILED, .effect = (uint32_t)h->effects,
			    .error = (uint32_t)error, .body = mt_harness_str(sentence) };

	return mt_advance_with(h, &in);
}

/** With MT_HTTP_DONE: a server has answered. `headers`: "name: value\n" for each. The body
 *  is the blob "answer". */
static inline int mt_advance_http_done(struct mt_ctx *h, int status, const char *headers,
				       const void *body, size_t len)
{
	struct mt_http_result result = {
		.size = sizeof result, .status = (uint32_t)status,
		.headers = mt_harness_str(headers), .body = len ? "answer" : "",
		.body_len = len,
	};
	struct mt_in in = { .what = MT_HTTP_DONE, .effect = (uint32_t)h->effects,
			    .http = &result };

	if (len)
		mt_advance_blob(h, "answer", body, len);
	return mt_advance_with(h, &in);
}

/** With MT_HTTP_DONE: nothing has answered. `error`: MT_EIO, MT_ETIMEOUT, MT_ELIMIT, or
 *  MT_ECANCELLED for a request that may have had its effect. */
static inline int mt_advance_http_failed(struct mt_ctx *h, int error, const char *reason)
{
	struct mt_http_result result = { .size = sizeof result, .error = error, .body = "",
					 .reason = mt_harness_str(reason) };
	struct mt_in in = { .what = MT_HTTP_DONE, .effect = (uint32_t)h->effects,
			    .http = &result };

	return mt_advance_with(h, &in);
}

/** End the test. @return 0, so that main can return it. */
static inline int mt_advance_close(struct mt_ctx *h)
{
	if (h->close)
		h->close(h);
	while (h->events) {
		struct mt_event *e = h->events;

		h->events = e->next;
		mt_harness_remove(&e->fields, NULL);
		free(e);
	}
	mt_harness_remove(&h->options, NULL);
	mt_harness_remove(&h->prompts, NULL);
	mt_harness_remove(&h->texts, NULL);
	mt_harness_remove(&h->blobs, NULL);
	mt_harness_remove(&h->reply.calls, NULL);
	free(h->done);
	free(h->error);
	free(h->state);
	free(h);
	return 0;
}

#pragma GCC diagnostic pop

#endif
