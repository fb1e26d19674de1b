/* SPDX-License-Identifier: MIT
 *
 * wiring.h - resolves the names in the configuration of a conversation. */
#ifndef HOST_CONVERSATION_WIRING_H
#define HOST_CONVERSATION_WIRING_H

#include "conversation/conversation.h"

/** Resolve all names in the configuration. */
int wiring_open(struct conversation *c, const struct conversation_options *o,
		struct error *err);
void wiring_close(struct conversation *c); /* may be called twice */

#endif
