/* SPDX-License-Identifier: MIT
 *
 * runner-events.h - handles what the runner reports. */
#ifndef HOST_CONTROLLER_RUNNER_EVENTS_H
#define HOST_CONTROLLER_RUNNER_EVENTS_H

#include "runner-client/runner-connection.h"

/** Handlers of the connection of a struct conversation. */
extern const struct runner_events runner_event_handlers;

#endif
