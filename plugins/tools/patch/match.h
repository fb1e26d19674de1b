/* SPDX-License-Identifier: MIT
 *
 * match.h - splits a text into lines and finds lines in it. */
#ifndef PATCH_MATCH_H
#define PATCH_MATCH_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/** Lines without newlines: one more than the number of newlines. */
struct lines {
	struct mt_str *at;
	size_t count, room;
};

int patch_lines_split(struct lines *l, const char *text, size_t len);
int patch_lines_add(struct lines *l, struct mt_str line);
void patch_lines_clear(struct lines *l);

bool patch_line_is(struct mt_str line, const char *text);
bool patch_line_begins(struct mt_str line, const char *text);
/** The line without leading and trailing white space. */
struct mt_str patch_line_stripped(struct mt_str line);
bool patch_lines_equal(struct mt_str a, struct mt_str b);

enum { MATCH_NONE = -1, MATCH_TOO_MUCH = -2 };

/** Find `context` in `text`, from `start` on; `at_end`: prefer the end of the text.
 *  `*fuzz` grows by the degree of difference: trailing white space 1, white space at both
 *  ends 100, not at the end 10000. `*work` is the remaining number of comparisons. */
int64_t match_context(const struct lines *text, const struct lines *context, size_t start,
		      bool at_end, uint64_t *fuzz, uint64_t *work);

#endif
