/* SPDX-License-Identifier: MIT
 *
 * conversation_window.c - the condenser that acts only when the history no longer
 * fits: it keeps the beginning and the newer half of the rest. */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const struct mt_host *host;
	struct mt_ctx *ctx;
	size_t count;
	unsigned char *essential;
};

static bool conversation_window_is_type(const struct work *w, size_t place, bool action,
					const char *type)
{
	const struct mt_event *e = w->host->view_at(w->ctx, place);

	return e && w->host->event_is_action(e) == (int)action &&
	       strcmp(w->host->event_type(e), type) == 0;
}

static bool from_user(const struct work *w, size_t place)
{
	return strcmp(w->host->event_source(w->host->view_at(w->ctx, place)), "user") ==
	       0;
}

static bool window_same(struct mt_str a, struct mt_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Keep the recall of the first message, and its observation. */
static void mark_recall(struct work *w, size_t message)
{
	const struct mt_event *e = w->host->view_at(w->ctx, message);
	struct mt_str text = w->host->event_field(e, "args.content");
	int64_t recall = -1;

	for (size_t i = message + 1; i < w->count; i++) {
		e = w->host->view_at(w->ctx, i);
		if (recall < 0 && conversation_window_is_type(w, i, true, "recall") &&
		    window_same(w->host->event_field(e, "args.query"), text)) {
			recall = w->host->event_id(e);
			w->essential[i] = 1;
		} else if (recall >= 0 &&
			   conversation_window_is_type(w, i, false, "recall") &&
			   w->host->event_cause(e) == recall) {
			w->essential[i] = 1;
			return;
		}
	}
}

/* @return false without a user message to start with. */
static bool mark_essential(struct work *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (conversation_window_is_type(w, i, true, "system")) {
			w->essential[i] = 1;
			break;
		}
	for (size_t i = 0; i < w->count; i++)
		if (conversation_window_is_type(w, i, true, "message") &&
		    from_user(w, i)) {
			w->essential[i] = 1;
			mark_recall(w, i);
			return true;
		}
	return false;
}

/* Keep the newer half of what is not essential, beginning with no observation.
 * @return how many places are to be forgotten. */
static size_t conversation_window_choose(struct work *w, size_t *places)
{
	size_t others = 0, older, seen = 0, n = 0;
	bool begun = false;

	for (size_t i = 0; i < w->count; i++)
		others += !w->essential[i];
	older = others - (others / 2 ? others / 2 : 1);
	for (size_t i = 0; others && i < w->count; i++) {
		const struct mt_event *e = w->host->view_at(w->ctx, i);

		if (w->essential[i])
			continue;
		if (seen++ >= older && (!e || w->host->event_is_action(e)))
			begun = true;
		if (!begun)
			places[n++] = i;
	}
	return n;
}

static int window_advance(const struct mt_host *host, const struct mt_condenser_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	struct work w = { .host = host, .ctx = ctx, .count = host->view_count(ctx) };
	size_t *places, n = 0;
	int r = MT_OK;

	if (in->what != MT_START || !w.count || !out->requested(ctx))
		return MT_OK;
	w.essential = calloc(w.count, 1);
	places = calloc(w.count, sizeof *places);
	if (!w.essential || !places)
		r = MT_ENOMEM;
	else if (mark_essential(&w))
		n = conversation_window_choose(&w, places);
	if (n)
		r = out->forget(ctx, places, n, (struct mt_str){ "", 0 }, 0);
	free(w.essential);
	free(places);
	return r;
}

static const struct mt_condenser conversation_window = {
	.size = sizeof conversation_window,
	.advance = window_advance,
};

MT_CONDENSER(&conversation_window, "conversation_window", .name = "conversation_window",
	     .summary = "Keeps the start and the more recent half when the context "
			"window is full.")
