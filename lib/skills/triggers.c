/* SPDX-License-Identifier: MIT
 *
 * triggers.c - matches keywords and globs. */
#include "skills/triggers.h"

#include <string.h>

/* ---- keywords ---------------------------------------------------------- */

static bool is_word_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Lowercase of the scripts whose two-byte forms lie a fixed step apart. */
static unsigned lower2(unsigned cp)
{
	if ((cp >= 0xc0 && cp <= 0xde && cp != 0xd7) || (cp >= 0x391 && cp <= 0x3a9) ||
	    (cp >= 0x410 && cp <= 0x42f))
		return cp + 32;
	if (cp >= 0x400 && cp <= 0x40f)
		return cp + 80;
	return cp;
}

/* The character at `s` in lowercase; `*ret_len` bytes of `s`. */
static unsigned lowered(const char *s, size_t len, size_t *ret_len)
{
	unsigned char c = (unsigned char)s[0];

	*ret_len = 1;
	if (c >= 'A' && c <= 'Z')
		return c + 32u;
	if ((c & 0xe0) == 0xc0 && len > 1) {
		*ret_len = 2;
		return lower2((c & 0x1fu) << 6 | ((unsigned char)s[1] & 0x3fu));
	}
	return c < 0x80 ? c : 0x10000u + c;
}

/* Length of what the keyword covers at the start of the text, 0: it does not. */
static size_t covers(const char *keyword, const char *text, size_t len)
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
		size_t n;

		if (at > 0 && is_word_byte((unsigned char)message[at - 1]))
			continue;
		n = covers(keyword, message + at, len - at);
		if (n && (at + n == len || !is_word_byte((unsigned char)message[at + n])))
			return true;
	}
	return false;
}

/* ---- globs ------------------------------------------------------------- */

enum { GLOB_MAX = 512 };

enum token_kind { LITERAL, ONE, REST_OF_ONE, STAR, STARS };

/* `skips`: with the slash after it, it may be left out. */
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

/* What can be reached without reading anything. */
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
