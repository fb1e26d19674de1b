/* SPDX-License-Identifier: MIT
 *
 * plugin-answer.h - answers the questions of a plugin in a forked copy, in the parent. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_ANSWER_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_ANSWER_H

#include "controller/plugins/plugin-journal.h"
#include "error.h"

#include <stdbool.h>

struct mt_ctx;

/** Is an entry of this type a question? */
bool plugin_answer_can(uint32_t type);
/** The answer to a complete entry: its text, or a status and `err`. */
int plugin_answer(struct mt_ctx *x, const struct journal_entry *question,
		  struct strbuf *text, struct error *err);

#endif
