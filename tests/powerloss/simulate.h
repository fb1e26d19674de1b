/* SPDX-License-Identifier: MIT
 *
 * simulate.h - the parts of the simulation of a loss of power: operations of a journal,
 * trees of files in memory, and what a program has promised. */
#ifndef TESTS_POWERLOSS_SIMULATE_H
#define TESTS_POWERLOSS_SIMULATE_H

#include "journal-record.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { NODES_MAX = 4096, NEVER = INT_MAX };

struct op {
	const struct journal_record *r;
	char *path, *other;
	const char *data;
	int node, dir, to;    /* its object; the directories of `path` and `other` */
	int durable;          /* the operation before which it was synced */
};

struct entry {
	char *name;
	int node;
};

struct node {
	bool is_dir;
	char *bytes;
	size_t size, room;
	struct entry *entries;
	size_t count;
};

_Noreturn void die(const char *what, const char *which);
/** @return `memory`; NULL ends the program. */
void *need(void *memory);

/* ---- tree.c ---- */
/** Free everything; only the root is left. */
void tree_clear(struct node *nodes);
struct entry *tree_entry(const struct node *dir, const char *name);
/** The name after the last slash. */
const char *tree_last_name(const char *path);
/** The object of a path; -1 if it does not exist. `parent`: of the directory that holds it. */
int tree_find(const struct node *nodes, const char *path, bool parent);
void tree_grow(struct node *n, size_t size);
void tree_write(struct node *n, size_t at, const char *bytes, size_t len);
void tree_apply(struct node *nodes, const struct op *o);

/* ---- journal.c ---- */
extern struct op *ops;
extern int op_count, journal_node_count;
char *journal_read_file(const char *path, size_t *ret_len);
void journal_load(const char *path);
/** Find the object of each operation, and when it was synced. */
void journal_resolve(void);
bool op_changes_data(const struct op *o);
bool op_has(const struct op *o, const char *text);

/* ---- promises.c ---- */
/** True for what may leave only when all that was logged before it is on the disk. */
bool promise_is_made(const struct op *o);
/** Was the conversation of this path being removed before the cut? */
bool promise_is_withdrawn(const char *path, int cut, uint32_t *ret_pid, int *ret_at);
/** @return how many promises the image breaks after a loss before operation `cut`. */
int promise_check(const struct node *image, int cut);
/** How many events promise_check found promised in this log; -1: none. */
int promise_events(const char *path);

#endif
