/* SPDX-License-Identifier: MIT
 *
 * clock.h - the monotonic clock in milliseconds. */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Milliseconds of CLOCK_MONOTONIC. */
static inline int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
