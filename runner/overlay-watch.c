/* SPDX-License-Identifier: MIT
 *
 * overlay-watch.c - measures the overlay of a workspace, seldom: when the processes have
 * written half of what is left, and after times that depend on how long it takes. */
#include "overlay-watch.h"
#include "clock.h"
#include "limits/amount.h"
#include "limits/tree-size.h"
#include <stdio.h>

enum { PERIOD_MS = 1000, COST_FACTOR = 20 };

static void overlay_watch_measure(struct overlay_watch *w, const char *dir, int64_t limit,
				  int64_t written)
{
	int64_t began = clock_ms(), cost;

	w->size = tree_size(dir, INT64_MAX / 2);
	cost = (clock_ms() - began) * COST_FACTOR;
	w->next_at = clock_ms() + (cost > PERIOD_MS ? cost : PERIOD_MS);
	w->written_seen = written;
	if (!w->allowed)
		w->allowed = w->size > limit ? w->size : limit;
}

bool overlay_watch_exceeded(struct overlay_watch *w, const char *dir, int64_t limit,
			    int64_t written, bool calls, char *text, size_t room)
{
	char used[AMOUNT_TEXT], most[AMOUNT_TEXT];

	if (calls && w->idle)
		w->allowed = 0;
	w->idle = !calls;
	/* The sum of all processes decreases if one of them ends. */
	if (written < w->written_seen)
		w->written_seen = written;
	if (w->allowed && clock_ms() < w->next_at &&
	    written - w->written_seen <= (w->allowed - w->size) / 2)
		return false;
	overlay_watch_measure(w, dir, limit, written);
	if (w->size <= w->allowed)
		return false;
	snprintf(
		text, room,
		"filled the overlay of the workspace with %s, and the limit `overlay_disk` "
		"is %s",
		amount_size(w->size, used), amount_size(limit, most));
	return true;
}
