/* SPDX-License-Identifier: MIT
 *
 * limit-state.h - the state of the limits of a conversation and of its calls: its control
 * group, and what its processes have used. */
#ifndef RUNNER_LIMIT_STATE_H
#define RUNNER_LIMIT_STATE_H

#include "limits/cgroup.h"
#include "overlay-watch.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { GROUP_NAME_MAX = 1024 };

/** Shared with the guardian, which removes the group if the supervisor cannot. */
struct limit_group {
	char name[GROUP_NAME_MAX]; /* "": none */
};

/** What was used during a call. */
struct limit_base {
	bool known;
	int64_t cpu_ms, written;
	int64_t written_max;
};

/* What all processes had used. */
struct limit_sample {
	bool grouped; /* cpu_ms is that of the control group */
	int64_t cpu_ms, written;
};

struct limit_watch {
	struct limit_group *group;
	bool found;                /* `place` is filled */
	struct cgroup_place place;
	struct cgroup_usage seen;  /* events that results have reported */
	struct limit_sample before; /* the last sample */
	int64_t next_at;           /* time of the next sample; -1: none */
	int64_t rest_until;        /* no sample before, so that samples cost little */
	int64_t period_ms;
	struct overlay_watch overlay;
	struct limit_base idle;    /* since the last call ended */
	unsigned quiet;            /* samples between calls without busy processes */
	const char *pending;       /* limit that ended background processes, */
	char *pending_text;        /* and a sentence for the next result; or NULL */
	bool forks_stopped;
	int64_t killed;            /* by the watch, for lack of memory, not yet reported */
	char largest[32];          /* name of the process with most memory, seen last */
	int64_t largest_memory;
};

#endif
