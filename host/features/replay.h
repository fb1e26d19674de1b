/* SPDX-License-Identifier: MIT
 *
 * replay.h - replays the actions of a recording instead of querying a model, and
 * compares the results with the recorded ones. */
#ifndef HOST_FEATURES_REPLAY_H
#define HOST_FEATURES_REPLAY_H

#include "conversation/conversation.h"

struct replay;

/** A difference between a result and the recording. */
struct replay_difference {
	int64_t recorded, now; /* ids of the action in the recording and here */
	const char *type, *message; /* of the action */
	const char *what;      /* "exit code", "output", "observation" */
	const char *want, *got;
};

struct replay_report {
	size_t actions, same, different, unmatched; /* unmatched: no recorded result */
	size_t left; /* actions that were not taken */
};

/** A recording: a conversation (the directory of its log), or a trajectory of
 *  OpenHands or of this program, which is imported into `dir` until the replay is freed.
 *  The first user message is the task. */
int replay_open_log(const char *dir, struct replay **ret, struct error *err);
int replay_open_file(const char *path, const char *dir, struct replay **ret,
		     struct error *err);
struct replay *replay_free(struct replay *r);
AUTO_DEFINE(replay, struct replay *, replay_free)

const char *replay_task(const struct replay *r);
/** Replay only up to this event of the recording. MT_EINVAL: it does not exist. */
int replay_until(struct replay *r, int64_t id, struct error *err);
/** Query the model at the end of the recording; otherwise the conversation becomes idle.
 *  */
void replay_hand_over(struct replay *r, bool yes);

/** Make a new conversation take the recorded actions; `r` is borrowed. Begin with
 *  conversation_message(replay_task). */
void conversation_replay(struct conversation *c, struct replay *r);

/** Compare an event that was logged here; `differs` is called for each difference. */
void replay_compare(struct replay *r, const struct event *e,
		    void (*differs)(void *arg, const struct replay_difference *d),
		    void *arg);
struct replay_report replay_report(const struct replay *r);

#endif
