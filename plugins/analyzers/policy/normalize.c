/* SPDX-License-Identifier: MIT
 *
 * normalize.c - removes invisible characters, folds compatibility forms, joins white
 * space, as the pattern analyzer of OpenHands V1 does. */
#include "normalize.h"

#include "auto.h"

#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

struct range {
	int32_t first, last;
};

/* Characters that are invisible, or affect the display of others. Sorted. */
static const struct range invisible[] = {
	{ 0x0000, 0x0008 },   { 0x000b, 0x000c },   { 0x000e, 0x001f },
	{ 0x007f, 0x009f },   { 0x00ad, 0x00ad },   { 0x034f, 0x034f },
	{ 0x061c, 0x061c },   { 0x115f, 0x1160 },   { 0x1680, 0x1680 },
	{ 0x180b, 0x180f },   { 0x2009, 0x200f },   { 0x202a, 0x202e },
	{ 0x2060, 0x2064 },   { 0x2066, 0x206f },   { 0x2800, 0x2800 },
	{ 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff9, 0xfffc },   { 0xe0000, 0xe007f },
	{ 0xe0100, 0xe01ef },
};

static bool in(const struct range *list, size_t count, int32_t ch)
{
	for (size_t i = 0; i < count && ch >= list[i].first; i++)
		if (ch <= list[i].last)
			return true;
	return false;
}

static bool normalize_is_space(int32_t ch)
{
	static const struct range spaces[] = {
		{ 0x09, 0x0d },     { 0x1c, 0x20 },     { 0x85, 0x85 },
		{ 0xa0, 0xa0 },     { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f },
		{ 0x3000, 0x3000 },
	};

	return in(spaces, ARRAY_LEN(spaces), ch);
}

static size_t normalize_next(const char *text, size_t len, int32_t *ret)
{
	utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text,
					      (utf8proc_ssize_t)len, ret);

	if (n > 0)
		return (size_t)n;
	*ret = 0xfffd;
	return 1;
}

static int normalize_strip(const char *text, size_t len, struct strbuf *out,
			   bool *ret_plain)
{
	*ret_plain = true;
	while (len > 0) {
		int32_t ch;
		size_t n = normalize_next(text, len, &ch);

		if (ch == 0xfffd)
			strbuf_add(out, "\xef\xbf\xbd");
		else if (!in(invisible, ARRAY_LEN(invisible), ch))
			strbuf_addn(out, text, n);
		if (ch >= 0x80)
			*ret_plain = false;
		text += n;
		len -= n;
	}
	return out->error;
}

static int join_spaces(const char *text, size_t len, bool keep_lines, struct strbuf *out)
{
	bool after = false;

	while (len > 0) {
		int32_t ch;
		size_t n = normalize_next(text, len, &ch);

		if (keep_lines && (ch == '\n' || ch == '\r')) {
			strbuf_addc(out, '\n');
			after = false;
		} else if (normalize_is_space(ch)) {
			if (!after)
				strbuf_addc(out, ' ');
			after = true;
		} else {
			strbuf_addn(out, text, n);
			after = false;
		}
		text += n;
		len -= n;
	}
	return out->error;
}

/* Only visible ASCII characters and white space? */
static bool normalize_is_plain(const char *text, size_t len)
{
	unsigned char odd = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		odd |= c >= 0x7f || (c < ' ' && c != '\t' && c != '\n' && c != '\r');
	}
	return !odd;
}

/* join_spaces() for a plain text. */
static int join_plain(const char *text, size_t len, bool keep_lines, struct strbuf *out)
{
	bool after = false;
	char *to;

	if (strbuf_reserve(out, len))
		return out->error;
	to = out->text + out->len;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c > ' ') {
			*to++ = c;
			after = false;
		} else if (keep_lines && (c == '\n' || c == '\r')) {
			*to++ = '\n';
			after = false;
		} else if (!after) {
			*to++ = ' ';
			after = true;
		}
	}
	out->len = (size_t)(to - out->text);
	*to = '\0';
	return MT_OK;
}

int normalize_text(const char *text, size_t len, bool keep_lines, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf seen = STRBUF(out->max);
	AUTO(free) utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t n;
	bool plain;

	if (len && normalize_is_plain(text, len))
		return join_plain(text, len, keep_lines, out);
	if (normalize_strip(text, len, &seen, &plain))
		return seen.error;
	if (plain)
		return join_spaces(seen.text, seen.len, keep_lines, out);
	n = utf8proc_map((const utf8proc_uint8_t *)seen.text, (utf8proc_ssize_t)seen.len,
			 &folded, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
	if (n < 0)
		return n == UTF8PROC_ERROR_NOMEM
			       ? MT_ENOMEM
			       : join_spaces(seen.text, seen.len, keep_lines, out);
	return join_spaces((const char *)folded, (size_t)n, keep_lines, out);
}
