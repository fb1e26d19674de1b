/* SPDX-License-Identifier: MIT
 *
 * pattern.h - untrusted regular expressions, with limits on their work. Used by the
 * schema files only. */
#ifndef LIB_PATTERN_H
#define LIB_PATTERN_H

#include "js.h"

enum { PATTERN_CACHE = 8, PATTERN_MAX = 4096 };

/* Compiled patterns by the JSON strings that contain them, which must outlive them. */
struct pattern_cache {
	struct {
		const json_object *key;
		void *code;
	} slots[PATTERN_CACHE];
	unsigned next;
};

/** Search the text for a match.
 *  @return MT_OK, MT_EINVAL (no match), MT_ELIMIT (cannot be decided in time),
 *          MT_EUNSUPPORTED (invalid pattern), MT_ENOMEM. */
int pattern_matches(struct pattern_cache *cache, json_object *pattern, const char *text,
		    size_t len);
/** The same without keeping the compiled pattern. */
int pattern_matches_once(json_object *pattern, const char *text, size_t len);
/** Check that the pattern is valid. The error names the offset. */
int pattern_check(json_object *pattern, struct error *err);
void pattern_cache_clear(struct pattern_cache *cache);

#endif
