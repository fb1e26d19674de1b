/* SPDX-License-Identifier: MIT
 *
 * process-tree.h - the descendants of this process, and how to kill them all. */
#ifndef RUNNER_PROCESS_TREE_H
#define RUNNER_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Variable in the environment of a worker and of all that it starts; its value is the
 *  worker's number. Processes that have it after the worker's death are orphans. */
#define WORKER_MARK "MORTISE_WORKER"

/** Kill all descendants of `root`, but not `root` itself. */
void process_tree_kill_below(pid_t root);
/** Kill the descendants of this process that carry the mark of worker `number`. */
void process_tree_kill_marked(unsigned number);
/** Kill and reap until no child is left, for at most `budget_ms`. As this process is a
 *  subreaper, these are all processes that its descendants ever started. */
void process_tree_end(int64_t budget_ms);

#endif
