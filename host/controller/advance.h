/* SPDX-License-Identifier: MIT
 *
 * advance.h - calls the plugin of the active agent. */
#ifndef HOST_CONTROLLER_ADVANCE_H
#define HOST_CONTROLLER_ADVANCE_H

#include "controller/plugins/plugin-host.h"
#include "error.h"

struct llm_reply;

/** Call it with this input, whose size and state are set here. */
int advance_agent(struct mt_ctx *x, struct mt_in *in, struct error *err);
/** Plan what a reply asks for; takes `reply`. `done` of it is in the log. */
int advance_reply(struct conversation *c, struct llm_reply *reply, size_t done,
		  struct error *err);

#endif
