/* SPDX-License-Identifier: MIT
 *
 * overlay.h - a workspace as a transaction: overlays of directories, mounted in a user and
 * mount namespace of their own.
 *
 * The directory of an overlay contains:
 *   N/upper, N/work  of overlayfs, for the N-th directory that is covered
 *   roots.json       the covered directories, written last
 *   base             its modification time is that of the last moment at which the real
 *                    directories were known to contain what the overlays were made from
 * The mounts exist as long as a process is in the namespaces or has one of the
 * descriptors open. Two processes must not mount the same overlay, except read-only. */
#ifndef LIB_OVERLAY_OVERLAY_H
#define LIB_OVERLAY_OVERLAY_H

#include "overlay/mount.h"

#include <stdint.h>
#include <time.h>

/** True if a directory contains an overlay. */
bool overlay_exists(const char *dir);
/** Mount the overlay in `dir`, which is created if it does not exist; then `roots`, a list
 *  that ends in NULL, is what it covers. One that exists covers what it covered before, and
 *  `roots`, which may be NULL.
 *  @return MT_EUNSUPPORTED: the system does not allow it */
int overlay_open(const char *dir, char *const *roots, struct overlay *ret,
		 struct error *err);
/** The directories that an overlay of `workspace` and of `more` (a list that ends in NULL, or
 *  NULL) covers: for each, the work tree of git around it with its repository, or the directory
 *  itself; a list that ends in NULL, of which none contains another one, `workspace` first.
 *  @return MT_EUNSUPPORTED: the home directory, or one above it */
int overlay_roots(const char *workspace, char *const *more, char ***ret,
		  struct error *err);
/** Add a directory to such a list, if it exists. */
int overlay_add_root_path(char ***list, const char *path);
/** The overlay that the parent of this process has mounted and passed as the descriptors
 *  from `first`: the namespaces, then the directories. */
int overlay_adopt(const char *dir, int first, struct overlay *ret, struct error *err);
/** The same state read-only, also while another process has it mounted.
 *  @return MT_ENOTFOUND: it does not exist */
int overlay_view(const char *dir, struct overlay *ret, struct error *err);
void overlay_clear(struct overlay *o);
static inline void auto_overlay(struct overlay *o)
{
	overlay_clear(o);
}
/** Try to mount an overlay in a new directory below `dir`, and remove it again.
 *  @return MT_OK, or MT_EUNSUPPORTED with the reason */
int overlay_probe(const char *dir, struct error *err);
/** The path of an absolute path with the changes of the overlay, for this process and its
 *  children that have the descriptor. Owned; NULL: out of memory. A path that is not
 *  covered remains. */
char *overlay_path(const struct overlay *o, const char *path, int *ret_fd);
/** Throw away the changes. It must not be mounted. */
int overlay_discard(const char *dir, struct error *err);
/** Create an overlay in `to` with the changes of the one in `from`, which may be mounted. */
int overlay_copy(const char *from, const char *to, struct error *err);
/** The real directories now contain what the overlay has, or the reverse. */
int overlay_set_base(const struct overlay *o, struct error *err);
/** When that was. */
struct timespec overlay_base(const struct overlay *o);

#endif
