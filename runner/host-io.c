/* SPDX-License-Identifier: MIT
 *
 * host-io.c - handles lines from the host, and writes queued lines to it without
 * blocking. */
#include "config.h"
#include "base64.h"
#include "supervisor.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void host_error(struct supervisor *s, const char *id, int status, const char *text)
{
	strbuf_addf(&s->out, "{\"id\":%s,\"error\":{\"code\":%d", id, status);
	js_key_str(&s->out, "message", text);
	strbuf_add(&s->out, "}}\n");
}

void host_log(struct supervisor *s, int level, const char *who, const char *text,
	      size_t len)
{
	static const char *const names[] = { "error", "error", "warning", "info",
					     "debug" };

	if (s->out_fd < 0 || s->out.len > OUT_HIGH_WATER)
		return;
	strbuf_add(&s->out, "{\"method\":\"notifications/message\",\"params\":{");
	js_key_str(&s->out, "level", names[level]);
	js_key_str(&s->out, "logger", who);
	js_key_strn(&s->out, "data", text, len < 4096 ? len : 4096);
	strbuf_add(&s->out, "}}\n");
}

bool host_write(struct supervisor *s)
{
	bool alive = true;
	size_t at = 0;

	while (s->out_fd >= 0 && at < s->out.len) {
		ssize_t n = write(s->out_fd, s->out.text + at, s->out.len - at);

		if (n > 0)
			at += (size_t)n;
		else if (errno == EINTR)
			continue;
		else
			alive = errno == EAGAIN;
		if (n <= 0)
			break;
	}
	strbuf_consume(&s->out, at);
	if (s->out.len == 0 && s->out.room > 1 << 20)
		strbuf_clear(&s->out);
	return alive;
}

/* Listen for another host on a socket that only this user can access. */
static int host_io_listen_at(const char *path, struct error *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof a.sun_path)
		return fail(err, MT_EINVAL, "%s: socket path is too long", path);
	memcpy(a.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0 ||
	    chmod(path, 0600) < 0 || listen(fd, 1) < 0) {
		if (fd >= 0)
			close(fd);
		return fail(err, MT_EIO, "cannot create socket %s: %s", path,
			    strerror(errno));
	}
	return fd;
}

static void answer_greeting(struct supervisor *s, const struct message *m)
{
	strbuf_addf(&s->out, "{\"id\":%s,\"result\":{", m->id);
	js_key_str(&s->out, "protocol", PROTOCOL);
	js_key_str(&s->out, "version", PACKAGE_VERSION);
	js_key_int(&s->out, "pid", getpid());
	if (s->spec.sandboxed)
		supervisor_put_sandbox(s, &s->out);
	if (m->kind == MESSAGE_ATTACH) {
		bool first = true;

		js_key(&s->out, "calls");
		strbuf_addc(&s->out, '[');
		for (const struct call *c = s->calls; c; c = c->next) {
			strbuf_addf(&s->out, "%s%s", first ? "" : ",", c->id);
			first = false;
		}
		strbuf_addc(&s->out, ']');
	}
	strbuf_add(&s->out, "}}\n");
}

static int protocol_check(struct supervisor *s, const struct message *m)
{
	const char *protocol = js_str(m->params, "protocol", "");
	char text[256];

	if (strcmp(protocol, PROTOCOL) == 0)
		return MT_OK;
	snprintf(text, sizeof text,
		 "this runner uses protocol %s, but the host uses %.100s; install the "
		 "same version of both",
		 PROTOCOL, protocol);
	host_error(s, m->id, MT_EUNSUPPORTED, text);
	return MT_EUNSUPPORTED;
}

static void host_io_take_hello(struct supervisor *s, const struct message *m)
{
	struct error err = ERROR_NONE;
	int status;

	if (s->greeted) {
		host_error(s, m->id, MT_EEXIST, "hello was already received");
		return;
	}
	if (protocol_check(s, m))
		return;
	status = spec_read(m->params, &s->spec, &err);
	if (!status && !(s->spec.private_dir = strdup(s->private_dir)))
		status = out_of_memory(&err);
	if (!status && s->spec.linger_ms > 0) {
		s->listen_fd = host_io_listen_at(s->spec.socket, &err);
		status = s->listen_fd < 0 ? s->listen_fd : MT_OK;
	}
	if (!status)
		status = supervisor_make_sandbox(s, &err);
	if (status) {
		spec_clear(&s->spec);
		host_error(s, m->id, status, err.text);
		return;
	}
	s->window = s->spec.limits.window;
	limit_open(s);
	s->greeted = true;
	answer_greeting(s, m);
}

static void take_attach(struct supervisor *s, const struct message *m)
{
	if (!s->greeted) {
		host_error(s, m->id, MT_EINVAL,
			   "no connection to attach to; send hello first");
		return;
	}
	if (protocol_check(s, m))
		return;
	s->window = s->spec.limits.window;
	answer_greeting(s, m);
	for (const struct question *q = s->questions; q; q = q->next)
		strbuf_add(&s->out, q->line);
	results_again(s);
}

/* The position of a question in its list; points to NULL if its call has ended. */
static struct question **find_question(struct supervisor *s, const struct message *m)
{
	struct question **p = &s->questions;
	uint64_t number = strtoull(m->id, NULL, 10);

	while (*p && (*p)->number != number)
		p = &(*p)->next;
	return p;
}

/* Pass text from the host to the worker that asked. */
static void pass_answer(struct supervisor *s, const struct question *q, int status,
			unsigned flags, struct mt_str text)
{
	struct call *c = call_by_number(s, q->call);
	struct worker_proc *w = c ? worker_proc_by_number(s, c->worker) : NULL;
	const struct frame f = { .type = FRAME_ANSWER, .id = q->call, .aux = q->aux,
				 .status = status, .flags = (uint16_t)flags,
				 .data = text.ptr, .len = text.len };

	if (w)
		worker_proc_send(w, &f);
}

static void host_io_take_answer(struct supervisor *s, const struct message *m)
{
	struct question **p = find_question(s, m), *q = *p;
	json_object *error = js_get(m->doc, "error");
	int code = (int)js_int(error, "code", MT_EIO);
	struct mt_str text;

	if (!q)
		return;
	*p = q->next;
	if (error) {
		code = code < 0 && code >= MT_EEXIST ? code : MT_EIO;
		text.ptr = js_str(error, "message", "refused");
		text.len = strlen(text.ptr);
	} else {
		text.ptr = js_text(js_get(m->doc, "result"), &text.len);
		code = text.ptr ? MT_OK : MT_ENOMEM;
	}
	pass_answer(s, q, code, 0, text);
	if (!error && text.ptr && js_get(m->doc, "result")) { /* it may be a secret */
		explicit_bzero((char *)(uintptr_t)text.ptr, text.len);
		js_wipe(js_get(m->doc, "result"));
	}
	free(q->line);
	free(q);
}

/* Pass on a piece of an answer. The later answer is complete without its pieces. */
static void host_io_take_piece(struct supervisor *s, const struct message *m)
{
	static const char lost[] = "a piece of an answer was dropped: out of memory";
	const struct question *q = *find_question(s, m);
	json_object *data = js_get(m->params, "data");
	struct mt_str text;

	if (!q || !json_object_is_type(data, json_type_object))
		return;
	text.ptr = js_text(data, &text.len);
	if (text.ptr)
		pass_answer(s, q, MT_OK, FRAME_UNFINISHED, text);
	else
		host_log(s, MT_LOG_ERROR, "runner", lost, sizeof lost - 1);
}

static void host_io_take_input(struct supervisor *s, const struct message *m,
			       struct call *c)
{
	struct strbuf b AUTO(strbuf) = STRBUF(HOST_LINE_MAX);
	struct frame f = { .type = FRAME_INPUT, .id = c->number };
	struct worker_proc *w = worker_proc_by_number(s, c->worker);
	json_object *data = js_get(m->params, "data");
	const char *blob = js_str(m->params, "blob", NULL);
	static const char lost[] = "input of a call was dropped: out of memory";

	if (!w || c->done)
		return;
	if (blob) {
		int status = base64_read(&b, blob, strlen(blob));

		if (status == MT_ENOMEM)
			host_log(s, MT_LOG_ERROR, "runner", lost, sizeof lost - 1);
		if (status)
			return;
		f.data = b.text;
		f.len = b.len;
	} else if (json_object_is_type(data, json_type_string)) {
		f.data = json_object_get_string(data);
		f.len = (size_t)json_object_get_string_len(data);
	} else {
		return;
	}
	worker_proc_send(w, &f);
}

static void take_about_call(struct supervisor *s, const struct message *m)
{
	struct call *c = call_by_id(s, m->id);

	if (!c)
		return; /* it has ended in the meantime */
	if (m->kind == MESSAGE_CANCELLED)
		call_cancel(s, c);
	else if (m->kind == MESSAGE_INPUT)
		host_io_take_input(s, m, c);
	else if (c->sent)
		call_drop(s, c);
}

static void take_window(struct supervisor *s, const struct message *m)
{
	int64_t bytes = js_int(m->params, "bytes", 0);

	if (bytes > 0 && bytes <= s->spec.limits.window)
		s->window += bytes;
	if (s->window > s->spec.limits.window)
		s->window = s->spec.limits.window;
}

static void host_io_take(struct supervisor *s, struct message *m)
{
	if (m->kind == MESSAGE_HELLO) {
		host_io_take_hello(s, m);
		return;
	}
	if (m->kind == MESSAGE_ATTACH) {
		take_attach(s, m);
		return;
	}
	if (!s->greeted) {
		if (*m->id)
			host_error(s, m->id, MT_EINVAL, "hello must be sent first");
		return;
	}
	switch (m->kind) {
	case MESSAGE_CALL:
	case MESSAGE_PREVIEW:
	case MESSAGE_LIST:
		call_start(s, m);
		break;
	case MESSAGE_WINDOW:
		take_window(s, m);
		break;
	case MESSAGE_ANSWER:
		host_io_take_answer(s, m);
		break;
	case MESSAGE_PIECE:
		host_io_take_piece(s, m);
		break;
	case MESSAGE_UNKNOWN:
		if (*m->id)
			host_error(s, m->id, MT_EUNSUPPORTED, "unknown method");
		break;
	default:
		take_about_call(s, m);
	}
}

int host_line(char *line, size_t len, void *arg)
{
	struct supervisor *s = arg;
	struct error err = ERROR_NONE;
	struct message m;

	if (len == 0)
		return MT_OK;
	if (message_read(line, len, &m, &err)) {
		host_error(s, "null", err.code, err.text);
		return MT_OK;
	}
	host_io_take(s, &m);
	message_clear(&m);
	/* The line may contain a secret or options, which the next forked worker must not
	 * inherit. */
	explicit_bzero(line, len);
	return MT_OK;
}
