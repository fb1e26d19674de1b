/* SPDX-License-Identifier: MIT
 *
 * loop-same.h - compares events for the loop detector, according to its options. */
#ifndef HOST_FEATURES_LOOP_SAME_H
#define HOST_FEATURES_LOOP_SAME_H

#include "events/evlog.h"

enum { STUCK_REPEATS_MAX = 32 };

struct stuck_options {
	int64_t start;  /* earlier events are ignored */
	bool headless;  /* examine the whole history, not only the events after the
			 * newest user message */
	bool exit_code; /* command outputs: compare exit codes, not texts */
	bool blank;     /* results: ignore digits, times, sizes and addresses */
	bool thought;   /* the model's text is part of an action */
	unsigned same, errors, monologue, pattern; /* number of repetitions, at most
						    * STUCK_REPEATS_MAX */
	unsigned identical; /* the same for identical actions; 0: identical actions
			     * alone are not a loop */
};

/** Do only the rules of OpenHands apply, without our additional ones? */
static inline bool loop_is_plain(const struct stuck_options *o)
{
	return !o->blank && !o->identical;
}

/** Are the arguments of two actions the same? `thought`: the thought counts too. */
bool loop_same_arguments(const struct event *a, const struct event *b, bool thought);
/** Are two events of the log the same? */
bool loop_same_events(struct evlog *log, const struct stuck_options *o, int64_t a,
		      int64_t b);
/** Are they results of Python cells that failed before they began, in the same way? */
bool loop_same_failed_cells(struct evlog *log, int64_t a, int64_t b);

#endif
