/* SPDX-License-Identifier: MIT
 *
 * journal-record.h - the records that the recorder writes and the simulation reads. */
#ifndef TESTS_POWERLOSS_JOURNAL_RECORD_H
#define TESTS_POWERLOSS_JOURNAL_RECORD_H

#include <stdint.h>

enum {
	JOURNAL_MAGIC = 0x4a4c4f47,
	JOURNAL_SENT_MAX = 65536, /* bytes kept of what left the program at once */
};

enum journal_kind {
	J_CREATE = 1, /* path, inode */
	J_MKDIR,      /* path, inode */
	J_WRITE,      /* inode, offset, data */
	J_TRUNCATE,   /* inode, offset: the new size */
	J_RENAME,     /* path, other */
	J_LINK,       /* path, other: the new name */
	J_REMOVE,     /* path; a file or an empty directory */
	J_SYNC,       /* path, inode; of a file or a directory */
	J_SENT,       /* target, data: bytes that left the program */
	J_EXIT,       /* offset: the exit status */
	J_FAILED,     /* path; a sync that was made to fail */
};

enum journal_target { SENT_OUTPUT = 1, SENT_NETWORK, SENT_LOCAL };

/* Followed by path, other, and data, without NULs; paths are relative to the root. */
struct journal_record {
	uint32_t magic, kind;
	uint32_t pid, target;
	uint64_t inode;
	int64_t offset;
	uint32_t path, other, data, reserved;
};

#endif
