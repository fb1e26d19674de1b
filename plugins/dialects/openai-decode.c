/* SPDX-License-Identifier: MIT
 *
 * openai-decode.c - the answers of chat completions: a stream of events, one
 * JSON text, or an error, told by what they look like rather than by what was
 * asked for.
 *
 * What real providers do and this file allows: usage that is null until the
 * last chunk, or in a chunk of its own; a whole tool call in one piece, without
 * an index; an id repeated in each piece; calls that share index 0; content as
 * a list of parts; errors in the middle of a stream; no [DONE]. */
#include "js.h"
#include "openai.h"
#include "sse.h"
#include <string.h>
#include <strings.h>

enum {
	MAX_EVENT = 16 << 20,
	MAX_BODY = 64 << 20,
	MAX_CALLS = 128,
	MAX_WHY = 300, /* bytes of a foreign text in an error */
};

enum form { UNKNOWN, STREAM, WHOLE };

struct slot {
	int64_t index;  /* as the provider counts; -1: it did not */
	uint64_t id;    /* hash; 0: none */
	bool named;
};

struct decoder {
	const struct mt_dialect_host *host;
	struct mt_exchange *x;
	int status;            /* HTTP */
	enum form form;
	struct sse sse;
	struct strbuf body;
	struct slot slots[MAX_CALLS];
	size_t slot_count;
	bool choices;          /* any were there */
	bool finished;         /* a reason was told, or [DONE] */
	bool failed;           /* an error was told: what follows is void */
	bool open;             /* its memory is set up */
};

static void release(void *state)
{
	struct decoder *d = state;

	sse_done(&d->sse);
	strbuf_clear(&d->body);
}

/* ---- errors ----------------------------------------------------------------- */

/* Codes and types with a meaning of their own; the rest is for the host. */
static const struct {
	const char *code;
	int kind;
} codes[] = {
	{ "context_length_exceeded", MT_ERROR_CONTEXT_WINDOW },
	{ "string_above_max_length", MT_ERROR_CONTEXT_WINDOW },
	{ "exceed_context_size_error", MT_ERROR_CONTEXT_WINDOW },
	{ "insufficient_quota", MT_ERROR_QUOTA },
	{ "billing_hard_limit_reached", MT_ERROR_QUOTA },
	{ "rate_limit_exceeded", MT_ERROR_RATE_LIMIT },
	{ "rate_limit_error", MT_ERROR_RATE_LIMIT },
	{ "invalid_api_key", MT_ERROR_AUTHENTICATION },
	{ "authentication_error", MT_ERROR_AUTHENTICATION },
	{ "model_not_found", MT_ERROR_NOT_FOUND },
	{ "content_filter", MT_ERROR_CONTENT_POLICY },
	{ "content_policy_violation", MT_ERROR_CONTENT_POLICY },
	{ "overloaded_error", MT_ERROR_OVERLOADED },
	{ "overloaded", MT_ERROR_OVERLOADED },
	{ "engine_overloaded", MT_ERROR_OVERLOADED },
	{ "server_error", MT_ERROR_INTERNAL },
	{ "api_error", MT_ERROR_INTERNAL },
	{ "timeout", MT_ERROR_TIMEOUT },
};

static int kind_of_code(const char *code)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (strcmp(code, codes[i].code) == 0)
			return codes[i].kind;
	return MT_ERROR_NONE;
}

/* In a stream the status is in the error itself, if anywhere. */
static int kind_of_number(int64_t status)
{
	if (status == 429)
		return MT_ERROR_RATE_LIMIT;
	if (status == 402)
		return MT_ERROR_QUOTA;
	if (status == 401 || status == 403)
		return MT_ERROR_AUTHENTICATION;
	if (status == 408)
		return MT_ERROR_TIMEOUT;
	if (status == 502 || status == 503 || status == 529)
		return MT_ERROR_OVERLOADED;
	return status >= 500 && status < 600 ? MT_ERROR_INTERNAL : MT_ERROR_NONE;
}

static int tell(struct decoder *d, int kind, const char *text)
{
	d->failed = true;
	d->host->error(d->x, kind, -1, "%.*s", MAX_WHY, text);
	return MT_OK;
}

/* {"error": {...}}, {"error": "text"}, {"message": ...}, {"detail": ...} */
static int tell_error(struct decoder *d, json_object *answer)
{
	json_object *e = js_get(answer, "error"), *code;
	const char *text, *wide = "";
	int kind;

	if (json_object_is_type(e, json_type_string))
		return tell(d, kind_of_number(d->status), json_object_get_string(e));
	if (!json_object_is_type(e, json_type_object))
		e = answer;
	code = js_get(e, "code");
	text = js_str(e, "message", NULL);
	if (!text && js_get(e, "detail"))
		text = js_text(js_get(e, "detail"), NULL);
	kind = kind_of_code(js_str(e, "code", ""));
	if (!kind)
		kind = kind_of_code(js_str(e, "type", ""));
	if (!kind && json_object_is_type(code, json_type_int))
		kind = kind_of_number(json_object_get_int64(code));
	wide = js_str(js_get(e, "metadata"), "raw", ""); /* of OpenRouter's source */
	if (!text)
		text = js_text(e, NULL);
	d->failed = true;
	d->host->error(d->x, kind, -1, "%.*s%s%.*s", MAX_WHY, text ? text : "",
		       *wide ? " - " : "", MAX_WHY, wide);
	return MT_OK;
}

/* True if the answer is an error. A null or empty member is none. */
static bool is_error(struct decoder *d, json_object *answer)
{
	json_object *e = js_get(answer, "error");

	if (json_object_is_type(e, json_type_object)
	    || json_object_is_type(e, json_type_string))
		return true;
	return d->status >= 300 || strcmp(js_str(answer, "object", ""), "error") == 0;
}

/* ---- usage ------------------------------------------------------------------ */

static int64_t count_at(json_object *usage, const char *path)
{
	json_object *v = js_path(usage, path);

	return json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= 0
		       ? json_object_get_int64(v)
		       : -1;
}

static int tell_usage(struct decoder *d, json_object *usage)
{
	static const double tick = 1e-10; /* xAI counts dollars in these */
	struct mt_usage u = {
		.size = sizeof u,
		.input = count_at(usage, "prompt_tokens"),
		.output = count_at(usage, "completion_tokens"),
		.cache_read = count_at(usage, "prompt_tokens_details.cached_tokens"),
		.cache_write = count_at(usage, "cache_creation_input_tokens"),
		.reasoning =
			count_at(usage, "completion_tokens_details.reasoning_tokens"),
		.cost = js_number(usage, "cost", -1),
	};
	int64_t total = count_at(usage, "total_tokens");
	int64_t ticks = count_at(usage, "cost_in_usd_ticks");

	if (u.cache_read < 0)
		u.cache_read = count_at(usage, "prompt_cache_hit_tokens");
	/* some count reasoning beside the completion instead of in it */
	if (u.input >= 0 && u.output >= 0 && u.reasoning > 0
	    && total - u.input - u.output == u.reasoning)
		u.output += u.reasoning;
	if (u.cost < 0 && ticks >= 0)
		u.cost = (double)ticks * tick;
	return d->host->usage(d->x, &u);
}

/* ---- a choice --------------------------------------------------------------- */

static int tell_string(struct decoder *d, json_object *text, bool reasoning)
{
	size_t len;

	if (!json_object_is_type(text, json_type_string))
		return MT_OK;
	len = (size_t)json_object_get_string_len(text);
	return reasoning
		       ? d->host->reasoning(d->x, json_object_get_string(text), len)
		       : d->host->text(d->x, json_object_get_string(text), len);
}

/* {"type":"text","text":...} or {"type":"thinking","thinking":[{"text":...}]} */
static int tell_part(struct decoder *d, json_object *part)
{
	json_object *thinking = js_get(part, "thinking");
	int status = tell_string(d, js_get(part, "text"), false);

	if (json_object_is_type(thinking, json_type_string))
		return tell_string(d, thinking, true);
	if (!json_object_is_type(thinking, json_type_array))
		return status;
	for (size_t i = 0; i < json_object_array_length(thinking) && !status; i++)
		status = tell_string(
			d, js_get(json_object_array_get_idx(thinking, i), "text"), true);
	return status;
}

static int tell_content(struct decoder *d, json_object *content)
{
	int status = MT_OK;

	if (!json_object_is_type(content, json_type_array))
		return tell_string(d, content, false);
	for (size_t i = 0; i < json_object_array_length(content) && !status; i++)
		status = tell_part(d, json_object_array_get_idx(content, i));
	return status;
}

static uint64_t hash(const char *text)
{
	uint64_t h = 14695981039346656037u;

	if (!*text)
		return 0;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h ? h : 1;
}

static int new_slot(struct decoder *d, int64_t index, uint64_t id)
{
	if (d->slot_count == MAX_CALLS)
		return -1;
	d->slots[d->slot_count] = (struct slot){ .index = index, .id = id };
	return (int)d->slot_count++;
}

/* Which call a piece belongs to: the last one with its index, unless it brings
 * a name and an id of its own, which begin a new call. -1: too many. */
static int slot_of(struct decoder *d, int64_t index, uint64_t id, bool named)
{
	for (size_t i = d->slot_count; i-- > 0;) {
		struct slot *s = &d->slots[i];

		if (index >= 0 ? s->index != index : i + 1 < d->slot_count && s->id != id)
			continue;
		if (named && s->named && id != s->id)
			break;
		if (index < 0 && named && s->named && !id)
			break;
		return (int)i;
	}
	return new_slot(d, index, id);
}

static int tell_call(struct decoder *d, json_object *call)
{
	json_object *f = js_get(call, "function"), *args = js_get(f, "arguments");
	const char *id = js_str(call, "id", ""), *name = js_str(f, "name", "");
	const char *text = "";
	size_t len = 0;
	int slot = slot_of(d, js_int(call, "index", -1), hash(id), *name);

	if (slot < 0)
		return MT_ELIMIT;
	if (json_object_is_type(args, json_type_string)) {
		text = json_object_get_string(args);
		len = (size_t)json_object_get_string_len(args);
	} else if (args) {
		text = js_text(args, &len);
	}
	d->slots[slot].named |= *name != '\0';
	return d->host->tool_call(d->x, (size_t)slot, *id ? id : NULL,
				  *name ? name : NULL, text ? text : "", len);
}

static int tell_stop(struct decoder *d, const char *reason)
{
	static const struct {
		const char *theirs, *ours;
	} reasons[] = {
		{ "stop", "stop" },
		{ "eos", "stop" },
		{ "tool_calls", "tool_calls" },
		{ "function_call", "tool_calls" },
		{ "length", "length" },
		{ "model_length", "length" },
		{ "content_filter", "refusal" },
	};

	d->finished = true;
	if (strcmp(reason, "error") == 0)
		return tell(d, MT_ERROR_INTERNAL, "the model failed in its answer");
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (strcmp(reason, reasons[i].theirs) == 0)
			return d->host->stopped(d->x, reasons[i].ours);
	return d->host->stopped(d->x, "stop");
}

/* `message` of a whole answer, `delta` of a stream: the same members. */
static int tell_message(struct decoder *d, json_object *m)
{
	json_object *calls = js_get(m, "tool_calls"), *thought;
	int status;

	thought = js_get(m, "reasoning_content");
	if (!json_object_is_type(thought, json_type_string))
		thought = js_get(m, "reasoning");
	status = tell_string(d, thought, true);
	if (!status)
		status = tell_content(d, js_get(m, "content"));
	if (!status && json_object_is_type(js_get(m, "refusal"), json_type_string)) {
		status = tell_string(d, js_get(m, "refusal"), false);
		if (!status && *js_str(m, "refusal", ""))
			status = d->host->stopped(d->x, "refusal");
	}
	if (!json_object_is_type(calls, json_type_array))
		return status;
	for (size_t i = 0; i < json_object_array_length(calls) && !status; i++)
		status = tell_call(d, json_object_array_get_idx(calls, i));
	return status;
}

static int tell_choice(struct decoder *d, json_object *choice)
{
	json_object *m = js_get(choice, "message");
	const char *reason = js_str(choice, "finish_reason", "");
	int status;

	if (js_int(choice, "index", 0) != 0)
		return MT_OK;
	if (json_object_is_type(js_get(choice, "error"), json_type_object))
		return tell_error(d, choice);
	d->choices = true;
	status = tell_message(d, m ? m : js_get(choice, "delta"));
	if (!status && *reason)
		status = tell_stop(d, reason);
	return status;
}

/* One chunk of a stream, or the whole answer. */
static int tell_answer(struct decoder *d, json_object *answer)
{
	json_object *choices = js_get(answer, "choices"),
		    *usage = js_get(answer, "usage");
	int status;

	if (is_error(d, answer))
		return tell_error(d, answer);
	status = d->host->response_id(d->x, js_str(answer, "id", ""));
	if (!json_object_is_type(usage, json_type_object))
		usage = js_path(answer, "x_groq.usage");
	if (!status && json_object_is_type(usage, json_type_object))
		status = tell_usage(d, usage);
	if (!json_object_is_type(choices, json_type_array))
		return status;
	for (size_t i = 0; i < json_object_array_length(choices) && !status && !d->failed;
	     i++)
		status = tell_choice(d, json_object_array_get_idx(choices, i));
	return status;
}

/* ---- the two forms ---------------------------------------------------------- */

static int on_event(const char *name, const char *data, size_t len, void *arg)
{
	struct decoder *d = arg;
	AUTO(json) json_object *chunk = NULL;
	struct error why = ERROR_NONE;

	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		d->finished = true;
		return d->host->finished(d->x);
	}
	if (!len || d->failed)
		return MT_OK;
	chunk = js_parse_object(data, len, &why);
	if (!chunk)
		return tell(d, MT_ERROR_MALFORMED, why.text);
	if (strcmp(name, "error") == 0)
		return tell_error(d, chunk);
	return tell_answer(d, chunk);
}

static int whole_answer(struct decoder *d)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *answer = js_parse_object(d->body.text, d->body.len, &why);

	if (!answer && d->body.len
	    && d->body.text[strspn(d->body.text, " \t\r\n")] == '<')
		return tell(d, d->status >= 300 ? MT_ERROR_NONE : MT_ERROR_NOT_FOUND,
			    "a web page came instead of an answer");
	if (!answer && d->status >= 300)
		return tell(d, MT_ERROR_NONE, d->body.text);
	if (!answer)
		return tell(d, MT_ERROR_MALFORMED, why.text);
	d->finished = true;
	return tell_answer(d, answer);
}

/* By the content type; UNKNOWN if it does not tell. */
static enum form form_of_type(const char *type)
{
	if (strncasecmp(type, "text/event-stream", 17) == 0)
		return STREAM;
	if (strncasecmp(type, "application/json", 16) == 0
	    || strncasecmp(type, "text/html", 9) == 0)
		return WHOLE;
	return UNKNOWN;
}

/* By its first byte that is no space: a stream begins with the name of a field
 * or a colon. */
static enum form form_of_byte(char c)
{
	return c && strchr("deir:", c) ? STREAM : WHOLE;
}

static bool is_space_or_mark(char c)
{
	return c && strchr(" \t\r\n\xef\xbb\xbf", c);
}

static struct decoder *decoder_of(const struct mt_dialect_host *host,
				  struct mt_exchange *x, int status)
{
	struct decoder *d = host->state(x, sizeof *d);

	if (!d)
		return NULL;
	d->host = host;
	d->x = x;
	d->status = status;
	if (!d->open) {
		d->open = true;
		d->body = STRBUF(MAX_BODY);
		sse_init(&d->sse, MAX_EVENT, on_event, d);
		host->on_end(x, release);
	}
	return d;
}

int openai_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len)
{
	struct decoder *d = decoder_of(host, x, status);

	if (!d)
		return MT_ENOMEM;
	if (d->form == UNKNOWN)
		d->form = form_of_type(type);
	if (d->form == UNKNOWN) {
		for (; len && is_space_or_mark(*bytes); len--)
			bytes++;
		if (!len)
			return MT_OK;
		d->form = form_of_byte(*bytes);
	}
	if (d->form == STREAM)
		return sse_feed(&d->sse, bytes, len);
	return strbuf_addn(&d->body, bytes, len);
}

int openai_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status)
{
	struct decoder *d = decoder_of(host, x, status);

	if (!d)
		return MT_ENOMEM;
	if (d->form == UNKNOWN && status < 300)
		return tell(d, MT_ERROR_MALFORMED, "it is empty");
	if (d->form != STREAM) {
		int failed = whole_answer(d);

		if (failed || d->failed)
			return failed;
	}
	if (d->failed)
		return MT_OK;
	if (!d->finished)
		return tell(d, MT_ERROR_MALFORMED, "it was cut short");
	if (!d->choices)
		return tell(d, MT_ERROR_MALFORMED, "it holds no choices");
	return MT_OK;
}
