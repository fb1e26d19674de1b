/* SPDX-License-Identifier: MIT
 *
 * start-ssh.c - a runner on another host. One session of ssh does everything: a script
 * reports the system and whether the bundle is there, reads it as a tar archive if not, and
 * becomes the runner. */
#include "start-runner.h"

#include "auto.h"
#include "files.h"
#include "strbuf.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

enum { LINE_MAX_BYTES = 8192, NOISE_LINES_MAX = 200 };

/* The lines of the script that are not from the user's profile. */
static const char mark[] = "mortise-start ";

/* For any login shell: one line, and no quote in the quotes. Only a number and a hash are
 * inserted. A bundle is complete when it has its name. */
static const char script[] =
	"exec sh -c 'm=\"${HOME:-/tmp}/.cache/mortise\"; b=\"$m/bundles/%s\"; "
	"[ -d \"$b\" ] && h=have || h=need; "
	"echo \"mortise-start $h $(uname -s)-$(uname -m) ${HOME:-/tmp}\"; "
	"if [ $h = need ]; then read -r go || exit 1; t=\"$b.$$\"; "
	"{ mkdir -p \"$t\" && head -c %" PRId64 " | tar -xf - -C \"$t\" && "
	"{ [ -d \"$b\" ] || mv \"$t\" \"$b\"; }; } || e=1; rm -rf \"$t\"; "
	"[ -z \"$e\" ] || exit 9; fi; "
	"mkdir -p \"$m/cache\"; echo mortise-start ready; "
	"exec \"$b/bin/mortise-runner\"'";

static int ssh_prepare(struct start *s, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 14);
	int64_t size;

	if (bundle_tar_size(&s->bundle, &size, err))
		return err->code;
	if (strbuf_addf(&text, script, s->bundle.name, size))
		return out_of_memory(err);
	return start_add(s, text.text, err);
}

/* ---- paths ---------------------------------------------------------------------- */

/* `path` if it is not in `from`; otherwise its path in `to`. */
static char *moved(const char *path, const char *from, const char *to)
{
	size_t len = strlen(from);
	char *ret = NULL;

	while (len && from[len - 1] == '/')
		len--;
	if (!len || !path_is_in(path, from))
		return strdup(path);
	return asprintf(&ret, "%s%s", to, path + len) < 0 ? NULL : ret;
}

/* The workspace and the home directory of the user are elsewhere. */
static char *there(const struct start *s, const char *path, const char *home)
{
	const char *own = getenv("HOME");

	if (path_is_in(path, s->workspace))
		return moved(path, s->workspace, s->there);
	return moved(path, own && *own == '/' ? own : "", home);
}

static int move_list(const struct start *s, json_object *list, const char *home,
		     struct error *err)
{
	for (size_t i = 0; i < js_length(list); i++) {
		json_object *item = json_object_array_get_idx(list, i);
		AUTO(free) char *path = there(s, json_object_get_string(item), home);

		if (!path || !json_object_set_string(item, path))
			return out_of_memory(err);
	}
	return MT_OK;
}

static int set_path(json_object *o, const char *name, const char *base,
		    const char *conversation, const char *last, struct error *err)
{
	AUTO(strbuf) struct strbuf path = STRBUF(LINE_MAX_BYTES);

	if (!*js_str(o, name, ""))
		return MT_OK;
	strbuf_addf(&path, "%s/.cache/mortise/%s%s%s", base,
		    conversation ? "conversations/" : "",
		    conversation ? conversation : "", last);
	return path.error || js_set_str(o, name, path.text) ? out_of_memory(err) : MT_OK;
}

static int move_paths(struct start *s, const char *home, struct error *err)
{
	static const char *const lists[] = { "write", "read", "sockets", "protect", "hide",
					     "cover" };
	json_object *rules = js_get(s->params, "sandbox");
	const char *id = js_str(s->params, "conversation", "none");
	AUTO(free) char *bundles = path_join(home, ".cache/mortise/bundles");
	AUTO(free) char *bundle = bundles ? path_join(bundles, s->bundle.name) : NULL;
	AUTO(free) char *cache = path_join(home, ".cache/mortise/cache");
	int status = bundle && cache ? MT_OK : out_of_memory(err);

	for (size_t i = 0; !status && i < ARRAY_LEN(lists); i++)
		status = move_list(s, js_get(rules, lists[i]), home, err);
	if (!status && js_get(rules, "cache"))
		status = js_set_str(rules, "cache", cache) ||
					 js_add(js_get(rules, "write"),
						json_object_new_string(cache))
				 ? out_of_memory(err)
				 : MT_OK;
	if (!status)
		status = set_path(s->params, "spool_dir", home, id, "/spool", err);
	if (!status)
		status = set_path(s->params, "state_dir", home, id, "/state", err);
	if (!status)
		status = set_path(s->params, "user_dir", home, NULL, "user", err);
	return status ? status : start_move_plugins(s, bundle, err);
}

/* ---- the script's side of the conversation -------------------------------------- */

/* The next line of the script, without the mark. NULL: it has ended. */
static const char *script_line(struct start *s, char *line)
{
	for (int i = 0; i < NOISE_LINES_MAX && start_read_line(s, line, LINE_MAX_BYTES);
	     i++)
		if (strncmp(line, mark, sizeof mark - 1) == 0)
			return line + sizeof mark - 1;
	return NULL;
}

/* Another process sends, so that errors are read meanwhile. */
static int send_bundle(const struct start *s, struct error *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return fail(err, MT_EIO, "cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		if (file_write_all(s->in, "go\n", 3) == MT_OK)
			bundle_tar_write(&s->bundle, s->in, err);
		_exit(0);
	}
	return MT_OK;
}

static int check_system(const struct start *s, const char *system, struct error *err)
{
	struct utsname own;
	char expected[sizeof own.sysname + sizeof own.machine + 1];

	uname(&own);
	snprintf(expected, sizeof expected, "%s-%s", own.sysname, own.machine);
	if (strcmp(expected, system) == 0)
		return MT_OK;
	return fail(err, MT_EUNSUPPORTED,
		    "%s is a %s system, but this runner is for %s; choose another `host` "
		    "in [runtime.ssh], or run Mortise on a system like that one",
		    s->what, system, expected);
}

static int ssh_greet(struct start *s, struct error *err)
{
	char line[LINE_MAX_BYTES], have[8], system[160];
	const char *text = script_line(s, line);
	int at = 0;

	if (!text)
		return MT_EIO; /* explained below */
	if (sscanf(text, "%7s %159s %n", have, system, &at) != 2 || text[at] != '/')
		return fail(err, MT_EIO, "%s sent an unexpected answer: %.200s", s->what,
			    text);
	if (check_system(s, system, err) || move_paths(s, text + at, err))
		return err->code;
	if (strcmp(have, "need") == 0 && send_bundle(s, err))
		return err->code;
	return script_line(s, line) ? MT_OK : MT_EIO;
}

/* ---- errors --------------------------------------------------------------------- */

static void ssh_explain(const struct start *s, const char *last, struct error *err)
{
	static const struct {
		const char *printed, *sentence; /* with the host twice */
	} table[] = {
		{ "REMOTE HOST IDENTIFICATION HAS CHANGED",
		  "the host key of %s has changed, which may be an attack; if the change is "
		  "expected, remove the old key with `ssh-keygen -R %s`" },
		{ "Host key verification failed",
		  "the host key of %s is unknown; check and accept it with `ssh %s`" },
		{ "Permission denied (",
		  "%s refused the login; add a key to ssh-agent or to ssh's "
		  "configuration, until `ssh -o BatchMode=yes %s true` succeeds" },
		{ "Could not resolve hostname",
		  "the address of %s is unknown; check `host` in [runtime.ssh], and that "
		  "`ssh %s` works" },
		{ "Connection refused",
		  "%s refused the connection; check that sshd runs there, and that "
		  "`ssh %s` works" },
		{ "timed out",
		  "%s does not respond; check the network, and that `ssh %s` works" },
		{ "No space left on device",
		  "the disk of %s is full: the bundle cannot be copied to "
		  "~/.cache/mortise of %s; free some space there" },
		{ "Disk quota exceeded",
		  "the disk quota on %s is exhausted: the bundle cannot be copied to "
		  "~/.cache/mortise of %s; free some space there" },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (start_printed(s, table[i].printed)) {
			fail(err, MT_EIO, table[i].sentence, s->what, s->what);
			return;
		}
	fail(err, MT_EIO, "no runner could be started on %s (exit code %d of ssh)%s%s",
	     s->what, s->code, *last ? ": " : "", last);
}

const struct start_place start_ssh = {
	.name = "ssh",
	.prepare = ssh_prepare,
	.greet = ssh_greet,
	.explain = ssh_explain,
};
