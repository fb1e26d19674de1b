/* SPDX-License-Identifier: MIT
 *
 * hello.h - makes ClientHellos. */
#ifndef TESTS_SANDBOX_HELLO_H
#define TESTS_SANDBOX_HELLO_H

#include <stdio.h>
#include <string.h>

enum { HELLO_ROOM = 8192 };

static inline size_t hello_put(char *to, size_t at, const char *bytes, size_t n)
{
	memcpy(to + at, bytes, n);
	return at + n;
}

/* The message ClientHello with these extensions */
static inline size_t hello_make(char *to, const char *extensions, size_t n)
{
	size_t at = hello_put(to, 0, "\x01\0\0\0\x03\x03", 6);

	memset(to + at, 7, 32);
	at = hello_put(to, at + 32, "\x02xy\0\x04\x13\x01\x13\x02\x01\0", 11);
	to[at++] = (char)(n >> 8);
	to[at++] = (char)n;
	at = hello_put(to, at, extensions, n);
	to[2] = (char)((at - 4) >> 8);
	to[3] = (char)(at - 4);
	return at;
}

/* The same in records of at most `size` bytes */
static inline size_t hello_records(char *to, const char *message, size_t n, size_t size)
{
	size_t out = 0;

	for (size_t at = 0; at < n; at += size) {
		size_t part = size < n - at ? size : n - at;

		out = hello_put(to, out, "\x16\x03\x01", 3);
		to[out++] = (char)(part >> 8);
		to[out++] = (char)part;
		out = hello_put(to, out, message + at, part);
	}
	return out;
}

/* A ClientHello for this server; "" without a name. `to` has HELLO_ROOM bytes. */
static inline size_t hello_for(char *to, const char *name)
{
	char extension[300] = { 0 }, message[1024];
	size_t n = strlen(name);

	extension[3] = (char)(n + 5);
	extension[5] = (char)(n + 3);
	extension[8] = (char)n;
	hello_put(extension, 9, name, n);
	n = hello_make(message, extension, n ? n + 9 : 0);
	return hello_records(to, message, n, 1 << 14);
}

#endif
