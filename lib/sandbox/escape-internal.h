/* SPDX-License-Identifier: MIT
 *
 * escape-internal.h - the table of attempts to break out of a sandbox. */
#ifndef LIB_SANDBOX_ESCAPE_INTERNAL_H
#define LIB_SANDBOX_ESCAPE_INTERNAL_H

#include "sandbox/escape.h"

/* What an attempt returns. */
enum { ESCAPED = 0, HELD = -1 /* with errno */, NOT_HERE = 1 };

struct escape_row {
	const char *name;
	int (*act)(const struct escape_targets *t);
	/* Whether it succeeded, as seen from outside. NULL: `act` knows. */
	bool (*happened)(const struct escape_targets *t, const struct escape_row *row);
	const char *file; /* in the directory of targets, for `happened`; created before,
			     unless `happened` is whether it exists */
	int socket;       /* likewise */
	unsigned kind;
};

/* In the order in which they are made. */
extern const struct escape_row escape_rows[];
extern const size_t escape_row_count;

/* Text of the file `secret`. */
extern const char escape_secret[];

bool escape_was_created(const struct escape_targets *t, const struct escape_row *row);
bool escape_was_changed(const struct escape_targets *t, const struct escape_row *row);
bool escape_was_reached(const struct escape_targets *t, const struct escape_row *row);
bool escape_was_limited(const struct escape_targets *t, const struct escape_row *row);
bool escape_was_slowed(const struct escape_targets *t, const struct escape_row *row);

/* Races and floods; escape-races.c */
int escape_race_write(const struct escape_targets *t);
int escape_race_mode(const struct escape_targets *t);
int escape_race_argument(const struct escape_targets *t);
int escape_flood_processes(const struct escape_targets *t);
int escape_flood_memory(const struct escape_targets *t);
int escape_flood_disk(const struct escape_targets *t);
int escape_flood_output(const struct escape_targets *t);

#endif
