/* SPDX-License-Identifier: MIT
 *
 * advance.h - calls the plugin of the active agent. */
#ifndef HOST_CONTROLLER_PLUGINS_ADVANCE_H
#define HOST_CONTROLLER_PLUGINS_ADVANCE_H

#include "controller/plugins/plugin-host.h"
#include "error.h"

struct llm_reply;

/** Call the plugin with this input, whose size and state are set here. */
int advance_agent(struct mt_ctx *x, struct mt_in *in, struct error *err);
/** Plan the actions of a reply; takes `reply`. The first `done` ones are in the log. */
int advance_reply(struct conversation *c, struct llm_reply *reply, size_t done,
		  struct error *err);

#endif
