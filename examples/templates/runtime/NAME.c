/* SPDX-License-Identifier: MIT
 *
 * @name@ - a runtime whose tools create files that other users cannot read. */
#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>

static int launch(const struct mt_host *host, const struct mt_runtime_out *out,
		  struct mt_ctx *ctx, const struct mt_in *in)
{
	const char *const arguments[] = { "/bin/sh", "-c", "umask \"$0\" && exec \"$1\"",
					  host->option(ctx, "mask"),
					  out->wanted(ctx, "runner") };
	int status = MT_OK;

	(void)in;
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments && !status; i++)
		status = arguments[i] ? out->arg(ctx, arguments[i]) : MT_ENOTFOUND;
	return status ? status : out->workspace(ctx, out->wanted(ctx, "workspace"));
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "mask",
	  .fallback = "077", .help = "Permissions that new files do not get, in octal." },
};

static const struct mt_runtime runtime = {
	.size = sizeof runtime,
	.launch = launch,
};

MT_RUNTIME(&runtime, "@name@", .name = "@name@",
	   .summary = "Creates files that other users cannot read.", .options = options,
	   .option_count = sizeof options / sizeof options[0])
