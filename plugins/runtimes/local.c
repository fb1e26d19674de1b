/* SPDX-License-Identifier: MIT
 *
 * local.c - the runtime that starts the runner as a plain process on the local host. */
#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>

static int local_runtime_launch(const struct mt_host *host,
				const struct mt_runtime_out *out, struct mt_ctx *ctx,
				const struct mt_in *in)
{
	const char *runner = out->wanted(ctx, "runner");
	const char *workspace = out->wanted(ctx, "workspace");

	(void)host, (void)in;
	if (!runner || !workspace)
		return MT_ENOTFOUND;
	if (out->arg(ctx, runner))
		return MT_ENOMEM;
	return out->workspace(ctx, workspace);
}

static const struct mt_runtime local = { .size = sizeof local,
					 .flags = MT_RUNTIME_HOST_MOUNTS,
					 .launch = local_runtime_launch };

MT_RUNTIME(&local, "local", .name = "local",
	   .summary = "Runs tools as processes on the local host.")
