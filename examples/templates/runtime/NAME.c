/* SPDX-License-Identifier: MIT
 *
 * @name@ - a runtime that runs tools with a lower priority. */
#define MORTISE_PROVISIONAL
#include <mortise/runtime.h>

static int launch(const struct mt_host *host, const struct mt_runtime_out *out,
		  struct mt_ctx *ctx, const struct mt_in *in)
{
	const char *level = host->option(ctx, "level");
	const char *const arguments[] = { "/usr/bin/env", "nice", "-n", level,
					  out->wanted(ctx, "runner") };
	int status = MT_OK;

	(void)in;
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments && !status; i++)
		status = arguments[i] ? out->arg(ctx, arguments[i]) : MT_ENOTFOUND;
	return status ? status : out->workspace(ctx, out->wanted(ctx, "workspace"));
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "level",
	  .fallback = "10", .min = 1, .max = 19,
	  .help = "Priority from 1 (high) to 19 (low)." },
};

static const struct mt_runtime runtime = {
	.size = sizeof runtime,
	.launch = launch,
};

MT_RUNTIME(&runtime, "@name@", .name = "@name@",
	   .summary = "Runs tools with a lower priority.", .options = options,
	   .option_count = sizeof options / sizeof options[0])
