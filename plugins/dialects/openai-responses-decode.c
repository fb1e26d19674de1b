/* SPDX-License-Identifier: MIT
 *
 * openai-responses-decode.c - decodes responses of the Responses API: a stream of typed
 * events, or one object.
 *
 * Items are identified by their index in the output: some proxies give the same item
 * another id in each event. Data that did not arrive in pieces is taken from the
 * completed item. Other items than text, calls and reasoning belong to tools that run at
 * the provider; they are ignored. */
#include "openai.h"
#include <string.h>

void responses_clear(struct responses *r)
{
	for (size_t i = 0; i < r->count; i++)
		json_object_put(r->items[i].done);
	r->count = 0;
}

bool responses_is_event(json_object *event)
{
	return strncmp(js_str(event, "type", ""), "response.", 9) == 0;
}

bool responses_is_answer(json_object *answer)
{
	return strcmp(js_str(answer, "object", ""), "response") == 0 ||
	       (!js_get(answer, "choices") &&
		json_object_is_type(js_get(answer, "output"), json_type_array));
}

/* The item of an event; NULL: too many. */
static struct responses_item *item_at(struct responses *r, int64_t index)
{
	for (size_t i = r->count; i-- > 0;)
		if (r->items[i].index == index)
			return &r->items[i];
	if (r->count == RESPONSES_MAX_ITEMS)
		return NULL;
	r->items[r->count] = (struct responses_item){ .index = index, .call = -1 };
	return &r->items[r->count++];
}

/* ---- usage, the end ------------------------------------------------------------ */

static int responses_decode_tell_usage(struct answer *a, json_object *usage)
{
	struct mt_usage u = {
		.size = sizeof u,
		.input = answer_count_at(usage, "input_tokens"),
		.output = answer_count_at(usage, "output_tokens"),
		.cache_read = answer_count_at(usage, "input_tokens_details.cached_tokens"),
		.cache_write = answer_count_at(usage, "input_tokens_details.cache_write_tokens"),
		.reasoning = answer_count_at(usage, "output_tokens_details.reasoning_tokens"),
		.cost = js_number(usage, "cost", -1),
	};
	static const double tick = 1e-10; /* xAI counts dollars in these */
	int64_t ticks = answer_count_at(usage, "cost_in_usd_ticks");

	if (u.cost < 0 && ticks >= 0)
		u.cost = (double)ticks * tick;
	return json_object_is_type(usage, json_type_object) ? a->host->usage(a->x, &u)
							    : MT_OK;
}

static int keep_items(struct answer *a, const struct responses *r)
{
	AUTO(strbuf) struct strbuf out = STRBUF(ANSWER_MAX_BODY);
	size_t texts = 0, kept = 0;
	bool special = false;

	for (size_t i = 0; i < r->count; i++) {
		json_object *done = r->items[i].done;

		texts += js_get(done, "text") != NULL;
		special |= strcmp(js_str(done, "type", ""), "reasoning") == 0 ||
			   js_get(done, "phase");
	}
	if (!special)
		return MT_OK;
	strbuf_add(&out, "{\"" RESPONSES_KEPT "\":[");
	for (size_t i = 0; i < r->count; i++) {
		json_object *done = r->items[i].done;

		if (!done)
			continue;
		if (kept++)
			strbuf_addc(&out, ',');
		if (texts == 1)
			json_object_object_del(done, "text");
		if (js_put(&out, done))
			return MT_ENOMEM;
	}
	return strbuf_add(&out, "]}") ? MT_ENOMEM
				      : a->host->opaque(a->x, out.text, out.len);
}

/* Handle the response, from the last event or a complete response. */
static int end_response(struct answer *a, struct responses *r, json_object *response)
{
	const char *state = js_str(response, "status", "completed");
	const char *why = js_str(js_get(response, "incomplete_details"), "reason", "");
	const char *reason = r->calls ? "tool_calls" : "stop";
	int status = responses_decode_tell_usage(a, js_get(response, "usage"));

	if (status)
		return status;
	if (json_object_is_type(js_get(response, "error"), json_type_object) ||
	    strcmp(state, "failed") == 0)
		return openai_error(a, response);
	if (strcmp(state, "cancelled") == 0)
		return answer_fail(a, MT_ERROR_INTERNAL, -1,
				   "the response was cancelled");
	if (strcmp(why, "content_filter") == 0)
		reason = "refusal";
	else if (strcmp(state, "incomplete") == 0)
		reason = "length";
	status = keep_items(a, r);
	if (!status)
		status = a->host->stopped(a->x, reason);
	return status ? status : answer_over(a);
}

/* ---- items --------------------------------------------------------------------- */

static int responses_decode_begin_call(struct answer *a, struct responses *r,
				       struct responses_item *item, json_object *call)
{
	if (item->call >= 0)
		return MT_OK;
	if (r->calls == OPENAI_MAX_CALLS)
		return MT_ELIMIT;
	item->call = (int)r->calls++;
	return a->host->tool_call(a->x, (size_t)item->call,
				  js_str(call, "call_id", js_str(call, "id", NULL)),
				  js_str(call, "name", ""), "", 0);
}

static int add_args(struct answer *a, struct responses_item *item, json_object *args)
{
	if (item->call < 0 || !json_object_is_type(args, json_type_string))
		return MT_OK;
	item->pieces = true;
	return a->host->tool_call(a->x, (size_t)item->call, NULL, NULL,
				  json_object_get_string(args),
				  (size_t)json_object_get_string_len(args));
}

/* The texts of content or summary parts; a refusal is a text. */
static int tell_parts(struct answer *a, json_object *parts, bool reasoning)
{
	size_t count = js_length(parts);
	int status = MT_OK;

	for (size_t i = 0; i < count && !status; i++) {
		json_object *part = json_object_array_get_idx(parts, i);
		json_object *text = js_get(part, "text");

		if (reasoning && i)
			status = a->host->reasoning(a->x, "\n\n", 2);
		if (!status)
			status =
				answer_tell_text(a, text ? text : js_get(part, "refusal"),
						 reasoning);
	}
	return status;
}

static int tell_reasoning(struct answer *a, json_object *item)
{
	json_object *summary = js_get(item, "summary");

	if (json_object_is_type(summary, json_type_array) &&
	    json_object_array_length(summary))
		return tell_parts(a, summary, true);
	return tell_parts(a, js_get(item, "content"), true);
}

/* All texts of a message. */
static void responses_decode_put_texts(struct strbuf *all, json_object *item)
{
	json_object *parts = js_get(item, "content");
	size_t count = js_length(parts);

	for (size_t i = 0; i < count; i++) {
		json_object *part = json_object_array_get_idx(parts, i);

		strbuf_add(all, js_str(part, "text", js_str(part, "refusal", "")));
	}
}

/* Remove null members, which requests omit. */
static json_object *responses_decode_without_nulls(json_object *item)
{
	json_object *copy = js_new_object();

	json_object_object_foreach(item, name, value) {
		if (value)
			js_set_new(copy, name, json_object_get(value));
	}
	return copy;
}

/* NULL: a message without text. */
static json_object *short_form(json_object *item, const char *type)
{
	AUTO(strbuf) struct strbuf text = STRBUF(ANSWER_MAX_BODY);
	AUTO(json) json_object *o = js_new_object();
	const char *phase = js_str(item, "phase", NULL);

	js_set_str(o, "type", type);
	if (strcmp(type, "function_call") == 0) {
		js_set_str(o, "call_id", js_str(item, "call_id", ""));
		return STEAL(o);
	}
	responses_decode_put_texts(&text, item);
	if (text.error)
		js_fail(o);
	else if (!text.len)
		return NULL;
	js_set_strn(o, "text", text.text, text.len);
	if (phase)
		js_set_str(o, "phase", phase);
	return STEAL(o);
}

/* The stored form of an item: reasoning is stored whole if it can be sent back, other
 * items in their short form. NULL: not stored; a failure stays with it (js_failed). */
static json_object *kept_form(json_object *item, const char *type)
{
	if (strcmp(type, "reasoning") == 0)
		return *js_str(item, "encrypted_content", "")
			       ? responses_decode_without_nulls(item)
			       : NULL;
	return short_form(item, type);
}

static int finish_item(struct answer *a, struct responses *r, struct responses_item *at,
		       json_object *item)
{
	const char *type = js_str(item, "type", "");
	int status = MT_OK;

	if (strcmp(type, "function_call") == 0) {
		status = responses_decode_begin_call(a, r, at, item);
		if (!status && !at->pieces)
			status = add_args(a, at, js_get(item, "arguments"));
	} else if (strcmp(type, "message") == 0) {
		if (!at->pieces)
			status = tell_parts(a, js_get(item, "content"), false);
	} else if (strcmp(type, "reasoning") == 0) {
		if (!at->pieces)
			status = tell_reasoning(a, item);
	} else {
		return MT_OK;
	}
	json_object_put(at->done);
	at->done = kept_form(item, type);
	return js_failed(at->done) ? MT_ENOMEM : status;
}

/* ---- a stream ------------------------------------------------------------------- */

static int on_some_args(struct answer *a, struct responses *r,
			struct responses_item *item, json_object *event)
{
	(void)r;
	return add_args(a, item, js_get(event, "delta"));
}

static int on_all_args(struct answer *a, struct responses *r, struct responses_item *item,
		       json_object *event)
{
	(void)r;
	return item->pieces ? MT_OK : add_args(a, item, js_get(event, "arguments"));
}

static int on_text_piece(struct answer *a, struct responses *r,
			 struct responses_item *item, json_object *event)
{
	(void)r;
	item->pieces = true;
	return answer_tell_text(a, js_get(event, "delta"), false);
}

static int on_reasoning_piece(struct answer *a, struct responses *r,
			      struct responses_item *item, json_object *event)
{
	item->pieces = r->summary = true;
	return answer_tell_text(a, js_get(event, "delta"), true);
}

static int on_summary_part(struct answer *a, struct responses *r,
			   struct responses_item *item, json_object *event)
{
	bool again = r->summary;

	(void)item, (void)event;
	r->summary = true;
	return again ? a->host->reasoning(a->x, "\n\n", 2) : MT_OK;
}

static int on_item_added(struct answer *a, struct responses *r,
			 struct responses_item *item, json_object *event)
{
	json_object *value = js_get(event, "item");

	if (strcmp(js_str(value, "type", ""), "function_call") != 0)
		return MT_OK;
	return responses_decode_begin_call(a, r, item, value);
}

static int on_item_done(struct answer *a, struct responses *r,
			struct responses_item *item, json_object *event)
{
	return finish_item(a, r, item, js_get(event, "item"));
}

static int on_item(struct answer *a, struct responses *r, const char *kind,
		   json_object *event)
{
	static const struct {
		const char *name;
		int (*take)(struct answer *a, struct responses *r,
			    struct responses_item *item, json_object *event);
	} kinds[] = {
		{ "output_item.added", on_item_added },
		{ "output_item.done", on_item_done },
		{ "output_text.delta", on_text_piece },
		{ "refusal.delta", on_text_piece },
		{ "reasoning_text.delta", on_reasoning_piece },
		{ "reasoning_summary_text.delta", on_reasoning_piece },
		{ "reasoning_summary_part.added", on_summary_part },
		{ "function_call_arguments.delta", on_some_args },
		{ "function_call_arguments.done", on_all_args },
	};
	struct responses_item *item = item_at(r, js_int(event, "output_index", -1));
	__auto_type row = ROW_NAMED(kinds, kind);

	if (!item)
		return MT_ELIMIT;
	return row ? row->take(a, r, item, event) : MT_OK;
}

int responses_event(struct answer *a, struct responses *r, json_object *event)
{
	const char *kind = js_str(event, "type", "") + strlen("response.");
	json_object *response = js_get(event, "response");

	if (strcmp(kind, "created") == 0 || strcmp(kind, "in_progress") == 0)
		return a->host->response_id(a->x, js_str(response, "id", ""));
	if (strcmp(kind, "completed") == 0 || strcmp(kind, "incomplete") == 0 ||
	    strcmp(kind, "failed") == 0)
		return end_response(a, r, response);
	return js_get(event, "output_index") ? on_item(a, r, kind, event) : MT_OK;
}

/* ---- one object ------------------------------------------------------------------ */

int responses_answer(struct answer *a, struct responses *r, json_object *answer)
{
	json_object *output = js_get(answer, "output");
	size_t count = js_length(output);
	int status = a->host->response_id(a->x, js_str(answer, "id", ""));

	for (size_t i = 0; i < count && !status; i++) {
		struct responses_item *item = item_at(r, (int64_t)i);

		status = item ? finish_item(a, r, item,
					    json_object_array_get_idx(output, i))
			      : MT_ELIMIT;
	}
	return status ? status : end_response(a, r, answer);
}
