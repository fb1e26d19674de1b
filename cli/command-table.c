/* SPDX-License-Identifier: MIT
 *
 * command-table.c - the table of the commands. */
#include "commands.h"

#include "auto.h"

static const struct command *const commands[] = {
	&command_run,
	&command_resume,
	&command_replay,
	&command_fork,
	&command_attach,
	&command_ps,
	&command_kill,
	&command_conversations,
	&command_tools,
	&command_mcp,
	&command_ffi,
	&command_plugins,
	&command_plugin,
	&command_skills,
	&command_config,
	&command_models,
	&command_condense,
	&command_policy,
	&command_plugin_probe,
	&command_manual,
	&command_delegate,
};

const struct command *command_at(size_t n)
{
	return n < ARRAY_LEN(commands) ? commands[n] : NULL;
}
