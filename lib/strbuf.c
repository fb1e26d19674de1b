/* SPDX-License-Identifier: MIT
 *
 * strbuf.c - a growing string with a size limit. */
#include "strbuf.h"
#include <string.h>

char strbuf_empty[1];

int strbuf_reserve(struct strbuf *b, size_t n)
{
	if (b->error)
		return b->error;
	if (n >= b->max || b->len >= b->max - n)
		return b->error = MT_ELIMIT;

	size_t need = b->len + n + 1;

	if (need <= b->room)
		return MT_OK;

	size_t room = b->room > b->max / 2 ? b->max : b->room * 2;

	if (room < need)
		room = need;
	if (room < 64 && b->max >= 64)
		room = 64;

	char *text = realloc(b->room ? b->text : NULL, room);

	if (!text)
		return b->error = MT_ENOMEM;
	text[b->len] = '\0';
	b->text = text;
	b->room = room;
	return MT_OK;
}

int strbuf_addn(struct strbuf *b, const char *bytes, size_t n)
{
	if (b->error || n == 0)
		return b->error;
	if (strbuf_reserve(b, n))
		return b->error;
	memcpy(b->text + b->len, bytes, n);
	b->len += n;
	b->text[b->len] = '\0';
	return MT_OK;
}

int strbuf_add(struct strbuf *b, const char *text)
{
	return strbuf_addn(b, text, strlen(text));
}

int strbuf_addc(struct strbuf *b, char c)
{
	return strbuf_addn(b, &c, 1);
}

int strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	size_t space = b->room > b->len ? b->room - b->len : 0;
	int len;

	if (b->error)
		return b->error;
	va_copy(again, ap);
	len = vsnprintf(space ? b->text + b->len : NULL, space, fmt, ap);
	if (len < 0) {
		b->error = MT_EINVAL;
	} else if ((size_t)len < space) {
		b->len += (size_t)len;
	} else {
		if (space)
			b->text[b->len] = '\0';
		if (strbuf_reserve(b, (size_t)len) == MT_OK) {
			vsnprintf(b->text + b->len, (size_t)len + 1, fmt, again);
			b->len += (size_t)len;
		}
	}
	va_end(again);
	return b->error;
}

int strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
	return b->error;
}

void strbuf_consume(struct strbuf *b, size_t n)
{
	if (n == 0 || b->len == 0)
		return;
	if (n > b->len)
		n = b->len;
	memmove(b->text, b->text + n, b->len - n + 1);
	b->len -= n;
}

void strbuf_cut(struct strbuf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->text[len] = '\0';
}

void strbuf_reset(struct strbuf *b)
{
	strbuf_cut(b, 0);
	b->error = MT_OK;
}

void strbuf_clear(struct strbuf *b)
{
	if (b->room)
		free(b->text);
	*b = STRBUF(b->max);
}

char *strbuf_take(struct strbuf *b)
{
	char *text = NULL;

	if (!b->error)
		text = b->room ? b->text : calloc(1, 1);
	if (text)
		b->room = 0;
	strbuf_clear(b);
	return text;
}
