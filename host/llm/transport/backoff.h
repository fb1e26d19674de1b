/* SPDX-License-Identifier: MIT
 *
 * backoff.h - the delay before a failed request is retried. */
#ifndef HOST_LLM_TRANSPORT_BACKOFF_H
#define HOST_LLM_TRANSPORT_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct backoff_rule {
	int attempts;          /* in total, including the first */
	int64_t min_ms, max_ms;
	double multiplier;     /* seconds: 8 gives 8, 16, 32, 64 */
};

enum { BACKOFF_LIMITS = 5 };

/** What a response says about retries. */
struct backoff_hint {
	int64_t wait_ms;       /* -1: not reported */
	int should;            /* 1: retry, 0: do not retry, -1: not reported */
	/* limits of requests, of tokens, ..., from any response */
	int64_t reset_ms[BACKOFF_LIMITS]; /* time until the reset; 0: not reported */
	bool used_up[BACKOFF_LIMITS];     /* none are left */
};
#define BACKOFF_NO_HINT { .wait_ms = -1, .should = -1 }

enum { BACKOFF_MAX_HINT_MS = 5 * 60 * 1000 };

/** Read one response header: retry-after (seconds or a date), retry-after-ms,
 *  x-should-retry, x-ratelimit-remaining-* and -reset-*, or
 *  anthropic-ratelimit-*-remaining and -reset, or x-ratelimit-remaining and -reset.
 *  A limit matters only if it is exhausted and the response has no retry-after. Other
 *  headers are ignored. `now` is the time in seconds. */
void backoff_read_header(struct backoff_hint *h, const char *name, const char *value,
			 int64_t now);

/** Return the wait after attempt `n` (from 1) failed. `random` in 0..UINT32_MAX
 *  determines the jitter, which is added: up to a tenth of a wait that the provider
 *  requested, up to a quarter of any other wait. */
int64_t backoff_wait(const struct backoff_rule *r, const struct backoff_hint *h, int n,
		     uint32_t random);

#endif
