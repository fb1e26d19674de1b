/* SPDX-License-Identifier: MIT
 *
 * plugin-fork.h - one call of a function of a plugin in a forked copy of the process. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_FORK_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_FORK_H

#include "controller/plugins/plugin-output.h"
#include "registry/registry.h"

#include <stdbool.h>
#include <sys/types.h>

struct mt_ctx;
struct plugin_call;

/** The state of the conversation that a copy has, apart from the log. A copy with another
 *  one cannot make a call. */
struct plugin_copy_basis {
	int64_t delegation; /* of the agent */
	unsigned tools;     /* request_messages_tools_version */
};

/** A copy of the process that runs functions of a plugin. */
struct plugin_copy_process {
	pid_t pid;       /* 0: none */
	int fd, exit_fd; /* the journal; readable when it has ended, or -1 */
	struct plugin_output output;
	unsigned calls;  /* made so far */
	struct plugin_copy_basis basis;
};

/** How the functions of a component run in copies. */
struct plugin_fork {
	int files;                         /* see plugin_sandbox_files */
	struct plugin_copy_process waits;  /* for its next call */
	bool reads_view;                   /* a copy has asked for the view */
};

void plugin_fork_open(struct plugin_fork *ret, const struct component *component);
void plugin_fork_close(struct plugin_fork *f);
/** End the waiting copy, if there is one. */
void plugin_fork_end_wait(struct plugin_fork *f);

/** Call the function with `arg`, then do what it asked for. It runs in the waiting copy
 *  if that has the data for it, otherwise in a new one. @return what it returned.
 *  Fails with MT_EIO, MT_ETIMEOUT or MT_ELIMIT, and a sentence in the error of the work, if
 *  the plugin crashes, exits or does not return; with MT_ECANCELLED if a signal that ends
 *  this process is pending. */
int plugin_fork_call(struct mt_ctx *x, const struct plugin_call *call,
		     struct plugin_fork *f, void *arg);

#endif
