/* SPDX-License-Identifier: MIT
 *
 * spools.h - limits the files of whole output. */
#ifndef HOST_CONTROLLER_SPOOLS_H
#define HOST_CONTROLLER_SPOOLS_H

struct conversation;

/** Remove the oldest files of whole output while there is more than [core] spool_total. */
void spools_trim(struct conversation *c);

#endif
