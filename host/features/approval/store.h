/* SPDX-License-Identifier: MIT
 *
 * store.h - scopes that are stored for a project, in a file of the user. */
#ifndef HOST_FEATURES_APPROVAL_STORE_H
#define HOST_FEATURES_APPROVAL_STORE_H

#include "config/config.h"
#include "js.h"

/** Name of the state record in a log that holds the scopes of a conversation. */
#define APPROVALS_RECORD "mortise/approvals"

/** What is kept for the project in this directory (its links are resolved): an array of
 *  scopes with `granted` and `conversation`, empty if there is none; owned. NULL with
 *  `err`: the file cannot be used, and nothing of it applies. */
json_object *approvals_read(const struct config *c, const char *workspace,
			    struct error *err);
/** Keep one more; two processes may at once. */
int approvals_keep(const struct config *c, const char *workspace, json_object *scope,
		   const char *conversation, struct error *err);
/** Take out those of these texts. @return MT_ENOTFOUND if one is not there; then none. */
int approvals_revoke(const struct config *c, const char *workspace, json_object *texts,
		     struct error *err);
/** Take the scopes of these texts out of a list; as above. */
int approvals_remove(json_object *list, json_object *texts, struct error *err);

#endif
