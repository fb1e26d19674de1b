/* SPDX-License-Identifier: MIT
 *
 * key-command.c - runs a command that prints an API key, once, with time and size
 * limits. */
#include "config/key-command.h"
#include "clock.h"

#include "files.h"
#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { KEY_BYTES_MAX = 65536, WAIT_MS = 60000, COMMANDS_MAX = 32 };

/* Results of commands that have run: a password manager prompts its user once. */
static struct {
	char *command, *key;
} known[COMMANDS_MAX];

/* Start the command in its own process group, so that all its processes can be killed. It
 * inherits standard input and standard error, so that it can prompt. */
static int key_command_start(const char *command, int out, pid_t *ret)
{
	char sh[] = "/bin/sh", flag[] = "-c";
	char *argv[] = { sh, flag, (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = posix_spawnattr_init(&how);
	if (!r) {
		posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
		r = posix_spawn(ret, sh, &files, &how, argv, environ);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return r;
}

/* @return false after a timeout. */
static bool key_command_read_all(int in, struct strbuf *out)
{
	int64_t end = clock_ms() + WAIT_MS, left;

	while ((left = end - clock_ms()) > 0) {
		struct pollfd fd = { .fd = in, .events = POLLIN };
		char piece[4096];
		ssize_t n;

		if (poll(&fd, 1, (int)left) <= 0)
			continue;
		n = read(in, piece, sizeof piece);
		if (n == 0 || (n < 0 && errno != EINTR))
			return true;
		if (n > 0)
			strbuf_addn(out, piece, (size_t)n);
		explicit_bzero(piece, sizeof piece);
		if (out->error)
			return true;
	}
	return false;
}

static int key_command_run(const char *command, struct strbuf *out, const char *section,
			   struct error *err)
{
	AUTO(close) int in = -1, to = -1;
	int ends[2], r, code = 0;
	pid_t pid = -1;
	bool in_time;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, MT_EIO, "cannot run api_key_command of [%s]: %s",
			    section, strerror(errno));
	in = ends[0];
	to = ends[1];
	r = key_command_start(command, to, &pid);
	if (r)
		return fail(err, MT_EIO, "cannot run api_key_command of [%s]: %s",
			    section, strerror(r));
	close(to);
	to = -1;
	in_time = key_command_read_all(in, out);
	if (!in_time || out->error)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &code, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		return fail(err, MT_ETIMEOUT,
			    "api_key_command of [%s] did not finish "
			    "within %d s",
			    section, WAIT_MS / 1000);
	if (out->error)
		return fail(err, MT_ELIMIT,
			    "api_key_command of [%s] printed more than %d bytes", section,
			    KEY_BYTES_MAX);
	if (!WIFEXITED(code) || WEXITSTATUS(code) != 0)
		return fail(err, MT_EIO, "api_key_command of [%s] failed with %s %d",
			    section, WIFEXITED(code) ? "exit code" : "signal",
			    WIFEXITED(code) ? WEXITSTATUS(code) : WTERMSIG(code));
	return MT_OK;
}

/* The first line of the output, trimmed. */
static char *key_command_first_line(const struct strbuf *out)
{
	const char *start = out->text + strspn(out->text, " \t\r\n");
	size_t len = strcspn(start, "\r\n");

	while (len > 0 && strchr(" \t", start[len - 1]))
		len--;
	return strndup(start, len);
}

static void key_command_keep(const char *command, const char *key)
{
	size_t n = 0;

	while (n < COMMANDS_MAX && known[n].command)
		n++;
	if (n == COMMANDS_MAX)
		return;
	known[n].key = strdup(key);
	known[n].command = known[n].key ? strdup(command) : NULL;
}

char *key_from_command(const char *command, const char *section, struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF(KEY_BYTES_MAX);
	char *key;

	for (size_t n = 0; n < COMMANDS_MAX && known[n].command; n++)
		if (strcmp(known[n].command, command) == 0) {
			key = strdup(known[n].key);
			if (!key)
				out_of_memory(err);
			return key;
		}
	if (key_command_run(command, &out, section, err))
		return NULL;
	key = key_command_first_line(&out);
	if (!key) {
		out_of_memory(err);
	} else if (!*key) {
		free(key);
		fail(err, MT_EINVAL, "api_key_command of [%s] printed no key", section);
		return NULL;
	} else {
		key_command_keep(command, key);
	}
	explicit_bzero(out.text, out.room ? out.room : 0);
	return key;
}
