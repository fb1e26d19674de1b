/* SPDX-License-Identifier: MIT
 *
 * nearmiss.c - explains why a text was not found, using the most similar text.
 *
 * Three guesses, in this order: line numbers of a view were also copied; the same lines
 * have other white space; the most similar lines. */
#include "nearmiss.h"
#include "utf8.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	WANTED_MAX = 400,    /* maximum lines of the text to compare */
	FILE_MAX = 200000,   /* lines of the file */
	WORK_MAX = 20000000, /* maximum bytes to compare, approximately */
	SHOWN_LINES = 12,
	SHOWN_BYTES = 200, /* maximum bytes of a line */
	LIKE_PERCENT = 60,
};

struct lines {
	struct mt_str *at;
	size_t count;
};

struct search {
	struct lines file, wanted;
	size_t work; /* remaining work */
};

static int nearmiss_split(const char *text, size_t len, size_t max, struct lines *ret)
{
	const char *end = text + len;
	size_t n = 0;

	for (const char *p = text; p < end && n < max; n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	ret->at = malloc((n + 1) * sizeof *ret->at);
	if (!ret->at)
		return MT_ENOMEM;
	for (; ret->count < n; ret->count++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		ret->at[ret->count] =
			(struct mt_str){ text, (size_t)((nl ? nl : end) - text) };
		text = nl ? nl + 1 : end;
	}
	return MT_OK;
}

static bool nearmiss_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool nearmiss_is_blank(struct mt_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!nearmiss_is_space(s.ptr[i]))
			return false;
	return true;
}

/* True if the lines are equal without white space. */
static bool equal_but_space(struct search *s, struct mt_str a, struct mt_str b)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a.len && nearmiss_is_space(a.ptr[i]))
			i++;
		while (j < b.len && nearmiss_is_space(b.ptr[j]))
			j++;
		if (i == a.len || j == b.len || a.ptr[i] != b.ptr[j])
			break;
		i++, j++;
	}
	s->work -= s->work < i + j + 1 ? s->work : i + j + 1;
	return i == a.len && j == b.len;
}

static void nearmiss_show(const struct lines *file, size_t first, size_t count,
			  struct strbuf *out)
{
	for (size_t i = first; i < first + count && i < file->count; i++) {
		struct mt_str l = file->at[i];

		if (i - first == SHOWN_LINES) {
			strbuf_add(out, "\n     ...");
			break;
		}
		strbuf_addf(out, "\n%6zu\t", i + 1);
		utf8_add_clean(out, l.ptr, utf8_cut(l.ptr, l.len, SHOWN_BYTES));
		if (l.len > SHOWN_BYTES)
			strbuf_add(out, " ...");
	}
}

/* True if each line of the text starts like a line of a view. */
static bool has_numbers(const struct lines *wanted)
{
	size_t i = 0;

	for (; i < wanted->count; i++) {
		struct mt_str l = wanted->at[i];
		size_t p = 0, digits = 0;

		while (p < l.len && l.ptr[p] == ' ')
			p++;
		for (; p < l.len && isdigit((unsigned char)l.ptr[p]); p++)
			digits++;
		if (!digits || p == l.len || l.ptr[p] != '\t')
			return false;
	}
	return i > 0;
}

/* Number of wanted lines that match from line `at` on. */
static size_t score(struct search *s, size_t at)
{
	size_t good = 0;

	for (size_t i = 0; i < s->wanted.count && at + i < s->file.count && s->work; i++)
		good += equal_but_space(s, s->wanted.at[i], s->file.at[at + i]) &&
			!nearmiss_is_blank(s->wanted.at[i]);
	return good;
}

static bool block_is_near(struct search *s, struct strbuf *out)
{
	size_t wanted = s->wanted.count, solid = 0, best = 0, where = 0;

	for (size_t i = 0; i < wanted; i++)
		solid += !nearmiss_is_blank(s->wanted.at[i]);
	for (size_t at = 0; at < s->file.count && s->work && best < solid; at++) {
		size_t good = score(s, at);

		if (good > best)
			best = good, where = at;
	}
	if (!best || best * 2 < solid)
		return false;
	strbuf_add(out, best == solid ? "\nThe same text with other white space (or line "
					"breaks) is in line"
				      : "\nThe most similar text is in line");
	strbuf_addf(out, wanted > 1 ? "s %zu-%zu" : " %zu", where + 1, where + wanted);
	if (best < solid)
		strbuf_addf(out, " (%zu of %zu lines agree)", best, solid);
	strbuf_addc(out, ':');
	nearmiss_show(&s->file, where, wanted, out);
	return true;
}

static char nearmiss_lower(char c)
{
	return (char)tolower((unsigned char)c);
}

/* Percentage of the longer line that agrees at both ends. */
static size_t nearmiss_likeness(struct search *s, struct mt_str a, struct mt_str b)
{
	size_t head = 0, tail = 0, min, max;

	while (a.len && nearmiss_is_space(*a.ptr))
		a.ptr++, a.len--;
	while (b.len && nearmiss_is_space(*b.ptr))
		b.ptr++, b.len--;
	while (a.len && nearmiss_is_space(a.ptr[a.len - 1]))
		a.len--;
	while (b.len && nearmiss_is_space(b.ptr[b.len - 1]))
		b.len--;
	min = a.len < b.len ? a.len : b.len;
	max = a.len < b.len ? b.len : a.len;
	while (head < min && nearmiss_lower(a.ptr[head]) == nearmiss_lower(b.ptr[head]))
		head++;
	while (tail < min - head && nearmiss_lower(a.ptr[a.len - tail - 1]) ==
					    nearmiss_lower(b.ptr[b.len - tail - 1]))
		tail++;
	s->work -= s->work < head + tail + 1 ? s->work : head + tail + 1;
	return max ? (head + tail) * 100 / max : 0;
}

static void line_is_near(struct search *s, struct strbuf *out)
{
	struct mt_str longest = { "", 0 };
	size_t best = 0, where = 0;

	for (size_t i = 0; i < s->wanted.count; i++)
		if (s->wanted.at[i].len > longest.len)
			longest = s->wanted.at[i];
	for (size_t i = 0; i < s->file.count && s->work; i++) {
		size_t like = nearmiss_likeness(s, longest, s->file.at[i]);

		if (like > best)
			best = like, where = i;
	}
	if (best < LIKE_PERCENT)
		return;
	strbuf_addf(out, "\nThe most similar line is line %zu:", where + 1);
	nearmiss_show(&s->file, where, 1, out);
}

void nearmiss_explain(struct mt_str text, struct mt_str wanted, struct strbuf *out)
{
	struct search s = { .work = WORK_MAX };

	if (nearmiss_split(text.ptr, text.len, FILE_MAX, &s.file) == MT_OK &&
	    nearmiss_split(wanted.ptr, wanted.len, WANTED_MAX, &s.wanted) == MT_OK) {
		if (has_numbers(&s.wanted))
			strbuf_add(
				out,
				"\n"
				"`old_str` seems to contain the line numbers of a view. "
				"Omit them.");
		else if (!block_is_near(&s, out))
			line_is_near(&s, out);
	}
	free(s.file.at);
	free(s.wanted.at);
}
