/* SPDX-License-Identifier: MIT
 *
 * matcher.c - matches tools against the pattern of a hook. */
#include "hooks/hooks.h"

#include "pattern.h"

#include <string.h>

static bool fits_whole(const char *expression, size_t len, const char *tool)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(PATTERN_MAX);
	AUTO(json) json_object *pattern = NULL;

	if (strbuf_addf(&whole, "\\A(?:%.*s)\\z", (int)len, expression))
		return false;
	pattern = json_object_new_string_len(whole.text, (int)whole.len);
	return pattern && pattern_matches_once(pattern, tool, strlen(tool)) == MT_OK;
}

bool hook_matches(const char *matcher, const char *tool)
{
	size_t len = strlen(matcher);

	if (!len || strcmp(matcher, "*") == 0)
		return true;
	if (!tool)
		return false;
	if (len > 2 && matcher[0] == '/' && matcher[len - 1] == '/')
		return fits_whole(matcher + 1, len - 2, tool);
	if (strpbrk(matcher, "|.*+?[](){}^$\\"))
		return fits_whole(matcher, len, tool);
	return strcmp(matcher, tool) == 0;
}
