/* SPDX-License-Identifier: MIT
 *
 * match.h - splits a text into lines and finds lines in it. */
#ifndef PATCH_MATCH_H
#define PATCH_MATCH_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/** Lines without their newline: one more than there are newlines. */
struct lines {
	struct mt_str *at;
	size_t count, room;
};

int patch_lines_split(struct lines *l, const char *text, size_t len);
int patch_lines_add(struct lines *l, struct mt_str line);
void patch_lines_clear(struct lines *l);

bool patch_line_is(struct mt_str line, const char *text);
bool patch_line_begins(struct mt_str line, const char *text);
/** Without white space at both ends. */
struct mt_str patch_line_stripped(struct mt_str line);
bool patch_lines_equal(struct mt_str a, struct mt_str b);

enum { MATCH_NONE = -1, MATCH_TOO_MUCH = -2 };

/** Where `context` begins in `text`, from `start` on; `at_end`: best where the text
 *  ends. `*fuzz` grows by how unlike they are: white space at the end 1, at both
 *  ends 100, not at the end 10000. `*work` is what is left of the comparisons. */
int64_t match_context(const struct lines *text, const struct lines *context, size_t start,
		      bool at_end, uint64_t *fuzz, uint64_t *work);

#endif
