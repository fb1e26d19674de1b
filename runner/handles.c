/* SPDX-License-Identifier: MIT
 *
 * handles.c - the addresses that functions of this worker returned. */
#include "handles.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const void *handles[HANDLES_MAX]; /* a ring; NULL: ended */
static size_t next;

/* Called with the lock held. @return HANDLES_MAX if not found. */
static size_t handles_place_of(const void *handle)
{
	size_t n = 0;

	while (n < HANDLES_MAX && handles[n] != handle)
		n++;
	return n;
}

void handle_given(const void *handle)
{
	pthread_mutex_lock(&lock);
	if (handle && handles_place_of(handle) == HANDLES_MAX) {
		handles[next] = handle;
		next = (next + 1) % HANDLES_MAX;
	}
	pthread_mutex_unlock(&lock);
}

void handle_ended(const void *handle)
{
	size_t place;

	pthread_mutex_lock(&lock);
	place = handle ? handles_place_of(handle) : HANDLES_MAX;
	if (place < HANDLES_MAX)
		handles[place] = NULL;
	pthread_mutex_unlock(&lock);
}

static bool handles_is_known(const void *handle)
{
	bool known;

	pthread_mutex_lock(&lock);
	known = handle && handles_place_of(handle) < HANDLES_MAX;
	pthread_mutex_unlock(&lock);
	return known;
}

int handle_put(struct strbuf *out, const void *handle)
{
	return strbuf_addf(out, "0x%" PRIxPTR, (uintptr_t)handle);
}

int handle_read(const char *name, const char *text, void **ret, struct error *err)
{
	uintmax_t n = 0;
	char *end = NULL;

	errno = 0;
	if (strncmp(text, "0x", 2) == 0 && text[2] &&
	    strspn(text + 2, "0123456789abcdef") == strlen(text + 2))
		n = strtoumax(text, &end, 16);
	if (!end || errno || n > UINTPTR_MAX)
		return fail(err, MT_EINVAL,
			    "`%s`: invalid handle %.40s; pass one that a function "
			    "returned, such as 0x55d0c0ffee00",
			    name, text);
	*ret = (void *)(uintptr_t)n;
	if (!handles_is_known(*ret))
		return fail(err, MT_EINVAL,
			    "`%s`: unknown handle %.40s; it was never returned, was "
			    "closed, or belonged to a process that exited",
			    name, text);
	return MT_OK;
}
