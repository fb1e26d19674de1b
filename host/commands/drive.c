/* SPDX-License-Identifier: MIT
 *
 * drive.c - a conversation in the foreground: the loop, signals, the end. */
#include "commands/drive.h"

#include "commands/command.h"
#include "files.h"
#include "llm/script-write.h"


#include <signal.h>
#include <string.h>

enum { SCRIPT_MAX = 256 << 20 };

struct drive {
	struct conversation *c;
	uv_signal_t signals[3];
	int interrupts;
	bool ended;
	int code;
};

static void on_closed(void *arg)
{
	struct drive *d = arg;

	d->ended = true;
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct drive *d = handle->data;
	struct error err = ERROR_NONE;

	if (++d->interrupts > 1)
		_exit(128 + number);
	if (conversation_pause(d->c, &err))
		conversation_stop(d->c, &err);
}

static void on_state(void *arg, enum agent_state state, const char *reason)
{
	struct drive *d = arg;

	(void)reason;
	if (state_is_resting(state))
		uv_stop(d->signals[0].loop);
}

static void on_event(void *arg, const struct event *e)
{
	AUTO(strbuf) struct strbuf line = STRBUF(64 << 20);

	(void)arg;
	if (!event_write(e, &line) && !strbuf_addc(&line, '\n'))
		write_all(STDOUT_FILENO, line.text, line.len);
}

static void watch_signals(uv_loop_t *loop, struct drive *d)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uv_signal_init(loop, &d->signals[i]);
		d->signals[i].data = d;
		uv_signal_start(&d->signals[i], on_signal, numbers[i]);
		uv_unref((uv_handle_t *)&d->signals[i]);
	}
}

/* Each reply of the log, as a turn of a script. */
static int record(const char *path, struct evlog *log, struct error *err)
{
	AUTO(strbuf) struct strbuf script = STRBUF(SCRIPT_MAX);

	for (int64_t n = 0; n < evlog_replies(log); n++) {
		AUTO(json) json_object *o = evlog_reply_at(log, n, err);
		AUTO(llm_reply) struct llm_reply *reply =
			o ? llm_reply_from_json(o, err) : NULL;

		if (!reply)
			return err->code;
		if (script_put_reply(&script, reply))
			return fail(err, MT_ELIMIT, "%s: the script would be too long", path);
	}
	return file_write(path, script.text, script.len, 0600, false, err);
}

static int begin(struct conversation *c, const char *task, size_t len, struct error *err)
{
	return task ? conversation_message(c, task, len, err) : conversation_continue(c, err);
}

/* It rests, and a call that was cancelled has said what came of it. */
static bool at_rest(const struct conversation *c)
{
	return state_is_resting(conversation_state(c)) && !conversation_busy(c);
}

static void close_all(uv_loop_t *loop, struct drive *d)
{
	conversation_close(d->c, on_closed, d);
	while (!d->ended)
		uv_run(loop, UV_RUN_ONCE);
	for (size_t i = 0; i < ARRAY_LEN(d->signals); i++)
		uv_close((uv_handle_t *)&d->signals[i], NULL);
	while (uv_run(loop, UV_RUN_ONCE))
		;
}

int drive(uv_loop_t *loop, struct conversation *c, const char *task, size_t len,
	  const struct drive_options *o)
{
	static const struct watcher state_watcher = { .state = on_state };
	static const struct watcher json_watcher = { .event = on_event };
	struct drive d = { .c = c };
	struct render *r = o->json ? NULL : render_new(c, stdout, o->style);
	struct error err = ERROR_NONE;

	watch_signals(loop, &d);
	conversation_watch(c, &state_watcher, &d);
	if (o->json)
		conversation_watch(c, &json_watcher, &d);
	if (begin(c, task, len, &err)) {
		complain(EXIT_FAILED, &err);
		d.code = EXIT_FAILED;
	} else {
		while (!at_rest(c) && uv_run(loop, UV_RUN_ONCE))
			;
		d.code = conversation_exit_code(c);
	}
	if (o->record && record(o->record, conversation_log(c), &err))
		d.code = complain(EXIT_FAILED, &err);
	if (r)
		render_end(r);
	render_free(r);
	close_all(loop, &d);
	return d.code;
}
