/* SPDX-License-Identifier: MIT
 *
 * view-item.h - one place of a view, the list of what the model sees of a history. */
#ifndef HOST_CONTEXT_VIEW_ITEM_H
#define HOST_CONTEXT_VIEW_ITEM_H

#include <stddef.h>
#include <stdint.h>

/** One place of a view. */
struct view_item {
	int64_t event;        /* id; -1: a summary */
	int64_t condensation; /* a summary: the event that it is of */
	const char *text;     /* summary, or what is shown instead of the event's
	                      own text; NULL: the event itself. Borrowed. */
	size_t len;
};

#endif
