/* SPDX-License-Identifier: MIT
 *
 * overlay-diff.h - prints the changes in an overlay for the user. */
#ifndef HOST_FEATURES_OVERLAY_DIFF_H
#define HOST_FEATURES_OVERLAY_DIFF_H

#include "features/snapshots-diff.h"
#include "features/snapshots.h"
#include "overlay/changes.h"

/** Call `fn` for each file and link whose content or mode differs, from the real
 *  directories to the overlay. Paths are relative to the first directory that the overlay
 *  covers, and absolute in the others. */
int overlay_diff(const struct overlay *o, const struct overlay_changes *c,
		 snapshots_diff_fn *fn, void *arg, struct error *err);
/** Add the names of all that differs, also of directories, as in struct snapshots_changes;
 *  `back`: from the overlay to the real directories. Those of the repository are last. */
void overlay_names(const struct overlay *o, const struct overlay_changes *c, bool back,
		   struct snapshots_changes *ret);

#endif
