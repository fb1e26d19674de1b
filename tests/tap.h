/* SPDX-License-Identifier: MIT
 *
 * tap.h - the test framework: checks that print TAP. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

#define CHECK(cond) CHECK_MSG(cond, "%s", #cond)
#define CHECK_MSG(cond, ...)                                                   \
	do {                                                                   \
		int good_ = !!(cond);                                          \
		tap_failed += !good_;                                          \
		printf("%sok %d - ", good_ ? "" : "not ", ++tap_count);        \
		printf(__VA_ARGS__);                                           \
		puts("");                                                      \
		if (!good_)                                                    \
			printf("# %s:%d\n", __FILE__, __LINE__);               \
		fflush(stdout); /* a child that a test forks holds none of it */ \
	} while (0)
#define CHECK_STR(got, want)                                                   \
	do {                                                                   \
		const char *g_ = (got), *w_ = (want);                          \
		int same_ = g_ && w_ && strcmp(g_, w_) == 0;                   \
		CHECK_MSG(same_, "%s", #got);                                  \
		if (!same_)                                                    \
			printf("# expected: %s\n# got:      %s\n", w_,         \
			       g_ ? g_ : "(null)");                            \
	} while (0)
#define SKIP(why) printf("ok %d # SKIP %s\n", ++tap_count, why)

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
