/* SPDX-License-Identifier: MIT
 *
 * recall-text.h - formats a recall observation for the model. */
#ifndef HOST_CONTEXT_RECALL_TEXT_H
#define HOST_CONTEXT_RECALL_TEXT_H

#include "config/config.h"
#include "events/evlog.h"

/** Render the workspace context or the knowledge in a `recall` observation of `log`,
 *  with the templates of `agent`. Knowledge in an earlier observation is omitted. @return
 *  owned text, "" if there is nothing to show; NULL with `err` filled. */
char *recall_render(const struct config *c, const char *agent, struct evlog *log,
		    const struct event *e, struct error *err);

#endif
