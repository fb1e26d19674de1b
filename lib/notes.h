/* SPDX-License-Identifier: MIT
 *
 * notes.h - MEMORY.md: notes that an agent keeps between conversations, a text file of
 * limited size. */
#ifndef LIB_NOTES_H
#define LIB_NOTES_H

#include "error.h"

enum { NOTES_MAX = 16 << 10 };

enum notes_change { NOTES_APPEND, NOTES_REPLACE };

/** The text, truncated at the limit; owned. NULL without error: none. If the file is a
 *  link, it is not followed. */
char *notes_read(const char *path, struct error *err);
/** Add a line, or with `old` replace its only occurrence by `text` (`old` "": the whole
 *  file). Text that would exceed the limit is refused with a sentence. Directories are
 *  created. */
int notes_write(const char *path, enum notes_change change, const char *old,
		const char *text, struct error *err);

#endif
