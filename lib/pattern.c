/* SPDX-License-Identifier: MIT
 *
 * pattern.c - runs PCRE2 with limits. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pattern.h"
#include <pcre2.h>

enum { MATCH_LIMIT = 100000, HEAP_LIMIT_KIB = 4096, NESTING = 100 };

static pcre2_code *pattern_compile(json_object *pattern, int *ret_number,
				   size_t *ret_offset)
{
	const char *text = json_object_get_string(pattern);
	size_t len = (size_t)json_object_get_string_len(pattern);
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	*ret_number = PCRE2_ERROR_NOMEMORY;
	*ret_offset = 0;
	if (!context)
		return NULL;
	pcre2_set_max_pattern_length(context, PATTERN_MAX);
	pcre2_set_parens_nest_limit(context, NESTING);
	/* As in ECMAScript, $ is the end and not also before a last newline. */
	code = pcre2_compile((PCRE2_SPTR)text, len,
			     PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
			     ret_number, ret_offset, context);
	pcre2_compile_context_free(context);
	return code;
}

static int pattern_match(const pcre2_code *code, const char *text, size_t len)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	int found = PCRE2_ERROR_NOMEMORY;

	if (data && context) {
		pcre2_set_match_limit(context, MATCH_LIMIT);
		pcre2_set_depth_limit(context, MATCH_LIMIT);
		pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
		found = pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, data, context);
	}
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	if (found >= 0)
		return MT_OK;
	if (found == PCRE2_ERROR_NOMEMORY)
		return MT_ENOMEM;
	return found == PCRE2_ERROR_NOMATCH ? MT_EINVAL : MT_ELIMIT;
}

int pattern_matches(struct pattern_cache *cache, json_object *pattern, const char *text,
		    size_t len)
{
	unsigned slot = cache->next % PATTERN_CACHE;
	int number;
	size_t offset;

	for (unsigned i = 0; i < PATTERN_CACHE; i++)
		if (cache->slots[i].key == pattern)
			return pattern_match(cache->slots[i].code, text, len);

	pcre2_code *code = pattern_compile(pattern, &number, &offset);

	if (!code)
		return number == PCRE2_ERROR_NOMEMORY ? MT_ENOMEM : MT_EUNSUPPORTED;
	pcre2_code_free(cache->slots[slot].code);
	cache->slots[slot].key = pattern;
	cache->slots[slot].code = code;
	cache->next++;
	return pattern_match(code, text, len);
}

int pattern_matches_once(json_object *pattern, const char *text, size_t len)
{
	struct pattern_cache cache = { 0 };
	int status = pattern_matches(&cache, pattern, text, len);

	pattern_cache_clear(&cache);
	return status;
}

int pattern_check(json_object *pattern, struct error *err)
{
	PCRE2_UCHAR why[128] = "";
	int number;
	size_t offset;
	pcre2_code *code = pattern_compile(pattern, &number, &offset);

	if (code) {
		pcre2_code_free(code);
		return MT_OK;
	}
	pcre2_get_error_message(number, why, sizeof why);
	return fail(err, MT_EINVAL, "invalid pattern %.100s: %s at byte %zu",
		    json_object_get_string(pattern), (const char *)why, offset);
}

void pattern_cache_clear(struct pattern_cache *cache)
{
	for (unsigned i = 0; i < PATTERN_CACHE; i++)
		pcre2_code_free(cache->slots[i].code);
	*cache = (struct pattern_cache){ 0 };
}
