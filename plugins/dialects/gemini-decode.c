/* SPDX-License-Identifier: MIT
 *
 * gemini-decode.c - decodes responses of Google's generateContent: a stream of responses,
 * each complete, or one.
 *
 * A signature belongs to its part: parts are joined only if neither has one. Signed parts
 * are sent back with the reply. */
#include "gemini.h"
#include "array.h"
#include <string.h>

enum { MAX_PARTS = 2048, MAX_CALLS = 128 };

enum part_kind { PART_TEXT, PART_THOUGHT, PART_CALL };

struct part {
	enum part_kind kind;
	struct strbuf text;
	char *signature;
	int call;              /* PART_CALL: index of the call */
	char *id;              /* id from the provider, or NULL */
};

struct decoder {
	struct answer a;
	struct part *parts;
	size_t count, room, calls;
	struct gemini_args args; /* of the call that arrives in pieces */
	int open;              /* 1 + index of that call; 0: none */
	bool stopped;
};

static struct decoder *gemini_decoder_of(struct answer *a)
{
	return (struct decoder *)a;
}

static void gemini_decode_release(struct answer *a)
{
	struct decoder *d = gemini_decoder_of(a);

	for (size_t i = 0; i < d->count; i++) {
		strbuf_clear(&d->parts[i].text);
		free(d->parts[i].signature);
		free(d->parts[i].id);
	}
	free(d->parts);
	if (d->args.value)
		args_clear(&d->args);
}

/* ---- errors ------------------------------------------------------------------- */

static const struct kind_name kinds[] = {
	{ "UNAUTHENTICATED", MT_ERROR_AUTHENTICATION },
	{ "PERMISSION_DENIED", MT_ERROR_AUTHENTICATION },
	{ "RESOURCE_EXHAUSTED", MT_ERROR_RATE_LIMIT },
	{ "UNAVAILABLE", MT_ERROR_OVERLOADED },
	{ "DEADLINE_EXCEEDED", MT_ERROR_TIMEOUT },
	{ "INTERNAL", MT_ERROR_INTERNAL },
	{ "NOT_FOUND", MT_ERROR_NOT_FOUND },
	{ "INVALID_ARGUMENT", MT_ERROR_BAD_REQUEST },
	{ "FAILED_PRECONDITION", MT_ERROR_BAD_REQUEST },
};

static bool type_is(json_object *detail, const char *name)
{
	const char *type = js_str(detail, "@type", "");
	size_t len = strlen(type), n = strlen(name);

	return len >= n && strcmp(type + len - n, name) == 0;
}

/* "34.4s" in milliseconds; -1: invalid. */
static int64_t read_delay(const char *text)
{
	char *end;
	double s;

	if (*text < '0' || *text > '9')
		return -1;
	s = strtod(text, &end);
	return strcmp(end, "s") == 0 && s >= 0 && s < 1e6 ? (int64_t)(s * 1000 + 0.5)
							  : -1;
}

/* A daily quota stays exhausted for a while. */
static bool is_daily(json_object *detail)
{
	json_object *all = js_get(detail, "violations");
	size_t count = js_length(all);

	for (size_t i = 0; i < count; i++)
		if (strstr(js_str(json_object_array_get_idx(all, i), "quotaId", ""),
			   "PerDay"))
			return true;
	return false;
}

static int gemini_decode_tell_error(struct answer *a, json_object *answer)
{
	json_object *e = js_get(answer, "error"), *details = js_get(e, "details");
	const char *text = js_str(e, "message", NULL);
	int kind = answer_kind_of_name(kinds, ARRAY_LEN(kinds), js_str(e, "status", ""));
	size_t count = js_length(details);
	int64_t wait = -1;

	for (size_t i = 0; i < count; i++) {
		json_object *detail = json_object_array_get_idx(details, i);

		if (type_is(detail, "RetryInfo"))
			wait = read_delay(js_str(detail, "retryDelay", ""));
		if (type_is(detail, "QuotaFailure") && is_daily(detail))
			kind = MT_ERROR_QUOTA;
		if (strcmp(js_str(detail, "reason", ""), "API_KEY_INVALID") == 0)
			kind = MT_ERROR_AUTHENTICATION;
	}
	if (!kind)
		kind = answer_kind_of_number(js_int(e, "code", 0));
	if (!text)
		text = js_text(e ? e : answer, NULL);
	return answer_fail(a, kind, wait, text ? text : "");
}

/* ---- usage, the end -------------------------------------------------------------- */

static int gemini_decode_tell_usage(struct decoder *d, json_object *usage)
{
	struct mt_usage u = {
		.size = sizeof u,
		.input = answer_count_at(usage, "promptTokenCount"),
		.output = answer_count_at(usage, "candidatesTokenCount"),
		.cache_read = answer_count_at(usage, "cachedContentTokenCount"),
		.cache_write = -1,
		.reasoning = answer_count_at(usage, "thoughtsTokenCount"),
		.cost = -1,
	};

	if (u.input < 0)
		return MT_OK; /* not reported yet */
	u.input = answer_count_sum(u.input,
				   answer_count_at(usage, "toolUsePromptTokenCount"), 0);
	u.output = answer_count_sum(u.output < 0 ? 0 : u.output, u.reasoning, 0);
	return d->a.host->usage(d->a.x, &u);
}

static int gemini_decode_tell_stop(struct decoder *d, const char *reason,
				   const char *message)
{
	static const char *const refusals[] = {
		"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT",
		"SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
	};
	static const char *const faults[] = {
		"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
		"MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE",
	};

	d->stopped = true;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		if (strcmp(reason, faults[i]) == 0)
			return answer_fail(&d->a, MT_ERROR_MALFORMED, -1,
					   *message ? message : reason);
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
		if (strcmp(reason, refusals[i]) == 0)
			return d->a.host->stopped(d->a.x, "refusal");
	if (strcmp(reason, "MAX_TOKENS") == 0)
		return d->a.host->stopped(d->a.x, "length");
	return d->a.host->stopped(d->a.x, d->calls ? "tool_calls" : "stop");
}

/* ---- parts ------------------------------------------------------------------------- */

static struct part *gemini_decode_add_part(struct decoder *d, enum part_kind kind)
{
	if (ARRAY_GROW(d->parts, &d->room, d->count + 1, MAX_PARTS))
		return NULL;
	d->parts[d->count] = (struct part){ .kind = kind, .call = -1,
					    .text = STRBUF(ANSWER_MAX_BODY) };
	return &d->parts[d->count++];
}

static int gemini_decode_sign(struct part *p, json_object *part)
{
	const char *signature = js_str(part, "thoughtSignature", NULL);

	if (!signature)
		return MT_OK;
	free(p->signature);
	p->signature = strdup(signature);
	return p->signature ? MT_OK : MT_ENOMEM;
}

static int gemini_decode_on_text(struct decoder *d, json_object *part, json_object *text)
{
	enum part_kind kind = js_bool(part, "thought", false) ? PART_THOUGHT : PART_TEXT;
	struct part *last = d->count ? &d->parts[d->count - 1] : NULL;
	bool joins = last && last->kind == kind && !last->signature &&
		     !js_get(part, "thoughtSignature");

	if (!joins)
		last = gemini_decode_add_part(d, kind);
	if (!last)
		return MT_ELIMIT;
	if (gemini_decode_sign(last, part) ||
	    strbuf_addn(&last->text, json_object_get_string(text),
			(size_t)json_object_get_string_len(text)))
		return MT_ENOMEM;
	return answer_tell_text(&d->a, text, kind == PART_THOUGHT);
}

/* The call that arrived in pieces is complete. */
static int end_pieces(struct decoder *d)
{
	json_object *value;
	const char *text;
	size_t len = 0;
	int call = d->open - 1;

	if (!d->open)
		return MT_OK;
	d->open = 0;
	value = args_end(&d->args);
	text = value ? js_text(value, &len) : NULL;
	if (!text)
		return answer_fail(&d->a, MT_ERROR_MALFORMED, -1,
				   "the chunks of a tool call are inconsistent");
	return d->a.host->tool_call(d->a.x, (size_t)call, NULL, NULL, text, len);
}

static int gemini_decode_begin_call(struct decoder *d, json_object *part,
				    json_object *call)
{
	json_object *args = js_get(call, "args");
	const char *id = js_str(call, "id", NULL), *text = NULL;
	bool pieces = js_get(call, "partialArgs") || js_bool(call, "willContinue", false);
	struct part *p;
	size_t len = 0;
	int status = end_pieces(d);

	if (status)
		return status;
	p = gemini_decode_add_part(d, PART_CALL);
	if (!p || d->calls == MAX_CALLS)
		return MT_ELIMIT;
	p->call = (int)d->calls++;
	if (id && *id)
		p->id = strdup(id);
	if (gemini_decode_sign(p, part) || (id && *id && !p->id))
		return MT_ENOMEM;
	if (pieces) {
		args_begin(&d->args);
		d->open = p->call + 1;
	} else if (json_object_is_type(args, json_type_object)) {
		text = js_text(args, &len);
		if (!text)
			return MT_ENOMEM;
	}
	return d->a.host->tool_call(d->a.x, (size_t)p->call, p->id,
				    js_str(call, "name", ""), text ? text : "", len);
}

static int add_pieces(struct decoder *d, json_object *call)
{
	json_object *all = js_get(call, "partialArgs");
	size_t count = js_length(all);
	int status = MT_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = args_add(&d->args, json_object_array_get_idx(all, i));
	if (status)
		return answer_fail(&d->a, MT_ERROR_MALFORMED, -1,
				   "the chunks of a tool call are inconsistent");
	return js_bool(call, "willContinue", false) ? MT_OK : end_pieces(d);
}

static int on_call(struct decoder *d, json_object *part, json_object *call)
{
	int status = MT_OK;

	if (js_get(call, "name"))
		status = gemini_decode_begin_call(d, part, call);
	if (!status && d->open)
		status = add_pieces(d, call);
	return status;
}

static int on_part(struct decoder *d, json_object *part)
{
	json_object *text = js_get(part, "text"), *call = js_get(part, "functionCall");

	if (json_object_is_type(call, json_type_object))
		return on_call(d, part, call);
	if (json_object_is_type(text, json_type_string))
		return gemini_decode_on_text(d, part, text);
	return MT_OK;
}

/* ---- stored parts ------------------------------------------------------------------ */

static void keep_part(struct strbuf *out, const struct part *p, size_t texts)
{
	bool thought = p->kind == PART_THOUGHT;

	/* a model ignores a thought unless it is signed */
	if ((thought || (p->kind == PART_TEXT && !p->text.len)) && !p->signature)
		return;
	if (!out->len || out->text[out->len - 1] != '[')
		strbuf_addc(out, ',');
	strbuf_addc(out, '{');
	if (p->kind == PART_CALL && p->id)
		js_key_str(out, "call", p->id);
	else if (p->kind == PART_CALL)
		js_key_int(out, "call", p->call);
	else if (thought || texts > 1 || !p->text.len)
		js_key_strn(out, "text", p->text.text, p->text.len);
	else
		strbuf_add(out, "\"text\":null");
	if (thought)
		js_key_bool(out, "thought", true);
	if (p->signature)
		js_key_str(out, "thoughtSignature", p->signature);
	strbuf_addc(out, '}');
}

static int gemini_decode_keep(struct decoder *d)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX_BODY);
	size_t texts = 0;
	bool special = false;

	for (size_t i = 0; i < d->count; i++) {
		special |= d->parts[i].signature != NULL;
		texts += d->parts[i].kind == PART_TEXT && d->parts[i].text.len;
	}
	if (!special)
		return MT_OK;
	strbuf_add(&out, "{\"" GEMINI_KEPT "\":[");
	for (size_t i = 0; i < d->count; i++)
		keep_part(&out, &d->parts[i], texts);
	if (strbuf_add(&out, "]}"))
		return out.error;
	return d->a.host->opaque(d->a.x, out.text, out.len);
}

/* ---- a response, or a chunk of one ------------------------------------------------- */

static int on_candidate(struct decoder *d, json_object *candidate)
{
	json_object *parts = js_path(candidate, "content.parts");
	size_t count = js_length(parts);
	const char *reason = js_str(candidate, "finishReason", "");
	int status = MT_OK;

	if (js_int(candidate, "index", 0) != 0)
		return MT_OK;
	for (size_t i = 0; i < count && !status && !d->a.failed; i++)
		status = on_part(d, json_object_array_get_idx(parts, i));
	if (!status && *reason && !d->a.failed)
		status = end_pieces(d);
	return status || !*reason || d->a.failed
		       ? status
		       : gemini_decode_tell_stop(d, reason,
						 js_str(candidate, "finishMessage", ""));
}

static int gemini_decode_on_answer(struct answer *a, json_object *answer)
{
	struct decoder *d = gemini_decoder_of(a);
	json_object *all = js_get(answer, "candidates");
	size_t count = js_length(all);
	const char *blocked =
		js_str(js_get(answer, "promptFeedback"), "blockReason", NULL);
	int status;

	if (js_get(answer, "error"))
		return gemini_decode_tell_error(a, answer);
	if (blocked && !count)
		return answer_fail(a, MT_ERROR_CONTENT_POLICY, -1, blocked);
	status = a->host->response_id(a->x, js_str(answer, "responseId", ""));
	if (!status)
		status = gemini_decode_tell_usage(d, js_get(answer, "usageMetadata"));
	for (size_t i = 0; i < count && !status && !a->failed; i++)
		status = on_candidate(d, json_object_array_get_idx(all, i));
	return status;
}

static int gemini_decode_on_event(struct answer *a, const char *name, json_object *event)
{
	(void)name;
	return gemini_decode_on_answer(a, event);
}

static int gemini_decode_on_end(struct answer *a)
{
	struct decoder *d = gemini_decoder_of(a);

	if (!d->stopped && d->count)
		return MT_OK; /* truncated; without candidates it is just empty */
	a->finished = true;
	return gemini_decode_keep(d);
}

static const struct answer_rules rules = {
	.size = sizeof(struct decoder),
	.event = gemini_decode_on_event,
	.whole = gemini_decode_on_answer,
	.error = gemini_decode_tell_error,
	.end = gemini_decode_on_end,
	.release = gemini_decode_release,
};

int gemini_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len)
{
	return answer_feed(&rules, host, x, status, type, bytes, len);
}

int gemini_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status)
{
	return answer_end(&rules, host, x, status);
}
