/* SPDX-License-Identifier: MIT
 *
 * approval-state.h - the state of approvals in a conversation, for the files that ask
 * the user and read the answer. */
#ifndef HOST_CONTROLLER_APPROVAL_STATE_H
#define HOST_CONTROLLER_APPROVAL_STATE_H

#include "controller/analyze.h"
#include "controller/confirm.h"
#include "controller/feature.h"
#include "digest.h"

struct approval_state {
	enum risk risk;            /* of the pending action, and why */
	char risk_reason[256];
	char hash[SHA256_HEX];     /* of the pending action: what the user approves */
	json_object *offered_scopes; /* that "always allow" may grant; or NULL */
	size_t proposed_scope;     /* index of the proposed one */
	struct event *edited_action; /* the pending action as the user edited it; or NULL */
	char refusal[4096];        /* why it is rejected */
	json_object *granted;      /* scopes that run without approval; or NULL */
	bool announced;            /* watchers were notified of those of the project */
};

static inline struct approval_state *approval_of(const struct conversation *c)
{
	return feature_state(c, &approval_feature);
}

#endif
