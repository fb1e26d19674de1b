/* SPDX-License-Identifier: MIT
 *
 * spools.h - keeps and limits the files of whole output. */
#ifndef HOST_CONTROLLER_SPOOLS_H
#define HOST_CONTROLLER_SPOOLS_H

struct conversation;

/** The runner has written a file of whole output, which an event will name: it is synced
 *  to disk. The oldest files are removed while there is more than [core] spool_total. */
void spools_keep(struct conversation *c, const char *path);

#endif
