/* SPDX-License-Identifier: MIT
 *
 * loop-detector.h - detects at the end of the log whether an agent is stuck in a loop. */
#ifndef HOST_FEATURES_LOOP_DETECTOR_H
#define HOST_FEATURES_LOOP_DETECTOR_H

#include "events/evlog.h"

enum stuck_kind {
	STUCK_NONE,
	STUCK_REPEAT,       /* the same action has the same result again and again */
	STUCK_ERRORS,     /* the same action fails again and again */
	STUCK_MONOLOGUE,  /* the same message, and nothing happens in between */
	STUCK_ALTERNATE,    /* two actions alternate, with the same results */
	STUCK_CONDENSING, /* the history is condensed and nothing else happens */
	STUCK_IDENTICAL,  /* the same action again and again, regardless of its results */
};

enum { STUCK_REPEATS_MAX = 32 };

struct stuck_options {
	int64_t start;  /* earlier events are ignored */
	bool headless;  /* the whole history counts, not what follows the user */
	bool exit_code; /* command outputs: compare exit codes, not texts */
	bool blank;     /* results: digits, times, sizes and addresses do not count */
	bool thought;   /* the model's text is part of an action */
	unsigned same, errors, monologue, pattern; /* repeats, STUCK_REPEATS_MAX at most */
	unsigned identical; /* as those; 0: identical actions alone are not a loop */
};

struct stuck {
	enum stuck_kind kind;
	unsigned repeats;
	int64_t start;   /* id of the earliest event of the loop */
	int64_t newest;  /* id of the newest action of it; -1: none */
};

/** Inspects the newest events, never more than a fixed number of them. What came
 *  before a `loop_detection` is ignored: a loop is reported once. With `blank` or
 *  `identical`, reading or waiting for a command or job that still runs never
 *  counts. */
struct stuck loop_detect_stuck(struct evlog *log, const struct stuck_options *o);
/** "repeating_action_observation", as events and frontends call it. */
const char *loop_stuck_name(enum stuck_kind kind);

#endif
