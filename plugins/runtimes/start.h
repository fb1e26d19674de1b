/* SPDX-License-Identifier: MIT
 *
 * start.h - the command that starts a runner in another place, and its environment, for
 * all runtimes that do so. */
#ifndef PLUGINS_RUNTIMES_START_H
#define PLUGINS_RUNTIMES_START_H

#include <mortise/runtime.h>

#include <string.h>
#include <unistd.h>

extern char **environ;

/* The command reads the configuration, as this process did. */
static inline int start_environment(const struct mt_runtime_out *out, struct mt_ctx *ctx,
				    const char *const *names, size_t count)
{
	char name[256];

	for (char **e = environ; *e; e++) {
		size_t len = strcspn(*e, "=");
		int take = strncmp(*e, "MORTISE_", 8) == 0 || strncmp(*e, "XDG_", 4) == 0;

		for (size_t i = 0; i < count; i++)
			take |= strlen(names[i]) == len &&
				strncmp(*e, names[i], len) == 0;
		if (!take || !(*e)[len] || len >= sizeof name)
			continue;
		memcpy(name, *e, len);
		name[len] = '\0';
		if (out->env(ctx, name, *e + len + 1) == MT_ENOMEM)
			return MT_ENOMEM;
	}
	return MT_OK;
}

/* mortise start-runner PLACE WORKSPACE THERE; the program follows. `there` NULL: it is the
 * same path. */
static inline int start_command(const struct mt_runtime_out *out, struct mt_ctx *ctx,
				const char *place, const char *there)
{
	const char *workspace = out->wanted(ctx, "workspace");
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *words[] = { self, "start-runner", place, workspace,
				there ? there : workspace };
	int status = workspace && len > 0 ? MT_OK : MT_ENOTFOUND;

	self[len > 0 ? len : 0] = '\0';
	for (size_t i = 0; !status && i < sizeof words / sizeof *words; i++)
		status = out->arg(ctx, words[i]);
	return status ? status : out->workspace(ctx, there ? there : workspace);
}

#endif
