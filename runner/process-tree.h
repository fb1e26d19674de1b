/* SPDX-License-Identifier: MIT
 *
 * process-tree.h - the descendants of this process: what they use, and how to kill them
 * all. */
#ifndef RUNNER_PROCESS_TREE_H
#define RUNNER_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Variable in the environment of a worker and of all that it starts; its value is the
 *  worker's number. Processes that have it after the worker's death are orphans. */
#define WORKER_MARK "MORTISE_WORKER"

/** Name of the supervisor's process. */
#define SUPERVISOR_NAME "mortise-runner"

/** Kill all descendants of `root`, but not `root` itself. */
void process_tree_kill_below(pid_t root);
/** Kill the descendants of this process that carry the mark of worker `number`. */
void process_tree_kill_marked(unsigned number);
/** Kill and reap until no child is left, for at most `budget_ms`. As this process is a
 *  subreaper, these are all processes that its descendants ever started. */
void process_tree_end(int64_t budget_ms);

/** The process with the largest amount. */
struct process_top {
	pid_t pid; /* 0: none */
	char name[16];
	int64_t amount;
};

/** Sums over the descendants of this process. CPU time and written bytes include
 *  descendants that have exited. */
struct process_usage {
	int64_t memory;   /* private bytes in memory */
	int64_t cpu_ms;
	int64_t written;  /* bytes to disk, as far as /proc/PID/io may be read */
	int64_t tasks;    /* processes and threads */
	struct process_top top_memory, top_cpu, top_written;
	struct process_top top_tasks; /* by name; pid is 0 */
};
void process_tree_usage(struct process_usage *ret);
/** True if no supervisor is an ancestor of the process, which has then lost its runner. */
bool process_tree_is_orphan(pid_t pid);
/** Call `each` for all descendants of `root`, again until it returns false for all of
 *  them; at most 100 times. */
void process_tree_each(pid_t root, bool (*each)(pid_t pid, void *arg), void *arg);

#endif
