/* SPDX-License-Identifier: MIT
 *
 * scope.h - scopes of the answer "always": those that an approval of an action can have,
 * and whether granted scopes cover an action.
 *
 * A scope is a JSON object, also in storage: `text`, which the user reads, and `items`,
 * which are checked. An action is covered only if the text says so. */
#ifndef HOST_FEATURES_APPROVAL_SCOPE_H
#define HOST_FEATURES_APPROVAL_SCOPE_H

#include "events/event.h"
#include "features/approval/scope-paths.h"

enum { APPROVALS_MAX = 256 };

/** The scopes that cover this action, from narrow to wide (an array, owned), and the
 *  index of the default. */
int scopes_offer(const struct event *action, const struct scope_place *place,
		 json_object **ret, size_t *ret_default, struct error *err);
/** Do these scopes (an array, or NULL) cover the action? */
bool scopes_cover(json_object *scopes, const struct event *action,
		  const struct scope_place *place);

#endif
