/* SPDX-License-Identifier: MIT
 *
 * call.h - a tool call: created from an action once, kept in the turn until the
 * observation. */
#ifndef HOST_CONTROLLER_CALL_H
#define HOST_CONTROLLER_CALL_H

#include "controller/conversation.h"
#include "events/confirmation.h"
#include "tools/calls.h"
#include "runner-client/runner-connection.h"

struct verdict {
	enum risk risk;
	bool deny;         /* must not run, even if the user approves it */
	char reason[256];  /* a sentence for the user and, if denied, the model */
	char rule[128];    /* name of the rule that decided; "" if none */
};

struct call {
	struct event *action;      /* owned; as logged, once it is in the log */
	int64_t id;                /* of the action in the log; -1: not logged */
	const struct tool *tool;   /* borrowed from the catalog; NULL: no tool runs it */
	json_object *args;         /* as passed to the tool, owned; NULL: unknown */
	json_object *logged_args;  /* the arguments with secrets masked, owned */
	struct error why;          /* why it cannot be sent; code 0: it can be sent */
	int64_t deadline_ms;
	struct verdict verdict;    /* of the analyzers */
	bool awaits_approval;      /* waits for the user's approval */
	uint64_t sent_at;          /* as uv_hrtime; 0: not sent */
	bool ended;                /* its result has arrived */
	bool interrupted;          /* interrupted by the user before its result arrived */
	uint64_t number;           /* its id in the runner; 0: not sent */
	bool early;                /* sent early, before it is the pending call */
	size_t index;              /* early: its index in the reply */
	bool over;                 /* early: `result` is set */
	struct runner_result result; /* a copy */
};

/** The smallest number of an early call in the runner; the number of any other call is
 *  the id of its action. */
static const uint64_t call_first_early = 1000000000000;

/** Reason, for the model, why a call with masked arguments is not made. */
extern const char call_is_masked[];

/** Create the call of a runnable action. If the model called a tool, the action names it;
 *  for other actions, the mappings of the catalog are searched. If that fails, `why` has
 *  a sentence for the model. NULL: out of memory. */
struct call *call_new(const struct conversation *c, struct event *action);
struct call *call_free(struct call *call);
AUTO_DEFINE(call, struct call *, call_free)
/** Log the action of a call. @return its id or a status. */
int64_t call_log(struct conversation *c, struct call *call, struct error *err);
/** Name of the toolset instance of a call that has a tool. */
const char *call_instance(const struct conversation *c, const struct call *call);
/** Cancel a call that was sent early and has no result yet. `link` NULL: no runner. */
void call_cancel_early(const struct call *call, struct runner *link);
/** Store a copy of the result of an early call. */
void call_keep_result(struct call *call, const struct runner_result *result);

#endif
