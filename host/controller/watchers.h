/* SPDX-License-Identifier: MIT
 *
 * watchers.h - notifies the watchers of a conversation. */
#ifndef HOST_CONTROLLER_WATCHERS_H
#define HOST_CONTROLLER_WATCHERS_H

#include "error.h"

struct conversation;

/** Inform the watchers about the topic of a feature. */
void conversation_publish(struct conversation *c, const char *topic, const void *data);
/** Start notifying the watchers of events. */
int conversation_watch_log(struct conversation *c, struct error *err);

#endif
