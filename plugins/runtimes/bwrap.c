/* SPDX-License-Identifier: MIT
 *
 * bwrap.c - the runtime that starts the runner with bubblewrap, in a process namespace of
 * its own. The runner creates the sandbox of tools in it, as everywhere. */
#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>

#include <stdio.h>
#include <unistd.h>

static const char *find_bwrap(void)
{
	static const char *const list[] = { "/usr/bin/bwrap", "/usr/local/bin/bwrap",
					    "/bin/bwrap" };

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (access(list[i], X_OK) == 0)
			return list[i];
	return NULL;
}

static int bwrap_launch(const struct mt_host *host, const struct mt_runtime_out *out,
			struct mt_ctx *ctx, const struct mt_in *in)
{
	/* Files and the network are left to the sandbox, whose rules the host sends to the
	 * runner: what is outside of it, such as the proxy, is in here too. The runner ends
	 * with its input; killed with bwrap (--die-with-parent), it could not clean up. */
	static const char *const arguments[] = {
		"--dev-bind", "/", "/", "--unshare-pid", "--unshare-uts",
		"--proc", "/proc", "--",
	};
	const char *runner = out->wanted(ctx, "runner");
	const char *workspace = out->wanted(ctx, "workspace");
	const char *bwrap = find_bwrap();
	int status;

	(void)in;
	if (!runner || !workspace)
		return MT_ENOTFOUND;
	if (!bwrap) {
		host->refuse(ctx,
			     "bwrap is not installed; install the package bubblewrap");
		return MT_ENOTFOUND;
	}
	status = out->arg(ctx, bwrap);
	for (size_t i = 0; !status && i < sizeof arguments / sizeof *arguments; i++)
		status = out->arg(ctx, arguments[i]);
	if (!status)
		status = out->arg(ctx, runner);
	return status ? status : out->workspace(ctx, workspace);
}

static const struct mt_runtime bwrap = { .size = sizeof bwrap, .launch = bwrap_launch };

MT_RUNTIME(&bwrap, "bwrap", .name = "bwrap",
	   .summary = "Runs tools in a process namespace, with bubblewrap.")
