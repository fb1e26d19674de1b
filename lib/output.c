/* SPDX-License-Identifier: MIT
 *
 * output.c - keeps the beginning and the end of an output of any length. */
#include "output.h"
#include "utf8.h"
#include <string.h>

void output_reset(struct output *o)
{
	o->head_len = o->tail_len = o->tail_start = 0;
	o->lost_bytes = o->lost_lines = 0;
}

static void output_lose(struct output *o, const char *bytes, size_t len)
{
	o->lost_bytes += len;
	for (size_t i = 0; i < len; i++)
		o->lost_lines += bytes[i] == '\n';
}

/* The first `len` bytes of the ring are overwritten. */
static void lose_oldest(struct output *o, size_t len)
{
	size_t first = OUTPUT_TAIL - o->tail_start;

	first = first < len ? first : len;
	output_lose(o, o->tail + o->tail_start, first);
	output_lose(o, o->tail, len - first);
}

static void ring_add(struct output *o, const char *bytes, size_t len)
{
	if (len >= OUTPUT_TAIL) {
		lose_oldest(o, o->tail_len);
		output_lose(o, bytes, len - OUTPUT_TAIL);
		memcpy(o->tail, bytes + len - OUTPUT_TAIL, OUTPUT_TAIL);
		o->tail_start = 0;
		o->tail_len = OUTPUT_TAIL;
		return;
	}
	size_t at = (o->tail_start + o->tail_len) % OUTPUT_TAIL;
	size_t first = OUTPUT_TAIL - at < len ? OUTPUT_TAIL - at : len;

	if (o->tail_len + len > OUTPUT_TAIL)
		lose_oldest(o, o->tail_len + len - OUTPUT_TAIL);

	memcpy(o->tail + at, bytes, first);
	memcpy(o->tail, bytes + first, len - first);
	o->tail_len += len;
	if (o->tail_len > OUTPUT_TAIL) {
		o->tail_start = (o->tail_start + o->tail_len) % OUTPUT_TAIL;
		o->tail_len = OUTPUT_TAIL;
	}
}

void output_add(struct output *o, const char *bytes, size_t len)
{
	size_t n = OUTPUT_HEAD - o->head_len;

	if (!o->tail_len && n) {
		n = n < len ? n : len;
		memcpy(o->head + o->head_len, bytes, n);
		o->head_len += n;
		bytes += n;
		len -= n;
	}
	if (len)
		ring_add(o, bytes, len);
}

/* Byte `i` counted from the end (0: the last one). */
static char from_end(const struct output *o, size_t i)
{
	if (i < o->tail_len)
		return o->tail[(o->tail_start + o->tail_len - 1 - i) % OUTPUT_TAIL];
	return o->head[o->head_len - 1 - (i - o->tail_len)];
}

static int ring_text(const struct output *o, size_t skip, struct strbuf *out)
{
	size_t at = (o->tail_start + skip) % OUTPUT_TAIL, len = o->tail_len - skip;
	size_t first = OUTPUT_TAIL - at < len ? OUTPUT_TAIL - at : len;

	strbuf_addn(out, o->tail + at, first);
	return strbuf_addn(out, o->tail, len - first);
}

int output_text(const struct output *o, struct strbuf *out)
{
	strbuf_addn(out, o->head, o->head_len);
	return ring_text(o, 0, out);
}

int output_pull(struct output *o, size_t lines, struct strbuf *out)
{
	size_t n = 0, seen = 0, most = o->tail_len ? o->tail_len : o->head_len;
	int r;

	while (n < most && seen < lines) {
		seen += from_end(o, n) == '\n' && n > 0;
		n += seen < lines;
	}
	if (o->tail_len) {
		r = ring_text(o, o->tail_len - n, out);
		if (r == MT_OK)
			o->tail_len -= n;
	} else {
		r = strbuf_addn(out, o->head + o->head_len - n, n);
		if (r == MT_OK)
			o->head_len -= n;
	}
	return r;
}

int output_cut(const char *text, size_t len, size_t max, struct strbuf *out,
	       bool *ret_cut)
{
	size_t chars = len > max ? utf8_count(text, len) : len;
	bool cut = chars > max;

	if (ret_cut)
		*ret_cut = cut;
	if (!cut)
		return strbuf_addn(out, text, len);
	size_t tail = utf8_offset(text, len, chars - max / 2);

	strbuf_addn(out, text, utf8_offset(text, len, max / 2));
	strbuf_add(out, OUTPUT_MARKER);
	return strbuf_addn(out, text + tail, len - tail);
}
