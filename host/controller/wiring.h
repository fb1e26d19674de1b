/* SPDX-License-Identifier: MIT
 *
 * wiring.h - resolves the names in the configuration of a conversation. */
#ifndef HOST_CONTROLLER_WIRING_H
#define HOST_CONTROLLER_WIRING_H

#include "controller/core.h"

/** Resolve all names in the configuration. */
int wiring_open(struct conversation *c, const struct conversation_options *o,
		struct error *err);
int wiring_open_memory(struct conversation *c, struct error *err);
/* Ensure that the active agent has a `system` event: an imported log, or one that was
 * rewound to before it, gets one at its end. */
int wiring_ensure_system(struct conversation *c, struct error *err);
void wiring_close(struct conversation *c); /* may be called twice */
/** The specification of the agent for meta.json: its names and all its settings. */
json_object *wiring_spec(const struct conversation *c, const char *controller);

/** Load the parts of one agent; `model` overrides the one in its section, or NULL. */
int wiring_open_agent(struct conversation *c, const char *model, struct error *err);

#endif
