/* SPDX-License-Identifier: MIT
 *
 * plugin-fork.h - one call of a function of a plugin in a forked copy of the process. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_FORK_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_FORK_H

struct mt_ctx;
struct plugin_call;

/** Call the function with `arg`, then do what it asked for. `files`: of
 *  plugin_sandbox_files. @return what it returned. Fails with MT_EIO, MT_ETIMEOUT or
 *  MT_ELIMIT, and a sentence in the error of the work, if the plugin crashes, exits or
 *  does not return; with MT_ECANCELLED if a signal that ends this process is pending. */
int plugin_fork_call(struct mt_ctx *x, const struct plugin_call *call, int files,
		     void *arg);

#endif
