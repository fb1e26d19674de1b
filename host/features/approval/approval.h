/* SPDX-License-Identifier: MIT
 *
 * approval.h - approval of actions: the policy of an agent, and granted scopes. */
#ifndef HOST_FEATURES_APPROVAL_H
#define HOST_FEATURES_APPROVAL_H

#include "controller/feature-api.h"
#include "conversation/conversation.h"
#include "events/confirmation.h"

enum confirmation { CONFIRM_NEVER, CONFIRM_ALWAYS, CONFIRM_RISKY };

struct approval_policy {
	enum confirmation when;
	enum risk from;            /* CONFIRM_RISKY: confirm this risk and higher ones */
	bool unknown;              /* CONFIRM_RISKY: also confirm an unknown risk */
};

/** Does an action of this risk require approval? */
bool approval_needed(const struct approval_policy *p, enum risk risk);
/** The stricter of two policies, so that delegating does not bypass approval. */
struct approval_policy approval_stricter(struct approval_policy a,
					 struct approval_policy b);
/** Read the policy of a section [controller...]. */
int approval_policy_read(const struct config *c, const char *section,
			 struct approval_policy *ret, struct error *err);

/** The scopes, including those of the project, whose actions run without approval; owned.
 *  NULL: out of memory. */
json_object *approval_scopes(struct conversation *c);

/** Do granted scopes cover the call? */
bool approval_is_granted(struct conversation *c, const struct call *call);

/** The members of the command that gives this answer (doc/conversation-protocol.md). */
void approval_put(struct strbuf *line, const struct approval *a);

extern const struct feature approval_feature;

/** The policy of the active agent. */
static inline struct approval_policy *approval_policy(const struct conversation *c)
{
	return feature_agent_state(conversation_agent(c), &approval_feature);
}

#endif
