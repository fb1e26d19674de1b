/* SPDX-License-Identifier: MIT
 *
 * loop-detector.h - detects at the end of the log whether an agent is stuck in a loop. */
#ifndef HOST_FEATURES_LOOP_DETECTOR_H
#define HOST_FEATURES_LOOP_DETECTOR_H

#include "features/loop-same.h"

enum stuck_kind {
	STUCK_NONE,
	STUCK_REPEAT,       /* the same action has the same result again and again */
	STUCK_ERRORS,     /* the same action fails again and again */
	STUCK_MONOLOGUE,  /* the same message repeatedly, with no event in between */
	STUCK_ALTERNATE,    /* two actions alternate, with the same results */
	STUCK_CONDENSING, /* the history is condensed repeatedly, with no other event
			   * in between */
	STUCK_IDENTICAL,  /* the same action again and again, regardless of its results */
};

struct stuck {
	enum stuck_kind kind;
	unsigned repeats;
	int64_t start;   /* id of the first event of the loop */
	int64_t newest;  /* id of the newest action of the loop; -1: none */
};

/** Examine the newest events, never more than a fixed number. Events before a
 *  `loop_detection` are ignored: a loop is reported once. With `blank` or `identical`,
 *  reading or waiting for a command or job that still runs never counts. */
struct stuck loop_detect_stuck(struct evlog *log, const struct stuck_options *o);
/** "repeating_action_observation", as used by events and frontends. */
const char *loop_stuck_name(enum stuck_kind kind);

#endif
