/* SPDX-License-Identifier: MIT
 *
 * llm_attention.c - the condenser that lets a model choose the relevant events when
 * the view is too long. */
#include "condenser-util.h"

#include "js.h"

#include <stdlib.h>

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{\"ids\":{\"type\":\"array\",\"items\":"
	"{\"type\":\"integer\"}}},\"required\":[\"ids\"],\"additionalProperties\":false}";

enum { SHOWN_CHARS = 2000 };

static size_t attention_first_of(const struct kit *k)
{
	size_t count = k->host->view_count(k->ctx);
	size_t first = (size_t)k->host->option_int(k->ctx, "keep_first");

	return first < count ? first : count;
}

/* Number of events to keep after the first ones. */
static size_t kept_of(const struct kit *k)
{
	size_t half = (size_t)k->host->option_int(k->ctx, "max_size") / 2;
	size_t first = attention_first_of(k);

	return half > first ? half - first : 0;
}

/* Is there anything to choose? Pinned events stay in any case. */
static bool attention_has_choice(const struct kit *k)
{
	size_t count = k->host->view_count(k->ctx), first = attention_first_of(k);
	size_t most = kept_of(k), open = 0;

	for (size_t i = first; i < count; i++)
		open += k->host->view_at(k->ctx, i) && !k->out->pinned(k->ctx, i);
	return count - first > most && open > (k->out->requested(k->ctx) ? 0 : most);
}

static int llm_attention_ask(const struct kit *k)
{
	AUTO(strbuf) struct strbuf b = STRBUF(KIT_TEXT_MAX);
	struct mt_request *request = k->host->request(k->ctx);
	struct condenser_util_range all = { attention_first_of(k),
					    k->host->view_count(k->ctx) };
	struct mt_str text;
	int r = request ? k->host->prompt(k->ctx, "condense_choice", TEXT("{}"), &text)
			: MT_ENOMEM;

	if (r)
		return r;
	strbuf_addn(&b, text.ptr, text.len);
	strbuf_add(&b, "\n\n");
	r = condenser_util_add_task(k, SHOWN_CHARS, &b, NULL);
	if (!r)
		r = condenser_util_add_events(k, all, SHOWN_CHARS, &b, NULL);
	if (!r)
		r = k->host->request_message(request, MT_ROLE_USER,
					     (struct mt_str){ b.text, b.len });
	if (!r)
		r = k->host->request_set(request, "response_schema", TEXT(schema));
	if (!r)
		r = k->host->send(k->ctx, request);
	return r < 0 ? r : MT_OK;
}

/* Position of an event; `count`: not in the view. */
static size_t attention_place_of(const struct kit *k, int64_t id, size_t count)
{
	size_t i = 0;

	while (i < count && k->host->event_id(k->host->view_at(k->ctx, i)) != id)
		i++;
	return i;
}

/* Mark up to `most` chosen events, in the order named, then the newest. The head is kept
 * anyway; an unknown or repeated id counts, too (V0). */
static void attention_choose(const struct kit *k, json_object *ids, unsigned char *keep,
			     size_t count, size_t most)
{
	size_t first = attention_first_of(k), n = 0;
	size_t named = js_length(ids);

	for (size_t j = 0; j < named && n < most; j++) {
		int64_t id = json_object_get_int64(json_object_array_get_idx(ids, j));
		size_t i = attention_place_of(k, id, count);

		if (i < first)
			continue;
		if (i < count)
			keep[i] = 1;
		n++;
	}
	for (size_t i = count; i-- > first && n < most;)
		if (!keep[i]) {
			keep[i] = 1;
			n++;
		}
}

static int forget_rest(const struct kit *k, json_object *ids)
{
	size_t count = k->host->view_count(k->ctx), first = attention_first_of(k), n = 0;
	unsigned char *keep = calloc(count + 1, 1);
	size_t *places = calloc(count + 1, sizeof *places);
	int r = keep && places ? MT_OK : MT_ENOMEM;

	if (!r) {
		attention_choose(k, ids, keep, count, kept_of(k));
		for (size_t i = first; i < count; i++)
			if (!keep[i])
				places[n++] = i;
	}
	if (!r && n)
		r = k->out->forget(k->ctx, places, n, TEXT(""), 0);
	free(keep);
	free(places);
	return r;
}

/* If the choice cannot be parsed, keep the newest events. */
static int replied(const struct kit *k, const struct mt_reply *reply)
{
	struct mt_str text = k->host->reply_text(reply);
	AUTO(json) json_object *o = js_parse_object(text.ptr, text.len, NULL);

	return forget_rest(k, o ? js_get(o, "ids") : NULL);
}

static int llm_attention_advance(const struct mt_host *host,
				 const struct mt_condenser_out *out, struct mt_ctx *ctx,
				 const struct mt_in *in)
{
	const struct kit k = { host, out, ctx };

	switch (in->what) {
	case MT_START:
		return condenser_util_wanted(&k) && attention_has_choice(&k)
			       ? llm_attention_ask(&k)
			       : MT_OK;
	case MT_REPLIED:
		return replied(&k, in->reply);
	case MT_FAILED:
		host->log(ctx, MT_LOG_WARNING,
			  "the model chose no events; keeping the most recent: %.*s",
			  (int)in->body.len, in->body.ptr ? in->body.ptr : "");
		return out->requested(ctx) ? forget_rest(&k, NULL) : MT_OK;
	case MT_CANCELLED:
		return MT_OK;
	}
	return MT_EUNSUPPORTED;
}

static const struct mt_condenser llm_attention = {
	.size = sizeof llm_attention,
	.advance = llm_attention_advance,
	.check = condenser_util_check_sizes,
};

MT_CONDENSER(&llm_attention, "llm_attention", .name = "llm_attention",
	     .summary = "Keeps the events that a model chooses.",
	     .options = condenser_util_options, .option_count = CONDENSER_SIZE_OPTIONS)
