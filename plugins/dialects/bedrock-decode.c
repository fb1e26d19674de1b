/* SPDX-License-Identifier: MIT
 *
 * bedrock-decode.c - decodes responses of Amazon Bedrock's Converse API: a binary
 * event stream, or one object. */
#include "bedrock.h"
#include "array.h"
#include "eventstream.h"
#include <string.h>
#include <strings.h>

enum { MAX_BLOCKS = 1024, MAX_CALLS = 128 };

struct block {
	int64_t index;
	int call;                /* index of the call; -1: none */
	char *id;                /* of the call */
	struct strbuf text;      /* or reasoning */
	struct strbuf signature, redacted;
	bool reasoning;
	json_object *whole;      /* reasoning of a complete response */
};

struct decoder {
	struct answer a;
	struct eventstream frames;
	struct block *blocks;
	size_t count, room, calls;
	bool begun;              /* the first bytes were received */
	bool framed;             /* `frames` is set up */
	bool stopped, counted;   /* messageStop, metadata */
};

static struct decoder *bedrock_decoder_of(struct answer *a)
{
	return (struct decoder *)a;
}

static void bedrock_decode_release(struct answer *a)
{
	struct decoder *d = bedrock_decoder_of(a);

	for (size_t i = 0; i < d->count; i++) {
		free(d->blocks[i].id);
		strbuf_clear(&d->blocks[i].text);
		strbuf_clear(&d->blocks[i].signature);
		strbuf_clear(&d->blocks[i].redacted);
		json_object_put(d->blocks[i].whole);
	}
	free(d->blocks);
	if (d->framed)
		eventstream_done(&d->frames);
}

/* ---- errors ------------------------------------------------------------------- */

static const struct kind_name kinds[] = {
	{ "AccessDeniedException", MT_ERROR_AUTHENTICATION },
	{ "ExpiredTokenException", MT_ERROR_AUTHENTICATION },
	{ "IncompleteSignatureException", MT_ERROR_AUTHENTICATION },
	{ "InvalidSignatureException", MT_ERROR_AUTHENTICATION },
	{ "MissingAuthenticationTokenException", MT_ERROR_AUTHENTICATION },
	{ "UnrecognizedClientException", MT_ERROR_AUTHENTICATION },
	{ "ThrottlingException", MT_ERROR_RATE_LIMIT },
	{ "ServiceQuotaExceededException", MT_ERROR_QUOTA },
	{ "ServiceUnavailableException", MT_ERROR_OVERLOADED },
	{ "ModelNotReadyException", MT_ERROR_OVERLOADED },
	{ "ModelTimeoutException", MT_ERROR_TIMEOUT },
	{ "ModelErrorException", MT_ERROR_INTERNAL },
	{ "ModelStreamErrorException", MT_ERROR_INTERNAL },
	{ "InternalServerException", MT_ERROR_INTERNAL },
	{ "ResourceNotFoundException", MT_ERROR_NOT_FOUND },
	{ "ValidationException", MT_ERROR_BAD_REQUEST },
};

/* Take the name from "ValidationException:http://..." or "a.b#ValidationException"; in a
 * stream it starts with a lowercase letter. */
static int kind_of_error(const char *type)
{
	char name[64];
	const char *hash = strrchr(type, '#');

	if (hash)
		type = hash + 1;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(type, ":"), type);
	if (name[0] >= 'a' && name[0] <= 'z')
		name[0] = (char)(name[0] - 32);
	return answer_kind_of_name(kinds, ARRAY_LEN(kinds), name);
}

static int tell_error_of(struct answer *a, const char *type, json_object *answer)
{
	const char *text = js_str(answer, "message", js_str(answer, "Message", NULL));
	int kind = kind_of_error(type);

	if (!text)
		text = *type ? type : js_text(answer, NULL);
	if (kind == MT_ERROR_RATE_LIMIT && text && strcasestr(text, "per day"))
		kind = MT_ERROR_QUOTA;
	return answer_fail(a, kind, -1, text ? text : "");
}

static int bedrock_decode_tell_error(struct answer *a, json_object *answer)
{
	const char *type = a->host->answer_header(a->x, "x-amzn-errortype");

	return tell_error_of(a, type ? type : js_str(answer, "__type", ""), answer);
}

/* ---- usage, the end -------------------------------------------------------------- */

/* Input does not include tokens read from or written to the cache. */
static int bedrock_decode_tell_usage(struct decoder *d, json_object *usage)
{
	struct mt_usage u = {
		.size = sizeof u,
		.input = answer_count_at(usage, "inputTokens"),
		.output = answer_count_at(usage, "outputTokens"),
		.cache_read = answer_count_at(usage, "cacheReadInputTokens"),
		.cache_write = answer_count_at(usage, "cacheWriteInputTokens"),
		.reasoning = -1,
		.cost = -1,
	};

	if (!json_object_is_type(usage, json_type_object))
		return MT_OK;
	u.input = answer_count_sum(u.input, u.cache_read, u.cache_write);
	return d->a.host->usage(d->a.x, &u);
}

static int bedrock_decode_tell_stop(struct decoder *d, const char *reason)
{
	static const struct {
		const char *theirs, *ours;
	} reasons[] = {
		{ "end_turn", "stop" },
		{ "stop_sequence", "stop" },
		{ "tool_use", "tool_calls" },
		{ "max_tokens", "length" },
		{ "guardrail_intervened", "refusal" },
		{ "content_filtered", "refusal" },
	};

	d->stopped = true;
	if (strcmp(reason, "model_context_window_exceeded") == 0)
		return answer_fail(&d->a, MT_ERROR_CONTEXT_WINDOW, -1,
				   "the response exceeded the context window");
	if (strncmp(reason, "malformed_", 10) == 0)
		return answer_fail(&d->a, MT_ERROR_MALFORMED, -1,
				   "the model produced an invalid tool call");
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (strcmp(reason, reasons[i].theirs) == 0)
			return d->a.host->stopped(d->a.x, reasons[i].ours);
	return d->a.host->stopped(d->a.x, "stop");
}

/* ---- stored blocks ----------------------------------------------------------------- */

static void keep_reasoning(struct strbuf *out, struct block *b)
{
	if (b->whole) {
		js_put(out, b->whole);
		return;
	}
	strbuf_add(out, "{\"reasoningContent\":{");
	if (b->redacted.len) {
		js_key_strn(out, "redactedContent", b->redacted.text, b->redacted.len);
	} else {
		strbuf_add(out, "\"reasoningText\":{");
		js_key_strn(out, "text", b->text.text, b->text.len);
		if (b->signature.len)
			js_key_strn(out, "signature", b->signature.text,
				    b->signature.len);
		strbuf_addc(out, '}');
	}
	strbuf_add(out, "}}");
}

static void bedrock_decode_keep_block(struct strbuf *out, struct block *b, size_t texts)
{
	if (!b->reasoning && b->call < 0 && !b->text.len)
		return;
	if (!out->len || out->text[out->len - 1] != '[')
		strbuf_addc(out, ',');
	if (b->reasoning) {
		keep_reasoning(out, b);
		return;
	}
	strbuf_addc(out, '{');
	if (b->call >= 0)
		js_key_str(out, "toolUse", b->id ? b->id : "");
	else if (texts > 1)
		js_key_strn(out, "text", b->text.text, b->text.len);
	else
		strbuf_add(out, "\"text\":null");
	strbuf_addc(out, '}');
}

static int bedrock_decode_keep(struct decoder *d)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX_BODY);
	size_t texts = 0;
	bool special = false;

	for (size_t i = 0; i < d->count; i++) {
		struct block *b = &d->blocks[i];

		special |= b->reasoning;
		texts += !b->reasoning && b->call < 0 && b->text.len;
	}
	if (!special)
		return MT_OK;
	strbuf_add(&out, "{\"" BEDROCK_KEPT "\":[");
	for (size_t i = 0; i < d->count; i++)
		bedrock_decode_keep_block(&out, &d->blocks[i], texts);
	if (strbuf_add(&out, "]}"))
		return out.error;
	return d->a.host->opaque(d->a.x, out.text, out.len);
}

static int bedrock_decode_finish(struct decoder *d)
{
	int status;

	if (!d->stopped || !d->counted || d->a.failed || d->a.over)
		return MT_OK;
	status = bedrock_decode_keep(d);
	return status ? status : answer_over(&d->a);
}

/* ---- blocks -------------------------------------------------------------------------- */

static struct block *bedrock_decode_block_at(struct decoder *d, int64_t index)
{
	for (size_t i = d->count; i-- > 0;)
		if (d->blocks[i].index == index)
			return &d->blocks[i];
	if (ARRAY_GROW(d->blocks, &d->room, d->count + 1, MAX_BLOCKS))
		return NULL;
	d->blocks[d->count] = (struct block){
		.index = index, .call = -1, .text = STRBUF(ANSWER_MAX_BODY),
		.signature = STRBUF(ANSWER_MAX_BODY), .redacted = STRBUF(ANSWER_MAX_BODY),
	};
	return &d->blocks[d->count++];
}

static int bedrock_decode_add_piece(struct strbuf *b, json_object *text)
{
	return json_object_is_type(text, json_type_string)
		       ? strbuf_addn(b, json_object_get_string(text),
				     (size_t)json_object_get_string_len(text))
		       : MT_OK;
}

static int bedrock_decode_begin_call(struct decoder *d, struct block *b, json_object *use,
				     const char *args, size_t len)
{
	const char *id = js_str(use, "toolUseId", "");

	if (b->call >= 0)
		return MT_OK;
	if (d->calls == MAX_CALLS)
		return MT_ELIMIT;
	b->id = strdup(id);
	if (!b->id)
		return MT_ENOMEM;
	b->call = (int)d->calls++;
	return d->a.host->tool_call(d->a.x, (size_t)b->call, *id ? id : NULL,
				    js_str(use, "name", ""), args, len);
}

static int bedrock_decode_add_reasoning(struct decoder *d, struct block *b,
					json_object *r)
{
	int status = bedrock_decode_add_piece(&b->text, js_get(r, "text"));

	b->reasoning = true;
	if (!status)
		status = bedrock_decode_add_piece(&b->signature, js_get(r, "signature"));
	if (!status)
		status = bedrock_decode_add_piece(&b->redacted,
						  js_get(r, "redactedContent"));
	return status ? status : answer_tell_text(&d->a, js_get(r, "text"), true);
}

static int bedrock_decode_add_delta(struct decoder *d, struct block *b,
				    json_object *delta)
{
	json_object *input = js_path(delta, "toolUse.input");
	json_object *reasoning = js_get(delta, "reasoningContent");
	int status;

	if (json_object_is_type(reasoning, json_type_object))
		return bedrock_decode_add_reasoning(d, b, reasoning);
	if (json_object_is_type(input, json_type_string) && b->call >= 0)
		return d->a.host->tool_call(d->a.x, (size_t)b->call, NULL, NULL,
					    json_object_get_string(input),
					    (size_t)json_object_get_string_len(input));
	status = bedrock_decode_add_piece(&b->text, js_get(delta, "text"));
	return status ? status : answer_tell_text(&d->a, js_get(delta, "text"), false);
}

/* ---- a stream -------------------------------------------------------------------------- */

static int on_named(struct decoder *d, const char *name, json_object *event)
{
	int64_t index = js_int(event, "contentBlockIndex", 0);
	json_object *use = js_path(event, "start.toolUse");
	struct block *b;
	int status;

	if (strcmp(name, "messageStop") == 0) {
		status = bedrock_decode_tell_stop(d, js_str(event, "stopReason", ""));
		return status ? status : bedrock_decode_finish(d);
	}
	if (strcmp(name, "metadata") == 0) {
		d->counted = true;
		status = bedrock_decode_tell_usage(d, js_get(event, "usage"));
		return status ? status : bedrock_decode_finish(d);
	}
	if (strcmp(name, "contentBlockStart") != 0 &&
	    strcmp(name, "contentBlockDelta") != 0)
		return MT_OK;
	b = bedrock_decode_block_at(d, index);
	if (!b)
		return MT_ELIMIT;
	if (strcmp(name, "contentBlockDelta") == 0)
		return bedrock_decode_add_delta(d, b, js_get(event, "delta"));
	return json_object_is_type(use, json_type_object)
		       ? bedrock_decode_begin_call(d, b, use, "", 0)
		       : MT_OK;
}

static int bedrock_decode_on_message(const struct eventstream_message *m, void *arg)
{
	struct decoder *d = arg;
	char kind[32], type[128], name[128];
	AUTO(json) json_object *event = NULL;
	struct error why = ERROR_NONE;

	if (d->a.failed || d->a.over)
		return MT_OK;
	if (eventstream_header(m, ":message-type", kind, sizeof kind) ||
	    eventstream_header(m, ":event-type", name, sizeof name) ||
	    eventstream_header(m, ":exception-type", type, sizeof type))
		return answer_fail(&d->a, MT_ERROR_MALFORMED, -1,
				   "an event has malformed headers");
	event = m->payload_len ? js_parse((const char *)m->payload, m->payload_len, &why)
			       : NULL;
	if (why.code)
		return answer_fail(&d->a, MT_ERROR_MALFORMED, -1, why.text);
	if (strcmp(kind, "exception") == 0)
		return tell_error_of(&d->a, type, event);
	if (strcmp(kind, "error") == 0) {
		eventstream_header(m, ":error-code", type, sizeof type);
		eventstream_header(m, ":error-message", name, sizeof name);
		return answer_fail(&d->a, kind_of_error(type), -1, *name ? name : type);
	}
	return on_named(d, name, event);
}

/* ---- a complete response ----------------------------------------------------------- */

static int whole_block(struct decoder *d, int64_t index, json_object *block)
{
	json_object *use = js_get(block, "toolUse"), *args = js_get(use, "input");
	json_object *reasoning = js_get(block, "reasoningContent");
	struct block *b = bedrock_decode_block_at(d, index);
	const char *text;
	size_t len = 0;

	if (!b)
		return MT_ELIMIT;
	if (json_object_is_type(use, json_type_object)) {
		text = args ? js_text(args, &len) : "";
		return text ? bedrock_decode_begin_call(d, b, use, text, len) : MT_ENOMEM;
	}
	if (json_object_is_type(reasoning, json_type_object)) {
		b->reasoning = true;
		b->whole = json_object_get(block);
		return answer_tell_text(&d->a, js_path(reasoning, "reasoningText.text"),
					true);
	}
	return bedrock_decode_add_delta(d, b, block);
}

static int bedrock_decode_on_whole(struct answer *a, json_object *answer)
{
	struct decoder *d = bedrock_decoder_of(a);
	json_object *content = js_path(answer, "output.message.content");
	int status = MT_OK;

	if (!json_object_is_type(content, json_type_array))
		return js_get(answer, "message") || js_get(answer, "__type")
			       ? bedrock_decode_tell_error(a, answer)
			       : answer_fail(a, MT_ERROR_MALFORMED, -1,
					     "the response has no message");
	for (size_t i = 0; i < json_object_array_length(content) && !status; i++)
		status =
			whole_block(d, (int64_t)i, json_object_array_get_idx(content, i));
	if (!status)
		status = bedrock_decode_tell_usage(d, js_get(answer, "usage"));
	if (!status)
		status = bedrock_decode_tell_stop(d, js_str(answer, "stopReason", ""));
	d->counted = true;
	return status ? status : bedrock_decode_finish(d);
}

/* The response is complete even without metadata. */
static int bedrock_decode_on_end(struct answer *a)
{
	struct decoder *d = bedrock_decoder_of(a);

	d->counted = true;
	return bedrock_decode_finish(d);
}

static int no_events(struct answer *a, const char *name, json_object *event)
{
	(void)name, (void)event;
	return answer_fail(a, MT_ERROR_MALFORMED, -1, "unexpected stream type");
}

static const struct answer_rules rules = {
	.size = sizeof(struct decoder),
	.event = no_events,
	.whole = bedrock_decode_on_whole,
	.error = bedrock_decode_tell_error,
	.end = bedrock_decode_on_end,
	.release = bedrock_decode_release,
};

/* A message shorter than 16 MiB starts with a zero byte, unlike any text. */
static bool is_binary(const char *type, const char *bytes, size_t len)
{
	static const char wanted[] = "application/vnd.amazon.eventstream";

	return strncasecmp(type, wanted, strlen(wanted)) == 0 || (len && !*bytes);
}

int bedrock_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		 const char *type, const char *bytes, size_t len)
{
	struct answer *a = answer_of(&rules, host, x, status);
	struct decoder *d;

	if (!a)
		return MT_ENOMEM;
	d = bedrock_decoder_of(a);
	if (!d->begun && status < 300 && is_binary(type, bytes, len)) {
		a->form = FORM_STREAM;
		d->framed = true;
		eventstream_init(&d->frames, ANSWER_MAX_EVENT, bedrock_decode_on_message,
				 d);
	}
	d->begun |= len > 0;
	return d->framed ? eventstream_feed(&d->frames, bytes, len)
			 : answer_feed(&rules, host, x, status, type, bytes, len);
}

int bedrock_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status)
{
	return answer_end(&rules, host, x, status);
}
