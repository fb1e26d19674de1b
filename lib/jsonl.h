/* SPDX-License-Identifier: MIT
 *
 * jsonl.h - splits bytes that arrive in pieces of any size into lines.
 *
 * Push parser: no file, no socket. A line ends at \n; a \r before it is
 * removed. A line longer than the limit is a permanent error. */
#ifndef LIB_JSONL_H
#define LIB_JSONL_H

#include "error.h"
#include "strbuf.h"

struct jsonl {
	struct strbuf line;
	/** One line, NUL-terminated, without its end. Return non-zero to stop:
	 *  jsonl_feed returns it. The text may be changed in place. */
	int (*on_line)(char *line, size_t len, void *arg);
	void *arg;
	int error;
};

void jsonl_init(struct jsonl *j, size_t max_line,
		int (*on_line)(char *line, size_t len, void *arg), void *arg);
/** @return MT_OK, MT_ELIMIT for a line that is too long, MT_ENOMEM, or the result of
 *          on_line. The remaining bytes are then dropped. */
int jsonl_feed(struct jsonl *j, const char *bytes, size_t len);
void jsonl_done(struct jsonl *j);

#endif
