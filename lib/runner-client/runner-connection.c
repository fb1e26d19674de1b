/* SPDX-License-Identifier: MIT
 *
 * runner-connection.c - launches a runner, sends and receives its messages, and shuts
 * it down. */
#include "runner-client/runner-connection-internal.h"
#include "log.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void runner_connection_finish(struct runner *l);

/* ---- shutdown ----------------------------------------------------------- */

static void runner_free(struct runner *l)
{
	runner_open_calls_fail(l, MT_ECANCELLED, false, 0, "the runner was stopped");
	jsonl_done(&l->lines);
	strbuf_clear(&l->waiting);
	json_object_put(l->outside);
	json_object_put(l->listing);
	json_object_put(l->changing);
	for (size_t n = 0; n < l->granted_count; n++)
		free(l->granted[n]);
	free(l->granted);
	free(l->stderr_path);
	free(l);
}

static void runner_connection_on_closed(uv_handle_t *h)
{
	struct runner *l = h->data;

	if (--l->handles)
		return;
	if (l->started && l->events->closed)
		l->events->closed(l->arg, &l->why);
	runner_free(l);
}

static void runner_connection_close_handle(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, runner_connection_on_closed);
}

static void close_input(struct runner *l)
{
	if (!l->in_closed) {
		l->in_closed = true;
		runner_connection_close_handle((uv_handle_t *)&l->in);
	}
}

static void describe_end(struct runner *l)
{
	if (l->why.code)
		return;
	if (l->closing)
		fail(&l->why, MT_ECANCELLED, "the runner was stopped");
	else if (l->exit_signal)
		fail(&l->why, MT_EIO, "the runner was killed by signal %d (%s)",
		     l->exit_signal, strsignal(l->exit_signal));
	else
		fail(&l->why, MT_EIO,
		     "the runner exited unexpectedly with exit code %" PRId64 "%s%s",
		     l->exit_code, l->stderr_path ? "; see its error output in " : "",
		     l->stderr_path ? l->stderr_path : "");
}

static void runner_connection_finish(struct runner *l)
{
	if (l->finishing)
		return;
	l->finishing = true;
	describe_end(l);
	runner_open_calls_fail(l, l->why.code, !l->closing, l->exit_signal, l->why.text);
	close_input(l);
	runner_connection_close_handle((uv_handle_t *)&l->out);
	runner_connection_close_handle((uv_handle_t *)&l->timer);
	runner_connection_close_handle((uv_handle_t *)&l->later);
	runner_connection_close_handle((uv_handle_t *)&l->process);
}

static void on_kill_time(uv_timer_t *t)
{
	struct runner *l = t->data;

	if (l->exited)
		runner_connection_finish(l); /* another process holds its output open */
	else
		uv_process_kill(&l->process, SIGKILL);
}

/* Closing its input makes the runner kill its process tree. If it does not exit in time,
 * it is killed. */
static void begin_end(struct runner *l)
{
	close_input(l);
	uv_timer_start(&l->timer, on_kill_time, l->exited ? 200 : CLOSE_MS, 500);
}

static void on_later(uv_timer_t *t)
{
	struct runner *l = t->data;

	runner_open_calls_end_withdrawn(l);
	if (!l->closing && !l->why.code)
		return;
	if (!l->finishing)
		begin_end(l);
	if (!l->greeted && !l->exited) /* it may not read its input */
		uv_process_kill(&l->process, SIGTERM);
	describe_end(l);
	runner_open_calls_fail(l, l->why.code, !l->closing, 0, l->why.text);
}

void runner_break(struct runner *l, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_va(&l->why, status, fmt, ap);
	va_end(ap);
	uv_timer_start(&l->later, on_later, 0, 0);
}

static void runner_connection_on_exit(uv_process_t *p, int64_t exit_code, int number)
{
	struct runner *l = p->data;

	l->exited = true;
	l->exit_code = exit_code;
	l->exit_signal = number;
	if (l->eof)
		runner_connection_finish(l);
	else
		begin_end(l);
}

/* ---- lines out -------------------------------------------------------- */

struct write {
	uv_write_t request;
	struct runner *link;
	size_t len;
	char bytes[];
};

static void runner_connection_on_written(uv_write_t *request, int status)
{
	struct write *w = request->data;

	(void)status; /* a runner that has exited also closes its output */
	w->link->queued -= w->len;
	free(w);
}

static int queue(struct runner *l, const char *bytes, size_t len)
{
	struct write *w = malloc(sizeof *w + len);
	uv_buf_t b;

	if (!w)
		return MT_ENOMEM;
	w->link = l;
	w->len = len;
	w->request.data = w;
	memcpy(w->bytes, bytes, len);
	b = uv_buf_init(w->bytes, (unsigned)len);
	if (uv_write(&w->request, (uv_stream_t *)&l->in, &b, 1,
		     runner_connection_on_written) < 0) {
		free(w);
		return MT_EIO;
	}
	l->queued += len;
	return MT_OK;
}

/* Data that the runner can accept is written immediately, with one system call. */
static int send_now(struct runner *l, const char *bytes, size_t len)
{
	uv_buf_t b = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len);
	int n = l->queued ? UV_EAGAIN : uv_try_write((uv_stream_t *)&l->in, &b, 1);

	if (n < 0 && n != UV_EAGAIN)
		return MT_EIO;
	if (n < 0)
		n = 0;
	return (size_t)n == len ? MT_OK : queue(l, bytes + n, len - (size_t)n);
}

static void on_deaf(uv_timer_t *t)
{
	struct runner *l = t->data;

	runner_break(l, MT_EIO, "the runner closed its input");
}

int runner_send(struct runner *l, const char *bytes, size_t len)
{
	int status;

	if (l->in_closed)
		return MT_EIO;
	if (l->queued + len > QUEUE_MAX)
		return MT_ELIMIT;
	status = send_now(l, bytes, len);
	if (status != MT_EIO)
		return status;
	/* Usually it is exiting: the reason is reported later, and its calls fail. */
	if (!uv_is_active((uv_handle_t *)&l->timer))
		uv_timer_start(&l->timer, on_deaf, INPUT_TIMEOUT_MS, 0);
	return MT_OK;
}

static int sendf(struct runner *l, const char *fmt, ...)
{
	struct strbuf b AUTO(strbuf) = STRBUF(4096);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	return b.error ? b.error : runner_send(l, b.text, b.len);
}

/* ---- bytes in --------------------------------------------------------- */

static void runner_connection_on_alloc(uv_handle_t *h, size_t wanted, uv_buf_t *ret)
{
	struct runner *l = h->data;

	(void)wanted;
	*ret = uv_buf_init(l->room, sizeof l->room);
}

static void give_window(struct runner *l)
{
	if (l->consumed < RUNNER_WINDOW / 2)
		return;
	sendf(l,
	      "{\"method\":\"notifications/window\",\"params\":{\"bytes\":%" PRId64
	      "}}\n",
	      l->consumed);
	l->consumed = 0;
}

static void runner_connection_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *b)
{
	struct runner *l = stream->data;
	int status;

	if (n == 0)
		return;
	if (n < 0) {
		l->eof = true;
		uv_read_stop(stream);
		if (l->exited)
			runner_connection_finish(l);
		else
			begin_end(l);
		return;
	}
	status = jsonl_feed(&l->lines, b->base, (size_t)n);
	if (status) {
		uv_read_stop(stream);
		l->eof = true;
		runner_break(l, status == MT_ENOMEM ? status : MT_EIO, "%s",
			     status == MT_ELIMIT
				     ? "the runner sent a line that is too long"
				     : "the runner sent output that is not part of the "
				       "protocol");
		return;
	}
	give_window(l);
}

/* ---- start ------------------------------------------------------------ */

static void on_hello_time(uv_timer_t *t)
{
	struct runner *l = t->data;

	runner_break(l, MT_ETIMEOUT, "the runner does not respond: no hello received");
}

static void on_hello_late(uv_timer_t *t)
{
	struct runner *l = t->data;
	char text[160];

	snprintf(text, sizeof text,
		 "the runner has not started within %d s; it has %llu s more",
		 HELLO_LATE_MS / 1000, (unsigned long long)l->hello_left_ms / 1000);
	if (l->events->log)
		l->events->log(l->arg, MT_LOG_WARNING, NULL, text);
	uv_timer_start(t, on_hello_time, l->hello_left_ms, l->hello_left_ms);
}

static void runner_connection_await_hello(struct runner *l,
					  const struct runner_spec *spec)
{
	uint64_t ms = (uint64_t)(spec->hello_ms ? spec->hello_ms : HELLO_MS);

	if (ms > HELLO_LATE_MS) {
		l->hello_left_ms = ms - HELLO_LATE_MS;
		uv_timer_start(&l->timer, on_hello_late, HELLO_LATE_MS, 0);
	} else {
		uv_timer_start(&l->timer, on_hello_time, ms, ms);
	}
}

static int say_hello(struct runner *l, const struct runner_spec *spec, struct error *err)
{
	struct strbuf b AUTO(strbuf) = STRBUF(HELLO_BYTES_MAX);
	int status = runner_put_hello(&b, spec);

	if (!status)
		status = runner_send(l, b.text, b.len);
	if (b.room)
		explicit_bzero(b.text, b.len);
	if (status == MT_EIO) /* it has exited: its wait status tells why */
		return MT_OK;
	return status ? fail(err, status, "cannot send the hello: %s",
			     status_name(status))
		      : MT_OK;
}

static int keep_grants(struct runner *l, const struct runner_spec *spec)
{
	size_t count = 0;

	for (size_t n = 0; n < spec->instance_count; n++)
		for (size_t k = 0;
		     spec->instances[n].secrets && spec->instances[n].secrets[k]; k++)
			count++;
	l->granted = calloc(count + 1, sizeof *l->granted);
	for (size_t n = 0; l->granted && n < spec->instance_count; n++) {
		const struct runner_instance *i = &spec->instances[n];

		for (size_t k = 0; i->secrets && i->secrets[k]; k++) {
			struct strbuf both = STRBUF(4096);

			strbuf_addf(&both, "%s\n%s", i->name, i->secrets[k]);
			l->granted[l->granted_count] = strbuf_take(&both);
			if (!l->granted[l->granted_count++])
				return MT_ENOMEM;
		}
	}
	return l->granted ? MT_OK : MT_ENOMEM;
}

static int keep_outside(struct runner *l, const struct runner_spec *spec)
{
	l->outside = js_new_object();
	for (size_t n = 0; n < spec->instance_count; n++)
		js_set_bool(l->outside, spec->instances[n].name,
			    spec->instances[n].outside);
	return js_failed(l->outside) ? MT_ENOMEM : MT_OK;
}

static int runner_connection_spawn(struct runner *l, const struct runner_spec *spec,
				   struct error *err)
{
	uv_stdio_container_t stdio[5] = {
		{ .flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
		  .data.stream = (uv_stream_t *)&l->in },
		{ .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
		  .data.stream = (uv_stream_t *)&l->out },
		{ .flags = spec->stderr_fd >= 0 ? UV_INHERIT_FD : UV_IGNORE,
		  .data.fd = spec->stderr_fd },
		{ .flags = UV_INHERIT_FD, .data.fd = spec->pass[0] },
		{ .flags = UV_INHERIT_FD, .data.fd = spec->pass[1] },
	};
	uv_process_options_t options = {
		.file = spec->argv[0],
		.args = (char **)(uintptr_t)spec->argv,
		.env = (char **)(uintptr_t)spec->env,
		.exit_cb = runner_connection_on_exit,
		.flags = UV_PROCESS_DETACHED, /* Ctrl-C is for this process */
		.stdio_count = spec->passes ? 5 : 3,
		.stdio = stdio,
	};
	int failed = uv_spawn(l->loop, &l->process, &options);

	if (failed)
		return fail(err, failed == UV_ENOENT ? MT_ENOTFOUND : MT_EIO,
			    "cannot start the runner %s: %s", spec->argv[0],
			    uv_strerror(failed));
	return MT_OK;
}

static struct runner *runner_new(uv_loop_t *loop, const struct runner_spec *spec)
{
	struct runner *l = calloc(1, sizeof *l);

	if (l && spec->stderr_path)
		l->stderr_path = strdup(spec->stderr_path);
	if (!l || keep_grants(l, spec) || keep_outside(l, spec)) {
		if (l)
			runner_free(l);
		return NULL;
	}
	l->loop = loop;
	l->result_max = spec->result_max ? spec->result_max : RUNNER_RESULT_MAX;
	l->grace_ms = spec->grace_ms ? spec->grace_ms : GRACE_MS;
	l->waiting = STRBUF(QUEUE_MAX);
	jsonl_init(&l->lines, RUNNER_LINE_MAX, runner_line, l);
	l->process.data = l->in.data = l->out.data = l;
	l->timer.data = l->later.data = l;
	return l;
}

int runner_open(uv_loop_t *loop, const struct runner_spec *spec,
		const struct runner_events *events, void *arg, struct runner **ret,
		struct error *err)
{
	struct runner *l = runner_new(loop, spec);
	int status;

	if (!l)
		return out_of_memory(err);
	uv_pipe_init(loop, &l->in, 0);
	uv_pipe_init(loop, &l->out, 0);
	uv_timer_init(loop, &l->timer);
	uv_timer_init(loop, &l->later);
	l->handles = 5;
	l->events = events;
	l->arg = arg;
	signal(SIGPIPE, SIG_IGN); /* writing to an exited runner fails instead */
	status = runner_connection_spawn(l, spec, err);
	if (!status)
		status = say_hello(l, spec, err);
	if (!status && uv_read_start((uv_stream_t *)&l->out, runner_connection_on_alloc,
				     runner_connection_on_read) < 0)
		status = fail(err, MT_EIO, "cannot read from the runner");
	if (status) {
		runner_connection_finish(l); /* frees it from the loop, silently */
		return status;
	}
	l->started = true;
	runner_connection_await_hello(l, spec);
	*ret = l;
	return MT_OK;
}

/* ---- requests of the caller --------------------------------------------- */

/* Lines are queued until the hello is answered: an invalid runner must not receive
 * any. */
static int send_or_wait(struct runner *l, const char *bytes, size_t len)
{
	if (l->greeted)
		return runner_send(l, bytes, len);
	if (strbuf_addn(&l->waiting, bytes, len) == MT_OK)
		return MT_OK;

	int status = l->waiting.error;

	l->waiting.error = MT_OK; /* only this line fails */
	return status;
}

static int runner_connection_start_call(struct runner *l, const char *method,
					uint64_t call, const char *instance,
					const char *tool, const char *args, size_t len,
					int64_t timeout_ms, struct error *err)
{
	struct strbuf b AUTO(strbuf) = STRBUF(RUNNER_ARGS_MAX + 8192);
	struct open_call *c;
	int status;

	if (l->closing || l->finishing || l->why.code)
		return fail(err, MT_EIO, "the runner exited%s%s", l->why.code ? ": " : "",
			    l->why.text);
	if (len > RUNNER_ARGS_MAX)
		return fail(err, MT_ELIMIT,
			    "the arguments have %zu bytes, but at most "
			    "%d are allowed",
			    len, RUNNER_ARGS_MAX);
	if (runner_open_call_find(l, call))
		return fail(err, MT_EEXIST, "call %" PRIu64 " is already open", call);
	status = runner_put_call(&b, method, call, instance, tool, args, len, timeout_ms);
	c = status ? NULL : runner_open_call_add(l, call, instance);
	if (!c)
		return out_of_memory(err);
	status = send_or_wait(l, b.text, b.len);
	if (status) {
		runner_open_call_drop(l, c);
		if (status == MT_ENOMEM)
			return out_of_memory(err);
		return fail(
			err, status,
			status == MT_ELIMIT
				? "the runner does not read its input: too much data is queued"
				: "the runner exited");
	}
	return MT_OK;
}

int runner_call(struct runner *l, uint64_t call, const char *instance, const char *tool,
		const char *args, size_t len, int64_t timeout_ms, struct error *err)
{
	return runner_connection_start_call(l, "tools/call", call, instance, tool, args,
					    len, timeout_ms, err);
}

int runner_preview(struct runner *l, uint64_t call, const char *instance,
		   const char *tool, const char *args, size_t len, int64_t timeout_ms,
		   struct error *err)
{
	return runner_connection_start_call(l, "tools/preview", call, instance, tool,
					    args, len, timeout_ms, err);
}

/* The only timer of a call, used only after cancellation. */
static void on_stuck(uv_timer_t *t)
{
	struct runner *l = t->data;
	uint64_t now = uv_now(l->loop), next = 0;

	for (const struct open_call *c = l->calls; c; c = c->next) {
		if (!c->stuck_at)
			continue;
		if (c->stuck_at <= now) {
			runner_break(l, MT_ETIMEOUT,
				     "the runner did not finish a cancelled call");
			return;
		}
		if (!next || c->stuck_at < next)
			next = c->stuck_at;
	}
	if (next)
		uv_timer_start(t, on_stuck, next - now, 0);
}

/* Take back a call that is still queued. Its result is reported from the loop. */
static void withdraw(struct runner *l, struct open_call *c)
{
	struct strbuf *w = &l->waiting;
	char start[64], *line = w->text, *next;
	int len = snprintf(start, sizeof start, "\n{\"id\":%" PRIu64 ",", c->id);

	if (c->withdrawn)
		return;
	c->withdrawn = true;
	if (strncmp(line, start + 1, (size_t)len - 1) != 0) {
		line = memmem(w->text, w->len, start, (size_t)len);
		line = line ? line + 1 : w->text + w->len; /* after the newline */
	}
	next = memchr(line, '\n', w->len - (size_t)(line - w->text));
	if (next) { /* otherwise memory was insufficient */
		memmove(line, next + 1, w->len - (size_t)(next + 1 - w->text));
		strbuf_cut(w, w->len - (size_t)(next + 1 - line));
	}
	uv_timer_start(&l->later, on_later, 0, 0);
}

void runner_cancel(struct runner *l, uint64_t call)
{
	struct open_call *c = runner_open_call_find(l, call);
	char line[160];
	int len;

	if (!c || c->stuck_at || l->finishing || l->closing)
		return;
	if (!l->greeted) {
		withdraw(l, c);
		return;
	}
	uv_update_time(l->loop);
	c->stuck_at = uv_now(l->loop) + (uint64_t)l->grace_ms + CANCEL_TIMEOUT_MS;
	len = snprintf(line, sizeof line,
		       "{\"method\":\"notifications/cancelled\","
		       "\"params\":{\"requestId\":%" PRIu64 "}}\n",
		       call);
	runner_send(l, line, (size_t)len);
	if (!uv_is_active((uv_handle_t *)&l->timer))
		uv_timer_start(&l->timer, on_stuck,
			       (uint64_t)l->grace_ms + CANCEL_TIMEOUT_MS, 0);
}

int runner_input(struct runner *l, uint64_t call, const char *bytes, size_t len)
{
	struct strbuf b AUTO(strbuf) = STRBUF(RUNNER_ARGS_MAX);

	if (!runner_open_call_find(l, call))
		return MT_ENOTFOUND;
	runner_put_input(&b, call, bytes, len);
	return b.error ? b.error : send_or_wait(l, b.text, b.len);
}

int runner_answer(struct runner *l, uint64_t request, int status, const char *text,
		  size_t len)
{
	struct strbuf b AUTO(strbuf) = STRBUF(RUNNER_ARGS_MAX);
	int result;

	strbuf_addf(&b, "{\"id\":%" PRIu64 ",", request);
	if (status == MT_OK) {
		strbuf_add(&b, "\"result\":");
		strbuf_addn(&b, text, len);
		strbuf_add(&b, "}\n");
	} else {
		strbuf_addf(&b, "\"error\":{\"code\":%d", status);
		js_key_strn(&b, "message", text, len);
		strbuf_add(&b, "}}\n");
	}
	result = b.error ? b.error : runner_send(l, b.text, b.len);
	if (b.room)
		explicit_bzero(b.text, b.len); /* it may be a secret */
	return result;
}

void runner_refuse(struct runner *l, uint64_t request, int status, const char *why)
{
	runner_answer(l, request, status, why, strlen(why));
}

int runner_piece(struct runner *l, uint64_t request, const char *json, size_t len)
{
	struct strbuf b AUTO(strbuf) = STRBUF(RUNNER_ARGS_MAX);

	strbuf_addf(&b,
		    "{\"method\":\"notifications/piece\",\"params\":"
		    "{\"request\":%" PRIu64 ",\"data\":",
		    request);
	strbuf_addn(&b, json, len);
	strbuf_add(&b, "}}\n");
	return b.error ? b.error : runner_send(l, b.text, b.len);
}

int runner_list(struct runner *l, const char *instance, struct error *err)
{
	struct strbuf b AUTO(strbuf) = STRBUF(4096), id AUTO(strbuf) = STRBUF(1024);
	bool open = json_object_object_get_ex(l->listing, instance, NULL);
	int status;

	if (!l->listing)
		l->listing = json_object_new_object();
	if (!l->listing || js_set_bool(l->listing, instance, open))
		return out_of_memory(err);
	if (open)
		return MT_OK; /* sent again after the runner has answered */
	strbuf_addf(&id, "tools/%s", instance);
	strbuf_add(&b, "{");
	js_key_strn(&b, "id", id.text, id.len);
	js_key_str(&b, "method", "tools/list");
	js_key(&b, "params");
	strbuf_addc(&b, '{');
	js_key_str(&b, "instance", instance);
	strbuf_add(&b, "}}\n");
	status = b.error ? b.error : send_or_wait(l, b.text, b.len);
	return status ? fail(err, status, "cannot list the tools of `%s`", instance)
		      : MT_OK;
}

void runner_write_log(void *arg, int level, const char *instance, const char *text)
{
	(void)arg;
	log_line(level, instance ? instance : "runner", "%s", text);
}

bool runner_changing(const struct runner *l)
{
	return l->changing && json_object_object_length(l->changing) > 0;
}

void runner_close(struct runner *l)
{
	if (l->closing || l->finishing)
		return;
	l->closing = true;
	uv_timer_start(&l->later, on_later, 0, 0);
}

const struct runner_sandbox *runner_sandbox(const struct runner *l)
{
	return &l->sandbox;
}

bool runner_is_outside(const struct runner *l, const char *instance)
{
	return js_bool(l->outside, instance, true);
}

int runner_pid(const struct runner *l)
{
	return l->started && !l->exited ? l->process.pid : -1;
}
