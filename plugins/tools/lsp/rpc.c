/* SPDX-License-Identifier: MIT
 *
 * rpc.c - starts a language server, and exchanges messages with it. */
#include "rpc.h"
#include "child.h"
#include "clock.h"
#include "utf8.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

enum {
	HEADERS_MAX = 4096, /* bytes before a message */
	KEPT_MAX = 1 << 20, /* bytes of memory that an empty buffer may keep */
	LOG_MS = 100,       /* to read the log of a server that exits */
};

extern char **environ;

/* ---- the process --------------------------------------------------------- */

static void lsp_rpc_shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int rpc_spawn(char *const *argv, const char *directory, const int fds[3],
		     pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	posix_spawn_file_actions_addchdir_np(&actions, directory);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
						      POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
	int status = posix_spawnp(ret, argv[0], &actions, &attributes, argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return status;
}

int rpc_start(struct rpc *r, char *const *argv, const char *directory, struct error *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, log[2] = { -1, -1 };
	int code = 0;

	*r = (struct rpc){ .pid_fd = -1,
			   .received = STRBUF(RPC_MESSAGE_MAX + HEADERS_MAX + 65536) };
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(log, O_CLOEXEC))
		code = errno;
	if (!code) {
		const int fds[] = { in[0], out[1], log[1] };

		code = rpc_spawn(argv, directory, fds, &r->pid);
	}
	lsp_rpc_shut(&in[0]);
	lsp_rpc_shut(&out[1]);
	lsp_rpc_shut(&log[1]);
	r->in = in[1];
	r->out = out[0];
	r->err = log[0];
	if (code) {
		r->pid = 0;
		rpc_end(r);
		return fail(err, MT_EIO, "Cannot start the language server `%s`: %s.",
			    argv[0], strerror(code));
	}
	r->pid_fd = pidfd_open(r->pid, 0);
	for (int *fd = (int[]){ r->in, r->out, r->err, -1 }; *fd >= 0; fd++)
		fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
	return MT_OK;
}

/* Close its input, then terminate it. @return its status */
static int lsp_rpc_end_process(struct rpc *r)
{
	int status;

	lsp_rpc_shut(&r->in);
	status = child_end(r->pid, r->pid_fd);
	r->pid = 0;
	return status;
}

void rpc_end(struct rpc *r)
{
	lsp_rpc_end_process(r);
	lsp_rpc_shut(&r->in);
	lsp_rpc_shut(&r->out);
	lsp_rpc_shut(&r->err);
	lsp_rpc_shut(&r->pid_fd);
	strbuf_clear(&r->received);
}

/* ---- bytes --------------------------------------------------------------- */

/* Keep the last line that is not empty. */
static void lsp_rpc_take_log(struct rpc *r)
{
	char bytes[4096];
	ssize_t n = read(r->err, bytes, sizeof bytes);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		lsp_rpc_shut(&r->err);
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			r->tail_len = 0;
		else if (r->tail_len < sizeof r->tail - 1)
			r->tail[r->tail_len++] = bytes[i];
		if (r->tail_len)
			r->tail[r->tail_len] = '\0';
	}
}

/* @return false at the end of its output. */
static bool lsp_rpc_take_output(struct rpc *r)
{
	char bytes[65536];
	ssize_t n = read(r->out, bytes, sizeof bytes);

	if (n > 0)
		return strbuf_addn(&r->received, bytes, (size_t)n) == MT_OK;
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static bool has_room(const struct rpc *r)
{
	return r->received.len + 65536 < r->received.max;
}

static int has_exited(struct rpc *r, struct error *err)
{
	for (int i = 0; i < 64 && r->err >= 0; i++) {
		struct pollfd log = { .fd = r->err, .events = POLLIN };

		if (poll(&log, 1, i ? 0 : LOG_MS) <= 0)
			break;
		lsp_rpc_take_log(r);
	}
	int status = lsp_rpc_end_process(r);
	const char *colon = *r->tail ? ": " : ".";

	utf8_blank_controls(r->tail, strlen(r->tail));
	if (WIFSIGNALED(status))
		return fail(err, MT_EIO,
			    "The language server was killed by signal %d%s%s",
			    WTERMSIG(status), colon, r->tail);
	return fail(err, MT_EIO, "The language server exited with status %d%s%s",
		    WEXITSTATUS(status), colon, r->tail);
}

/* Wait until a descriptor is ready, and read available output. `*ret_writes`: input can
 * be written; NULL: no input to write. */
static int rpc_poll(struct rpc *r, const struct rpc_wait *w, bool *ret_writes,
		    struct error *err)
{
	int64_t left = w->until_ms - clock_ms();
	struct pollfd f[] = {
		{ .fd = has_room(r) ? r->out : -1, .events = POLLIN },
		{ .fd = r->err, .events = POLLIN },
		{ .fd = w->cancel_fd, .events = POLLIN },
		{ .fd = ret_writes ? r->in : -1, .events = POLLOUT },
	};
	int n = poll(f, ARRAY_LEN(f), left > 0 ? (int)left : 0);

	if (n < 0)
		return errno == EINTR ? MT_OK : fail(err, MT_EIO, "%s", strerror(errno));
	if (f[2].revents)
		return fail(err, MT_ECANCELLED, "The call was cancelled.");
	if (f[1].revents)
		lsp_rpc_take_log(r);
	if (f[0].revents && !lsp_rpc_take_output(r))
		return has_exited(r, err);
	if (ret_writes)
		*ret_writes = f[3].revents & POLLOUT;
	if (f[3].revents & POLLERR)
		return has_exited(r, err);
	return n == 0 && left <= 0
		       ? fail(err, MT_ETIMEOUT, "The language server does not respond.")
		       : MT_OK;
}

/* ---- messages ------------------------------------------------------------ */

static int write_bytes(struct rpc *r, const char *bytes, size_t len,
		       const struct rpc_wait *w, struct error *err)
{
	int status = MT_OK;

	while (len && !status) {
		bool writes = false;

		status = rpc_poll(r, w, &writes, err);
		if (status || !writes)
			continue;
		ssize_t n = write(r->in, bytes, len);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return has_exited(r, err);
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return status;
}

int rpc_write(struct rpc *r, const char *json, size_t len, const struct rpc_wait *w,
	      struct error *err)
{
	char header[64];
	int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", len);
	int status = write_bytes(r, header, (size_t)n, w, err);

	return status ? status : write_bytes(r, json, len, w, err);
}

static int not_protocol(struct error *err, const char *why)
{
	return fail(err, MT_EINVAL,
		    "The language server does not speak the protocol: %s.", why);
}

/* The value of a Content-Length header line; -1: another header. */
static int64_t header_length(const char *line, size_t len)
{
	static const char name[] = "content-length:";
	int64_t value = 0;
	size_t i = sizeof name - 1;

	if (len <= i || strncasecmp(line, name, i) != 0)
		return -1;
	while (i < len && line[i] == ' ')
		i++;
	for (; i < len && isdigit((unsigned char)line[i]); i++)
		if (value <= RPC_MESSAGE_MAX)
			value = 10 * value + line[i] - '0';
	return value;
}

/* Parse the headers. `*ret_start`: offset of the content; 0: they are incomplete. */
static int lsp_rpc_read_headers(const struct rpc *r, size_t *ret_start,
				int64_t *ret_length, struct error *err)
{
	const char *line = r->received.text, *end = line + r->received.len, *stop;

	*ret_start = 0;
	*ret_length = -1;
	while ((stop = memchr(line, '\n', (size_t)(end - line)))) {
		size_t len = (size_t)(stop - line);

		len -= len && line[len - 1] == '\r';
		if (!len) {
			*ret_start = (size_t)(stop + 1 - r->received.text);
			break;
		}
		int64_t length = header_length(line, len);

		if (length >= 0)
			*ret_length = length;
		else if (!memchr(line, ':', len))
			return not_protocol(err, "its output does not begin with a "
						 "Content-Length header");
		line = stop + 1;
	}
	if ((*ret_start ? *ret_start : r->received.len) > HEADERS_MAX)
		return not_protocol(err, "its headers do not end");
	if (*ret_start && *ret_length < 0)
		return not_protocol(err, "a message has no Content-Length");
	if (*ret_length > RPC_MESSAGE_MAX)
		return fail(err, MT_ELIMIT,
			    "The language server sends a message of more than %d MiB.",
			    RPC_MESSAGE_MAX >> 20);
	return MT_OK;
}

/* Take a complete message, if there is one. */
static int lsp_rpc_take_message(struct rpc *r, json_object **ret, struct error *err)
{
	struct error why = ERROR_NONE;
	int64_t length;
	size_t start;
	int status = lsp_rpc_read_headers(r, &start, &length, err);

	*ret = NULL;
	if (status || !start || r->received.len < start + (size_t)length)
		return status;
	*ret = js_parse_object(r->received.text + start, (size_t)length, &why);
	strbuf_consume(&r->received, start + (size_t)length);
	if (!r->received.len && r->received.room > KEPT_MAX)
		strbuf_clear(&r->received);
	return *ret ? MT_OK : not_protocol(err, why.text);
}

int lsp_rpc_read(struct rpc *r, const struct rpc_wait *w, json_object **ret,
		 struct error *err)
{
	int status = lsp_rpc_take_message(r, ret, err);

	while (!status && !*ret) {
		struct error why = ERROR_NONE;

		status = r->pid > 0
				 ? rpc_poll(r, w, NULL, &why)
				 : fail(&why, MT_EIO, "The language server has exited.");
		if (status == MT_EIO && lsp_rpc_take_message(r, ret, err) == MT_OK &&
		    *ret)
			return MT_OK;
		if (status)
			fail(err, status, "%s", why.text);
		else
			status = lsp_rpc_take_message(r, ret, err);
	}
	return status;
}
