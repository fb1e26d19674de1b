/* SPDX-License-Identifier: MIT
 *
 * kind.c - of which kind an action is, when a person says "always for this
 * kind": narrow enough that nobody allows more than is written there. */
#include "controller/confirm.h"

#include "utf8.h"

#include <string.h>

/* Programs that run what their arguments say: only the whole command is one. */
static const char *const runners[] = {
	"awk", "bash", "busybox", "dash", "docker", "doas", "env", "eval", "exec", "find",
	"fish", "gawk", "ksh", "make", "nice", "node", "nohup", "npx", "parallel", "perl",
	"php", "pkexec", "podman", "python", "python2", "python3", "rm", "ruby", "sed",
	"setsid", "sh", "ssh", "stdbuf", "su", "sudo", "tclsh", "time", "timeout", "uv",
	"uvx", "vi", "vim", "watch", "xargs", "zsh",
};

static void put_kind(char *ret, const char *type, const char *what, size_t len)
{
	size_t room = KIND_ROOM - 2 - strlen(type);

	snprintf(ret, KIND_ROOM, "%s%s%.*s", type, len ? " " : "",
		 (int)(len < room ? len : room), what);
}

/* Too long to be told whole: its hash tells it apart. */
static void put_whole(char *ret, const char *type, const char *what)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */
	size_t len = strlen(what);

	if (len <= KIND_ROOM / 2) {
		put_kind(ret, type, what, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)what[i]) * 1099511628211u;
	snprintf(ret, KIND_ROOM, "%s %.*s... (%zu bytes, %016llx)", type,
		 (int)utf8_cut(what, len, 80), what, len, (unsigned long long)hash);
}

/* One program with its arguments, which nothing expands. */
static bool simple(const char *command)
{
	return !strpbrk(command, "\n\r;&|<>()`$\\{}!") && *command;
}

static void kind_of_command(const char *command, char *ret)
{
	size_t len;
	const char *base;

	command += strspn(command, " \t");
	len = strcspn(command, " \t");
	base = memrchr(command, '/', len);
	if (!simple(command) || base || memchr(command, '=', len)
	    || memchr(command, '"', len) || memchr(command, '\'', len)) {
		put_whole(ret, "run", command);
		return;
	}
	for (size_t i = 0; i < sizeof runners / sizeof *runners; i++)
		if (strlen(runners[i]) == len && strncmp(runners[i], command, len) == 0) {
			put_whole(ret, "run", command);
			return;
		}
	put_kind(ret, "run", command, len);
}

static void kind_of_url(const char *type, const char *url, char *ret)
{
	const char *host = strstr(url, "://");

	host = host ? host + 3 : url;
	put_kind(ret, type, host, strcspn(host, "/?#"));
}

static bool inside(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/'
	       && !strstr(path, "/../") && strcmp(path + strlen(path) - 3, "/..") != 0;
}

void confirm_kind(const struct event *action, const char *workspace, char *ret)
{
	const char *type = action->type->name, *path = event_arg(action, "path");

	if (strcmp(type, "run") == 0 && !js_bool(event_args(action), "is_input", false))
		kind_of_command(event_arg(action, "command"), ret);
	else if (strcmp(type, "run") == 0)
		put_whole(ret, "input", event_arg(action, "command"));
	else if (strcmp(type, "run_ipython") == 0)
		put_whole(ret, type, event_arg(action, "code"));
	else if (strcmp(type, "browse") == 0)
		kind_of_url(type, event_arg(action, "url"), ret);
	else if (strcmp(type, "browse_interactive") == 0)
		put_whole(ret, type, event_arg(action, "browser_actions"));
	else if (*path && inside(path, workspace))
		put_kind(ret, type, "in the workspace", strlen("in the workspace"));
	else if (*path)
		put_whole(ret, type, path);
	else
		put_whole(ret, type, event_arg(action, "name"));
}
