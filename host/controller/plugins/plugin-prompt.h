/* SPDX-License-Identifier: MIT
 *
 * plugin-prompt.h - renders the prompts of plugins. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_PROMPT_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_PROMPT_H

#include "controller/plugins/plugin-ctx.h"

/** `prompt` of struct mt_host. `data`: a JSON object, or empty. The work owns the
 *  text. */
int plugin_prompt(struct mt_ctx *x, const char *name, struct mt_str data,
		  struct mt_str *ret_text);

#endif
