/* SPDX-License-Identifier: MIT
 *
 * match.c - PCRE2 with a limit on steps and memory. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "match.h"

#include "strbuf.h"

#include <pcre2.h>
#include <string.h>

enum { LARGE = 4096 }; /* a text for which machine code pays */
enum { PATTERN_LONGEST = 4096, STEPS_MAX = 5000000, HEAP_KIB = 4096, NESTING = 50 };

struct match {
	pcre2_code *code;
	int compiled; /* to machine code, or that was tried */
};

struct match *match_new(const char *pattern, size_t len, int caseless, struct error *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	struct match *m = malloc(sizeof *m);
	PCRE2_UCHAR why[128] = "";
	int number = PCRE2_ERROR_NOMEMORY;
	size_t at = 0;

	if (!context || !m) {
		pcre2_compile_context_free(context);
		free(m);
		fail(err, MT_ENOMEM, "out of memory");
		return NULL;
	}
	pcre2_set_max_pattern_length(context, PATTERN_LONGEST);
	pcre2_set_parens_nest_limit(context, NESTING);
	m->code = pcre2_compile((PCRE2_SPTR)pattern, len,
				PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C |
					(caseless ? PCRE2_CASELESS : 0),
				&number, &at, context);
	pcre2_compile_context_free(context);
	m->compiled = 0;
	if (m->code)
		return m;
	free(m);
	pcre2_get_error_message(number, why, sizeof why);
	fail(err, MT_EINVAL, "the expression %.100s does not compile: %s at byte %zu", pattern,
	     (const char *)why, at);
	return NULL;
}

struct match *match_glob(const char *pattern, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 * PATTERN_LONGEST);
	size_t len = strlen(pattern);

	if (len > 2 && pattern[0] == '/' && pattern[len - 1] == '/')
		return match_new(pattern + 1, len - 2, 0, err);
	strbuf_add(&text, "\\A(?s:");
	for (size_t i = 0; i < len; i++) {
		char c = pattern[i];

		if (c == '*')
			strbuf_add(&text, ".*");
		else if (c == '?')
			strbuf_addc(&text, '.');
		else
			strbuf_addf(&text, strchr("\\^$.[]|()+{}#", c) ? "\\%c" : "%c", c);
	}
	strbuf_add(&text, ")\\z");
	if (text.error) {
		fail(err, text.error, "the pattern is too long");
		return NULL;
	}
	return match_new(text.text, text.len, 0, err);
}

struct match *match_free(struct match *m)
{
	if (m)
		pcre2_code_free(m->code);
	free(m);
	return NULL;
}

int match_in(struct match *m, const char *text, size_t len)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	int found = PCRE2_ERROR_NOMEMORY;

	if (len > LARGE && !m->compiled) {
		m->compiled = 1;
		pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE);
	}
	if (data && context) {
		pcre2_set_match_limit(context, STEPS_MAX);
		pcre2_set_depth_limit(context, STEPS_MAX);
		pcre2_set_heap_limit(context, HEAP_KIB);
		found = pcre2_match(m->code, (PCRE2_SPTR)text, len, 0, 0, data, context);
		if (found == PCRE2_ERROR_JIT_STACKLIMIT)
			found = pcre2_match(m->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_JIT,
					    data, context);
	}
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	if (found >= 0)
		return 1;
	if (found == PCRE2_ERROR_NOMATCH)
		return 0;
	return found == PCRE2_ERROR_NOMEMORY ? MT_ENOMEM : MT_ELIMIT;
}
