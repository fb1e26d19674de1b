/* SPDX-License-Identifier: MIT
 *
 * sandbox.h - the parts of `mortise sandbox`. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include "config/config.h"
#include "sandbox/file-guard.h"
#include "sandbox/sandbox.h"

/** The sandbox of tools, for one program. */
struct cli_sandbox {
	struct config *config;
	struct sandbox_rules rules;
	struct sandbox sandbox;
	struct file_guard guard; /* of the protected files, without namespaces */
	int reports;          /* of its proxy; -1: none */
	char temporary[4096]; /* its /tmp; removed at the end */
	char directory[4096]; /* the current directory */
	char **environment;   /* the variables that tools get */
};

/** Fork, enter the sandbox, and call the function there. It does not return. Changes of
 *  protected files are reverted and reported afterwards.
 *  @return the status of waitpid; -1 with `err` */
int cli_sandbox_fork(struct cli_sandbox *s, void (*inside)(void *arg), void *arg,
		     struct error *err);
/** Try to break out, and print the result of each attempt. @return an exit code */
int sandbox_verify(struct cli_sandbox *s, bool json);
/** Print the grants. */
void sandbox_grants(const struct config *c, bool json);
/** Print what tools can do with a path or host. @return an exit code */
int sandbox_explain(struct cli_sandbox *s, const char *subject);

#endif
