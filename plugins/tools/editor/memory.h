/* SPDX-License-Identifier: MIT
 *
 * memory.h - the last seen version of each file, and the undo history of edits. */
#ifndef EDITOR_MEMORY_H
#define EDITOR_MEMORY_H

#include "text/textfile.h"

enum {
	EDITOR_HISTORY = 10,          /* edits of a file that can be undone */
	EDITOR_PATHS_MAX = 1000,      /* files that are remembered */
	EDITOR_UNDO_BYTES = 64 << 20, /* of all of them together */
};

/** One edit, as the way back. */
struct undo {
	uint64_t after;   /* hash of the file once it was made */
	bool created;     /* it made the file ... */
	unsigned parents; /* ... and so many directories above it */
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
/** The file was seen with these bytes. @return NULL if out of memory. */
struct seen *memory_saw(struct memory *m, const char *path, const struct textfile *f);

/** True if the bytes are those that were last seen. */
bool memory_is_seen(const struct seen *s, uint64_t hash);
/** The encoding that the file had. */
const struct charset *memory_charset(const struct seen *s);

/** Work out the way back from one content of a file to the one before. */
int memory_prepare_undo(const struct textfile *before, const struct textfile *after,
			struct undo *ret);
/** Remember an edit; takes over what memory_prepare_undo made. Needs no memory. */
void memory_add_edit(struct memory *m, struct seen *s, struct undo undo);
/** Remember that the file was created; forgets what was before. */
void memory_add_creation(struct memory *m, struct seen *s, const struct textfile *after,
			 unsigned parents);
/** The last edit, borrowed; NULL if there is none. */
const struct undo *memory_last_edit(const struct seen *s);
/** Forget the last edit. */
void memory_pop(struct memory *m, struct seen *s);

#endif
