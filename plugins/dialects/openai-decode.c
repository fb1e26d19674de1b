/* SPDX-License-Identifier: MIT
 *
 * openai-decode.c - decodes responses of chat completions: a stream of events, one JSON
 * text, or an error, detected by content rather than by the request.
 *
 * Deviations of real providers that this file accepts: usage that is null until the last
 * chunk, or in a chunk of its own; a complete tool call in one piece, without an index;
 * an id repeated in each piece; calls that share index 0; content as a list of parts;
 * errors in the middle of a stream; no [DONE]. */
#include "openai.h"
#include <string.h>

struct slot {
	int64_t index;  /* the provider's index; -1: none */
	uint64_t id;    /* hash; 0: none */
	bool named;
};

struct decoder {
	struct answer a;
	struct slot slots[OPENAI_MAX_CALLS];
	size_t slot_count;
	bool choices;          /* choices were received */
	struct responses responses;
	struct openai_kept kept;
};

static struct decoder *openai_decoder_of(struct answer *a)
{
	return (struct decoder *)a;
}

static void openai_decode_release(struct answer *a)
{
	responses_clear(&openai_decoder_of(a)->responses);
	openai_kept_clear(&openai_decoder_of(a)->kept);
}

/* ---- errors ----------------------------------------------------------------- */

/* Codes and types with a specific meaning; the host handles the others. */
static const struct kind_name codes[] = {
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
	{ "server_is_overloaded", MT_ERROR_OVERLOADED },
	{ "slow_down", MT_ERROR_OVERLOADED },
	{ "server_error", MT_ERROR_INTERNAL },
	{ "api_error", MT_ERROR_INTERNAL },
	{ "timeout", MT_ERROR_TIMEOUT },
};

int openai_error(struct answer *a, json_object *answer)
{
	json_object *e = js_get(answer, "error"), *code;
	AUTO(strbuf) struct strbuf why = STRBUF(4096);
	const char *text, *wide = "";
	int kind;

	if (json_object_is_type(e, json_type_string))
		return answer_fail(a, answer_kind_of_number(a->status), -1,
				   json_object_get_string(e));
	if (!json_object_is_type(e, json_type_object))
		e = answer;
	code = js_get(e, "code");
	text = js_str(e, "message", NULL);
	if (!text && js_get(e, "detail"))
		text = js_text(js_get(e, "detail"), NULL);
	kind = answer_kind_of_name(codes, ARRAY_LEN(codes), js_str(e, "code", ""));
	if (!kind)
		kind = answer_kind_of_name(codes, ARRAY_LEN(codes),
					   js_str(e, "type", ""));
	if (!kind && json_object_is_type(code, json_type_int))
		kind = answer_kind_of_number(json_object_get_int64(code));
	wide = js_str(js_get(e, "metadata"), "raw", ""); /* of OpenRouter's source */
	if (!text)
		text = js_text(e, NULL);
	strbuf_addf(&why, "%.*s%s%.*s", ANSWER_MAX_WHY / 2, text ? text : "",
		    *wide ? " - " : "", ANSWER_MAX_WHY / 2, wide);
	return answer_fail(a, kind, -1, *wide ? why.text : text ? text : "");
}

/* True if the response is an error. A null or empty member is not. */
static bool is_error(struct decoder *d, json_object *answer)
{
	json_object *e = js_get(answer, "error");

	if (json_object_is_type(e, json_type_object) ||
	    json_object_is_type(e, json_type_string))
		return true;
	return d->a.status >= 300 || strcmp(js_str(answer, "object", ""), "error") == 0;
}

/* ---- usage ------------------------------------------------------------------ */

static int openai_decode_tell_usage(struct decoder *d, json_object *usage)
{
	static const double tick = 1e-10; /* xAI counts dollars in these */
	struct mt_usage u = {
		.size = sizeof u,
		.input = answer_count_at(usage, "prompt_tokens"),
		.output = answer_count_at(usage, "completion_tokens"),
		.cache_read = answer_count_at(usage, "prompt_tokens_details.cached_tokens"),
		.cache_write = answer_count_at(usage, "cache_creation_input_tokens"),
		.reasoning =
			answer_count_at(usage, "completion_tokens_details.reasoning_tokens"),
		.cost = js_number(usage, "cost", -1),
	};
	int64_t total = answer_count_at(usage, "total_tokens");
	int64_t ticks = answer_count_at(usage, "cost_in_usd_ticks");

	if (u.cache_read < 0)
		u.cache_read = answer_count_at(usage, "prompt_cache_hit_tokens");
	/* some providers count reasoning apart from the completion */
	if (u.input >= 0 && u.output >= 0 && u.reasoning > 0 &&
	    total - u.input - u.output == u.reasoning)
		u.output += u.reasoning;
	if (u.cost < 0 && ticks >= 0)
		u.cost = (double)ticks * tick;
	return d->a.host->usage(d->a.x, &u);
}

/* ---- a choice --------------------------------------------------------------- */

/* {"type":"text","text":...} or {"type":"thinking","thinking":[{"text":...}]} */
static int tell_part(struct decoder *d, json_object *part)
{
	json_object *thinking = js_get(part, "thinking");
	int status = answer_tell_text(&d->a, js_get(part, "text"), false);

	if (json_object_is_type(thinking, json_type_string))
		return answer_tell_text(&d->a, thinking, true);
	if (!json_object_is_type(thinking, json_type_array))
		return status;
	for (size_t i = 0; i < json_object_array_length(thinking) && !status; i++)
		status = answer_tell_text(&d->a,
					  js_get(json_object_array_get_idx(thinking, i),
						 "text"),
					  true);
	return status;
}

static int tell_content(struct decoder *d, json_object *content)
{
	int status = MT_OK;

	if (!json_object_is_type(content, json_type_array))
		return answer_tell_text(&d->a, content, false);
	for (size_t i = 0; i < json_object_array_length(content) && !status; i++)
		status = tell_part(d, json_object_array_get_idx(content, i));
	return status;
}

static uint64_t openai_decode_hash(const char *text)
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
	if (d->slot_count == OPENAI_MAX_CALLS)
		return -1;
	d->slots[d->slot_count] = (struct slot){ .index = index, .id = id };
	return (int)d->slot_count++;
}

/* The call that a piece belongs to: the last one with its index, unless the piece has its
 * own name and id, which start a new call. -1: too many. */
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
	int slot = slot_of(d, js_int(call, "index", -1), openai_decode_hash(id), *name);

	if (slot < 0)
		return MT_ELIMIT;
	if (json_object_is_type(args, json_type_string)) {
		text = json_object_get_string(args);
		len = (size_t)json_object_get_string_len(args);
	} else if (args) {
		text = js_text(args, &len);
		if (!text)
			return MT_ENOMEM;
	}
	d->slots[slot].named |= *name != '\0';
	if (openai_keep_call(&d->kept, call))
		return MT_ENOMEM;
	return d->a.host->tool_call(d->a.x, (size_t)slot, *id ? id : NULL,
				    *name ? name : NULL, text, len);
}

static int openai_decode_tell_stop(struct decoder *d, const char *reason)
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

	d->a.finished = true;
	if (strcmp(reason, "error") == 0)
		return answer_fail(&d->a, MT_ERROR_INTERNAL, -1,
				   "the model failed while responding");
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (strcmp(reason, reasons[i].theirs) == 0)
			return d->a.host->stopped(d->a.x, reasons[i].ours);
	return d->a.host->stopped(d->a.x, "stop");
}

/* Handle `message` of a complete response or `delta` of a stream: the members are the
 * same. */
static int tell_message(struct decoder *d, json_object *m)
{
	json_object *calls = js_get(m, "tool_calls"), *thought;
	int status;

	thought = js_get(m, "reasoning_content");
	if (!json_object_is_type(thought, json_type_string))
		thought = js_get(m, "reasoning");
	status = answer_tell_text(&d->a, thought, true);
	if (!status)
		status = tell_content(d, js_get(m, "content"));
	if (!status && json_object_is_type(js_get(m, "refusal"), json_type_string)) {
		status = answer_tell_text(&d->a, js_get(m, "refusal"), false);
		if (!status && *js_str(m, "refusal", ""))
			status = d->a.host->stopped(d->a.x, "refusal");
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
		return openai_error(&d->a, choice);
	d->choices = true;
	status = openai_keep(&d->a, &d->kept, m ? m : js_get(choice, "delta"), !m);
	if (!status)
		status = tell_message(d, m ? m : js_get(choice, "delta"));
	if (!status && *reason)
		status = openai_decode_tell_stop(d, reason);
	return status;
}

/* Handle one chunk of a stream, or the complete response. */
static int tell_answer(struct decoder *d, json_object *answer)
{
	json_object *choices = js_get(answer, "choices"),
		    *usage = js_get(answer, "usage");
	int status;

	if (is_error(d, answer))
		return openai_error(&d->a, answer);
	status = d->a.host->response_id(d->a.x, js_str(answer, "id", ""));
	if (!json_object_is_type(usage, json_type_object))
		usage = js_path(answer, "x_groq.usage");
	if (!status && json_object_is_type(usage, json_type_object))
		status = openai_decode_tell_usage(d, usage);
	if (!json_object_is_type(choices, json_type_array))
		return status;
	d->choices = true; /* an empty list is an empty reply */
	for (size_t i = 0;
	     i < json_object_array_length(choices) && !status && !d->a.failed; i++)
		status = tell_choice(d, json_object_array_get_idx(choices, i));
	return status;
}

/* ---- a stream, an answer in one piece ----------------------------------------- */

static int openai_decode_on_event(struct answer *a, const char *name, json_object *event)
{
	struct decoder *d = openai_decoder_of(a);

	if (responses_is_event(event)) {
		d->choices = true;
		return responses_event(a, &d->responses, event);
	}
	if (strcmp(name, "error") == 0 || strcmp(js_str(event, "type", ""), "error") == 0)
		return openai_error(a, event);
	return tell_answer(d, event);
}

static int openai_decode_on_whole(struct answer *a, json_object *answer)
{
	struct decoder *d = openai_decoder_of(a);

	a->finished = true;
	if (!responses_is_answer(answer))
		return tell_answer(d, answer);
	d->choices = true;
	return responses_answer(a, &d->responses, answer);
}

static int openai_decode_on_end(struct answer *a)
{
	struct decoder *d = openai_decoder_of(a);

	if (a->finished && !d->choices)
		return answer_fail(a, MT_ERROR_MALFORMED, -1,
				   "the response has no choices");
	return openai_tell_kept(a, &d->kept);
}

static const struct answer_rules rules = {
	.size = sizeof(struct decoder),
	.event = openai_decode_on_event,
	.whole = openai_decode_on_whole,
	.error = openai_error,
	.end = openai_decode_on_end,
	.release = openai_decode_release,
};

int openai_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len)
{
	return answer_feed(&rules, host, x, status, type, bytes, len);
}

int openai_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status)
{
	return answer_end(&rules, host, x, status);
}
