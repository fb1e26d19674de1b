/* SPDX-License-Identifier: MIT
 *
 * repository.h - the repository of a workspace.
 *
 * Name and branch are read from the files in .git: that takes no time, and the
 * first request does not wait. Changes come from the git program; its output is
 * read here. */
#ifndef HOST_CONTEXT_REPOSITORY_H
#define HOST_CONTEXT_REPOSITORY_H

#include "js.h"

struct repository {
	char *name;      /* of the remote: "owner/name", else of the directory */
	char *dir;    /* its root */
	char *branch;    /* or the commit that is checked out, short */
};

/** @return MT_ENOTFOUND (no error is filled): the workspace is in none. */
int repository_read(const char *workspace, struct repository *ret);
void repository_clear(struct repository *r);

#endif
