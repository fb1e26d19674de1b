/* SPDX-License-Identifier: MIT
 *
 * file-guard.h - keeps protected files as they are where no read-only mount does: their
 * contents are stored, and a change is found afterwards and reverted. */
#ifndef LIB_SANDBOX_FILE_GUARD_H
#define LIB_SANDBOX_FILE_GUARD_H

#include "sandbox/rules.h"

#include <stddef.h>

struct guarded_file;

struct file_guard {
	struct guarded_file *list; /* a directory before what it contains */
	size_t count, bytes;
};

/** Store the protected files of the rules, up to 8 MiB. Files that do not exist, but that
 *  git would use, are protected too. `mounted`: read-only mounts hold those that exist, so
 *  only others are stored. */
int file_guard_start(struct file_guard *g, const struct sandbox_rules *r, bool mounted);
/** Revert what has changed. `report` gets a sentence about each file. Symbolic links are
 *  not followed, so tools may run meanwhile. */
void file_guard_check(struct file_guard *g, void (*report)(const char *text, void *arg),
		      void *arg);
void file_guard_clear(struct file_guard *g);

#endif
