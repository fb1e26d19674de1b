/* SPDX-License-Identifier: MIT
 *
 * loop.c - the event loop of a command. libuv aborts the program when it cannot
 * continue, so the resources that it needs are tested or reserved beforehand. */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { RESERVE = 32768 };

static _Alignas(max_align_t) char reserve[RESERVE];
static atomic_size_t reserved;

static bool is_reserve(const void *p)
{
	return (const char *)p >= reserve && (const char *)p < reserve + RESERVE;
}

static void *from_reserve(size_t size)
{
	size_t room = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
	size_t at = atomic_load(&reserved);

	do {
		if (size > RESERVE || room > RESERVE - at)
			return NULL;
	} while (!atomic_compare_exchange_weak(&reserved, &at, at + room));
	return reserve + at;
}

static size_t size_of(void *p)
{
	return is_reserve(p) ? (size_t)(reserve + RESERVE - (char *)p)
			     : malloc_usable_size(p);
}

static void loop_free(void *p)
{
	if (!is_reserve(p))
		free(p);
}

/* libuv enlarges its table of watched descriptors with this, and aborts on failure. */
static void *loop_realloc(void *old, size_t size)
{
	void *grown = malloc(size);
	size_t had;

	if (!grown)
		grown = from_reserve(size);
	if (grown && old) {
		had = size_of(old);
		memcpy(grown, old, had < size ? had : size);
		loop_free(old);
	}
	return grown;
}

struct uv_loop_s *command_loop(struct error *err)
{
	uv_loop_t *loop = NULL;
	int ends[2];

	/* libuv aborts if it cannot create a pipe at startup */
	if (pipe2(ends, O_CLOEXEC) == 0) {
		close(ends[0]);
		close(ends[1]);
		uv_replace_allocator(malloc, loop_realloc, calloc, loop_free);
		loop = uv_default_loop();
	}
	if (!loop)
		fail(err, MT_ELIMIT, "cannot create an event loop: %s", strerror(errno));
	return loop;
}
