/* SPDX-License-Identifier: MIT
 *
 * confirm.h - the gate before an action: run it, let it wait for a person, or
 * refuse it. */
#ifndef HOST_CONTROLLER_CONFIRM_H
#define HOST_CONTROLLER_CONFIRM_H

#include "controller/analyze.h"
#include "controller/approval-scope.h"
#include "controller/feature.h"

enum confirmation { CONFIRM_NEVER, CONFIRM_ALWAYS, CONFIRM_RISKY };

struct confirm_policy {
	enum confirmation when;
	enum risk from;            /* CONFIRM_RISKY: this risk and more */
	bool unknown;              /* CONFIRM_RISKY: an unknown risk too */
};

/** Where an action would run, for scopes. */
struct scope_place confirm_place(struct conversation *c, const struct event *action);
/** Do granted scopes cover it? */
bool confirm_allowed(struct conversation *c, const struct event *action);
/** Grant a scope, in this conversation or in the project. */
int confirm_grant(struct conversation *c, json_object *scope, bool project,
		  struct error *err);

/** Set confirmation_state. */
int confirm_mark(struct event *e, const char *state);
/** What the analyzers say; UNKNOWN if they cannot. */
void confirm_assess(struct conversation *c, struct event *action, struct verdict *ret);
/** The same, and the risk is written into the action, which is in no log yet. */
void confirm_judge(struct conversation *c, struct event *action, struct verdict *ret);
/** MT_EDENIED with the sentence for it. */
int confirm_denied(const struct verdict *v, const char *what, struct error *err);

/** Does an action of this risk wait for a person? */
bool confirm_needed(const struct confirm_policy *p, enum risk risk);
/** What both let pass: nothing runs unconfirmed because a delegate runs it. */
struct confirm_policy confirm_stricter(struct confirm_policy a, struct confirm_policy b);
/** Read the policy of a section [controller...]. `interactive`: a person can answer. */
int confirm_policy_read(const struct config *c, const char *section, bool interactive,
			struct confirm_policy *ret, struct error *err);

enum gate { GATE_RUN, GATE_WAIT, GATE_DENY };

/** Judge a runnable action and write its risk into it. */
enum gate confirm_gate(struct conversation *c, struct event *action, struct verdict *ret);
/** Judge an action that the user made, and write its risk into it. The user need not
 *  confirm it, but what is denied does not run. @return a status with a sentence then. */
int confirm_refuses(struct conversation *c, struct event *action, struct error *err);
/** Log an action that waits, takes it: the state first, then the action. */
void confirm_wait(struct conversation *c, struct event *action, const struct verdict *v);
/** The same with an action that is in the log already. */
void confirm_wait_again(struct conversation *c, struct event *action,
			const struct verdict *v);
/** Answer an action that is denied. */
void confirm_refuse(struct conversation *c, struct event *action,
		    const struct verdict *v);

/** After a restart: this action of the log waits, as it did. */
int confirm_restore_waiting(struct conversation *c, struct event *action,
			    struct error *err);
/** The answer of a person as an event: the action once more, as it was approved. It
 *  becomes the pending one. @return MT_OK or a status; then nothing has changed. */
int confirm_repeat(struct conversation *c, bool yes, struct error *err);
/** Log the observation of a rejected action and continue. */
void confirm_rejected(struct conversation *c, struct event *action);
/** A message came instead of an answer: that is a no. */
void confirm_overtaken(struct conversation *c);

/** Has this action, of the log, to be answered by a person? */
bool confirm_awaited(const struct event *action);
/** Is it the repetition of one? `ret_yes`: what the person said. */
bool confirm_is_answer(const struct event *action, bool *ret_yes);
/** Is this repetition the very action that was approved? Of other actions: yes. */
bool confirm_holds(struct conversation *c, const struct event *action);
/** Tell the model what ran in place of its call, if the user changed it. */
void confirm_tell_edit(struct conversation *c, const struct event *action,
		       struct event *observation);
/** Scopes of what runs without asking here, those of the project included; owned. NULL:
 *  out of memory. */
json_object *confirm_approvals(struct conversation *c);
/** A delegate begins with scopes of who started it. */
int confirm_inherit(struct conversation *c, json_object *approvals, struct error *err);
/** Notify clients, once, of approvals that apply without having been granted here. */
void confirm_tell_approvals(struct conversation *c);
/** What runs without asking, from the log. */
int confirm_restore(struct conversation *c, struct error *err);

extern const struct feature approval_feature;

#endif
