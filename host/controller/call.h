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
	bool deny;         /* it must not run, even if the user approves it */
	char reason[256];  /* a sentence for the user and, if denied, the model */
	char rule[128];    /* name of the rule that decided; "" if none */
};

struct call {
	struct event *action;      /* owned; as the log has it, once it is logged */
	int64_t id;                /* of the action in the log; -1: not logged */
	const struct tool *tool;   /* borrowed from the catalog; NULL: no tool runs it */
	json_object *args;         /* as passed to the tool, owned; NULL: unknown */
	json_object *logged_args;  /* the same, with secrets masked, owned */
	struct error why;          /* why it cannot be sent; code 0: it can */
	int64_t deadline_ms;
	struct verdict verdict;    /* of the analyzers */
	bool awaits_approval;      /* by the user */
	uint64_t sent_at;          /* as uv_hrtime; 0: not sent */
	bool ended;                /* its result has come */
	bool interrupted;          /* by the user, before its result came */
	uint64_t number;           /* its id in the runner; 0: not sent */
	bool early;                /* sent early, before it is the pending call */
	size_t index;              /* early: place in its reply */
	bool over;                 /* early: `result` has come */
	struct runner_result result; /* a copy */
};

/** The smallest number of an early call in the runner; that of another is its action. */
static const uint64_t call_first_early = 1000000000000;

/** For the model: the reason why a call with masked arguments is not made. */
extern const char call_is_masked[];

/** The call of a runnable action. An action from a call of the model names its tool; for
 *  others, the mappings of the catalog are searched. If that fails, `why` has a sentence
 *  for the model. NULL: out of memory. */
struct call *call_new(const struct conversation *c, struct event *action);
struct call *call_free(struct call *call);
AUTO_DEFINE(call, struct call *, call_free)
/** Log the action of a call. @return its id or a status. */
int64_t call_log(struct conversation *c, struct call *call, struct error *err);
/** Name of the instance of its toolset; it has a tool. */
const char *call_instance(const struct conversation *c, const struct call *call);
/** Cancel a call, if it was sent early and has no result yet. `link` NULL: no runner. */
void call_cancel_early(const struct call *call, struct runner *link);
/** Keep a copy of the result of an early call. */
void call_keep_result(struct call *call, const struct runner_result *result);

#endif
