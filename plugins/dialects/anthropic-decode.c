/* SPDX-License-Identifier: MIT
 *
 * anthropic-decode.c - decodes responses of Anthropic's Messages API.
 *
 * If a reply has more than text and calls (thinking with its signature, results of server
 * tools), its blocks are stored and sent back unchanged. Unknown events and deltas are
 * ignored; a second message_start after content means that a proxy restarted the
 * reply. */
#include "anthropic.h"
#include "array.h"
#include <string.h>

enum { MAX_BLOCKS = 1024, MAX_CALLS = 128 };

struct block {
	int64_t index;
	json_object *start;      /* as received, deltas appended */
	struct strbuf text;      /* of thinking or text */
	struct strbuf signature;
	struct strbuf input;     /* partial JSON */
	int call;                /* index of the call; -1: none */
};

struct decoder {
	struct answer a;
	struct block *blocks;
	size_t count, room, calls;
	char message[128];       /* id of the message */
	bool begun, ended;       /* message_start, message_stop */
	bool stopped;            /* stop reason received; only the end is missing */
	bool special;            /* more than text and calls */
	struct mt_usage usage;
};

static struct decoder *anthropic_decoder_of(struct answer *a)
{
	return (struct decoder *)a;
}

static void clear_blocks(struct decoder *d)
{
	for (size_t i = 0; i < d->count; i++) {
		json_object_put(d->blocks[i].start);
		strbuf_clear(&d->blocks[i].text);
		strbuf_clear(&d->blocks[i].signature);
		strbuf_clear(&d->blocks[i].input);
	}
	d->count = d->calls = 0;
	d->special = false;
}

static void anthropic_decode_release(struct answer *a)
{
	clear_blocks(anthropic_decoder_of(a));
	free(anthropic_decoder_of(a)->blocks);
}

/* ---- errors ------------------------------------------------------------------ */

static const struct kind_name kinds[] = {
	{ "authentication_error", MT_ERROR_AUTHENTICATION },
	{ "permission_error", MT_ERROR_AUTHENTICATION },
	{ "billing_error", MT_ERROR_QUOTA },
	{ "not_found_error", MT_ERROR_NOT_FOUND },
	{ "request_too_large", MT_ERROR_CONTEXT_WINDOW },
	{ "rate_limit_error", MT_ERROR_RATE_LIMIT },
	{ "timeout_error", MT_ERROR_TIMEOUT },
	{ "api_error", MT_ERROR_INTERNAL },
	{ "overloaded_error", MT_ERROR_OVERLOADED },
	{ "invalid_request_error", MT_ERROR_BAD_REQUEST },
};

static int anthropic_decode_tell_error(struct answer *a, json_object *answer)
{
	json_object *e = js_get(answer, "error");
	const char *text;
	int kind;

	if (!json_object_is_type(e, json_type_object))
		e = answer;
	text = js_str(e, "message", NULL);
	if (!text)
		text = js_text(e, NULL);
	kind = answer_kind_of_name(kinds, ARRAY_LEN(kinds), js_str(e, "type", ""));
	if (kind == MT_ERROR_BAD_REQUEST && strstr(text ? text : "", "credit balance"))
		kind = MT_ERROR_QUOTA;
	return answer_fail(a, kind, -1, text ? text : "");
}

/* ---- usage ------------------------------------------------------------------- */

static void take_count(int64_t *place, json_object *usage, const char *name)
{
	int64_t n = answer_count_at(usage, name);

	if (n >= 0)
		*place = n;
}

/* Counts of later events replace earlier ones. `input` alone does not include tokens read
 * from or written to the cache. */
static int anthropic_decode_tell_usage(struct decoder *d, json_object *usage)
{
	struct mt_usage sum;

	if (!json_object_is_type(usage, json_type_object))
		return MT_OK;
	take_count(&d->usage.input, usage, "input_tokens");
	take_count(&d->usage.output, usage, "output_tokens");
	take_count(&d->usage.cache_read, usage, "cache_read_input_tokens");
	take_count(&d->usage.cache_write, usage, "cache_creation_input_tokens");
	take_count(&d->usage.reasoning, usage, "output_tokens_details.thinking_tokens");
	sum = d->usage;
	sum.input = answer_count_sum(sum.input, sum.cache_read, sum.cache_write);
	return d->a.host->usage(d->a.x, &sum);
}

/* ---- blocks ------------------------------------------------------------------- */

static bool anthropic_decode_is_type(const struct block *b, const char *type)
{
	return strcmp(js_str(b->start, "type", ""), type) == 0;
}

/* The newest block with an index; NULL: none. */
static struct block *anthropic_decode_block_at(struct decoder *d, int64_t index)
{
	for (size_t i = d->count; i-- > 0;)
		if (d->blocks[i].index == index)
			return &d->blocks[i];
	return NULL;
}

static struct block *anthropic_decode_add_block(struct decoder *d, int64_t index,
						json_object *start)
{
	if (ARRAY_GROW(d->blocks, &d->room, d->count + 1, MAX_BLOCKS))
		return NULL;
	d->blocks[d->count] = (struct block){
		.index = index, .start = json_object_get(start), .call = -1,
		.text = STRBUF(ANSWER_MAX_BODY), .signature = STRBUF(ANSWER_MAX_BODY),
		.input = STRBUF(ANSWER_MAX_BODY),
	};
	return &d->blocks[d->count++];
}

/* Pass a text member of a start or a delta to the host, and append it to the block. */
static int tell_piece(struct decoder *d, struct block *b, json_object *text,
		      bool reasoning)
{
	if (!json_object_is_type(text, json_type_string))
		return MT_OK;
	if (strbuf_addn(&b->text, json_object_get_string(text),
			(size_t)json_object_get_string_len(text)))
		return b->text.error;
	return answer_tell_text(&d->a, text, reasoning);
}

static int anthropic_decode_begin_call(struct decoder *d, struct block *b)
{
	json_object *input = js_get(b->start, "input");
	const char *args = "";
	size_t len = 0;

	if (d->calls == MAX_CALLS)
		return MT_ELIMIT;
	b->call = (int)d->calls++;
	/* in a stream, it starts as an empty object and arrives in pieces */
	if (json_object_is_type(input, json_type_object) &&
	    json_object_object_length(input) > 0)
		args = js_text(input, &len);
	else
		args = "";
	if (!args)
		return MT_ENOMEM;
	return d->a.host->tool_call(d->a.x, (size_t)b->call, js_str(b->start, "id", NULL),
				    js_str(b->start, "name", ""), args, len);
}

static int begin_block(struct decoder *d, int64_t index, json_object *start)
{
	struct block *b;

	if (!json_object_is_type(start, json_type_object))
		return MT_OK;
	b = anthropic_decode_add_block(d, index, start);
	if (!b)
		return d->count == MAX_BLOCKS ? MT_ELIMIT : MT_ENOMEM;
	if (anthropic_decode_is_type(b, "tool_use"))
		return anthropic_decode_begin_call(d, b);
	if (anthropic_decode_is_type(b, "text"))
		return tell_piece(d, b, js_get(start, "text"), false);
	d->special = true;
	if (anthropic_decode_is_type(b, "thinking"))
		return tell_piece(d, b, js_get(start, "thinking"), true);
	return MT_OK;
}

static int anthropic_decode_add_signature(struct block *b, json_object *text)
{
	return json_object_is_type(text, json_type_string)
		       ? strbuf_addn(&b->signature, json_object_get_string(text),
				     (size_t)json_object_get_string_len(text))
		       : MT_OK;
}

static int anthropic_decode_add_input(struct decoder *d, struct block *b,
				      json_object *text)
{
	size_t len;

	if (!json_object_is_type(text, json_type_string))
		return MT_OK;
	len = (size_t)json_object_get_string_len(text);
	if (b->call >= 0)
		return d->a.host->tool_call(d->a.x, (size_t)b->call, NULL, NULL,
					    json_object_get_string(text), len);
	return strbuf_addn(&b->input, json_object_get_string(text), len);
}

/* Members of a delta of unknown type override those of the block. */
static int lay_over(struct block *b, json_object *delta)
{
	json_object_object_foreach(delta, name, value) {
		if (strcmp(name, "type") != 0 &&
		    js_set(b->start, name, json_object_get(value)))
			return MT_ENOMEM;
	}
	return MT_OK;
}

static int add_citation(struct block *b, json_object *citation)
{
	json_object *all = js_get(b->start, "citations");

	if (!citation)
		return MT_OK;
	if (!json_object_is_type(all, json_type_array)) {
		all = json_object_new_array();
		if (!all || js_set(b->start, "citations", all))
			return MT_ENOMEM;
	}
	return js_add_new(all, json_object_get(citation));
}

static int anthropic_decode_add_delta(struct decoder *d, struct block *b,
				      json_object *delta)
{
	const char *type = js_str(delta, "type", "");

	if (strcmp(type, "text_delta") == 0)
		return tell_piece(d, b, js_get(delta, "text"), false);
	if (strcmp(type, "thinking_delta") == 0)
		return tell_piece(d, b, js_get(delta, "thinking"), true);
	if (strcmp(type, "signature_delta") == 0)
		return anthropic_decode_add_signature(b, js_get(delta, "signature"));
	if (strcmp(type, "input_json_delta") == 0)
		return anthropic_decode_add_input(d, b, js_get(delta, "partial_json"));
	if (strcmp(type, "citations_delta") == 0)
		return add_citation(b, js_get(delta, "citation"));
	return json_object_is_type(delta, json_type_object) ? lay_over(b, delta) : MT_OK;
}

/* ---- stored blocks -------------------------------------------------------------- */

static int put_text_member(struct strbuf *out, const char *name,
			   const struct strbuf *text)
{
	js_key(out, name);
	return js_put_str(out, text->text, text->len);
}

/* Complete the block with its deltas. */
static int finish_block(struct block *b)
{
	AUTO(json) json_object *input = NULL;
	struct error err = ERROR_NONE;

	if (b->text.len && anthropic_decode_is_type(b, "text") &&
	    js_set_strn(b->start, "text", b->text.text, b->text.len))
		return MT_ENOMEM;
	if (anthropic_decode_is_type(b, "thinking") &&
	    (js_set_strn(b->start, "thinking", b->text.text, b->text.len) ||
	     (b->signature.len &&
	      js_set_strn(b->start, "signature", b->signature.text, b->signature.len))))
		return MT_ENOMEM;
	if (!b->input.len)
		return MT_OK;
	input = js_parse(b->input.text, b->input.len, &err);
	if (err.code == MT_ENOMEM)
		return MT_ENOMEM;
	return input ? js_set(b->start, "input", STEAL(input)) : MT_OK;
}

static int anthropic_decode_keep_block(struct strbuf *out, struct block *b,
				       bool only_text)
{
	AUTO(strbuf) struct strbuf id = STRBUF(4096);

	if (anthropic_decode_is_type(b, "text") && !b->text.len)
		return MT_OK;
	if (!out->len || out->text[out->len - 1] != '[')
		strbuf_addc(out, ',');
	if (anthropic_decode_is_type(b, "text") && only_text)
		return strbuf_add(out, "{\"type\":\"text\"}");
	if (b->call >= 0) {
		strbuf_add(&id, js_str(b->start, "id", ""));
		strbuf_add(out, "{\"type\":\"tool_use\"");
		put_text_member(out, "id", &id);
		return strbuf_addc(out, '}');
	}
	return finish_block(b) ? MT_ENOMEM : js_put(out, b->start);
}

static int anthropic_decode_keep(struct decoder *d)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX_BODY);
	size_t texts = 0;

	if (!d->special)
		return MT_OK;
	for (size_t i = 0; i < d->count; i++)
		texts += anthropic_decode_is_type(&d->blocks[i], "text") &&
			 d->blocks[i].text.len;
	strbuf_add(&out, "{\"" ANTHROPIC_KEPT "\":[");
	for (size_t i = 0; i < d->count; i++)
		if (anthropic_decode_keep_block(&out, &d->blocks[i], texts == 1))
			return MT_ENOMEM;
	if (strbuf_add(&out, "]}"))
		return out.error;
	return d->a.host->opaque(d->a.x, out.text, out.len);
}

/* ---- the end ---------------------------------------------------------------------- */

static int anthropic_decode_tell_stop(struct decoder *d, const char *reason)
{
	static const struct {
		const char *theirs, *ours;
	} reasons[] = {
		{ "end_turn", "stop" },        { "stop_sequence", "stop" },
		{ "pause_turn", "stop" },      { "tool_use", "tool_calls" },
		{ "max_tokens", "length" },    { "refusal", "refusal" },
	};

	if (!*reason)
		return MT_OK;
	d->stopped = true;
	if (strcmp(reason, "model_context_window_exceeded") == 0)
		return answer_fail(&d->a, MT_ERROR_CONTEXT_WINDOW, -1,
				   "the response exceeded the context window");
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (strcmp(reason, reasons[i].theirs) == 0)
			return d->a.host->stopped(d->a.x, reasons[i].ours);
	return d->a.host->stopped(d->a.x, "stop");
}

static int end_message(struct decoder *d)
{
	int status = anthropic_decode_keep(d);

	d->ended = true;
	return status ? status : answer_over(&d->a);
}

/* ---- a stream -------------------------------------------------------------------- */

static int anthropic_decode_begin_message(struct decoder *d, json_object *message)
{
	const char *id = js_str(message, "id", "");
	int status;

	if (d->begun && d->count) {
		clear_blocks(d);
		d->a.host->restarted(d->a.x);
	}
	if (!d->begun || strcmp(id, d->message) != 0)
		d->usage =
			(struct mt_usage){ sizeof d->usage, 0, -1, -1, -1, -1, -1, -1 };
	d->begun = true;
	snprintf(d->message, sizeof d->message, "%s", id);
	status = d->a.host->response_id(d->a.x, id);
	return status ? status : anthropic_decode_tell_usage(d, js_get(message, "usage"));
}

static int anthropic_decode_on_event(struct answer *a, const char *name,
				     json_object *event)
{
	struct decoder *d = anthropic_decoder_of(a);
	const char *type = js_str(event, "type", name);
	int64_t index = js_int(event, "index", -1);
	struct block *b = anthropic_decode_block_at(d, index);
	int status;

	if (strcmp(type, "error") == 0 ||
	    (!js_get(event, "type") && js_get(event, "error")))
		return anthropic_decode_tell_error(a, event);
	if (strcmp(type, "message_start") == 0)
		return anthropic_decode_begin_message(d, js_get(event, "message"));
	if (strcmp(type, "content_block_start") == 0)
		return begin_block(d, index, js_get(event, "content_block"));
	if (strcmp(type, "content_block_delta") == 0)
		return b ? anthropic_decode_add_delta(d, b, js_get(event, "delta"))
			 : MT_OK;
	if (strcmp(type, "message_stop") == 0)
		return end_message(d);
	if (strcmp(type, "message_delta") != 0)
		return MT_OK;
	status = anthropic_decode_tell_usage(d, js_get(event, "usage"));
	return status ? status
		      : anthropic_decode_tell_stop(d, js_str(js_get(event, "delta"),
							     "stop_reason", ""));
}

/* ---- a complete response ---------------------------------------------------------- */

static int anthropic_decode_on_whole(struct answer *a, json_object *answer)
{
	struct decoder *d = anthropic_decoder_of(a);
	json_object *content = js_get(answer, "content");
	int status;

	if (strcmp(js_str(answer, "type", ""), "error") == 0 || js_get(answer, "error"))
		return anthropic_decode_tell_error(a, answer);
	if (!json_object_is_type(content, json_type_array))
		return answer_fail(a, MT_ERROR_MALFORMED, -1,
				   "the response has no content");
	status = anthropic_decode_begin_message(d, answer);
	for (size_t i = 0; i < json_object_array_length(content) && !status; i++)
		status =
			begin_block(d, (int64_t)i, json_object_array_get_idx(content, i));
	if (!status)
		status = anthropic_decode_tell_stop(d, js_str(answer, "stop_reason", ""));
	return status || a->failed ? status : end_message(d);
}

/* Some servers close the connection before the last event is complete. */
static int anthropic_decode_on_end(struct answer *a)
{
	struct decoder *d = anthropic_decoder_of(a);

	return d->stopped && !d->ended ? end_message(d) : MT_OK;
}

static const struct answer_rules rules = {
	.size = sizeof(struct decoder),
	.event = anthropic_decode_on_event,
	.whole = anthropic_decode_on_whole,
	.error = anthropic_decode_tell_error,
	.end = anthropic_decode_on_end,
	.release = anthropic_decode_release,
};

int anthropic_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		   const char *type, const char *bytes, size_t len)
{
	return answer_feed(&rules, host, x, status, type, bytes, len);
}

int anthropic_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status)
{
	return answer_end(&rules, host, x, status);
}
