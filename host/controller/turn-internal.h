/* SPDX-License-Identifier: MIT
 *
 * turn-internal.h - the plan of an agent, for the files that execute it. */
#ifndef HOST_CONTROLLER_TURN_INTERNAL_H
#define HOST_CONTROLLER_TURN_INTERNAL_H

#include "controller/turn.h"

/** An action planned by an agent; a reply may result in several. */
struct planned_action {
	enum plan_type type;
	size_t call;    /* PLAN_CALL: index in the reply */
	bool wait;      /* PLAN_MESSAGE: it waits for the user */
	char *event, *text; /* PLAN_ACTION: type of the event */
};

/** The actions planned from one reply; each agent has its own plan. */
struct plan {
	struct llm_reply *reply; /* whose outputs are queued; NULL: none */
	struct planned_action queue[PLANNED_MAX];
	size_t count, next;
};

/** The reply whose actions are planned; NULL: none. */
const struct llm_reply *turn_reply(const struct conversation *c);
/** Remove and return the next planned action, which must exist; free it with
 *  turn_drop_planned. */
struct planned_action turn_next_planned(struct conversation *c);
void turn_drop_planned(struct planned_action *p);

#endif
