/* SPDX-License-Identifier: MIT
 *
 * event-facts.h - what the rules of a view need to know of the events of a log, each
 * read once. */
#ifndef HOST_CONTEXT_EVENT_FACTS_H
#define HOST_CONTEXT_EVENT_FACTS_H

#include "context/view-invariants.h"
#include "events/log.h"

struct facts;

struct facts *facts_new(struct evlog *log);
struct facts *facts_free(struct facts *f);
/** Know these events, in this order. With an `end` (CLOCK_MONOTONIC, ns; 0: none) some
 *  may be left when it has come: then `*ret_more`, and the lists are not to be used. */
int facts_read(struct facts *f, const int32_t *ids, size_t count, uint64_t end,
	       bool *ret_more, struct error *err);
/** Those of the last facts_read, in its order. */
const struct view_fact *facts_list(const struct facts *f);
/** Of one of them by its id; NULL: it is none of them. */
const struct view_fact *facts_of(const struct facts *f, int64_t id);

#endif
