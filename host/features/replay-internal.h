/* SPDX-License-Identifier: MIT
 *
 * replay-internal.h - a recording, shared by the files that read it. */
#ifndef HOST_FEATURES_REPLAY_INTERNAL_H
#define HOST_FEATURES_REPLAY_INTERNAL_H

#include "controller/feature.h"
#include "features/replay.h"

struct replay_action {
	int64_t recorded, now; /* event ids; now -1: not taken */
	int64_t owner;         /* the recorded delegation that contains it; -1: none */
	char *message;
	bool compared;
};

struct replay {
	struct evlog *log;
	char *task;
	struct replay_action *actions;
	size_t count, room;
	size_t next, end; /* the next event to take, and the first one not to take */
	bool hand_over;
	struct replay_report report;
};

/** The observation of a recorded action; NULL: none. */
struct event *replay_result(struct replay *r, int64_t action);
/** The id that an event had in the file. */
int64_t replay_original_id(struct replay *r, int64_t id);

/** Does the conversation take its actions from a recording? */
bool replay_is_active(const struct conversation *c);

extern const struct feature replay_feature;

#endif
