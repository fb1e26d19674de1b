/* SPDX-License-Identifier: MIT
 *
 * repository.h - the repository of a workspace.
 *
 * Name and branch are read from the files in .git, which is fast and does not delay the
 * first request. Changes are read from the output of the git program. */
#ifndef HOST_CONTEXT_REPOSITORY_H
#define HOST_CONTEXT_REPOSITORY_H

#include "js.h"

struct repository {
	char *name;      /* "owner/name" of the remote, otherwise the directory name */
	char *dir;    /* its root */
	char *branch;    /* or the abbreviated commit that is checked out */
};

/** @return MT_ENOTFOUND (`err` is not filled) if the workspace is not in a repository. */
int repository_read(const char *workspace, struct repository *ret);
void repository_clear(struct repository *r);

#endif
