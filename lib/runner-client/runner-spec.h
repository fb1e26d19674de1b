/* SPDX-License-Identifier: MIT
 *
 * runner-spec.h - what a runner is started with: its command, its toolsets, its limits. */
#ifndef LIB_RUNNER_CLIENT_RUNNER_SPEC_H
#define LIB_RUNNER_CLIENT_RUNNER_SPEC_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A toolset instance that the runner shall have. Borrowed texts. */
struct runner_instance {
	const char *name;       /* of the instance: "bash", "zlib" */
	const char *component;  /* of the toolset within its plugin */
	const char *plugin;     /* path of the .so as the runner sees it */
	json_object *options;   /* {key: "value as the user wrote it"}; or NULL */
	const char *const *secrets; /* names granted, NULL-terminated; or NULL */
	bool alone;             /* in a worker of its own */
};

struct runner_spec {
	char *const *argv;      /* the command of the runtime; argv[0] is a path */
	char *const *env;       /* whole environment, "NAME=value" */
	const char *workspace;  /* as the runner sees it */
	const char *spool_dir;  /* as the runner sees it; made 0700 on demand */
	const char *state_dir;  /* for what lives as long as the conversation; or NULL */
	const char *user_dir;   /* for what lives as long as the installation; or NULL */
	const char *conversation;
	const struct runner_instance *instances;
	size_t instance_count;
	int stderr_fd;          /* where its stderr goes; -1: /dev/null */
	int64_t result_max, spool_max; /* bytes per call; 0: the defaults */
	int64_t grace_ms;       /* of a cancelled call; 0: the default */
	int64_t timeout_ms; /* of a call that brings none; 0: the default (10 minutes) */
	int64_t memory_max;     /* address space of a worker in bytes; 0: no limit */
	int64_t hello_ms;       /* how long the runner may take to answer the hello;
	                           0: the default (30 s) */
};

#endif
