/* SPDX-License-Identifier: MIT
 *
 * spec.h - the content of the hello message: limits, instances, directories. The
 * supervisor stores it, and workers inherit it when they are forked. */
#ifndef RUNNER_SPEC_H
#define RUNNER_SPEC_H

#include "error.h"
#include "js.h"
#include "sandbox/rules.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	INSTANCES_MAX = 256,
	CALLS_MAX = 1024,            /* open at once */
	HOST_LINE_MAX = 16 << 20,
	MEDIA_MAX = 16 << 20,        /* bytes of media in one result */
	FIELDS_MAX = 1 << 20,        /* bytes of fields in one result */
	PREVIEW_MAX = 32 << 10,      /* bytes of text in a preview */
	LIVE_PIECE = 32 * 1024,      /* live output is sent when it reaches this size, */
	LIVE_MS = 50,                /* or after this time since the previous piece */
};

struct limits {
	int64_t result_max;  /* bytes of text in a result */
	int64_t spool_max;   /* bytes of a spool file */
	int64_t timeout_ms;  /* default of a call; -1: none */
	int64_t grace_ms;    /* between cancelling a call and killing its worker */
	int64_t memory_max;  /* RLIMIT_AS of a worker; 0: none */
	int64_t files_max;   /* soft RLIMIT_NOFILE of a worker */
	/* of the conversation; 0: none */
	int64_t memory;      /* bytes; -1: a share of the machine's memory */
	int64_t processes;   /* with threads */
	int64_t open_files;  /* hard RLIMIT_NOFILE of a process */
	int64_t cgroups;     /* 0: do not use control groups */
	/* of a call; 0: none */
	int64_t cpu_ms;
	int64_t wall_ms;
	int64_t output_max;
	int64_t disk_written; /* -1: a share of the free space */
	int64_t overlay; /* bytes of the overlay of the workspace */
	int64_t window;      /* bulk bytes in transit to the host */
};

struct option_value {
	char *key, *value;
};

struct instance_spec {
	char *name, *component, *plugin;
	struct option_value *options;
	size_t option_count;
	char **secrets;      /* granted names */
	size_t secret_count;
	unsigned worker;     /* number of the worker that has its plugin; 0: none yet */
	bool dedicated_worker;          /* it has its own worker */
	bool outside;        /* of the sandbox */
	bool namespaces;     /* may create namespaces in the sandbox */
};

struct spec {
	char *workspace, *spool_dir, *conversation;
	char *state_dir, *user_dir; /* of the conversation and the user; "": none */
	char *group;         /* name of the control group: conversations, parent first */
	char *private_dir;   /* created by workers on demand, removed on exit */
	struct limits limits;
	struct instance_spec *instances;
	size_t instance_count;
	struct option_value *environment; /* variables of tools, besides the runner's own */
	size_t environment_count;
	int64_t linger_ms;   /* time to wait for another host; 0: do not wait */
	char *socket;        /* path of the socket for it; NULL: none */
	bool sandboxed;
	struct sandbox_rules sandbox;
};

/** Read the params of a hello. On failure the spec is empty. */
int spec_read(json_object *params, struct spec *ret, struct error *err);
void spec_clear(struct spec *s);
/** True if one worker serves both instances: those of one plugin, on the same side of the
 *  sandbox. */
bool spec_together(const struct spec *s, int a, int b);
/** Overwrite the options of instances of other workers, so that a worker's memory
 *  contains only those of its own instances. */
void spec_keep_only(struct spec *s, int instance);
/** Number of an instance; -1: none. */
int spec_find(const struct spec *s, const char *name);
bool spec_granted(const struct instance_spec *i, const char *secret);

#endif
