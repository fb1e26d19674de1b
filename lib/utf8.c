/* SPDX-License-Identifier: MIT
 *
 * utf8.c - UTF-8, using the table of well-formed sequences of the Unicode standard. */
#include "utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First byte: how many follow, and the range of the second. */
struct lead {
	unsigned char follow, low, high;
};

static struct lead lead_of(unsigned char c)
{
	if (c >= 0xc2 && c <= 0xdf)
		return (struct lead){ 1, 0x80, 0xbf };
	if (c == 0xe0)
		return (struct lead){ 2, 0xa0, 0xbf };
	if (c == 0xed)
		return (struct lead){ 2, 0x80, 0x9f };
	if (c >= 0xe1 && c <= 0xef)
		return (struct lead){ 2, 0x80, 0xbf };
	if (c == 0xf0)
		return (struct lead){ 3, 0x90, 0xbf };
	if (c >= 0xf1 && c <= 0xf3)
		return (struct lead){ 3, 0x80, 0xbf };
	if (c == 0xf4)
		return (struct lead){ 3, 0x80, 0x8f };
	return (struct lead){ 0, 0, 0 };
}

size_t utf8_next(const char *bytes, size_t len, bool *ret_valid)
{
	unsigned char c = (unsigned char)bytes[0];
	struct lead lead;
	size_t n = 1;

	*ret_valid = c < 0x80;
	if (*ret_valid)
		return 1;
	lead = lead_of(c);
	for (; n <= lead.follow && n < len; n++) {
		unsigned char next = (unsigned char)bytes[n];

		if (next < (n == 1 ? lead.low : 0x80) ||
		    next > (n == 1 ? lead.high : 0xbf))
			return n;
	}
	*ret_valid = lead.follow > 0 && n == (size_t)lead.follow + 1;
	return n;
}

/* Length of the run of ASCII at the start. */
static size_t ascii_run(const char *bytes, size_t len)
{
	size_t i = 0;

	for (uint64_t word; i + sizeof word <= len; i += sizeof word) {
		memcpy(&word, bytes + i, sizeof word);
		if (word & 0x8080808080808080u)
			break;
	}
	while (i < len && (unsigned char)bytes[i] < 0x80)
		i++;
	return i;
}

/* Length of the valid text at the start. */
static size_t valid_run(const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len) {
		bool valid;
		size_t n;

		i += ascii_run(bytes + i, len - i);
		if (i == len)
			break;
		n = utf8_next(bytes + i, len - i, &valid);
		if (!valid)
			break;
		i += n;
	}
	return i;
}

bool utf8_valid(const char *bytes, size_t len)
{
	return valid_run(bytes, len) == len;
}

size_t utf8_tail(const char *bytes, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		const char *p = bytes + len - back;
		bool valid;

		if (((unsigned char)*p & 0xc0) == 0x80)
			continue;
		if (lead_of((unsigned char)*p).follow < back)
			return 0;
		return utf8_next(p, back, &valid) == back && !valid ? back : 0;
	}
	return 0;
}

size_t utf8_cut(const char *bytes, size_t len, size_t max)
{
	if (len <= max)
		return len;
	return max - utf8_tail(bytes, max);
}

int utf8_add_cut(struct strbuf *b, const char *text, size_t len)
{
	return strbuf_addn(b, text, utf8_cut(text, len, b->max - 1 - b->len));
}

int utf8_vaddf_cut(struct strbuf *b, const char *fmt, va_list ap)
{
	char *text;
	int len = vasprintf(&text, fmt, ap);

	if (len < 0)
		return b->error = MT_ENOMEM;
	utf8_add_cut(b, text, (size_t)len);
	free(text);
	return b->error;
}

size_t utf8_count(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

size_t utf8_offset(const char *text, size_t len, size_t n)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && n-- == 0)
			return i;
	return len;
}

uint32_t utf8_code(const char *text, size_t len)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)*text & first[len];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

size_t utf8_encode(uint32_t code, char ret[4])
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; code >>= 6)
		ret[i] = (char)(0x80 | (code & 0x3f));
	ret[0] = (char)(n == 1 ? code : leads[n] | code);
	return n;
}

int utf8_add_code(struct strbuf *b, uint32_t code)
{
	char bytes[4];

	return strbuf_addn(b, bytes, utf8_encode(code, bytes));
}

int utf8_add_clean(struct strbuf *b, const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t run = valid_run(bytes + i, len - i);
		bool valid;

		strbuf_addn(b, bytes + i, run);
		i += run;
		if (i == len)
			break;
		i += utf8_next(bytes + i, len - i, &valid);
		strbuf_add(b, UTF8_REPLACEMENT);
	}
	return b->error;
}

size_t utf8_control(const char *text, size_t len)
{
	const unsigned char *c = (const unsigned char *)text;

	if (len >= 1 && (c[0] < ' ' || c[0] == 0x7f))
		return 1;
	if (len >= 2 && c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
		return 2;
	if (len >= 3 && c[0] == 0xe2 &&
	    ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
	     (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)))
		return 3;
	return 0;
}

/* Length of the white space character at the start; 0: another one. */
static size_t white_space(const char *text, size_t len)
{
	static const char *const wide[] = {
		"\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9",
		"\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
	};
	unsigned char c = len ? (unsigned char)*text : 0;

	if (c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f))
		return 1;
	if (len >= 3 && memcmp(text, "\xe2\x80", 2) == 0 &&
	    (unsigned char)text[2] <= 0x8a)
		return 3; /* U+2000 to U+200A */
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
		size_t n = strlen(wide[i]);

		if (len >= n && memcmp(text, wide[i], n) == 0)
			return n;
	}
	return 0;
}

struct mt_str utf8_trimmed(struct mt_str text)
{
	size_t n;

	while ((n = white_space(text.ptr, text.len))) {
		text.ptr += n;
		text.len -= n;
	}
	for (n = 1; n <= 3 && n <= text.len;)
		if (white_space(text.ptr + text.len - n, n) == n) {
			text.len -= n;
			n = 1;
		} else {
			n++;
		}
	return text;
}

void utf8_blank_controls(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t n = utf8_control(text + i, len - i);

		memset(text + i, ' ', n);
		i += n ? n - 1 : 0;
	}
}
