/* SPDX-License-Identifier: MIT
 *
 * prompts.h - renders the templates of prompts/ with values of the host. */
#ifndef HOST_CONTEXT_PROMPTS_H
#define HOST_CONTEXT_PROMPTS_H

#include "config/config.h"
#include "js.h"

/** Render NAME.mustache: from the agent's own directory (prompt_dir/AGENT/) if it exists
 *  there, otherwise from prompt_dir. Partials are looked up the same way.
 *  @return owned text, or NULL with `err` filled. */
char *prompt_render(const struct config *c, const char *agent, const char *name,
		    json_object *data, struct error *err);

#endif
