/* SPDX-License-Identifier: MIT
 *
 * kernel.c - sockets, messages and signals of a kernel. */
#include "kernel.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <zmq.h>

enum {
	RECONNECT_MS = 10, /* it binds when ready; a longer interval costs time */
	LINGER_MS = 0,
};

struct kernel {
	struct launch launch;
	bool by_message;
	void *context;
	void *sockets[CHANNEL_COUNT];
	void *monitor;       /* reports a closed output connection */
	unsigned renewed;    /* number of reconnects */
	bool lost;           /* since the last call of kernel_has_lost */
	char session[33];
	uint64_t sent;
};

static int no_line(struct error *err)
{
	return fail(err, MT_EIO, "no connection to the kernel: %s", zmq_strerror(errno));
}

static bool set_number(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}

/* A message that is too large closes the connection permanently and silently. */
static bool kernel_watch(struct kernel *k, void *socket)
{
	char name[64];

	snprintf(name, sizeof name, "inproc://output-%u", k->renewed++);
	k->monitor = zmq_socket(k->context, ZMQ_PAIR);
	return k->monitor && set_number(k->monitor, ZMQ_LINGER, LINGER_MS) &&
	       zmq_socket_monitor(socket, name, ZMQ_EVENT_DISCONNECTED) == 0 &&
	       zmq_connect(k->monitor, name) == 0;
}

static int connect_channel(struct kernel *k, enum channel c, struct error *err)
{
	const int64_t max = KERNEL_MESSAGE_MAX;
	void *s = zmq_socket(k->context, c == CHANNEL_IOPUB ? ZMQ_SUB : ZMQ_DEALER);

	k->sockets[c] = s;
	if (!s || !set_number(s, ZMQ_LINGER, LINGER_MS) ||
	    !set_number(s, ZMQ_RECONNECT_IVL, RECONNECT_MS) ||
	    !set_number(s, ZMQ_RCVHWM, KERNEL_WAITING_MAX) ||
	    !set_number(s, ZMQ_SNDHWM, KERNEL_WAITING_MAX) ||
	    zmq_setsockopt(s, ZMQ_MAXMSGSIZE, &max, sizeof max) != 0)
		return no_line(err);
	if (c == CHANNEL_IOPUB
		    ? zmq_setsockopt(s, ZMQ_SUBSCRIBE, "", 0)
		    : zmq_setsockopt(s, ZMQ_ROUTING_ID, k->session, strlen(k->session)))
		return no_line(err);
	if (c == CHANNEL_IOPUB && !kernel_watch(k, s))
		return no_line(err);
	return zmq_connect(s, k->launch.endpoints[c]) == 0 ? MT_OK : no_line(err);
}

static int connect_all(struct kernel *k, struct error *err)
{
	k->context = zmq_ctx_new();
	if (!k->context)
		return no_line(err);
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (connect_channel(k, (enum channel)c, err) != MT_OK)
			return err->code;
	return MT_OK;
}

int kernel_start(const struct launch_config *config, struct kernel **ret,
		 struct error *err)
{
	struct kernel *k = calloc(1, sizeof *k);

	if (!k)
		return out_of_memory(err);
	if (launch_start(config, &k->launch, err) != MT_OK) {
		free(k);
		return err->code;
	}
	k->by_message = config->spec->by_message;
	snprintf(k->session, sizeof k->session, "mortise-%d-%d", (int)getpid(),
		 (int)k->launch.pid);
	if (connect_all(k, err) != MT_OK) {
		kernel_free(k);
		return err->code;
	}
	*ret = k;
	return MT_OK;
}

struct kernel *kernel_free(struct kernel *k)
{
	if (!k)
		return NULL;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (k->sockets[c])
			zmq_close(k->sockets[c]);
	if (k->monitor)
		zmq_close(k->monitor);
	if (k->context)
		zmq_ctx_term(k->context);
	launch_clear(&k->launch);
	free(k);
	return NULL;
}

/* ---- messages ------------------------------------------------------------ */

static bool kernel_send_parts(void *socket, const char *hex, const struct mt_str *body)
{
	if (zmq_send(socket, WIRE_MARK, strlen(WIRE_MARK), ZMQ_SNDMORE | ZMQ_DONTWAIT) <
		    0 ||
	    zmq_send(socket, hex, WIRE_HEX, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
		return false;
	for (int i = 0; i < WIRE_SIGNED; i++)
		if (zmq_send(socket, body[i].ptr, body[i].len,
			     ZMQ_DONTWAIT | (i + 1 < WIRE_SIGNED ? ZMQ_SNDMORE : 0)) < 0)
			return false;
	return true;
}

int kernel_send(struct kernel *k, enum channel channel, const char *type,
		const char *content, char ret_id[WIRE_ID_MAX], struct error *err)
{
	AUTO(strbuf) struct strbuf header = STRBUF(1024);
	char id[WIRE_ID_MAX], hex[WIRE_HEX + 1];

	snprintf(id, sizeof id, "%s-%llu", k->session, (unsigned long long)++k->sent);
	if (wire_header(&header, id, k->session, type) != MT_OK)
		return out_of_memory(err);
	const struct mt_str body[WIRE_SIGNED] = {
		{ header.text, header.len }, MT_STR("{}"), MT_STR("{}"),
		{ content, strlen(content) },
	};

	if (wire_sign(k->launch.key, body, hex) != MT_OK)
		return out_of_memory(err);
	if (!kernel_send_parts(k->sockets[channel], hex, body))
		return fail(err, MT_EIO, "cannot send a message to the kernel: %s",
			    zmq_strerror(errno));
	if (ret_id)
		memcpy(ret_id, id, sizeof id);
	return MT_OK;
}

/* All parts of one message. Parts beyond the limit, raw buffers, are skipped. */
static int kernel_receive(void *socket, zmq_msg_t *parts, size_t *ret_count)
{
	size_t n = 0;

	for (int more = 1; more;) {
		zmq_msg_t extra, *m = n < WIRE_PARTS_MAX ? &parts[n] : &extra;

		zmq_msg_init(m);
		if (zmq_msg_recv(m, socket, n ? 0 : ZMQ_DONTWAIT) < 0) {
			zmq_msg_close(m);
			break;
		}
		more = zmq_msg_more(m);
		if (m == &extra)
			zmq_msg_close(m);
		else
			n++;
	}
	*ret_count = n;
	return n ? MT_OK : MT_ENOTFOUND;
}

int kernel_read(struct kernel *k, enum channel channel, struct wire_message *ret,
		struct error *err)
{
	zmq_msg_t parts[WIRE_PARTS_MAX];
	struct mt_str texts[WIRE_PARTS_MAX];
	size_t count;
	int status = kernel_receive(k->sockets[channel], parts, &count);

	*ret = (struct wire_message){ 0 };
	for (size_t i = 0; i < count; i++)
		texts[i] = (struct mt_str){ zmq_msg_data(&parts[i]),
					    zmq_msg_size(&parts[i]) };
	if (status == MT_OK)
		status = wire_read(k->launch.key, texts, count, ret, err);
	for (size_t i = 0; i < count; i++)
		zmq_msg_close(&parts[i]);
	return status;
}

/* Open a new connection for output; messages on the old one are lost. */
static void kernel_renew(struct kernel *k)
{
	zmq_socket_monitor(k->sockets[CHANNEL_IOPUB], NULL, 0);
	zmq_close(k->sockets[CHANNEL_IOPUB]);
	zmq_close(k->monitor);
	k->sockets[CHANNEL_IOPUB] = k->monitor = NULL;
	k->lost = true;
	connect_channel(k, CHANNEL_IOPUB, NULL);
}

bool kernel_has_lost(struct kernel *k)
{
	bool lost = k->lost;

	k->lost = false;
	return lost;
}

int kernel_wait(struct kernel *k, int64_t timeout_ms, int cancel_fd, int wake_fd)
{
	enum { OTHERS = 4 };
	zmq_pollitem_t items[CHANNEL_COUNT + OTHERS + 1];
	const int fds[OTHERS] = { k->launch.pidfd, cancel_fd, wake_fd,
				  k->launch.said_fd };
	int at[OTHERS] = { -1, -1, -1, -1 }, n = 0, seen = 0;
	eventfd_t value;

	for (; n < CHANNEL_COUNT; n++)
		items[n] = (zmq_pollitem_t){ k->sockets[n], -1, ZMQ_POLLIN, 0 };
	for (int i = 0; i < OTHERS; i++)
		if (fds[i] >= 0) {
			at[i] = n;
			items[n++] = (zmq_pollitem_t){ NULL, fds[i], ZMQ_POLLIN, 0 };
		}
	items[n] = (zmq_pollitem_t){ k->monitor, -1, ZMQ_POLLIN, 0 };
	if (zmq_poll(items, n + 1, (long)timeout_ms) <= 0)
		return 0;
	for (int c = 0; c < CHANNEL_COUNT; c++)
		if (items[c].revents)
			seen |= 1 << c;
	if (at[0] >= 0 && items[at[0]].revents && launch_has_ended(&k->launch))
		seen |= KERNEL_DEAD;
	if (at[1] >= 0 && items[at[1]].revents)
		seen |= KERNEL_CANCEL;
	if (at[2] >= 0 && items[at[2]].revents && eventfd_read(wake_fd, &value) == 0)
		seen |= KERNEL_WAKE;
	if (at[3] >= 0 && items[at[3]].revents)
		launch_listen(&k->launch);
	if (items[n].revents && !(seen & (KERNEL_DEAD | KERNEL_IOPUB)))
		kernel_renew(k);
	return seen;
}

void kernel_interrupt(struct kernel *k, bool again)
{
	if (k->by_message || again)
		kernel_send(k, CHANNEL_CONTROL, "interrupt_request", "{}", NULL, NULL);
	if (!k->by_message || again)
		launch_signal(&k->launch, SIGINT);
}

void kernel_kill(struct kernel *k)
{
	launch_signal(&k->launch, SIGKILL);
}

void kernel_describe(struct kernel *k, struct strbuf *out)
{
	launch_listen(&k->launch);
	launch_describe(&k->launch, out);
}

char *kernel_directory(const struct kernel *k)
{
	char link[64], path[4096];
	ssize_t len;

	if (k->launch.pid <= 0)
		return NULL;
	snprintf(link, sizeof link, "/proc/%d/cwd", (int)k->launch.pid);
	len = readlink(link, path, sizeof path - 1);
	if (len <= 0 || *path != '/')
		return NULL;
	path[len] = '\0';
	return strdup(path);
}
