/* SPDX-License-Identifier: MIT
 *
 * permissions.h - changes the sandbox of a conversation while it is open. */
#ifndef HOST_FEATURES_PERMISSIONS_H
#define HOST_FEATURES_PERMISSIONS_H

#include "controller/feature.h"
#include "js.h"

/** Apply changes, "KEY=VALUE", "KEY+=VALUE" or "KEY-=VALUE" of [sandbox], to this
 *  conversation: its tools are restarted before the next call, and the model learns of it.
 *  `reset`: first drop the earlier changes. */
int permissions_change(struct conversation *c, json_object *changes, bool reset,
		       struct error *err);
/** Can this change be made? */
bool permissions_can_change(const struct conversation *c, const char *change);
/** Make a change that is neither stored nor reported, until permissions_take_back. */
int permissions_lend(struct conversation *c, const char *change, struct error *err);
void permissions_take_back(struct conversation *c);
/** Make the pending call, which has a result, again in a new runner. */
void permissions_call_again(struct conversation *c);
/** The permissions as a table for the user, owned; NULL: failed. */
char *permissions_table(struct conversation *c, struct error *err);

extern const struct feature permissions_feature;

#endif
