/* SPDX-License-Identifier: MIT
 *
 * history.h - earlier input, stored in a file of the user: one JSON string per line,
 * so that a message may contain newlines. */
#ifndef TERMINAL_HISTORY_H
#define TERMINAL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

enum { HISTORY_MAX = 1000, HISTORY_ENTRY_MAX = 64 << 10, HISTORY_FILE_MAX = 4 << 20 };

struct history {
	char *path; /* NULL: not stored in a file */
	char *entries[HISTORY_MAX];
	size_t count;
	size_t at;   /* index of the entry shown; count: the draft */
	char *draft; /* the text being typed when the user moved back */
};

/** Read the file; a missing file is not an error. `path` is copied; may be NULL. */
void history_open(struct history *h, const char *path);
void history_done(struct history *h);
/** Add a text, and append it to the file immediately. The same text twice in a row is one
 *  entry. Silent if the file cannot be written. */
void history_add(struct history *h, const char *text);
/** Move back or forward from `current`. @return the text to show, borrowed, or NULL at
 *  the end. */
const char *history_back(struct history *h, const char *current);
const char *history_forward(struct history *h);
/** The newest entry older than `before` (count: all) that contains `part`.
 *  @return its number, or -1. */
long history_find(const struct history *h, const char *part, size_t before);

#endif
