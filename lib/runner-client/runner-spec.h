/* SPDX-License-Identifier: MIT
 *
 * runner-spec.h - describes how a runner is started: its command, toolsets, and
 * limits. */
#ifndef LIB_RUNNER_CLIENT_RUNNER_SPEC_H
#define LIB_RUNNER_CLIENT_RUNNER_SPEC_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A toolset instance to start in the runner. Borrowed strings. */
struct runner_instance {
	const char *name;       /* of the instance: "bash", "zlib" */
	const char *component;  /* of the toolset within its plugin */
	const char *plugin;     /* path of the .so in the runner's file system */
	json_object *options;   /* {key: "value as the user wrote it"}; or NULL */
	const char *const *secrets; /* granted names, NULL-terminated; or NULL */
	bool alone;             /* in its own worker */
	bool outside;           /* of the sandbox */
	bool namespaces;        /* may create namespaces in the sandbox */
};

/** Limits of a conversation and of its calls; 0: none. doc/runner-protocol.md describes
 *  them under the same names. */
struct runner_limits {
	int64_t memory;         /* -1: a share of the memory of the runner's machine */
	int64_t processes, open_files;
	int64_t cpu_ms, wall_ms, output_max;
	int64_t disk_written;   /* -1: a share of the free space */
	int64_t overlay;        /* bytes of the overlay of the workspace */
	bool no_cgroups;
};

struct runner_spec {
	char *const *argv;      /* the command of the runtime; argv[0] is a path */
	char *const *env;       /* complete environment, "NAME=value" */
	json_object *environment; /* {name: value}: variables of tools, in addition to those
	                             of a runner that gets no `env`; NULL: none */
	const char *workspace;  /* in the runner's file system */
	const char *spool_dir;  /* the same; created 0700 on demand */
	const char *state_dir;  /* for data of the conversation; or NULL */
	const char *user_dir;   /* for data of the installation; or NULL */
	const char *conversation;
	json_object *sandbox;   /* rules of the sandbox (sandbox/rules.h); NULL: none */
	const char *group;      /* its ancestors and itself: "PARENT/CHILD"; NULL: no
	                           ancestors */
	struct runner_limits limits;
	const struct runner_instance *instances;
	size_t instance_count;
	int pass[2];            /* descriptors that it gets as 3 and 4, if `passes` */
	bool passes;
	int stderr_fd;          /* destination of its stderr; -1: /dev/null */
	const char *stderr_path; /* its name in errors; NULL: the user sees it */
	int64_t result_max, spool_max; /* maximum bytes per call; 0: the defaults */
	int64_t grace_ms;       /* grace period of a cancelled call; 0: the default */
	int64_t timeout_ms; /* of a call without one; 0: the default (10 minutes) */
	int64_t memory_max;     /* address space of a worker in bytes; 0: no limit */
	int64_t hello_ms;       /* how long the runner may take to answer the hello;
	                           0: the default (30 s) */
};

#endif
