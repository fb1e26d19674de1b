/* SPDX-License-Identifier: MIT
 *
 * spools.h - keeps and limits the files of complete output: they are synced to disk
 * before an event names them, and the oldest are removed while the total exceeds
 * [core] spool_total. */
#ifndef HOST_FEATURES_SPOOLS_H
#define HOST_FEATURES_SPOOLS_H

extern const struct feature spools_feature;

#endif
