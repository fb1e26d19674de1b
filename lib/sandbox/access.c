/* SPDX-License-Identifier: MIT
 *
 * access.c - finds the rule for a path. */
#include "sandbox/access.h"

#include "files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The innermost path of the list that contains this one. */
static const char *holder(char *const *list, const char *path)
{
	const char *best = NULL;

	for (size_t i = 0; list && list[i]; i++)
		if (path_is_in(path, list[i]) &&
		    (!best || strlen(list[i]) > strlen(best)))
			best = list[i];
	return best;
}

bool sandbox_grants_socket(const struct sandbox_rules *r, const char *path)
{
	return holder(r->sockets, path);
}

/* What every user can read in /etc, as file-rules.c allows it. */
static bool is_public_setting(const char *path)
{
	struct stat st;

	return strncmp(path, "/etc/", 5) == 0 && stat(path, &st) == 0 &&
	       st.st_mode & S_IROTH;
}

enum sandbox_access sandbox_access(const struct sandbox_rules *r, const char *path,
				   const char **ret_rule)
{
	const char *write = holder(r->write, path), *protect = holder(r->protect, path);
	const char *read = holder(r->read, path) ?: holder(r->sockets, path);
	const char *hide = holder(r->hide, path);
	const char *ignored;

	if (!ret_rule)
		ret_rule = &ignored;
	*ret_rule = protect;
	if (protect && (!write || strlen(protect) >= strlen(write)))
		return SANDBOX_ACCESS_PROTECTED;
	*ret_rule = write;
	if (write)
		return SANDBOX_ACCESS_WRITE;
	if (!read && is_public_setting(path))
		read = "/etc";
	*ret_rule = read ? read : hide;
	return read   ? SANDBOX_ACCESS_READ
	       : hide ? SANDBOX_ACCESS_HIDDEN
		      : SANDBOX_ACCESS_NONE;
}

bool sandbox_resolve(const char *directory, const char *path, char *ret)
{
	AUTO(free) char *expanded = path_expand(path);
	AUTO(free) char *absolute = expanded ? path_join(directory, expanded) : NULL;
	AUTO(free) char *rest = NULL;
	char *slash;

	if (!absolute)
		return false;
	if (realpath(absolute, ret))
		return true;
	slash = strrchr(absolute, '/');
	if (!slash || slash == absolute)
		return false;
	rest = strdup(slash);
	*slash = '\0';
	if (!rest || !realpath(absolute, ret) || strlen(ret) + strlen(rest) >= PATH_MAX)
		return false;
	memcpy(ret + strlen(ret), rest, strlen(rest) + 1);
	return true;
}
