/* SPDX-License-Identifier: MIT
 *
 * event-names.h - numbers the ids of replies and calls, and stores them in a file. */
#ifndef HOST_CONTEXT_EVENT_NAMES_H
#define HOST_CONTEXT_EVENT_NAMES_H

#include "strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { EVENT_NAMES_MAX = 1 << 28 };

/** Ids in the order of their numbers. Begin with EVENT_NAMES. */
struct event_names {
	struct strbuf texts; /* each with its NUL */
	uint32_t *places;    /* of each in `texts` */
	size_t count, room;
	uint32_t *table;     /* numbers + 1 by hash; 0: free */
	size_t table_size;   /* a power of two, or 0 */
};

#define EVENT_NAMES { .texts = STRBUF(EVENT_NAMES_MAX) }

/** @return the number of an id, a new one if it is new; -1 for an empty text or NULL;
 *  -2 if there is no memory for it. */
int32_t event_names_number(struct event_names *n, const char *id);
/** Restore the ids from `texts` as they were written. @return false: they are invalid. */
bool event_names_load(struct event_names *n, const char *texts, size_t len);
void event_names_clear(struct event_names *n);

#endif
