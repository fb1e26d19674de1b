/* SPDX-License-Identifier: MIT
 *
 * tls-hello.c - reads the server name that a TLS client asks for (RFC 8446, RFC 6066). */
#include "sandbox/tls-hello.h"

#include <string.h>

enum {
	RECORD_HANDSHAKE = 22,
	RECORD_HEAD = 5,
	RECORD_MAX = 1 << 14,
	CLIENT_HELLO = 1,
	MESSAGE_HEAD = 4, /* type and length */
	RANDOM = 32,
	EXTENSION_SERVER_NAME = 0,
	NAME_HOST = 0,
};

/* A message, which any number of records may carry. */
struct hello {
	const unsigned char *at, *end;
	size_t record; /* bytes left of the record */
	size_t taken;  /* bytes of the message that were read */
	size_t size;   /* of the message */
	enum tls_hello state; /* TLS_READ while nothing is wrong */
	bool named;
};

/* Read the head of the next record. */
static enum tls_hello hello_record(struct hello *h)
{
	size_t left = (size_t)(h->end - h->at);

	if (left && h->at[0] != RECORD_HANDSHAKE)
		return TLS_INVALID;
	if (left < RECORD_HEAD)
		return TLS_MORE;
	h->record = (size_t)h->at[3] << 8 | h->at[4];
	if (h->at[1] != 3 || h->record == 0 || h->record > RECORD_MAX)
		return TLS_INVALID;
	h->at += RECORD_HEAD;
	return TLS_READ;
}

static unsigned char hello_byte(struct hello *h)
{
	if (h->state == TLS_READ && h->taken == h->size)
		h->state = TLS_INVALID;
	if (h->state == TLS_READ && h->record == 0)
		h->state = hello_record(h);
	if (h->state == TLS_READ && h->at == h->end)
		h->state = TLS_MORE;
	if (h->state != TLS_READ)
		return 0;
	h->record--;
	h->taken++;
	return *h->at++;
}

static size_t hello_number(struct hello *h, int bytes)
{
	size_t n = 0;

	while (bytes--)
		n = n << 8 | hello_byte(h);
	return n;
}

static void hello_skip(struct hello *h, size_t n)
{
	while (n-- && h->state == TLS_READ)
		hello_byte(h);
}

static void hello_server_name(struct hello *h, size_t size, char name[HOST_ROOM])
{
	size_t list = hello_number(h, 2), type = hello_number(h, 1),
	       len = hello_number(h, 2);

	if (h->state != TLS_READ)
		return;
	if (h->named || list + 2 != size || type != NAME_HOST || len + 3 != list ||
	    !len || len >= HOST_ROOM) {
		h->state = TLS_INVALID;
		return;
	}
	h->named = true;
	for (size_t i = 0; i < len && h->state == TLS_READ; i++) {
		name[i] = (char)hello_byte(h);
		if (!name[i] && h->state == TLS_READ)
			h->state = TLS_INVALID;
	}
	name[len] = '\0';
}

static void hello_extensions(struct hello *h, char name[HOST_ROOM])
{
	if (hello_number(h, 2) != h->size - h->taken && h->state == TLS_READ)
		h->state = TLS_INVALID;
	while (h->state == TLS_READ && h->taken < h->size) {
		size_t type = hello_number(h, 2), size = hello_number(h, 2);

		if (type == EXTENSION_SERVER_NAME)
			hello_server_name(h, size, name);
		else
			hello_skip(h, size);
	}
}

enum tls_hello tls_hello_read(const char *bytes, size_t n, char name[HOST_ROOM])
{
	struct hello h = { .at = (const unsigned char *)bytes, .size = MESSAGE_HEAD,
			   .state = TLS_READ };
	size_t size;

	h.end = h.at + n;
	name[0] = '\0';
	if (n && h.at[0] != RECORD_HANDSHAKE)
		return TLS_NONE;
	if (hello_byte(&h) != CLIENT_HELLO && h.state == TLS_READ)
		return TLS_INVALID;
	size = hello_number(&h, 3);
	h.size += size;
	hello_skip(&h, 2 + RANDOM);
	hello_skip(&h, hello_number(&h, 1)); /* session */
	hello_skip(&h, hello_number(&h, 2)); /* ciphers */
	hello_skip(&h, hello_number(&h, 1)); /* compression */
	if (h.state == TLS_READ && h.taken < h.size)
		hello_extensions(&h, name);
	if (h.state != TLS_READ)
		name[0] = '\0';
	return size > TLS_HELLO_MAX || (h.state == TLS_MORE && n >= TLS_HELLO_MAX)
		       ? TLS_INVALID
		       : h.state;
}
