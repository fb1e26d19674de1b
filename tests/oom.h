/* SPDX-License-Identifier: MIT
 *
 * oom.h - memory runs out at every allocation in turn.
 *
 * The test program links with $(WRAP_ALLOC), so every allocation of our own
 * objects passes here; those inside shared libraries do not. */
#ifndef TESTS_OOM_H
#define TESTS_OOM_H

#include <stdbool.h>
#include <stdlib.h>

static long oom_left = -1; /* allocations still allowed; -1: all of them */
static bool oom_hit;
static long oom_failed; /* allocations that failed in the last OOM_EACH */

#define OOM_WRAP(type, fn, params, args)                                       \
	type __real_##fn params;                                               \
	type __wrap_##fn params;                                               \
	type __wrap_##fn params                                                \
	{                                                                      \
		if (oom_left == 0) {                                           \
			oom_hit = true;                                        \
			return NULL;                                           \
		}                                                              \
		oom_left -= oom_left > 0;                                      \
		return __real_##fn args;                                       \
	}
OOM_WRAP(void *, malloc, (size_t n), (n))
OOM_WRAP(void *, calloc, (size_t n, size_t m), (n, m))
OOM_WRAP(void *, realloc, (void *p, size_t n), (p, n))
OOM_WRAP(char *, strdup, (const char *s), (s))
OOM_WRAP(char *, strndup, (const char *s, size_t n), (s, n))

/* Run the statement once for each allocation in it, that one failing. */
#define OOM_EACH(...)                                                          \
	for (long nth_ = 0, on_ = 1; on_; nth_++) {                            \
		oom_left = nth_, oom_hit = false;                              \
		__VA_ARGS__;                                                   \
		oom_left = -1, on_ = oom_hit, oom_failed = nth_;               \
	}

/* The statement of the last OOM_EACH allocates where the test can see it. */
#define CHECK_OOM() CHECK_MSG(oom_failed > 0, "each of %ld allocations failed once", oom_failed)

#endif
