/* SPDX-License-Identifier: MIT
 *
 * connection.c - a client of the conversation protocol. */
#include "connection.h"

#include "clock.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { LINE_BYTES_MAX = 320 << 20, OUT_MAX = 8 << 20, PIECE = 64 << 10, PIECES = 16 };

/* ---- connecting -------------------------------------------------------- */

static bool connection_good_id(const char *id)
{
	return *id && strlen(id) <= 80 && !strchr(id, '/') && *id != '.';
}

static int check_owner(int fd, struct error *err)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
	    peer.uid != geteuid())
		return fail(err, MT_EDENIED, "the socket belongs to another user");
	return MT_OK;
}

static int connection_connect_to(const char *id, int *ret, struct error *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	AUTO(close) int dir = -1, fd = -1;

	if (!connection_good_id(id))
		return fail(err, MT_EINVAL, "invalid conversation id `%.80s`", id);
	if (paths_open_runtime_dir(false, &dir, NULL, err))
		return err->code;
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s.sock", dir, id);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fail(err, MT_EIO, "cannot create a socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
		return fail(err,
			    errno == ENOENT || errno == ECONNREFUSED ? MT_ENOTFOUND
								     : MT_EIO,
			    "%s: no process has this conversation open", id);
	if (check_owner(fd, err))
		return err->code;
	*ret = fd;
	fd = -1;
	return MT_OK;
}

/* ---- lines ------------------------------------------------------------- */

static void connection_take_hello(struct connection *l, json_object *line)
{
	const char *type = js_str(line, "type", "");

	if (strcmp(type, "hello") == 0 && js_int(line, "protocol", 0) == 1)
		l->hello = json_object_get(line);
	else if (strcmp(type, "hello") == 0)
		fail(&l->refused, MT_EUNSUPPORTED, "unsupported protocol version");
	else
		fail(&l->refused, MT_EDENIED, "%s",
		     js_str(line, "text",
			    "the process on this socket is not a mortise conversation"));
}

static int connection_on_line(char *text, size_t len, void *arg)
{
	struct connection *l = arg;
	AUTO(json) json_object *line = js_parse_object(text, len, NULL);

	if (!line)
		return MT_OK;
	if (!l->hello)
		connection_take_hello(l, line);
	else
		l->on_line(l->arg, line);
	return l->refused.code;
}

int connection_send(struct connection *l, const char *text, size_t len)
{
	if (!connection_is_open(l))
		return MT_EIO;
	strbuf_addn(&l->out, text, len);
	return strbuf_addc(&l->out, '\n');
}

short connection_wants(const struct connection *l)
{
	return (short)(POLLIN | (l->out.len ? POLLOUT : 0));
}

/* Read what is available, with a limit, so that the screen is updated. */
static void connection_receive(struct connection *l)
{
	static char piece[PIECE];

	for (int i = 0; i < PIECES && !l->over; i++) {
		ssize_t n = recv(l->fd, piece, sizeof piece, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0 || jsonl_feed(&l->in, piece, (size_t)n))
			l->over = true;
	}
}

void connection_serve(struct connection *l, short events)
{
	ssize_t n;

	if (events & (POLLIN | POLLHUP | POLLERR))
		connection_receive(l);
	if (l->over || !l->out.len)
		return;
	n = send(l->fd, l->out.text, l->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		strbuf_consume(&l->out, (size_t)n);
}

/* ---- opening ----------------------------------------------------------- */

static int connection_greet(struct connection *l, struct error *err)
{
	int64_t end = clock_ms() + LINK_HELLO_MS, left;

	while (!l->hello && !l->over && (left = end - clock_ms()) > 0) {
		struct pollfd fd = { .fd = l->fd, .events = connection_wants(l) };

		if (poll(&fd, 1, (int)left) > 0)
			connection_serve(l, fd.revents);
	}
	if (l->hello)
		return MT_OK;
	if (l->refused.code)
		return fail(err, l->refused.code, "%s", l->refused.text);
	return l->over ? fail(err, MT_ENOTFOUND,
			      "the conversation process has just exited")
		       : fail(err, MT_ETIMEOUT,
			      "the conversation process does not respond");
}

int connection_open(struct connection *l, const char *id, struct error *err)
{
	int fd = -1;

	if (connection_connect_to(id, &fd, err))
		return err->code;
	l->fd = fd;
	l->over = false;
	l->refused = ERROR_NONE;
	l->out = STRBUF(OUT_MAX);
	jsonl_init(&l->in, LINE_BYTES_MAX, connection_on_line, l);
	if (connection_greet(l, err))
		connection_close(l);
	return err->code;
}

void connection_close(struct connection *l)
{
	if (l->fd >= 0)
		jsonl_done(&l->in);
	auto_close(&l->fd);
	l->fd = -1;
	strbuf_clear(&l->out);
	json_object_put(l->hello);
	l->hello = NULL;
}

bool connection_is_open(const struct connection *l)
{
	return l->fd >= 0 && !l->over;
}
