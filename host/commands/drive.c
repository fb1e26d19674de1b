/* SPDX-License-Identifier: MIT
 *
 * drive.c - a conversation in the foreground: the loop, signals, the end. */
#include "commands/drive.h"

#include "commands/command.h"
#include "files.h"
#include "llm/script-write.h"

#include "jsonl.h"

#include <signal.h>
#include <string.h>

enum { SCRIPT_MAX = 256 << 20, LINE_MAX_BYTES = 64 << 20, READ_AT_ONCE = 1 << 20 };

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
static int record_line(char *line, size_t len, void *arg)
{
	AUTO(json) json_object *o = NULL;
	AUTO(llm_reply) struct llm_reply *reply = NULL;

	if (!strstr(line, "\"llm_reply\""))
		return MT_OK;
	o = js_parse_object(line, len, NULL);
	if (!o || strcmp(js_str(o, "record", ""), "llm_reply") != 0)
		return MT_OK;
	reply = llm_reply_from_json(o, NULL);
	return reply ? script_put_reply(arg, reply) : MT_OK;
}

static int record(const char *path, struct conversation *c, struct error *err)
{
	AUTO(strbuf) struct strbuf script = STRBUF(SCRIPT_MAX), bytes = STRBUF(LINE_MAX_BYTES);
	struct jsonl lines;
	uint64_t offset = 0;
	int64_t n;
	int r = MT_OK;

	jsonl_init(&lines, LINE_MAX_BYTES, record_line, &script);
	while (!r && (n = evlog_read(conversation_log(c), offset, &bytes, READ_AT_ONCE)) > 0) {
		r = jsonl_feed(&lines, bytes.text, bytes.len);
		offset += (uint64_t)n;
		strbuf_reset(&bytes);
	}
	jsonl_done(&lines);
	if (r)
		return fail(err, r, "%s: the replies cannot be written: %s", path,
			    status_name(r));
	return file_write(path, script.text, script.len, 0600, false, err);
}

static int begin(struct conversation *c, const char *task, size_t len, struct error *err)
{
	return task ? conversation_message(c, task, len, err) : conversation_continue(c, err);
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
		while (!state_is_resting(conversation_state(c)) && uv_run(loop, UV_RUN_ONCE))
			;
		d.code = conversation_exit_code(c);
	}
	if (o->record && record(o->record, c, &err))
		d.code = complain(EXIT_FAILED, &err);
	if (r)
		render_end(r);
	render_free(r);
	close_all(loop, &d);
	return d.code;
}
