/* SPDX-License-Identifier: MIT
 *
 * plugin-copy.h - a forked copy of the process, in which one function of a plugin runs. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_COPY_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_COPY_H

#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-journal.h"

struct mt_analyzer;

/** A function of a plugin: how the copy calls it, and what it may ask of the host. */
struct plugin_call {
	const char *function; /* "advance" */
	uint64_t allowed;     /* JOURNAL_BIT, in addition to those of every call */
	int (*call)(struct mt_ctx *x, const void *functions, void *arg);
	/* Make the call in a copy kept from an earlier one, with the data that `news` wrote.
	 * NULL: a copy makes one call. */
	int (*next)(struct mt_ctx *x, const void *functions,
		    const struct journal_entry *news);
	/* Write the data that such a copy needs for this call. `view`: include the view, which
	 * the copy requests otherwise. */
	int (*news)(const struct mt_ctx *x, const void *arg, bool view,
		    struct strbuf *out, struct error *err);
};

enum { PLUGIN_COPY_CALLS = 100 }; /* maximum per copy */

/** Descriptors of a copy: the connection to its parent, the files it can read, and its
 *  output (-1: none). */
struct plugin_copy_descriptors {
	int parent, files, output;
};

/** The connection of a copy to its parent. */
struct plugin_copy;

/** In the child: run the function, report to the parent, and exit. */
_Noreturn void plugin_copy_run(struct mt_ctx *x, const struct plugin_call *call,
			       void *arg, struct plugin_copy_descriptors fds);

/* The tables with which a plugin is called in a copy. */
const struct mt_host *plugin_copy_host(void);
const struct mt_agent_out *plugin_copy_agent_out(void);
const struct mt_condenser_out *plugin_copy_condenser_out(void);
const struct mt_analyzer_out *plugin_copy_analyzer_out(void);
/** Open an analyzer, if this copy has not done so yet, and set the instance of the trial. */
int plugin_copy_open_analyzer(struct mt_ctx *x, const struct mt_analyzer *f);
/** Exit because the copy cannot get the data for the call: another copy must make it. */
_Noreturn void plugin_copy_give_up(struct mt_ctx *x);
/** Send the parent the text of an agent's `system`. */
int plugin_copy_system(struct mt_ctx *x, struct mt_str text);

#endif
