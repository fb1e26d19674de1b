/* SPDX-License-Identifier: MIT
 *
 * mount.h - the mounted directories of an overlay, in namespaces that a process can enter. */
#ifndef LIB_OVERLAY_MOUNT_H
#define LIB_OVERLAY_MOUNT_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

enum { OVERLAY_ROOTS_MAX = 32 };

struct overlay_root {
	char *path;  /* the real directory, without symbolic links */
	char *upper; /* what differs, as overlayfs stores it */
	int fd;      /* the directory with the changes, O_PATH */
};

struct overlay {
	struct overlay_root roots[OVERLAY_ROOTS_MAX];
	size_t count;
	int user, mount;       /* the namespaces */
	char *dir;
};

#define OVERLAY_NONE ((struct overlay){ .user = -1, .mount = -1 })

/** Mount the roots, whose paths are known, in new namespaces, and open them. */
int overlay_mount(struct overlay *o, bool read_only, struct error *err);
/** Move this process, which has one thread, into the namespaces. */
int overlay_enter(const struct overlay *o, struct error *err);
/** Let this process, which has one thread, read and change all files of its user, whatever
 *  their modes, as tools in the overlay could. It cannot call overlay_enter later. */
void overlay_gain(const struct overlay *o);

#endif
