/* SPDX-License-Identifier: MIT
 *
 * subagents.h - conversations that a tool call starts: each is a process of this
 * program with its own log, controlled over the conversation protocol. The call waits
 * for them, or they work in the background and a message announces their results. */
#ifndef HOST_FEATURES_SUBAGENTS_H
#define HOST_FEATURES_SUBAGENTS_H

#include "controller/feature-api.h"
#include "conversation/conversation.h"
#include "features/budget.h"
#include "jsonl.h"

#define SUBAGENTS_RECORD "mortise/children" /* the name of its state record */

enum { CHILD_TASKS_MAX = 64, CHILD_MESSAGE_MAX = 64 << 10 };

/** The result of a child. */
enum subagent_end {
	CHILD_WORKS,
	CHILD_FINISHED,
	CHILD_REJECTED,     /* it gave up */
	CHILD_ERROR,
	CHILD_OVER_BUDGET,  /* a limit of any kind */
	CHILD_STUCK,
	CHILD_WAITS,        /* it asked for input, which no one could give */
	CHILD_STOPPED,
	CHILD_CRASHED,
	CHILD_NOT_STARTED,
};

struct subagent {
	struct subagents *all;
	uv_process_t process;
	uv_pipe_t in, out;
	struct jsonl lines;
	char *id, *task, *agent, *workspace; /* agent "": like the parent */
	enum { PLACE_SHARED, PLACE_COPY, PLACE_OWN } place;
	bool forked;               /* it begins with the context of its parent */
	enum subagent_end end;
	unsigned handles;          /* open handles */
	bool begun, exited, output_over, ended;
	json_object *action;       /* its newest action; owned, or NULL */
	json_object *waits;        /* the approval that it waits for; or NULL */
	int exit_code, number;     /* number: of the signal that ended it */
	char *message;             /* its last message; or NULL */
	char reason[512];
	struct llm_metrics sum;
};

/** The children of one call. */
struct subagents {
	struct conversation *c;
	struct subagents *below;   /* an earlier call; NULL: none */
	bool background;           /* the call already has its observation */
	unsigned depth;            /* of the agent that started them, and the first event */
	int64_t owner;             /* in its history */
	int64_t action;
	struct event *call;        /* the action, referenced */
	struct subagent *list;
	size_t count, next, running;
	size_t at_once;
	double share[LIMIT_COUNT]; /* limits for each child, from what is left; 0: no
				    * limit */
	bool stopping;
	uv_timer_t timer;          /* when children that do not stop are killed */
};

/** The state of the feature in a conversation. */
struct subagents_state {
	struct subagents *calls;   /* with running or ending children, newest first */
	struct subagents *ended;   /* in the background, oldest first: not announced */
	bool awaited;              /* the agent has finished and waits for them */
	bool told_lost;            /* a message names the children of an earlier
				    * process */
	int64_t started;           /* in total */
	json_object *unsettled;    /* children whose usage is not included in ours yet */
	json_object *lost;         /* ended with an earlier process, in the background */
	struct llm_usage_totals *usage;
};

extern const struct feature subagents_feature;

static inline struct subagents_state *subagents_of(const struct conversation *c)
{
	return feature_state(c, &subagents_feature);
}

/* ---- subagent-tasks.c ---- */
/** Read the tasks of the call. @return a status with a sentence for the model. */
int subagents_read_tasks(struct subagents *all, json_object *args, struct error *err);
/** Divide the remaining limits evenly; time is not divided. */
void subagents_share(struct subagents *all);

/* ---- subagent-texts.c ---- */
/** The first line of a task, cut. */
void subagent_put_title(struct strbuf *b, const char *task);
/** The result of each subagent, for the model. */
void subagents_put_results(struct strbuf *b, const struct subagents *all);
/** The fields of the observation of the call. */
json_object *subagents_result_extras(const struct subagents *all);

/* ---- subagent-process.c ---- */
/** Start its process. A failure is reported later, as the end of the subagent. */
void subagent_start(struct subagent *ch);
/** The user's answer to its waiting action. @return MT_OK, or MT_ELIMIT if it is too
 *  long. */
int subagent_answer(struct subagent *ch, const struct approval *a);
/** Ask it to end. */
void subagent_stop(struct subagent *ch);
void subagent_kill(struct subagent *ch);
/** Handle the end of a subagent: its process has exited, and its handles are closed. */
void subagents_ended_one(struct subagent *ch);
const char *subagent_end_name(enum subagent_end end);
/** The value of `workspace` in its task. */
const char *subagent_place_name(const struct subagent *ch);

/* ---- subagent-usage.c ---- */
/** The usage of a conversation on disk, including its subagents. */
int subagents_usage_of_log(const struct config *c, const char *id, unsigned depth,
			   struct llm_usage_totals *ret, struct error *err);
/** A child was started: its usage is added to ours from now on. Logged. */
int subagents_add_unsettled(struct conversation *c, const char *id, struct error *err);
/** Store which children run in the background, for a process that resumes the
 *  conversation. */
int subagents_keep(struct conversation *c, struct error *err);
/** A child has ended: add its sums to our account. Logged. */
void subagents_settle(struct conversation *c, const char *id, struct llm_metrics *ret);
/** After a restart: restore the usage of children, settled or not. */
void subagents_restore_usage(struct conversation *c, struct llm_metrics *sum);
void subagents_forget(struct conversation *c);

#endif
