/* SPDX-License-Identifier: MIT
 *
 * sandbox.h - whether tools of a conversation run in a sandbox. */
#ifndef HOST_CONTROLLER_SANDBOX_H
#define HOST_CONTROLLER_SANDBOX_H

#include "sandbox/rules.h"

#include <stddef.h>

struct config;
struct conversation;
struct tool_instance;

/** True if the kernel keeps tools within the rules of the configuration, in every
 *  runtime: one that only starts the runner elsewhere does not count. */
bool conversation_is_sandboxed(const struct conversation *c);
/** True if this also keeps them from sending data to any host of their choice. */
bool conversation_is_contained(const struct conversation *c);

/** True if a tool is outside of the sandbox: an MCP server that is reached by HTTP. */
bool conversation_is_outside(const struct conversation *c,
			     const struct tool_instance *instance);

/** The configuration of its sandbox: that of the conversation, with what the user has
 *  changed in it. Borrowed. */
const struct config *conversation_sandbox_config(const struct conversation *c);
/** Change the settings of its sandbox: "sandbox.key=value", applied after those of the
 *  configuration. They apply to runners that start from now on. On failure nothing
 *  changes. */
int conversation_change_sandbox(struct conversation *c, const char *const *overrides,
				size_t count, struct error *err);
/** The rules of its sandbox, for messages. */
int conversation_sandbox_rules(const struct conversation *c, struct sandbox_rules *ret,
			       struct error *err);

#endif
