/* SPDX-License-Identifier: MIT
 *
 * landlock.h - Landlock rule sets: what a process and its descendants can do with files,
 * TCP ports, and processes outside of them. See landlock(7).
 *
 * The C library has no functions for these calls, and its headers may be older than the
 * kernel. */
#ifndef LIB_LANDLOCK_H
#define LIB_LANDLOCK_H

#include <stdint.h>

/* Rights to files, in the order of the kernel. */
enum {
	LANDLOCK_EXECUTE = 1u << 0,
	LANDLOCK_WRITE_FILE = 1u << 1,
	LANDLOCK_READ_FILE = 1u << 2,
	LANDLOCK_READ_DIR = 1u << 3,
	LANDLOCK_FILES_1 = 0x1fff,        /* all rights of version 1 */
	LANDLOCK_REFER = 1u << 13,        /* version 2: rename and link across directories */
	LANDLOCK_TRUNCATE = 1u << 14,     /* version 3 */
	LANDLOCK_IOCTL_DEVICE = 1u << 15, /* version 5 */
	LANDLOCK_READ = LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_READ_DIR,
	LANDLOCK_ALL = 0xffff,
};

/* Rights to TCP ports, since version 4. */
enum { LANDLOCK_BIND = 1u << 0, LANDLOCK_CONNECT = 1u << 1, LANDLOCK_PORTS = 4 };

/* Reaching processes outside, since version 6. */
enum { LANDLOCK_ABSTRACT_SOCKETS = 1u << 0, LANDLOCK_SIGNALS = 1u << 1 };

/* The newest version that this file knows; the seventh adds no rights. */
enum { LANDLOCK_NEWEST = 7 };

/** What a rule set denies unless a rule allows it. Rights that `version` lacks are
 *  ignored. */
struct landlock_denied {
	uint64_t files, ports, processes;
};

/** The version of the kernel, at most LANDLOCK_NEWEST; 0: it has no Landlock. */
int landlock_version(void);
/** A rule set for a kernel of this version. @return a descriptor; -1: errno. */
int landlock_new(int version, const struct landlock_denied *denied);
/** Allow rights to what `path` names and, for a directory, to everything in it. Rights
 *  that the version lacks, or that do not apply to a file, are ignored. @return 0; -1:
 *  errno, for example if it does not exist. */
int landlock_allow(int rules, int version, const char *path, uint64_t rights);
int landlock_allow_port(int rules, int version, uint16_t port, uint64_t rights);
/** Apply the rules to this thread, permanently. It must have no_new_privs.
 *  Async-signal-safe. @return 0; -1: errno. */
int landlock_enter(int rules);

#endif
