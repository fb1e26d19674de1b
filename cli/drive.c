/* SPDX-License-Identifier: MIT
 *
 * drive.c - runs a conversation in the foreground: loop, signals, frontends, exit. */
#include "drive.h"

#include "ask.h"
#include "commands.h"
#include "early-signals.h"
#include "spool.h"
#include "context/images.h"
#include "frontends/server.h"
#include "frontends/stdio.h"
#include "files.h"
#include "request/script-writer.h"
#include "log.h"
#include "registry/guard.h"
#include "signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPT_MAX = 256 << 20 };
enum { ADD_DIRS_MAX = 1 << 17 };
enum { PLUGIN_SECONDS = 5 }; /* from a signal until a plugin must have returned */
enum { ANSWERS_MAX = 3 }; /* maximum number of answers that do not match the schema */

struct drive {
	struct conversation *c;
	const struct drive_options *o;
	uv_signal_t signals[3];
	struct watcher quiet;  /* events that render receives with --quiet */
	struct render *render; /* NULL: --json */
	int render_watch;
	struct transport *stdio; /* NULL: no --json, or closed */
	struct server *server; /* NULL: none, or ended */
	struct ask *ask;       /* NULL: not at a terminal */
	uv_prepare_t waiting;  /* runs while an answer can still arrive */
	int interrupts;
	int signal; /* that interrupted the agent; 0: none since it last ran */
	bool quit; /* end when idle, regardless of `keep` */
	bool lost; /* standard output was closed */
	bool input_over;
	bool stay; /* a client asked to keep running without clients */
	bool ending, closed;
};

/* ---- signals ----------------------------------------------------------- */

static void drive_give_up(struct drive *d, int number)
{
	if (d->server)
		server_unlink(d->server);
	command_spool_discard();
	_exit(exit_code_of_signal(number));
}

/* The loop acts on signals when it runs. A plugin that never returns to it must not keep
 * the program alive: a second signal ends it while the first is pending, and so does an
 * alarm. */
static struct {
	void (*of_loop)(int number);
	volatile sig_atomic_t waiting; /* number of the pending signal; 0: none */
} raw;

/* SIGINT is the user's Ctrl-C. */
static const char *signal_reason(int number, const char *by_user)
{
	return number == SIGTERM  ? "SIGTERM received"
	       : number == SIGHUP ? "SIGHUP received"
				  : by_user;
}

static void drive_on_signal(uv_signal_t *handle, int number)
{
	struct drive *d = handle->data;
	struct error err = ERROR_NONE;

	raw.waiting = 0;
	alarm(0);
	if (++d->interrupts > 1)
		drive_give_up(d, number);
	if (d->ending && d->stdio)
		transport_close(d->stdio);
	if (d->ending)
		return;
	d->signal = number;
	if (!d->o->keep || number != SIGINT || state_is_resting(conversation_state(d->c)))
		d->quit = true;
	if (conversation_state(d->c) == STATE_PAUSED)
		return; /* a plugin was already interrupted */
	if (conversation_pause(d->c, signal_reason(number, "paused by the user"), &err) &&
	    !d->o->keep)
		conversation_stop(d->c, signal_reason(number, "stopped by the user"));
}

static void end_plugin(int number, const char *rest)
{
	guard_report("did not return from", rest);
	command_spool_discard();
	_exit(exit_code_of_signal(number));
}

static void on_raw_signal(int number)
{
	if (raw.waiting)
		end_plugin(number, "; a second signal ended the program");
	raw.waiting = number;
	alarm(PLUGIN_SECONDS);
	raw.of_loop(number);
}

static void on_raw_alarm(int number)
{
	(void)number;
	if (raw.waiting && guard_is_running())
		end_plugin(raw.waiting,
			   " within 5 s of the signal that ended the program");
	if (raw.waiting)
		alarm(PLUGIN_SECONDS);
}

static void catch_raw_signal(int number)
{
	struct sigaction act;

	sigaction(number, NULL, &act);
	raw.of_loop = act.sa_handler;
	act.sa_handler = on_raw_signal;
	sigaction(number, &act, NULL);
}

static void drive_watch_signals(uv_loop_t *loop, struct drive *d)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	signal(SIGPIPE, SIG_IGN); /* writing to a closed output fails instead */
	signal(SIGALRM, on_raw_alarm);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uv_signal_init(loop, &d->signals[i]);
		if (numbers[i] == SIGHUP && signal_is_ignored(SIGHUP))
			continue;
		d->signals[i].data = d;
		uv_signal_start(&d->signals[i], drive_on_signal, numbers[i]);
		catch_raw_signal(numbers[i]);
		uv_unref((uv_handle_t *)&d->signals[i]);
	}
	early_signals_deliver();
}

/* ---- notifications of the frontends ---------------------------------------- */

static void drive_on_state(void *arg, enum agent_state state, const char *reason)
{
	struct drive *d = arg;

	(void)reason;
	if (d->ask)
		ask_update(d->ask);
	if (state == STATE_RUNNING || (d->o->keep && state_is_resting(state)))
		d->interrupts = 0;
	if (state == STATE_RUNNING)
		d->signal = 0;
}

static void drive_on_published(void *arg, const char *topic, const void *data)
{
	struct drive *d = arg;

	(void)data;
	if (d->ask && topic == topic_asks)
		ask_update(d->ask);
}

static void drive_on_event(void *arg, const struct event *e)
{
	struct drive *d = arg;

	if (d->o->answer)
		final_answer_event(d->o->answer, e);
}

static const struct watcher states = { .state = drive_on_state, .published = drive_on_published,
				       .event = drive_on_event };

static void drive_on_stopped(void *arg)
{
	struct drive *d = arg;

	d->quit = true;
}

static void on_input_over(void *arg)
{
	struct drive *d = arg;

	d->input_over = true;
	if (d->o->owned && !d->ending) {
		d->quit = true;
		conversation_stop(d->c, "the controlling process ended");
	}
}

/* A reader of --listen may close its end once it knows the conversation. */
static void on_lost(void *arg)
{
	struct drive *d = arg;

	d->lost = !d->o->listen;
}

static void drive_on_keep(void *arg)
{
	struct drive *d = arg;

	d->stay = true;
}

static void on_stdio_closed(void *arg)
{
	struct drive *d = arg;

	d->stdio = NULL;
}

static void on_server_ended(void *arg)
{
	struct drive *d = arg;

	d->server = NULL;
}

static void drive_on_closed(void *arg)
{
	struct drive *d = arg;

	d->closed = true;
}

static void open_socket(uv_loop_t *loop, struct drive *d)
{
	const struct server_options o = { .hold = d->o->keep,
					  .stopped = drive_on_stopped,
					  .keep = drive_on_keep,
					  .arg = d };
	struct error err = ERROR_NONE;

	if (server_open(loop, d->c, &o, &d->server, &err))
		log_line(MT_LOG_WARNING, "socket",
			 "clients cannot attach to this conversation: %s", err.text);
}

/* With --quiet, standard output contains only the answer. */
static int open_render(struct drive *d, struct error *err)
{
	bool quiet = d->o->style == RENDER_QUIET && d->o->answer;

	d->render = render_new(quiet ? stderr : stdout, d->o->style);
	if (!d->render)
		return out_of_memory(err);
	d->quiet = render_watcher;
	d->quiet.event = NULL;
	d->render_watch =
		conversation_watch(d->c, quiet ? &d->quiet : &render_watcher, d->render);
	return MT_OK;
}

static int open_faces(uv_loop_t *loop, struct drive *d, struct error *err)
{
	const struct transport_options o = {
		.session = { .from = d->o->listen
					     ? -1
					     : evlog_opened(conversation_log(d->c)),
			     .live = d->o->style == RENDER_VERBOSE },
		.hold = d->o->keep,
		.input_over = on_input_over,
		.lost = on_lost,
		.stopped = drive_on_stopped,
		.keep = drive_on_keep,
		.closed = on_stdio_closed,
		.arg = d,
	};

	uv_prepare_init(loop, &d->waiting);
	open_socket(loop, d);
	if (!d->o->json)
		d->ask = ask_new(loop, d->c);
	if (d->o->json)
		return stdio_open(loop, d->c, d->o->commands, &o, &d->stdio, err);
	return open_render(d, err);
}

/* ---- the end ----------------------------------------------------------- */

int drive_check(const struct drive_options *o, struct error *err)
{
	struct error why = ERROR_NONE;

	if (!o->record || file_put_check(o->record, &why) == MT_OK)
		return MT_OK;
	return fail(err, why.code, "--record: %s", why.text);
}

/* Write each reply of the log as a turn of a script. */
static int drive_record(const char *path, struct evlog *log, struct error *err)
{
	AUTO(strbuf) struct strbuf script = STRBUF(SCRIPT_MAX);

	for (int64_t n = 0; n < evlog_replies(log); n++) {
		AUTO(json) json_object *o = evlog_reply_at(log, n, err);
		AUTO(llm_reply)
		struct llm_reply *reply = o ? llm_reply_from_json(o, err) : NULL;

		if (!reply)
			return err->code;
		if (script_write_reply(&script, reply))
			return fail(err, MT_ELIMIT,
				    "cannot write %s: the script is too long", path);
	}
	return file_put(path, script.text, script.len, 0600, err);
}

/* Intermediate messages are not the answer, unless the agent waits for a reply. */
static bool has_answered(const struct drive *d)
{
	enum agent_state state = conversation_state(d->c);

	return state == STATE_FINISHED || state == STATE_AWAITING_USER_INPUT;
}

static int drive_put_answer(struct drive *d, struct error *err)
{
	struct final_answer *a = d->o->answer;
	int r;

	if (!a || !has_answered(d))
		return MT_OK;
	r = final_answer_write(a, err);
	if (!d->render || d->o->style != RENDER_QUIET || !a->text.len)
		return r;
	command_write(stdout, a->text.text, a->text.len);
	if (a->text.text[a->text.len - 1] != '\n')
		putchar('\n');
	if (fflush(stdout) != 0 || ferror(stdout))
		return fail(err, MT_EIO,
			    "standard output was closed; run `mortise "
			    "conversations show %s` to see the answer",
			    conversation_id(d->c));
	return r;
}

static void show_end(struct drive *d)
{
	const struct llm_usage_totals *bill = conversation_bill(d->c);
	const struct llm_metrics *m = bill ? llm_usage_totals_sum(bill) : NULL;
	enum agent_state state = conversation_state(d->c);
	struct render_end end = {
		.conversation = conversation_id(d->c),
		.plugin_path = d->o->plugin_path,
		.state = state_name(state),
		.reason = conversation_reason(d->c),
		.steps = conversation_steps(d->c),
		.cost = -1,
		.over = state == STATE_FINISHED,
	};

	if (m) {
		end.bill = bill;
		end.calls = m->calls;
		end.input = m->input;
		end.output = m->output;
		end.cost = m->cost_known ? m->cost : -1;
	}
	render_end(d->render, &end);
}

/* Close the frontends first: they read unsent events from the log. */
static void close_faces(uv_loop_t *loop, struct drive *d, int code)
{
	d->ending = true;
	d->interrupts = 0;
	d->ask = ask_free(d->ask);
	if (d->render)
		conversation_unwatch(d->c, d->render_watch);
	d->render = render_free(d->render);
	if (d->server)
		server_end(d->server, code, on_server_ended, d);
	if (d->stdio && d->lost)
		transport_close(d->stdio);
	else if (d->stdio)
		transport_end(d->stdio, code);
	while (d->stdio || d->server) {
		uv_run(loop, UV_RUN_ONCE);
		if (d->stdio && d->lost)
			transport_close(d->stdio);
	}
	stdio_restore();
}

static void drive_close_all(uv_loop_t *loop, struct drive *d, int code)
{
	close_faces(loop, d, code);
	conversation_close(d->c, drive_on_closed, d);
	while (!d->closed)
		uv_run(loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&d->waiting, NULL);
	for (size_t i = 0; i < ARRAY_LEN(d->signals); i++)
		uv_close((uv_handle_t *)&d->signals[i], NULL);
	while (uv_run(loop, UV_RUN_ONCE))
		;
}

/* ---- the loop ---------------------------------------------------------- */

void drive_options_init(struct drive_options *o, struct final_answer *answer)
{
	*o = (struct drive_options){ .style = RENDER_NORMAL, .answer = answer,
				     .add_dirs = STRBUF(ADD_DIRS_MAX) };
	final_answer_init(answer);
}

void drive_options_clear(struct drive_options *o)
{
	json_object_put(o->images);
	strbuf_clear(&o->add_dirs);
	final_answer_clear(o->answer);
}

enum flags_status drive_parse(const struct command *self, int argc, char **argv,
			      int *ret_first, struct common *in, struct drive_options *o)
{
	enum flags_status status = flags_parse(self, argc, argv, ret_first, in);

	if (o->listen)
		o->json = o->keep = true;
	for (size_t i = 0; i < in->override_count; i++)
		if (strncmp(in->overrides[i], "core.plugin_path", 16) == 0)
			o->plugin_path = in->overrides[i];
	if (status != FLAG_END || !o->add_dirs.len)
		return status;
	if (in->override_count == ARRAY_LEN(in->overrides)) {
		command_misused(self, "too many settings");
		return FLAG_BAD;
	}
	in->overrides[in->override_count++] = o->add_dirs.text;
	return FLAG_END;
}

int drive_add_dir(void *options, const char *path, struct error *err)
{
	struct drive_options *o = options;
	AUTO(free) char *expanded = path_expand(path);
	char real[PATH_MAX];

	if (!expanded)
		return out_of_memory(err);
	if (!realpath(expanded, real))
		return fail(err, MT_ENOTFOUND, "cannot add the directory %s: %s", path,
			    strerror(errno));
	if (strchr(real, ','))
		return fail(err, MT_EINVAL,
			    "cannot add the directory %s: its path contains a comma",
			    real);
	if (strbuf_addf(&o->add_dirs, "%s%s",
			o->add_dirs.len ? ", " : "workspace.directories+=", real))
		return fail(err, MT_ELIMIT, "--add-dir appears too often");
	return MT_OK;
}

int drive_image(void *options, const char *path, struct error *err)
{
	struct drive_options *o = options;

	if (!o->images)
		o->images = json_object_new_array();
	return o->images ? images_add_file(o->images, path, err) : out_of_memory(err);
}

static int drive_begin(const struct drive *d, const char *task, size_t len,
		       struct error *err)
{
	if (task)
		return conversation_say(d->c, task, len, d->o->images, false, err);
	if (d->ask)
		ask_update(d->ask);
	if (d->o->keep || conversation_state(d->c) == STATE_AWAITING_USER_CONFIRMATION)
		return MT_OK;
	if (conversation_state(d->c) == STATE_FINISHED) {
		fprintf(stderr, "mortise: the conversation is finished; use -t to send "
				"another message\n");
		return MT_OK;
	}
	return conversation_continue(d->c, err);
}

static void keep_waiting(uv_prepare_t *handle)
{
	(void)handle;
}

/* True if an action is waiting for approval, and a client that can approve it is
 * connected. */
static bool answer_may_come(struct drive *d)
{
	bool may = conversation_state(d->c) == STATE_AWAITING_USER_CONFIRMATION &&
		   !d->quit &&
		   ((d->ask && ask_is_open(d->ask)) ||
		    (d->stdio && stdio_listens(d->o->commands) && !d->input_over) ||
		    (d->server && server_clients(d->server) > 0));

	if (may)
		uv_prepare_start(&d->waiting, keep_waiting);
	else
		uv_prepare_stop(&d->waiting);
	return may;
}

/* True if the agent is idle, and any cancelled call has reported its result. */
static bool drive_over(struct drive *d)
{
	enum agent_state state = conversation_state(d->c);

	if (conversation_busy(d->c) ||
	    !(state_is_resting(state) || (d->o->keep && state == STATE_LOADING)))
		return false;
	if (answer_may_come(d))
		return false;
	return !d->o->keep || d->quit ||
	       (d->input_over && !d->stay &&
		(!d->server || server_clients(d->server) == 0));
}

/* If standard output is closed, stops instead of continuing unobserved. */
static void drive_check_output(struct drive *d)
{
	struct error err = ERROR_NONE;

	d->lost |= d->render && ferror(stdout);
	if (!d->lost || d->quit)
		return;
	d->quit = true;
	conversation_pause(d->c, "standard output was closed", &err);
	fprintf(stderr,
		"mortise: standard output was closed; run `mortise resume %s` to "
		"continue\n",
		conversation_id(d->c));
}

/* An answer that does not match its schema is requested again, up to a limit. */
static bool ask_again(struct drive *d, int *code)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	struct final_answer *a = d->o->answer;
	struct error why = ERROR_NONE, err = ERROR_NONE;

	if (!a || *code != EXIT_DONE || conversation_state(d->c) != STATE_FINISHED ||
	    final_answer_check(a, &why) == MT_OK)
		return false;
	if (++a->refused < ANSWERS_MAX && !d->quit &&
	    strbuf_addf(&text,
			"Your final answer is not valid: %s. Give it again, as a "
			"single JSON value that matches the schema, with no text "
			"before or after it.",
			why.text) == MT_OK &&
	    conversation_correct(d->c, text.text, text.len, &err) == MT_OK)
		return true;
	fprintf(stderr, "mortise: the final answer is not valid: %s\n", why.text);
	strbuf_reset(&a->text);
	*code = EXIT_FAILED;
	return false;
}

static int loop_on(uv_loop_t *loop, struct drive *d)
{
	int code;

	if (d->stdio)
		transport_start(d->stdio);
	drive_check_output(d);
	do {
		while (!drive_over(d) &&
		       (uv_run(loop, UV_RUN_ONCE) || answer_may_come(d)))
			drive_check_output(d);
		drive_check_output(d); /* the last iteration may have returned 0 */
		code = conversation_exit_code(d->c);
	} while (ask_again(d, &code));
	if (d->lost && (code == EXIT_DONE || code == EXIT_INTERRUPTED))
		return EXIT_FAILED;
	if (code == EXIT_INTERRUPTED && d->signal)
		return exit_code_of_signal(d->signal);
	return code;
}

/* If the failure put the conversation into the error state, the closing line reports
 * it. */
static int begin_failed(const struct drive *d, const struct error *err)
{
	if (conversation_state(d->c) == STATE_ERROR &&
	    strcmp(conversation_reason(d->c), err->text) == 0)
		return conversation_exit_code(d->c);
	return command_report(EXIT_FAILED, err);
}

int drive_conversation(uv_loop_t *loop, struct conversation *c, const char *task,
		       size_t len, const struct drive_options *o)
{
	struct drive d = { .c = c, .o = o };
	struct error err = ERROR_NONE;
	int code;

	drive_watch_signals(loop, &d);
	conversation_watch(c, &states, &d);
	if (open_faces(loop, &d, &err) || drive_begin(&d, task, len, &err))
		code = begin_failed(&d, &err);
	else
		code = loop_on(loop, &d);
	if (o->record && drive_record(o->record, conversation_log(c), &err))
		code = command_report(EXIT_FAILED, &err);
	if (drive_put_answer(&d, &err))
		code = command_report(EXIT_FAILED, &err);
	if (d.render)
		show_end(&d);
	drive_close_all(loop, &d, code);
	return code;
}
