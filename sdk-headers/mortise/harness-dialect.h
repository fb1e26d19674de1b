/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-dialect.h - tests a dialect in the process of the test, without Mortise
 * and without a network: the test gives it a request, compares the HTTP request that it
 * writes, and feeds it a response. Not part of the ABI. C only.
 *
 *   #define MORTISE_PROVISIONAL
 *   #include <mortise/harness-dialect.h>
 *
 *   int main(void)
 *   {
 *           struct mt_exchange *x = mt_dialect_open(mortise_plugin_v1(), NULL);
 *
 *           mt_dialect_message(x, MT_ROLE_USER, "Hello.");
 *           if (mt_dialect_encode(x) == MT_OK)
 *                   printf("%s\n%s\n", x->url, x->body);
 *           mt_dialect_answer(x, 200, "application/json", "{\"text\":\"Hi.\"}");
 *           printf("%s\n", x->text);
 *           return mt_dialect_close(x);
 *   }
 *
 * Compile the test together with the source of the plugin. The harness ends the program
 * with a message where the test itself is wrong, or out of memory. Messages have texts and
 * calls, no media. */
#ifndef MORTISE_HARNESS_DIALECT_H
#define MORTISE_HARNESS_DIALECT_H

#ifdef MORTISE_HARNESS_ADVANCE_H
#error "test dialects in a program of their own: they see another struct mt_request"
#endif

#include <mortise/dialect.h>
#include <mortise/harness-base.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

/** A message of the request. The test may set the first members. */
struct mt_dialect_message {
	int cache, failed;  /* see message_cache and message_failed */
	const char *opaque; /* see message_opaque; NULL: none */
	int role;
	char *text;
	struct mt_dialect_call *calls;
	struct mt_dialect_message *next;
};

struct mt_dialect_call {
	char *id, *name, *args;
	struct mt_dialect_call *next;
};

struct mt_dialect_tool {
	char *name, *description, *schema;
	struct mt_dialect_tool *next;
};

struct mt_request {
	struct mt_dialect_message *messages;
	struct mt_dialect_tool *tools;
	struct mt_harness_pair *params;
	int stream;
};

/** A dialect under test. The test reads and sets the members of the first three groups. */
struct mt_exchange {
	/* -- the HTTP request that it wrote -- */
	char *url, *body;         /* NULL, "": it wrote none */
	struct mt_harness_pair *headers;
	char *key_header, *key_prefix; /* where the key goes; NULL: nowhere */
	int64_t local_ms;         /* it answers itself after this time; -1: it does not */

	/* -- what it understood of the response -- */
	char *text, *reasoning, *opaque, *id, *stop; /* id, stop: NULL: not told */
	struct mt_dialect_call *calls;
	struct mt_usage usage;
	char *error;              /* NULL: the response is not an error */
	int error_kind, is_finished;
	int64_t retry_ms;

	/* -- what the next call sees -- */
	struct mt_request request; /* stream is 1 at first */
	size_t piece;             /* bytes that `feed` is given at once; 0: all */
	size_t kept;              /* see messages_kept */
	int tries;                /* number of the attempt, 1 at first */
	FILE *log;                /* NULL, at first: messages are dropped */

	/* -- the rest belongs to the harness -- */
	const struct mt_component *component;
	const struct mt_dialect *dialect;
	struct mt_harness_pair *options, *features, *variables, *answer_headers;
	void *state;
	void (*release)(void *state);
};

/* ---- what the test gives ------------------------------------------------------------ */

/** Set an option: ("model", "demo"). */
static inline void mt_dialect_option(struct mt_exchange *x, const char *name,
				     const char *value)
{
	mt_harness_set(&x->options, name, value, strlen(value));
}

/** The model has this feature: "tools". */
static inline void mt_dialect_feature(struct mt_exchange *x, const char *name)
{
	mt_harness_set(&x->features, name, "", 0);
}

/** An environment variable that `env` reads. */
static inline void mt_dialect_variable(struct mt_exchange *x, const char *name,
				       const char *value)
{
	mt_harness_set(&x->variables, name, value, strlen(value));
}

/** Append a message to the request. */
static inline struct mt_dialect_message *mt_dialect_message(struct mt_exchange *x,
							    int role, const char *text)
{
	struct mt_dialect_message *m =
		(struct mt_dialect_message *)mt_harness_memory(calloc(1, sizeof *m));
	struct mt_dialect_message **end = &x->request.messages;

	while (*end)
		end = &(*end)->next;
	*end = m;
	m->role = role;
	m->text = mt_harness_copy(text, strlen(text));
	return m;
}

static inline struct mt_dialect_call *mt_dialect_new_call(struct mt_dialect_call **list)
{
	while (*list)
		list = &(*list)->next;
	*list = (struct mt_dialect_call *)mt_harness_memory(calloc(1, sizeof **list));
	return *list;
}

/** Append a tool call to a message of the assistant, or name the one that a message of a
 *  tool answers. */
static inline void mt_dialect_call(struct mt_dialect_message *m, const char *id,
				   const char *name, const char *args)
{
	struct mt_dialect_call *call = mt_dialect_new_call(&m->calls);

	call->id = mt_harness_copy(id, strlen(id));
	call->name = mt_harness_copy(name, strlen(name));
	call->args = mt_harness_copy(args, strlen(args));
}

/** Offer a tool. */
static inline void mt_dialect_tool(struct mt_exchange *x, const char *name,
				   const char *description, const char *schema)
{
	struct mt_dialect_tool **end = &x->request.tools, *tool;

	while (*end)
		end = &(*end)->next;
	tool = *end =
		(struct mt_dialect_tool *)mt_harness_memory(calloc(1, sizeof *tool));
	tool->name = mt_harness_copy(name, strlen(name));
	tool->description = mt_harness_copy(description, strlen(description));
	tool->schema = mt_harness_copy(schema, strlen(schema));
}

/** Set a parameter of the request: ("max_tokens", "100"). */
static inline void mt_dialect_param(struct mt_exchange *x, const char *name,
				    const char *json)
{
	mt_harness_set(&x->request.params, name, json, strlen(json));
}

/** A header of the response. */
static inline void mt_dialect_answer_header(struct mt_exchange *x, const char *name,
					    const char *value)
{
	mt_harness_set(&x->answer_headers, name, value, strlen(value));
}

/* ---- services: the request ------------------------------------------------------------ */

static inline const char *mt_dialect_get_option(struct mt_exchange *x, const char *name)
{
	return mt_harness_value(x->component, x->options, name);
}

static inline int mt_dialect_get_feature(struct mt_exchange *x, const char *name)
{
	return mt_harness_find(x->features, name) != NULL;
}

MT_PRINTF(3, 4)
static inline void mt_dialect_log(struct mt_exchange *x, int level, const char *fmt, ...)
{
	va_list ap;

	if (!x->log)
		return;
	fprintf(x->log, "log %d: ", level);
	va_start(ap, fmt);
	vfprintf(x->log, fmt, ap);
	va_end(ap);
	fputc('\n', x->log);
}

static inline void mt_dialect_log_text(struct mt_exchange *x, int level, const char *text,
				       size_t len)
{
	mt_dialect_log(x, level, "%.*s", (int)len, text ? text : "");
}

static inline int64_t mt_dialect_reply_index(struct mt_exchange *x)
{
	int64_t count = 0;

	for (const struct mt_dialect_message *m = x->request.messages; m; m = m->next)
		count += m->role == MT_ROLE_ASSISTANT;
	return count;
}

static inline const struct mt_dialect_message *mt_dialect_nth(const struct mt_request *r,
							      size_t m)
{
	const struct mt_dialect_message *message = r->messages;

	while (message && m-- > 0)
		message = message->next;
	if (!message)
		mt_harness_fatal("the request has no such message", NULL);
	return message;
}

static inline size_t mt_dialect_message_count(const struct mt_request *r)
{
	size_t count = 0;

	for (const struct mt_dialect_message *m = r->messages; m; m = m->next)
		count++;
	return count;
}

static inline int mt_dialect_message_role(const struct mt_request *r, size_t m)
{
	return mt_dialect_nth(r, m)->role;
}

static inline size_t mt_dialect_part_count(const struct mt_request *r, size_t m)
{
	return *mt_dialect_nth(r, m)->text ? 1 : 0;
}

static inline const char *mt_dialect_part(const struct mt_request *r, size_t m, size_t p,
					  struct mt_str *ret_text, uint64_t *ret_bytes)
{
	(void)p;
	*ret_text = mt_harness_str(mt_dialect_nth(r, m)->text);
	if (ret_bytes)
		*ret_bytes = ret_text->len;
	return NULL;
}

static inline int64_t mt_dialect_media_read(const struct mt_request *r, size_t m,
					    size_t p, uint64_t offset, void *buffer,
					    size_t len)
{
	(void)r, (void)m, (void)p, (void)offset, (void)buffer, (void)len;
	return MT_EUNSUPPORTED;
}

static inline int mt_dialect_message_cache(const struct mt_request *r, size_t m)
{
	return mt_dialect_nth(r, m)->cache;
}

static inline int mt_dialect_message_failed(const struct mt_request *r, size_t m)
{
	return mt_dialect_nth(r, m)->failed;
}

static inline size_t mt_dialect_call_count(const struct mt_request *r, size_t m)
{
	size_t count = 0;

	for (const struct mt_dialect_call *c = mt_dialect_nth(r, m)->calls; c;
	     c = c->next)
		count++;
	return count;
}

static inline void mt_dialect_get_call(const struct mt_request *r, size_t m, size_t c,
				       struct mt_str *ret_id, struct mt_str *ret_name,
				       struct mt_str *ret_args)
{
	const struct mt_dialect_call *call = mt_dialect_nth(r, m)->calls;

	while (call && c-- > 0)
		call = call->next;
	if (!call)
		mt_harness_fatal("the message has no such call", NULL);
	if (ret_id)
		*ret_id = mt_harness_str(call->id);
	if (ret_name)
		*ret_name = mt_harness_str(call->name);
	if (ret_args)
		*ret_args = mt_harness_str(call->args);
}

static inline struct mt_str mt_dialect_message_opaque(const struct mt_request *r,
						      size_t m)
{
	return mt_harness_str(mt_dialect_nth(r, m)->opaque);
}

static inline struct mt_str mt_dialect_media_url(const struct mt_request *r, size_t m,
						 size_t p)
{
	(void)r, (void)m, (void)p;
	return mt_harness_str(NULL);
}

static inline size_t mt_dialect_tool_count(const struct mt_request *r)
{
	size_t count = 0;

	for (const struct mt_dialect_tool *t = r->tools; t; t = t->next)
		count++;
	return count;
}

static inline void mt_dialect_get_tool(const struct mt_request *r, size_t t,
				       struct mt_str *ret_name,
				       struct mt_str *ret_description,
				       struct mt_str *ret_schema)
{
	const struct mt_dialect_tool *tool = r->tools;

	while (tool && t-- > 0)
		tool = tool->next;
	if (!tool)
		mt_harness_fatal("the request has no such tool", NULL);
	*ret_name = mt_harness_str(tool->name);
	*ret_description = mt_harness_str(tool->description);
	*ret_schema = mt_harness_str(tool->schema);
}

static inline struct mt_str mt_dialect_get_param(const struct mt_request *r,
						 const char *name)
{
	struct mt_harness_pair *pair = mt_harness_find(r->params, name);

	return mt_harness_str(pair ? pair->text : NULL);
}

static inline int mt_dialect_stream(const struct mt_request *r)
{
	return r->stream;
}

static inline size_t mt_dialect_messages_kept(struct mt_exchange *x,
					      const struct mt_request *r)
{
	(void)r;
	return x->kept;
}

static inline void mt_dialect_message_begins(struct mt_exchange *x,
					     const struct mt_request *r, size_t m)
{
	(void)x, (void)r, (void)m;
}

/* ---- services: what it writes ------------------------------------------------------------ */

static inline void mt_dialect_replace(char **text, const char *by)
{
	free(*text);
	*text = by ? mt_harness_copy(by, strlen(by)) : NULL;
}

static inline int mt_dialect_url(struct mt_exchange *x, const char *url)
{
	mt_dialect_replace(&x->url, url);
	return MT_OK;
}

static inline int mt_dialect_header(struct mt_exchange *x, const char *name,
				    const char *value)
{
	mt_harness_set(&x->headers, name, value, strlen(value));
	return MT_OK;
}

static inline int mt_dialect_key_header(struct mt_exchange *x, const char *name,
					const char *prefix)
{
	mt_dialect_replace(&x->key_header, name);
	mt_dialect_replace(&x->key_prefix, prefix);
	return MT_OK;
}

static inline int mt_dialect_body(struct mt_exchange *x, const char *bytes, size_t len)
{
	size_t had = strlen(x->body);

	mt_harness_append(&x->body, &had, bytes, len);
	return MT_OK;
}

static inline int mt_dialect_body_str(struct mt_exchange *x, const char *text, size_t len)
{
	mt_harness_put(&x->body, "\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			mt_harness_put(&x->body, "\\%c", c);
		else if (c < 0x20)
			mt_harness_put(&x->body, "\\u%04x", c);
		else
			mt_harness_put(&x->body, "%c", c);
	}
	mt_harness_put(&x->body, "\"");
	return MT_OK;
}

static inline int mt_dialect_body_media(struct mt_exchange *x, const struct mt_request *r,
					size_t m, size_t p)
{
	(void)x, (void)r, (void)m, (void)p;
	return MT_EUNSUPPORTED;
}

static inline int mt_dialect_local(struct mt_exchange *x, int64_t delay_ms)
{
	x->local_ms = delay_ms;
	return MT_OK;
}

static inline const char *mt_dialect_env(struct mt_exchange *x, const char *name)
{
	struct mt_harness_pair *pair = mt_harness_find(x->variables, name);

	return pair ? pair->text : NULL;
}

static inline int mt_dialect_secret(struct mt_exchange *x, const char *name,
				    const char *value, size_t len)
{
	(void)x, (void)name, (void)value, (void)len;
	return MT_OK;
}

/* ---- services: what it understands ---------------------------------------------------------- */

static inline int mt_dialect_text(struct mt_exchange *x, const char *text, size_t len)
{
	mt_harness_put(&x->text, "%.*s", (int)len, text);
	return MT_OK;
}

static inline int mt_dialect_reasoning(struct mt_exchange *x, const char *text,
				       size_t len)
{
	mt_harness_put(&x->reasoning, "%.*s", (int)len, text);
	return MT_OK;
}

static inline int mt_dialect_tool_call(struct mt_exchange *x, size_t index,
				       const char *id, const char *name, const char *args,
				       size_t len)
{
	struct mt_dialect_call **at = &x->calls;

	for (; *at && index > 0; index--)
		at = &(*at)->next;
	if (!*at)
		mt_dialect_new_call(at);
	if (id)
		mt_dialect_replace(&(*at)->id, id);
	if (name)
		mt_dialect_replace(&(*at)->name, name);
	mt_harness_put(&(*at)->args, "%.*s", (int)len, args ? args : "");
	return MT_OK;
}

static inline int mt_dialect_opaque(struct mt_exchange *x, const char *json, size_t len)
{
	free(x->opaque);
	x->opaque = mt_harness_copy(json, len);
	return MT_OK;
}

static inline int mt_dialect_usage(struct mt_exchange *x, const struct mt_usage *usage)
{
	x->usage = *usage;
	return MT_OK;
}

static inline int mt_dialect_response_id(struct mt_exchange *x, const char *id)
{
	mt_dialect_replace(&x->id, id);
	return MT_OK;
}

static inline int mt_dialect_stopped(struct mt_exchange *x, const char *reason)
{
	mt_dialect_replace(&x->stop, reason);
	return MT_OK;
}

MT_PRINTF(4, 5)
static inline int mt_dialect_error(struct mt_exchange *x, int kind, int64_t retry_ms,
				   const char *fmt, ...)
{
	va_list ap;

	if (x->error)
		return MT_OK;
	va_start(ap, fmt);
	x->error = mt_harness_format(fmt, ap);
	va_end(ap);
	x->error_kind = kind;
	x->retry_ms = retry_ms;
	return MT_OK;
}

static inline int mt_dialect_error_text(struct mt_exchange *x, int kind, int64_t retry_ms,
					const char *text, size_t len)
{
	return mt_dialect_error(x, kind, retry_ms, "%.*s", (int)len, text ? text : "");
}

static inline void *mt_dialect_state(struct mt_exchange *x, size_t bytes)
{
	if (!x->state)
		x->state = mt_harness_memory(calloc(1, bytes ? bytes : 1));
	return x->state;
}

static inline void mt_dialect_on_end(struct mt_exchange *x, void (*release)(void *state))
{
	x->release = release;
}

static inline int mt_dialect_attempt(struct mt_exchange *x)
{
	return x->tries;
}

static inline int mt_dialect_finished(struct mt_exchange *x)
{
	x->is_finished = 1;
	return MT_OK;
}

static inline void mt_dialect_free_calls(struct mt_dialect_call **list)
{
	while (*list) {
		struct mt_dialect_call *call = *list;

		*list = call->next;
		free(call->id);
		free(call->name);
		free(call->args);
		free(call);
	}
}

static inline int mt_dialect_restarted(struct mt_exchange *x)
{
	mt_dialect_replace(&x->text, "");
	mt_dialect_replace(&x->reasoning, "");
	mt_dialect_free_calls(&x->calls);
	return MT_OK;
}

static inline const char *mt_dialect_get_answer_header(struct mt_exchange *x,
						       const char *name)
{
	struct mt_harness_pair *pair = mt_harness_find(x->answer_headers, name);

	return pair ? pair->text : NULL;
}

/** The services that the dialect is given. */
static inline const struct mt_dialect_host *mt_dialect_host(void)
{
	static const struct mt_dialect_host host = {
		.size = sizeof host,
		.option = mt_dialect_get_option,
		.feature = mt_dialect_get_feature,
		.log = mt_dialect_log,
		.reply_index = mt_dialect_reply_index,
		.message_count = mt_dialect_message_count,
		.message_role = mt_dialect_message_role,
		.part_count = mt_dialect_part_count,
		.part = mt_dialect_part,
		.media_read = mt_dialect_media_read,
		.message_cache = mt_dialect_message_cache,
		.call_count = mt_dialect_call_count,
		.call = mt_dialect_get_call,
		.message_opaque = mt_dialect_message_opaque,
		.tool_count = mt_dialect_tool_count,
		.tool = mt_dialect_get_tool,
		.param = mt_dialect_get_param,
		.stream = mt_dialect_stream,
		.url = mt_dialect_url,
		.header = mt_dialect_header,
		.key_header = mt_dialect_key_header,
		.body = mt_dialect_body,
		.body_str = mt_dialect_body_str,
		.body_media = mt_dialect_body_media,
		.local = mt_dialect_local,
		.text = mt_dialect_text,
		.reasoning = mt_dialect_reasoning,
		.tool_call = mt_dialect_tool_call,
		.opaque = mt_dialect_opaque,
		.usage = mt_dialect_usage,
		.response_id = mt_dialect_response_id,
		.stopped = mt_dialect_stopped,
		.error = mt_dialect_error,
		.state = mt_dialect_state,
		.on_end = mt_dialect_on_end,
		.attempt = mt_dialect_attempt,
		.messages_kept = mt_dialect_messages_kept,
		.message_begins = mt_dialect_message_begins,
		.finished = mt_dialect_finished,
		.restarted = mt_dialect_restarted,
		.answer_header = mt_dialect_get_answer_header,
		.message_failed = mt_dialect_message_failed,
		.media_url = mt_dialect_media_url,
		.env = mt_dialect_env,
		.secret = mt_dialect_secret,
		.log_text = mt_dialect_log_text,
		.error_text = mt_dialect_error_text,
	};

	return &host;
}

/* ---- the test ----------------------------------------------------------------------------------- */

static inline void mt_dialect_end_attempt(struct mt_exchange *x)
{
	if (x->state && x->release)
		x->release(x->state);
	free(x->state);
	x->state = NULL;
	x->release = NULL;
}

/* Forget the response, and the HTTP request. */
static inline void mt_dialect_reset(struct mt_exchange *x)
{
	const struct mt_usage none = { sizeof none, 0, -1, -1, -1, -1, -1, -1 };

	mt_dialect_restarted(x);
	mt_dialect_replace(&x->url, NULL);
	mt_dialect_replace(&x->body, "");
	mt_dialect_replace(&x->key_header, NULL);
	mt_dialect_replace(&x->key_prefix, NULL);
	mt_dialect_replace(&x->opaque, NULL);
	mt_dialect_replace(&x->id, NULL);
	mt_dialect_replace(&x->stop, NULL);
	mt_dialect_replace(&x->error, NULL);
	mt_harness_remove(&x->headers, NULL);
	x->usage = none;
	x->error_kind = MT_ERROR_NONE;
	x->is_finished = 0;
	x->local_ms = x->retry_ms = -1;
}

/** Start to test a dialect of a plugin. `name`: of the component; NULL: the first one. */
static inline struct mt_exchange *mt_dialect_open(const struct mt_plugin *plugin,
						  const char *name)
{
	struct mt_exchange *x =
		(struct mt_exchange *)mt_harness_memory(calloc(1, sizeof *x));

	x->component = mt_harness_component(plugin, MT_KIND_DIALECT, name);
	x->dialect = (const struct mt_dialect *)x->component->functions;
	x->tries = x->request.stream = 1;
	mt_dialect_reset(x);
	return x;
}

/** Write the request again. @return what `encode` returned. */
static inline int mt_dialect_encode(struct mt_exchange *x)
{
	mt_dialect_end_attempt(x);
	mt_dialect_reset(x);
	return x->dialect->encode(mt_dialect_host(), x, &x->request);
}

/** Give it the body of a response, in pieces of `piece` bytes, and its end. @return the
 *  first status that is not MT_OK. */
static inline int mt_dialect_answer(struct mt_exchange *x, int code, const char *type,
				    const char *body)
{
	size_t len = strlen(body), at = 0;
	int status = MT_OK;

	do {
		size_t n = x->piece && x->piece < len - at ? x->piece : len - at;

		status = x->dialect->feed(mt_dialect_host(), x, code, type, body + at, n);
		at += n;
	} while (!status && !x->is_finished && at < len);
	return status ? status : x->dialect->end(mt_dialect_host(), x, code);
}

static inline void mt_dialect_free_request(struct mt_request *r)
{
	while (r->messages) {
		struct mt_dialect_message *m = r->messages;

		r->messages = m->next;
		mt_dialect_free_calls(&m->calls);
		free(m->text);
		free(m);
	}
	while (r->tools) {
		struct mt_dialect_tool *tool = r->tools;

		r->tools = tool->next;
		free(tool->name);
		free(tool->description);
		free(tool->schema);
		free(tool);
	}
	mt_harness_remove(&r->params, NULL);
}

/** End the test. @return 0, so that main can return it. */
static inline int mt_dialect_close(struct mt_exchange *x)
{
	mt_dialect_end_attempt(x);
	mt_dialect_reset(x);
	mt_dialect_free_request(&x->request);
	mt_harness_remove(&x->options, NULL);
	mt_harness_remove(&x->features, NULL);
	mt_harness_remove(&x->variables, NULL);
	mt_harness_remove(&x->answer_headers, NULL);
	free(x->text);
	free(x->reasoning);
	free(x->body);
	free(x);
	return 0;
}

#pragma GCC diagnostic pop

#endif
