/* SPDX-License-Identifier: MIT
 *
 * glob.c - matches path patterns. */
#include "glob.h"

#include <string.h>

/* Match the character class at `p`, after '['. @return the position after the class; NULL
 * if it is not closed: '[' is then an ordinary character. */
static const char *in_class(const char *p, const char *end, char c, bool *ret)
{
	bool not = p < end && (*p == '!' || *p == '^'), found = false;

	p += not ;
	for (const char *start = p; p < end; p++) {
		unsigned char low, high;

		if (*p == ']' && p > start) {
			*ret = found != not ;
			return p + 1;
		}
		p += *p == '\\' && p + 1 < end;
		low = high = (unsigned char)*p;
		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			p += 2;
			p += *p == '\\' && p + 1 < end;
			high = (unsigned char)*p;
		}
		found |= (unsigned char)c >= low && (unsigned char)c <= high;
	}
	return NULL;
}

/* Match one character of the pattern against `c`: the next position, or NULL. */
static const char *glob_match_one(const char *p, const char *end, char c)
{
	const char *next;
	bool yes;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		next = in_class(p + 1, end, c, &yes);
		if (next)
			return yes ? next : NULL;
	}
	if (*p == '\\' && p + 1 < end)
		p++;
	return *p == c ? p + 1 : NULL;
}

/* Match a part of a path. Of several stars only the last is retried. */
static bool match_part(const char *p, const char *p_end, const char *s, const char *s_end)
{
	const char *star = NULL, *again = NULL;

	while (s < s_end) {
		const char *next =
			p < p_end && *p != '*' ? glob_match_one(p, p_end, *s) : NULL;

		if (next) {
			p = next;
			s++;
		} else if (p < p_end && *p == '*') {
			star = ++p;
			again = s;
		} else if (star) {
			p = star;
			s = ++again;
		} else {
			return false;
		}
	}
	while (p < p_end && *p == '*')
		p++;
	return p == p_end;
}

static const char *part_end(const char *p)
{
	const char *slash = strchr(p, '/');

	return slash ? slash : p + strlen(p);
}

static bool is_any(const char *p, const char *end)
{
	return end - p == 2 && p[0] == '*' && p[1] == '*';
}

/* Match part by part; of several `**` only the last is retried. */
bool glob_match(const char *pattern, const char *path)
{
	const char *p = pattern, *s = path, *any = NULL, *again = NULL;

	while (*s) {
		const char *p_end = part_end(p), *s_end = part_end(s);

		if (*p && is_any(p, p_end)) {
			if (!*p_end)
				return true; /* matches everything below */
			any = p = p_end + 1;
			again = s;
		} else if (*p && match_part(p, p_end, s, s_end) && !*p_end == !*s_end) {
			p = p_end + (*p_end != '\0');
			s = s_end + (*s_end != '\0');
		} else if (any && *part_end(again)) {
			p = any;
			s = again = part_end(again) + 1;
		} else {
			return false;
		}
	}
	return !*p;
}

/* ---- braces ------------------------------------------------------------ */

/* The brace that closes the one at `open`; NULL: none. */
static const char *closing(const char *open)
{
	int depth = 0;

	for (const char *p = open; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '{')
			depth++;
		else if (*p == '}' && --depth == 0)
			return p;
	}
	return NULL;
}

static const char *first_brace(const char *p)
{
	for (; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '{' && closing(p))
			return p;
	}
	return NULL;
}

/* The end of a choice: a comma of the same level or the closing brace. */
static const char *choice_end(const char *p, const char *close)
{
	int depth = 0;

	for (; p < close; p++) {
		if (*p == '\\' && p + 1 < close)
			p++;
		else if (*p == '{')
			depth++;
		else if (*p == '}')
			depth--;
		else if (*p == ',' && depth == 0)
			return p;
	}
	return close;
}

static int too_many(struct error *err)
{
	return fail(err, MT_ELIMIT,
		    "the pattern expands to more than %d patterns; use fewer braces",
		    GLOB_FORMS);
}

/* Pending texts follow the completed ones in `forms`; each iteration expands one
 * brace. */
static int glob_expand(struct glob *g, struct error *err)
{
	size_t done = 0;

	while (done < g->count) {
		const char *open = first_brace(g->forms[done]), *close, *at;
		AUTO(free) char *text = NULL;

		if (!open) {
			done++;
			continue;
		}
		text = g->forms[done];
		g->forms[done] = g->forms[--g->count];
		close = closing(open);
		for (at = open + 1;; at++) {
			const char *end = choice_end(at, close);
			AUTO(strbuf) struct strbuf form = STRBUF(GLOB_MAX + 1);

			if (g->count == GLOB_FORMS)
				return too_many(err);
			strbuf_addn(&form, text, (size_t)(open - text));
			strbuf_addn(&form, at, (size_t)(end - at));
			strbuf_add(&form, close + 1);
			g->forms[g->count] = form.error ? NULL : strbuf_take(&form);
			if (!g->forms[g->count])
				return out_of_memory(err);
			g->count++;
			at = end;
			if (end == close)
				break;
		}
	}
	return MT_OK;
}

int glob_open(struct glob *g, const char *pattern, struct error *err)
{
	int r;

	*g = (struct glob){ 0 };
	if (strlen(pattern) >= GLOB_MAX)
		return fail(err, MT_ELIMIT, "the pattern is longer than %d bytes",
			    GLOB_MAX);
	while (pattern[0] == '.' && pattern[1] == '/')
		pattern += 2;
	g->forms[0] = strdup(pattern);
	if (!g->forms[0])
		return out_of_memory(err);
	g->count = 1;
	r = glob_expand(g, err);
	for (size_t i = 0; i < g->count; i++)
		g->hidden |= g->forms[i][0] == '.' || strstr(g->forms[i], "/.");
	if (r)
		glob_close(g);
	return r;
}

void glob_close(struct glob *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->forms[i]);
	*g = (struct glob){ 0 };
}

bool glob_has(const struct glob *g, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;

	for (size_t i = 0; i < g->count; i++)
		if (glob_match(g->forms[i], strchr(g->forms[i], '/') ? path : last))
			return true;
	return false;
}

int glob_split(const char *pattern, char **ret_base, char **ret_rest)
{
	size_t special = strcspn(pattern, "*?[{"), cut = 0;

	*ret_base = *ret_rest = NULL;
	if (pattern[0] == '/' || pattern[0] == '~') {
		for (size_t i = 0; i < special; i++)
			if (pattern[i] == '/')
				cut = i + 1;
		*ret_base = strndup(pattern, cut > 1 ? cut - 1 : cut);
		if (!*ret_base)
			return MT_ENOMEM;
	}
	*ret_rest = strdup(pattern[cut] ? pattern + cut : "**/*");
	if (*ret_rest)
		return MT_OK;
	free(*ret_base);
	*ret_base = NULL;
	return MT_ENOMEM;
}
