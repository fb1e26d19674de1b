/* SPDX-License-Identifier: MIT
 *
 * sensitive.c - tables of files that contain keys, and of files that other programs
 * run or trust. */
#include "sensitive.h"

#include <string.h>

/* In the home directory unless they start with a slash; a trailing slash: all content. */
static const char *const secrets[] = {
	".ssh/",
	".aws/",
	".gnupg/",
	".kube/",
	".netrc",
	".pgpass",
	".my.cnf",
	".npmrc",
	".pypirc",
	".docker/config.json",
	".git-credentials",
	".config/gh/",
	".config/gcloud/",
	".config/git/credentials",
	".azure/",
	".cargo/credentials",
	".cargo/credentials.toml",
	".gem/credentials",
	".vault-token",
	".terraform.d/credentials.tfrc.json",
	".password-store/",
	".local/share/keyrings/",
	".mozilla/",
	".config/google-chrome/",
	".config/chromium/",
	".bash_history",
	".zsh_history",
	".config/rclone/",
	".config/mortise/",
	".local/state/mortise/",
	".oci/",
	".config/op/",
	".m2/settings.xml",
	"/etc/shadow",
	"/etc/gshadow",
	"/etc/sudoers",
	"/etc/sudoers.d/",
	"/etc/ssh/",
	"/etc/ssl/private/",
	"/etc/mortise/",
	NULL,
};

/* Files that other programs run or trust. */
static const char *const starters[] = {
	".bashrc",
	".bash_profile",
	".bash_login",
	".bash_logout",
	".bash_aliases",
	".profile",
	".zshrc",
	".zshenv",
	".zprofile",
	".zlogin",
	".zlogout",
	".kshrc",
	".cshrc",
	".tcshrc",
	".login",
	".inputrc",
	".xinitrc",
	".xsession",
	".xprofile",
	".vimrc",
	".vim/",
	".emacs",
	".emacs.d/",
	".config/nvim/",
	".config/fish/",
	".config/autostart/",
	".config/systemd/",
	".config/environment.d/",
	".config/git/",
	".gitconfig",
	".config/mortise/",
	".ssh/",
	".local/bin/",
	"bin/",
	".local/lib/mortise/",
	".cargo/config",
	".cargo/config.toml",
	".condarc",
	".pip/",
	".config/pip/",
	".npmrc",
	".yarnrc",
	".gdbinit",
	".pythonrc",
	".local/state/mortise/",
	"/usr/local/lib/mortise/",
	"/var/spool/cron/",
	"/dev/sd",
	NULL,
};

/* System directories, where projects are not expected. */
static const char *const system_dirs[] = {
	"/etc", "/boot", "/bin", "/sbin",         "/lib",     "/lib32",     "/lib64",
	"/usr", "/proc", "/sys", "/root/.config", "/var/lib", "/var/spool", NULL,
};
static const char *const not_system[] = { "/usr/src", "/usr/local/src", NULL };

static bool sensitive_named(const char *path, const char *entry)
{
	size_t n = strlen(entry);

	if (entry[n - 1] == '/')
		return strncmp(path, entry, n) == 0 ||
		       (strncmp(path, entry, n - 1) == 0 && path[n - 1] == '\0');
	return strcmp(path, entry) == 0;
}

static bool sensitive_listed(const struct place *place, const char *const *list,
			     const char *path)
{
	const char *homes[] = { place->home, place->real_home };

	for (; *list; list++) {
		if (**list == '/' && sensitive_named(path, *list))
			return true;
		for (size_t i = 0; **list != '/' && i < 2; i++)
			if (homes[i] && place_is_below(path, homes[i]) &&
			    path[strlen(homes[i])] &&
			    sensitive_named(path + strlen(homes[i]) + 1, *list))
				return true;
	}
	return false;
}

static bool sensitive_ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n >= k && strcmp(path + n - k, end) == 0;
}

/* Our own directories, if the environment moves them. */
static bool sensitive_is_ours(const char *path)
{
	static const char *const variables[] = { "XDG_CONFIG_HOME", "XDG_STATE_HOME" };

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		const char *dir = getenv(variables[i]);
		size_t n = dir ? strlen(dir) : 0;

		if (n > 1 && place_is_below(path, dir) &&
		    sensitive_named(path + n, "/mortise/"))
			return true;
	}
	return false;
}

bool sensitive_is_output(const char *path)
{
	const char *at = strstr(path, "/mortise/conversations/");

	return at && (strstr(at, "/spool/") || strstr(at, "/tools/bash/job-"));
}

/* In the workspace of a subagent, which is in our own directory. */
static bool is_own_workspace(const struct place *place, const char *path)
{
	const char *const roots[] = { place->workspace, place->real_workspace };

	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		if (strstr(roots[i], "/mortise/workspaces/") &&
		    place_is_below(path, roots[i]))
			return true;
	return false;
}

bool sensitive_is_secret(const struct place *place, const char *path)
{
	if (sensitive_is_output(path) || is_own_workspace(place, path))
		return false;
	if (sensitive_is_ours(path))
		return true;
	if (sensitive_listed(place, secrets, path))
		return true;
	if (strncmp(path, "/proc/", 6) == 0 && sensitive_ends_with(path, "/environ"))
		return true;
	/* Of other users, too: /root/.ssh, /home/x/.aws. */
	if (strncmp(path, "/home/", 6) == 0 || strncmp(path, "/root/", 6) == 0) {
		const char *rest = path[1] == 'r' ? path + 6 : strchr(path + 6, '/');

		rest = rest && *rest == '/' ? rest + 1 : rest;
		for (const char *const *s = secrets; rest && *s; s++)
			if (**s != '/' && sensitive_named(rest, *s))
				return true;
	}
	return false;
}

bool sensitive_in_system(const char *path)
{
	for (const char *const *d = not_system; *d; d++)
		if (place_is_below(path, *d))
			return false;
	for (const char *const *d = system_dirs; *d; d++)
		if (place_is_below(path, *d))
			return true;
	return false;
}

/* Devices, except those that accept any data. */
bool sensitive_is_device(const char *path)
{
	static const char *const harmless[] = {
		"/dev/null",   "/dev/zero",   "/dev/full",   "/dev/tty",     "/dev/stdin",
		"/dev/stdout", "/dev/stderr", "/dev/random", "/dev/urandom", NULL
	};

	if (!place_is_below(path, "/dev") || place_is_below(path, "/dev/fd") ||
	    place_is_below(path, "/dev/shm"))
		return false;
	for (const char *const *h = harmless; *h; h++)
		if (strcmp(*h, path) == 0)
			return false;
	return true;
}

bool sensitive_is_protected(const struct place *place, const char *path)
{
	const char *git = strstr(path, "/.git/");

	if ((sensitive_listed(place, starters, path) && !is_own_workspace(place, path)) ||
	    sensitive_in_system(path) || sensitive_is_device(path) ||
	    sensitive_is_secret(place, path))
		return true;
	if (git && (strncmp(git + 6, "hooks/", 6) == 0 || strcmp(git + 6, "hooks") == 0 ||
		    sensitive_ends_with(path, "/config") ||
		    sensitive_ends_with(path, "/config.worktree") ||
		    strncmp(git + 6, "info/attributes", 15) == 0))
		return true;
	return strstr(path, "/.mortise/") || sensitive_ends_with(path, "/.mortise") ||
	       sensitive_ends_with(path, "/.envrc") || strstr(path, "/.ssh/");
}

/* A system directory, a home directory, the workspace, another directory of the
 * conversation, or a parent of these. */
bool sensitive_is_critical(const struct place *place, const char *path)
{
	static const char *const roots[] = { "/",     "/home", "/root",  "/var", "/opt",
					     "/srv",  "/mnt",  "/media", "/usr", "/etc",
					     "/boot", "/bin",  "/sbin",  "/lib", "/lib64",
					     "/dev",  "/proc", "/sys",   "/tmp", "/run",
					     NULL };

	for (const char *const *r = roots; *r; r++)
		if (strcmp(*r, path) == 0)
			return true;
	if (strncmp(path, "/home/", 6) == 0 && !strchr(path + 6, '/'))
		return true;
	for (size_t i = 0; place->roots && place->roots[i]; i++)
		if (place_is_below(place->roots[i], path))
			return true;
	return (place->home && place_is_below(place->home, path)) ||
	       (place->real_home && place_is_below(place->real_home, path)) ||
	       (*place->workspace && place_is_below(place->workspace, path)) ||
	       (*place->real_workspace && place_is_below(place->real_workspace, path));
}
