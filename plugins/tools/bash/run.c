/* SPDX-License-Identifier: MIT
 *
 * run.c - calls of the shell tool. */
#include "run-internal.h"
#include "clock.h"
#include "files.h"
#include "keys.h"
#include "screen.h"
#include "session.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
	NOTE_MAX = 16 * 1024,      /* a prefix or suffix */
	GRACE_MS = 500,            /* after SIGINT, before SIGKILL */
	PATIENCE_MS = 2500,        /* after SIGINT, before the shell is killed */
	TIMEOUT_MAX_S = 7 * 86400,
	MARGIN_MS = 300,           /* to report before the caller's own limit */
	AGAIN_MS = 100,            /* after C-c: check whether it reached a process */
	INTERRUPTS_MAX = 3,        /* consecutive C-c; the last one kills */
	LOOK_MS = 40,              /* without output, before checking for input waits */
	LOOK_MOST_MS = 400,        /* maximum interval between checks */
	SETTLE_MS = 1000,          /* without output, where waiting is uncertain */
	LOG_MAX = 256 << 20,       /* bytes of a job's log file */
};

/* Write terminal text to a file: each overwritten line becomes a line. */
static void run_write_log(struct run *r, const char *bytes, size_t len)
{
	char text[4096];
	size_t n = 0;

	for (size_t i = 0; i < len && r->logged < LOG_MAX; i++) {
		char c = bytes[i] == '\r' ? '\n' : bytes[i];

		if ((unsigned char)c >= ' ' || c == '\n' || c == '\t')
			text[n++] = c;
		if (n == sizeof text || (n && i + 1 == len)) {
			r->logged += (off_t)n;
			file_write_all(r->log, text, n);
			n = 0;
		}
	}
}

static void run_on_output(void *arg, const char *bytes, size_t len)
{
	struct run *r = arg;

	if (r->config.raw && !r->drains)
		r->config.raw(r->config.arg, bytes, len);
	screen_feed(r->screen, bytes, len);
}

static void bash_run_on_live(void *arg, const char *bytes, size_t len)
{
	struct run *r = arg;

	if (r->log >= 0)
		run_write_log(r, bytes, len);
	if (r->config.live && len && !r->drains)
		r->config.live(r->config.arg, bytes, len);
}

static void bash_run_on_answer(void *arg, const char *bytes, size_t len)
{
	struct run *r = arg;

	answers_add(&r->answers, r->session, bytes, len);
}

int run_new(const struct run_config *config, struct run **ret, struct error *err)
{
	struct run *r = calloc(1, sizeof *r);
	char host[256] = "";

	if (!r)
		return out_of_memory(err);
	const struct screen_hooks hooks = { bash_run_on_live, bash_run_on_answer, r };
	const struct session_config session = {
		.shell = config->shell, .startup = config->startup,
		.directory = config->directory,
		.keeps_state = config->style == RUN_STYLE_BRIEF,
		.sink = run_on_output, .arg = r,
	};

	r->config = *config;
	r->uid = r->log = -1;
	r->answers.bytes = STRBUF(ANSWERS_MAX);
	gethostname(host, sizeof host - 1);
	host[strcspn(host, ".")] = '\0';
	r->hostname = strdup(host);
	r->screen = screen_new(&hooks);
	if (bash_session_new(&session, &r->session, err) != MT_OK || !r->screen ||
	    !r->hostname) {
		run_free(r);
		return out_of_memory(err);
	}
	*ret = r;
	return MT_OK;
}

struct run *run_free(struct run *r)
{
	if (!r)
		return NULL;
	bash_session_free(r->session);
	bash_session_free(r->next);
	run_log(r, -1);
	screen_free(r->screen);
	strbuf_clear(&r->answers.bytes);
	free(r->directory);
	told_clear(&r->told);
	pipeline_clear(&r->pipeline);
	free(r->username);
	free(r->hostname);
	free(r);
	return NULL;
}

int run_type(struct run *r, const char *bytes, size_t len)
{
	return session_type(r->session, bytes, len);
}

void run_save(struct run *r, const char *path)
{
	session_save(r->session, path);
}

void run_load(struct run *r, const char *path)
{
	session_load(r->session, path);
}

/* ---- the shell ----------------------------------------------------------- */

int run_warm(struct run *r, struct error *err)
{
	struct stat st;
	const char *dir = r->directory;

	if (session_is_alive(r->session))
		return MT_OK;
	if (dir && (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode)))
		dir = NULL;
	r->is_new = r->started;
	r->started = true;
	return session_start(r->session, dir, err);
}

/* Start the shell if necessary and wait until it accepts commands. */
static int bash_run_ready(struct run *r, int cancel_fd, struct error *err)
{
	int64_t until = clock_ms() + SESSION_START_MS;
	int status = run_warm(r, err);

	while (status == MT_OK && session_is_running(r->session)) {
		int64_t left = until - clock_ms();
		int seen = session_wait(r->session, left > 0 ? (int)left : 0, cancel_fd);

		if (seen & SESSION_DEAD)
			return fail(
				err, MT_EIO,
				"the shell exited at startup (exit code %d); check the "
				"options `shell` and `startup`",
				session_status(r->session)->exit_code);
		if (seen & SESSION_CANCEL)
			return fail(err, MT_ECANCELLED, "cancelled before it started");
		if (!seen && left <= 0) {
			session_signal(r->session, SIGKILL, false);
			return fail(err, MT_ETIMEOUT,
				    "the shell did not start within "
				    "%d s",
				    SESSION_START_MS / 1000);
		}
	}
	return status;
}

int run_copy(struct run *r, int cancel_fd, const char *path, struct error *err)
{
	if (r->busy)
		return fail(err, MT_ELIMIT, "a program runs in the shell");
	return bash_run_ready(r, cancel_fd, err) ? err->code
						 : session_copy(r->session, path, err);
}

static int bash_run_answer(struct run_result *ret, const char *text)
{
	return strbuf_add(&ret->content, text);
}

/* ---- waiting ------------------------------------------------------------- */

/* The call was cancelled: interrupt the command, and keep the shell if possible. */
static int bash_run_interrupt(struct run *r)
{
	int64_t start = clock_ms(), at = start;

	session_signal(r->session, SIGINT, false);
	for (;;) {
		int64_t now = clock_ms();

		if (now - start > PATIENCE_MS) { /* a loop starts the next program */
			session_signal(r->session, SIGKILL, true);
			session_kill(r->session);
		} else if (now - start > GRACE_MS && now - at > GRACE_MS / 4) {
			session_signal(r->session, SIGKILL, true);
			session_signal(r->session, SIGINT, false);
			at = now;
		}
		int seen = session_wait(r->session, GRACE_MS / 4, -1);

		if (seen & (SESSION_DONE | SESSION_DEAD))
			return seen;
	}
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Does the call send C-c to the running command? */
static bool is_interrupt(const struct run_call *call)
{
	return call->is_input && key_ctrl(call->command, call->len) == 'c';
}

/* A C-c between two programs of a loop reached neither: send it to the program that is
 * now in the foreground. @return when to check again. */
static int64_t bash_run_interrupt_again(struct run *r, pid_t *front)
{
	pid_t now = session_front(r->session);

	if (now <= 0 || now == *front)
		return INT64_MAX;
	*front = now;
	session_signal(r->session, SIGINT, true);
	return clock_ms() + AGAIN_MS;
}

/* Check whether the program waits for input, less often the longer it is quiet. */
struct watch {
	int64_t at, pause; /* the next check, and the interval between checks */
	struct waiting seen;
	bool only_waits;   /* the call sends no input: an event loop may print more */
};

static bool same_waiting(const struct waiting *a, const struct waiting *b)
{
	return a->kind == b->kind && a->thread == b->thread && a->switches == b->switches;
}

static void watch_reset(struct watch *w, int64_t now)
{
	w->at = now + LOOK_MS;
	w->pause = LOOK_MS;
	w->seen = (struct waiting){ .kind = WAITING_NO };
}

/* Two consecutive checks must find the same thread in the same wait. A thread that slept
 * before input was sent may not have been scheduled yet. `quiet_ms`: time since the last
 * output. */
static bool watch_look(struct run *r, struct watch *w, int64_t quiet_ms)
{
	struct waiting now = bash_session_waiting(r->session);
	bool again = same_waiting(&now, &w->seen);
	bool settled = quiet_ms >= SETTLE_MS;

	w->seen = now;
	w->pause = w->pause * 2 < LOOK_MOST_MS ? w->pause * 2 : LOOK_MOST_MS;
	if (now.kind == WAITING_INPUT && !again)
		w->pause = LOOK_MS;
	w->at = clock_ms() + w->pause;
	if (now.kind == WAITING_MAYBE)
		return settled && !w->only_waits;
	return now.kind == WAITING_INPUT && again &&
	       (settled || !same_waiting(&now, &r->asleep));
}

/* The limits of one call, as clock times. */
struct limits {
	bool given;     /* set by the call: no other limit applies */
	double seconds; /* until `hard` */
	int64_t hard;
};

static struct limits limits_of(const struct run *r, const struct run_call *call,
			       int64_t start)
{
	struct limits l = { .given = call->timeout >= 0 };

	l.seconds = l.given ? fmin(call->timeout, TIMEOUT_MAX_S)
			    : (double)r->config.timeout_ms / 1000;
	l.hard = start + (int64_t)(l.seconds * 1000);
	if (call->time_left_ms >= 0 && start + call->time_left_ms - MARGIN_MS < l.hard) {
		l.hard = start + call->time_left_ms - MARGIN_MS;
		l.seconds = (double)(l.hard > start ? l.hard - start : 0) / 1000;
	}
	return l;
}

/* The command exceeded its time limit. It can become a job if a shell for further
 * commands can be created. @return false: it has just ended. */
static bool bash_run_move(struct run *r, const struct run_call *call, struct note *note)
{
	int status = MT_OK;

	if (!call->job)
		return true;
	if (!r->next && r->log < 0)
		status = bash_session_split(r->session, &r->next, NULL);
	note->job = status ? 0 : call->job;
	note->job_log = call->job_log;
	note->was_job = r->log >= 0;
	return status != MT_ENOTFOUND;
}

/* Should the call report that the command still runs? */
static bool bash_run_is_over(struct run *r, const struct run_call *call,
			     const struct limits *l, struct watch *w, int64_t change,
			     struct note *note)
{
	int64_t now = clock_ms();

	if (now >= l->hard) {
		note->state = NOTE_TIMED_OUT;
		note->seconds = l->seconds;
		return bash_run_move(r, call, note);
	}
	if (!l->given && now >= change + r->config.no_change_ms) {
		note->state = NOTE_QUIET;
		note->seconds = (double)r->config.no_change_ms / 1000;
		return bash_run_move(r, call, note);
	}
	note->state = NOTE_WAITS;
	return now >= w->at && watch_look(r, w, now - change);
}

/* Wait for the end of the command and report. */
static int follow_command(struct run *r, const struct run_call *call, bool echo,
			  bool is_continued, struct run_result *ret)
{
	int64_t start = clock_ms(), change = start;
	const struct limits limits = limits_of(r, call, start);
	bool stops = is_interrupt(call);
	pid_t front = stops ? session_front(r->session) : -1;
	int64_t again_at = stops ? start + AGAIN_MS : INT64_MAX;
	int64_t kill_at = r->interrupts >= INTERRUPTS_MAX ? start + GRACE_MS : INT64_MAX;
	struct note note = { .is_continued = is_continued };
	struct watch watch = { .only_waits = is_continued && !call->is_input };

	watch_reset(&watch, start);
	if (r->config.style == RUN_STYLE_V0)
		watch.at = INT64_MAX;
	for (;;) {
		int64_t quiet =
			limits.given ? INT64_MAX : change + r->config.no_change_ms;
		int64_t next = smaller(smaller(limits.hard, quiet),
				       smaller(smaller(kill_at, again_at), watch.at));

		next = smaller(next, answers_flush(&r->answers, r->session));
		int64_t left = next - clock_ms();
		int seen = session_wait(r->session, left > 0 ? (int)left + 1 : 0,
					call->cancel_fd);

		if (seen & SESSION_CANCEL && !(seen & (SESSION_DONE | SESSION_DEAD))) {
			ret->cancelled = true;
			seen = bash_run_interrupt(r);
		}
		if (seen & (SESSION_DONE | SESSION_DEAD))
			return run_finish(r, call, echo, is_continued,
					  seen & SESSION_DEAD, ret);
		int64_t now = clock_ms();

		if (seen & SESSION_OUTPUT) {
			change = now;
			if (watch.at != INT64_MAX)
				watch_reset(&watch, now);
		}
		if (now >= again_at)
			again_at = bash_run_interrupt_again(r, &front);
		if (now >= kill_at) {
			session_kill(r->session);
			kill_at = INT64_MAX;
		}
		if (bash_run_is_over(r, call, &limits, &watch, change, &note))
			return run_report_unfinished(r, call, echo, &note, ret);
	}
}

/* ---- kinds of calls ------------------------------------------------------- */

/* Does the text end inside an indented block, which a line editor closes at an empty
 * line? */
static bool is_open_block(struct run *r, const char *text, size_t len)
{
	const char *last = memrchr(text, '\n', len);

	return last && last + 1 < text + len && (last[1] == ' ' || last[1] == '\t') &&
	       session_edits_lines(r->session) && !screen_is_full(r->screen);
}

/* Keys and text for the running command. */
static int send_input(struct run *r, const struct run_call *call, bool *ret_echo,
		      struct error *err)
{
	size_t len = call->len, key_len;
	const char *key = key_bytes(call->command, len, &key_len);
	AUTO(strbuf) struct strbuf keys = STRBUF(SESSION_TYPED_MAX);

	*ret_echo = !key && session_may_echo(r->session);
	r->asleep = bash_session_waiting(r->session);
	if (key)
		strbuf_addn(&keys, key, key_len);
	for (size_t i = 0; !key && i < len; i++)
		strbuf_addc(&keys, call->command[i] == '\n' ? '\r' : call->command[i]);
	if (!key)
		strbuf_add(&keys, is_open_block(r, call->command, len) ? "\r\r" : "\r");
	if (keys.error || session_type(r->session, keys.text, keys.len) != MT_OK)
		return fail(err, MT_ELIMIT,
			    "the program does not read its input: more than %d KiB are "
			    "queued",
			    SESSION_TYPED_MAX / 1024);
	return MT_OK;
}

static int run_refuse(struct run *r, const struct run_call *call, struct run_result *ret)
{
	struct note note = { .state = NOTE_REFUSED, .is_continued = true,
			     .command = call->command, .len = call->len };

	ret->refused = true;
	return run_report_unfinished(r, call, false, &note, ret);
}

/* A program, or a shell in a modified state, may ignore C-c forever. */
static void count_interrupts(struct run *r, const struct run_call *call)
{
	if (key_ctrl(call->command, call->len) != 'c')
		r->interrupts = 0;
	else if (++r->interrupts >= INTERRUPTS_MAX)
		session_signal(r->session, SIGKILL, false);
}

/* A command runs: read its output, send input, or refuse another command. */
static int run_continue(struct run *r, const struct run_call *call, bool empty,
			struct run_result *ret, struct error *err)
{
	size_t key_len;
	bool echo = false, typed = call->is_input;

	if (r->asked)
		r->began += clock_ms() - r->asked;
	r->asked = 0;
	if (!typed && !empty)
		typed = key_bytes(call->command, call->len, &key_len) &&
			key_ctrl(call->command, call->len);
	if (!typed && !empty)
		return run_refuse(r, call, ret);
	if (typed && !empty) {
		int status = send_input(r, call, &echo, err);

		if (status != MT_OK)
			return status;
		count_interrupts(r, call);
	}
	struct run_call input = *call;

	input.is_input = typed;
	return follow_command(r, &input, echo, true, ret);
}

/* No command runs, and the call has none. */
static int nothing(struct run *r, const struct run_call *call, struct run_result *ret)
{
	ret->refused = call->is_input || !screen_has_text(r->screen);
	if (call->is_input)
		return bash_run_answer(ret,
				       "ERROR: No previous running command to interact "
				       "with.");
	if (ret->refused)
		return bash_run_answer(
			ret, "ERROR: No previous running command to retrieve logs "
			     "from.");
	strbuf_add(&ret->suffix, "\n"
				 "[No command is running; this is the output of "
				 "background processes.]");
	return run_take_content(r, true, call, false, ret);
}

/* The previous command ended between two calls. */
static int ended_meanwhile(struct run *r, const struct run_call *call, bool empty,
			   bool died, struct run_result *ret)
{
	struct run_call read_on = *call;

	read_on.is_input = false;
	r->began = clock_ms(); /* its end time is unknown and not reported */
	int status = run_finish(r, &read_on, false, true, died, ret);

	if (!empty)
		strbuf_add(&ret->suffix,
			   "\n[The command had exited, so your input was not sent.]");
	return status;
}

/* Handle events since the last call. @return SESSION_DONE, SESSION_DEAD or 0. */
static int catch_up(struct run *r)
{
	int seen = r->seen;

	r->seen = 0;
	if (seen || !session_is_alive(r->session))
		return seen;
	return session_wait(r->session, 0, -1) & (SESSION_DONE | SESSION_DEAD);
}

static int run_begin(struct run *r, const struct run_call *call, struct error *err)
{
	bool brief = r->config.style == RUN_STYLE_BRIEF;

	pipeline_clear(&r->pipeline);
	if (brief && pipeline_read(call->command, call->len, &r->pipeline))
		return out_of_memory(err);
	r->began = clock_ms();
	r->asked = 0;
	r->interrupts = 0;
	r->asleep = (struct waiting){ .kind = WAITING_NO };
	answers_reset(&r->answers);
	return bash_session_run(r->session, call->command, call->len,
				r->pipeline.count > 0, err);
}

static int bash_run_dispatch(struct run *r, const struct run_call *call,
			     struct run_result *ret, struct error *err)
{
	bool empty = run_blank_start(call->command, call->len) == call->len ||
		     strspn(call->command, " \t\r\n") >= call->len;
	bool was_busy = r->busy;
	int seen = catch_up(r), status;

	if (was_busy && !seen)
		return run_continue(r, call, empty, ret, err);
	if (was_busy && (empty || call->is_input))
		return ended_meanwhile(r, call, empty, seen & SESSION_DEAD, ret);
	r->busy = false;
	if (empty || call->is_input)
		return nothing(r, call, ret);
	if (was_busy && seen & SESSION_DONE)
		strbuf_addf(&ret->prefix,
			    "[The previous command completed with exit "
			    "code %d; the rest of its output comes first.]\n",
			    session_status(r->session)->exit_code);
	status = bash_run_ready(r, call->cancel_fd, err);
	if (status == MT_OK)
		status = run_begin(r, call, err);
	if (status != MT_OK)
		return status;
	run_say_new_shell(r, ret);
	return follow_command(r, call, false, false, ret);
}

/* ---- jobs ---------------------------------------------------------------- */

struct run *run_split(struct run *r)
{
	struct run *next = NULL;

	if (run_new(&r->config, &next, NULL))
		return NULL;
	bash_session_free(next->session);
	next->session = r->next;
	r->next = NULL;
	session_set_arg(next->session, next);
	told_copy(&next->told, &r->told);
	return next;
}

bool run_is_busy(const struct run *r)
{
	return r->busy;
}

void run_log(struct run *r, int fd)
{
	auto_close(&r->log);
	r->log = fd;
}

bool run_drain(struct run *r, int cancel_fd, int *ret_code)
{
	int seen = 0;

	r->drains = true;
	while (!(seen & (SESSION_DONE | SESSION_DEAD | SESSION_CANCEL)))
		seen = session_wait(r->session, -1, cancel_fd);
	r->drains = false;
	r->seen = seen & (SESSION_DONE | SESSION_DEAD);
	*ret_code = session_status(r->session)->exit_code;
	return r->seen != 0;
}

int run_kill(struct run *r)
{
	r->drains = true;
	if (!r->seen)
		r->seen = bash_run_interrupt(r) & (SESSION_DONE | SESSION_DEAD);
	r->drains = false;
	return session_status(r->session)->exit_code;
}

int run_call(struct run *r, const struct run_call *call, struct run_result *ret,
	     struct error *err)
{
	*ret = (struct run_result){
		.content = STRBUF(RUN_TEXT_MAX * 3), .prefix = STRBUF(NOTE_MAX),
		.suffix = STRBUF(NOTE_MAX), .exit_code = -1, .pid = -1,
	};
	int status = bash_run_dispatch(r, call, ret, err);

	if (status == MT_OK)
		status = ret->prefix.error ? ret->prefix.error : ret->suffix.error;
	return status == MT_OK ? status : fail_code(err, status);
}
