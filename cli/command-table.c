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
	&command_diff,
	&command_apply,
	&command_discard,
	&command_bisect,
	&command_race,
	&command_attach,
	&command_ps,
	&command_kill,
	&command_conversations,
	&command_tools,
	&command_mcp,
	&command_bundle,
	&command_ffi,
	&command_plugins,
	&command_plugin,
	&command_skills,
	&command_config,
	&command_doctor,
	&command_models,
	&command_condense,
	&command_policy,
	&command_sandbox,
	&command_plugin_probe,
	&command_start_runner,
	&command_manual,
	&command_delegate,
};

const struct command *command_at(size_t n)
{
	return n < ARRAY_LEN(commands) ? commands[n] : NULL;
}
