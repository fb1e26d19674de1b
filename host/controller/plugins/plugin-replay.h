/* SPDX-License-Identifier: MIT
 *
 * plugin-replay.h - executes, in the parent, what a plugin in a forked copy requested. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_REPLAY_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_REPLAY_H

#include "controller/plugins/plugin-journal.h"

#include <stdbool.h>

struct mt_ctx;

/** Has an entry from a copy the texts of its type? */
bool plugin_replay_is_complete(const struct journal_entry *e);
/** Do the entries of a journal, all complete, in their order, up to the first that fails:
 *  what `function` of the plugin asked for. `arg`: of plugin_fork_call. */
int plugin_replay(struct mt_ctx *x, const char *function, const struct strbuf *journal,
		  void *arg);

#endif
