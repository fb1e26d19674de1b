/* SPDX-License-Identifier: MIT
 *
 * history.c - determines the events that remain after every condensation. */
#include "context/history.h"

#include "context/event-facts.h"
#include "array.h"

#include <string.h>

struct note {
	int64_t id;            /* of the condensation */
	char *summary;
	int64_t offset;
};

struct history {
	struct evlog *log;
	int64_t start;         /* the first event that may be shown */
	int64_t scanned;       /* number of events scanned */
	int32_t *shown;        /* ids of the events that are part of the history */
	size_t shown_count;
	unsigned char *gone;   /* by event: forgotten */
	size_t room;
	int64_t *applied;      /* ids of condensations */
	size_t applied_count;
	struct note *notes;    /* their summaries that are still shown */
	size_t note_count;
	struct event_facts *facts;   /* created when a rule first needs them */
};

struct history *history_new(struct evlog *log, int64_t start)
{
	struct history *h = calloc(1, sizeof *h);

	if (h)
		*h = (struct history){ .log = log, .start = start, .scanned = start };
	return h;
}

static void drop_notes(struct history *h)
{
	for (size_t i = 0; i < h->note_count; i++)
		free(h->notes[i].summary);
	h->note_count = 0;
}

struct history *history_free(struct history *h)
{
	if (h) {
		drop_notes(h);
		free(h->notes);
		free(h->applied);
		free(h->gone);
		free(h->shown);
		event_facts_free(h->facts);
		free(h);
	}
	return NULL;
}

void history_save(struct history *h)
{
	if (h && h->facts)
		event_facts_save(h->facts);
}

/* Both arrays have the same capacity; new elements of `gone` are zero. */
static int history_reserve(struct history *h, int64_t count)
{
	size_t old = h->room, room = h->room;

	if (ARRAY_GROW(h->shown, &room, (size_t)count, ARRAY_MAX) ||
	    ARRAY_GROW(h->gone, &h->room, (size_t)count, ARRAY_MAX))
		return MT_ENOMEM;
	if (h->room > old)
		memset(h->gone + old, 0, h->room - old);
	return MT_OK;
}

/* ---- condensations ------------------------------------------------------ */

static int history_by_id(const void *key, const void *note)
{
	int64_t a = *(const int64_t *)key, b = ((const struct note *)note)->id;

	return a < b ? -1 : a > b;
}

/* True if the condensation itself was forgotten, and its summary with it. */
static bool history_forget_event(struct history *h, int64_t id)
{
	struct note *note;

	if (id < 0 || id >= evlog_count(h->log))
		return false;
	h->gone[id] = 1;
	note = h->note_count ? bsearch(&id, h->notes, h->note_count, sizeof *note,
				       history_by_id)
			     : NULL;
	if (!note)
		return false;
	free(note->summary);
	note->summary = NULL;
	return true;
}

static void drop_forgotten_notes(struct history *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->note_count; i++)
		if (h->notes[i].summary)
			h->notes[kept++] = h->notes[i];
	h->note_count = kept;
}

static void forget_all(struct history *h, json_object *args)
{
	json_object *ids = js_get(args, "forgotten_event_ids");
	int64_t first = js_int(args, "forgotten_events_start_id", -1);
	int64_t last = js_int(args, "forgotten_events_end_id", -1);
	bool summaries = false;

	for (size_t i = 0; json_object_is_type(ids, json_type_array) &&
			   i < json_object_array_length(ids);
	     i++)
		summaries |= history_forget_event(
			h, json_object_get_int64(json_object_array_get_idx(ids, i)));
	for (int64_t i = first; first >= 0 && i <= last && i < evlog_count(h->log); i++)
		summaries |= history_forget_event(h, i);
	if (summaries)
		drop_forgotten_notes(h);
}

/* V0 has one summary at a time: a new one replaces the previous ones unless the
 * condensation keeps them. */
static int take_summary(struct history *h, int64_t id, json_object *args,
			struct error *err)
{
	const char *summary = js_str(args, "summary", NULL);
	struct note *note;

	if (!summary)
		return MT_OK;
	if (!js_bool(args, "keep_summaries", false))
		drop_notes(h);
	if (ARRAY_ADD(h->notes, h->note_count, ARRAY_MAX))
		return out_of_memory(err);
	note = &h->notes[h->note_count];
	*note = (struct note){ .id = id, .summary = strdup(summary),
			       .offset = js_int(args, "summary_offset", 0) };
	if (!note->summary)
		return out_of_memory(err);
	h->note_count++;
	return MT_OK;
}

bool history_condensation_is_valid(json_object *args)
{
	bool ids = js_get(args, "forgotten_event_ids");
	bool first = js_get(args, "forgotten_events_start_id");
	bool last = js_get(args, "forgotten_events_end_id");
	bool summary = js_get(args, "summary"), offset = js_get(args, "summary_offset");

	return summary == offset && first == last && ids != first;
}

static int apply_condensation(struct history *h, int64_t id, struct error *err)
{
	AUTO(event) struct event *e = evlog_event(h->log, id, err);

	if (!e)
		return err->code;
	if (ARRAY_ADD(h->applied, h->applied_count, ARRAY_MAX))
		return out_of_memory(err);
	h->applied[h->applied_count++] = id;
	if (!history_condensation_is_valid(event_args(e)))
		return MT_OK;
	forget_all(h, event_args(e));
	return take_summary(h, id, event_args(e), err);
}

/* Types that are not part of the history. */
static bool history_left_out(const struct event_type *type)
{
	switch (type->id) {
	case ACTION_NULL:
	case ACTION_CHANGE_AGENT_STATE:
	case ACTION_CONDENSATION:
	case ACTION_CONDENSATION_REQUEST:
	case OBSERVATION_NULL:
	case OBSERVATION_AGENT_STATE_CHANGED:
		return true;
	default:
		return false;
	}
}

/* Restore the events that a reverted condensation had forgotten. */
static void restart_if_undone(struct history *h)
{
	bool undone = false;

	for (size_t i = 0; i < h->applied_count; i++)
		undone = undone || evlog_head(h->log, h->applied[i])->undone;
	if (!undone)
		return;
	drop_notes(h);
	memset(h->gone, 0, h->room);
	h->scanned = h->start;
	h->shown_count = h->applied_count = 0;
}

static void drop_undone(struct history *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->shown_count; i++)
		if (!evlog_head(h->log, h->shown[i])->undone)
			h->shown[kept++] = h->shown[i];
	h->shown_count = kept;
}

/* The events of a delegate are not part of this history. */
static void skip_delegation(struct history *h)
{
	int64_t end = evlog_delegation_end(h->log, h->scanned);

	if (end > 0)
		h->scanned = end - 1;
}

/* Process the events since the last view. */
static int history_scan(struct history *h, int64_t count, struct error *err)
{
	restart_if_undone(h);
	drop_undone(h);
	for (; h->scanned < count; h->scanned++) {
		const struct evlog_head *head = evlog_head(h->log, h->scanned);

		if (head->type->id == ACTION_CONDENSATION && !head->undone &&
		    apply_condensation(h, h->scanned, err))
			return err->code;
		if (!head->hidden && !head->undone && !history_left_out(head->type))
			h->shown[h->shown_count++] = (int32_t)h->scanned;
		skip_delegation(h);
	}
	return MT_OK;
}

/* ---- the rules --------------------------------------------------------- */

static int history_read_facts(struct history *h, uint64_t end, bool *ret_more,
			      struct error *err)
{
	if (!h->facts)
		h->facts = event_facts_new(h->log);
	if (!h->facts)
		return out_of_memory(err);
	return event_facts_read(h->facts, h->shown, h->shown_count, end, ret_more, err);
}

static int need_facts(struct history *h, struct error *err)
{
	bool more;

	return history_read_facts(h, 0, &more, err);
}

/* The newest task list that is shown; SIZE_MAX: none. */
static size_t newest_tasks(const struct history *h, const unsigned char *shown)
{
	for (size_t i = h->shown_count; i-- > 0;) {
		const struct evlog_head *head = evlog_head(h->log, h->shown[i]);

		if (shown[i] && head->type->id == OBSERVATION_TASK_TRACKING)
			return i;
	}
	return SIZE_MAX;
}

/* The newest task list is pinned: it stays, with the events it requires, even if the loop
 * around it was forgotten. Changes `facts` so that the rules ignore the loop. */
static int free_tasks(const struct history *h, const unsigned char *shown,
		      struct view_fact *facts)
{
	size_t tasks = newest_tasks(h, shown), n = h->shown_count;
	AUTO(free) const struct view_fact **places = NULL;
	AUTO(free) unsigned char *marks = NULL;
	bool whole = true;

	if (tasks == SIZE_MAX || facts[tasks].loop < 0)
		return MT_OK;
	places = calloc(n, sizeof *places);
	marks = calloc(n, 1);
	if (!places || !marks)
		return MT_ENOMEM;
	for (size_t i = 0; i < n; i++)
		places[i] = &facts[i];
	view_invariants_mates(places, n, tasks, marks);
	for (size_t i = 0; i < n; i++)
		whole = whole && (!marks[i] || shown[i]);
	for (size_t i = 0; i < n; i++)
		if (whole && marks[i])
			facts[i].loop = -1;
	return MT_OK;
}

/* Remove events that the rules forbid after a condensation. */
static int keep_rules(struct history *h, unsigned char *shown, struct error *err)
{
	AUTO(free) struct view_fact *facts = NULL;

	if (!h->applied_count)
		return MT_OK;
	if (need_facts(h, err))
		return err->code;
	facts = calloc(h->shown_count + 1, sizeof *facts);
	if (!facts)
		return out_of_memory(err);
	for (size_t i = 0; i < h->shown_count; i++)
		facts[i] = event_facts_list(h->facts)[i];
	if (free_tasks(h, shown, facts) ||
	    view_invariants_apply(facts, h->shown_count, shown))
		return out_of_memory(err);
	return MT_OK;
}

/* The facts of each position of a view; NULL: out of memory. */
static const struct view_fact **facts_of_view(struct history *h,
					      const struct view_item *view, size_t count,
					      struct error *err)
{
	const struct view_fact **places = calloc(count + 1, sizeof *places);

	if (!places) {
		out_of_memory(err);
		return NULL;
	}
	if (need_facts(h, err)) {
		free(places);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		places[i] = event_facts_of(h->facts, view[i].event);
	return places;
}

int history_mates(struct history *h, const struct view_item *view, size_t count,
		  size_t place, unsigned char *marks, struct error *err)
{
	AUTO(free) const struct view_fact **places = facts_of_view(h, view, count, err);

	if (!places)
		return err->code;
	view_invariants_mates(places, count, place, marks);
	return MT_OK;
}

int history_complete(struct history *h, const struct view_item *view, size_t count,
		     unsigned char *shown, struct error *err)
{
	AUTO(free) const struct view_fact **places = facts_of_view(h, view, count, err);

	if (!places)
		return err->code;
	return view_invariants_complete(places, count, shown) ? out_of_memory(err)
							      : MT_OK;
}

int history_cuts(struct history *h, const struct view_item *view, size_t count,
		 unsigned char **ret_allowed, struct error *err)
{
	AUTO(free) const struct view_fact **places = facts_of_view(h, view, count, err);
	unsigned char *allowed;

	if (!places)
		return err->code;
	allowed = malloc(count + 1);
	if (!allowed || view_invariants_cuts(places, count, allowed)) {
		free(allowed);
		return out_of_memory(err);
	}
	*ret_allowed = allowed;
	return MT_OK;
}

/* ---- the view ---------------------------------------------------------- */

/* The free positions of a view as a Fenwick tree over 1 to `count`. */
struct places {
	size_t *free;
	size_t count, step; /* step: greatest power of two that is at most count */
};

static int places_open(struct places *p, size_t count)
{
	p->free = malloc((count + 1) * sizeof *p->free);
	p->count = count;
	for (p->step = 1; p->step * 2 <= count; p->step *= 2)
		;
	if (!p->free)
		return MT_ENOMEM;
	for (size_t i = 0; i <= count; i++)
		p->free[i] = i & -i;
	return MT_OK;
}

/* Take the free position with index `before` (from 0). */
static size_t places_take(struct places *p, size_t before)
{
	size_t at = 0;

	for (size_t step = p->step; step > 0; step /= 2)
		if (at + step <= p->count && p->free[at + step] <= before) {
			at += step;
			before -= p->free[at];
		}
	for (size_t i = at + 1; i <= p->count; i += i & -i)
		p->free[i]--;
	return at;
}

/* The offset of a summary refers to the view that contains the earlier summaries. So the
 * newest summary is placed first, and each takes a position among the remaining ones. */
static int place_summaries(const struct history *h, size_t events,
			   struct view_item *items)
{
	struct places p;

	if (places_open(&p, events + h->note_count))
		return MT_ENOMEM;
	for (size_t i = h->note_count; i-- > 0;) {
		const struct note *n = &h->notes[i];
		size_t most = events + i, at = n->offset < 0 ? 0 : (size_t)n->offset;

		items[places_take(&p, at < most ? at : most)] = (struct view_item){
			.event = -1, .condensation = n->id,
			.text = n->summary, .len = strlen(n->summary),
		};
	}
	free(p.free);
	return MT_OK;
}

static int list_view(struct history *h, const unsigned char *shown,
		     struct view_item **ret, size_t *ret_count, struct error *err)
{
	struct view_item *items;
	size_t events = 0, at = 0, count;

	for (size_t i = 0; i < h->shown_count; i++)
		events += shown[i];
	count = events + h->note_count;
	items = calloc(count + 1, sizeof *items);
	if (!items || (h->note_count && place_summaries(h, events, items))) {
		free(items);
		return out_of_memory(err);
	}
	for (size_t i = 0; i < h->shown_count; i++) {
		if (!shown[i])
			continue;
		while (items[at].text)
			at++;
		items[at++] = (struct view_item){ .event = h->shown[i] };
	}
	*ret = items;
	*ret_count = count;
	return MT_OK;
}

int history_prepare(struct history *h, uint64_t end, bool *ret_more, struct error *err)
{
	int64_t count = evlog_count(h->log);

	*ret_more = false;
	if (history_reserve(h, count))
		return out_of_memory(err);
	if (history_scan(h, count, err))
		return err->code;
	return h->applied_count ? history_read_facts(h, end, ret_more, err) : MT_OK;
}

int history_view(struct history *h, struct view_item **ret, size_t *ret_count,
		 struct error *err)
{
	int64_t count = evlog_count(h->log);
	AUTO(free) char *shown = NULL;

	if (history_reserve(h, count))
		return out_of_memory(err);
	if (history_scan(h, count, err))
		return err->code;
	shown = malloc(h->shown_count + 1);
	if (!shown)
		return out_of_memory(err);
	for (size_t i = 0; i < h->shown_count; i++)
		shown[i] = !h->gone[h->shown[i]];
	if (keep_rules(h, (unsigned char *)shown, err))
		return err->code;
	return list_view(h, (unsigned char *)shown, ret, ret_count, err);
}

const int32_t *history_events(const struct history *h, size_t *ret_count)
{
	*ret_count = h->shown_count;
	return h->shown;
}

bool history_user_since(const struct evlog *log, int64_t id)
{
	for (int64_t i = evlog_count(log) - 1; i >= id && i >= 0; i--) {
		const struct evlog_head *head = evlog_head(log, i);

		if (head->source == SOURCE_USER && !head->undone &&
		    head->type->id == ACTION_MESSAGE)
			return true;
	}
	return false;
}
