/* SPDX-License-Identifier: MIT
 *
 * triggers.c - matches keywords and globs. */
#include "skills/triggers.h"

#include "auto.h"
#include "utf8.h"

#include <string.h>
#include <utf8proc.h>

/* ---- keywords ---------------------------------------------------------- */

/* Letters and punctuation of scripts that separate words by spaces. In other scripts
 * (Chinese, Japanese, Thai) and in Korean, whose particles follow a word, a keyword may
 * be next to any letter. */
static const struct range {
	unsigned first, last;
} letters[] = {
	{ '0', '9' },       { 'A', 'Z' },     { 'a', 'z' },     { 0xaa, 0xaa },
	{ 0xb5, 0xb5 },     { 0xba, 0xba },   { 0xc0, 0xdff },  { 0x10a0, 0x10ff },
	{ 0x1e00, 0x1fff },
}, marks[] = {
	{ 0xd7, 0xd7 },     { 0xf7, 0xf7 },   { 0x37e, 0x37e }, { 0x387, 0x387 },
	{ 0x55a, 0x55f },   { 0x589, 0x58a }, { 0x5be, 0x5be }, { 0x5c0, 0x5c0 },
	{ 0x5c3, 0x5c3 },   { 0x5f3, 0x5f4 }, { 0x600, 0x60f }, { 0x61b, 0x61f },
	{ 0x66a, 0x66d },   { 0x6d4, 0x6d4 }, { 0x964, 0x965 }, { 0x10fb, 0x10fb },
};

static bool in_ranges(unsigned cp, const struct range *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cp >= list[i].first && cp <= list[i].last)
			return true;
	return false;
}

static bool triggers_is_letter(unsigned cp)
{
	return in_ranges(cp, letters, ARRAY_LEN(letters)) &&
	       !in_ranges(cp, marks, ARRAY_LEN(marks));
}

/* The character at `s`, `*ret_len` bytes of `len`; an invalid byte becomes a character
 * outside the range of letters. */
static unsigned triggers_character(const char *s, size_t len, size_t *ret_len)
{
	bool valid;

	*ret_len = utf8_next(s, len, &valid);
	if (valid)
		return utf8_code(s, *ret_len);
	*ret_len = 1;
	return 0x110000u + (unsigned char)*s;
}

/* True if the character that ends before `at` is a letter. */
static bool letter_before(const char *text, size_t at)
{
	size_t begin = at, len;

	do
		begin--;
	while (begin > 0 && at - begin < 3 &&
	       ((unsigned char)text[begin] & 0xc0) == 0x80);
	return triggers_is_letter(triggers_character(text + begin, at - begin, &len));
}

/* The two forms of sigma are one letter. */
static unsigned triggers_lower(unsigned cp)
{
	static const unsigned final_sigma = 0x3c2, sigma = 0x3c3;

	if (cp > 0x10ffff)
		return cp;
	cp = (unsigned)utf8proc_tolower((utf8proc_int32_t)cp);
	return cp == final_sigma ? sigma : cp;
}

/* The character at `s` in lowercase; `*ret_len` bytes of `s`. */
static unsigned lowered(const char *s, size_t len, size_t *ret_len)
{
	return triggers_lower(triggers_character(s, len, ret_len));
}

/* Length of the text that matches the keyword at its start; 0: no match. */
static size_t triggers_covers(const char *keyword, const char *text, size_t len)
{
	size_t left = strlen(keyword), at = 0, a, b;

	for (; left; keyword += a, left -= a, at += b)
		if (at == len ||
		    lowered(keyword, left, &a) != lowered(text + at, len - at, &b))
			return 0;
	return at;
}

bool trigger_matches(const char *keyword, const char *message, size_t len)
{
	for (size_t at = 0; at < len && *keyword; at++) {
		size_t n, next;

		if ((((unsigned char)message[at]) & 0xc0) == 0x80 ||
		    (at > 0 && letter_before(message, at)))
			continue;
		n = triggers_covers(keyword, message + at, len - at);
		if (n && (at + n == len ||
			  !triggers_is_letter(triggers_character(message + at + n,
								 len - at - n, &next))))
			return true;
	}
	return false;
}

/* ---- globs ------------------------------------------------------------- */

enum { GLOB_MAX = 512 };

enum token_kind { LITERAL, ONE, REST_OF_ONE, STAR, STARS };

/* `skips`: the token and the slash after it may be absent. */
struct token {
	enum token_kind kind;
	bool skips;
	char byte;
};

static size_t compile_glob(const char *p, struct token *tokens)
{
	size_t n = 0;

	if (!strchr(p, '/')) {
		tokens[n++] = (struct token){ .kind = STARS, .skips = true };
		tokens[n++] = (struct token){ .kind = LITERAL, .byte = '/' };
	}
	while (*p) {
		if (n + 2 > GLOB_MAX)
			return 0;
		if (p[0] == '*' && p[1] == '*') {
			tokens[n++] =
				(struct token){ .kind = STARS, .skips = p[2] == '/' };
			p += 2;
		} else if (*p == '*') {
			tokens[n++] = (struct token){ .kind = STAR };
			p++;
		} else if (*p == '?') {
			tokens[n++] = (struct token){ .kind = ONE };
			tokens[n++] = (struct token){ .kind = REST_OF_ONE };
			p++;
		} else {
			tokens[n++] = (struct token){ .kind = LITERAL, .byte = *p++ };
		}
	}
	return n;
}

/* Add the states that can be reached without input. */
static void spread_states(const struct token *tokens, size_t n, bool *at)
{
	for (size_t i = 0; i < n; i++) {
		if (!at[i])
			continue;
		if (tokens[i].kind == STAR || tokens[i].kind == STARS ||
		    tokens[i].kind == REST_OF_ONE)
			at[i + 1] = true;
		if (tokens[i].skips)
			at[i + 2] = true;
	}
}

static bool takes(const struct token *t, char byte, bool *ret_stays)
{
	*ret_stays = t->kind != LITERAL && t->kind != ONE;
	switch (t->kind) {
	case LITERAL:
		return t->byte == byte;
	case ONE:
		return byte != '/' && (byte & 0xc0) != 0x80;
	case REST_OF_ONE:
		return (byte & 0xc0) == 0x80;
	case STAR:
		return byte != '/';
	case STARS:
		return true;
	}
	return false;
}

bool trigger_matches_path(const char *pattern, const char *path)
{
	struct token tokens[GLOB_MAX] = { 0 };
	bool at[GLOB_MAX + 2] = { true }, next[GLOB_MAX + 2];
	size_t n = compile_glob(pattern, tokens);

	spread_states(tokens, n, at);
	for (; n && *path; path++) {
		memset(next, 0, sizeof next);
		for (size_t i = 0; i < n; i++) {
			bool stays;

			if (at[i] && takes(&tokens[i], *path, &stays))
				next[stays ? i : i + 1] = true;
		}
		spread_states(tokens, n, next);
		memcpy(at, next, sizeof at);
	}
	return n > 0 && at[n];
}
