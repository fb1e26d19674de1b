/* SPDX-License-Identifier: MIT
 *
 * probe.c - mortise plugin-probe: the child process in which discovery inspects a plugin.
 * It writes its result to its original standard output, which the plugin cannot
 * access. */
#include "commands.h"
#include "registry/registry.h"
#include <fcntl.h>

static int probe_run(const struct command *self, int argc, char **argv)
{
	int out, null;

	if (argc != 2) {
		command_help(self);
		return EXIT_USAGE;
	}
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (out < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return EXIT_FAILED;
	_exit(registry_probe_child(argv[1], out));
}

const struct command command_plugin_probe = {
	.name = "plugin-probe",
	.args = "FILE",
	.summary = "Describe a plugin as JSON (internal)",
	.run = probe_run,
	.hidden = true,
};
