/* SPDX-License-Identifier: MIT
 *
 * probe.c - lets the runner create a sandbox without paths, and stores its state. */
#include "sandbox/probe.h"

#include "files.h"
#include "landlock.h"
#include "sandbox/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATE_MAX = 4096 };

/* What the result depends on: the boot, and the settings. */
static int probe_put_key(const struct sandbox_rules *r, struct strbuf *out)
{
	AUTO(close) int fd =
		open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char boot[64] = "";
	ssize_t len = fd >= 0 ? read(fd, boot, sizeof boot - 1) : 0;

	boot[len > 0 ? strcspn(boot, "\n") : 0] = '\0';
	return strbuf_addf(out, "%s %d %d %d %d", boot, (int)geteuid(),
			   landlock_version(), r->landlock, r->namespaces);
}

static char *state_path(void)
{
	AUTO(free) char *dir = NULL;

	return paths_xdg_dir("RUNTIME", true, &dir, NULL)
		       ? NULL
		       : path_join(dir, "sandbox.json");
}

static bool probe_load(const char *path, const char *key, struct sandbox_state *ret)
{
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *o = NULL;
	size_t len;

	if (file_read(path, STATE_MAX, &text, &len, NULL))
		return false;
	o = js_parse_object(text, len, NULL);
	if (strcmp(js_str(o, "key", ""), key) != 0)
		return false;
	sandbox_state_read(o, ret);
	return true;
}

/* If it cannot be stored, it is found out again. */
static void probe_store(const char *path, const char *key, const struct sandbox_state *s)
{
	AUTO(strbuf) struct strbuf out = STRBUF(STATE_MAX);

	strbuf_addc(&out, '{');
	js_key_str(&out, "key", key);
	sandbox_state_put(s, &out);
	strbuf_add(&out, "}\n");
	if (!out.error)
		file_write(path, out.text, out.len, 0600, false, NULL);
}

/* The first line of what a program prints. It is executed, not only forked: this process
 * may have threads, and the program loads libraries. */
static int probe_execute(char *const argv[], struct strbuf *out, struct error *err)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status, failed;
	char buffer[512];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, MT_EIO, "cannot find out what the sandbox enforces: %s",
			    strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
					 0);
	failed = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (!failed && (n = read(ends[0], buffer, sizeof buffer)) > 0)
		strbuf_addn(out, buffer, (size_t)n);
	close(ends[0]);
	if (failed)
		return fail(err, MT_EIO, "cannot run %s: %s", argv[0], strerror(failed));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return MT_OK;
}

static int probe_try(const struct config *c, const struct sandbox_rules *r,
		     struct sandbox_state *ret, struct error *err)
{
	const char *runner = config_get(c, "core", "runner");
	AUTO(json) json_object *rules = sandbox_rules_json(r);
	AUTO(json) json_object *state = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(STATE_MAX);
	const char *text = js_text(rules, NULL);
	int status;

	if (!text || !runner)
		return out_of_memory(err);
	status = probe_execute((char *[]){ (char *)(uintptr_t)runner,
					   (char *)(uintptr_t) "--sandbox",
					   (char *)(uintptr_t)text, NULL },
			       &out, err);
	if (!status)
		state = js_parse_object(out.text, out.len, NULL);
	sandbox_state_read(state, ret);
	return status;
}

int sandbox_probe(const struct config *c, struct sandbox_state *ret, struct error *err)
{
	struct sandbox_rules rules;
	AUTO(strbuf) struct strbuf key = STRBUF(512);
	AUTO(free) char *path = state_path();
	int status;

	*ret = (struct sandbox_state){ 0 };
	sandbox_profile_settings(c, &rules);
	rules.network = SANDBOX_NETWORK_NONE;
	if (probe_put_key(&rules, &key))
		return out_of_memory(err);
	if (path && probe_load(path, key.text, ret))
		return MT_OK;
	status = probe_try(c, &rules, ret, err);
	if (!status && path)
		probe_store(path, key.text, ret);
	return status;
}
