/* SPDX-License-Identifier: MIT
 *
 * recall-text.h - formats a recall observation for the model. */
#ifndef HOST_CONTEXT_RECALL_TEXT_H
#define HOST_CONTEXT_RECALL_TEXT_H

#include "config/config.h"
#include "events/evlog.h"

/** Render the context of the workspace or the knowledge that a `recall` observation
 *  of `log` holds, with the templates of `agent`. Knowledge that an earlier one holds
 *  is left out. @return owned text, "" if there is nothing to show; NULL with `err`
 *  filled. */
char *recall_render(const struct config *c, const char *agent, struct evlog *log,
		    const struct event *e, struct error *err);

#endif
