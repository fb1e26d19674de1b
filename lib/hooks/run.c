/* SPDX-License-Identifier: MIT
 *
 * run.c - runs the command of a hook: writes the event to its stdin, collects its
 * output within limits, and kills its process group after the time limit. */
#include "hooks/hooks.h"

#include "js.h"
#include "utf8.h"

#include <signal.h>
#include <string.h>

extern char **environ;

enum { OUTPUT_MAX = 1 << 20, ENV_MAX = 64, PIECE = 16384 };

struct hook_run {
	uv_process_t process;
	uv_pipe_t pipes[3];
	uv_timer_t timer;
	uv_write_t write;
	unsigned open;             /* number of handles not yet closed */
	unsigned streams;          /* number of output streams that have not ended */
	bool exited, timed_out, over;
	int64_t exit_code;
	int64_t timeout_ms;
	char *input;
	struct strbuf text[2];
	char piece[PIECE];
	void (*done)(void *arg, const struct hook_result *result);
	void *arg;
};

/* ---- the end ------------------------------------------------------------------- */

static void run_release(struct hook_run *r)
{
	strbuf_clear(&r->text[0]);
	strbuf_clear(&r->text[1]);
	free(r->input);
	free(r);
}

static char *hook_run_clean(const struct strbuf *text)
{
	AUTO(strbuf) struct strbuf out = STRBUF(4 * OUTPUT_MAX);

	if (text->error)
		return NULL;
	utf8_add_clean(&out, text->text, text->len);
	if (!out.len && !out.error)
		return strdup("");
	return strbuf_take(&out);
}

static void hook_run_report(struct hook_run *r)
{
	struct hook_result result = {
		.exit_code = r->timed_out ? -1 : (int)r->exit_code,
		.out = hook_run_clean(&r->text[0]), .err_text = hook_run_clean(&r->text[1]),
	};
	AUTO(strbuf) struct strbuf why = STRBUF(256);

	if (r->timed_out)
		strbuf_addf(&why, "Hook timed out after %lld seconds",
			    (long long)(r->timeout_ms + 999) / 1000);
	if (why.len)
		result.error = strbuf_take(&why);
	if (hook_understand(&result)) {
		result.success = false;
		result.error =
			result.error ? result.error : strdup(status_name(MT_ENOMEM));
	}
	r->done(r->arg, &result);
	hook_result_clear(&result);
}

static void run_on_closed(uv_handle_t *handle)
{
	struct hook_run *r = handle->data;

	if (--r->open)
		return;
	if (r->done)
		hook_run_report(r);
	run_release(r);
}

static void hook_run_close_handle(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, run_on_closed);
}

static void hook_run_end(struct hook_run *r)
{
	if (r->over)
		return;
	r->over = true;
	for (size_t i = 0; i < 3; i++)
		hook_run_close_handle((uv_handle_t *)&r->pipes[i]);
	hook_run_close_handle((uv_handle_t *)&r->timer);
	if (r->exited)
		hook_run_close_handle((uv_handle_t *)&r->process);
}

/* Kill the process and its process group, which it leads. */
static void kill_group(struct hook_run *r)
{
	if (r->process.pid > 0)
		kill(-r->process.pid, SIGKILL);
}

static void end_if_over(struct hook_run *r)
{
	if (r->exited && !r->streams)
		hook_run_end(r);
}

static void on_exit_of(uv_process_t *process, int64_t status, int signal_number)
{
	struct hook_run *r = process->data;

	r->exited = true;
	r->exit_code = signal_number ? 128 + signal_number : status;
	kill_group(r); /* an orphan process may hold the output open */
	if (r->over)
		hook_run_close_handle((uv_handle_t *)&r->process);
	else
		end_if_over(r);
}

static void on_time_out(uv_timer_t *timer)
{
	struct hook_run *r = timer->data;

	r->timed_out = true;
	kill_group(r);
	if (r->exited)
		hook_run_end(r);
}

/* ---- input and output ------------------------------------------------------------- */

static void give_piece(uv_handle_t *handle, size_t want, uv_buf_t *buf)
{
	struct hook_run *r = handle->data;

	(void)want;
	*buf = uv_buf_init(r->piece, sizeof r->piece);
}

static void hook_run_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct hook_run *r = stream->data;
	struct strbuf *text = &r->text[stream == (uv_stream_t *)&r->pipes[2]];

	if (n > 0 && text->len < OUTPUT_MAX - 1) {
		size_t room = OUTPUT_MAX - 1 - text->len;

		strbuf_addn(text, buf->base, (size_t)n < room ? (size_t)n : room);
	}
	if (n >= 0)
		return;
	uv_read_stop(stream);
	r->streams--;
	end_if_over(r);
}

static void hook_run_on_written(uv_write_t *write, int status)
{
	struct hook_run *r = write->data;

	(void)status; /* the hook need not read its input */
	if (!uv_is_closing((uv_handle_t *)&r->pipes[0]))
		uv_close((uv_handle_t *)&r->pipes[0], run_on_closed);
}

static void begin_streams(struct hook_run *r)
{
	uv_buf_t buf = uv_buf_init(r->input, (unsigned)strlen(r->input));

	r->streams = 2;
	for (size_t i = 1; i < 3; i++)
		if (uv_read_start((uv_stream_t *)&r->pipes[i], give_piece,
				  hook_run_on_read))
			r->streams--;
	r->write.data = r;
	if (uv_write(&r->write, (uv_stream_t *)&r->pipes[0], &buf, 1,
		     hook_run_on_written))
		uv_close((uv_handle_t *)&r->pipes[0], run_on_closed);
	uv_timer_start(&r->timer, on_time_out, (uint64_t)r->timeout_ms, 0);
}

/* ---- starting
 * ----------------------------------------------------------------------- */

static bool hook_run_passes(const char *pair)
{
	static const char *const names[] = { "PATH=", "HOME=", "USER=", "LOGNAME=", "LANG=",
					     "LC_", "TERM=", "TMPDIR=", "TZ=", "SHELL=",
					     "XDG_" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncmp(pair, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static int put_env(char **env, size_t *n, const char *name, const char *value)
{
	AUTO(strbuf) struct strbuf pair = STRBUF(1 << 16);

	if (!value || *n >= ENV_MAX)
		return MT_OK;
	strbuf_addf(&pair, "%s%s", name, value);
	env[*n] = strbuf_take(&pair);
	return env[*n] ? (++*n, MT_OK) : MT_ENOMEM;
}

static int hook_run_make_env(char **env, const struct hook_call *call)
{
	const char *event = hook_event_name(call->hook->event);
	const struct {
		const char *name, *value;
	} own[] = {
		{ "OPENHANDS_PROJECT_DIR=", call->dir },
		{ "OPENHANDS_SESSION_ID=", call->conversation },
		{ "OPENHANDS_EVENT_TYPE=", event },
		{ "OPENHANDS_TOOL_NAME=", call->tool },
		{ "MORTISE_PROJECT_DIR=", call->dir },
		{ "MORTISE_CONVERSATION=", call->conversation },
		{ "MORTISE_HOOK_EVENT=", event },
		{ "MORTISE_HOOK_TOOL=", call->tool },
	};
	size_t n = 0;
	int r = MT_OK;

	for (size_t i = 0; !r && i < ARRAY_LEN(own); i++)
		r = put_env(env, &n, own[i].name, own[i].value);
	for (char **e = environ; !r && *e; e++)
		if (hook_run_passes(*e))
			r = put_env(env, &n, "", *e);
	return r;
}

static void init_handles(struct hook_run *r, uv_loop_t *loop)
{
	for (size_t i = 0; i < 3; i++) {
		uv_pipe_init(loop, &r->pipes[i], 0);
		r->pipes[i].data = r;
	}
	uv_timer_init(loop, &r->timer);
	r->timer.data = r->process.data = r;
	r->open = 4;
}

static int hook_run_spawn(struct hook_run *r, uv_loop_t *loop,
			  const struct hook_call *call, struct error *err)
{
	char *env[ENV_MAX + 1] = { 0 };
	uv_stdio_container_t io[3];
	uv_process_options_t options = {
		.exit_cb = on_exit_of, .file = call->hook->argv[0], .args = call->hook->argv,
		.env = env, .cwd = call->dir, .flags = UV_PROCESS_DETACHED,
		.stdio = io, .stdio_count = 3,
	};
	int status = hook_run_make_env(env, call);

	for (size_t i = 0; i < 3; i++) {
		io[i].flags = UV_CREATE_PIPE | (i ? UV_WRITABLE_PIPE : UV_READABLE_PIPE);
		io[i].data.stream = (uv_stream_t *)&r->pipes[i];
	}
	if (!status) {
		r->open++; /* its handle must be closed even on failure */
		status = uv_spawn(loop, &r->process, &options);
		r->exited = status != 0;
	}
	for (char **e = env; *e; e++)
		free(*e);
	if (status)
		fail(err, MT_EIO, "hook %.100s: cannot run %s: %s", call->hook->name,
		     call->hook->argv[0], uv_strerror(status));
	return status ? MT_EIO : MT_OK;
}

int hook_start(uv_loop_t *loop, const struct hook_call *call,
	       void (*done)(void *arg, const struct hook_result *result), void *arg,
	       struct hook_run **ret, struct error *err)
{
	struct hook_run *r = calloc(1, sizeof *r);
	const char *text = js_text(call->input, NULL);

	if (r)
		r->input = text ? strdup(text) : NULL;
	if (!r || !r->input) {
		free(r);
		return out_of_memory(err);
	}
	r->text[0] = r->text[1] = STRBUF(OUTPUT_MAX);
	r->timeout_ms = call->hook->timeout_ms;
	init_handles(r, loop);
	if (hook_run_spawn(r, loop, call, err)) {
		hook_run_end(r); /* not reported */
		return err->code;
	}
	r->done = done;
	r->arg = arg;
	begin_streams(r);
	*ret = r;
	return MT_OK;
}

void hook_cancel(struct hook_run *r)
{
	if (!r)
		return;
	r->done = NULL;
	kill_group(r);
	hook_run_end(r);
}
