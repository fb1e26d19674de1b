/* SPDX-License-Identifier: MIT
 *
 * conversations.h - what the files of `mortise conversations` share. */
#ifndef HOST_COMMANDS_CONVERSATIONS_H
#define HOST_COMMANDS_CONVERSATIONS_H

#include "config/config.h"
#include <stdbool.h>

/** The bill of a conversation and of those below it, to standard output. */
int conversations_cost(const struct config *c, const char *id, bool json,
		       struct error *err);

#endif
