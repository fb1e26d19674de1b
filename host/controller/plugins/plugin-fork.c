/* SPDX-License-Identifier: MIT
 *
 * plugin-fork.c - the parent side of a plugin that runs in forked copies: it starts a
 * copy, answers its questions, waits for its end, and then does what the plugin asked
 * for. Nothing that comes from the copy is trusted. */
#include "controller/plugins/plugin-fork.h"

#include "clock.h"
#include "context/request-messages.h"
#include "controller/analyzers.h"
#include "controller/core.h"
#include "controller/plugins/plugin-copy.h"
#include "controller/plugins/plugin-host.h"
#include "controller/plugins/plugin-sandbox.h"
#include "llm/transport/curl-api.h"
#include "log.h"

#include <mortise/analyzer.h>
#include <mortise/condenser.h>

#include <errno.h>
#include <fcntl.h>
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
	ANSWERS_MAX = 256 << 20, /* bytes that one call may ask for */
	LOGS_MAX = 1000,         /* lines that one call may log */
};

/* How a call ended. */
enum outcome {
	CALL_RUNS,
	CALL_RETURNED,
	CALL_ENDED,       /* the copy ended before the function returned */
	CALL_TIMED_OUT,
	CALL_INTERRUPTED,
	CALL_MALFORMED,
	CALL_TOO_LONG,
};

/* What stands in for the functions of a component. */
struct plugin_fork {
	union {
		struct mt_agent agent;
		struct mt_condenser condenser;
		struct mt_analyzer analyzer;
	} functions;
	int files;        /* see plugin_sandbox_files */
};

struct fork_call {
	struct mt_ctx *x;
	const struct plugin_call *call;
	pid_t pid;
	int fd, exit_fd, signal_fd;
	int64_t deadline;
	struct strbuf in, journal, answers; /* journal: entries to do after the end */
	size_t answered, logs;
	bool closed;                 /* the copy closed the connection */
	enum outcome outcome;
	int status;                  /* what the function returned */
	struct error error;
};

/* ---- what the copy asks for -------------------------------------------------------- */

static void answer(struct fork_call *f, int status, struct mt_str text)
{
	const struct journal_entry e = { .type = JOURNAL_ANSWER, .a = status,
					 .text = { text } };

	f->answered += text.len;
	if (f->answered > ANSWERS_MAX || journal_put(&f->answers, &e))
		f->outcome = CALL_TOO_LONG;
}

static void answer_error(struct fork_call *f, const struct error *err, int status)
{
	const char *text = err->code ? err->text : status_name(status);

	answer(f, status, (struct mt_str){ text, strlen(text) });
}

static void answer_prompt(struct fork_call *f, const struct journal_entry *e)
{
	struct mt_ctx *x = f->x;
	struct error kept = x->error;
	struct mt_str text = { "", 0 };
	int r;

	x->error = ERROR_NONE;
	r = plugin_host()->prompt(x, e->text[0].ptr, e->text[1], &text);
	if (r)
		answer_error(f, &x->error, r);
	else
		answer(f, MT_OK, text);
	if (!r)
		free(x->texts[--x->text_count]); /* the rendered text */
	x->error = kept;
}

static void answer_blob(struct fork_call *f, const struct journal_entry *e)
{
	AUTO(free) char *bytes = NULL;
	struct error err = ERROR_NONE;
	size_t len = 0, max = e->a > 0 && e->a < JOURNAL_MAX ? (size_t)e->a : JOURNAL_MAX;
	int r = MT_ENOTFOUND;

	if (f->x->c && f->x->c->log)
		r = evlog_blob_read(f->x->c->log, e->text[0].ptr, max, &bytes, &len, NULL,
				    &err);
	if (r)
		answer_error(f, &err, r == MT_EIO ? MT_EINVAL : r);
	else
		answer(f, MT_OK, (struct mt_str){ bytes, len });
}

static void log_entry(struct fork_call *f, const struct journal_entry *e)
{
	int level = e->a < MT_LOG_ERROR   ? MT_LOG_ERROR
		    : e->a > MT_LOG_DEBUG ? MT_LOG_DEBUG
					  : (int)e->a;

	if (f->logs++ < LOGS_MAX)
		log_line(level, f->x->part->component->name, "%s", e->text[0].ptr);
}

static void end_call(struct fork_call *f, const struct journal_entry *e)
{
	f->outcome = CALL_RETURNED;
	f->status = (int)e->a;
	if (e->b)
		fail(&f->error, (int)e->b, "%s", e->text[0].ptr);
}

/* ---- what is done after the end ------------------------------------------------------ */

typedef int replay_fn(struct mt_ctx *x, const struct journal_entry *e, void *arg);

static struct mt_request *request_of(struct mt_ctx *x)
{
	return (struct mt_request *)x; /* see plugin-host.c */
}

static int replay_request(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)e, (void)arg;
	return plugin_host()->request(x) ? MT_OK : out_of_memory(&x->error);
}

static int replay_history(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)e, (void)arg;
	return plugin_host()->request_history(request_of(x));
}

static int replay_request_message(struct mt_ctx *x, const struct journal_entry *e,
				  void *arg)
{
	(void)arg;
	if (e->a < MT_ROLE_SYSTEM || e->a > MT_ROLE_TOOL)
		return fail(&x->error, MT_EINVAL, "unknown role of a message");
	return plugin_host()->request_message(request_of(x), (int)e->a, e->text[0]);
}

static int replay_tool(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->request_tool(request_of(x), e->text[0].ptr);
}

static int replay_set(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->request_set(request_of(x), e->text[0].ptr, e->text[1]);
}

static int replay_define_tool(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->request_define_tool(request_of(x), e->text[0].ptr,
						  e->text[1], e->text[2]);
}

static int replay_media(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	struct mt_event event = { .log = x->c->log, .id = e->a };
	int r;

	(void)arg;
	if (!evlog_head(x->c->log, e->a))
		return MT_OK; /* an event that cannot be read has no images either */
	r = plugin_host()->request_media(request_of(x), &event);
	event_unref(event.event);
	return r;
}

static int replay_send(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)e, (void)arg;
	return plugin_host()->send(x, request_of(x));
}

static int replay_keep(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_host()->keep(x, e->text[0]);
}

/* `arg`: where the text goes. It is borrowed until the work ends. */
static int replay_system(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	struct mt_str *ret = arg;
	const char *text = plugin_hold_text(x, strndup(e->text[0].ptr, e->text[0].len));

	if (!text)
		return out_of_memory(&x->error);
	*ret = (struct mt_str){ text, e->text[0].len };
	return MT_OK;
}

static int replay_call(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return e->a < 0 ? MT_EINVAL : plugin_agent_out()->call(x, (size_t)e->a);
}

static int replay_action(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_agent_out()->action(x, e->text[0].ptr, e->text[1]);
}

static int replay_message(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_agent_out()->message(x, e->text[0], e->a != 0);
}

static int replay_report(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_agent_out()->report_error(x, e->text[0]);
}

static int replay_drop(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_condenser_out()->drop(x, (size_t)e->a, (size_t)e->b);
}

static int replay_mask(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_condenser_out()->mask(x, (size_t)e->a, e->text[0]);
}

static int replay_forget(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	size_t count = e->text[0].len / sizeof(size_t);
	AUTO(free) size_t *places = malloc(e->text[0].len + 1);

	(void)arg;
	if (!places)
		return out_of_memory(&x->error);
	memcpy(places, e->text[0].ptr, count * sizeof *places);
	return plugin_condenser_out()->forget(x, places, count, e->text[1], (size_t)e->a);
}

static int replay_verdict(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_analyzer_out()->verdict(x, (int)e->a, e->b != 0, e->text[0],
					      e->text[1]);
}

static int replay_rule(struct mt_ctx *x, const struct journal_entry *e, void *arg)
{
	(void)arg;
	return plugin_analyzer_out()->rule(x, (int)e->a, e->b != 0, e->text[0].ptr,
					   e->text[1].ptr, e->text[2].ptr);
}

/* For each type what does it, how many texts it must have, and whether it needs a
 * request. */
static const struct {
	replay_fn *replay;
	unsigned texts;
	bool request;
} replays[JOURNAL_TYPES] = {
	[JOURNAL_LOG] = { NULL, 1, false },
	[JOURNAL_PROMPT] = { NULL, 2, false },
	[JOURNAL_BLOB] = { NULL, 1, false },
	[JOURNAL_END] = { NULL, 1, false },
	[JOURNAL_REQUEST] = { replay_request, 0, false },
	[JOURNAL_HISTORY] = { replay_history, 0, true },
	[JOURNAL_REQUEST_MESSAGE] = { replay_request_message, 1, true },
	[JOURNAL_TOOL] = { replay_tool, 0, true },
	[JOURNAL_SET] = { replay_set, 2, true },
	[JOURNAL_DEFINE_TOOL] = { replay_define_tool, 3, true },
	[JOURNAL_MEDIA] = { replay_media, 0, true },
	[JOURNAL_SEND] = { replay_send, 0, true },
	[JOURNAL_KEEP] = { replay_keep, 1, false },
	[JOURNAL_SYSTEM] = { replay_system, 1, false },
	[JOURNAL_CALL] = { replay_call, 0, false },
	[JOURNAL_ACTION] = { replay_action, 2, false },
	[JOURNAL_MESSAGE] = { replay_message, 1, false },
	[JOURNAL_REPORT] = { replay_report, 1, false },
	[JOURNAL_DROP] = { replay_drop, 0, false },
	[JOURNAL_MASK] = { replay_mask, 1, false },
	[JOURNAL_FORGET] = { replay_forget, 2, false },
	[JOURNAL_VERDICT] = { replay_verdict, 2, false },
	[JOURNAL_RULE] = { replay_rule, 3, false },
};

static int replay_all(struct fork_call *f, void *arg)
{
	struct journal_entry e;
	int r = MT_OK;

	for (size_t at = 0; r >= 0 && at < f->journal.len;) {
		at += (size_t)journal_get(f->journal.text + at, f->journal.len - at, &e);
		if (replays[e.type].request && !f->x->request)
			r = fail(&f->x->error, MT_EINVAL,
				 "%s has no request to change in %s",
				 f->x->part->component->path, f->call->function);
		else
			r = replays[e.type].replay(f->x, &e, arg);
	}
	return r < 0 ? r : MT_OK;
}

/* ---- the conversation with the copy ---------------------------------------------------- */

static bool is_allowed(const struct fork_call *f, const struct journal_entry *e)
{
	const uint32_t always =
		1u << JOURNAL_LOG | 1u << JOURNAL_BLOB | 1u << JOURNAL_END;

	if (!((f->call->allowed | always) >> e->type & 1))
		return false;
	for (unsigned i = 0; i < replays[e->type].texts; i++)
		if (!e->text[i].ptr)
			return false;
	return true;
}

static void take_entry(struct fork_call *f, const struct journal_entry *e,
		       const char *bytes, size_t size)
{
	if (!is_allowed(f, e))
		f->outcome = CALL_MALFORMED;
	else if (e->type == JOURNAL_LOG)
		log_entry(f, e);
	else if (e->type == JOURNAL_PROMPT)
		answer_prompt(f, e);
	else if (e->type == JOURNAL_BLOB)
		answer_blob(f, e);
	else if (e->type == JOURNAL_END)
		end_call(f, e);
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
		take_entry(f, &e, f->in.text + at, (size_t)size);
		at += (size_t)size;
	}
	strbuf_consume(&f->in, at);
}

static void receive(struct fork_call *f)
{
	ssize_t n;

	if (strbuf_reserve(&f->in, PIECE)) {
		f->outcome = CALL_TOO_LONG;
		return;
	}
	n = recv(f->fd, f->in.text + f->in.len, PIECE, MSG_DONTWAIT);
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
	ssize_t n =
		send(f->fd, f->answers.text, f->answers.len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		strbuf_consume(&f->answers, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		strbuf_reset(&f->answers); /* the end of the copy is found elsewhere */
}

/* Wait for the copy, the deadline, and signals to this process. */
static void converse(struct fork_call *f)
{
	while (f->outcome == CALL_RUNS) {
		int64_t left = f->deadline - clock_ms();
		struct pollfd p[] = {
			{ .fd = f->signal_fd, .events = POLLIN },
			{ .fd = f->closed ? -1 : f->fd,
			  .events = (short)(POLLIN | (f->answers.len ? POLLOUT : 0)) },
			{ .fd = f->exit_fd, .events = POLLIN },
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
			receive(f);
		else if (p[2].revents || (f->closed && f->exit_fd < 0))
			f->outcome = CALL_ENDED;
	}
}

/* ---- the process ------------------------------------------------------------------------ */

/* Signals that end or pause this process, held back while a copy runs: the loop gets
 * them afterwards. */
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

static int start(struct fork_call *f, void *arg)
{
	pid_t parent = getpid();
	int ends[2], r = plugin_sandbox_prepare(&f->error);

	if (r)
		return r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return fail(&f->error, MT_EIO, "%s", strerror(errno));
	curl_api_join(); /* a thread that loads libraries would leave them half-loaded */
	f->pid = fork();
	if (f->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		plugin_copy_run(f->x, f->call, arg,
				(struct plugin_copy_descriptors){
					ends[1], f->x->part->stand_in->files });
	}
	close(ends[1]);
	f->fd = ends[0];
	if (f->pid < 0)
		return fail(&f->error, MT_EIO, "fork: %s", strerror(errno));
	f->exit_fd = (int)syscall(SYS_pidfd_open, f->pid, 0);
	return MT_OK;
}

/* @return how it ended, as waitpid tells it */
static int finish(struct fork_call *f)
{
	int status = 0;

	if (f->outcome != CALL_ENDED || f->exit_fd < 0)
		kill(f->pid, SIGKILL);
	while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
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

static int explain(struct fork_call *f, int status, struct error *err)
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
	case CALL_RUNS:
		break;
	}
	return MT_OK;
}

static void clear(struct fork_call *f)
{
	auto_close(&f->fd);
	auto_close(&f->exit_fd);
	auto_close(&f->signal_fd);
	strbuf_clear(&f->in);
	strbuf_clear(&f->journal);
	strbuf_clear(&f->answers);
}

/* Do what the function asked for while its copy ends, or explain why it did not return. */
static int conclude(struct fork_call *f, void *arg)
{
	int r;

	if (f->outcome != CALL_RETURNED)
		return explain(f, finish(f), &f->x->error);
	kill(f->pid, SIGKILL);
	r = replay_all(f, arg);
	finish(f);
	return r;
}

static int fork_call(struct mt_ctx *x, const struct plugin_call *call, void *arg)
{
	struct fork_call f = {
		.x = x, .call = call, .fd = -1, .exit_fd = -1,
		.deadline = clock_ms() + x->part->deadline_ms,
		.in = STRBUF(JOURNAL_MAX), .journal = STRBUF(JOURNAL_MAX),
		.answers = STRBUF(ANSWERS_MAX),
	};
	sigset_t old;
	int r;

	f.signal_fd = hold_signals(&old);
	r = start(&f, arg);
	if (r) {
		fail(&x->error, r, "cannot run %s in a copy of the process: %s",
		     x->part->component->path, f.error.text);
	} else {
		converse(&f);
		r = conclude(&f, arg);
	}
	if (!r && f.error.code)
		x->error = f.error;
	clear(&f);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r ? r : f.status;
}

/* ---- agents --------------------------------------------------------------------------- */

enum {
	ALLOW_REQUEST = 1u << JOURNAL_PROMPT | 1u << JOURNAL_REQUEST |
			1u << JOURNAL_HISTORY | 1u << JOURNAL_REQUEST_MESSAGE |
			1u << JOURNAL_TOOL | 1u << JOURNAL_SET |
			1u << JOURNAL_DEFINE_TOOL | 1u << JOURNAL_MEDIA |
			1u << JOURNAL_SEND | 1u << JOURNAL_KEEP,
};

static int call_system(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_agent *f = functions;
	struct mt_str text = { "", 0 };
	int r = f->system(plugin_copy_host(), x, &text);

	(void)arg;
	return r ? r : plugin_copy_system(x, text);
}

static int agent_system(const struct mt_host *host, struct mt_ctx *x,
			struct mt_str *ret_text)
{
	static const struct plugin_call call = {
		.function = "system", .call = call_system,
		.allowed = 1u << JOURNAL_PROMPT | 1u << JOURNAL_SYSTEM,
	};

	(void)host;
	return fork_call(x, &call, ret_text);
}

static int call_agent(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_agent *f = functions;

	return f->advance(plugin_copy_host(), plugin_copy_agent_out(), x, arg);
}

static int agent_advance(const struct mt_host *host, const struct mt_agent_out *out,
			 struct mt_ctx *x, const struct mt_in *in)
{
	static const struct plugin_call call = {
		.function = "advance", .call = call_agent,
		.allowed = ALLOW_REQUEST | 1u << JOURNAL_CALL | 1u << JOURNAL_ACTION |
			   1u << JOURNAL_MESSAGE | 1u << JOURNAL_REPORT,
	};

	(void)host, (void)out;
	return fork_call(x, &call, (struct mt_in *)in);
}

static void stand_in_agent(struct plugin_fork *f, const struct component *c)
{
	f->functions.agent =
		(struct mt_agent){ .size = sizeof f->functions.agent,
				   .flags = (uint32_t)js_int(c->data, "flags", 0),
				   .tools = js_str(c->data, "tools", NULL),
				   .system = agent_system,
				   .advance = agent_advance };
}

/* ---- condensers ------------------------------------------------------------------------ */

static int call_condenser(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_condenser *f = functions;

	return f->advance(plugin_copy_host(), plugin_copy_condenser_out(), x, arg);
}

/* The texts of recalled context are made from templates, which are files, so a copy could
 * not make them. */
static void prepare_recalled(struct mt_ctx *x)
{
	for (size_t i = 0; i < x->view_count; i++)
		if (x->view[i].event >= 0 &&
		    evlog_head(x->c->log, x->view[i].event)->type->id ==
			    OBSERVATION_RECALL)
			request_messages_text(x->c->agent->memory, x->view[i].event);
}

static int condenser_advance(const struct mt_host *host,
			     const struct mt_condenser_out *out, struct mt_ctx *x,
			     const struct mt_in *in)
{
	static const struct plugin_call call = {
		.function = "advance", .call = call_condenser,
		.allowed = ALLOW_REQUEST | 1u << JOURNAL_DROP | 1u << JOURNAL_MASK |
			   1u << JOURNAL_FORGET,
	};

	(void)host, (void)out;
	prepare_recalled(x);
	return fork_call(x, &call, (struct mt_in *)in);
}

static int call_check(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_condenser *f = functions;

	(void)arg;
	return f->check(plugin_copy_host(), x);
}

static int condenser_check(const struct mt_host *host, struct mt_ctx *x)
{
	static const struct plugin_call call = { .function = "check",
						 .call = call_check };

	(void)host;
	return fork_call(x, &call, NULL);
}

static void stand_in_condenser(struct plugin_fork *f, const struct component *c)
{
	bool check = js_bool(c->data, "check", false);

	f->functions.condenser =
		(struct mt_condenser){ .size = sizeof f->functions.condenser,
				       .advance = condenser_advance,
				       .check = check ? condenser_check : NULL };
}

/* ---- analyzers ------------------------------------------------------------------------- */

static int call_analyzer(struct mt_ctx *x, const void *functions, void *arg)
{
	return analyzer_advance_anew(functions, plugin_copy_host(),
				     plugin_copy_analyzer_out(), x, arg);
}

static int analyzer_advance(const struct mt_host *host, const struct mt_analyzer_out *out,
			    struct mt_ctx *x, const struct mt_in *in)
{
	static const struct plugin_call call = { .function = "advance",
						 .call = call_analyzer,
						 .allowed = 1u << JOURNAL_VERDICT };

	(void)host, (void)out;
	return fork_call(x, &call, (struct mt_in *)in);
}

static int call_open(struct mt_ctx *x, const void *functions, void *arg)
{
	const struct mt_analyzer *f = functions;
	void *instance = NULL;

	(void)arg;
	return f->open(plugin_copy_host(), plugin_copy_analyzer_out(), x, &instance);
}

/* Are its options good? Each call opens it again. */
static int analyzer_open(const struct mt_host *host, const struct mt_analyzer_out *out,
			 struct mt_ctx *x, void **ret_instance)
{
	static const struct plugin_call call = { .function = "open", .call = call_open };

	(void)host, (void)out;
	*ret_instance = NULL;
	return fork_call(x, &call, NULL);
}

static int call_rules(struct mt_ctx *x, const void *functions, void *arg)
{
	(void)arg;
	return analyzer_rules_anew(functions, plugin_copy_host(),
				   plugin_copy_analyzer_out(), x);
}

static int analyzer_rules(const struct mt_host *host, const struct mt_analyzer_out *out,
			  struct mt_ctx *x)
{
	static const struct plugin_call call = { .function = "rules", .call = call_rules,
						 .allowed = 1u << JOURNAL_RULE };

	(void)host, (void)out;
	return fork_call(x, &call, NULL);
}

static void stand_in_analyzer(struct plugin_fork *f, const struct component *c)
{
	f->functions.analyzer = (struct mt_analyzer){
		.size = sizeof f->functions.analyzer,
		.flags = (uint32_t)js_int(c->data, "flags", 0),
		.advance = analyzer_advance,
		.open = js_bool(c->data, "open", false) ? analyzer_open : NULL,
		.rules = js_bool(c->data, "rules", false) ? analyzer_rules : NULL,
	};
}

/* ---- by kind --------------------------------------------------------------------------- */

static void (*const kinds[])(struct plugin_fork *f, const struct component *c) = {
	[MT_KIND_AGENT] = stand_in_agent,
	[MT_KIND_CONDENSER] = stand_in_condenser,
	[MT_KIND_ANALYZER] = stand_in_analyzer,
};

bool plugin_fork_can(int kind)
{
	return kind > 0 && (size_t)kind < ARRAY_LEN(kinds) && kinds[kind];
}

struct plugin_fork *plugin_fork_open(const struct component *component)
{
	struct plugin_fork *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->files = plugin_sandbox_files(component->path);
	kinds[component->kind](f, component);
	return f;
}

struct plugin_fork *plugin_fork_free(struct plugin_fork *f)
{
	if (f)
		auto_close(&f->files);
	free(f);
	return NULL;
}

const void *plugin_fork_functions(const struct plugin_fork *f)
{
	return f ? &f->functions : NULL;
}
