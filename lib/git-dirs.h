/* SPDX-License-Identifier: MIT
 *
 * git-dirs.h - the directories of a git work tree, read without running git. */
#ifndef LIB_GIT_DIRS_H
#define LIB_GIT_DIRS_H

#include "error.h"

#include <stdbool.h>

struct git_dirs {
	char *root;   /* top level of the work tree */
	char *dir;    /* .git, or the directory that the .git file of a linked work tree or
	               * a submodule names */
	char *common; /* the directory that all work trees of the repository share */
};

/** The directories of the work tree that contains `path`, which is absolute; without
 *  symbolic links.
 *  @return MT_ENOTFOUND (without a sentence) if there is none; MT_ENOMEM */
int git_dirs_find(const char *path, struct git_dirs *ret, struct error *err);
void git_dirs_clear(struct git_dirs *g);
/** True if `dir` and `common` belong to this work tree, because they are in it or the
 *  repository itself says so. A .git file, which is content of the project, can name any
 *  directory. */
bool git_dirs_confirmed(const struct git_dirs *g);

/** .git in `root`, or the directory that it names; owned. NULL: there is none, or `err`
 *  (which may be NULL) says why it cannot be read. */
char *git_dir_of(const char *root, struct error *err);
/** The directory that all work trees of a repository share; owned; NULL as git_dir_of. */
char *git_common_dir(const char *dir, struct error *err);

#endif
