/* SPDX-License-Identifier: MIT
 *
 * growth.h - the growth of the run time of a function with its input. */
#ifndef TESTS_GROWTH_H
#define TESTS_GROWTH_H

#include <malloc.h>
#include <stddef.h>
#include <time.h>

enum { GROWTH_FACTOR = 8, GROWTH_ROUNDS = 7 };

/* Processor time, so that other programs do not count. */
static inline double growth_time(void (*fn)(size_t count), size_t count)
{
	double best = 1e9;

	for (int i = 0; i < GROWTH_ROUNDS; i++) {
		struct timespec from, to;
		double s;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		fn(count);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		s = (double)(to.tv_sec - from.tv_sec) +
		    (double)(to.tv_nsec - from.tv_nsec) / 1e9;
		best = s < best ? s : best;
	}
	return best;
}

/* The time for GROWTH_FACTOR * `count` in units of the time for `count`: about 8 if it
 * is linear, 64 if it is quadratic. */
static inline double growth(void (*fn)(size_t count), size_t count)
{
	double small;

	/* Fresh pages would count for large sizes only. */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	fn(count * GROWTH_FACTOR);
	small = growth_time(fn, count);
	return growth_time(fn, count * GROWTH_FACTOR) / small;
}

/* For CHECK: linear, or n log n, and what a cache that other programs use adds. */
enum { GROWTH_LINEAR_MAX = 24 };

#endif
