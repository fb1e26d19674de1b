/* SPDX-License-Identifier: MIT
 *
 * relist.h - holds the next request while a toolset lists its tools. */
#ifndef HOST_CONTROLLER_RELIST_H
#define HOST_CONTROLLER_RELIST_H

#include <stdbool.h>

struct conversation;

/** Does the next request wait for a list of tools that has changed? */
bool relist_holds(struct conversation *c);
/** A list has come, or the runner is gone. */
void relist_arrived(struct conversation *c);
void relist_close(struct conversation *c);

#endif
