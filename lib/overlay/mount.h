/* SPDX-License-Identifier: MIT
 *
 * mount.h - mounts the directories of an overlay. */
#ifndef LIB_OVERLAY_MOUNT_H
#define LIB_OVERLAY_MOUNT_H

#include "overlay/overlay.h"

/** Mount the roots, whose paths are known, in new namespaces, and open them. */
int overlay_mount(struct overlay *o, bool read_only, struct error *err);

#endif
