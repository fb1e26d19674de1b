/* SPDX-License-Identifier: MIT
 *
 * snapshot.h - content-addressed snapshots of a workspace.
 *
 * The directory of a store contains:
 *   objects/XX/SHA256  contents of files, targets of links, and trees (directories)
 *   index              one line per snapshot: number, event, kind, time, root
 *   cache              the state of each covered file when it was read last
 *   lock
 * Covered are regular files, symbolic links and directories, with modes and modification
 * times. Not covered are `.git`, ignored files (unless an earlier snapshot has them),
 * files over the limit, other types of files, and other file systems. Paths are relative to
 * the workspace; those in another directory of the conversation are absolute.
 *
 * An object gets its name when it is complete, and a line of the index is written after
 * the objects that it needs, so that a process that is killed leaves a usable store.
 * All functions block. One process at a time has a store open. */
#ifndef LIB_SNAPSHOT_SNAPSHOT_H
#define LIB_SNAPSHOT_SNAPSHOT_H

#include "auto.h"
#include "digest.h"
#include "error.h"

#include <stdbool.h>
#include <stdint.h>

enum { SNAPSHOT_NAMES_MAX = 20 }; /* paths that a list holds */

struct snapshot_options {
	const char *dir;       /* of the store */
	const char *workspace;
	char *const *roots;    /* more directories, absolute and without symbolic links, up
			        * to NULL; NULL: those of the newest snapshot */
	const char *except;    /* a directory that is not covered; NULL: none */
	int64_t disk;          /* bytes of the store */
	int64_t file;          /* bytes of a covered file */
	int64_t files;         /* number of covered files */
	bool sync;             /* sync objects before the line of the index */
	int64_t quick;         /* give up with MT_ELIMIT after about so many bytes are
			        * read, or if objects would have to be dropped; 0: no */
};

enum snapshot_kind {
	SNAPSHOT_START, /* before the first step */
	SNAPSHOT_STEP,  /* before a call that may write */
	SNAPSHOT_REST,  /* when the agent became idle */
	SNAPSHOT_UNDO,  /* before files were restored */
};

struct snapshot_entry {
	int64_t number;        /* from 1 */
	int64_t event;         /* the state is that before this event of the log */
	enum snapshot_kind kind;
	int64_t time_s;
	unsigned char root[SHA256_BYTES];
};

/** A number of paths, and the first of them. */
struct snapshot_names {
	char *list[SNAPSHOT_NAMES_MAX]; /* owned */
	int64_t count;
};

/** A state of the workspace. */
struct snapshot_state {
	unsigned char root[SHA256_BYTES];
	int64_t files, bytes;          /* covered */
	struct snapshot_names ignored; /* not their contents */
	struct snapshot_names left_out; /* `PATH (REASON)` */
};

void snapshot_state_clear(struct snapshot_state *s);
void snapshot_names_clear(struct snapshot_names *n);
/** Add a path, with a reason unless that is NULL. */
void snapshot_names_add(struct snapshot_names *n, const char *path, const char *why);

struct snapshot_store;

/** Open a store, and wait up to 30 s for the process that has it open. The options are
 *  borrowed. @return MT_ENOTFOUND: it does not exist, and is not created */
int snapshot_open(const struct snapshot_options *o, bool create,
		  struct snapshot_store **ret, struct error *err);
struct snapshot_store *snapshot_close(struct snapshot_store *s);
AUTO_DEFINE(snapshot_store, struct snapshot_store *, snapshot_close)
/** Let other processes use a store that stays open, and continue to use it: reads what
 *  they have changed. @return MT_ETIMEOUT: one still uses it */
void snapshot_pause(struct snapshot_store *s);
int snapshot_continue(struct snapshot_store *s, struct error *err);

/** Store the present state of the workspace. Files whose size, times and inode are those
 *  of the last time are not read. Old snapshots are dropped to stay within the limit of
 *  the disk. @return MT_ELIMIT: too many files */
int snapshot_make(struct snapshot_store *s, struct snapshot_state *ret,
		  struct error *err);
/** Add a snapshot to the index. If its state is that of the last one, the line is not
 *  synced: when it is missing later, use the one before it.
 *  @return its number or a status */
int64_t snapshot_keep(struct snapshot_store *s, enum snapshot_kind kind, int64_t event,
		      const unsigned char root[SHA256_BYTES], struct error *err);

size_t snapshot_count(const struct snapshot_store *s);
/** In order of their numbers; NULL: no such index. */
const struct snapshot_entry *snapshot_at(const struct snapshot_store *s, size_t n);
/** The state after this event: the first snapshot before a later one; NULL: none. */
const struct snapshot_entry *snapshot_after(const struct snapshot_store *s,
					    int64_t event);

/* ---- trees ------------------------------------------------------------- */

enum tree_type {
	TREE_FILE = 'f',
	TREE_LINK = 'l',
	TREE_DIRECTORY = 'd',
	TREE_LEFT_OUT = 'u', /* exists, and is not covered */
};

struct tree_item {
	enum tree_type type;
	uint32_t mode;         /* permissions; of an item that is left out: the reason */
	uint32_t mtime_ns;
	int64_t mtime_s;
	uint64_t size;
	unsigned char hash[SHA256_BYTES];
	const char *name;      /* borrowed from the tree */
};

/** Something that differs between two states. */
struct snapshot_change {
	const char *path;
	const struct tree_item *from, *to; /* NULL: does not exist */
	bool content;          /* not only the mode or the time differ */
};

typedef int snapshot_change_fn(void *arg, const struct snapshot_change *change,
			       struct error *err);

/** Call `fn` for each difference, directories before their contents; it stops with the
 *  first status that is not MT_OK. */
int snapshot_compare(struct snapshot_store *s, const unsigned char from[SHA256_BYTES],
		     const unsigned char to[SHA256_BYTES], snapshot_change_fn *fn,
		     void *arg, struct error *err);
/** Read the content of a file or the target of a link; owned. MT_ELIMIT: longer than
 *  `max`. */
int snapshot_read(struct snapshot_store *s, const unsigned char hash[SHA256_BYTES],
		  size_t max, char **ret, size_t *ret_len, struct error *err);

/* ---- restoring --------------------------------------------------------- */

struct snapshot_report {
	int64_t written, removed;       /* files and links */
	struct snapshot_names problems; /* `PATH (REASON)`: not restored */
};

/** Bring the workspace, and the other directories that both states contain, from the state
 *  `present`, which was taken before, to the state `root`. Links are not followed, and
 *  files that are not covered are not touched. Can be repeated if it was interrupted. */
int snapshot_restore(struct snapshot_store *s, const unsigned char present[SHA256_BYTES],
		     const unsigned char root[SHA256_BYTES], struct snapshot_report *ret,
		     struct error *err);

#endif
