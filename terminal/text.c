/* SPDX-License-Identifier: MIT
 *
 * text.c - measures text with utf8proc, and sanitizes untrusted text. */
#include "text.h"

#include "utf8.h"

#include <string.h>
#include <utf8proc.h>

enum { TAB = 8, STRING_MAX = 4096 };

/* ---- widths ------------------------------------------------------------ */

static size_t chat_text_decode(const char *text, size_t len, utf8proc_int32_t *ret)
{
	utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text,
					      (utf8proc_ssize_t)len, ret);

	if (n > 0)
		return (size_t)n;
	*ret = 0xfffd;
	return 1;
}

/* Bytes of the character at the start (`len` at least 1); `*ret_width` is 0, 1
 *  or 2 columns. Invalid bytes count as one column each. */
static size_t text_next(const char *text, size_t len, int *ret_width)
{
	utf8proc_int32_t c;
	size_t n = chat_text_decode(text, len, &c);

	*ret_width = c < 0x20 ? 0 : utf8proc_charwidth(c);
	return n;
}

/* Drawn upon the character before it. */
static bool joins(utf8proc_int32_t c)
{
	return c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f) ||
	       (c >= 0x1f3fb && c <= 0x1f3ff) ||
	       (c >= 0x300 && utf8proc_charwidth(c) == 0);
}

size_t text_cluster(const char *text, size_t len)
{
	utf8proc_int32_t c, last;
	size_t n = chat_text_decode(text, len, &last), more;

	while (n < len) {
		more = chat_text_decode(text + n, len - n, &c);
		if (!joins(c) && last != 0x200d)
			break;
		last = c;
		n += more;
	}
	return n;
}

size_t text_before(const char *text, size_t at)
{
	size_t begin = at, i = 0, n = 0;

	while (begin > 0 && at - begin < 128 && text[begin - 1] != '\n')
		begin--;
	if (begin == at)
		return at - 1;
	while (begin < at && ((unsigned char)text[begin] & 0xc0) == 0x80)
		begin++;
	for (i = begin; i < at; i += n)
		n = text_cluster(text + i, at - i);
	return i - n;
}

/* Length of one of our own escape sequences at the start: CSI ... letter. */
static size_t chat_text_escape(const char *text, size_t len)
{
	size_t n = 2;

	if (len < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (n < len && (unsigned char)text[n] < 0x40)
		n++;
	return n < len ? n + 1 : 0;
}

size_t text_fit(const char *text, size_t len, size_t columns)
{
	size_t i = 0, used = 0;

	while (i < len) {
		size_t n = chat_text_escape(text + i, len - i);
		int width = 0;

		if (!n)
			n = text_next(text + i, len - i, &width);
		if (used + (size_t)width > columns)
			break;
		used += (size_t)width;
		i += n;
	}
	return i;
}

size_t text_fit_words(const char *text, size_t len, size_t columns)
{
	size_t fit = text_fit(text, len, columns), n = fit;

	if (fit == len)
		return len;
	while (n > 0 && text[n] != ' ')
		n--;
	while (n > 0 && text[n - 1] == ' ')
		n--;
	return n > 0 ? n : fit > 0 ? fit : text_cluster(text, len);
}

size_t text_width(const char *text, size_t len)
{
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		size_t n = chat_text_escape(text + i, len - i);
		int width = 0;

		if (!n)
			n = text_next(text + i, len - i, &width);
		used += (size_t)width;
		i += n;
	}
	return used;
}

/* ---- cleaning ---------------------------------------------------------- */

enum { GROUND, ESCAPE, SEQUENCE, STRING, STRING_ESCAPE };

static size_t chat_text_line_of(const struct strbuf *out)
{
	const char *last = out->len ? memrchr(out->text, '\n', out->len) : NULL;

	return last ? (size_t)(last + 1 - out->text) : 0;
}

static void chat_text_put_tab(struct strbuf *out)
{
	size_t begin = chat_text_line_of(out);
	size_t column = text_width(out->text + begin, out->len - begin);

	strbuf_addn(out, "        ", TAB - column % TAB);
}

static void cleaner_restart(struct cleaner *c, struct strbuf *out)
{
	if (c->returned)
		strbuf_cut(out, chat_text_line_of(out));
	c->returned = false;
}

static void unsend_message(struct strbuf *out)
{
	if (out->len && out->text[out->len - 1] != '\n')
		strbuf_cut(out, text_before(out->text, out->len));
}

/* A byte below U+0080 outside any sequence. */
static void ground(struct cleaner *c, struct strbuf *out, char byte)
{
	if (byte == '\033') {
		c->state = ESCAPE;
	} else if (byte == '\n') {
		c->returned = false;
		strbuf_addc(out, '\n');
	} else if (byte == '\r') {
		c->returned = true;
	} else if (byte == '\t') {
		cleaner_restart(c, out);
		chat_text_put_tab(out);
	} else if (byte == '\b') {
		unsend_message(out);
	} else if ((unsigned char)byte >= ' ' && byte != 0x7f) {
		cleaner_restart(c, out);
		strbuf_addc(out, byte);
	}
}

/* The state after a byte inside a sequence. */
static int steer(struct cleaner *c, unsigned char byte)
{
	switch (c->state) {
	case ESCAPE:
		c->string = 0;
		if (byte == '[')
			return SEQUENCE;
		if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' ||
		    byte == '_')
			return STRING;
		return byte >= 0x20 && byte < 0x30 ? ESCAPE : GROUND;
	case SEQUENCE:
		return byte == '\033'                 ? ESCAPE
		       : byte >= 0x40 || byte == '\n' ? GROUND
						      : SEQUENCE;
	case STRING:
		/* One that never ends must not swallow all that follows. */
		if (byte == 0x07 || ++c->string > STRING_MAX)
			return GROUND;
		return byte == '\033' ? STRING_ESCAPE : STRING;
	default:
		return byte == '\\' ? GROUND : STRING;
	}
}

static void put_character(struct cleaner *c, struct strbuf *out, const char *text,
			  size_t len, bool valid)
{
	if (c->state != GROUND || (valid && utf8_control(text, len)))
		return;
	cleaner_restart(c, out);
	if (valid)
		strbuf_addn(out, text, len);
	else
		strbuf_add(out, UTF8_REPLACEMENT);
}

static void chat_text_feed(struct cleaner *c, struct strbuf *out, const char *bytes,
			   size_t len)
{
	for (size_t i = 0; i < len;) {
		bool valid;
		size_t n = 1;

		if ((unsigned char)bytes[i] < 0x80) {
			if (c->state == GROUND)
				ground(c, out, bytes[i]);
			else
				c->state = steer(c, (unsigned char)bytes[i]);
		} else {
			n = utf8_next(bytes + i, len - i, &valid);
			put_character(c, out, bytes + i, n, valid);
		}
		i += n;
	}
}

int text_clean_feed(struct cleaner *c, struct strbuf *out, const char *bytes, size_t len)
{
	size_t tail;

	while (c->tail_len && len) {
		c->tail[c->tail_len++] = *bytes++;
		len--;
		tail = utf8_tail(c->tail, c->tail_len);
		chat_text_feed(c, out, c->tail, c->tail_len - tail);
		memmove(c->tail, c->tail + c->tail_len - tail, tail);
		c->tail_len = tail;
	}
	if (c->tail_len)
		return out->error;
	tail = utf8_tail(bytes, len);
	chat_text_feed(c, out, bytes, len - tail);
	for (size_t i = 0; i < tail; i++)
		c->tail[i] = bytes[len - tail + i];
	c->tail_len = tail;
	return out->error;
}

void text_clean_end(struct cleaner *c, struct strbuf *out)
{
	chat_text_feed(c, out, c->tail, c->tail_len);
	c->tail_len = 0;
}

int text_clean(struct strbuf *out, const char *bytes, size_t len)
{
	struct cleaner c = { 0 };

	chat_text_feed(&c, out, bytes, len);
	return out->error;
}

static bool breaks(char byte)
{
	return byte == '\n' || byte == '\r' || byte == '\t';
}

int text_clean_line(struct strbuf *out, const char *bytes, size_t len)
{
	size_t begin = out->len;
	struct cleaner c = { 0 };

	for (size_t i = 0, n; i < len; i += n) {
		for (n = 0; i + n < len && !breaks(bytes[i + n]); n++)
			;
		chat_text_feed(&c, out, bytes + i, n);
		if (n == 0) {
			n = 1;
			if (c.state == GROUND)
				strbuf_addc(out, ' ');
		}
	}
	while (out->len > begin && out->text[out->len - 1] == ' ')
		strbuf_cut(out, out->len - 1);
	return out->error;
}
