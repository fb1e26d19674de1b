/* SPDX-License-Identifier: MIT
 *
 * snapshots-diff.h - the difference of two states of the workspace as a unified diff. */
#ifndef HOST_FEATURES_SNAPSHOTS_DIFF_H
#define HOST_FEATURES_SNAPSHOTS_DIFF_H

#include "snapshot/snapshot.h"
#include "strbuf.h"

/** A file or link that differs. */
struct snapshots_file_diff {
	const char *path;
	const char *change;    /* "added", "removed", "changed" or "mode" */
	int64_t added, removed; /* lines; -1: not a text */
	struct mt_str text;    /* the diff, with its header */
};

typedef int snapshots_diff_fn(void *arg, const struct snapshots_file_diff *diff,
			      struct error *err);

/** Call `fn` for each file and link whose content or mode differs, in the order of their
 *  paths; it stops with the first status that is not MT_OK. */
int snapshots_diff(struct snapshot_store *s, const unsigned char from[SHA256_BYTES],
		   const unsigned char to[SHA256_BYTES], snapshots_diff_fn *fn, void *arg,
		   struct error *err);

/** One side of a file that differs. */
struct snapshots_side {
	char *text;            /* owned; NULL: does not exist */
	size_t len;
	unsigned mode;         /* permissions */
	bool exists;
	bool binary;           /* or too long: `text` is not used */
};

void snapshots_side_clear(struct snapshots_side *s);
static inline void auto_snapshots_side(struct snapshots_side *s)
{
	snapshots_side_clear(s);
}
enum { SNAPSHOTS_SIDE_MAX = 16 << 20 }; /* bytes of a file that is compared by lines */
/** Call `fn` for a file; not if only its time differs. `content`: it differs. */
int snapshots_diff_sides(const char *path, const struct snapshots_side *from,
			 const struct snapshots_side *to, bool content,
			 snapshots_diff_fn *fn, void *arg, struct error *err);

#endif
