/* SPDX-License-Identifier: MIT
 *
 * floor-cell.c - measures the minimum cost of a cell: a bare ZeroMQ client that sends it
 * to a running Jupyter kernel, and waits for the reply and the idle status.
 *
 *   floor-cell DIR KEY CELLS
 *
 * The kernel's sockets are DIR/k-1 (shell) and DIR/k-2 (iopub). Prints the median in
 * microseconds. */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static void *shell, *iopub;
static const char *key;

static int die(const char *what)
{
	fprintf(stderr, "floor-cell: %s: %s\n", what, zmq_strerror(zmq_errno()));
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void send_request(const char *type, const char *content, int n)
{
	char header[256], all[1024], hex[65];
	unsigned char digest[32];
	unsigned len = sizeof digest;

	snprintf(
		header, sizeof header,
		"{\"msg_id\":\"m%d\",\"session\":\"floor\","
		"\"username\":\"u\",\"date\":\"2026-01-01T00:00:00Z\",\"msg_type\":\"%s\","
		"\"version\":\"5.3\"}",
		n, type);
	snprintf(all, sizeof all, "%s{}{}%s", header, content);
	HMAC(EVP_sha256(), key, (int)strlen(key), (unsigned char *)all, strlen(all),
	     digest, &len);
	for (unsigned i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	const char *parts[] = { "<IDS|MSG>", hex, header, "{}", "{}", content };

	for (int i = 0; i < 6; i++)
		if (zmq_send(shell, parts[i], strlen(parts[i]), i < 5 ? ZMQ_SNDMORE : 0) <
		    0)
			die("send");
}

/* Read one message; @return whether a part contains `what`. */
static int receive(void *socket, const char *what)
{
	char part[65536];
	int found = 0, more = 1;
	size_t room = sizeof more;

	while (more) {
		int len = zmq_recv(socket, part, sizeof part, 0);

		if (len < 0)
			die("receive");
		if (len > (int)sizeof part)
			len = sizeof part;
		found |= memmem(part, (size_t)len, what, strlen(what)) != NULL;
		zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &room);
	}
	return found;
}

static void run_cell(const char *content, int n)
{
	zmq_pollitem_t items[] = { { shell, -1, ZMQ_POLLIN, 0 },
				   { iopub, -1, ZMQ_POLLIN, 0 } };
	int answered = 0, idle = 0;

	send_request("execute_request", content, n);
	while (!answered || !idle) {
		if (zmq_poll(items, 2, 10000) <= 0)
			die("no answer");
		if (items[0].revents)
			answered |= receive(shell, "execute_reply");
		if (items[1].revents)
			idle |= receive(iopub, "\"idle\"");
	}
}

static void *open_socket(void *context, int kind, const char *dir, int number)
{
	char name[1024];
	void *s = zmq_socket(context, kind);

	snprintf(name, sizeof name, "ipc://%s/k-%d", dir, number);
	if (!s || zmq_connect(s, name) != 0)
		die(name);
	return s;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const char cell[] =
		"{\"code\":\"pass\",\"silent\":false,"
		"\"store_history\":true,\"user_expressions\":{},\"allow_stdin\":false}";
	static double took[10000];
	int count = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
	void *context = zmq_ctx_new();

	if (count < 1 || count > 10000 || !context)
		return 2;
	key = argv[2];
	shell = open_socket(context, ZMQ_DEALER, argv[1], 1);
	iopub = open_socket(context, ZMQ_SUB, argv[1], 2);
	zmq_setsockopt(iopub, ZMQ_SUBSCRIBE, "", 0);
	send_request("kernel_info_request", "{}", 0);
	receive(shell, "kernel_info_reply");
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL); /* for iopub */
	for (int n = 0; n < count; n++) {
		double start = now_us();

		run_cell(cell, n + 1);
		took[n] = now_us() - start;
	}
	qsort(took, (size_t)count, sizeof *took, compare);
	printf("%.0f\n", took[count / 2]);
	fflush(stdout);
	_Exit(0);
}
