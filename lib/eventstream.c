/* SPDX-License-Identifier: MIT
 *
 * eventstream.c - parses AWS event streams. */
#include "eventstream.h"
#include <string.h>

enum { PRELUDE = 12, TRAILER = 4, TEXT = 7 };

uint32_t eventstream_crc(uint32_t crc, const void *bytes, size_t len)
{
	static const uint32_t nibbles[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const unsigned char *p = bytes;

	crc = ~crc;
	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return ~crc;
}

static uint32_t read32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static size_t read16(const unsigned char *p)
{
	return (size_t)p[0] << 8 | p[1];
}

/* ---- reading ----------------------------------------------------------------- */

void eventstream_init(struct eventstream *s, size_t max,
		      int (*on_message)(const struct eventstream_message *m, void *arg),
		      void *arg)
{
	*s = (struct eventstream){ .held = STRBUF(max + 1), .max = max,
				   .on_message = on_message, .arg = arg };
}

void eventstream_done(struct eventstream *s)
{
	strbuf_clear(&s->held);
}

/* Total length of the message at the start of the buffer; 0: not known yet. */
static size_t message_size(struct eventstream *s, const unsigned char *p, size_t len)
{
	size_t total, headers;

	if (len < PRELUDE)
		return 0;
	total = read32(p);
	headers = read32(p + 4);
	if (read32(p + 8) != eventstream_crc(0, p, 8) || total < PRELUDE + TRAILER ||
	    headers > total - PRELUDE - TRAILER) {
		s->error = MT_EINVAL;
		return 0;
	}
	if (total > s->max)
		s->error = MT_ELIMIT;
	return s->error ? 0 : total;
}

static int eventstream_take_message(struct eventstream *s, const unsigned char *p,
				    size_t size)
{
	size_t headers = read32(p + 4);
	struct eventstream_message m = {
		.headers = p + PRELUDE,
		.headers_len = headers,
		.payload = p + PRELUDE + headers,
		.payload_len = size - PRELUDE - TRAILER - headers,
	};

	if (read32(p + size - TRAILER) != eventstream_crc(0, p, size - TRAILER))
		return MT_EINVAL;
	return s->on_message(&m, s->arg);
}

/* Process the complete messages. */
static int take_messages(struct eventstream *s)
{
	size_t at = 0;

	while (!s->error) {
		const unsigned char *p = (const unsigned char *)s->held.text + at;
		size_t size = message_size(s, p, s->held.len - at);

		if (!size || size > s->held.len - at)
			break;
		s->error = eventstream_take_message(s, p, size);
		at += size;
	}
	strbuf_consume(&s->held, at);
	return s->error;
}

int eventstream_feed(struct eventstream *s, const char *bytes, size_t len)
{
	while (len && !s->error) {
		size_t n = s->max - s->held.len < len ? s->max - s->held.len : len;

		s->error = strbuf_addn(&s->held, bytes, n);
		if (!s->error)
			s->error = take_messages(s);
		bytes += n;
		len -= n;
	}
	return s->error;
}

/* ---- headers ------------------------------------------------------------------ */

/* Length of a value of this type at `p`, including its length field; -1: invalid. */
static int value_size(unsigned type, const unsigned char *p, size_t left)
{
	static const int fixed[] = { 0, 0, 1, 2, 4, 8, -1, -1, 8, 16 };

	if (type == 6 || type == TEXT)
		return left < 2 ? -1 : (int)(2 + read16(p));
	return type < sizeof fixed / sizeof *fixed ? fixed[type] : -1;
}

int eventstream_header(const struct eventstream_message *m, const char *name, char *ret,
		       size_t room)
{
	const unsigned char *p = m->headers, *end = p + m->headers_len;
	size_t wanted = strlen(name);

	ret[0] = '\0';
	while (p < end) {
		size_t name_len = *p++;
		const char *own = (const char *)p;
		unsigned type;
		int size;

		if ((size_t)(end - p) < name_len + 1)
			return MT_EINVAL;
		p += name_len;
		type = *p++;
		size = value_size(type, p, (size_t)(end - p));
		if (size < 0 || size > end - p)
			return MT_EINVAL;
		if (type == TEXT && name_len == wanted &&
		    memcmp(own, name, wanted) == 0) {
			snprintf(ret, room, "%.*s", size - 2, (const char *)p + 2);
			return MT_OK;
		}
		p += size;
	}
	return MT_OK;
}
