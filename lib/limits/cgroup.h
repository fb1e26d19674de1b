/* SPDX-License-Identifier: MIT
 *
 * cgroup.h - control groups of conversations: find where this process may create them
 * (version 2 where it is delegated, otherwise version 1), create, join, read, remove.
 *
 * A group is named by conversations, parent first: "PARENT/CHILD". It is a directory
 * below "mortise" in each hierarchy that is used. Limits are set on the group, and its
 * processes are in its directory "tools": in version 2, a group that has processes cannot
 * divide its resources among others. */
#ifndef LIB_LIMITS_CGROUP_H
#define LIB_LIMITS_CGROUP_H

#include "error.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum cgroup_controller {
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_CPU,  /* only read */
	CGROUP_CONTROLLERS
};

/** Where groups can be created. */
struct cgroup_place {
	struct {
		char *dir;   /* directory that contains "mortise"; NULL: unavailable */
		int version; /* 1 or 2 */
	} of[CGROUP_CONTROLLERS];
	/* In version 2, groups are created next to the group of this process or above,
	 * so the limits of the groups in between are lost. -1: they have none. */
	int64_t memory_bound, pids_bound;
};

/** -1: unlimited. */
struct cgroup_limits {
	int64_t memory; /* bytes */
	int64_t pids;   /* processes and threads */
};

/** -1: unknown. */
struct cgroup_usage {
	int64_t memory, pids, cpu_ms;
	int64_t memory_peak;
	int64_t oom_kills;    /* processes killed for lack of memory */
	int64_t pids_refused; /* forks and threads refused at the limit */
};

/** Find the place. `proc`: "/proc/self". Without usable groups, *ret has none. */
void cgroup_find(const char *proc, struct cgroup_place *ret);
void cgroup_place_clear(struct cgroup_place *p);
/** True if at least one controller can be used. */
bool cgroup_available(const struct cgroup_place *p);
/** True if the name of a group is safe: words of A-Z a-z 0-9 _ - and . (not first),
 *  separated by slashes. */
bool cgroup_name_valid(const char *name);

/** Create the group and those above it. New ones get the limits. Groups that exist are
 *  left unchanged. */
int cgroup_make(const struct cgroup_place *p, const char *name,
		const struct cgroup_limits *limits, struct error *err);
/** Move a process, with all its threads, into the group. @return MT_OK, MT_ENOTFOUND (the
 *  process or the group does not exist) or MT_EDENIED. */
int cgroup_join(const struct cgroup_place *p, const char *name, pid_t pid);
/** Create the group and move a process into it, again if others remove the group while it
 *  is empty. */
int cgroup_enter(const struct cgroup_place *p, const char *name,
		 const struct cgroup_limits *limits, pid_t pid, struct error *err);
/** True if the process is in the group. */
bool cgroup_has(const char *name, pid_t pid);
void cgroup_read(const struct cgroup_place *p, const char *name,
		 struct cgroup_usage *ret);
/** Refuse new processes in the group (but not in groups below it), or allow them
 *  again. */
void cgroup_stop_forks(const struct cgroup_place *p, const char *name, bool stop);
/** Remove the group, and each group above it that is empty. */
void cgroup_remove(const struct cgroup_place *p, const char *name);
/** True if the runner that started this process is dead. */
typedef bool cgroup_stale_fn(pid_t pid);
/** Kill stale processes in all groups, and remove all empty groups: those of runners that
 *  could not do it. An open conversation creates its group again when it needs it. */
void cgroup_sweep(const struct cgroup_place *p, cgroup_stale_fn *is_stale);

#endif
