/* SPDX-License-Identifier: MIT
 *
 * ssh.c - the runtime that runs tools on another host, with ssh. */
#define MORTISE_PROVISIONAL
#include "start.h"

#include <mortise/runtime.h>

#define OPTION(type_, name_, help_, ...)                                       \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = (name_), .help = (help_), __VA_ARGS__ }

static const struct mt_option options[] = {
	OPTION(TEXT, "host",
	       "Host: [USER@]HOST, or a name from ssh's configuration, which also sets the "
	       "port and the key.",
	       .flags = MT_OPTION_REQUIRED),
	OPTION(TEXT, "workspace",
	       "Absolute path of the workspace on the host; default: the same path as here."),
	OPTION(PATH, "config", "File to use instead of ssh's configuration files."),
};

static int ssh_launch(const struct mt_host *host, const struct mt_runtime_out *out,
		      struct mt_ctx *ctx, const struct mt_in *in)
{
	static const char *const environment[] = { "SSH_AUTH_SOCK" };
	/* A cut is noticed within a minute. Nothing asks for a password. */
	static const char *const arguments[] = {
		"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o",
		"ServerAliveInterval=15", "-o", "ServerAliveCountMax=3", "-o",
		"ClearAllForwardings=yes", "-o", "LogLevel=ERROR",
	};
	const char *name = host->option(ctx, "host");
	const char *workspace = host->option(ctx, "workspace");
	const char *config = host->option(ctx, "config");
	int status;

	(void)in;
	if (!name || !*name) {
		host->refuse(ctx, "set `host` in [runtime.ssh]");
		return MT_EINVAL;
	}
	if (workspace && *workspace != '/') {
		host->refuse(ctx,
			     "`workspace` in [runtime.ssh] must be an absolute path");
		return MT_EINVAL;
	}
	status = start_environment(out, ctx, environment, 1);
	if (!status)
		status = start_command(out, ctx, "ssh", workspace);
	if (!status)
		status = out->arg(ctx, "ssh");
	for (size_t i = 0; !status && i < sizeof arguments / sizeof *arguments; i++)
		status = out->arg(ctx, arguments[i]);
	if (!status && config && (out->arg(ctx, "-F") || out->arg(ctx, config)))
		status = MT_ENOMEM;
	if (!status && (out->arg(ctx, "--") || out->arg(ctx, name)))
		status = MT_ENOMEM;
	return status;
}

static const struct mt_runtime ssh = { .size = sizeof ssh, .launch = ssh_launch };

MT_RUNTIME(&ssh, "ssh", .name = "ssh", .summary = "Runs tools on another host, with ssh.",
	   .options = options, .option_count = sizeof options / sizeof *options)
