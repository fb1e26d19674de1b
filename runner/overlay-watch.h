/* SPDX-License-Identifier: MIT
 *
 * overlay-watch.h - the limit on the size of the overlay of a workspace. */
#ifndef RUNNER_OVERLAY_WATCH_H
#define RUNNER_OVERLAY_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct overlay_watch {
	int64_t size;          /* when it was measured last */
	int64_t allowed;       /* the limit, or the size before the calls if it was larger,
				* so that calls can remove files; 0: not measured */
	int64_t written_seen;  /* by all processes, at that time */
	int64_t next_at;       /* measure again at this time, */
	bool idle;             /* or if a call begins */
};

/** Measure it if the processes may have filled it. `written`: bytes that they have written
 *  so far. @return true if it is too large; then `text` says how large */
bool overlay_watch_exceeded(struct overlay_watch *w, const char *dir, int64_t limit,
			    int64_t written, bool calls, char *text, size_t room);

#endif
