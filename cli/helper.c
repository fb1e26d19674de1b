/* SPDX-License-Identifier: MIT
 *
 * helper.c - runs external commands, mortise-NAME. */
#include "commands.h"
#include "files.h"

#include <string.h>

static bool helper_is_word(const char *name)
{
	return *name >= 'a' && *name <= 'z' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

void helper_run(const char *name, char **argv)
{
	AUTO(free) char *self = realpath("/proc/self/exe", NULL);
	char *slash = self ? strrchr(self, '/') : NULL;
	char program[128];
	const char *dirs[2] = { NULL, HELPER_DIR };

	if (!helper_is_word(name) ||
	    snprintf(program, sizeof program, "mortise-%s", name) >= (int)sizeof program)
		return;
	if (slash) {
		*slash = '\0';
		dirs[0] = self;
	}
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		AUTO(free) char *path = dirs[i] ? path_join(dirs[i], program) : NULL;

		if (!path)
			continue;
		argv[0] = path;
		execv(path, argv);
	}
	argv[0] = program;
	execvp(program, argv);
}
