/* SPDX-License-Identifier: MIT
 *
 * plugin-fork.c - the parent side of a call in a forked copy: starts the copy, answers
 * its requests and waits for its exit. Nothing that comes from the copy is trusted. */
#include "controller/plugins/plugin-fork.h"

#include "clock.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/plugins/plugin-answer.h"
#include "controller/plugins/plugin-copy.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-output.h"
#include "controller/plugins/plugin-replay.h"
#include "controller/plugins/plugin-sandbox.h"
#include "llm/transport/curl-api.h"
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	PIECE = 1 << 16,
	ANSWERS_MAX = 256 << 20, /* bytes of answers to one call */
	LOGS_MAX = 1000,         /* lines that one call may log */
};

static const struct plugin_copy_process no_copy = { .fd = -1, .exit_fd = -1,
						    .output = { .fd = -1 } };

/* How a call ended. */
enum outcome {
	CALL_RUNS,
	CALL_RETURNED,
	CALL_STALE,       /* the waiting copy cannot get the data for it */
	CALL_ENDED,       /* the copy ended before the function returned */
	CALL_TIMED_OUT,
	CALL_INTERRUPTED,
	CALL_MALFORMED,
	CALL_TOO_LONG,
};

struct fork_call {
	struct mt_ctx *x;
	struct plugin_fork *from;
	const struct plugin_call *call;
	struct plugin_copy_process copy;
	int signal_fd;
	int64_t deadline;
	struct strbuf in, journal, answers; /* journal: entries to execute after the end */
	size_t answered, logs;
	bool closed;                 /* the copy closed the connection */
	enum outcome outcome;
	int status;                  /* result of the function */
	struct error error;
};

/* ---- what the copy asks for -------------------------------------------------------- */

static void plugin_fork_put_answer(struct fork_call *f, int status, struct mt_str text)
{
	const struct journal_entry e = { .type = JOURNAL_ANSWER, .a = status,
					 .text = { text } };

	f->answered += text.len;
	if (f->answered > ANSWERS_MAX || journal_put(&f->answers, &e))
		f->outcome = CALL_TOO_LONG;
}

static void plugin_fork_answer(struct fork_call *f, const struct journal_entry *question)
{
	AUTO(strbuf) struct strbuf text = STRBUF(JOURNAL_MAX);
	struct error err = ERROR_NONE;
	int r = plugin_answer(f->x, question, &text, &err);
	const char *why = err.code ? err.text : status_name(r);

	f->from->reads_view |= question->type == JOURNAL_VIEW;
	plugin_fork_put_answer(f, r,
		   r ? (struct mt_str){ why, strlen(why) }
		     : (struct mt_str){ text.text, text.len });
}

static void log_entry(struct fork_call *f, const struct journal_entry *e)
{
	int level = e->a < MT_LOG_ERROR   ? MT_LOG_ERROR
		    : e->a > MT_LOG_DEBUG ? MT_LOG_DEBUG
					  : (int)e->a;

	if (f->logs++ < LOGS_MAX)
		log_line(level, f->x->part->component->name, "%s", e->text[0].ptr);
}

static void plugin_fork_end_call(struct fork_call *f, const struct journal_entry *e)
{
	f->outcome = CALL_RETURNED;
	f->status = (int)e->a;
	if (e->b)
		fail(&f->error, (int)e->b, "%s", e->text[0].ptr);
}

/* ---- the conversation with the copy ---------------------------------------------------- */

/* Has the copy made a call before? */
static bool plugin_fork_is_kept(const struct fork_call *f)
{
	return f->copy.calls > 1;
}

static bool plugin_fork_is_allowed(const struct fork_call *f,
				   const struct journal_entry *e)
{
	const uint64_t always = JOURNAL_BIT(LOG) | JOURNAL_BIT(BLOB) | JOURNAL_BIT(END) |
				(plugin_fork_is_kept(f) ? JOURNAL_BIT(STALE) : 0);

	return ((f->call->allowed | always) >> e->type & 1) &&
	       plugin_replay_is_complete(e);
}

static void plugin_fork_take_entry(struct fork_call *f, const struct journal_entry *e,
				   const char *bytes, size_t size)
{
	if (!plugin_fork_is_allowed(f, e))
		f->outcome = CALL_MALFORMED;
	else if (e->type == JOURNAL_STALE)
		f->outcome = CALL_STALE;
	else if (e->type == JOURNAL_LOG)
		log_entry(f, e);
	else if (plugin_answer_can(e->type))
		plugin_fork_answer(f, e);
	else if (e->type == JOURNAL_END)
		plugin_fork_end_call(f, e);
	else if (strbuf_addn(&f->journal, bytes, size))
		f->outcome = CALL_TOO_LONG;
}

static void take_entries(struct fork_call *f)
{
	struct journal_entry e;
	size_t at = 0;

	while (f->outcome == CALL_RUNS) {
		int64_t size = journal_get(f->in.text + at, f->in.len - at, &e);

		if (size < 0)
			f->outcome = CALL_MALFORMED;
		if (size <= 0)
			break;
		plugin_fork_take_entry(f, &e, f->in.text + at, (size_t)size);
		at += (size_t)size;
	}
	strbuf_consume(&f->in, at);
}

static void plugin_fork_receive(struct fork_call *f)
{
	ssize_t n;

	if (strbuf_reserve(&f->in, PIECE)) {
		f->outcome = CALL_TOO_LONG;
		return;
	}
	n = recv(f->copy.fd, f->in.text + f->in.len, PIECE, MSG_DONTWAIT);
	if (n > 0) {
		f->in.len += (size_t)n;
		f->in.text[f->in.len] = '\0';
		take_entries(f);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		f->closed = true;
	}
}

static void send_answers(struct fork_call *f)
{
	ssize_t n = send(f->copy.fd, f->answers.text, f->answers.len,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		strbuf_consume(&f->answers, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		strbuf_reset(&f->answers); /* the end of the copy is found elsewhere */
}

/* Wait for the copy, the deadline, and signals to this process. */
static void plugin_fork_converse(struct fork_call *f)
{
	while (f->outcome == CALL_RUNS) {
		int64_t left = f->deadline - clock_ms();
		struct pollfd p[] = {
			{ .fd = f->signal_fd, .events = POLLIN },
			{ .fd = f->closed ? -1 : f->copy.fd,
			  .events = (short)(POLLIN | (f->answers.len ? POLLOUT : 0)) },
			{ .fd = f->copy.exit_fd, .events = POLLIN },
			{ .fd = f->copy.output.fd, .events = POLLIN },
		};

		if (left <= 0)
			f->outcome = CALL_TIMED_OUT;
		else if (poll(p, ARRAY_LEN(p), (int)left) < 0)
			continue;
		else if (p[0].revents)
			f->outcome = CALL_INTERRUPTED;
		else if (p[1].revents & POLLOUT)
			send_answers(f);
		else if (p[1].revents)
			plugin_fork_receive(f);
		else if (p[3].revents)
			plugin_output_take(&f->copy.output);
		else if (p[2].revents || (f->closed && f->copy.exit_fd < 0))
			f->outcome = CALL_ENDED;
	}
}

/* ---- the process ------------------------------------------------------------------------ */

/* Signals that terminate or pause this process, blocked while a copy runs; the loop
 * receives them afterwards. */
static int hold_signals(sigset_t *old)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct sigaction now;

		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&held, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &held, old);
	return signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Terminate the copy. @return its status from waitpid */
static int end_copy(struct plugin_copy_process *p)
{
	int status = 0;

	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	auto_close(&p->fd);
	auto_close(&p->exit_fd);
	plugin_output_close(&p->output);
	*p = no_copy;
	return status;
}

static int fork_copy(struct fork_call *f, int files, void *arg)
{
	struct plugin_copy_process *copy = &f->copy;
	pid_t parent = getpid();
	int ends[2], output, r = plugin_sandbox_prepare(&f->error);

	if (r)
		return r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return fail(&f->error, MT_EIO, "%s", strerror(errno));
	output = plugin_output_open(&copy->output);
	curl_api_join(); /* a thread that loads libraries would leave them half-loaded */
	copy->pid = fork();
	if (copy->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		plugin_copy_run(f->x, f->call, arg,
				(struct plugin_copy_descriptors){ ends[1], files,
								  output });
	}
	auto_close(&output);
	close(ends[1]);
	copy->fd = ends[0];
	if (copy->pid < 0)
		return fail(&f->error, MT_EIO, "fork: %s", strerror(errno));
	copy->exit_fd = (int)syscall(SYS_pidfd_open, copy->pid, 0);
	return MT_OK;
}

static struct plugin_copy_basis basis_of(const struct mt_ctx *x)
{
	const struct agent_frame *agent = x->c ? x->c->agent : NULL;

	return (struct plugin_copy_basis){
		.delegation = agent ? agent->delegation : -1,
		.tools = agent && agent->memory
				 ? request_messages_tools_version(agent->memory)
				 : 0,
	};
}

/* Can the waiting copy make the call? */
static bool can_take(const struct fork_call *f, const struct plugin_copy_process *copy)
{
	const struct plugin_copy_basis basis = basis_of(f->x);
	struct pollfd gone = { .fd = copy->exit_fd, .events = POLLIN };

	return f->call->news && copy->calls < PLUGIN_COPY_CALLS &&
	       copy->basis.delegation == basis.delegation &&
	       copy->basis.tools == basis.tools && gone.fd >= 0 && poll(&gone, 1, 0) == 0;
}

static bool take_waiting(struct fork_call *f)
{
	if (!f->from->waits.pid)
		return false;
	if (!can_take(f, &f->from->waits)) {
		plugin_fork_end_wait(f->from);
		return false;
	}
	f->copy = f->from->waits;
	f->from->waits = no_copy;
	return true;
}

static int plugin_fork_start(struct fork_call *f, void *arg)
{
	int r;

	if (take_waiting(f)) {
		r = f->call->news(f->x, arg, f->from->reads_view, &f->answers, &f->error);
	} else {
		r = fork_copy(f, f->from->files, arg);
		f->copy.basis = basis_of(f->x);
	}
	f->copy.calls++;
	return r;
}

static int explain_end(struct fork_call *f, int status, struct error *err)
{
	const char *path = f->x->part->component->path, *name;

	if (!WIFSIGNALED(status))
		return fail(err, MT_EIO, "%s exited in %s (code %d)", path,
			    f->call->function, WEXITSTATUS(status));
	name = sigabbrev_np(WTERMSIG(status));
	return fail(err, MT_EIO, "%s %s in %s (SIG%s)", path,
		    WTERMSIG(status) == SIGKILL ? "was killed" : "crashed",
		    f->call->function, name ? name : "?");
}

static int plugin_fork_explain(struct fork_call *f, int status, struct error *err)
{
	const char *path = f->x->part->component->path, *function = f->call->function;

	switch (f->outcome) {
	case CALL_ENDED:
		return explain_end(f, status, err);
	case CALL_TIMED_OUT:
		return fail(err, MT_ETIMEOUT, "%s did not return from %s within %g s",
			    path, function, (double)f->x->part->deadline_ms / 1000);
	case CALL_INTERRUPTED:
		return fail(err, MT_ECANCELLED, "%s was interrupted in %s", path,
			    function);
	case CALL_MALFORMED:
		return fail(err, MT_EIO, "%s made an invalid request in %s", path,
			    function);
	case CALL_TOO_LONG:
		return fail(err, MT_ELIMIT, "%s exceeded the limit of %d MiB in %s", path,
			    JOURNAL_MAX >> 20, function);
	case CALL_RETURNED:
	case CALL_STALE:
	case CALL_RUNS:
		break;
	}
	return MT_OK;
}

static void plugin_fork_clear(struct fork_call *f)
{
	auto_close(&f->signal_fd);
	strbuf_clear(&f->in);
	strbuf_clear(&f->journal);
	strbuf_clear(&f->answers);
}

/* Execute the requests of the function while its copy exits or waits, or explain why the
 * function did not return. */
static int conclude(struct fork_call *f, void *arg)
{
	bool returned = f->outcome == CALL_RETURNED;
	int r = MT_OK, status;

	if (!returned || !f->call->next)
		kill(f->copy.pid, SIGKILL); /* no more output is expected */
	if (returned)
		r = plugin_replay(f->x, f->call->function, &f->journal, arg);
	plugin_output_log(&f->copy.output, f->x->part->component->name,
			  f->call->function);
	if (returned && !r && f->call->next && f->status >= 0) {
		f->from->waits = f->copy;
		return MT_OK;
	}
	status = end_copy(&f->copy);
	return returned ? r : plugin_fork_explain(f, status, &f->x->error);
}

static int plugin_fork_attempt(struct fork_call *f, void *arg)
{
	int r = plugin_fork_start(f, arg);

	if (!r)
		plugin_fork_converse(f);
	return r;
}

/* True if a reused copy failed, perhaps because of earlier calls: it lacks data, was
 * terminated, or used up its memory. */
static bool shall_repeat(const struct fork_call *f)
{
	return plugin_fork_is_kept(f) &&
	       (f->outcome == CALL_STALE || f->outcome == CALL_ENDED ||
		(f->outcome == CALL_RETURNED && f->status == MT_ENOMEM));
}

/* Terminate the copy and discard its requests: a call without a result has no effect. */
static void plugin_fork_discard(struct fork_call *f)
{
	enum outcome outcome = f->outcome;
	unsigned calls = f->copy.calls;
	int status = end_copy(&f->copy);
	struct error why = ERROR_NONE;

	if (outcome == CALL_ENDED)
		explain_end(f, status, &why);
	else if (outcome == CALL_RETURNED)
		fail(&why, MT_ENOMEM, "%s is out of memory in %s",
		     f->x->part->component->path, f->call->function);
	if (why.code)
		log_line(MT_LOG_WARNING, f->x->part->component->name,
			 "%s, in call %u of its copy; calling it again in a new copy",
			 why.text, calls);
	strbuf_reset(&f->in);
	strbuf_reset(&f->journal);
	strbuf_reset(&f->answers);
	f->error = ERROR_NONE;
	f->closed = false;
	f->outcome = CALL_RUNS;
}

/* Make the call, again in a new copy if that may help. */
static int plugin_fork_run(struct fork_call *f, void *arg)
{
	int r = plugin_fork_attempt(f, arg);

	if (r || !shall_repeat(f))
		return r;
	plugin_fork_discard(f);
	return plugin_fork_attempt(f, arg);
}

int plugin_fork_call(struct mt_ctx *x, const struct plugin_call *call,
		     struct plugin_fork *from, void *arg)
{
	struct fork_call f = {
		.x = x, .from = from, .call = call, .copy = no_copy,
		.deadline = clock_ms() + x->part->deadline_ms,
		.in = STRBUF(JOURNAL_MAX), .journal = STRBUF(JOURNAL_MAX),
		.answers = STRBUF(ANSWERS_MAX),
	};
	sigset_t old;
	int r;

	f.signal_fd = hold_signals(&old);
	r = plugin_fork_run(&f, arg);
	if (r) {
		fail(&x->error, r, "cannot run %s in a copy of the process: %s",
		     x->part->component->path, f.error.text);
		end_copy(&f.copy);
	} else {
		r = conclude(&f, arg);
	}
	if (!r && f.error.code)
		x->error = f.error;
	plugin_fork_clear(&f);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r ? r : f.status;
}

void plugin_fork_open(struct plugin_fork *ret, const struct component *component)
{
	*ret = (struct plugin_fork){ .files = plugin_sandbox_files(component->path,
								   component->libraries),
				     .waits = no_copy };
}

void plugin_fork_close(struct plugin_fork *f)
{
	plugin_fork_end_wait(f);
	auto_close(&f->files);
}

void plugin_fork_end_wait(struct plugin_fork *f)
{
	end_copy(&f->waits);
}
