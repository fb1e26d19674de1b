/* SPDX-License-Identifier: MIT
 *
 * memory.h - the last seen version of each file, and the undo history of edits. */
#ifndef EDITOR_MEMORY_H
#define EDITOR_MEMORY_H

#include "text/textfile.h"

enum {
	EDITOR_HISTORY = 10,          /* edits of a file that can be undone */
	EDITOR_PATHS_MAX = 1000,      /* maximum number of files remembered */
	EDITOR_UNDO_BYTES = 64 << 20, /* of all edits together */
};

/** One edit, with the data to undo it. */
struct undo {
	uint64_t after;   /* hash of the file after the edit */
	bool created;     /* the edit created the file ... */
	unsigned parents; /* ... and this many parent directories */
	size_t at, len;   /* these bytes of the file ... */
	char *bytes;      /* ... were these before */
	size_t bytes_len;
};

struct memory; /* of many files */
struct seen;   /* of one */

struct memory *memory_new(void);
struct memory *memory_free(struct memory *m);

/** The entry of a file, by its real path; NULL: none. */
struct seen *memory_find(struct memory *m, const char *path);
/** Record that the file was seen with these bytes. @return NULL if out of memory. */
struct seen *memory_saw(struct memory *m, const char *path, const struct textfile *f);

/** True if the bytes are those that were last seen. */
bool memory_is_seen(const struct seen *s, uint64_t hash);
/** The encoding that the file had. */
const struct charset *memory_charset(const struct seen *s);

/** Compute how to undo the change from `before` to `after`. */
int memory_prepare_undo(const struct textfile *before, const struct textfile *after,
			struct undo *ret);
/** Remember an edit; takes the data of memory_prepare_undo. Does not allocate memory. */
void memory_add_edit(struct memory *m, struct seen *s, struct undo undo);
/** Remember that the file was created; drops earlier edits. */
void memory_add_creation(struct memory *m, struct seen *s, const struct textfile *after,
			 unsigned parents);
/** The last edit, borrowed; NULL if none. */
const struct undo *memory_last_edit(const struct seen *s);
/** Forget the last edit. */
void memory_pop(struct memory *m, struct seen *s);

#endif
