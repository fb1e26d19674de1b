/* SPDX-License-Identifier: MIT
 *
 * replay-internal.h - a recording, for the two files that read it. */
#ifndef HOST_CONTROLLER_REPLAY_INTERNAL_H
#define HOST_CONTROLLER_REPLAY_INTERNAL_H

#include "controller/replay.h"

struct replay_action {
	int64_t recorded, now; /* event ids; now -1: not taken */
	char *message;
	bool compared;
};

struct replay {
	struct evlog *log;
	char *temporary; /* its folder, if it is to be removed */
	char *task;
	struct replay_action *actions;
	size_t count, room;
	size_t next, end; /* the next to take, the first not to */
	bool hand_over;
	struct replay_report report;
};

/** The id that an event had in the file. */
int64_t replay_original_id(struct replay *r, int64_t id);

#endif
