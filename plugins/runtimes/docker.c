/* SPDX-License-Identifier: MIT
 *
 * docker.c - the runtime that runs tools in a container of Docker or podman. */
#define MORTISE_PROVISIONAL
#include "start.h"

#include <mortise/runtime.h>

#include <stdio.h>
#include <stdlib.h>

#define OPTION(type_, name_, help_, ...)                                       \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = (name_), .help = (help_), __VA_ARGS__ }

static const struct mt_option options[] = {
	OPTION(TEXT, "image", "Image of the container.", .flags = MT_OPTION_REQUIRED),
	OPTION(TEXT, "engine", "Program that runs containers: docker, podman, or a path.",
	       .fallback = "docker"),
	OPTION(TEXT, "network",
	       "Network of the container: none, host, or a name; default: that of the "
	       "engine."),
	OPTION(LIST, "mounts",
	       "Further paths in the container, each SOURCE:PATH or SOURCE:PATH:ro."),
	OPTION(TEXT, "user",
	       "User in the container, UID:GID or a name; default: this user with docker, "
	       "root with podman."),
	OPTION(TEXT, "memory", "Memory limit of the container, such as 4g."),
	OPTION(TEXT, "cpus", "Number of CPUs of the container, such as 1.5."),
	OPTION(INT, "processes", "Limit of the processes of the container; 0: none.",
	       .fallback = "0", .max = 4194304),
	OPTION(TEXT, "gpus", "GPUs in the container: all, or the index of one, such as 0."),
	OPTION(BOOL, "read_only", "Make all of the image read-only but /tmp.",
	       .fallback = "no"),
	OPTION(BOOL, "keep",
	       "Keep the container of a closed conversation, for when it is resumed.",
	       .fallback = "no"),
	OPTION(LIST, "labels", "Further labels of the container, each NAME=VALUE."),
};

/* `name` with each item of a list, separated by commas. */
static int docker_add_list(const struct mt_runtime_out *out, struct mt_ctx *ctx,
			   const char *name, const char *list)
{
	char item[4096];
	int status = MT_OK;

	while (!status && list && *list) {
		size_t len;

		list += strspn(list, ", \t");
		len = strcspn(list, ",");
		snprintf(item, sizeof item, "%.*s", (int)len, list);
		for (size_t end = strlen(item); end && item[end - 1] == ' ';)
			item[--end] = '\0';
		list += len;
		if (*item && (out->arg(ctx, name) || out->arg(ctx, item)))
			status = MT_ENOMEM;
	}
	return status;
}

static int docker_add_value(const struct mt_runtime_out *out, struct mt_ctx *ctx,
			    const char *name, const char *value)
{
	if (!value || !*value)
		return MT_OK;
	return out->arg(ctx, name) || out->arg(ctx, value) ? MT_ENOMEM : MT_OK;
}

/* With docker, files in the workspace would belong to root. In rootless podman, root is
 * this user. */
static const char *default_user(const char *engine, char *room, size_t size)
{
	if (strstr(engine, "podman"))
		return NULL;
	snprintf(room, size, "%u:%u", (unsigned)getuid(), (unsigned)getgid());
	return room;
}

/* Docker has an option for GPUs; podman knows them as devices of the vendor. */
static int docker_add_gpus(const struct mt_runtime_out *out, struct mt_ctx *ctx,
			   const char *engine, const char *gpus)
{
	int all = gpus && strcmp(gpus, "all") == 0;
	char text[128];

	if (!gpus || !*gpus)
		return MT_OK;
	if (strstr(engine, "podman")) {
		snprintf(text, sizeof text, "nvidia.com/gpu=%s", gpus);
		return docker_add_value(out, ctx, "--device", text);
	}
	snprintf(text, sizeof text, "%s%s", all ? "" : "device=", gpus);
	return docker_add_value(out, ctx, "--gpus", text);
}

static int docker_options(const struct mt_host *host, const struct mt_runtime_out *out,
			  struct mt_ctx *ctx, const char *engine)
{
	static const struct {
		const char *option, *argument;
	} values[] = { { "network", "--network" },
		       { "memory", "--memory" },
		       { "cpus", "--cpus" } };
	const char *user = host->option(ctx, "user");
	char room[64];
	int status =
		docker_add_value(out, ctx, "--user",
				 user && *user ? user
					       : default_user(engine, room, sizeof room));

	for (size_t i = 0; !status && i < sizeof values / sizeof *values; i++)
		status = docker_add_value(out, ctx, values[i].argument,
					  host->option(ctx, values[i].option));
	if (!status && host->option_int(ctx, "processes") > 0)
		status = docker_add_value(out, ctx, "--pids-limit",
					  host->option(ctx, "processes"));
	if (!status)
		status = docker_add_gpus(out, ctx, engine, host->option(ctx, "gpus"));
	if (!status && host->option_int(ctx, "read_only") > 0 &&
	    (out->arg(ctx, "--read-only") || out->arg(ctx, "--tmpfs") ||
	     out->arg(ctx, "/tmp:exec,mode=1777")))
		status = MT_ENOMEM;
	if (!status)
		status = docker_add_list(out, ctx, "--volume",
					 host->option(ctx, "mounts"));
	if (!status)
		status =
			docker_add_list(out, ctx, "--label", host->option(ctx, "labels"));
	return status;
}

/* start-runner starts a container that is not removed when it ends. */
static int docker_add_verb(const struct mt_host *host, const struct mt_runtime_out *out,
			   struct mt_ctx *ctx)
{
	int status;

	if (host->option_int(ctx, "keep") > 0)
		status = out->arg(ctx, "create");
	else
		status =
			out->arg(ctx, "run") || out->arg(ctx, "--rm") ? MT_ENOMEM : MT_OK;
	return status ? status : out->arg(ctx, "--interactive");
}

static int docker_launch(const struct mt_host *host, const struct mt_runtime_out *out,
			 struct mt_ctx *ctx, const struct mt_in *in)
{
	static const char *const environment[] = {
		"DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY",
		"DOCKER_CERT_PATH", "CONTAINER_HOST", "CONTAINERS_CONF",
		"CONTAINERS_STORAGE_CONF", "REGISTRY_AUTH_FILE", "SSH_AUTH_SOCK",
	};
	const char *image = host->option(ctx, "image");
	const char *engine = host->option(ctx, "engine");
	int status;

	(void)in;
	if (!image || !*image) {
		host->refuse(ctx, "set `image` in [runtime.docker]");
		return MT_EINVAL;
	}
	status = start_environment(out, ctx, environment,
				   sizeof environment / sizeof *environment);
	if (!status)
		status = start_command(out, ctx, "docker", NULL);
	if (!status)
		status = out->arg(ctx, engine);
	if (!status)
		status = docker_add_verb(host, out, ctx);
	if (!status)
		status = docker_options(host, out, ctx, engine);
	return status ? status : out->arg(ctx, image);
}

static const struct mt_runtime docker = { .size = sizeof docker,
					  .launch = docker_launch };

MT_RUNTIME(&docker, "docker", .name = "docker",
	   .summary = "Runs tools in a container of Docker or podman.",
	   .options = options, .option_count = sizeof options / sizeof *options)
