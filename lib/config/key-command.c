/* SPDX-License-Identifier: MIT
 *
 * key-command.c - runs a command that prints an API key, once, with time and size
 * limits. */
#include "config/key-command.h"
#include "clock.h"

#include "files.h"
#include "signals.h"
#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEY_BYTES_MAX = 65536, WAIT_MS = 60000, COMMANDS_MAX = 32 };

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

/* Results of commands that have run: a password manager prompts its user once. */
static struct {
	char *command, *key;
} known[COMMANDS_MAX];

/* For kill(): the command that runs, negative if it is a process group; 0: none. */
static volatile pid_t running;

void key_command_kill(void)
{
	if (running)
		kill(running, SIGKILL);
}

static void key_command_on_signal(int number)
{
	key_command_kill();
	signal(number, SIG_DFL);
	raise(number);
}

/* Where a signal would end this process, it ends the command, too. */
static void key_command_catch(struct sigaction before[ARRAY_LEN(ending)])
{
	struct sigaction act = { .sa_handler = key_command_on_signal };

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		if (sigaction(ending[i], NULL, &before[i]) == 0 &&
		    before[i].sa_handler == SIG_DFL)
			sigaction(ending[i], &act, NULL);
}

static void key_command_release(const struct sigaction before[ARRAY_LEN(ending)])
{
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		sigaction(ending[i], &before[i], NULL);
}

/* A process of another group than ours could not read from our terminal. */
static bool key_command_can_prompt(void)
{
	AUTO(close) int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	return terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
}

/* Start the command in its own process group, so that all its processes can be killed,
 * unless it can prompt for input at the terminal. It inherits standard input and standard
 * error. */
static int key_command_start(const char *command, int out, bool own_group, pid_t *ret)
{
	short flags = POSIX_SPAWN_SETSIGMASK | (own_group ? POSIX_SPAWN_SETPGROUP : 0);
	sigset_t mask;
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
		posix_spawnattr_setflags(&how, flags);
		signals_hold(&mask); /* until the handler knows what to kill */
		posix_spawnattr_setsigmask(&how, &mask);
		r = posix_spawn(ret, sh, &files, &how, argv, environ);
		if (!r)
			running = own_group ? -*ret : *ret;
		signals_release(&mask);
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

/* Run the command and read its output from `ends`. @return an errno. */
static int key_command_collect(const char *command, int ends[2], struct strbuf *out,
			       bool *ret_in_time, int *ret_code)
{
	struct sigaction before[ARRAY_LEN(ending)];
	bool own_group = !key_command_can_prompt();
	pid_t pid = -1;
	int r;

	key_command_catch(before);
	r = key_command_start(command, ends[1], own_group, &pid);
	close(ends[1]);
	if (!r) {
		*ret_in_time = key_command_read_all(ends[0], out);
		if (!*ret_in_time || out->error)
			key_command_kill();
		while (waitpid(pid, ret_code, 0) < 0 && errno == EINTR)
			;
		running = 0;
	}
	key_command_release(before);
	close(ends[0]);
	return r;
}

static int key_command_run(const char *command, struct strbuf *out, const char *section,
			   struct error *err)
{
	int ends[2], r = 0, code = 0;
	bool in_time = true;

	if (pipe2(ends, O_CLOEXEC) < 0)
		r = errno;
	else
		r = key_command_collect(command, ends, out, &in_time, &code);
	if (r)
		return fail(err, MT_EIO, "cannot run api_key_command of [%s]: %s",
			    section, strerror(r));
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
