/* SPDX-License-Identifier: MIT
 *
 * slice.h - the end of a slice of long work, after which the event loop runs again. */
#ifndef LIB_SLICE_H
#define LIB_SLICE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** Number of events to read between two checks of the clock. */
enum { SLICE_EVENTS = 16 };

/** True from `end` on; CLOCK_MONOTONIC in nanoseconds. */
static inline bool slice_is_over(uint64_t end)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec >= end;
}

#endif
