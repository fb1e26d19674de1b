/* SPDX-License-Identifier: MIT
 *
 * match.c - splits a text into lines and finds lines in it. */
#include "match.h"

#include "array.h"

#include <string.h>

static bool patch_match_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

int patch_lines_add(struct lines *l, struct mt_str line)
{
	int status = ARRAY_GROW(l->at, &l->room, l->count + 1, ARRAY_MAX);

	if (status)
		return status;
	l->at[l->count++] = line;
	return MT_OK;
}

int patch_lines_split(struct lines *l, const char *text, size_t len)
{
	for (;;) {
		const char *nl = len ? memchr(text, '\n', len) : NULL;
		size_t n = nl ? (size_t)(nl - text) : len;

		if (patch_lines_add(l, (struct mt_str){ text, n }))
			return MT_ENOMEM;
		if (!nl)
			return MT_OK;
		text = nl + 1;
		len -= n + 1;
	}
}

void patch_lines_clear(struct lines *l)
{
	free(l->at);
	*l = (struct lines){ 0 };
}

bool patch_line_is(struct mt_str line, const char *text)
{
	return line.len == strlen(text) && memcmp(line.ptr, text, line.len) == 0;
}

bool patch_line_begins(struct mt_str line, const char *text)
{
	size_t len = strlen(text);

	return line.len >= len && memcmp(line.ptr, text, len) == 0;
}

static struct mt_str end_stripped(struct mt_str line)
{
	while (line.len && patch_match_is_space(line.ptr[line.len - 1]))
		line.len--;
	return line;
}

struct mt_str patch_line_stripped(struct mt_str line)
{
	line = end_stripped(line);
	while (line.len && patch_match_is_space(*line.ptr)) {
		line.ptr++;
		line.len--;
	}
	return line;
}

bool patch_lines_equal(struct mt_str a, struct mt_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static struct mt_str as_is(struct mt_str line)
{
	return line;
}

/* Search in three ways, each less exact than the previous one. */
static int64_t match_find(const struct lines *text, const struct lines *context,
			  size_t start, uint64_t *fuzz, uint64_t *work)
{
	static const struct {
		struct mt_str (*form)(struct mt_str line);
		unsigned fuzz;
	} ways[] = { { as_is, 0 }, { end_stripped, 1 }, { patch_line_stripped, 100 } };

	if (context->count == 0)
		return (int64_t)start;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++)
		for (size_t i = start; i + context->count <= text->count; i++) {
			size_t n = 0;

			while (n < context->count && *work &&
			       patch_lines_equal(ways[w].form(text->at[i + n]),
						 ways[w].form(context->at[n]))) {
				n++;
				*work -= 1;
			}
			if (*work == 0)
				return MATCH_TOO_MUCH;
			*work -= 1;
			if (n == context->count) {
				*fuzz += ways[w].fuzz;
				return (int64_t)i;
			}
		}
	return MATCH_NONE;
}

int64_t match_context(const struct lines *text, const struct lines *context, size_t start,
		      bool at_end, uint64_t *fuzz, uint64_t *work)
{
	int64_t at;

	if (!at_end)
		return match_find(text, context, start, fuzz, work);
	if (context->count <= text->count) {
		at = match_find(text, context, text->count - context->count, fuzz, work);
		if (at != MATCH_NONE)
			return at;
	}
	at = match_find(text, context, start, fuzz, work);
	*fuzz += 10000;
	return at;
}
