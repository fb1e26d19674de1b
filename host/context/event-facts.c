/* SPDX-License-Identifier: MIT
 *
 * event-facts.c - see event-facts.h. Ids of replies and calls become small
 * numbers. */
#include "context/event-facts.h"

#include "array.h"
#include "slice.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct name {
	int32_t number;
	char text[];
};

struct names {
	void *tree;
	int32_t count;
};

struct event_facts {
	struct evlog *log;
	struct names batches, calls;
	struct view_fact *list;
	int32_t *ids;
	size_t count, room;
};

struct event_facts *event_facts_new(struct evlog *log)
{
	struct event_facts *f = calloc(1, sizeof *f);

	if (f)
		f->log = log;
	return f;
}

struct event_facts *event_facts_free(struct event_facts *f)
{
	if (f) {
		tdestroy(f->batches.tree, free);
		tdestroy(f->calls.tree, free);
		free(f->list);
		free(f->ids);
		free(f);
	}
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* @return the number of a text; -1 for none; -2: out of memory. */
static int32_t name_number(struct names *names, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	struct name *n, **found;

	if (!len)
		return -1;
	n = malloc(sizeof *n + len + 1);
	if (!n)
		return -2;
	memcpy(n->text, text, len + 1);
	n->number = names->count;
	found = tsearch(n, &names->tree, compare_names);
	if (!found || *found != n) {
		int32_t number = found ? (*found)->number : -2;

		free(n);
		return number;
	}
	names->count++;
	return n->number;
}

static int read_one(struct event_facts *f, int32_t id, struct view_fact *ret,
		    struct error *err)
{
	AUTO(event) struct event *e = NULL;
	json_object *meta;

	*ret = (struct view_fact){ .batch = -1, .call = -1, .loop = -1 };
	ret->is_action = evlog_head(f->log, id)->type->is_action;
	if (!evlog_head(f->log, id)->has_call)
		return MT_OK;
	e = evlog_event(f->log, id, err);
	if (!e)
		return err->code;
	meta = event_tool_meta(e);
	ret->call = name_number(&f->calls, js_str(meta, "tool_call_id", NULL));
	if (ret->is_action) {
		ret->batch =
			name_number(&f->batches, js_str(meta, "llm_response_id", NULL));
		ret->thinking = *js_str(e->json, "reasoning_content", "") != '\0';
	}
	if (ret->call == -2 || ret->batch == -2)
		return out_of_memory(err);
	return MT_OK;
}

/* Both arrays have the same room. */
static int event_facts_reserve(struct event_facts *f, size_t count)
{
	size_t room = f->room;

	if (ARRAY_GROW(f->list, &room, count, ARRAY_MAX))
		return MT_ENOMEM;
	return ARRAY_GROW(f->ids, &f->room, count, ARRAY_MAX);
}

int event_facts_read(struct event_facts *f, const int32_t *ids, size_t count,
		     uint64_t end, bool *ret_more, struct error *err)
{
	size_t same = 0;

	*ret_more = false;
	if (event_facts_reserve(f, count))
		return out_of_memory(err);
	while (same < count && same < f->count && f->ids[same] == ids[same])
		same++;
	for (f->count = same; f->count < count; f->count++) {
		if (end && f->count % SLICE_EVENTS == 0 && f->count > same &&
		    slice_is_over(end)) {
			*ret_more = true;
			return MT_OK;
		}
		f->ids[f->count] = ids[f->count];
		if (read_one(f, ids[f->count], &f->list[f->count], err))
			return err->code;
	}
	view_invariants_number_loops(f->list, count);
	return MT_OK;
}

const struct view_fact *event_facts_list(const struct event_facts *f)
{
	return f->list;
}

static int by_id(const void *key, const void *id)
{
	int32_t a = *(const int32_t *)key, b = *(const int32_t *)id;

	return a < b ? -1 : a > b;
}

const struct view_fact *event_facts_of(const struct event_facts *f, int64_t id)
{
	int32_t key = (int32_t)id;
	int32_t *found = id < 0 ? NULL
				: bsearch(&key, f->ids, f->count, sizeof key, by_id);

	return found ? &f->list[found - f->ids] : NULL;
}
