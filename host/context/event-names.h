/* SPDX-License-Identifier: MIT
 *
 * event-names.h - numbers the ids of replies and calls, and stores them in a file. */
#ifndef HOST_CONTEXT_EVENT_NAMES_H
#define HOST_CONTEXT_EVENT_NAMES_H

#include "strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { EVENT_NAMES_MAX = 1 << 28 };

/** Ids in the order of their numbers. Initialize with EVENT_NAMES. */
struct event_names {
	struct strbuf texts; /* each followed by a NUL */
	uint32_t *places;    /* offset of each id in `texts` */
	size_t count, room;
	uint32_t *table;     /* numbers + 1 by hash; 0: free */
	size_t table_size;   /* a power of two, or 0 */
};

#define EVENT_NAMES { .texts = STRBUF(EVENT_NAMES_MAX) }

/** @return the number of an id, which is assigned if the id is new; -1 for NULL or an
 *  empty string; -2 if out of memory. */
int32_t event_names_number(struct event_names *n, const char *id);
/** Restore the ids from `texts` as they were saved. @return false if they are
 *  invalid. */
bool event_names_load(struct event_names *n, const char *texts, size_t len);
void event_names_clear(struct event_names *n);

#endif
