/* SPDX-License-Identifier: MIT
 *
 * children.h - conversations that a tool call starts beside its own: each a
 * process of this program with a log of its own, spoken to over the conversation
 * protocol. For the files of the controller. */
#ifndef HOST_CONTROLLER_CHILDREN_H
#define HOST_CONTROLLER_CHILDREN_H

#include "controller/internal.h"
#include "jsonl.h"

enum { CHILD_TASKS_MAX = 64, CHILD_MESSAGE_MAX = 64 << 10 };

/** What became of a child. */
enum child_end {
	CHILD_WORKS,
	CHILD_FINISHED,
	CHILD_REJECTED,     /* it gave up */
	CHILD_ERROR,
	CHILD_OVER_BUDGET,  /* a limit of any kind */
	CHILD_STUCK,
	CHILD_WAITS,        /* it asked for something that nobody could answer */
	CHILD_STOPPED,
	CHILD_CRASHED,
	CHILD_NOT_STARTED,
};

struct child {
	struct children *all;
	uv_process_t process;
	uv_pipe_t in, out;
	struct jsonl lines;
	char *id, *task, *agent, *workspace; /* agent "": like the parent */
	enum { PLACE_SHARED, PLACE_COPY, PLACE_OWN } place;
	enum child_end end;
	unsigned handles;          /* that are not closed yet */
	bool begun, exited, output_over, ended;
	json_object *action;       /* its newest; owned, or NULL */
	json_object *waits;        /* what it says of its action that waits; or NULL */
	int exit_code, number;     /* number: of the signal that ended it */
	char *message;             /* what it said last; or NULL */
	char reason[512];
	struct llm_metrics sum;
};

/** The children of one call. */
struct children {
	struct conversation *c;
	int64_t action;
	struct event *call;        /* the action, referenced */
	struct child *list;
	size_t count, next, running;
	size_t at_once;
	double share[LIMIT_COUNT]; /* of what is left, each; 0: no limit */
	bool stopping;
	uv_timer_t timer;          /* until those who do not stop are killed */
};

/* ---- children-bill.c ---- */
/** Sums as JSON, and back; those of a bill by model. */
json_object *metrics_json(const struct llm_metrics *m);
struct llm_metrics metrics_from_json(json_object *o);
json_object *metrics_json_all(const struct llm_usage_totals *b);
void metrics_join_all(struct llm_usage_totals *b, json_object *spent);

/* ---- child.c ---- */
/** Start its process. What goes wrong is told as its end, later. */
void child_start(struct child *ch);
/** A person's answer to its action that waits. @return MT_OK, or MT_ELIMIT if it is too
 *  long. */
int child_answer(struct child *ch, const struct approval *a);
/** Ask it to end. */
void child_stop(struct child *ch);
void child_kill(struct child *ch);
/** Its process is gone, its output read, its handles closed. */
void children_ended_one(struct child *ch);
const char *child_end_name(enum child_end end);

/* ---- children.c ---- */
/** Carry out a call of delegate_tasks; `args` are its arguments.
 *  @return a status with a sentence for the model; then there is nothing to wait
 *  for. */
int children_start(struct conversation *c, struct event *action, json_object *args,
		   struct error *err);
/** End them all; their results are gathered as they are. */
void children_stop(struct conversation *c);

/* ---- children-bill.c ---- */
/** What a conversation on disk has spent, with those below it. */
int bill_of_log(const struct config *c, const char *id, unsigned depth,
		struct llm_usage_totals *ret, struct error *err);
/** A child was begun: its bill is ours from now on. Logged. */
int children_owe(struct conversation *c, const char *id, struct error *err);
/** A child has ended: its sums into our account. Logged. */
void children_settle(struct conversation *c, const char *id, struct llm_metrics *ret);
/** After a restart: what was settled, and what was not. */
void children_restore(struct conversation *c, struct llm_metrics *m);
void children_forget(struct conversation *c);

#endif
