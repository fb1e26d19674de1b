/* SPDX-License-Identifier: MIT
 *
 * history.c - the events that count, after every condensation. */
#include "context/history.h"

#include <string.h>

struct history {
	struct evlog *log;
	int64_t scanned;       /* events that were looked at */
	int32_t *shown;        /* ids of those that are history */
	size_t shown_count;
	unsigned char *gone;   /* by event: forgotten */
	size_t room;
	char *summary;         /* of the newest condensation that has one */
	int64_t offset;
};

struct history *history_new(struct evlog *log)
{
	struct history *h = calloc(1, sizeof *h);

	if (h)
		h->log = log;
	return h;
}

struct history *history_free(struct history *h)
{
	if (h) {
		free(h->gone);
		free(h->shown);
		free(h->summary);
		free(h);
	}
	return NULL;
}

static int make_room(struct history *h, int64_t count)
{
	size_t room = h->room ? h->room : 256;
	unsigned char *gone;
	int32_t *shown;

	if ((uint64_t)count <= h->room)
		return MT_OK;
	while (room < (uint64_t)count)
		room *= 2;
	gone = realloc(h->gone, room);
	if (!gone)
		return MT_ENOMEM;
	h->gone = gone;
	shown = realloc(h->shown, room * sizeof *shown);
	if (!shown)
		return MT_ENOMEM;
	h->shown = shown;
	memset(gone + h->room, 0, room - h->room);
	h->room = room;
	return MT_OK;
}

static void forget(struct history *h, int64_t id)
{
	if (id >= 0 && id < evlog_count(h->log))
		h->gone[id] = 1;
}

static int apply(struct history *h, int64_t id, struct error *err)
{
	AUTO(event) struct event *e = evlog_event(h->log, id, err);
	json_object *args, *ids;
	int64_t first, last;
	const char *summary;
	char *copy;

	if (!e)
		return err->code;
	args = event_args(e);
	ids = js_get(args, "forgotten_event_ids");
	for (size_t i = 0; json_object_is_type(ids, json_type_array)
			   && i < json_object_array_length(ids); i++)
		forget(h, json_object_get_int64(json_object_array_get_idx(ids, i)));
	first = js_int(args, "forgotten_events_start_id", -1);
	last = js_int(args, "forgotten_events_end_id", -1);
	for (int64_t i = first; first >= 0 && i <= last && i < evlog_count(h->log); i++)
		forget(h, i);
	summary = js_str(args, "summary", NULL);
	if (!summary)
		return MT_OK;
	copy = strdup(summary);
	if (!copy)
		return fail(err, MT_ENOMEM, "out of memory");
	free(h->summary);
	h->summary = copy;
	h->offset = js_int(args, "summary_offset", 0);
	return MT_OK;
}

/* Types that are no history. */
static bool left_out(const struct event_type *type)
{
	static const char *const actions[] = { "null", "change_agent_state", "condensation",
					       "condensation_request" };
	static const char *const observations[] = { "null", "agent_state_changed" };
	const char *const *names = type->is_action ? actions : observations;
	size_t n = type->is_action ? ARRAY_LEN(actions) : ARRAY_LEN(observations);

	for (size_t i = 0; i < n; i++)
		if (strcmp(type->name, names[i]) == 0)
			return true;
	return false;
}

static void insert_summary(const struct history *h, struct view_item *items, size_t *count)
{
	size_t at = h->offset < 0 ? 0 : (size_t)h->offset;

	if (at > *count)
		at = *count;
	memmove(&items[at + 1], &items[at], (*count - at) * sizeof *items);
	items[at] = (struct view_item){ .event = -1, .text = h->summary,
					.len = strlen(h->summary) };
	(*count)++;
}

/* Look at the events that have come since the last view. */
static int scan(struct history *h, int64_t count, struct error *err)
{
	for (; h->scanned < count; h->scanned++) {
		const struct evlog_head *head = evlog_head(h->log, h->scanned);

		if (strcmp(head->type->name, "condensation") == 0 && !head->undone
		    && apply(h, h->scanned, err))
			return err->code;
		if (!head->hidden && !left_out(head->type))
			h->shown[h->shown_count++] = (int32_t)h->scanned;
	}
	return MT_OK;
}

void history_rewound(struct history *h)
{
	h->scanned = 0;
	h->shown_count = 0;
	if (h->gone)
		memset(h->gone, 0, h->room);
	free(h->summary);
	h->summary = NULL;
	h->offset = 0;
}

int history_view(struct history *h, struct view_item **ret, size_t *ret_count,
		 struct error *err)
{
	int64_t count = evlog_count(h->log);
	struct view_item *items;
	size_t n = 0;

	if (make_room(h, count))
		return fail(err, MT_ENOMEM, "out of memory");
	if (scan(h, count, err))
		return err->code;
	items = malloc((h->shown_count + 1) * sizeof *items);
	if (!items)
		return fail(err, MT_ENOMEM, "out of memory");
	for (size_t i = 0; i < h->shown_count; i++)
		if (!h->gone[h->shown[i]] && !evlog_head(h->log, h->shown[i])->undone)
			items[n++] = (struct view_item){ .event = h->shown[i] };
	if (h->summary)
		insert_summary(h, items, &n);
	*ret = items;
	*ret_count = n;
	return MT_OK;
}

bool history_user_since(const struct evlog *log, int64_t id)
{
	for (int64_t i = evlog_count(log) - 1; i >= id && i >= 0; i--) {
		const struct evlog_head *head = evlog_head(log, i);

		if (head->type->is_action && head->source == SOURCE_USER && !head->undone
		    && strcmp(head->type->name, "message") == 0)
			return true;
	}
	return false;
}
