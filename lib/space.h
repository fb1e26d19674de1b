/* SPDX-License-Identifier: MIT
 *
 * space.h - trims ASCII white space (blank, tab, newline, \v, \f, \r). */
#ifndef LIB_SPACE_H
#define LIB_SPACE_H

#include "strbuf.h"
#include <stdbool.h>
#include <string.h>

static inline bool space_is(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/** Step over the white space at the start. */
static inline void space_trim_start(const char **text, size_t *len)
{
	while (*len && space_is(**text))
		++*text, --*len;
}

/** Length without the white space at the end. */
static inline size_t space_trim_end(const char *text, size_t len)
{
	while (len && space_is(text[len - 1]))
		len--;
	return len;
}

/** Leave out the white space at both ends. */
static inline void space_trim(const char **text, size_t *len)
{
	*len = space_trim_end(*text, *len);
	space_trim_start(text, len);
}

static inline bool space_is_blank(struct mt_str s)
{
	return space_trim_end(s.ptr, s.len) == 0;
}

static inline struct mt_str space_trimmed(struct mt_str s)
{
	space_trim(&s.ptr, &s.len);
	return s;
}

/** True if the list, whose words are separated by blanks, contains the word. */
static inline bool space_lists(const char *list, const char *word, size_t len)
{
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, word, n) == 0)
			return true;
		p += n;
	}
	return false;
}

/** Cut the white space at the end. */
static inline void space_trim_buffer(struct strbuf *b)
{
	strbuf_cut(b, space_trim_end(b->text, b->len));
}

#endif
