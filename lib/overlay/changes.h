/* SPDX-License-Identifier: MIT
 *
 * changes.h - differences between an overlay and the real directories. */
#ifndef LIB_OVERLAY_CHANGES_H
#define LIB_OVERLAY_CHANGES_H

#include "digest.h"
#include "overlay/overlay.h"

#include <sys/stat.h>

enum { OVERLAY_CHANGES_MAX = 1 << 21 };

/** A path that the overlay has stored. Directories come before their contents. */
struct overlay_change {
	char *path;            /* relative to the root; "" for the root; owned */
	size_t root;
	struct stat is, real;  /* with the changes, and without; st_mode 0: does not exist */
	size_t link;           /* of a file: the entry of another name of it, before this
			        * one; its own: none */
	bool same;             /* nothing differs */
	bool content;          /* more than mode, time and attributes differ */
	unsigned char hash[SHA256_BYTES]; /* of the content or target, with the changes */
};

struct overlay_changes {
	struct overlay_change *list;
	size_t count;
	size_t files;          /* that are not directories, and differ */
};

/** List the differences. */
int overlay_list(const struct overlay *o, struct overlay_changes *ret, struct error *err);
void overlay_changes_clear(struct overlay_changes *c);
static inline void auto_overlay_changes(struct overlay_changes *c)
{
	overlay_changes_clear(c);
}
/** The first path whose real file was changed after the base, so that applying would
 *  overwrite the change; NULL: none. */
const struct overlay_change *overlay_conflict(const struct overlay *o,
					      const struct overlay_changes *c);
/** Bring the real directories to the state with the changes. Each file that is written is
 *  compared with the hash in the list. Can be repeated if it fails. */
int overlay_apply(const struct overlay *o, const struct overlay_changes *c,
		  struct error *err);
/* ---- shared by the files --------------------------------------------------------- */

/** Open a path below a directory without following links. -1: errno */
int overlay_open_at(int root, const char *path, int flags);
bool overlay_is_later(const struct timespec *a, const struct timespec *b);
/** Copy the attributes in user.*, and remove others. */
int overlay_copy_attributes(int from, int to);

#endif
