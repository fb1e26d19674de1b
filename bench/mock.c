/* SPDX-License-Identifier: MIT
 *
 * mock.c - a model for the benches: an HTTP server that speaks OpenAI chat
 * completions, streamed and not, and answers each request with one more call of
 * the shell tool, the last one with a call of finish. {i} in the command is
 * replaced by the number of the step.
 *
 *   mock [--steps N] [--command TEXT] [--hold N] [--drip N] [--log FILE] [--port N]
 *
 * Prints "port N" when it listens. Requests are counted, not understood: after
 * N steps and the finish, counting starts again. With --hold N the answer to
 * the N-th request (of all) waits for a line on standard input, after "hold" was
 * printed. With --drip N the answer to the N-th request is a stream that never
 * ends, a word every few milliseconds; "drip" is printed when it starts. The log
 * has a line for each request: its number, CLOCK_MONOTONIC in microseconds of the
 * connection, of the first byte, of the last byte and of the reply, and the size
 * of the body. It is written at the end, which comes with SIGTERM or the end of
 * standard input.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 64
#define REQUEST_MAX (64u << 20)
#define REPLY_MAX   65536
#define DRIP_MS     5

struct connection {
	int fd;
	int64_t connected, first;
	char *bytes;
	size_t used, room;
	size_t body;      /* offset of the body; 0: the head is incomplete */
	size_t want;      /* head and body together */
	bool drips;
};

static struct connection connections[CONNECTIONS];
static int connection_count;
static long steps = 50, hold, drip, turn, total;
static const char *command = "true {i}";
static char *log_bytes;
static size_t log_size;
static FILE *log_file;
static volatile sig_atomic_t ended;

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void die(const char *what)
{
	fprintf(stderr, "mock: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The command, escaped for a JSON string inside a JSON string, with {i} replaced by the
 * number of the step. */
static void write_command(char *to, size_t size)
{
	char *end = to + size - 16;

	for (const char *text = command; *text && to < end; text++) {
		if (strncmp(text, "{i}", 3) == 0) {
			to += snprintf(to, 12, "%ld", turn + 1);
			text += 2;
			continue;
		}
		if (*text == '"' || *text == '\\') {
			memcpy(to, "\\\\\\", 3);
			to += 3;
		}
		*to++ = *text;
	}
	*to = '\0';
}

static bool streamed(const char *body, size_t len)
{
	const char *at = memmem(body, len, "\"stream\":", 9);

	if (!at)
		return false;
	for (at += 9; at < body + len && *at == ' '; at++)
		;
	return body + len - at >= 4 && memcmp(at, "true", 4) == 0;
}

/* The tool call of this turn, as JSON without its enclosing message. */
static void write_call(char *out, size_t size, long id)
{
	char text[REPLY_MAX / 8];

	write_command(text, sizeof text);
	if (turn < steps)
		snprintf(
			out, size,
			"{\"index\":0,\"id\":\"call_%ld\",\"type\":\"function\",\"function\":"
			"{\"name\":\"execute_bash\",\"arguments\":"
			"\"{\\\"command\\\": \\\"%s\\\", \\\"security_risk\\\": \\\"LOW\\\"}\"}}",
			id, text);
	else
		snprintf(
			out, size,
			"{\"index\":0,\"id\":\"call_%ld\",\"type\":\"function\",\"function\":"
			"{\"name\":\"finish\",\"arguments\":\"{\\\"message\\\": \\\"All steps "
			"are done.\\\"}\"}}",
			id);
}

static size_t write_reply(char *out, size_t size, bool stream)
{
	static const char usage[] = "{\"prompt_tokens\":1000,\"completion_tokens\":20,"
				    "\"total_tokens\":1020}";
	char call[REPLY_MAX / 4], body[REPLY_MAX / 2];
	int n, head;

	write_call(call, sizeof call, total);
	if (stream)
		n = snprintf(
			body, sizeof body,
			"data: {\"id\":\"chatcmpl-%ld\",\"object\":\"chat.completion.chunk\","
			"\"created\":1,\"model\":\"mock\",\"choices\":[{\"index\":0,\"delta\":"
			"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[%s]},"
			"\"finish_reason\":null}]}\n\n"
			"data: {\"id\":\"chatcmpl-%ld\",\"object\":\"chat.completion.chunk\","
			"\"created\":1,\"model\":\"mock\",\"choices\":[{\"index\":0,\"delta\":{},"
			"\"finish_reason\":\"tool_calls\"}],\"usage\":%s}\n\n"
			"data: [DONE]\n\n",
			total, call, total, usage);
	else
		n = snprintf(
			body, sizeof body,
			"{\"id\":\"chatcmpl-%ld\",\"object\":\"chat.completion\",\"created\":1,"
			"\"model\":\"mock\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
			"\"assistant\",\"content\":null,\"tool_calls\":[%s]},"
			"\"finish_reason\":\"tool_calls\"}],\"usage\":%s}",
			total, call, usage);
	head = snprintf(
		out, size,
		"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		stream ? "text/event-stream" : "application/json", n);
	memcpy(out + head, body, (size_t)n);
	return (size_t)head + (size_t)n;
}

static void wait_for_line(void)
{
	char byte;
	ssize_t n;

	puts("hold");
	fflush(stdout);
	do
		n = read(STDIN_FILENO, &byte, 1);
	while ((n == 1 && byte != '\n') || (n < 0 && errno == EINTR && !ended));
}

static void send_word(int fd)
{
	static const char word[] =
		"data: {\"id\":\"chatcmpl-drip\",\"object\":\"chat.completion.chunk\","
		"\"created\":1,\"model\":\"mock\",\"choices\":[{\"index\":0,\"delta\":"
		"{\"content\":\"word \"},\"finish_reason\":null}]}\n\n";

	send(fd, word, sizeof word - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void begin_to_drip(struct connection *c)
{
	static const char head[] =
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		"Connection: close\r\n\r\n";

	send(c->fd, head, sizeof head - 1, MSG_NOSIGNAL);
	send_word(c->fd);
	c->drips = true;
	puts("drip");
	fflush(stdout);
}

/* Other queries of a program (models, windows) do not count as requests. */
static bool is_question(const struct connection *c)
{
	return strncmp(c->bytes, "GET ", 4) == 0;
}

static void answer_question(const struct connection *c)
{
	static const char none[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

	send(c->fd, none, sizeof none - 1, MSG_NOSIGNAL);
}

static void answer(struct connection *c)
{
	char out[REPLY_MAX];
	int64_t last = now_us();
	size_t len, sent = 0;

	total++;
	if (drip > 0 && total == drip) {
		begin_to_drip(c);
		return;
	}
	if (hold > 0 && total == hold)
		wait_for_line();
	len = write_reply(out, sizeof out,
			  streamed(c->bytes + c->body, c->want - c->body));
	while (sent < len) {
		ssize_t n = send(c->fd, out + sent, len - sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			break;
		sent += n > 0 ? (size_t)n : 0;
	}
	fprintf(log_file, "%ld %lld %lld %lld %lld %zu\n", total, (long long)c->connected,
		(long long)c->first, (long long)last, (long long)now_us(),
		c->want - c->body);
	turn = turn < steps ? turn + 1 : 0;
}

/* Find the end of the head, and the length of the body in it. */
static void read_head(struct connection *c)
{
	char *end = memmem(c->bytes, c->used, "\r\n\r\n", 4), *line;

	if (!end)
		return;
	c->body = (size_t)(end - c->bytes) + 4;
	c->want = c->body;
	*end = '\0';
	for (line = strstr(c->bytes, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
		if (strncasecmp(line + 2, "content-length:", 15) == 0)
			c->want += strtoul(line + 17, NULL, 10);
		if (strncasecmp(line + 2, "expect:", 7) == 0)
			send(c->fd, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);
	}
}

/* @return false when the connection is closed. */
static bool receive(struct connection *c)
{
	ssize_t n;

	if (c->room - c->used < 65536) {
		char *more = realloc(c->bytes, c->room * 2 + 131072);

		if (!more || c->room > REQUEST_MAX)
			die("request too large");
		c->bytes = more;
		c->room = c->room * 2 + 131072;
	}
	n = recv(c->fd, c->bytes + c->used, c->room - c->used - 1, 0);
	if (n <= 0)
		return n < 0 && errno == EINTR;
	if (c->used == 0)
		c->first = now_us();
	c->used += (size_t)n;
	if (!c->body)
		read_head(c);
	if (c->body && c->used >= c->want) {
		if (is_question(c))
			answer_question(c);
		else
			answer(c);
		c->used = c->body = c->want = 0;
	}
	return true;
}

static void accept_one(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;

	if (fd < 0)
		return;
	if (connection_count == CONNECTIONS) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	connections[connection_count++] =
		(struct connection){ .fd = fd, .connected = now_us() };
}

static void serve(int listener)
{
	while (!ended) {
		struct pollfd polled[CONNECTIONS + 2] = {
			{ .fd = listener, .events = POLLIN },
			{ .fd = STDIN_FILENO, .events = POLLIN },
		};
		int count = connection_count, ready;
		bool drips = false;

		for (int i = 0; i < count; i++) {
			polled[i + 2] = (struct pollfd){ .fd = connections[i].fd,
							 .events = POLLIN };
			drips |= connections[i].drips;
		}
		ready = poll(polled, (nfds_t)count + 2, drips ? DRIP_MS : -1);
		for (int i = 0; i < count && ready == 0; i++)
			if (connections[i].drips)
				send_word(connections[i].fd);
		if (ready <= 0)
			continue;
		for (int i = count - 1; i >= 0; i--) {
			if (!polled[i + 2].revents || receive(&connections[i]))
				continue;
			close(connections[i].fd);
			free(connections[i].bytes);
			connections[i] = connections[--connection_count];
		}
		if (polled[0].revents)
			accept_one(listener);
		if (polled[1].revents) {
			char bytes[256];

			if (read(STDIN_FILENO, bytes, sizeof bytes) <= 0)
				return;
		}
	}
}

static int listen_on(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		die("listen");
	printf("port %d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

static void end(int signal_)
{
	(void)signal_;
	ended = 1;
}

static void write_log(const char *path)
{
	FILE *out = fopen(path, "we");

	fclose(log_file);
	if (!out || fwrite(log_bytes, 1, log_size, out) != log_size || fclose(out) != 0)
		die(path);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	const char *path = NULL;
	int port = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--steps") == 0)
			steps = strtol(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--command") == 0)
			command = argv[i + 1];
		else if (strcmp(argv[i], "--hold") == 0)
			hold = strtol(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--drip") == 0)
			drip = strtol(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--log") == 0)
			path = argv[i + 1];
		else if (strcmp(argv[i], "--port") == 0)
			port = (int)strtol(argv[i + 1], NULL, 10);
	}
	log_file = open_memstream(&log_bytes, &log_size);
	if (!log_file)
		die("start");
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	serve(listen_on(port));
	if (path)
		write_log(path);
	return 0;
}
