/* SPDX-License-Identifier: MIT
 *
 * scope.h - what "always" allows: the scopes that an approval of an action may
 * have, and whether granted scopes cover an action.
 *
 * A scope is a JSON object, as it is kept: `text`, which a person reads, and `items`,
 * what is checked. An action is covered only if the text says so. */
#ifndef HOST_FEATURES_APPROVAL_SCOPE_H
#define HOST_FEATURES_APPROVAL_SCOPE_H

#include "events/event.h"

enum { APPROVALS_MAX = 256 };

/** The directories in which an action would run. Borrowed. */
struct scope_place {
	const char *workspace;
	const char *dir;           /* the working directory of the shell */
	const char *tool, *toolset; /* the tool as its toolset names it, and the
				     * instance */
};

/** The scopes that cover this action, from narrow to wide (an array, owned), and the
 *  index of the default. */
int scopes_offer(const struct event *action, const struct scope_place *place,
		 json_object **ret, size_t *ret_default, struct error *err);
/** Do these scopes (an array, or NULL) cover the action? */
bool scopes_cover(json_object *scopes, const struct event *action,
		  const struct scope_place *place);

#endif
