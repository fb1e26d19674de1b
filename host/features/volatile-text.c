/* SPDX-License-Identifier: MIT
 *
 * volatile-text.c - compares texts and ignores parts that change from run to run.
 *
 * A text is read as pieces: words, single other characters, blanks, and blanked
 * values. Two texts are the same if their pieces are. */
#include "auto.h"
#include "features/volatile-text.h"

#include <ctype.h>
#include <string.h>

enum {
	HEX_MIN = 6,    /* hexadecimal digits that are a hash or an address */
	WORD_MAX = 160, /* maximum bytes of a word */
};

enum piece_kind { PIECE_END, PIECE_TEXT, PIECE_BLANK, PIECE_VALUE };

struct piece {
	enum piece_kind kind;
	const char *text;
	size_t len;
};

struct reader {
	const char *p, *end;
};

static bool volatile_text_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool volatile_text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t word_length(const char *p, const char *end)
{
	size_t n = 0;

	while (n < WORD_MAX && p + n < end && volatile_text_is_word(p[n]))
		n++;
	return n;
}

static bool is_one_of(const char *word, size_t len, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == len && memcmp(*list, word, len) == 0)
			return true;
	return false;
}

/* A unit that follows a number and changes with it: 900 kB becomes 1.2 MB. */
static bool is_unit(const char *word, size_t len)
{
	static const char *const units[] = {
		"ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "sec", "secs", "second",
		"seconds", "m", "min", "mins", "minute", "minutes", "h", "hour", "hours",
		"d", "day", "days", "B", "b", "byte", "bytes", "k", "K", "kB", "KB", "KiB",
		"M", "MB", "MiB", "G", "GB", "GiB", "T", "TB", "TiB", "am", "pm", "AM", "PM",
		"st", "nd", "rd", "th", NULL,
	};

	return is_one_of(word, len, units);
}

static bool is_part_of_date(const char *word, size_t len)
{
	static const char *const names[] = {
		"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Monday", "Tuesday",
		"Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Jan", "Feb", "Mar",
		"Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "January",
		"February", "March", "April", "June", "July", "August", "September",
		"October", "November", "December", "AM", "PM", NULL,
	};

	return is_one_of(word, len, names);
}

/* A word of hexadecimal digits, some of them decimal: a hash or an identifier. */
static bool is_hash(const char *word, size_t len)
{
	bool digit = false;

	if (len > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		word += 2;
		len -= 2;
		digit = true; /* 0xff is an address, even though it is short */
	} else if (len < HEX_MIN) {
		return false;
	}
	for (size_t i = 0; i < len; i++) {
		if (!isxdigit((unsigned char)word[i]))
			return false;
		digit |= is_digit(word[i]);
	}
	return digit;
}

/* A number inside a word ends with its digits: v2beta keeps "beta". */
static const char *after_digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* After a number: its unit, directly or after one space. */
static const char *after_unit(const char *p, const char *end)
{
	const char *word = p < end && *p == ' ' ? p + 1 : p;
	size_t len = 0;

	while (len < WORD_MAX && word + len < end && volatile_text_is_word(word[len]) &&
	       !is_digit(word[len])) /* the m of 1m20s */
		len++;
	if (p < end && *p == '%')
		return p + 1;
	return len && is_unit(word, len) ? word + len : p;
}

/* Groups that form one value: 1,234.5; 12:03:11; 2026-11-22T12:03; 10.0.0.1; UUIDs. */
static const char *volatile_text_after_value(const char *p, const char *end)
{
	for (;;) {
		size_t len = word_length(p, end);

		if (len && is_hash(p, len))
			p += len;
		else
			p = after_digits(p, end);
		if (end - p >= 2 && strchr(".,:-/+T", *p) && is_digit(p[1])) {
			p++;
			continue;
		}
		if (end - p >= 2 && (*p == '-' || *p == ':') &&
		    is_hash(p + 1, word_length(p + 1, end))) {
			p++;
			continue;
		}
		p = after_unit(p, end);
		if (p < end && is_digit(*p)) /* 1m20s */
			continue;
		return p;
	}
}

/* The next piece; the reader moves past it. */
static struct piece next_piece(struct reader *r)
{
	const char *start = r->p;
	size_t len = word_length(start, r->end), plain;

	if (start == r->end)
		return (struct piece){ .kind = PIECE_END };
	if (volatile_text_is_blank(*start)) {
		while (r->p < r->end && volatile_text_is_blank(*r->p))
			r->p++;
		return (struct piece){ .kind = PIECE_BLANK };
	}
	if (is_digit(*start) || (len && is_hash(start, len))) {
		r->p = volatile_text_after_value(start, r->end);
		return (struct piece){ .kind = PIECE_VALUE };
	}
	if (len && is_part_of_date(start, len)) {
		r->p += len;
		return (struct piece){ .kind = PIECE_VALUE };
	}
	for (plain = 0; plain < len && !is_digit(start[plain]); plain++)
		;
	r->p += plain ? plain : 1;
	return (struct piece){ .kind = PIECE_TEXT, .text = start,
			       .len = (size_t)(r->p - start) };
}

bool volatile_text_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct reader x = { a, a + a_len }, y = { b, b + b_len };

	for (;;) {
		struct piece p = next_piece(&x), q = next_piece(&y);

		if (p.kind != q.kind)
			return false;
		if (p.kind == PIECE_END)
			return true;
		if (p.kind == PIECE_TEXT &&
		    (p.len != q.len || memcmp(p.text, q.text, p.len) != 0))
			return false;
	}
}
