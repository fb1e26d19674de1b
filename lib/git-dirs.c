/* SPDX-License-Identifier: MIT
 *
 * git-dirs.c - finds the directories of a git work tree. */
#include "git-dirs.h"

#include "files.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { GIT_FILE_MAX = 1 << 16 };

/* The first line of a file of git, owned; NULL: it does not exist, or `err`. */
static char *git_line(const char *dir, const char *name, struct error *err)
{
	AUTO(free) char *path = path_join(dir, name);
	struct error why = ERROR_NONE;
	char *text = NULL;
	int status = path ? file_read(path, GIT_FILE_MAX, &text, NULL, &why) : MT_ENOMEM;

	if (status && status != MT_ENOTFOUND)
		fail(err, status, "%s", path ? why.text : status_name(status));
	if (text)
		text[strcspn(text, "\r\n")] = '\0';
	return text;
}

char *git_dir_of(const char *root, struct error *err)
{
	AUTO(free) char *git = path_join(root, ".git");
	AUTO(free) char *line = NULL;
	struct stat st;

	if (!git || stat(git, &st))
		return NULL;
	if (S_ISDIR(st.st_mode))
		return STEAL(git);
	line = git_line(root, ".git", err);
	return line && strncmp(line, "gitdir: ", 8) == 0 ? path_join(root, line + 8)
							 : NULL;
}

char *git_common_dir(const char *dir, struct error *err)
{
	AUTO(free) char *line = git_line(dir, "commondir", err);

	return line ? path_join(dir, line) : strdup(dir);
}

/* Replace it by the path without symbolic links. */
static bool git_resolve(char **path)
{
	char *real = *path ? realpath(*path, NULL) : NULL;

	free(*path);
	*path = real;
	return real != NULL;
}

static bool git_cut(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

int git_dirs_find(const char *path, struct git_dirs *ret, struct error *err)
{
	AUTO(free) char *at = realpath(path, NULL);

	*ret = (struct git_dirs){ 0 };
	while (at && !ret->dir) {
		ret->dir = git_dir_of(at, NULL);
		if (!ret->dir && !git_cut(at))
			return MT_ENOTFOUND;
	}
	if (!at || !git_resolve(&ret->dir))
		return MT_ENOTFOUND;
	ret->common = git_common_dir(ret->dir, NULL);
	ret->root = STEAL(at);
	if (git_resolve(&ret->common))
		return MT_OK;
	git_dirs_clear(ret);
	return out_of_memory(err);
}

void git_dirs_clear(struct git_dirs *g)
{
	free(g->root);
	free(g->dir);
	free(g->common);
	*g = (struct git_dirs){ 0 };
}

/* ---- whether a repository knows its work tree ----------------------------------- */

/* COMMON/worktrees/NAME/gitdir is the path of the .git file of the linked work tree. */
static bool git_is_linked(const struct git_dirs *g)
{
	AUTO(free) char *line = git_line(g->dir, "gitdir", NULL);
	AUTO(free) char *own = path_join(g->root, ".git");
	AUTO(free) char *place = path_join(g->common, "worktrees");
	size_t len = place ? strlen(place) : 0;

	if (!line || !own || !place || !git_resolve(&line))
		return false;
	return strcmp(line, own) == 0 && strncmp(g->dir, place, len) == 0 &&
	       g->dir[len] == '/' && !strchr(g->dir + len + 1, '/');
}

/* The repository of a submodule is in .git/modules of the work tree around it. */
static bool git_is_submodule(const struct git_dirs *g)
{
	AUTO(free) char *parent = strdup(g->root);
	AUTO(free) char *modules = NULL;
	struct git_dirs outer;
	bool yes;

	if (!parent || !git_cut(parent) || git_dirs_find(parent, &outer, NULL))
		return false;
	modules = path_join(outer.common, "modules");
	yes = modules && path_is_in(g->dir, modules) && strcmp(g->dir, g->common) == 0 &&
	      git_dirs_confirmed(&outer);
	git_dirs_clear(&outer);
	return yes;
}

bool git_dirs_confirmed(const struct git_dirs *g)
{
	return (path_is_in(g->dir, g->root) && path_is_in(g->common, g->root)) ||
	       git_is_linked(g) || git_is_submodule(g);
}
