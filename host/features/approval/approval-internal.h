/* SPDX-License-Identifier: MIT
 *
 * approval-internal.h - the state of approval in a conversation, and what its files
 * share: the gate (gate.c), answers of the user (answer.c), granted scopes (grants.c). */
#ifndef HOST_FEATURES_APPROVAL_INTERNAL_H
#define HOST_FEATURES_APPROVAL_INTERNAL_H

#include "controller/call.h"
#include "digest.h"
#include "features/approval/analyze.h"
#include "features/approval/approval.h"
#include "features/approval/scope.h"

enum { REASON_MAX = 512 };

/** The judge's opinion on a planned call. */
struct opinion {
	char *subject;             /* the call that it assesses; NULL: none */
	bool known;                /* the question was not cancelled */
	enum risk risk;            /* UNKNOWN: the judge cannot tell, or did not answer */
	char reason[256];
};

struct approval_state {
	int (*assess)(struct conversation *c, struct call *call, struct verdict *ret);
	char hash[SHA256_HEX];     /* hash of the pending action: what the user
				    * approves */
	json_object *offered_scopes; /* scopes that "always allow" can grant; or NULL */
	size_t proposed_scope;     /* index of the default scope */
	struct event *edited_action; /* the pending action as the user edited it; or NULL */
	char refusal[4096];        /* the reason of the rejection */
	json_object *granted;      /* scopes that run without approval; or NULL */
	bool announced;            /* watchers were notified of the scopes of the
				    * project */
	struct opinion opinion;    /* opinion on the next planned call */
	uint64_t preview_call;     /* number of the call that creates a preview; 0:
				    * none */
	uint64_t previews;         /* number of previews requested */
	char *preview;             /* preview of the pending action; or NULL */
};

static inline struct approval_state *approval_of(const struct conversation *c)
{
	return feature_state(c, &approval_feature);
}

/** The directories in which a call would run, for scopes. */
struct scope_place approval_place(struct conversation *c, const struct call *call);
/** Grant a scope, in this conversation or in the project. */
int approval_grant(struct conversation *c, json_object *scope, bool project,
		   struct error *err);

/** Request a preview from the tool of a call. @return true: watchers are notified of
 *  the state after the answer; false: no preview was requested. */
bool approval_preview_start(struct conversation *c, const struct call *call);
/** Discard the preview, and cancel its call. */
void approval_preview_drop(struct conversation *c);
/** The answer of the tool; see feature.h. */
bool approval_preview_take(struct conversation *c, const struct runner_result *result);

/** The verdict of the analyzers; UNKNOWN if they fail. */
void approval_assess(struct conversation *c, struct call *call, struct verdict *ret);
/** Assess a call that is not logged yet: store the verdict in the call, and the risk in
 *  its action. */
void approval_judge(struct conversation *c, struct call *call);
/** MT_EDENIED with the sentence of a verdict that denies. */
int approval_denied(const struct verdict *v, const char *what, struct error *err);

/** Ask the judge before a planned call whose risk is UNKNOWN. @return why the next
 *  step has to wait; NULL: it does not. */
const char *approval_await_opinion(struct conversation *c);
/** Change an UNKNOWN verdict on that call to the judge's opinion, as far as the
 *  settings allow. */
void approval_apply_opinion(struct conversation *c, const struct call *call,
			    struct verdict *v);
void approval_drop_opinion(struct conversation *c);

/** Log the user's answer: a copy of the action, as it was approved, which becomes the
 *  pending one. @return MT_OK, or a status and no change. */
int approval_repeat(struct conversation *c, bool yes, struct error *err);
/** Give a rejected action its observation and continue. */
void approval_rejected(struct conversation *c, struct event *action);
/** A message arrived instead of an answer; reject the pending action. */
void approval_overtaken(struct conversation *c);

/** Is this repetition of an action the one that was approved? True for actions that
 *  are not repetitions. */
bool approval_holds(struct conversation *c, const struct event *action);
/** Tell the model which call ran instead of its call, if the user edited it. */
void approval_tell_edit(struct conversation *c, const struct call *call,
			struct event *observation);
/** A subagent starts with the scopes of its parent. */
int approval_inherit(struct conversation *c, json_object *approvals, struct error *err);
/** Report once to the watchers the effective scopes that were not granted in this
 *  conversation. */
void approval_tell_scopes(struct conversation *c);
/** Restore the granted scopes from the log. */
int approval_restore(struct conversation *c, struct error *err);

#endif
