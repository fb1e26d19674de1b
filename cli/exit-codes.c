/* SPDX-License-Identifier: MIT
 *
 * exit-codes.c - describes the exit codes for the help and the manual page. */
#include "commands.h"

#include "auto.h"

static const struct {
	enum exit_code code;
	const char *meaning;
} codes[] = {
	{ EXIT_DONE, "the task or command succeeded" },
	{ EXIT_FAILED, "failure not listed below" },
	{ EXIT_USAGE, "invalid arguments or configuration" },
	{ EXIT_MODEL, "request to the model failed" },
	{ EXIT_LIMIT, "limit reached" },
	{ EXIT_REJECTED, "the agent gave up, or a policy refused an action" },
	{ EXIT_TOOL, "the runner or a plugin failed" },
	{ EXIT_STUCK, "the agent was stuck in a loop" },
	{ EXIT_WAITING, "waiting for the user, in a non-interactive run" },
	{ EXIT_HANGUP, "the terminal was closed (SIGHUP)" },
	{ EXIT_INTERRUPTED, "interrupted: Ctrl-C (SIGINT), or paused or stopped by a client" },
	{ EXIT_TERMINATED, "terminated by SIGTERM" },
};

void exit_codes_print(FILE *out)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		fprintf(out, "  %3d  %s\n", (int)codes[i].code, codes[i].meaning);
}
