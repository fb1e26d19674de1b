/* SPDX-License-Identifier: MIT
 *
 * condense.c - the view of a step, and the condensers that work on it. */
#include "controller/internal.h"

#include "log.h"

#include <string.h>

enum { SUMMARY_MAX = 1 << 20 };

/* ---- what condensers put out ------------------------------------------- */

static int out_drop(struct mt_ctx *x, size_t place, size_t count)
{
	if (place > x->view_count || count > x->view_count - place)
		return MT_EINVAL;
	for (size_t i = place; i < place + count; i++)
		x->view[i].event = -2;
	x->dropped = true;
	return MT_OK;
}

static int out_mask(struct mt_ctx *x, size_t place, struct mt_str text)
{
	char **all, *copy;

	if (place >= x->view_count || x->view[place].event < 0)
		return MT_EINVAL;
	copy = strndup(text.ptr ? text.ptr : "", text.len);
	all = copy ? realloc(x->texts, (x->text_count + 1) * sizeof *all) : NULL;
	if (!all) {
		free(copy);
		return MT_ENOMEM;
	}
	x->texts = all;
	x->texts[x->text_count++] = copy;
	x->view[place].text = copy;
	x->view[place].len = text.len;
	return MT_OK;
}

/* Name the forgotten events as the log does: a range if they are one, else a
 * list. */
static int name_forgotten(json_object *args, const struct mt_ctx *x,
			  const size_t *places, size_t count)
{
	int64_t first = x->view[places[0]].event, last = first;
	bool range = count > 1;
	json_object *ids = json_object_new_array();

	for (size_t i = 0; ids && i < count; i++) {
		int64_t id = x->view[places[i]].event;

		range = range && id == first + (int64_t)i;
		last = id > last ? id : last;
		if (id >= 0)
			json_object_array_add(ids, json_object_new_int64(id));
	}
	if (!range)
		return ids ? js_set(args, "forgotten_event_ids", ids) : MT_ENOMEM;
	json_object_put(ids);
	if (js_set_int(args, "forgotten_events_start_id", first))
		return MT_ENOMEM;
	return js_set_int(args, "forgotten_events_end_id", last);
}

static int out_forget(struct mt_ctx *x, const size_t *places, size_t count,
		      struct mt_str summary, size_t offset)
{
	AUTO(json) json_object *args = json_object_new_object();
	int64_t id;
	int r;

	if (!count || summary.len > SUMMARY_MAX)
		return fail(&x->error, MT_EINVAL, "a condensation forgets something, with a "
			    "summary of at most %d bytes", SUMMARY_MAX);
	for (size_t i = 0; i < count; i++)
		if (places[i] >= x->view_count)
			return fail(&x->error, MT_EINVAL, "a place outside of the view");
	r = name_forgotten(args, x, places, count);
	if (!r && summary.len) {
		r = js_set_strn(args, "summary", summary.ptr, summary.len);
		if (!r)
			r = js_set_int(args, "summary_offset", (int64_t)offset);
	}
	if (r)
		return fail(&x->error, r, "out of memory");
	id = post(x->c, event_action("condensation", SOURCE_AGENT, STEAL(args), &x->error),
		  &x->error);
	if (id < 0)
		return (int)id;
	x->c->condense = false;
	x->condensed = true;
	return MT_OK;
}

static int out_requested(struct mt_ctx *x)
{
	return x->c->condense;
}

static int64_t out_view_tokens(struct mt_ctx *x)
{
	(void)x;
	return -1;
}

static int64_t out_window_tokens(struct mt_ctx *x)
{
	return x->c->llm ? llm_window(x->c->llm) : -1;
}

static const struct mt_condenser_out condenser_out = {
	.size = sizeof condenser_out,
	.drop = out_drop,
	.mask = out_mask,
	.forget = out_forget,
	.requested = out_requested,
	.view_tokens = out_view_tokens,
	.window_tokens = out_window_tokens,
};

/* ---- the pipeline ------------------------------------------------------ */

static void take_out_dropped(struct mt_ctx *x)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->view_count; i++)
		if (x->view[i].event != -2)
			x->view[kept++] = x->view[i];
	x->view_count = kept;
	x->dropped = false;
}

int condense(struct mt_ctx *x, bool *ret_again)
{
	const struct mt_in in = { .size = sizeof in, .what = MT_START };
	const struct part *agent = x->part;
	int r = MT_OK;

	*ret_again = false;
	for (size_t i = 0; !r && !x->condensed && i < x->c->condenser_count; i++) {
		const struct mt_condenser *f = x->c->condensers[i].functions;

		x->part = &x->c->condensers[i];
		x->is_agent = false;
		log_context(x->part->component->plugin, x->part->component->name, NULL);
		r = f->advance(services(), &condenser_out, x, &in);
		log_context(NULL, NULL, NULL);
		if (r)
			fail(&x->error, r, "condenser %s: %s", x->part->component->name,
			     status_name(r));
		if (x->dropped)
			take_out_dropped(x);
	}
	x->part = agent;
	x->is_agent = true;
	*ret_again = x->condensed;
	return r;
}
