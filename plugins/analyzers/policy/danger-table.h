/* SPDX-License-Identifier: MIT
 *
 * danger-table.h - commands that are dangerous by their name, subcommand and options. */
#ifndef POLICY_DANGER_TABLE_H
#define POLICY_DANGER_TABLE_H

#include "units.h"

struct danger {
	const char *rule, *reason;
	const char *programs; /* names */
	const char *subs;     /* subcommands, NULL: any; "a/b": b after a */
	const char *options;  /* one of these is required; NULL: none */
};

/** The first row that matches the command; NULL if none. */
const struct danger *danger_table_find(const struct unit *u);
/** A row for listing; NULL past the last. */
const struct danger *danger_table_at(size_t n);
size_t danger_table_count(void);

#endif
