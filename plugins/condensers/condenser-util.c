/* SPDX-License-Identifier: MIT
 *
 * condenser-util.c - implements condenser-util.h with the algorithms of OpenHands V0. */
#include "condenser-util.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = 3 }; /* condense only if more events than this follow the first ones (V0) */

const struct mt_option condenser_util_options[] = {
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_INT, .name = "keep_first",
	  .fallback = "1", .min = 0, .max = 1000000,
	  .help = "Number of events at the start to always keep." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_INT, .name = "max_size",
	  .fallback = "100", .min = 1, .max = 1000000,
	  .help = "Maximum number of events before the history is condensed to half of "
		  "that." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_INT, .name = "max_tokens",
	  .fallback = "0", .min = 0, .max = 1000000000,
	  .help = "Maximum number of tokens before the history is condensed; 0: 80 % of "
		  "the context window." },
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_INT,
	  .name = "max_event_length", .fallback = "10000", .min = 1, .max = 1000000,
	  .help = "Maximum number of characters of one event in a summary request." },
};

int condenser_util_check_sizes(const struct mt_host *host, struct mt_ctx *ctx)
{
	int64_t first = host->option_int(ctx, "keep_first");
	int64_t size = host->option_int(ctx, "max_size");

	if (first < size / 2)
		return MT_OK;
	host->refuse(ctx, "keep_first (%lld) must be less than half of max_size (%lld)",
		     (long long)first, (long long)size);
	return MT_EINVAL;
}

/* Does the view have more tokens than max_tokens? By default 80 % of the context window of
 * the model, if it is known. */
static bool has_too_many_tokens(const struct kit *k)
{
	int64_t most = k->host->option_int(k->ctx, "max_tokens");
	int64_t window = most ? -1 : k->out->window_tokens(k->ctx);

	if (window > 0)
		most = window / 5 * 4;
	return most > 0 && k->out->view_tokens(k->ctx) > most;
}

bool condenser_util_wanted(const struct kit *k)
{
	return k->out->requested(k->ctx) ||
	       (int64_t)k->host->view_count(k->ctx) >
		       k->host->option_int(k->ctx, "max_size") ||
	       has_too_many_tokens(k);
}

/* The end of the first event that can be removed; more than `to`: none. */
static size_t end_of_first(const struct kit *k, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (k->host->view_at(k->ctx, i) && !k->out->pinned(k->ctx, i))
			return i + 1;
	return to + 1;
}

/* Condensation was requested, or the view has grown far beyond its size because it
 * could not be cut: dropping a whole loop is better than dropping nothing. */
static bool must(const struct kit *k, size_t count)
{
	return k->out->requested(k->ctx) ||
	       (int64_t)count > 2 * k->host->option_int(k->ctx, "max_size");
}

/* Is the view too long, regardless of its number of events? */
static bool is_too_long(const struct kit *k)
{
	return k->out->requested(k->ctx) || has_too_many_tokens(k);
}

/* Keep more rather than less. If that removes nothing, remove more, but everything only
 * if it must. @return `from`: nothing can be removed. */
static size_t cut_near(const struct kit *k, size_t from, size_t to, size_t count)
{
	size_t least = end_of_first(k, from, count), end = to;

	while (end >= least && !k->out->may_cut(k->ctx, end))
		end--;
	if (end >= least)
		return end;
	for (end = to > least ? to : least; end < count && !k->out->may_cut(k->ctx, end);
	     end++)
		;
	if (end > count || (end == count && !must(k, count)))
		return from;
	return end;
}

/* The start of the middle: at keep_first or after it. It is before keep_first if that is
 * within a range that cannot be cut and something must be removed. */
static size_t cut_begin(const struct kit *k, size_t first, size_t to, size_t count)
{
	size_t from = first;

	while (from < to && !k->out->may_cut(k->ctx, from))
		from++;
	if (from < to || !must(k, count))
		return from;
	while (first > 0 && !k->out->may_cut(k->ctx, first))
		first--;
	return first;
}

struct condenser_util_range condenser_util_middle(const struct kit *k, size_t spare)
{
	size_t count = k->host->view_count(k->ctx);
	size_t first = (size_t)k->host->option_int(k->ctx, "keep_first");
	size_t half = (size_t)k->host->option_int(k->ctx, "max_size") / 2;
	size_t tail = half > first + spare ? half - first - spare : 0;
	struct condenser_util_range r = { 0 };

	/* few events, but too long: remove half of them */
	if (count > first + FEWEST && count <= first + tail && is_too_long(k))
		tail = (count - first) / 2;
	/* V0 removes nothing if the summary takes the last slot of the half */
	if (!tail && must(k, count))
		tail = 1;
	if (!tail || count <= first + tail)
		return r;
	r.from = cut_begin(k, first, count - tail, count);
	if (r.from >= count - tail)
		return (struct condenser_util_range){ 0 };
	r.to = cut_near(k, r.from, count - tail, count);
	return r;
}

int condenser_util_forget(const struct kit *k, struct condenser_util_range r,
			  struct mt_str summary)
{
	size_t count = r.to - r.from, *places = malloc(count * sizeof *places);
	int status;

	if (!places)
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++)
		places[i] = r.from + i;
	status = k->out->forget(k->ctx, places, count, summary, r.from);
	free(places);
	return status;
}

struct mt_str condenser_util_previous(const struct kit *k, struct condenser_util_range r)
{
	for (size_t i = r.from; i < r.to; i++)
		if (!k->host->view_at(k->ctx, i))
			return k->out->shown(k->ctx, i);
	return TEXT("");
}

/* Is the event an action whose call the model reads? */
static bool is_call(const struct kit *k, const struct mt_event *e)
{
	return k->host->event_is_action(e) &&
	       k->host->event_field(e, "tool_call_metadata.tool_call_id").len &&
	       k->host->event_text(k->ctx, e).len;
}

/* Append calls as the model made them, other actions as type and arguments, and other
 * events as a model reads them. */
static int condenser_util_add_event(const struct kit *k, const struct mt_event *e,
				    size_t place, struct strbuf *b)
{
	struct mt_str text = k->out->shown(k->ctx, place);

	if (!text.ptr && is_call(k, e)) {
		text = k->host->event_text(k->ctx, e);
	} else if (!text.ptr && k->host->event_is_action(e) &&
		   strcmp(k->host->event_type(e), "message") != 0) {
		strbuf_addf(b, "%s ", k->host->event_type(e));
		text = k->host->event_field(e, "args");
	} else if (!text.ptr) {
		strbuf_addf(b, "%s: ", k->host->event_source(e));
		text = k->host->event_text(k->ctx, e);
	}
	return strbuf_addn(b, text.ptr ? text.ptr : "", text.len);
}

static size_t condenser_util_whole(const char *text, size_t at, size_t len)
{
	while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* `longest`, if any, grows to the length of the text. */
static int add_cut(struct strbuf *b, const char *text, size_t len, size_t most,
		   size_t *longest)
{
	size_t head = most / 2, tail = most - head;

	if (longest && *longest < len)
		*longest = len;
	if (len <= most)
		return strbuf_addn(b, text, len);
	head = condenser_util_whole(text, head, len);
	tail = condenser_util_whole(text, len - tail, len);
	strbuf_addn(b, text, head);
	strbuf_add(b, "\n[... cut ...]\n");
	return strbuf_addn(b, text + tail, len - tail);
}

int condenser_util_add_events(const struct kit *k, struct condenser_util_range r,
			      size_t most, struct strbuf *b, size_t *longest)
{
	AUTO(strbuf) struct strbuf one = STRBUF(KIT_TEXT_MAX);

	for (size_t i = r.from; i < r.to; i++) {
		const struct mt_event *e = k->host->view_at(k->ctx, i);

		if (!e || k->out->pinned(k->ctx, i))
			continue; /* it is kept */
		strbuf_reset(&one);
		condenser_util_add_event(k, e, i, &one);
		strbuf_addf(b, "<EVENT id=%lld>\n", (long long)k->host->event_id(e));
		add_cut(b, one.text, one.len, most, longest);
		strbuf_add(b, "\n</EVENT>\n");
	}
	return one.error ? one.error : b->error;
}

/* Is the event a user message that is kept? */
static bool is_task(const struct kit *k, const struct mt_event *e, size_t place)
{
	return e && k->host->event_is_action(e) &&
	       strcmp(k->host->event_type(e), "message") == 0 &&
	       strcmp(k->host->event_source(e), "user") == 0 &&
	       k->out->pinned(k->ctx, place);
}

int condenser_util_add_task(const struct kit *k, size_t most, struct strbuf *b,
			    size_t *longest)
{
	size_t count = k->host->view_count(k->ctx);

	strbuf_add(b, "<TASK>\n");
	for (size_t i = 0; i < count; i++) {
		const struct mt_event *e = k->host->view_at(k->ctx, i);
		struct mt_str text;

		if (!is_task(k, e, i))
			continue;
		text = k->host->event_text(k->ctx, e);
		add_cut(b, text.ptr ? text.ptr : "", text.len, most, longest);
		strbuf_add(b, "\n");
	}
	return strbuf_add(b, "</TASK>\n\n");
}
