/* SPDX-License-Identifier: MIT
 *
 * conversations.h - what the files of `mortise conversations` share. */
#ifndef HOST_COMMANDS_CONVERSATIONS_H
#define HOST_COMMANDS_CONVERSATIONS_H

#include "events/log.h"
#include <stdbool.h>

/** The bill of a conversation, to standard output. */
int conversations_cost(struct evlog *log, bool json, struct error *err);

#endif
