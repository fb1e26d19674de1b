/* SPDX-License-Identifier: MIT
 *
 * event-facts.h - facts about events that the view invariants require; each event is
 * read once. */
#ifndef HOST_CONTEXT_EVENT_FACTS_H
#define HOST_CONTEXT_EVENT_FACTS_H

#include "context/view-invariants.h"
#include "events/evlog.h"

struct event_facts;

/** Load the facts that were saved for this log, if they are valid. */
struct event_facts *event_facts_new(struct evlog *log);
struct event_facts *event_facts_free(struct event_facts *f);
/** Save the facts next to the log for the next process, unless only a few are new. */
void event_facts_save(struct event_facts *f);
/** Read the facts of these events, in this order, until `end` (CLOCK_MONOTONIC, ns; 0:
 *  no limit). `*ret_more`: some events were not read; the list must not be used. */
int event_facts_read(struct event_facts *f, const int32_t *ids, size_t count,
		     uint64_t end, bool *ret_more, struct error *err);
/** The facts that the last event_facts_read read, in its order. */
const struct view_fact *event_facts_list(const struct event_facts *f);
/** The facts of one of these events by its id; NULL: not found. */
const struct view_fact *event_facts_of(const struct event_facts *f, int64_t id);

#endif
