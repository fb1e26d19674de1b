/* SPDX-License-Identifier: MIT
 *
 * process.c - starts `mortise` from the directory of this program or from PATH. */
#include "process.h"

#include "auto.h"
#include "clock.h"
#include "files.h"
#include "js.h"
#include "signals.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>

enum { ARGS_MAX = 300, COMPLAINT_MAX = 4096, HELLO_MAX = 64 << 10 };

/* ---- starting ---------------------------------------------------------- */

/* In the child: becomes mortise. */
static void chat_process_become(const char *const *args)
{
	AUTO(free) char *self = realpath("/proc/self/exe", NULL);
	char *slash = self ? strrchr(self, '/') : NULL;
	const char *argv[ARGS_MAX + 2] = { "mortise" };
	size_t n = 1;

	for (size_t i = 0; args[i] && n < ARGS_MAX; i++)
		argv[n++] = args[i];
	if (slash) {
		AUTO(free) char *path = NULL;

		*slash = '\0';
		path = path_join(self, "mortise");
		if (path)
			execv(path, (char **)argv);
	}
	execv(BIN_DIR "/mortise", (char **)argv);
	execvp("mortise", (char **)argv);
	fprintf(stderr, "cannot start mortise: %s\n", strerror(errno));
	_exit(127);
}

static void chat_process_close_fd(int *fd)
{
	auto_close(fd);
	*fd = -1;
}

static int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

struct ends {
	int in[2], out[2], errors[2];
};

static void close_ends(struct ends *e)
{
	int *all[] = { &e->in[0], &e->in[1], &e->out[0],
		       &e->out[1], &e->errors[0], &e->errors[1] };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		chat_process_close_fd(all[i]);
}

static int chat_process_spawn(const char *const *args, struct ends *e, pid_t *ret,
			      struct error *err)
{
	*e = (struct ends){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(e->in, O_CLOEXEC) < 0 || pipe2(e->out, O_CLOEXEC) < 0 ||
	    pipe2(e->errors, O_CLOEXEC) < 0 || (*ret = fork()) < 0) {
		close_ends(e);
		return fail(err, MT_EIO, "cannot start a process: %s", strerror(errno));
	}
	if (*ret == 0) {
		signals_reset();
		setsid(); /* it survives the end of the terminal */
		dup2(e->in[0], STDIN_FILENO);
		dup2(e->out[1], STDOUT_FILENO);
		dup2(e->errors[1], STDERR_FILENO);
		chat_process_become(args);
	}
	chat_process_close_fd(&e->in[0]);
	chat_process_close_fd(&e->out[1]);
	chat_process_close_fd(&e->errors[1]);
	return MT_OK;
}

/* ---- output ------------------------------------------------------------ */

/* Read both until `whole` says that it is enough, the ends are closed, or the
 * time is over. */
static int chat_process_listen_to(struct ends *e, struct strbuf *out,
				  struct strbuf *complaint,
				  bool (*whole)(struct strbuf *out), struct error *err)
{
	int64_t end = clock_ms() + CHILD_START_MS, left;

	while ((e->out[0] >= 0 || e->errors[0] >= 0) && !(whole && whole(out))) {
		struct pollfd fds[2] = { { .fd = e->out[0], .events = POLLIN },
					 { .fd = e->errors[0], .events = POLLIN } };
		int *ends[2] = { &e->out[0], &e->errors[0] };
		struct strbuf *texts[2] = { out, complaint };

		left = end - clock_ms();
		if (left <= 0 || poll(fds, 2, (int)left) == 0)
			return fail(err, MT_ETIMEOUT, "mortise does not respond");
		for (size_t i = 0; i < 2; i++) {
			char piece[4096];
			ssize_t n =
				fds[i].revents ? read(fds[i].fd, piece, sizeof piece) : 1;

			if (fds[i].revents && n > 0)
				strbuf_addn(texts[i], piece, (size_t)n);
			if (n == 0 || (n < 0 && errno != EINTR))
				chat_process_close_fd(ends[i]);
		}
	}
	return MT_OK;
}

static int chat_process_failed(const struct strbuf *complaint, struct error *err)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(COMPLAINT_MAX * 4);
	const char *text;

	text_clean_line(&clean, complaint->text, complaint->len);
	text = clean.text;
	if (strncmp(text, "mortise: ", 9) == 0)
		text += 9;
	return fail(err, MT_EIO, "%s", *text ? text : "mortise exited unexpectedly");
}

static bool chat_process_has_line(struct strbuf *out)
{
	return memchr(out->text, '\n', out->len) != NULL;
}

static int chat_process_take_hello(struct process *c, const struct strbuf *out,
				   const struct strbuf *complaint, struct error *err)
{
	AUTO(json)
	json_object *hello = js_parse_object(out->text, strcspn(out->text, "\n"), NULL);
	const char *id = js_str(hello, "conversation", "");

	if (!*id || strlen(id) >= sizeof c->id)
		return chat_process_failed(complaint, err);
	memcpy(c->id, id, strlen(id) + 1);
	return MT_OK;
}

int process_start(struct process *c, const char *const *args, struct strbuf *warnings,
		  struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF(HELLO_MAX),
				   complaint = STRBUF(COMPLAINT_MAX);
	struct ends e;

	*c = CHILD_NONE;
	if (chat_process_spawn(args, &e, &c->pid, err))
		return err->code;
	if (chat_process_listen_to(&e, &out, &complaint, chat_process_has_line, err) ==
	    MT_OK)
		chat_process_take_hello(c, &out, &complaint, err);
	if (!err->code) {
		c->in = steal_fd(&e.in[1]);
		c->errors = steal_fd(&e.errors[0]);
		if (c->errors >= 0)
			fcntl(c->errors, F_SETFL, O_NONBLOCK);
		strbuf_addn(warnings, complaint.text, complaint.len);
	}
	close_ends(&e);
	if (err->code) {
		kill(c->pid, SIGTERM);
		waitpid(c->pid, NULL, 0);
		c->pid = 0;
	}
	return err->code;
}

void process_release(struct process *c)
{
	chat_process_close_fd(&c->in);
	chat_process_close_fd(&c->errors);
}

void process_reap(struct process *c)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		if (pid == c->pid)
			c->pid = 0;
}

int process_output(const char *const *args, struct strbuf *out, struct error *err)
{
	AUTO(strbuf) struct strbuf complaint = STRBUF(COMPLAINT_MAX);
	struct ends e;
	pid_t pid;
	int status = 0;

	if (chat_process_spawn(args, &e, &pid, err))
		return err->code;
	chat_process_close_fd(&e.in[1]);
	if (chat_process_listen_to(&e, out, &complaint, NULL, err))
		kill(pid, SIGTERM);
	close_ends(&e);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!err->code && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		chat_process_failed(&complaint, err);
	if (!err->code && out->error)
		fail(err, MT_ELIMIT, "the output of mortise is too long");
	return err->code;
}
