/* SPDX-License-Identifier: MIT
 *
 * session.c - one shell, its three channels, and waiting for them. */
#include "session.h"
#include "carry.h"
#include "clock.h"
#include "driver.h"
#include "effect.h"
#include "files.h"
#include "spawn.h"
#include "vt.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

enum {
	READ_SIZE = 64 * 1024,
	READ_ONCE = 256 * 1024,   /* more than a terminal can buffer */
	RECORD_MAX = 1024 * 1024, /* bytes of a status record */
	CLOSE_MS = 500,           /* for a shell to exit by itself */
	COPY_MS = 5000,           /* for a shell to complete its state */
	POLL_MS = 100,            /* without pidfd_open: interval between exit checks */
};

struct session {
	char *shell, *startup, *directory;
	void (*sink)(void *arg, const char *bytes, size_t len);
	void *arg;
	pid_t pid;             /* 0: no shell */
	int master, socket, file, pidfd;
	int state;             /* the shell's state between commands; -1: not kept */
	bool restores;         /* the first shell restores that state */
	bool is_plain;         /* the shell has no functions, aliases or traps */
	bool keeps;            /* the last command may have changed the state */
	bool hung_up;          /* no process has the terminal open */
	bool running;          /* a command runs, or the shell is starting */
	unsigned long number;  /* of the last command */
	struct strbuf record;  /* status text not yet complete */
	struct session_status status;
	struct termios modes;  /* initial terminal modes */
	pthread_mutex_t lock;  /* for `master` when closing, and `typed` */
	struct strbuf typed;   /* input that the terminal has not accepted */
	bool was_typed;        /* since the last command */
	char buffer[READ_SIZE];
};

int bash_session_new(const struct session_config *config, struct session **ret,
		     struct error *err)
{
	struct session *s = calloc(1, sizeof *s);

	if (s) {
		s->shell = strdup(config->shell);
		s->startup = config->startup ? strdup(config->startup) : NULL;
		s->directory = strdup(config->directory);
		s->sink = config->sink;
		s->arg = config->arg;
		s->master = s->socket = s->file = s->pidfd = s->state = -1;
		if (config->keeps_state)
			s->state = memfd_create("state", MFD_CLOEXEC);
		s->record = STRBUF(RECORD_MAX);
		s->typed = STRBUF(SESSION_TYPED_MAX);
		s->status =
			(struct session_status){ .exit_code = -1, .job = -1, .uid = -1 };
		pthread_mutex_init(&s->lock, NULL);
	}
	if (!s || !s->shell || !s->directory || (config->startup && !s->startup)) {
		bash_session_free(s);
		return out_of_memory(err);
	}
	*ret = s;
	return MT_OK;
}

static void bash_session_close_fd(int *fd)
{
	auto_close(fd);
	*fd = -1;
}

/* Reset the members that belong to one shell process. */
static void forget_shell(struct session *s)
{
	pthread_mutex_lock(&s->lock);
	bash_session_close_fd(&s->master);
	strbuf_clear(&s->typed);
	pthread_mutex_unlock(&s->lock);
	bash_session_close_fd(&s->socket);
	bash_session_close_fd(&s->file);
	bash_session_close_fd(&s->pidfd);
	strbuf_clear(&s->record);
	s->pid = 0;
	s->running = s->hung_up = false;
}

/* Reap the shell without waiting; the exit code is in shell notation. */
static bool bash_session_reap(struct session *s)
{
	int how = 0;
	pid_t pid = waitpid(s->pid, &how, WNOHANG);

	if (pid == 0 || (pid < 0 && errno == EINTR))
		return false;
	s->status.exit_code = pid < 0          ? -1
			      : WIFEXITED(how) ? WEXITSTATUS(how)
					       : 128 + WTERMSIG(how);
	return true;
}

static void end_shell(struct session *s)
{
	long until = clock_ms() + CLOSE_MS;
	struct pollfd p = { .fd = s->pidfd, .events = POLLIN };

	/* No more commands, and a hangup: bash passes it on to its jobs. */
	bash_session_close_fd(&s->socket);
	bash_session_close_fd(&s->master);
	while (!bash_session_reap(s)) {
		long left = until - clock_ms();

		if (left <= 0) {
			kill(s->pid, SIGKILL);
			left = CLOSE_MS;
		}
		poll(&p, s->pidfd >= 0, (int)(s->pidfd < 0 && left > 10 ? 10 : left));
	}
}

/* The shell writes its state after it has reported the end of a command. */
static bool is_in_command(const struct session *s)
{
	struct pollfd p[] = { { .fd = s->socket, .events = POLLIN },
			      { .fd = s->pidfd, .events = POLLIN } };

	return s->pid && s->running && poll(p, ARRAY_LEN(p), 0) == 0;
}

static int copy_state(int from, int to)
{
	char piece[8192];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, piece, sizeof piece, at)) > 0) {
		if (file_write_all(to, piece, (size_t)n) != MT_OK)
			return MT_EIO;
		at += n;
	}
	return n < 0 ? MT_EIO : MT_OK;
}

/* The directory of the shell; `ret` has PATH_MAX bytes. */
static const char *current_directory(const struct session *s, char *ret)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/%ld/cwd", (long)s->pid);
	len = s->pid ? readlink(link, ret, PATH_MAX - 1) : 0;
	ret[len > 0 ? len : 0] = '\0';
	return len > 0 ? ret : s->directory;
}

int bash_session_split(struct session *s, struct session **ret, struct error *err)
{
	char directory[PATH_MAX];
	int r;
	const struct session_config config = {
		.shell = s->shell, .startup = s->startup,
		.directory = current_directory(s, directory),
		.keeps_state = true, .sink = s->sink, .arg = s->arg,
	};

	if (s->state < 0)
		return fail(err, MT_EIO, "the state of the shell is not kept");
	r = bash_session_new(&config, ret, err);
	if (r)
		return r;
	if (copy_state(s->state, (*ret)->state))
		r = fail(err, MT_EIO, "cannot copy the state of the shell");
	else if (!is_in_command(s))
		r = fail(err, MT_ENOTFOUND, "the command has ended");
	(*ret)->restores = true;
	(*ret)->is_plain = s->is_plain;
	if (r)
		*ret = bash_session_free(*ret);
	return r;
}

void session_load(struct session *s, const char *path)
{
	char *directory = carry_read(path, s->state);

	if (!directory)
		return;
	free(s->directory);
	s->directory = directory;
	s->restores = true;
	s->is_plain = false;
}

struct session *bash_session_free(struct session *s)
{
	if (!s)
		return NULL;
	if (s->pid)
		end_shell(s);
	forget_shell(s);
	bash_session_close_fd(&s->state);
	pthread_mutex_destroy(&s->lock);
	free(s->status.directory);
	free(s->status.path);
	free(s->status.pipeline);
	free(s->shell);
	free(s->startup);
	free(s->directory);
	free(s);
	return NULL;
}

/* Nothing to restore yet: a new shell has only what its startup file defines. */
static void forget_state(struct session *s)
{
	if (s->state >= 0)
		ftruncate(s->state, 0);
	s->is_plain = !s->startup;
}

int session_start(struct session *s, const char *directory, struct error *err)
{
	AUTO(close) int theirs = -1;
	int pair[2];

	if (s->pid)
		return MT_OK;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(err, MT_EIO, "cannot start a shell: %s", strerror(errno));
	s->socket = pair[0];
	theirs = pair[1];
	fcntl(s->socket, F_SETFL, O_NONBLOCK);
	s->file = memfd_create("command", MFD_CLOEXEC);
	if (s->file < 0) {
		bash_session_close_fd(&s->socket);
		return fail(err, MT_EIO, "cannot start a shell: %s", strerror(errno));
	}
	const struct spawn spawn = {
		.shell = s->shell, .startup = s->startup,
		.directory = directory ? directory : s->directory,
		.socket = theirs, .file = s->file, .state = s->state,
		.restores = s->restores, .rows = VT_ROWS, .cols = VT_COLS,
	};

	if (!s->restores)
		forget_state(s);
	s->restores = s->keeps = false;
	if (spawn_shell(&spawn, &s->pid, &s->master, err) != MT_OK) {
		s->pid = 0;
		forget_shell(s);
		return err ? err->code : MT_EIO;
	}
	s->pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0);
	s->number = 0;
	s->running = true;
	tcgetattr(s->master, &s->modes);
	return MT_OK;
}

void session_set_arg(struct session *s, void *arg)
{
	s->arg = arg;
}

bool session_is_alive(const struct session *s)
{
	return s->pid != 0;
}

bool session_is_running(const struct session *s)
{
	return s->running;
}

const struct session_status *session_status(const struct session *s)
{
	return &s->status;
}

/* ---- input -------------------------------------------------------------- */

/* Called with the lock held. */
static void flush_typed(struct session *s)
{
	while (s->master >= 0 && s->typed.len) {
		ssize_t n = write(s->master, s->typed.text, s->typed.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		strbuf_consume(&s->typed, (size_t)n);
	}
}

int session_type(struct session *s, const char *bytes, size_t len)
{
	pthread_mutex_lock(&s->lock);
	int r = s->master < 0 ? MT_ENOTFOUND
		: s->typed.len + len >= SESSION_TYPED_MAX
			? MT_ELIMIT
			: strbuf_addn(&s->typed, bytes, len);

	s->was_typed = true;
	if (r == MT_OK)
		flush_typed(s);
	pthread_mutex_unlock(&s->lock);
	return r;
}

bool session_may_echo(const struct session *s)
{
	struct termios t;

	return s->master >= 0 && tcgetattr(s->master, &t) == 0 &&
	       (t.c_lflag & (ECHO | ICANON)) != ICANON;
}

bool session_edits_lines(const struct session *s)
{
	struct termios t;

	return s->master >= 0 && tcgetattr(s->master, &t) == 0 && !(t.c_lflag & ICANON);
}

struct waiting bash_session_waiting(struct session *s)
{
	pthread_mutex_lock(&s->lock);
	bool left = s->typed.len > 0;

	pthread_mutex_unlock(&s->lock);
	return s->pid && s->master >= 0 && !left ? waiting_look(s->pid, s->master)
						 : (struct waiting){ .kind = WAITING_NO };
}

pid_t session_front(const struct session *s)
{
	return s->master >= 0 ? tcgetpgrp(s->master) : -1;
}

void session_signal(struct session *s, int signal, bool spare_shell)
{
	pid_t front = s->master >= 0 ? tcgetpgrp(s->master) : -1;

	if (!s->pid)
		return;
	if (front > 0 && front != s->pid)
		kill(-front, signal);
	else if (!spare_shell)
		kill(s->pid, signal);
	kill(s->pid, SIGCONT);
}

void session_kill(struct session *s)
{
	if (s->pid)
		kill(s->pid, SIGKILL);
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	       a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag &&
	       memcmp(a->c_cc, b->c_cc, VEOL2 + 1) == 0;
}

/* Undo what the last command left: terminal modes and unread input. */
static void restore_terminal(struct session *s)
{
	struct termios t;

	if (tcgetattr(s->master, &t) == 0 && !same_modes(&t, &s->modes))
		tcsetattr(s->master, TCSANOW, &s->modes);
	pthread_mutex_lock(&s->lock);
	bool flush = s->was_typed;

	s->was_typed = false;
	strbuf_reset(&s->typed);
	pthread_mutex_unlock(&s->lock);
	if (!flush)
		return;
	AUTO(close) int slave =
		ioctl(s->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (slave >= 0)
		tcflush(slave, TCIFLUSH);
}

/* If the shell is dead, session_wait reports it. */
static void send_go(struct session *s)
{
	char go[32];
	int n = snprintf(go, sizeof go, "%c%lu\n", s->keeps ? 'k' : 'g', s->number);

	send(s->socket, go, (size_t)n, MSG_NOSIGNAL);
}

/* Writing the state takes longer than many commands: it is only done when it may have
 * changed. */
static void note_effect(struct session *s, const char *command, size_t len)
{
	enum effect effect = s->state < 0 ? EFFECT_NONE : bash_effect(command, len);

	s->is_plain = s->is_plain && effect != EFFECT_UNKNOWN;
	s->keeps = s->state >= 0 && (effect != EFFECT_NONE || !s->is_plain);
}

static int session_put_command(struct session *s, const char *command, size_t len,
			       bool pipeline, struct error *err)
{
	static const char pipe[] = DRIVER_PIPE;
	size_t more = pipeline ? sizeof pipe - 1 : 0;

	if (len > SESSION_COMMAND_MAX)
		return fail(err, MT_ELIMIT,
			    "the command is longer than %d MiB; write it "
			    "to a file and run that",
			    SESSION_COMMAND_MAX >> 20);
	if (memchr(command, '\0', len))
		return fail(err, MT_EINVAL, "the command contains a NUL byte");
	restore_terminal(s);
	/* A NUL ends the command for `read`; the offset is shared with the shell. */
	if (ftruncate(s->file, 0) < 0 || lseek(s->file, 0, SEEK_SET) < 0 ||
	    file_write_all(s->file, command, len) != MT_OK ||
	    file_write_all(s->file, pipe, more) != MT_OK ||
	    file_write_all(s->file, "", 1) != MT_OK || lseek(s->file, 0, SEEK_SET) < 0)
		return fail(err, MT_EIO, "cannot send the command to the shell: %s",
			    strerror(errno));
	return MT_OK;
}

static void session_go(struct session *s)
{
	s->number++;
	s->running = true;
	send_go(s);
}

int bash_session_run(struct session *s, const char *command, size_t len, bool pipeline,
		     struct error *err)
{
	if (session_put_command(s, command, len, pipeline, err))
		return err->code;
	note_effect(s, command, len);
	session_go(s);
	return MT_OK;
}

static int session_run_handover(struct session *s, bool keeps, struct error *err)
{
	long until = clock_ms() + COPY_MS;
	int seen = 0;

	if (session_put_command(s, CARRY_COMMAND, strlen(CARRY_COMMAND), false, err))
		return err->code;
	s->keeps = s->state >= 0 && keeps;
	session_go(s);
	while (!(seen & (SESSION_DONE | SESSION_DEAD)) && clock_ms() < until)
		seen = session_wait(s, COPY_MS / 50, -1);
	return seen & SESSION_DONE ? MT_OK
				   : fail(err, MT_ETIMEOUT, "the shell does not respond");
}

/* The shell writes its state after the first command, and has completed it before it starts
 * the second one. */
int session_copy(struct session *s, const char *path, struct error *err)
{
	char directory[PATH_MAX];

	if (!s->pid || s->running)
		return fail(err, MT_ELIMIT, "a program runs in the shell");
	if (session_run_handover(s, true, err) || session_run_handover(s, false, err))
		return err->code;
	carry_write(path, current_directory(s, directory), s->state);
	return MT_OK;
}

void session_save(struct session *s, const char *path)
{
	char directory[PATH_MAX];

	if (access(path, F_OK) < 0)
		return;
	const char *where = current_directory(s, directory);

	if (s->pid && !s->running)
		session_run_handover(s, false, NULL); /* it has completed its state */
	if (s->pid)
		end_shell(s);
	forget_shell(s);
	carry_write(path, where, s->state);
}

/* ---- output ------------------------------------------------------------- */

/* @return true if it read any. Stops after READ_ONCE bytes: a background process may
 * print forever. */
static bool read_terminal(struct session *s)
{
	size_t total = 0;

	while (s->master >= 0 && total < READ_ONCE) {
		ssize_t n = read(s->master, s->buffer, sizeof s->buffer);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		s->sink(s->arg, s->buffer, (size_t)n);
		total += (size_t)n;
	}
	return total > 0;
}

static bool take_field(const char **at, const char **ret)
{
	*ret = *at;
	*at += strlen(*at) + 1;
	return **ret != '\0';
}

static void bash_session_replace(char **old, const char *text)
{
	if (*old && strcmp(*old, text) == 0)
		return;
	char *copy = strdup(text);

	if (copy) {
		free(*old);
		*old = copy;
	}
}

/* One complete record: number, exit code, job, directory, PATH, user, pipeline.
 * @return true if it describes the last command. An interrupt between two commands makes
 * the shell repeat itself; the word to start may be lost then. */
static bool take_record(struct session *s, const char *at)
{
	const char *number, *code, *job, *directory, *path, *uid, *pipeline;

	take_field(&at, &number);
	take_field(&at, &code);
	bool has_job = take_field(&at, &job);

	take_field(&at, &directory);
	take_field(&at, &path);
	take_field(&at, &uid);
	take_field(&at, &pipeline);
	if (strtoul(number, NULL, 10) != s->number) {
		send_go(s);
		return false;
	}
	s->status.exit_code = (int)strtol(code, NULL, 10);
	s->status.job = has_job ? strtol(job, NULL, 10) : -1;
	s->status.uid = strtol(uid, NULL, 10);
	bash_session_replace(&s->status.directory, directory);
	bash_session_replace(&s->status.path, path);
	bash_session_replace(&s->status.pipeline, pipeline);
	return true;
}

/* @return true once the command has ended. */
static bool read_status(struct session *s)
{
	char piece[8192];
	bool done = false;
	ssize_t n = read(s->socket, piece, sizeof piece);

	if (n <= 0) {
		if (n == 0) /* `exec` of another program: only its exit remains */
			bash_session_close_fd(&s->socket);
		return false;
	}
	if (strbuf_addn(&s->record, piece, (size_t)n) != MT_OK) {
		kill(s->pid, SIGKILL); /* its record cannot be valid */
		return false;
	}
	for (;;) {
		size_t fields = 0, i = 0;

		while (i < s->record.len && fields < DRIVER_FIELDS)
			fields += s->record.text[i++] == '\0';
		if (fields < DRIVER_FIELDS)
			return done;
		done = take_record(s, s->record.text) || done;
		strbuf_consume(&s->record, i);
	}
}

static int shell_died(struct session *s)
{
	read_terminal(s);
	forget_shell(s);
	return SESSION_DEAD;
}

int session_wait(struct session *s, int timeout_ms, int cancel_fd)
{
	bool slow =
		(s->pidfd < 0 || s->hung_up) && (timeout_ms < 0 || timeout_ms > POLL_MS);
	int seen = 0;

	if (!s->pid)
		return SESSION_DEAD;
	pthread_mutex_lock(&s->lock);
	flush_typed(s);
	bool more = s->typed.len > 0;

	pthread_mutex_unlock(&s->lock);
	struct pollfd p[] = {
		{ .fd = s->hung_up ? -1 : s->master,
		  .events = (short)(POLLIN | (more ? POLLOUT : 0)) },
		{ .fd = s->socket, .events = POLLIN },
		{ .fd = s->pidfd, .events = POLLIN },
		{ .fd = cancel_fd, .events = POLLIN },
	};

	if (poll(p, ARRAY_LEN(p), slow ? POLL_MS : timeout_ms) < 0)
		return 0;
	/* Read the terminal after the status: the command wrote its output before, and
	 * the read waits until the kernel has delivered it. */
	if (p[1].revents && read_status(s)) {
		s->running = false;
		seen |= SESSION_DONE;
	}
	if (p[0].revents || s->hung_up || seen) {
		bool read = read_terminal(s);

		seen |= read ? SESSION_OUTPUT : 0;
		s->hung_up = !read && (p[0].revents & POLLHUP || s->hung_up);
	}
	if (p[3].revents)
		seen |= SESSION_CANCEL;
	if (!(seen & SESSION_DONE) && (p[2].revents || p[0].revents & POLLHUP || slow) &&
	    bash_session_reap(s))
		seen |= shell_died(s);
	return seen;
}
