/* SPDX-License-Identifier: MIT
 *
 * turn.h - the step of agents that send the whole view and all tools to the model,
 * execute its calls, and pass on its text. */
#ifndef AGENTS_TURN_H
#define AGENTS_TURN_H

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>

/** Length of the system prompt and tool descriptions: the option `profile`. */
enum turn_profile { PROFILE_AUTO, PROFILE_FULL, PROFILE_SMALL };
#define TURN_PROFILES "auto|full|small"
/** PROFILE_AUTO for an agent without the option. */
enum turn_profile turn_profile(const struct mt_host *host, struct mt_ctx *ctx);

int turn_advance(const struct mt_host *host, const struct mt_agent_out *out,
		 struct mt_ctx *ctx, const struct mt_in *in);

#endif
