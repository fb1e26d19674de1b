/* SPDX-License-Identifier: MIT
 *
 * spawn.c - forks the child that becomes bash.
 *
 * The process may have threads: between fork and exec, only async-signal-safe functions
 * are called, so all texts are built before. */
#include "spawn.h"
#include "auto.h"
#include "driver.h"
#include "files.h"
#include "signals.h"
#include "strbuf.h"
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>

extern char **environ;

/* Environment of a non-interactive shell. Programs do not wait for keys or ask for
 * passwords on the terminal. An editor that git opens accepts the text proposed by git;
 * other editors fail. */
static const char *const fixed[] = {
	"TERM=xterm",          "NO_COLOR=1",
	"PAGER=cat",           "GIT_PAGER=cat",
	"MANPAGER=cat",        "SYSTEMD_PAGER=cat",
	"EDITOR=false",        "VISUAL=false",
	"GIT_EDITOR=true",     "GIT_SEQUENCE_EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive",
};

/* Variables that would affect the shell itself, or are no longer valid. */
static const char *const dropped[] = {
	"PROMPT_COMMAND=", "BASH_ENV=", "ENV=",     "HISTFILE=", "SHELLOPTS=",
	"BASHOPTS=",       "TMOUT=",    "COLUMNS=", "LINES=",    "OLDPWD=",
	"PWD=",            "PS0=",      "PS4=",     "__mortise_", "BASH_FUNC_",
	"POSIXLY_CORRECT=", "IGNOREEOF=", "BASH_XTRACEFD=",
};

static bool is_dropped(const char *entry)
{
	for (size_t i = 0; i < ARRAY_LEN(dropped); i++)
		if (strncmp(entry, dropped[i], strlen(dropped[i])) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		size_t n = (size_t)(strchr(fixed[i], '=') - fixed[i]) + 1;

		if (strncmp(entry, fixed[i], n) == 0)
			return true;
	}
	return false;
}

static char *spawn_join(const char *name, const char *value)
{
	char *text;

	return asprintf(&text, "%s=%s", name, value) < 0 ? NULL : text;
}

static void environment_free(char **env)
{
	for (char **e = env; *e; e++)
		free(*e);
	free(env);
}

AUTO_DEFINE(environment, char **, environment_free)

static char **environment(const struct spawn *spawn)
{
	size_t count = 0, n = 0;
	bool utf8 = getenv("LC_ALL") || getenv("LC_CTYPE") || getenv("LANG"), good = true;

	while (environ && environ[count])
		count++;
	char **env = calloc(count + ARRAY_LEN(fixed) + 8, sizeof *env);

	if (!env)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!is_dropped(environ[i]))
			good = (env[n++] = strdup(environ[i])) && good;
	for (size_t i = 0; i < ARRAY_LEN(fixed) && good; i++)
		good = (env[n++] = strdup(fixed[i])) && good;
	if (!utf8 && good)
		good = (env[n++] = strdup("LANG=C.UTF-8"));
	if (spawn->startup && good)
		good = (env[n++] = spawn_join("__mortise_f", spawn->startup));
	if (spawn->restores && good)
		good = (env[n++] = spawn_join("__mortise_v", spawn->directory));
	good = good && (env[n++] = spawn_join("PWD", spawn->directory)) &&
	       (env[n++] = spawn_join("__mortise_d", driver_loop)) &&
	       (env[n++] = spawn_join("PROMPT_COMMAND", driver_init));
	if (!good) {
		for (size_t i = 0; i < n; i++)
			free(env[i]);
		free(env);
		return NULL;
	}
	return env;
}

/* The path of the shell: found in PATH, or in the standard directories. */
static char *find_shell(const char *name)
{
	const char *path = getenv("PATH");
	AUTO(free) char *all = NULL;

	if (strchr(name, '/'))
		return path_is_program(name) ? strdup(name) : NULL;
	if (asprintf(&all, "%s:/bin:/usr/bin:/usr/local/bin", path ? path : "") < 0)
		return all = NULL;
	return path_find_program(all, name);
}

static void bash_spawn_close_others(void)
{
	syscall(SYS_close_range, 3u, (unsigned)DRIVER_SOCKET - 1, 0u);
	syscall(SYS_close_range, (unsigned)DRIVER_SOURCE + 1, ~0u, 0u);
}

/* Run in the child. Exit codes follow the shell's convention. */
static _Noreturn void become_shell(const struct spawn *spawn, int source,
				   const char *shell, char **env)
{
	static const char *const argv[] = { "bash", "--noprofile", "--norc",
					    "--noediting", "-i", NULL };
	int a, b, c, d;

	signals_reset();
	/* Duplicate first: any descriptor may have the number of another. */
	a = fcntl(spawn->socket, F_DUPFD, DRIVER_SOURCE + 1);
	b = fcntl(spawn->file, F_DUPFD, DRIVER_SOURCE + 1);
	c = spawn->state < 0 ? -1 : fcntl(spawn->state, F_DUPFD, DRIVER_SOURCE + 1);
	d = fcntl(source, F_DUPFD, DRIVER_SOURCE + 1);
	close(DRIVER_STATE);
	if (a < 0 || b < 0 || dup2(a, DRIVER_SOCKET) < 0 || dup2(b, DRIVER_FILE) < 0 ||
	    (c >= 0 && dup2(c, DRIVER_STATE) < 0) || d < 0 || dup2(d, DRIVER_SOURCE) < 0)
		_exit(126);
	bash_spawn_close_others();
	if (chdir(spawn->directory) < 0 && chdir("/") < 0)
		_exit(126);
	execve(shell, (char *const *)argv, env);
	_exit(127);
}

/* Set the modes of a login terminal: line mode, echo, signals; but no flow control and no
 * newline translation. That makes short lines ten times faster: the kernel delivers each
 * translated newline separately. */
static void usual_modes(struct termios *t)
{
	*t = (struct termios){
		.c_iflag = ICRNL | IUTF8,
		.c_cflag = CS8 | CREAD | CLOCAL,
		.c_lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL |
			   ECHOKE,
	};
	t->c_cc[VINTR] = 3;
	t->c_cc[VQUIT] = 28;
	t->c_cc[VERASE] = 127;
	t->c_cc[VKILL] = 21;
	t->c_cc[VEOF] = 4;
	t->c_cc[VMIN] = 1;
	t->c_cc[VSTART] = 17;
	t->c_cc[VSTOP] = 19;
	t->c_cc[VSUSP] = 26;
	t->c_cc[VREPRINT] = 18;
	t->c_cc[VWERASE] = 23;
	t->c_cc[VLNEXT] = 22;
	cfsetispeed(t, B38400);
	cfsetospeed(t, B38400);
}

int spawn_shell(const struct spawn *spawn, pid_t *ret_pid, int *ret_master,
		struct error *err)
{
	AUTO(free) char *shell = find_shell(spawn->shell);
	AUTO(environment) char **env = environment(spawn);
	AUTO(close) int source = memfd_create("source", MFD_CLOEXEC);
	struct winsize size = { .ws_row = (unsigned short)spawn->rows,
				.ws_col = (unsigned short)spawn->cols };
	struct termios modes;
	int master = -1;

	if (!shell)
		return fail(err, MT_ENOTFOUND,
			    "cannot find the shell `%s`; set the option `shell`",
			    spawn->shell);
	if (!env)
		return out_of_memory(err);
	if (source < 0 || file_write_all(source, driver_source, sizeof driver_source - 1))
		return fail(err, MT_EIO, "cannot start a shell: %s", strerror(errno));
	usual_modes(&modes);
	pid_t pid = forkpty(&master, NULL, &modes, &size);

	if (pid < 0)
		return fail(err, MT_EIO, "cannot start a shell: %s", strerror(errno));
	if (pid == 0)
		become_shell(spawn, source, shell, env);
	fcntl(master, F_SETFD, FD_CLOEXEC);
	fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK);
	*ret_pid = pid;
	*ret_master = master;
	return MT_OK;
}
