/* SPDX-License-Identifier: MIT
 *
 * roots.c - reads the directories of a conversation from the configuration. */
#include "sandbox/roots.h"

#include "array.h"
#include "files.h"
#include "log.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Tools that could change a directory of Mortise could change what it runs, and what it
 * has recorded. */
static int roots_check_own(const char *path, const char *own, const char *what,
			   struct error *err)
{
	char real[PATH_MAX];

	if (realpath(own, real))
		own = real;
	if (!path_is_in(path, own) && !path_is_in(own, path))
		return MT_OK;
	return fail(err, MT_EDENIED, "cannot add the directory %s: it %s %s of Mortise",
		    path, path_is_in(path, own) ? "belongs to" : "contains", what);
}

static int roots_check_place(const struct config *c, const char *path, struct error *err)
{
	AUTO(free) char *settings = NULL, *state = NULL;
	const char *set = config_get(c, "core", "state_dir");
	const char *home = getenv("HOME");
	char real[PATH_MAX];
	int status;

	if (strcmp(path, "/") == 0)
		return fail(err, MT_EDENIED,
			    "cannot add the directory /: name the directories in it that "
			    "the agent needs");
	if (home && realpath(home, real) && path_is_in(real, path))
		return fail(
			err, MT_EDENIED,
			"cannot add the directory %s: it contains the home directory; "
			"name the directories that the agent needs",
			path);
	if (set && *set ? !(state = path_expand(set))
			: paths_xdg_dir("STATE", false, &state, err))
		return err->code ? err->code : out_of_memory(err);
	status = roots_check_own(path, state, "the state", err);
	if (!status && !paths_xdg_dir("CONFIG", false, &settings, NULL))
		status = roots_check_own(path, settings, "the settings", err);
	return status;
}

/* Paths have no symbolic links, because tools could change those in the workspace before
 * the conversation is resumed. */
static int roots_resolve(const struct config *c, const char *path, char *ret,
			 struct error *err)
{
	AUTO(free) char *expanded = path_expand(path);
	struct stat st;

	if (!expanded)
		return out_of_memory(err);
	if (*expanded != '/')
		return fail(err, MT_EINVAL,
			    "`directories` in [workspace]: `%s` is not an absolute path",
			    path);
	if (!realpath(expanded, ret) || stat(ret, &st) < 0)
		return fail(err, MT_ENOTFOUND, "cannot add the directory %s: %s", path,
			    strerror(errno));
	if (strcmp(expanded, ret) != 0)
		return fail(err, MT_EINVAL,
			    "cannot add the directory %s: the path contains a symbolic "
			    "link, `..` or a superfluous slash; write %s",
			    expanded, ret);
	if (!S_ISDIR(st.st_mode))
		return fail(err, MT_EINVAL, "cannot add %s: not a directory", path);
	return roots_check_place(c, ret, err);
}

/* The next directory of the configuration; NULL: none, or out of memory. */
static char *roots_next(const char **text, struct error *err)
{
	const char *item;
	size_t len;
	char *copy;

	if (!*text || !option_list_next(text, &item, &len))
		return NULL;
	copy = strndup(item, len);
	if (!copy)
		out_of_memory(err);
	return copy;
}

int roots_check(const struct config *c, struct error *err)
{
	const char *text = config_get(c, "workspace", "directories");
	char *path, real[PATH_MAX];
	struct error why = ERROR_NONE;
	size_t count = 0;
	int status = MT_OK;

	while (!status && (path = roots_next(&text, &why))) {
		status = roots_resolve(c, path, real, &why);
		free(path);
		if (!status && ++count > ROOTS_MAX)
			status = fail(&why, MT_ELIMIT,
				      "a conversation has at most %d directories",
				      ROOTS_MAX);
	}
	return why.code ? fail(err, why.code, "%s", why.text) : MT_OK;
}

static bool roots_has(char *const *list, const char *path)
{
	for (size_t i = 0; list && list[i]; i++)
		if (strcmp(list[i], path) == 0)
			return true;
	return false;
}

static int roots_add(char ***list, size_t *count, const char *path)
{
	if (roots_has(*list, path) || *count >= ROOTS_MAX)
		return MT_OK;
	if (ARRAY_GROW(*list, NULL, *count + 2, ARRAY_MAX))
		return MT_ENOMEM;
	(*list)[*count] = strdup(path);
	if (!(*list)[*count])
		return MT_ENOMEM;
	(*list)[++*count] = NULL;
	return MT_OK;
}

int roots_list(const struct config *c, char ***ret)
{
	const char *text = config_get(c, "workspace", "directories");
	char *path, real[PATH_MAX];
	struct error err = ERROR_NONE;
	size_t count = 0;
	int status = MT_OK;

	*ret = NULL;
	while (!status && (path = roots_next(&text, &err))) {
		struct error why = ERROR_NONE;

		if (!roots_resolve(c, path, real, &why))
			status = roots_add(ret, &count, real);
		else
			log_line(MT_LOG_WARNING, "sandbox", "%s", error_text(&why));
		free(path);
	}
	if (!status && !err.code)
		return MT_OK;
	roots_free(*ret);
	*ret = NULL;
	return MT_ENOMEM;
}

json_object *roots_json(const struct config *c)
{
	AUTO(roots) char **roots = NULL;
	json_object *list;

	if (roots_list(c, &roots) || !roots)
		return NULL;
	list = js_new_list();
	for (size_t i = 0; roots[i]; i++)
		js_add_new(list, json_object_new_string(roots[i]));
	return list;
}

void roots_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
