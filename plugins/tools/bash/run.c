/* SPDX-License-Identifier: MIT
 *
 * run.c - calls of the shell tool. */
#include "run.h"
#include "clock.h"
#include "files.h"
#include "keys.h"
#include "output.h"
#include "prompt.h"
#include "screen.h"
#include "session.h"
#include "space.h"
#include "utf8.h"
#include <ctype.h>
#include <math.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
	TEXT_MAX = 4 * (OUTPUT_HEAD + OUTPUT_TAIL) + 8 * SCREEN_LINE,
	NOTE_MAX = 16 * 1024,      /* a prefix or suffix */
	QUOTE_MAX = 4096,          /* of a command that was not run */
	GRACE_MS = 500,            /* after SIGINT, before SIGKILL */
	PATIENCE_MS = 2500,        /* after SIGINT, before the shell is killed */
	TIMEOUT_MAX_S = 7 * 86400,
	MARGIN_MS = 300,           /* to report before the caller's own limit */
	AGAIN_MS = 100,            /* after C-c: has it reached anybody? */
	INTERRUPTS_MAX = 3,        /* C-c in a row; the last one kills */
};

static const char hint[] =
	"To see more of its output, send an empty command; to "
	"answer it, send text with is_input true; to stop it, send C-c (or C-d, C-z) "
	"with is_input true; to give a command more time, set timeout.";

struct run {
	struct run_config config;
	struct session *session;
	struct screen *screen;
	bool busy;          /* a command was reported as still running */
	int interrupts;     /* consecutive C-c that did not stop it */
	bool started;       /* there has been a shell before */
	bool is_new;        /* the shell is, and this was not reported yet */
	char *directory;    /* of the last shell, for the next */
	char *username, *hostname;
	long uid;           /* that `username` belongs to */
};

static void run_on_output(void *arg, const char *bytes, size_t len)
{
	struct run *r = arg;

	if (r->config.raw)
		r->config.raw(r->config.arg, bytes, len);
	screen_feed(r->screen, bytes, len);
}

static void on_live(void *arg, const char *bytes, size_t len)
{
	struct run *r = arg;

	if (r->config.live && len)
		r->config.live(r->config.arg, bytes, len);
}

static void on_answer(void *arg, const char *bytes, size_t len)
{
	struct run *r = arg;

	session_type(r->session, bytes, len);
}

int run_new(const struct run_config *config, struct run **ret, struct error *err)
{
	struct run *r = calloc(1, sizeof *r);
	char host[256] = "";

	if (!r)
		return out_of_memory(err);
	const struct screen_hooks hooks = { on_live, on_answer, r };
	const struct session_config session = {
		.shell = config->shell, .startup = config->startup,
		.directory = config->directory, .sink = run_on_output, .arg = r,
	};

	r->config = *config;
	r->uid = -1;
	gethostname(host, sizeof host - 1);
	host[strcspn(host, ".")] = '\0';
	r->hostname = strdup(host);
	r->screen = screen_new(&hooks);
	if (session_new(&session, &r->session, err) != MT_OK || !r->screen ||
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
	session_free(r->session);
	screen_free(r->screen);
	free(r->directory);
	free(r->username);
	free(r->hostname);
	free(r);
	return NULL;
}

void run_result_clear(struct run_result *result)
{
	strbuf_clear(&result->content);
	strbuf_clear(&result->prefix);
	strbuf_clear(&result->suffix);
	free(result->username);
	free(result->hostname);
	free(result->directory);
	free(result->python);
}

int run_type(struct run *r, const char *bytes, size_t len)
{
	return session_type(r->session, bytes, len);
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

/* Start it if need be and wait until it takes commands. */
static int ready(struct run *r, int cancel_fd, struct error *err)
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

/* ---- what is known about the end of a command ---------------------------- */

static void find_user(struct run *r, long uid)
{
	char space[4096];
	struct passwd entry, *found = NULL;

	if (uid == r->uid && r->username)
		return;
	free(r->username);
	r->username = NULL;
	r->uid = uid;
	if (getpwuid_r((uid_t)uid, &entry, space, sizeof space, &found) == 0 && found)
		r->username = strdup(found->pw_name);
	else if (asprintf(&r->username, "%ld", uid) < 0)
		r->username = NULL;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Keep where the shell was, for the next one; and tell it. `key`: control key
 * that was typed last, or 0. */
static void run_fill(struct run *r, char key, struct run_result *ret)
{
	const struct session_status *st = session_status(r->session);

	ret->ended = true;
	ret->exit_code = st->exit_code;
	if (key == 'z' && st->exit_code == 128 + SIGINT)
		ret->exit_code = 128 + SIGTSTP; /* bash breaks its loops the same way */
	ret->pid = st->job;
	find_user(r, st->uid);
	ret->username = copy(r->username);
	ret->hostname = copy(r->hostname);
	ret->directory = copy(st->directory);
	ret->python = path_find_program(st->path, "python");
	if (!ret->python)
		ret->python = path_find_program(st->path, "python3");
	free(r->directory);
	r->directory = copy(st->directory);
}

/* ---- texts --------------------------------------------------------------- */

/* Blank lines at the start; the first line's indent stays. */
static size_t blank_start(const char *text, size_t len)
{
	size_t start = 0;

	for (size_t i = 0; i < len && isspace((unsigned char)text[i]); i++)
		if (text[i] == '\n')
			start = i + 1;
	return start;
}

/* What was printed since the last call, `echo` of what was typed apart. */
static int take_content(struct run *r, bool end, const struct run_call *call, bool echo,
			struct run_result *ret)
{
	AUTO(strbuf) struct strbuf raw = STRBUF(TEXT_MAX), clean = STRBUF(TEXT_MAX * 3);

	screen_take(r->screen, end, &raw);
	utf8_add_clean(&clean, raw.text, raw.len);
	space_trim_buffer(&clean);
	const char *text = clean.text;
	size_t len = clean.len, blank = blank_start(text, len);

	if (echo)
		prompt_strip_echo(&text, &len, call->command, call->len);
	else
		text += blank, len -= blank;
	if (raw.error || clean.error)
		return MT_ENOMEM;
	return output_cut(text, len, OUTPUT_CHARS, &ret->content, &ret->cut);
}

static void put_seconds(struct strbuf *b, double seconds, bool fraction)
{
	if (fraction && seconds == floor(seconds))
		strbuf_addf(b, "%.1f", seconds);
	else
		strbuf_addf(b, "%.10g", seconds);
}

static void say_new_shell(struct run *r, struct run_result *ret)
{
	if (!r->is_new)
		return;
	r->is_new = false;
	strbuf_add(&ret->prefix, "[This is a new shell: the previous one exited. Its "
				 "variables, functions and jobs are lost.]\n");
}

/* The command (or, `shell_died`, the shell itself) has ended. */
static int run_finish(struct run *r, const struct run_call *call, bool echo,
		      bool shell_died, struct run_result *ret)
{
	char key = call->is_input ? key_ctrl(call->command, call->len) : 0;

	r->busy = false;
	run_fill(r, key, ret);
	if (shell_died)
		strbuf_addf(&ret->suffix,
			    "\n"
			    "[The shell itself exited with code %d. The next command "
			    "starts a new one.]",
			    ret->exit_code);
	else if (key)
		strbuf_addf(&ret->suffix,
			    "\n[The command completed with exit code %d. "
			    "CTRL+%c was sent.]",
			    ret->exit_code, toupper(key));
	else
		strbuf_addf(&ret->suffix, "\n[The command completed with exit code %d.]",
			    ret->exit_code);
	return take_content(r, true, call, echo, ret);
}

static int still(struct run *r, const struct run_call *call, bool echo,
		 bool is_continuation, struct run_result *ret)
{
	r->busy = true;
	if (is_continuation)
		strbuf_add(&ret->prefix, "[Below is the output of the previous command."
					 "]\n");
	strbuf_addf(&ret->suffix, " %s]", hint);
	return take_content(r, false, call, echo, ret);
}

static int bash_run_answer(struct run_result *ret, const char *text)
{
	return strbuf_add(&ret->content, text);
}

/* ---- waiting ------------------------------------------------------------- */

/* The call was cancelled: interrupt the command, and keep the shell if possible. */
static int interrupt(struct run *r)
{
	int64_t start = clock_ms(), at = start;

	session_signal(r->session, SIGINT, false);
	for (;;) {
		int64_t now = clock_ms();

		if (now - start > PATIENCE_MS)
			session_signal(r->session, SIGKILL, false);
		else if (now - start > GRACE_MS && now - at > GRACE_MS / 4) {
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

/* Is it C-c for the command that runs? */
static bool is_interrupt(const struct run_call *call)
{
	return call->is_input && key_ctrl(call->command, call->len) == 'c';
}

/* A C-c that fell between two programs of a loop reached neither: the one that
 * has come to the front since gets it. @return when to look again. */
static int64_t interrupt_again(struct run *r, pid_t *front)
{
	pid_t now = session_front(r->session);

	if (now <= 0 || now == *front)
		return INT64_MAX;
	*front = now;
	session_signal(r->session, SIGINT, true);
	return clock_ms() + AGAIN_MS;
}

/* Wait for the end of the command and report. */
static int follow_conversation(struct run *r, const struct run_call *call, bool echo,
			       bool is_continuation, struct run_result *ret)
{
	bool given = call->timeout >= 0;
	double seconds = given ? fmin(call->timeout, TIMEOUT_MAX_S)
			       : (double)r->config.timeout_ms / 1000;
	int64_t start = clock_ms(), change = start;
	int64_t hard = start + (int64_t)(seconds * 1000);
	bool stops = is_interrupt(call);
	pid_t front = stops ? session_front(r->session) : -1;
	int64_t again_at = stops ? start + AGAIN_MS : INT64_MAX;
	int64_t kill_at = r->interrupts >= INTERRUPTS_MAX ? start + GRACE_MS : INT64_MAX;

	if (call->time_left_ms >= 0 && start + call->time_left_ms - MARGIN_MS < hard) {
		hard = start + call->time_left_ms - MARGIN_MS;
		seconds = (double)(hard > start ? hard - start : 0) / 1000;
	}
	for (;;) {
		int64_t quiet = given ? INT64_MAX : change + r->config.no_change_ms;
		int64_t left = smaller(smaller(smaller(hard, quiet), kill_at), again_at) -
			       clock_ms();
		int seen = session_wait(r->session, left > 0 ? (int)left + 1 : 0,
					call->cancel_fd);

		if (seen & SESSION_CANCEL && !(seen & (SESSION_DONE | SESSION_DEAD))) {
			ret->cancelled = true;
			seen = interrupt(r);
		}
		if (seen & (SESSION_DONE | SESSION_DEAD))
			return run_finish(r, call, echo, seen & SESSION_DEAD, ret);
		int64_t now = clock_ms();

		if (seen & SESSION_OUTPUT)
			change = now;
		if (now >= again_at)
			again_at = interrupt_again(r, &front);
		if (now >= kill_at) {
			session_kill(r->session);
			kill_at = INT64_MAX;
		}
		if (now >= hard) {
			strbuf_add(&ret->suffix, "\n[The command timed out after ");
			put_seconds(&ret->suffix, seconds, true);
			strbuf_add(&ret->suffix, " seconds.");
			return still(r, call, echo, is_continuation, ret);
		}
		if (!given && now >= change + r->config.no_change_ms) {
			strbuf_add(&ret->suffix, "\n[The command has no new output "
						 "after ");
			put_seconds(&ret->suffix, (double)r->config.no_change_ms / 1000,
				    false);
			strbuf_add(&ret->suffix, " seconds.");
			return still(r, call, echo, is_continuation, ret);
		}
	}
}

/* ---- the kinds of call --------------------------------------------------- */

/* Keys and text for the running command. */
static int send_input(struct run *r, const struct run_call *call, bool *ret_echo,
		      struct error *err)
{
	size_t len = call->len, key_len;
	const char *key = key_bytes(call->command, len, &key_len);
	AUTO(strbuf) struct strbuf keys = STRBUF(SESSION_TYPED_MAX);

	*ret_echo = !key && session_may_echo(r->session);
	if (!key && len && call->command[len - 1] == '\n') /* Enter follows anyway */
		len--;
	if (key)
		strbuf_addn(&keys, key, key_len);
	for (size_t i = 0; !key && i < len; i++)
		strbuf_addc(&keys, call->command[i] == '\n' ? '\r' : call->command[i]);
	if (!key)
		strbuf_addc(&keys, '\r');
	if (keys.error || session_type(r->session, keys.text, keys.len) != MT_OK)
		return fail(err, MT_ELIMIT,
			    "the program does not read its input: more than %d KiB are "
			    "queued",
			    SESSION_TYPED_MAX / 1024);
	return MT_OK;
}

static int run_refuse(struct run *r, const struct run_call *call, struct run_result *ret)
{
	size_t len = utf8_cut(call->command, call->len, QUOTE_MAX);

	strbuf_add(&ret->suffix, "\n[Your command \"");
	utf8_add_clean(&ret->suffix, call->command, len);
	strbuf_add(&ret->suffix, len < call->len ? "..." : "");
	strbuf_add(&ret->suffix, "\" is NOT executed. The previous command is still "
				 "running -");
	return still(r, call, false, true, ret);
}

/* A program, or a shell that was turned inside out, may ignore C-c for ever. */
static void count_interrupts(struct run *r, const struct run_call *call)
{
	if (key_ctrl(call->command, call->len) != 'c')
		r->interrupts = 0;
	else if (++r->interrupts >= INTERRUPTS_MAX)
		session_signal(r->session, SIGKILL, false);
}

/* A command runs: read on, answer it, or refuse another one. */
static int run_continue(struct run *r, const struct run_call *call, bool empty,
			struct run_result *ret, struct error *err)
{
	size_t key_len;
	bool echo = false, typed = call->is_input;

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
	return follow_conversation(r, &input, echo, true, ret);
}

/* Nothing runs, and nothing is to be run. */
static int nothing(struct run *r, const struct run_call *call, struct run_result *ret)
{
	if (call->is_input)
		return bash_run_answer(ret,
				       "ERROR: No previous running command to interact "
				       "with.");
	if (!screen_has_text(r->screen))
		return bash_run_answer(
			ret, "ERROR: No previous running command to retrieve logs "
			     "from.");
	strbuf_add(&ret->suffix, "\n"
				 "[No command is running; this is the output of "
				 "background processes.]");
	return take_content(r, true, call, false, ret);
}

/* The command that was running has ended between two calls. */
static int ended_meanwhile(struct run *r, const struct run_call *call, bool empty,
			   bool died, struct run_result *ret)
{
	struct run_call read_on = *call;

	read_on.is_input = false;
	int status = run_finish(r, &read_on, false, died, ret);

	if (!empty)
		strbuf_add(&ret->suffix,
			   "\n[The command had exited, so your input was not sent.]");
	return status;
}

/* What happened since the last call. @return SESSION_DONE, SESSION_DEAD or 0. */
static int catch_up(struct run *r)
{
	if (!session_is_alive(r->session))
		return 0;
	return session_wait(r->session, 0, -1) & (SESSION_DONE | SESSION_DEAD);
}

static int dispatch(struct run *r, const struct run_call *call, struct run_result *ret,
		    struct error *err)
{
	bool empty = blank_start(call->command, call->len) == call->len ||
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
	status = ready(r, call->cancel_fd, err);
	if (status == MT_OK)
		status = session_run(r->session, call->command, call->len, err);
	if (status != MT_OK)
		return status;
	say_new_shell(r, ret);
	r->interrupts = 0;
	return follow_conversation(r, call, false, false, ret);
}

int run_call(struct run *r, const struct run_call *call, struct run_result *ret,
	     struct error *err)
{
	*ret = (struct run_result){
		.content = STRBUF(TEXT_MAX * 3), .prefix = STRBUF(NOTE_MAX),
		.suffix = STRBUF(NOTE_MAX), .exit_code = -1, .pid = -1,
	};
	int status = dispatch(r, call, ret, err);

	if (status == MT_OK)
		status = ret->prefix.error ? ret->prefix.error : ret->suffix.error;
	return status == MT_OK ? status : fail_code(err, status);
}
