/* SPDX-License-Identifier: MIT
 *
 * test-cancel.c - a request is cancelled in each of its phases: no callback
 * runs afterwards, and no handle is left. */
#include "bench.h"
#include "server.h"
#include "tap.h"
#include <sys/socket.h>
#include <unistd.h>

#define HEAD(status, type) \
	"HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n\r\n"
#define CHUNK \
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n"

enum { FILLED = 16 };

/* The phase in which the request is cancelled. */
enum phase { AT_ONCE, ONE_TURN, CONNECTED, ASKED, STREAMING, TO_RETRY };

static const struct {
	const char *name, *host; /* the port and /v1 follow */
	const char *settings[3];
	struct answer answer;
	enum phase phase;
	bool full;              /* the server takes no more connections */
} cases[] = {
	{ "while the name is looked up", "http://localhost", { 0 }, { "", 0, HANG },
	  AT_ONCE, false },
	{ "behind the first turn of looking it up", "http://localhost", { 0 },
	  { "", 0, HANG }, ONE_TURN, false },
	{ "before it connects", "http://127.0.0.1", { 0 }, { "", 0, HANG }, AT_ONCE,
	  false },
	{ "while it connects", "http://127.0.0.1", { 0 }, { "", 0, HANG }, ONE_TURN,
	  true },
	{ "while TLS begins", "https://127.0.0.1", { 0 }, { "", 0, HANG }, CONNECTED,
	  false },
	{ "while headers are waited for", "http://127.0.0.1", { 0 }, { "", 0, HANG },
	  ASKED, false },
	{ "while an answer comes in one piece", "http://127.0.0.1",
	  { "llm.stream=no" }, { HEAD("200 OK", "application/json") "{\"choices\":[", 0, HANG },
	  ASKED, false },
	{ "while it streams", "http://127.0.0.1", { 0 },
	  { HEAD("200 OK", "text/event-stream") CHUNK, 0, HANG }, STREAMING, false },
	{ "while it waits to try again", "http://127.0.0.1",
	  { "llm.retry_min_wait=1h", "llm.retry_max_wait=1h" },
	  { HEAD("503 Busy", "application/json") "{}", 0, CLOSE }, TO_RETRY, false },
	{ "before tokens are counted", "http://127.0.0.1",
	  { "llm.model=anthropic/claude-sonnet-4-5", "llm.token_counter=provider",
	    "llm.max_input_tokens=600" }, { "", 0, HANG }, AT_ONCE, false },
	{ "while tokens are counted", "http://127.0.0.1",
	  { "llm.model=anthropic/claude-sonnet-4-5", "llm.token_counter=provider",
	    "llm.max_input_tokens=600" }, { "", 0, HANG }, ASKED, false },
};

static uv_loop_t loop;
static struct server server;
static struct bench b;
static struct result r;
static char text[2001];

/* A server whose queue is full: a client that connects waits. */
static int full_server(int fds[FILLED], int *ret_port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 0) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		CHECK_MSG(0, "a server that is full");
	*ret_port = ntohs(at.sin_port);
	for (int i = 0; i < FILLED; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fds[i] >= 0)
			connect(fds[i], (struct sockaddr *)&at, sizeof at);
	}
	return fd;
}

static bool is_reached(enum phase phase, int turns)
{
	switch (phase) {
	case AT_ONCE:
		return true;
	case ONE_TURN:
		return turns > 0;
	case CONNECTED:
		return server.connections > 0;
	case ASKED:
		return server.next > 0;
	case STREAMING:
		return r.deltas > 0;
	case TO_RETRY:
		return r.retries > 0;
	}
	return true;
}

static bool open_it(size_t i, int port)
{
	char url[96];
	const char *settings[9] = { url, "llm.model=some", "llm.api_key_env=CANCEL_KEY",
				    "llm.native_tool_calling=yes",
				    "core.state_dir=/dev/null/nowhere" };

	snprintf(url, sizeof url, "llm.base_url=%s:%d/v1", cases[i].host, port);
	for (size_t n = 0; n < 3 && cases[i].settings[n]; n++)
		settings[5 + n] = cases[i].settings[n];
	return bench_open(&b, &loop, NULL, settings);
}

static void cancel_in(size_t i, int port)
{
	AUTO(llm_request) struct llm_request *q = ask(text);
	struct llm_exchange *x = NULL;
	struct error err = ERROR_NONE;
	int turns = 0;

	q->stream = cases[i].phase == STREAMING;
	result_clear(&r);
	CHECK_MSG(open_it(i, port) &&
			  !llm_send(b.llm, q, 0, &bench_events, &r, NULL, &x, &err),
		  "%s: %s%s", cases[i].name, b.err.text, err.text);
	while (x && !r.over && !is_reached(cases[i].phase, turns++) &&
	       uv_run(&loop, UV_RUN_ONCE))
		;
	CHECK_MSG(x && !r.over && r.retries == (cases[i].phase == TO_RETRY),
		  "%s: it is pending: %s", cases[i].name, r.error.text);
	if (x && !r.over)
		llm_cancel(x);
	r.retries = r.deltas = 0;
	bench_close(&b);
	CHECK_MSG(!r.over && !r.retries && !r.deltas, "%s: no callback runs",
		  cases[i].name);
}

static void one(size_t i)
{
	int fds[FILLED], port, full = -1;

	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, &cases[i].answer, 1);
	port = server.port;
	if (cases[i].full)
		full = full_server(fds, &port);
	cancel_in(i, port);
	for (int n = 0; full >= 0 && n < FILLED; n++)
		close(fds[n]);
	if (full >= 0)
		close(full);
	server_stop(&server);
	result_clear(&r);
	CHECK_MSG(uv_loop_close(&loop) == 0, "%s: no handle is left", cases[i].name);
}

int main(void)
{
	memset(text, 'x', sizeof text - 1);
	setenv("CANCEL_KEY", "key-of-a-test", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		one(i);
	return tap_done();
}
