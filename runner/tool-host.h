/* SPDX-License-Identifier: MIT
 *
 * tool-host.h - the services of struct mt_tool_host that are in separate files;
 * documented in mortise/tool.h. */
#ifndef RUNNER_TOOL_HOST_H
#define RUNNER_TOOL_HOST_H

#include "process-tree.h"
#include "worker.h"

/* spool.c */
/** The two spool services for tools; a tool that calls them manages its spool itself. */
int spool_write(struct mt_call *c, const char *bytes, size_t len);
const char *spool_path(struct mt_call *c);
/** Spool the text of a result that does not fit, including the part that does. */
void spool_keep(struct mt_call *c, const char *more, size_t len);
/** The result is complete: if it is too long to show, it is spooled, and names the file.
 *  */
void spool_set_name(struct mt_call *c);
/* instance-dirs.c */
const char *instance_private_dir(struct mt_instance *i);
const char *instance_conversation_dir(struct mt_instance *i);
const char *instance_user_dir(struct mt_instance *i);
int instance_save(struct mt_instance *i, const void *bytes, size_t len);
const void *instance_saved(struct mt_instance *i, size_t *ret_len);
/* host-extensions.c */
const void *host_extension(const char *name);
/* host-request.c */
int host_request(struct mt_call *c, const char *method, struct mt_str params,
		 struct mt_str *ret_result);
extern const struct mt_requests_draft_1 host_requests_draft_1;

#endif
