/* SPDX-License-Identifier: MIT
 *
 * match.c - matches PCRE2 expressions and globs, in slices of bounded work. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "match.h"

#include "shell.h"
#include "strbuf.h"

#include <pcre2.h>
#include <string.h>
#include <time.h>

enum { PATTERN_LONGEST = 4096, NESTING = 50, HEAP_KIB = 4096 };
/* Limits: steps from one start, starts in a slice, time per action. */
enum { STEPS_MAX = 20000, SLICE = 256, BUDGET_US = 22000, CELLS_MAX = 4 << 20 };

struct match {
	pcre2_code *code; /* NULL: a glob */
	char *glob;
	bool compiled, caseless; /* compilation to machine code was tried */
};

/* ---- the budget --------------------------------------------------------------- */

static int64_t began;
static bool over;

static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void match_begin(void)
{
	began = cpu_us();
	over = false;
}

bool match_is_over(void)
{
	over = over || cpu_us() - began > BUDGET_US;
	return over;
}

/* ---- compiling ---------------------------------------------------------------- */

struct match *match_free(struct match *m)
{
	if (!m)
		return NULL;
	pcre2_code_free(m->code);
	free(m->glob);
	free(m);
	return NULL;
}

struct match *match_new(const char *pattern, size_t len, int caseless, struct error *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	struct match *m = calloc(1, sizeof *m);
	PCRE2_UCHAR why[128] = "";
	int number = PCRE2_ERROR_NOMEMORY;
	size_t at = 0;

	if (!context || !m) {
		pcre2_compile_context_free(context);
		free(m);
		out_of_memory(err);
		return NULL;
	}
	pcre2_set_max_pattern_length(context, PATTERN_LONGEST);
	pcre2_set_parens_nest_limit(context, NESTING);
	m->code = pcre2_compile((PCRE2_SPTR)pattern, len,
				PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C |
					PCRE2_USE_OFFSET_LIMIT |
					(caseless ? PCRE2_CASELESS : 0),
				&number, &at, context);
	pcre2_compile_context_free(context);
	if (m->code)
		return m;
	free(m);
	pcre2_get_error_message(number, why, sizeof why);
	fail(err, MT_EINVAL, "invalid regular expression %.100s: %s at byte %zu", pattern,
	     (const char *)why, at);
	return NULL;
}

struct match *match_glob(const char *pattern, struct error *err)
{
	size_t len = strlen(pattern);
	struct match *m;

	if (len > 2 && pattern[0] == '/' && pattern[len - 1] == '/')
		return match_new(pattern + 1, len - 2, 0, err);
	if (len > PATTERN_LONGEST) {
		fail(err, MT_ELIMIT, "a pattern is longer than %d bytes",
		     PATTERN_LONGEST);
		return NULL;
	}
	m = calloc(1, sizeof *m);
	if (m)
		m->glob = strdup(pattern);
	if (m && m->glob)
		return m;
	free(m);
	out_of_memory(err);
	return NULL;
}

/* ---- globs -------------------------------------------------------------------- */

/* Bytes of the character at `text`. */
static size_t char_length(const char *text, const char *end)
{
	size_t n = 1;

	while (text + n < end && ((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Match a text without unknown parts: only the last * needs backtracking. */
static enum fit glob_exact(const char *glob, const char *text, size_t len)
{
	const char *end = text + len, *star = NULL, *again = NULL;
	size_t steps = 0;

	while (text < end) {
		if (*glob == '*') {
			star = glob++;
			again = text;
		} else if (*glob == '?') {
			glob++;
			text += char_length(text, end);
		} else if (*glob && *glob == *text) {
			glob++;
			text++;
		} else if (star) {
			glob = star + 1;
			text = ++again;
		} else {
			return FITS_NOT;
		}
		if ((++steps & 0xffff) == 0 && match_is_over())
			return FITS_MAYBE;
	}
	return glob[strspn(glob, "*")] ? FITS_NOT : FITS;
}

/* Skip parts that may be empty. */
static void pass_unknown(bool *at, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		at[i + 1] = at[i + 1] || (at[i] && text[i] == SHELL_ANY);
}

/* Process one character of the glob: the positions where it can end. */
static void glob_step(char c, const char *text, size_t len, const bool *from, bool *to)
{
	bool any = false;

	memset(to, 0, len + 1);
	for (size_t i = 0; i <= len; i++) {
		any = any || from[i];
		if (c == '*')
			to[i] = any;
		else if (!from[i] || i == len)
			continue;
		else if (text[i] == SHELL_ANY)
			to[i] = true;
		else if (text[i] == SHELL_ONE || text[i] == c)
			to[i + 1] = true;
		else if (c == '?')
			to[i + char_length(text + i, text + len)] = true;
	}
	pass_unknown(to, text, len);
}

/* Can a text of this shape match? */
static int glob_shape(const char *glob, const char *text, size_t len)
{
	AUTO(free) bool *one = NULL;
	AUTO(free) bool *two = NULL;
	bool *from, *to;

	if ((strlen(glob) + 1) * (len + 1) > CELLS_MAX || match_is_over())
		return FITS_MAYBE;
	one = calloc(len + 1, sizeof *one);
	two = calloc(len + 1, sizeof *two);
	if (!one || !two)
		return MT_ENOMEM;
	from = one;
	to = two;
	from[0] = true;
	pass_unknown(from, text, len);
	for (; *glob; glob++) {
		bool *swap = from;

		glob_step(*glob, text, len, from, to);
		from = to;
		to = swap;
	}
	return from[len] ? FITS_MAYBE : FITS_NOT;
}

/* ---- matching ----------------------------------------------------------------- */

/* Starts from `at` up to `at` + SLICE. */
static int slice(struct match *m, const char *text, size_t len, size_t at,
		 pcre2_match_data *data, pcre2_match_context *context, bool checked)
{
	uint32_t options = checked ? PCRE2_NO_UTF_CHECK : 0;
	int found;

	pcre2_set_offset_limit(context, at + SLICE);
	found = pcre2_match(m->code, (PCRE2_SPTR)text, len, at, options, data, context);
	if (found == PCRE2_ERROR_JIT_STACKLIMIT)
		found = pcre2_match(m->code, (PCRE2_SPTR)text, len, at,
				    options | PCRE2_NO_JIT, data, context);
	if (found >= 0)
		return FITS;
	if (found == PCRE2_ERROR_NOMEMORY)
		return MT_ENOMEM;
	return found == PCRE2_ERROR_NOMATCH ? FITS_NOT : FITS_MAYBE;
}

static int in_slices(struct match *m, const char *text, size_t len,
		     pcre2_match_data *data, pcre2_match_context *context)
{
	int r = FITS_NOT;

	pcre2_set_match_limit(context, STEPS_MAX);
	pcre2_set_heap_limit(context, HEAP_KIB);
	for (size_t at = 0; r == FITS_NOT && at <= len;) {
		if (at && match_is_over())
			return FITS_MAYBE;
		r = slice(m, text, len, at, data, context, at > 0);
		at += SLICE + 1;
		while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
			at--; /* the start of a character; those before it are tried twice
			       */
	}
	return r;
}

int match_here(struct match *m, const char *text, size_t len, size_t at)
{
	static pcre2_match_data *data;
	static pcre2_match_context *context;
	int found;

	if (!data)
		data = pcre2_match_data_create(1, NULL);
	if (!context)
		context = pcre2_match_context_create(NULL);
	if (!data || !context)
		return MT_ENOMEM;
	pcre2_set_match_limit(context, STEPS_MAX);
	pcre2_set_heap_limit(context, HEAP_KIB);
	found = pcre2_match(m->code, (PCRE2_SPTR)text, len, at,
			    PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data,
			    context);
	if (found >= 0)
		return FITS;
	if (found == PCRE2_ERROR_NOMEMORY)
		return MT_ENOMEM;
	return found == PCRE2_ERROR_NOMATCH ? FITS_NOT : FITS_MAYBE;
}

static int regex_fits(struct match *m, const char *text, size_t len)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	int r = MT_ENOMEM;

	if (len > SLICE && !m->compiled) {
		m->compiled = true;
		pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE);
	}
	if (data && context)
		r = in_slices(m, text, len, data, context);
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	return r;
}

static bool policy_match_is_shape(const char *text, size_t len)
{
	return memchr(text, SHELL_ANY, len) || memchr(text, SHELL_ONE, len);
}

int match_fits(struct match *m, const char *text, size_t len)
{
	bool shape = policy_match_is_shape(text, len);

	if (m->glob) {
		/* A match with unknown parts taken literally is a match in any case. */
		int exact = glob_exact(m->glob, text, len);

		return shape && exact != FITS ? glob_shape(m->glob, text, len) : exact;
	}
	return shape ? (int)FITS_MAYBE : regex_fits(m, text, len);
}
