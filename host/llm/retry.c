/* SPDX-License-Identifier: MIT
 *
 * retry.c - back-off, and what providers say about it. */
#include "llm/retry.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* A number of `unit_ms` that may have a fraction; -1 if it is none. */
static int64_t read_number(const char *text, double unit_ms)
{
	char *end;
	double n;

	if (!strchr("0123456789.", *text) || !*text)
		return -1;
	errno = 0;
	n = strtod(text, &end) * unit_ms;
	if (*end || errno || !(n >= 0))
		return -1;
	return n > INT32_MAX ? INT32_MAX : (int64_t)(n + 0.5);
}

/* Milliseconds until "Wed, 21 Oct 2015 07:28:00 GMT". */
static int64_t read_date(const char *text, int64_t now)
{
	struct tm tm = { 0 };
	int64_t at;

	if (!strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm))
		return -1;
	at = timegm(&tm);
	if (at <= now)
		return 0;
	return at - now > INT32_MAX / 1000 ? INT32_MAX : (at - now) * 1000;
}

void retry_header(struct retry_hint *h, const char *name, const char *value, int64_t now)
{
	int64_t ms;

	if (strcasecmp(name, "retry-after-ms") == 0) {
		ms = read_number(value, 1);
		if (ms >= 0)
			h->wait_ms = ms;
	} else if (strcasecmp(name, "retry-after") == 0 && h->wait_ms < 0) {
		ms = read_number(value, 1000);
		h->wait_ms = ms >= 0 ? ms : read_date(value, now);
	} else if (strcasecmp(name, "x-should-retry") == 0) {
		if (strcasecmp(value, "true") == 0)
			h->should = 1;
		else if (strcasecmp(value, "false") == 0)
			h->should = 0;
	}
}

/* multiplier * 2^(n-1) seconds, within the bounds. */
static int64_t own_wait(const struct retry_rule *r, int n)
{
	double ms = r->multiplier * 1000;

	for (int i = 1; i < n && ms < (double)r->max_ms; i++)
		ms *= 2;
	if (ms > (double)r->max_ms)
		ms = (double)r->max_ms;
	if (ms < (double)r->min_ms)
		ms = (double)r->min_ms;
	return (int64_t)ms;
}

int64_t retry_wait(const struct retry_rule *r, const struct retry_hint *h, int n,
		   uint32_t dice)
{
	double luck = (double)dice / UINT32_MAX;
	int64_t ms;

	if (h->wait_ms < 0) {
		ms = own_wait(r, n);
		return ms + (int64_t)((double)ms * luck / 4);
	}
	ms = h->wait_ms < RETRY_MAX_HINT_MS ? h->wait_ms : RETRY_MAX_HINT_MS;
	return ms + (int64_t)((double)ms * luck / 10);
}
