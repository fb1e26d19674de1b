/* SPDX-License-Identifier: MIT
 *
 * transport.c - transports the lines of a session. One write is in progress at a time. If
 * a client does not read its output, its input is not read. */
#include "frontends/transport.h"

#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 16 << 10, IN = 0, OUT = 1 };

struct transport {
	struct session *session;
	struct transport_options o;
	uv_pipe_t pipes[2];
	bool used[2];          /* pipes that are open */
	uv_stream_t *in, *out; /* NULL: none; the same for a socket */
	int file;              /* descriptor for direct output; -1: use `out` */
	int source;            /* descriptor for direct input; -1: use `in` */
	uv_write_t write;
	struct strbuf sending;
	uint64_t written;
	bool reading, writing, flushing;
	bool lost, draining, closing;
	unsigned open; /* number of handles, plus 1 until all are closed */
};

/* ---- closing ----------------------------------------------------------- */

static void transport_let_go(struct transport *ch)
{
	if (--ch->open > 0)
		return;
	if (ch->o.closed)
		ch->o.closed(ch->o.arg);
	auto_close(&ch->file);
	auto_close(&ch->source);
	strbuf_clear(&ch->sending);
	free(ch);
}

static void on_pipe_closed(uv_handle_t *handle)
{
	transport_let_go(handle->data);
}

void transport_close(struct transport *ch)
{
	if (ch->closing)
		return;
	ch->closing = true;
	ch->session = session_free(ch->session);
	for (int i = 0; i < 2; i++)
		if (ch->used[i])
			uv_close((uv_handle_t *)&ch->pipes[i], on_pipe_closed);
	transport_let_go(ch);
}

/* Close the transport if nothing is left to do. The session must not call this. */
static void transport_settle(struct transport *ch)
{
	if (!ch->closing && ch->draining &&
	    (ch->lost || (!ch->writing && session_waiting(ch->session) == 0)))
		transport_close(ch);
}

/* ---- out --------------------------------------------------------------- */

static void transport_flush(struct transport *ch);
static void read_on(struct transport *ch);

static void transport_lose(struct transport *ch)
{
	if (ch->lost)
		return;
	ch->lost = true;
	if (ch->o.lost)
		ch->o.lost(ch->o.arg);
}

static void transport_on_written(uv_write_t *req, int status)
{
	struct transport *ch = req->data;

	ch->writing = false;
	if (ch->closing)
		return;
	ch->written += ch->sending.len;
	if (status < 0) {
		transport_lose(ch);
		ch->draining = ch->draining || ch->o.both;
	} else {
		transport_flush(ch);
		read_on(ch);
	}
	transport_settle(ch);
}

static void send_some(struct transport *ch)
{
	uv_buf_t buf = uv_buf_init(ch->sending.text, (unsigned)ch->sending.len);

	if (ch->file >= 0) {
		if (file_write_all(ch->file, ch->sending.text, ch->sending.len))
			transport_lose(ch);
		ch->written += ch->sending.len;
		return;
	}
	ch->write.data = ch;
	ch->writing = uv_write(&ch->write, ch->out, &buf, 1, transport_on_written) == 0;
	if (!ch->writing)
		transport_lose(ch);
}

static void transport_flush(struct transport *ch)
{
	if (ch->flushing || ch->writing || ch->lost || ch->closing)
		return;
	ch->flushing = true;
	while (!ch->writing && !ch->lost && session_take(ch->session, &ch->sending))
		send_some(ch);
	ch->flushing = false;
	if (!ch->writing)
		strbuf_clear(&ch->sending);
}

static void transport_on_ready(void *arg)
{
	struct transport *ch = arg;

	if (ch->session) /* NULL during the hello */
		transport_flush(ch);
}

static void transport_on_stopped(void *arg)
{
	struct transport *ch = arg;

	if (ch->o.stopped)
		ch->o.stopped(ch->o.arg);
}

static void transport_on_keep(void *arg)
{
	struct transport *ch = arg;

	if (ch->o.keep)
		ch->o.keep(ch->o.arg);
}

/* ---- in ---------------------------------------------------------------- */

static void input_over(struct transport *ch)
{
	if (ch->in)
		uv_read_stop(ch->in);
	ch->reading = false;
	ch->in = NULL;
	ch->draining = ch->draining || ch->o.both;
	if (ch->o.input_over)
		ch->o.input_over(ch->o.arg);
}

static void transport_on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *ret)
{
	static char piece[PIECE]; /* consumed before the next read */

	(void)handle, (void)wanted;
	*ret = uv_buf_init(piece, sizeof piece);
}

static void transport_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct transport *ch = stream->data;

	if (ch->closing || n == 0)
		return;
	if (n < 0 || session_feed(ch->session, buf->base, (size_t)n))
		input_over(ch);
	transport_flush(ch);
	if (ch->reading && session_waiting(ch->session) >= SESSION_QUEUE) {
		uv_read_stop(stream);
		ch->reading = false;
	}
	transport_settle(ch);
}

static void read_on(struct transport *ch)
{
	if (!ch->in || ch->reading || session_waiting(ch->session) >= SESSION_QUEUE)
		return;
	ch->reading = uv_read_start(ch->in, transport_on_room, transport_on_read) == 0;
	if (!ch->reading)
		input_over(ch);
}

static void read_source(struct transport *ch)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(ch->source, piece, sizeof piece)) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && session_feed(ch->session, piece, (size_t)n))
			break;
	input_over(ch);
}

/* ---- opening ----------------------------------------------------------- */

static bool is_stream(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static int open_pipe(struct transport *ch, uv_loop_t *loop, int which, int fd,
		     struct error *err)
{
	uv_pipe_t *pipe = &ch->pipes[which];
	int r;

	uv_pipe_init(loop, pipe, 0);
	pipe->data = ch;
	ch->used[which] = true;
	ch->open++;
	if (!ch->o.hold)
		uv_unref((uv_handle_t *)pipe);
	r = uv_pipe_open(pipe, fd);
	if (r < 0) {
		close(fd);
		return fail(err, MT_EIO, "cannot use a pipe: %s", uv_strerror(r));
	}
	return MT_OK;
}

static int open_ends(struct transport *ch, uv_loop_t *loop, int in, int out,
		     struct error *err)
{
	int r = MT_OK;

	if (in >= 0 && in != out && is_stream(in)) {
		r = open_pipe(ch, loop, IN, in, err);
		ch->in = (uv_stream_t *)&ch->pipes[IN];
	} else if (in != out) {
		ch->source = in;
	}
	if (!is_stream(out)) {
		ch->file = out;
		return r;
	}
	if (r) {
		close(out);
		return r;
	}
	r = open_pipe(ch, loop, OUT, out, err);
	ch->out = (uv_stream_t *)&ch->pipes[OUT];
	if (in == out)
		ch->in = ch->out;
	return r;
}

static int transport_begin(struct transport *ch, struct conversation *c,
			   struct error *err)
{
	struct session_options o = ch->o.session;

	o.ready = transport_on_ready;
	o.stopped = transport_on_stopped;
	o.keep = transport_on_keep;
	o.arg = ch;
	ch->session = session_new(c, &o);
	if (!ch->session)
		return fail(err, MT_ELIMIT,
			    "too many clients connected, or out of memory");
	transport_flush(ch);
	return MT_OK;
}

int transport_open(uv_loop_t *loop, struct conversation *c, int in, int out,
		   const struct transport_options *o, struct transport **ret,
		   struct error *err)
{
	struct transport *ch = calloc(1, sizeof *ch);

	if (!ch) {
		if (in >= 0 && in != out)
			close(in);
		close(out);
		return out_of_memory(err);
	}
	ch->o = *o;
	ch->file = ch->source = -1;
	ch->open = 1;
	ch->sending = STRBUF(0);
	if (open_ends(ch, loop, in, out, err) || transport_begin(ch, c, err)) {
		ch->o.closed = NULL;
		transport_close(ch);
		return err->code;
	}
	*ret = ch;
	return MT_OK;
}

void transport_start(struct transport *ch)
{
	if (ch->source >= 0)
		read_source(ch);
	else
		read_on(ch);
}

void transport_end(struct transport *ch, int exit_code)
{
	if (ch->closing)
		return;
	/* Unwritten output keeps the loop running. */
	for (int i = 0; i < 2; i++)
		if (ch->used[i])
			uv_ref((uv_handle_t *)&ch->pipes[i]);
	if (ch->in)
		uv_read_stop(ch->in);
	ch->in = NULL;
	ch->draining = true;
	session_end(ch->session, exit_code);
	transport_flush(ch);
	transport_settle(ch);
}

uint64_t transport_written(const struct transport *ch)
{
	return ch->written;
}
