/* SPDX-License-Identifier: MIT
 *
 * backoff.c - computes delays between attempts, including delays requested by
 * providers. */
#include "llm/transport/backoff.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* A number in units of `unit_ms`, perhaps with a fraction; -1 if it is invalid. */
static int64_t read_seconds(const char *text, double unit_ms)
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

/* "2m59.56s", "6ms", "1h0m5s"; -1 if it is invalid. */
static int64_t read_duration(const char *text)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = { { "ms", 1 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 } };
	double sum = 0;

	if (!*text)
		return -1;
	while (*text) {
		size_t i = 0;
		char *end;
		double n = strchr("0123456789.", *text) ? strtod(text, &end) : -1;

		if (!(n >= 0) || end == text)
			return -1;
		while (i < 4 && strncmp(end, units[i].name, strlen(units[i].name)) != 0)
			i++;
		if (i == 4)
			return -1;
		sum += n * units[i].ms;
		text = end + strlen(units[i].name);
	}
	return sum < INT32_MAX ? (int64_t)(sum + 0.5) : INT32_MAX;
}

/* "2026-01-31T12:00:00Z", perhaps with a fraction of a second. */
static int64_t read_time(const char *text, int64_t now)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t at;

	if (!end || !strchr("Z.+", *end))
		return -1;
	at = timegm(&tm);
	if (at <= now)
		return 0;
	return at - now > INT32_MAX / 1000 ? INT32_MAX : (at - now) * 1000;
}

/* Milliseconds since 1970, if the value is a plausible time. */
static int64_t read_stamp(const char *text, int64_t now)
{
	char *end;
	long long at = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;

	if (at < 1000000000000LL || *end || at / 1000 - now > INT32_MAX / 1000)
		return -1;
	return at > now * 1000 ? at - now * 1000 : 0;
}

/* The index of a limit by its name; BACKOFF_LIMITS: unknown name. */
static size_t limit_of(const char *name, size_t len)
{
	static const char *const names[BACKOFF_LIMITS] = { "requests", "tokens",
							 "input-tokens", "output-tokens",
							 "" };
	size_t i = 0;

	while (i < BACKOFF_LIMITS &&
	       (strlen(names[i]) != len || strncasecmp(names[i], name, len) != 0))
		i++;
	return i;
}

static void note_limit(struct backoff_hint *h, size_t limit, bool remaining,
		       const char *value, int64_t now)
{
	int64_t ms;

	if (limit == BACKOFF_LIMITS)
		return;
	if (remaining) {
		h->used_up[limit] = strcmp(value, "0") == 0;
		return;
	}
	ms = read_duration(value);
	if (ms < 0)
		ms = read_time(value, now);
	if (ms < 0)
		ms = read_stamp(value, now);
	if (ms > 0)
		h->reset_ms[limit] = ms;
}

/* x-ratelimit-remaining-requests, x-ratelimit-reset-tokens, ..., or without the name of a
 * limit: x-ratelimit-reset. */
static void rate_header(struct backoff_hint *h, const char *name, const char *value,
			int64_t now)
{
	bool remaining = strncasecmp(name, "remaining", 9) == 0;

	if (!remaining && strncasecmp(name, "reset", 5) != 0)
		return;
	name += remaining ? 9 : 5;
	if (*name == '-' && name[1])
		name++;
	else if (*name)
		return;
	note_limit(h, limit_of(name, strlen(name)), remaining, value, now);
}

/* anthropic-ratelimit-requests-remaining, anthropic-ratelimit-tokens-reset, ... */
static void anthropic_header(struct backoff_hint *h, const char *name, const char *value,
			     int64_t now)
{
	const char *dash = strrchr(name, '-');

	if (!dash || dash == name)
		return;
	if (strcasecmp(dash, "-remaining") == 0 || strcasecmp(dash, "-reset") == 0)
		note_limit(h, limit_of(name, (size_t)(dash - name)),
			   strcasecmp(dash, "-remaining") == 0, value, now);
}

void backoff_read_header(struct backoff_hint *h, const char *name, const char *value,
			 int64_t now)
{
	int64_t ms;

	if (strcasecmp(name, "retry-after-ms") == 0) {
		ms = read_seconds(value, 1);
		if (ms >= 0)
			h->wait_ms = ms;
	} else if (strcasecmp(name, "retry-after") == 0 && h->wait_ms < 0) {
		ms = read_seconds(value, 1000);
		h->wait_ms = ms >= 0 ? ms : read_date(value, now);
	} else if (strcasecmp(name, "x-should-retry") == 0) {
		if (strcasecmp(value, "true") == 0)
			h->should = 1;
		else if (strcasecmp(value, "false") == 0)
			h->should = 0;
	} else if (strncasecmp(name, "x-ratelimit-", 12) == 0) {
		rate_header(h, name + 12, value, now);
	} else if (strncasecmp(name, "anthropic-ratelimit-", 20) == 0) {
		anthropic_header(h, name + 20, value, now);
	}
}

/* multiplier * 2^(n-1) seconds, within the bounds. */
static int64_t own_wait(const struct backoff_rule *r, int n)
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

/* Time until the exhausted limits are reset, limited to the maximum wait; 0: unknown. */
static int64_t until_reset(const struct backoff_rule *r, const struct backoff_hint *h)
{
	int64_t ms = 0;

	for (size_t i = 0; i < BACKOFF_LIMITS; i++)
		if (h->used_up[i] && h->reset_ms[i] > ms)
			ms = h->reset_ms[i];
	return ms < r->max_ms ? ms : r->max_ms;
}

int64_t backoff_wait(const struct backoff_rule *r, const struct backoff_hint *h, int n,
		     uint32_t random)
{
	double luck = (double)random / UINT32_MAX;
	int64_t ms;

	if (h->wait_ms < 0) {
		ms = until_reset(r, h);
		if (!ms)
			ms = own_wait(r, n);
		return ms + (int64_t)((double)ms * luck / 4);
	}
	ms = h->wait_ms < BACKOFF_MAX_HINT_MS ? h->wait_ms : BACKOFF_MAX_HINT_MS;
	return ms + (int64_t)((double)ms * luck / 10);
}
