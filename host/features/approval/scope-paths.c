/* SPDX-License-Identifier: MIT
 *
 * scope-paths.c - paths for scopes of approvals, resolved when they are checked. */
#include "features/approval/scope-paths.h"

#include "auto.h"
#include "files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The last component may not exist yet; its directory must exist. */
static char *resolve_new(const char *path)
{
	AUTO(free) char *copy = strdup(path), *up = NULL;
	char *slash = copy ? strrchr(copy, '/') : NULL;
	const char *last = slash ? slash + 1 : "";
	char link;

	if (!slash || !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return NULL;
	if (readlink(path, &link, 1) >= 0)
		return NULL; /* a link whose target does not exist yet */
	*slash = '\0';
	up = realpath(slash == copy ? "/" : copy, NULL);
	if (!up && errno == ENOENT)
		up = resolve_new(copy);
	return up ? path_join(strcmp(up, "/") == 0 ? "" : up, last) : NULL;
}

char *scope_path_resolve(const char *dir, const char *path)
{
	AUTO(free) char *whole = path_join(dir, path);
	char *real;
	size_t len;

	if (!whole || *whole != '/' || !*path || strlen(whole) >= PATH_MAX)
		return NULL;
	real = realpath(whole, NULL);
	if (real || errno != ENOENT)
		return real;
	for (len = strlen(whole); len > 1 && whole[len - 1] == '/';)
		whole[--len] = '\0';
	return resolve_new(whole);
}

bool scope_path_is_below(const char *path, const char *dir)
{
	AUTO(free) char *real = realpath(dir, NULL);

	return real && strcmp(real, "/") != 0 && path_is_in(path, real);
}

static bool is_protected(const char *name, size_t len)
{
	static const char *const names[] = {
		".git", ".mortise", ".openhands", ".envrc", ".mcp.json", ".gitmodules",
		".githooks", ".husky", ".vscode", ".idea", ".ssh", ".gnupg", ".config",
		".local", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout",
		".bash_aliases", ".profile", ".login", ".logout", ".cshrc", ".tcshrc",
		".kshrc", ".mkshrc", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
		".inputrc", ".pam_environment", ".xprofile", ".xinitrc", ".xsession",
		".xsessionrc", ".gitconfig", ".npmrc", ".pypirc", ".netrc", ".pythonrc",
		".vimrc", ".exrc", ".gdbinit",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == len && strncasecmp(names[i], name, len) == 0)
			return true;
	return false;
}

bool scope_path_is_protected(const char *path, const char *dir)
{
	AUTO(free) char *real = realpath(dir, NULL);
	size_t len = real ? strlen(real) : 0;

	for (const char *p = path + (len && strncmp(path, real, len) == 0 ? len : 0);
	     *p;) {
		size_t n;

		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (is_protected(p, n))
			return true;
		p += n;
	}
	return false;
}
