/* SPDX-License-Identifier: MIT
 *
 * roots.c - the directories that an overlay of a workspace covers. */
#include "overlay/overlay.h"

#include "auto.h"
#include "files.h"
#include "git-dirs.h"
#include "sandbox/rules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int overlay_add_root_path(char ***list, const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) ? sandbox_path_add(list, real) : MT_OK;
}

static bool roots_is_home(const char *path)
{
	const char *own = getenv("HOME");
	char home[PATH_MAX], real[PATH_MAX];

	return realpath(path, real) &&
	       path_is_in(own && realpath(own, home) ? home : "/", real);
}

/* A directory, or the work tree of git around it with its repository. */
static int overlay_root_list_add_tree(char ***list, const char *directory,
				      struct error *err)
{
	struct git_dirs git = { 0 };
	int status = git_dirs_find(directory, &git, NULL);

	if (!status && roots_is_home(git.root))
		git_dirs_clear(&git);
	status = status == MT_ENOMEM ? status : MT_OK;
	if (!status && !git.root && roots_is_home(directory))
		return fail(err, MT_EUNSUPPORTED,
			    "an overlay cannot cover the home directory or one above it: "
			    "start in a directory of the project");
	if (!status)
		status = overlay_add_root_path(list, git.root ? git.root : directory);
	if (!status && git.root && git_dirs_confirmed(&git)) {
		status = overlay_add_root_path(list, git.common);
		if (!status)
			status = overlay_add_root_path(list, git.dir);
	}
	git_dirs_clear(&git);
	return status ? out_of_memory(err) : MT_OK;
}

static bool roots_is_in_other(char *const *list, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++)
		if (i != at && path_is_in(list[at], list[i]) &&
		    (i < at || strcmp(list[at], list[i]) != 0))
			return true;
	return false;
}

/* Without those that another one contains. The order stays: the workspace is the first. */
static void roots_keep_outer(char **list)
{
	size_t count = 0, kept = 0;

	while (list && list[count])
		count++;
	while (kept < count) {
		if (!roots_is_in_other(list, count, kept)) {
			kept++;
			continue;
		}
		free(list[kept]);
		memmove(&list[kept], &list[kept + 1], (count - kept) * sizeof *list);
		count--;
	}
}

int overlay_roots(const char *workspace, char *const *more, char ***ret,
		  struct error *err)
{
	int r;

	*ret = NULL;
	r = overlay_root_list_add_tree(ret, workspace, err);
	for (size_t i = 0; !r && more && more[i]; i++)
		r = overlay_root_list_add_tree(ret, more[i], err);
	roots_keep_outer(*ret);
	return r;
}
