/* SPDX-License-Identifier: MIT
 *
 * event-facts.c - implements event-facts.h. Ids of replies and calls become small
 * numbers. */
#include "context/event-facts.h"

#include "array.h"
#include "context/event-names.h"
#include "crc32c.h"
#include "files.h"
#include "slice.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS_MAX = 1 << 30, SAVE_FROM = 1024 };

#define FACTS_MAGIC "MTFACTS3"

struct event_facts {
	struct evlog *log;
	struct event_names batches, calls;
	struct view_fact *list;
	int32_t *ids;
	size_t count, room;
	size_t saved; /* number of facts already in the file */
};

/* Both arrays have the same capacity. */
static int event_facts_reserve(struct event_facts *f, size_t count)
{
	size_t room = f->room;

	if (ARRAY_GROW(f->list, &room, count, ARRAY_MAX))
		return MT_ENOMEM;
	return ARRAY_GROW(f->ids, &f->room, count, ARRAY_MAX);
}

/* ---- the file ----------------------------------------------------------- */

/* events.facts: this header, `count` entries, the ids of calls, the ids of replies. */
struct facts_header {
	char magic[8];
	uint64_t end, tail;      /* of the log; hash of the part before it */
	uint64_t count;
	uint64_t calls, batches; /* size of the ids in bytes */
	uint64_t sum;            /* of everything after the header */
};

struct facts_entry {
	int32_t id, call, batch;
	uint32_t flags;
};

enum { FACT_IS_ACTION = 1, FACT_THINKING = 2, FACT_ANSWERED = 4 };

static bool event_facts_is_good(struct event_facts *f, const struct facts_header *h,
				const char *body, size_t len)
{
	uint64_t tail;

	return memcmp(h->magic, FACTS_MAGIC, sizeof h->magic) == 0 &&
	       h->count <= len / sizeof(struct facts_entry) && h->calls <= len &&
	       h->batches <= len &&
	       h->count * sizeof(struct facts_entry) + h->calls + h->batches == len &&
	       h->sum == crc32c_update(0, body, len) && h->end <= evlog_size(f->log) &&
	       evlog_tail_hash(f->log, h->end, &tail) == MT_OK && tail == h->tail;
}

static bool event_facts_take_entry(struct event_facts *f, const char *at)
{
	struct facts_entry e;

	memcpy(&e, at, sizeof e);
	if (e.call < -1 || e.call >= (int32_t)f->calls.count || e.batch < -1 ||
	    e.batch >= (int32_t)f->batches.count || e.id < 0 ||
	    e.id >= evlog_count(f->log) || (f->count && e.id <= f->ids[f->count - 1]))
		return false;
	f->ids[f->count] = e.id;
	f->list[f->count++] = (struct view_fact){
		.batch = e.batch, .call = e.call, .loop = -1,
		.is_action = e.flags & FACT_IS_ACTION,
		.answered = e.flags & FACT_ANSWERED,
		.thinking = e.flags & FACT_THINKING,
	};
	return true;
}

static bool event_facts_take_body(struct event_facts *f, const struct facts_header *h,
				  const char *body)
{
	const char *names = body + h->count * sizeof(struct facts_entry);

	if (!event_names_load(&f->calls, names, h->calls) ||
	    !event_names_load(&f->batches, names + h->calls, h->batches) ||
	    event_facts_reserve(f, h->count))
		return false;
	for (size_t i = 0; i < h->count; i++)
		if (!event_facts_take_entry(f, body + i * sizeof(struct facts_entry)))
			return false;
	return true;
}

/* Load the facts from the file. If the file is invalid, the events are read instead. */
static void event_facts_load(struct event_facts *f)
{
	AUTO(free) char *path = path_join(evlog_dir(f->log), "events.facts");
	AUTO(free) char *text = NULL;
	struct facts_header h;
	size_t len;

	if (!path || file_read(path, FACTS_MAX, &text, &len, NULL) || len < sizeof h)
		return;
	memcpy(&h, text, sizeof h);
	if (event_facts_is_good(f, &h, text + sizeof h, len - sizeof h) &&
	    event_facts_take_body(f, &h, text + sizeof h)) {
		f->saved = f->count;
		return;
	}
	f->count = 0;
	event_names_clear(&f->calls);
	event_names_clear(&f->batches);
}

static void put_entries(const struct event_facts *f, struct strbuf *out)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct view_fact *fact = &f->list[i];
		const struct facts_entry e = {
			.id = f->ids[i], .call = fact->call, .batch = fact->batch,
			.flags = (uint32_t)(fact->is_action * FACT_IS_ACTION |
					    fact->thinking * FACT_THINKING |
					    fact->answered * FACT_ANSWERED),
		};

		strbuf_addn(out, (const char *)&e, sizeof e);
	}
}

void event_facts_save(struct event_facts *f)
{
	AUTO(strbuf) struct strbuf out = STRBUF(FACTS_MAX);
	AUTO(free) char *path = path_join(evlog_dir(f->log), "events.facts");
	struct facts_header h = { .end = evlog_size(f->log), .count = f->count,
				  .calls = f->calls.texts.len,
				  .batches = f->batches.texts.len };

	if (f->count < f->saved + SAVE_FROM || !path ||
	    evlog_tail_hash(f->log, h.end, &h.tail))
		return;
	memcpy(h.magic, FACTS_MAGIC, sizeof h.magic);
	strbuf_addn(&out, (const char *)&h, sizeof h);
	put_entries(f, &out);
	strbuf_addn(&out, f->calls.texts.text, h.calls);
	if (strbuf_addn(&out, f->batches.texts.text, h.batches))
		return; /* the file is only an optimization */
	h.sum = crc32c_update(0, out.text + sizeof h, out.len - sizeof h);
	memcpy(out.text, &h, sizeof h);
	if (file_write(path, out.text, out.len, 0600, false, NULL) == MT_OK)
		f->saved = f->count;
}

/* ---- reading ------------------------------------------------------------ */

struct event_facts *event_facts_new(struct evlog *log)
{
	struct event_facts *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	*f = (struct event_facts){ .log = log, .batches = EVENT_NAMES,
				   .calls = EVENT_NAMES };
	event_facts_load(f);
	return f;
}

struct event_facts *event_facts_free(struct event_facts *f)
{
	if (f) {
		event_names_clear(&f->batches);
		event_names_clear(&f->calls);
		free(f->list);
		free(f->ids);
		free(f);
	}
	return NULL;
}

/* A final message or a question is sent as text, without its call, and has no result. */
static bool is_sent_as_call(const struct evlog_head *head)
{
	return head->has_call && head->type->id != ACTION_FINISH &&
	       head->type->id != ACTION_MESSAGE;
}

static int event_facts_read_one(struct event_facts *f, int32_t id, struct view_fact *ret,
				struct error *err)
{
	const struct evlog_head *head = evlog_head(f->log, id);
	AUTO(event) struct event *e = NULL;
	json_object *meta;

	*ret = (struct view_fact){ .batch = -1, .call = -1, .loop = -1 };
	ret->is_action = head->type->is_action;
	if (!is_sent_as_call(head))
		return MT_OK;
	ret->answered = !ret->is_action && head->cause < 0;
	ret->is_action |= ret->answered;
	e = evlog_event(f->log, id, err);
	if (!e)
		return err->code;
	meta = event_tool_meta(e);
	ret->call = event_names_number(&f->calls, js_str(meta, "tool_call_id", NULL));
	if (ret->is_action) {
		ret->batch = event_names_number(&f->batches,
						js_str(meta, "llm_response_id", NULL));
		ret->thinking = *js_str(e->json, "reasoning_content", "") != '\0';
	}
	if (ret->call == -2 || ret->batch == -2)
		return out_of_memory(err);
	return MT_OK;
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
	if (f->saved > same)
		f->saved = same;
	for (f->count = same; f->count < count; f->count++) {
		if (end && f->count % SLICE_EVENTS == 0 && f->count > same &&
		    slice_is_over(end)) {
			*ret_more = true;
			return MT_OK;
		}
		f->ids[f->count] = ids[f->count];
		if (event_facts_read_one(f, ids[f->count], &f->list[f->count], err))
			return err->code;
	}
	view_invariants_number_loops(f->list, count);
	return MT_OK;
}

const struct view_fact *event_facts_list(const struct event_facts *f)
{
	return f->list;
}

static int event_facts_by_id(const void *key, const void *id)
{
	int32_t a = *(const int32_t *)key, b = *(const int32_t *)id;

	return a < b ? -1 : a > b;
}

const struct view_fact *event_facts_of(const struct event_facts *f, int64_t id)
{
	int32_t key = (int32_t)id;
	int32_t *found = id < 0 || !f->count ? NULL
					     : bsearch(&key, f->ids, f->count, sizeof key,
						       event_facts_by_id);

	return found ? &f->list[found - f->ids] : NULL;
}
