/* SPDX-License-Identifier: MIT
 *
 * limit-watch.h - the limits of a conversation and of its calls: its control group, and
 * the watch of the process tree while a call runs. */
#ifndef RUNNER_LIMIT_WATCH_H
#define RUNNER_LIMIT_WATCH_H

#include "limits/cgroup.h"
#include "message.h"
#include "overlay-watch.h"
#include "spec.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call;
struct supervisor;

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

/** In a new worker: let another process create the group and move the worker into it,
 *  because joining waits for the kernel for milliseconds.
 *  @return a descriptor for limit_wait_joined, or -1: nothing to wait for */
int limit_join_group(const struct supervisor *s, unsigned worker);
/** Wait until the worker is in the group, and close the descriptor: what runs before that
 *  would not count. Gives up after 3 s, so that a kernel that is slow holds nothing up. */
void limit_wait_joined(int joining);
/** Remove the group, if it is empty. */
void limit_remove_group(const struct limit_group *group);
/** Choose the name of the group, after the hello. */
void limit_open(struct supervisor *s);
/** Watch the calls, when it is time. @return ms until the next time; -1. */
int64_t limit_check(struct supervisor *s);
/** The call exceeded a limit: cancel it, and end it with this sentence. */
void limit_end_call(struct supervisor *s, struct call *c, const char *limit,
		    const char *fmt, ...) MT_PRINTF(4, 5);
/** A call ends: add what the kernel did to its processes. */
void limit_report(struct supervisor *s, struct call *c);
/** Allow processes again once those that exceeded the limit are gone. */
void limit_allow_forks(struct supervisor *s);
void limit_release(struct supervisor *s);

#endif
