/* SPDX-License-Identifier: MIT
 *
 * view-item.h - one item of a view, the list of events and summaries shown to the
 * model. */
#ifndef HOST_CONTEXT_VIEW_ITEM_H
#define HOST_CONTEXT_VIEW_ITEM_H

#include <stddef.h>
#include <stdint.h>

/** One item of a view. */
struct view_item {
	int64_t event;        /* id; -1: a summary */
	int64_t condensation; /* of a summary: the id of its condensation */
	const char *text;     /* summary, or replacement for the event's own text; NULL:
	                      the event itself. Borrowed. */
	size_t len;
};

#endif
