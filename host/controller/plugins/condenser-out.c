/* SPDX-License-Identifier: MIT
 *
 * condenser-out.c - handles the output of condensers: changes their view, or logs a
 * condensation. */
#include "array.h"
#include "context/history.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/plugin-host.h"

#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

#include <string.h>

enum { SUMMARY_MAX = 1 << 20 };

/* ---- what is pinned ---------------------------------------------------- */

static bool is_user_message(const struct evlog_head *head)
{
	return head->type->id == ACTION_MESSAGE && head->source == SOURCE_USER;
}

/* The newest or the first position for which a test is true; SIZE_MAX: none. */
static size_t condenser_out_find_place(const struct mt_ctx *x, bool newest,
				       bool (*test)(const struct evlog_head *head))
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < x->view_count && (newest || found == SIZE_MAX); i++)
		if (x->view[i].event >= 0 &&
		    test(evlog_head(x->c->log, x->view[i].event)))
			found = i;
	return found;
}

static bool is_system(const struct evlog_head *head)
{
	return head->type->id == ACTION_SYSTEM;
}

static bool is_rules(const struct evlog_head *head)
{
	return head->type->id == OBSERVATION_RECALL;
}

static bool is_tasks(const struct evlog_head *head)
{
	return head->type->id == OBSERVATION_TASK_TRACKING;
}

/* The call of an observation stays with it. */
static void pin_call(const struct mt_ctx *x, size_t place, unsigned char *pinned)
{
	int64_t cause = evlog_head(x->c->log, x->view[place].event)->cause;

	for (size_t i = place; cause >= 0 && i-- > 0;)
		if (x->view[i].event == cause)
			pinned[i] = 1;
}

static int pin_all(struct mt_ctx *x, unsigned char *pinned)
{
	size_t tasks = condenser_out_find_place(x, true, is_tasks);
	const size_t places[] = {
		condenser_out_find_place(x, false, is_system),
		condenser_out_find_place(x, false, is_user_message),
		condenser_out_find_place(x, true, is_user_message),
		condenser_out_find_place(x, false, is_rules),
		tasks,
	};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (places[i] != SIZE_MAX) {
			pinned[places[i]] = 1;
			pin_call(x, places[i], pinned);
		}
	return tasks == SIZE_MAX ? MT_OK
				 : history_mates(x->c->agent->history, x->view,
						 x->view_count, tasks, pinned, &x->error);
}

/* Mark the events that no condensation may forget, drop or mask. */
const unsigned char *plugin_view_pins(struct mt_ctx *x)
{
	if (x->pinned)
		return x->pinned;
	x->pinned = calloc(x->view_count + 1, 1);
	if (x->pinned && pin_all(x, x->pinned)) {
		free(x->pinned);
		x->pinned = NULL;
	}
	return x->pinned;
}

/* ---- dropping and masking ---------------------------------------------- */

static int out_drop(struct mt_ctx *x, size_t place, size_t count)
{
	if (place > x->view_count || count > x->view_count - place)
		return fail(&x->error, MT_EINVAL,
			    "cannot drop %zu places from %zu on; the view has %zu", count,
			    place, x->view_count);
	if (!plugin_view_pins(x))
		return MT_ENOMEM;
	if (!x->shown) {
		x->shown = malloc(x->view_count + 1);
		if (!x->shown)
			return MT_ENOMEM;
		memset(x->shown, 1, x->view_count + 1);
	}
	for (size_t i = place; i < place + count; i++)
		x->shown[i] = plugin_view_pins(x)[i];
	return MT_OK;
}

static int out_mask(struct mt_ctx *x, size_t place, struct mt_str text)
{
	char *copy;

	if (place >= x->view_count)
		return fail(&x->error, MT_EINVAL,
			    "cannot mask place %zu; the view has %zu", place,
			    x->view_count);
	if (x->view[place].event < 0)
		return fail(&x->error, MT_EINVAL,
			    "cannot mask place %zu; it is a summary, not an event",
			    place);
	if (!plugin_view_pins(x))
		return MT_ENOMEM;
	if (plugin_view_pins(x)[place])
		return MT_OK;
	copy = strndup(text.ptr ? text.ptr : "", text.len);
	if (!copy || ARRAY_GROW(x->texts, NULL, x->text_count + 1, ARRAY_MAX)) {
		free(copy);
		return MT_ENOMEM;
	}
	x->texts[x->text_count++] = copy;
	x->view[place].text = copy;
	x->view[place].len = text.len;
	return MT_OK;
}

/* ---- forgetting -------------------------------------------------------- */

struct forgetting {
	int64_t *ids;
	size_t count;
	size_t summaries; /* earlier ones that end with it */
	size_t head;      /* number of first positions that stay: pinned */
};

/* A new summary replaces the earlier summaries at these positions. */
static int choose_forgotten(struct mt_ctx *x, const size_t *places, size_t count,
			    bool summary, struct forgetting *f)
{
	const unsigned char *pinned = plugin_view_pins(x);

	f->ids = malloc((count + 1) * sizeof *f->ids);
	if (!pinned || !f->ids)
		return MT_ENOMEM;
	while (f->head < count && pinned[places[f->head]])
		f->head++;
	for (size_t i = 0; i < count; i++) {
		const struct view_item *item = &x->view[places[i]];

		if (item->event >= 0 && !pinned[places[i]])
			f->ids[f->count++] = item->event;
		f->summaries += item->event < 0 && summary;
	}
	return MT_OK;
}

static size_t summaries_shown(const struct mt_ctx *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->view_count; i++)
		n += x->view[i].event < 0;
	return n;
}

/* List the forgotten events in the form of the log: a range if possible, otherwise a
 * list. */
static int name_forgotten(json_object *args, const struct forgetting *f)
{
	bool range = f->count > 1;
	json_object *ids = NULL;

	for (size_t i = 0; i < f->count; i++)
		range = range && f->ids[i] == f->ids[0] + (int64_t)i;
	if (range)
		return js_set_int(args, "forgotten_events_start_id", f->ids[0]) ||
				       js_set_int(args, "forgotten_events_end_id",
						  f->ids[f->count - 1])
			       ? MT_ENOMEM
			       : MT_OK;
	ids = json_object_new_array();
	for (size_t i = 0; i < f->count; i++)
		if (js_add_new(ids, json_object_new_int64(f->ids[i]))) {
			json_object_put(ids);
			return MT_ENOMEM;
		}
	return js_set_new(args, "forgotten_event_ids", ids);
}

/* Earlier summaries that were not among the places stay; one that goes alone is
 * named by its condensation. */
static int name_summary(json_object *args, const struct mt_ctx *x,
			const struct forgetting *f, struct mt_str summary, size_t offset)
{
	if (!summary.len)
		return MT_OK;
	if (js_set_strn(args, "summary", summary.ptr, summary.len) ||
	    js_set_int(args, "summary_offset", (int64_t)offset))
		return MT_ENOMEM;
	if (summaries_shown(x) <= f->summaries)
		return MT_OK;
	return js_set_bool(args, "keep_summaries", true);
}

static int log_condensation(struct mt_ctx *x, const struct forgetting *f,
			    struct mt_str summary, size_t offset)
{
	AUTO(json) json_object *args = json_object_new_object();
	int64_t id = 0;

	if (name_forgotten(args, f) || name_summary(args, x, f, summary, offset))
		return out_of_memory(&x->error);
	if (!x->copy)
		id = conversation_log_event(x->c,
					    event_action("condensation", SOURCE_AGENT,
							 STEAL(args), &x->error),
					    &x->error);
	if (id < 0)
		return (int)id;
	x->condensed = true;
	return MT_OK;
}

static int out_forget(struct mt_ctx *x, const size_t *places, size_t count,
		      struct mt_str summary, size_t offset)
{
	struct forgetting f = { 0 };
	int r = MT_OK;

	if (!count || summary.len > SUMMARY_MAX)
		return fail(&x->error, MT_EINVAL,
			    "a condensation must forget at least one event and have a "
			    "summary of at most %d bytes",
			    SUMMARY_MAX);
	for (size_t i = 0; i < count; i++)
		if (places[i] >= x->view_count || (i && places[i] <= places[i - 1]))
			return fail(&x->error, MT_EINVAL,
				    "positions are outside the view or not in "
				    "ascending order");
	r = choose_forgotten(x, places, count, summary.len > 0, &f);
	if (!r && f.count)
		r = log_condensation(x, &f, summary,
				     offset == places[0] ? offset + f.head : offset);
	free(f.ids);
	return r;
}

static int out_requested(struct mt_ctx *x)
{
	return x->condense_requested;
}

int64_t plugin_view_tokens(struct mt_ctx *x)
{
	AUTO(llm_request) struct llm_request *request = llm_request_new();

	if (!request || !x->c->agent->llm ||
	    request_messages_build(x->c->agent->memory, x->view, x->view_count, request,
				   &x->error))
		return -1;
	return llm_estimate_tokens(x->c->agent->llm, request);
}

static int64_t out_window_tokens(struct mt_ctx *x)
{
	return x->c->agent->llm ? llm_context_window(x->c->agent->llm) : -1;
}

static struct mt_str out_shown(struct mt_ctx *x, size_t place)
{
	if (place >= x->view_count)
		return (struct mt_str){ 0 };
	return (struct mt_str){ x->view[place].text, x->view[place].len };
}

const unsigned char *plugin_view_cuts(struct mt_ctx *x)
{
	if (!x->cuts)
		history_cuts(x->c->agent->history, x->view, x->view_count, &x->cuts,
			     &x->error);
	return x->cuts;
}

static int out_may_cut(struct mt_ctx *x, size_t place)
{
	const unsigned char *cuts = plugin_view_cuts(x);

	return cuts && place <= x->view_count && cuts[place];
}

static int out_pinned(struct mt_ctx *x, size_t place)
{
	const unsigned char *pinned = plugin_view_pins(x);

	return place < x->view_count && pinned && pinned[place];
}

const struct mt_condenser_out *plugin_condenser_out(void)
{
	static const struct mt_condenser_out table = {
		.size = sizeof table,
		.drop = out_drop,
		.mask = out_mask,
		.forget = out_forget,
		.requested = out_requested,
		.view_tokens = plugin_view_tokens,
		.window_tokens = out_window_tokens,
		.shown = out_shown,
		.may_cut = out_may_cut,
		.pinned = out_pinned,
	};

	return &table;
}
