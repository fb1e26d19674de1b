/* SPDX-License-Identifier: MIT
 *
 * store.h - scopes that are stored for a project, in a file of the user. */
#ifndef HOST_FEATURES_APPROVAL_STORE_H
#define HOST_FEATURES_APPROVAL_STORE_H

#include "config/config.h"
#include "js.h"

/** Name of the state record in a log that holds the scopes of a conversation. */
#define APPROVALS_RECORD "mortise/approvals"

/** The scopes that are stored for the project in this directory (symbolic links are
 *  resolved): an array of scopes with `granted` and `conversation`, empty if there are
 *  none; owned. NULL with `err`: the file cannot be used, and no scope of it applies. */
json_object *approvals_read(const struct config *c, const char *workspace,
			    struct error *err);
/** Store a scope; safe with concurrent processes. */
int approvals_keep(const struct config *c, const char *workspace, json_object *scope,
		   const char *conversation, struct error *err);
/** Remove the scopes with these texts. @return MT_ENOTFOUND if one is missing; then none
 *  is removed. */
int approvals_revoke(const struct config *c, const char *workspace, json_object *texts,
		     struct error *err);
/** Remove the scopes with these texts from a list; fails like approvals_revoke. */
int approvals_remove(json_object *list, json_object *texts, struct error *err);

#endif
