/* SPDX-License-Identifier: MIT
 *
 * follow.c - terminal client of a conversation: prints events and sends input. */
#include "follow.h"

#include "commands.h"
#include "early-signals.h"
#include "features/approval/approval.h"
#include "files.h"
#include "approval.h"
#include "frontends/protocol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

enum { TYPED_MAX = 512 << 10 };

struct follow {
	struct client *p;
	const struct follow_options *o;
	struct render *render; /* NULL: json */
	struct jsonl typed;    /* input of the user */
	int keys;              /* standard input; -1: at its end */
	int signals;
	bool terminal;
	unsigned own_left; /* own commands without a result yet */
	json_object *newest; /* the newest action; or NULL */
	json_object *waits, *action; /* the action that was shown and is pending; or NULL */
	bool shown;        /* the past has been shown */
	bool left;         /* detached */
	int signal;        /* that ended this program; 0: none */
	bool ended;
	int code;
};

/* ---- sending ----------------------------------------------------------- */

static void send_command(struct follow *f, const char *type, const char *name,
			 const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf line = STRBUF(COMMAND_LINE_MAX);

	strbuf_addc(&line, '{');
	js_key_str(&line, "type", type);
	if (name)
		js_key_strn(&line, name, text, len);
	strbuf_addc(&line, '}');
	if (line.error || client_line(f->p, line.text, line.len))
		fputs("mortise: too much unsent input; the message was dropped\n",
		      stderr);
}

static void follow_subscribe(struct follow *f)
{
	static const char status[] = "{\"type\":\"status\",\"id\":\"" FOLLOW_OWN_ID "\"}";
	AUTO(strbuf) struct strbuf line = STRBUF(256);

	strbuf_add(&line, "{\"type\":\"subscribe\",\"id\":\"" FOLLOW_OWN_ID "\"");
	if (f->o->since != FOLLOW_NEW)
		js_key_int(&line, "since", f->o->since);
	else if (js_get(f->p->hello, "waits")) /* the action must be shown first */
		js_key_int(&line, "since",
			   js_int(js_get(f->p->hello, "waits"), "action", 0) - 1);
	js_key_bool(&line, "live", f->o->live);
	strbuf_addc(&line, '}');
	client_line(f->p, line.text, line.len);
	f->own_left = 1;
	if (f->o->first) {
		client_line(f->p, f->o->first, strlen(f->o->first));
		f->own_left++;
	}
	if (f->o->until_rest) {
		client_line(f->p, status, sizeof status - 1);
		f->own_left++;
	}
}

static void say_help(struct follow *f)
{
	render_remark(
		f->render,
		"Each line is a message to the agent. /pause interrupts the agent and "
		"/resume lets it\ncontinue; /stop ends the conversation. /confirm and "
		"/reject [REASON] answer an approval\nprompt; /edit COMMAND runs COMMAND "
		"instead. /always [N] also allows scope N of the list\nfrom now on; "
		"/always N project allows it in this project. /undo reverts your last "
		"message.\n/detach or Ctrl-C detaches. After a loop, /recover 1 rewinds "
		"to before it, /recover 2\nresends your last message, and /recover 3 "
		"stops.");
}

/* Send an answer for the action that was shown, identified by its hash. @return false if
 * the line is not an answer. */
static bool typed_answer(struct follow *f, const char *text)
{
	AUTO(strbuf) struct strbuf line = STRBUF(COMMAND_LINE_MAX);
	AUTO(json) json_object *arguments = NULL;
	struct error err = ERROR_NONE;
	struct approval a;
	int r = approval_read(text, f->waits, f->action, &a, &arguments, &err);

	if (r == MT_ENOTFOUND)
		return false;
	if (!r && a.answer != ANSWER_NO && !f->waits)
		r = fail(&err, MT_EINVAL, "no action is waiting for approval");
	strbuf_addc(&line, '{');
	approval_put(&line, &a);
	if (js_get(f->waits, "conversation"))
		js_key_str(&line, "conversation", js_str(f->waits, "conversation", ""));
	strbuf_addc(&line, '}');
	if (!r && (line.error || client_line(f->p, line.text, line.len)))
		r = fail(&err, MT_ELIMIT,
			 "too much unsent input; the message was "
			 "dropped");
	if (r)
		fprintf(stderr, "mortise: %s\n", err.text);
	return true;
}

/* Store an action, which may require approval. */
static void note_action(struct follow *f, json_object *line)
{
	if (!js_get(line, "action") || js_get(line, "confirms"))
		return;
	json_object_put(f->newest);
	f->newest = json_object_get(line);
}

/* Show the pending action of the conversation, or the first of a subagent. Only an
 * action that is shown in full can be approved. */
static void note_waits(struct follow *f, json_object *line)
{
	json_object *asks = js_get(line, "asks"), *waits = js_get(line, "waits"), *action;
	AUTO(strbuf) struct strbuf text = STRBUF(COMMAND_LINE_MAX);

	if (!waits && asks)
		waits = json_object_array_get_idx(asks, 0);
	action = waits && js_get(waits, "event") ? js_get(waits, "event") : f->newest;
	if (waits && js_int(action, "id", -1) != js_int(waits, "action", -2))
		waits = NULL;
	if (waits && js_equal(f->waits, waits))
		return;
	json_object_put(f->waits);
	json_object_put(f->action);
	f->waits = json_object_get(waits);
	f->action = waits ? json_object_get(action) : NULL;
	if (!waits || !f->render)
		return;
	approval_text(waits, action, &text);
	strbuf_add(&text, "/confirm, /reject [REASON], /edit COMMAND");
	if (*js_str(waits, "kind", ""))
		strbuf_add(&text, ", /always [N] [project]");
	if (text.error) /* it cannot be approved here */
		json_object_object_del(f->waits, "hash");
	render_remark(f->render, text.error ? "an action is waiting for approval but is "
					      "too long to show"
					    : text.text);
}

static void recover(struct follow *f, char option)
{
	char line[64];
	int len = snprintf(line, sizeof line, "{\"type\":\"recover\",\"option\":%d}",
			   option - '0');

	client_line(f->p, line, (size_t)len);
}

/* @return whether the line was a command. */
static bool typed_command(struct follow *f, const char *line, size_t len)
{
	static const char *const plain[] = { "pause", "resume", "stop", "undo" };

	if (*line != '/')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (strcmp(line + 1, plain[i]) == 0) {
			send_command(f, plain[i], NULL, NULL, 0);
			return true;
		}
	if (typed_answer(f, line))
		return true;
	if (strncmp(line, "/recover ", 9) == 0 && len == 10) {
		recover(f, line[9]);
	} else if (strcmp(line, "/detach") == 0) {
		f->left = true;
	} else if (strcmp(line, "/help") == 0) {
		say_help(f);
	} else {
		return false; /* a path, for example */
	}
	return true;
}

static int on_typed(char *line, size_t len, void *arg)
{
	struct follow *f = arg;

	if (strspn(line, " \t") < len && !typed_command(f, line, len))
		send_command(f, "message", "text", line, len);
	return MT_OK;
}

/* Read standard input; called only when all previous input was sent. */
static void follow_read_keys(struct follow *f)
{
	char piece[16384];
	ssize_t n = read(f->keys, piece, sizeof piece);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		f->keys = -1;
		f->left |= f->terminal && !f->o->json;
	} else if (f->o->json) {
		client_bytes(f->p, piece, (size_t)n);
	} else if (jsonl_feed(&f->typed, piece, (size_t)n)) {
		fputs("mortise: input line is longer than 512 KiB; input closed\n",
		      stderr);
		f->keys = -1;
	}
}

/* ---- showing ----------------------------------------------------------- */

/* `line` contains the state, after the events that were requested first. */
static void check_rest(struct follow *f, json_object *line)
{
	json_object *code = js_get(line, "exit_code");

	if (!f->o->until_rest || !code || f->own_left > 0 || f->ended)
		return;
	f->ended = true;
	f->code = json_object_get_int(code);
}

static void follow_on_result(struct follow *f, json_object *line)
{
	bool own = strcmp(js_str(line, "id", ""), FOLLOW_OWN_ID) == 0;
	bool ok = js_bool(line, "ok", false);

	f->own_left -= own && f->own_left > 0;
	if (!ok && (own || f->render))
		fprintf(stderr, "mortise: %s\n",
			js_str(line, "error", "rejected without a reason"));
	if (!ok && own) {
		f->ended = true;
		f->code = EXIT_FAILED;
	}
	check_rest(f, line);
}

static void follow_on_state(struct follow *f, json_object *line)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4096);
	const char *state = js_str(line, "state", ""),
		   *reason = js_str(line, "reason", "");
	bool rests = js_get(line, "exit_code") != NULL;

	note_waits(f, line);
	check_rest(f, line);
	if (f->render && (rests || !f->shown)) {
		strbuf_addf(&text, "[%s%s%s]%s", state, *reason ? ": " : "", reason,
			    !f->shown && f->terminal ? "; /help lists the commands" : "");
		render_remark(f->render, text.text);
	}
	f->shown = true;
}

static void follow_on_end(struct follow *f, json_object *line)
{
	const char *id = js_str(f->p->hello, "conversation", "");

	f->ended = true;
	f->code = (int)js_int(line, "exit_code", EXIT_FAILED);
	if (f->render && f->code && f->o->style != RENDER_QUIET) {
		AUTO(strbuf) struct strbuf text = STRBUF(512);

		strbuf_addf(&text,
			    "The conversation process has exited. Run `mortise "
			    "resume %s` to continue",
			    id);
		render_remark(f->render, text.text);
	}
}

/* @return whether the line is only for this program. */
static bool follow_take(struct follow *f, json_object *line)
{
	const char *type = js_str(line, "type", "");
	bool own = strcmp(js_str(line, "id", ""), FOLLOW_OWN_ID) == 0;

	if (strcmp(type, "result") == 0) {
		follow_on_result(f, line);
		return own;
	}
	if (!*type)
		note_action(f, line);
	else if (strcmp(type, "state") == 0)
		follow_on_state(f, line);
	else if (strcmp(type, "end") == 0)
		follow_on_end(f, line);
	return false;
}

static void follow_pass_on(struct follow *f, char *line, size_t len)
{
	line[len] = '\n';
	if (file_write_all(STDOUT_FILENO, line, len + 1))
		f->left = true;
	line[len] = '\0';
}

static void follow_on_line(char *text, size_t len, void *arg)
{
	struct follow *f = arg;
	struct error err = ERROR_NONE;
	AUTO(json) json_object *line = NULL;

	if (f->ended && !f->o->json)
		return;
	if (f->render || strncmp(text, "{\"type\":", 8) == 0)
		line = js_parse_object(text, len, &err);
	if (line && follow_take(f, line))
		return;
	if (!f->render)
		follow_pass_on(f, text, len);
	else if (!line || client_notify(line, &render_watcher, f->render, &err))
		fprintf(stderr, "mortise: malformed line from the conversation: %s\n",
			err.text);
}

/* ---- the loop ---------------------------------------------------------- */

static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	early_signals_deliver();
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void follow_on_signal(struct follow *f)
{
	struct signalfd_siginfo info;

	if (read(f->signals, &info, sizeof info) == (ssize_t)sizeof info)
		f->signal = (int)info.ssi_signo;
	f->left = true;
}

static void follow_serve(struct follow *f)
{
	while (!f->left && !f->ended && !f->p->over) {
		/* Typed text is held until earlier input is sent and the action that it
		 * may answer has been shown. */
		bool reads = !f->p->out.len && (f->o->json || f->shown);
		struct pollfd fds[] = {
			{ .fd = f->p->fd, .events = client_wants(f->p) },
			{ .fd = f->signals, .events = POLLIN },
			{ .fd = reads ? f->keys : -1, .events = POLLIN },
		};

		if (poll(fds, ARRAY_LEN(fds), -1) < 0)
			continue;
		if (fds[0].revents)
			client_serve(f->p, fds[0].revents);
		if (fds[1].revents)
			follow_on_signal(f);
		else if (fds[2].revents)
			follow_read_keys(f);
	}
}

static void say_goodbye(struct follow *f)
{
	const char *id = js_str(f->p->hello, "conversation", "");

	if (f->ended)
		return;
	if (f->left) {
		f->code = !f->o->until_rest ? EXIT_DONE
			  : f->signal       ? exit_code_of_signal(f->signal)
					    : EXIT_INTERRUPTED;
		if (!f->o->json)
			fprintf(stderr,
				"%sDetached. The conversation continues; run `mortise "
				"attach %s` to return\n",
				f->terminal ? "\n" : "", id);
	} else {
		f->code = EXIT_FAILED;
		fprintf(stderr,
			"mortise: the conversation process exited unexpectedly; run "
			"`mortise resume %s` to continue\n",
			id);
	}
}

int follow_conversation(struct client *p, const struct follow_options *o)
{
	struct follow f = {
		.p = p, .o = o, .keys = STDIN_FILENO, .signals = catch_signals()
	};

	f.terminal = isatty(STDIN_FILENO);
	if (o->json && f.terminal)
		f.keys = -1;
	f.render = o->json ? NULL : render_new(stdout, o->style);
	jsonl_init(&f.typed, TYPED_MAX, on_typed, &f);
	p->on_line = follow_on_line;
	p->arg = &f;
	follow_subscribe(&f);
	follow_serve(&f);
	say_goodbye(&f);
	render_free(f.render);
	jsonl_done(&f.typed);
	json_object_put(f.newest);
	json_object_put(f.waits);
	json_object_put(f.action);
	auto_close(&f.signals);
	return f.code;
}
