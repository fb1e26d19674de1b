/* SPDX-License-Identifier: MIT
 *
 * test-network-proxy.c - the proxy in a process of its own, with real connections on the
 * loopback interface: what it forwards, each refusal, hostile and slow clients, limits. */
#include "sandbox/network-proxy-internal.h"
#include "clock.h"
#include "hello.h"
#include "oom.h"
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	WAIT_S = 20, /* time limit of every read */
	TEXT = 1 << 17,
};

/* ---- kit ----------------------------------------------------------------------- */

static struct {
	pid_t pid;
	uint16_t port;
	int report;
} proxy;

static uint16_t server_port;
static int server; /* listens on server_port */
static char text[TEXT];

static int listen_on(uint16_t port, uint16_t *ret_port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&in, sizeof in) || listen(fd, 128)) {
		close(fd);
		return -1;
	}
	getsockname(fd, (struct sockaddr *)&in, &len);
	*ret_port = ntohs(in.sin_port);
	return fd;
}

static int limit_time(int fd)
{
	struct timeval limit = { .tv_sec = WAIT_S };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	return fd;
}

static int client(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(proxy.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = limit_time(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));

	if (connect(fd, (struct sockaddr *)&in, sizeof in))
		perror("# connect");
	return fd;
}

/* The next connection that the proxy makes to the server */
static int served(void)
{
	struct pollfd p = { .fd = server, .events = POLLIN };

	return poll(&p, 1, WAIT_S * 1000) == 1 ? limit_time(accept(server, NULL, NULL))
					       : -1;
}

/* Does the proxy connect to the server? Only after the client has its answer. */
static bool is_contacted(void)
{
	struct pollfd p = { .fd = server, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

MT_PRINTF(2, 3)
static void say(int fd, const char *format, ...)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	va_list ap;

	va_start(ap, format);
	strbuf_vaddf(&b, format, ap);
	va_end(ap);
	for (size_t at = 0; at < b.len;) {
		ssize_t n = send(fd, b.text + at, b.len - at, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		at += (size_t)n;
	}
}

/* Read up to and with `end` into `text`; NULL: to the end of the stream.
 * @return false if the stream ended before, or did not end in time */
static bool hear(int fd, const char *end)
{
	size_t len = 0;
	ssize_t n;

	text[0] = '\0';
	while (!(end && strstr(text, end))) {
		/* one byte at a time, so that what follows stays in the socket */
		n = recv(fd, text + len, end ? 1 : sizeof text - 1 - len, 0);
		if (n <= 0)
			return !end && n == 0;
		len += (size_t)n;
		text[len] = '\0';
		if (len == sizeof text - 1)
			return false;
	}
	return true;
}

/* Read exactly these bytes. */
static bool hears(int fd, const char *bytes, size_t n)
{
	return recv(fd, text, n, MSG_WAITALL) == (ssize_t)n &&
	       memcmp(text, bytes, n) == 0;
}

/* The end of the stream, without another byte before it */
static bool ends(int fd)
{
	return recv(fd, text, 1, 0) == 0;
}

/* The next report is in `text`. */
static bool reports(const char *reason)
{
	struct pollfd p = { .fd = proxy.report, .events = POLLIN };
	size_t len = 0;

	text[0] = '\0';
	while (!strchr(text, '\n') && len < 2000 && poll(&p, 1, WAIT_S * 1000) == 1 &&
	       read(proxy.report, text + len, 1) == 1)
		text[++len] = '\0';
	if (strstr(text, reason))
		return true;
	printf("# %s\n", text);
	return false;
}

static bool has_report(void)
{
	struct pollfd p = { .fd = proxy.report, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static int crowded_ms; /* of the next proxy; 0: the default */

static void read_rules(const char *hosts, struct network_proxy_rules *rules)
{
	char json[1024];
	struct error err = ERROR_NONE;
	AUTO(json) json_object *o = NULL;

	snprintf(json, sizeof json, "{\"hosts\": [%s]}", hosts);
	o = js_parse_object(json, strlen(json), &err);
	if (!o || network_proxy_rules_read(o, rules, &err))
		printf("# %s\n", err.text);
}

/* Start the proxy with a listening socket. A time limit of 0 is the default. */
static void start_on(int fd, const char *hosts, int head_ms, int idle_ms)
{
	int report[2];

	if (pipe2(report, O_CLOEXEC))
		perror("# pipe");
	fflush(stdout);
	proxy.pid = fork();
	if (proxy.pid == 0) {
		struct network_proxy_rules rules;

		read_rules(hosts, &rules);
		rules.head_ms = head_ms ? head_ms : rules.head_ms;
		rules.idle_ms = idle_ms ? idle_ms : rules.idle_ms;
		rules.crowded_ms = crowded_ms ? crowded_ms : rules.crowded_ms;
		network_proxy_run(fd, report[1], &rules);
		network_proxy_rules_clear(&rules);
		exit(0);
	}
	close(fd);
	close(report[1]);
	proxy.report = report[0];
}

static void start(const char *hosts, int head_ms, int idle_ms)
{
	start_on(listen_on(0, &proxy.port), hosts, head_ms, idle_ms);
}

/* It ends because nothing reads its reports. */
static void stop(void)
{
	int status;

	close(proxy.report);
	CHECK_MSG(waitpid(proxy.pid, &status, 0) == proxy.pid && WIFEXITED(status) &&
			  WEXITSTATUS(status) == 0,
		  "the proxy ends with its supervisor");
}

/* The server by its name and its address, with its port */
static const char *loopback(void)
{
	static char hosts[100];

	snprintf(hosts, sizeof hosts, "\"localhost:%u\", \"127.0.0.1:%u\"", server_port,
		 server_port);
	return hosts;
}

/* A tunnel that exists: the client's end, and the server's */
static int tunnel(const char *host, int *ret_server)
{
	int c = client();

	say(c, "CONNECT %s:%u HTTP/1.1\r\nHost: x\r\n\r\n", host, server_port);
	*ret_server = served();
	if (!hear(c, "\r\n\r\n") || strncmp(text, "HTTP/1.1 200 ", 13) != 0)
		printf("# no tunnel: %s\n", text);
	return c;
}

/* ---- plain requests -------------------------------------------------------------- */

static void plain_requests(void)
{
	int c = client(), s;

	say(c,
	    "GET http://localhost:%u/a?b HTTP/1.1\r\nHost: localhost:%u\r\n"
	    "Connection: keep-alive, x-one\r\nX-One: 1\r\nX-Two: 2\r\n\r\n",
	    server_port, server_port);
	s = served();
	CHECK(hear(s, "\r\n\r\n"));
	CHECK(strncmp(text, "GET /a?b HTTP/1.1\r\nHost: localhost:", 35) == 0);
	CHECK(strstr(text, "\r\nX-Two: 2\r\n") &&
	      strstr(text, "\r\nConnection: close\r\n"));
	CHECK(!strstr(text, "X-One") && !strstr(text, "keep-alive"));
	say(s,
	    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok");
	CHECK(hear(c, "\r\n\r\n"));
	CHECK(strstr(text, "\r\nConnection: close\r\n") && !strstr(text, "keep-alive"));
	CHECK(hears(c, "ok", 2));
	/* nothing after the request reaches the server, whatever it names */
	say(c, "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
	say(s, "more");
	close(s);
	CHECK(hear(c, NULL));
	CHECK_STR(text, "more");
	CHECK(!has_report());
	close(c);
}

static void bodies(void)
{
	int c = client(), s;

	say(c, "PUT http://127.0.0.1:%u/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n", server_port,
	    server_port);
	say(c, "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n");
	s = served();
	CHECK(hear(s, "\r\n\r\n") && strstr(text, "Content-Length: 4\r\n"));
	say(s, "HTTP/1.1 100 Continue\r\n\r\n");
	CHECK(hear(c, "\r\n\r\n"));
	CHECK_STR(text, "HTTP/1.1 100 Continue\r\n\r\n");
	say(c, "bodyGET / HTTP/1.1\r\n\r\n");
	CHECK(hears(s, "body", 4));
	say(s, "HTTP/1.1 204 No Content\r\n\r\n");
	shutdown(s, SHUT_WR);
	CHECK(hear(c, NULL) && strncmp(text, "HTTP/1.1 204 ", 13) == 0);
	CHECK_MSG(ends(s), "what follows a body is not forwarded");
	close(c);
	close(s);

	c = client();
	say(c, "PUT http://127.0.0.1:%u/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n", server_port,
	    server_port);
	say(c,
	    "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n");
	s = served();
	CHECK(hear(s, "\r\n\r\n") && strstr(text, "Transfer-Encoding: chunked\r\n"));
	CHECK(hears(s, "4\r\nbody\r\n0\r\n\r\n", 14));
	say(s, "HTTP/1.1 204 No Content\r\n\r\n");
	shutdown(s, SHUT_WR);
	CHECK(hear(c, NULL) && ends(s));
	close(c);
	close(s);

	c = client();
	say(c, "PUT http://127.0.0.1:%u/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n", server_port,
	    server_port);
	say(c, "Transfer-Encoding: chunked\r\n\r\n");
	s = served();
	CHECK(hear(s, "\r\n\r\n"));
	say(c, "4;ext\r\nbody\r\n");
	CHECK_MSG(ends(s) && ends(c), "a malformed chunk ends the connection");
	close(c);
	close(s);
}

/* What the server does, and the status that the client gets */
static void bad_servers(void)
{
	static const char *const sends[] = {
		"", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\n",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
	};
	int c, s;

	for (size_t i = 0; i < ARRAY_LEN(sends); i++) {
		c = client();
		say(c, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
		s = served();
		CHECK(hear(s, "\r\n\r\n"));
		say(s, "%s", sends[i]);
		close(s);
		CHECK_MSG(hear(c, NULL) && strstr(text, "HTTP/1.1 502 "),
			  "response %zu is not valid", i);
		close(c);
	}
	CHECK(reports("did not send a valid HTTP/1 response") && !has_report());
	c = client();
	say(c, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
	s = served();
	say(s, "HTTP/1.1 200 OK\r\n%070000d\r\n\r\n", 0);
	CHECK_MSG(hear(c, NULL) && strstr(text, "HTTP/1.1 502 "),
		  "a head of 70,000 bytes");
	close(c);
	close(s);
}

/* ---- refusals -------------------------------------------------------------------- */

static void refusals(void)
{
	static const struct {
		const char *request;
		const char *status;
		const char *text;
		bool reported;
	} cases[] = {
		{ "GET http://evil.example/ HTTP/1.0\r\n\r\n", "403 ",
		  "Host evil.example is not allowed by the sandbox; allow it with `hosts += "
		  "evil.example` in [sandbox].\n", true },
		{ "CONNECT evil.example:443 HTTP/1.1\r\n\r\n", "403 ",
		  "`hosts += evil.example` in [sandbox]", true },
		{ "CONNECT EVIL.example.:22 HTTP/1.1\r\n\r\n", "403 ",
		  "Host evil.example port 22 is not allowed by the sandbox; allow it with "
		  "`hosts += evil.example:22`", true },
		{ "CONNECT [::1]:22 HTTP/1.1\r\n\r\n", "403 ", "`hosts += [::1]:22`", true },
		{ "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n", "403 ", "Host 127.0.0.1 port 1 is not", true },
		{ "CONNECT [::ffff:127.0.0.1]:80 HTTP/1.1\r\n\r\n", "403 ", "is not allowed", true },
		{ "CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n", "403 ", "is not allowed", true },
		{ "CONNECT localhost:80 HTTP/1.1\r\n\r\n", "403 ", "is not allowed", true },
		/* allowed by its name, but not to have this address */
		{ "CONNECT localhost:9 HTTP/1.1\r\n\r\n", "403 ",
		  "which is not public and therefore not allowed by the sandbox; allow it with "
		  "`hosts += ", true },
		{ "CONNECT no.such.host.invalid:443 HTTP/1.1\r\n\r\n", "50",
		  "Cannot resolve host no.such.host.invalid: ", true },
		{ "CONNECT 127.0.0.1:2 HTTP/1.1\r\n\r\n", "502 ",
		  "Connecting to the host 127.0.0.1 port 2 failed: Connection refused.\n", true },
		{ "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 ", "This is a proxy", false },
		{ "GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 ", "This is a proxy", false },
		{ "CONNECT 127.1:443 HTTP/1.1\r\n\r\n", "400 ", "not a valid HOST:PORT", false },
		{ "CONNECT a HTTP/1.1\r\n\r\n", "400 ", "not a valid HOST:PORT", false },
		{ "\n\n", "400 ", "not valid HTTP/1.1", false },
		{ "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "400 ", "names b, but the URL a", false },
		{ "PUT http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
		  "Transfer-Encoding: chunked\r\n\r\n", "400 ", "more than one of", false },
		{ "GET http://a/ HTTP/1.1\r\nHost: a\r\n x: y\r\n\r\n", "400 ", "malformed", false },
		{ "GET http://a/ HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", "400 ", "CR LF", false },
	};
	char want[40];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int c = client();

		say(c, "%s", cases[i].request);
		snprintf(want, sizeof want, "HTTP/1.1 %s", cases[i].status);
		CHECK_MSG(hear(c, NULL) && strstr(text, want) == text, "request %zu: %s",
			  i, want);
		CHECK_MSG(strstr(text, cases[i].text) != NULL,
			  "request %zu: the sentence", i);
		close(c);
		if (cases[i].reported)
			CHECK(reports("{\"host\":\"") && strstr(text, ",\"port\":") &&
			      strstr(text, ",\"reason\":\""));
		CHECK(!has_report() && !is_contacted());
	}
}

static void big_head(void)
{
	int c = client();

	say(c, "GET http://a/ HTTP/1.1\r\nX: %070000d", 0);
	CHECK(hear(c, NULL) && strstr(text, "HTTP/1.1 431 "));
	close(c);
}

/* ---- tunnels --------------------------------------------------------------------- */

static void tunnels(void)
{
	char bytes[HELLO_ROOM];
	size_t n = hello_for(bytes, "LOCALHOST");
	int s, c = tunnel("localhost", &s);

	/* in two pieces */
	CHECK(send(c, bytes, 20, 0) == 20);
	CHECK(send(c, bytes + 20, n - 20, 0) == (ssize_t)n - 20);
	CHECK_MSG(hears(s, bytes, n), "a ClientHello for the host is forwarded");
	say(s, "server");
	CHECK(hears(c, "server", 6));
	say(c, "client");
	CHECK(hears(s, "client", 6));
	close(c);
	CHECK(ends(s));
	close(s);

	/* an address has no name */
	n = hello_for(bytes, "");
	c = tunnel("127.0.0.1", &s);
	CHECK(send(c, bytes, n, 0) == (ssize_t)n && hears(s, bytes, n));
	close(s);
	CHECK(ends(c));
	close(c);
	n = hello_for(bytes, "127.0.0.1");
	c = tunnel("127.0.0.1", &s);
	CHECK(send(c, bytes, n, 0) == (ssize_t)n && hears(s, bytes, n));
	close(s);
	close(c);
	CHECK(!has_report());
}

static void wrong_names(void)
{
	static const struct {
		const char *host, *name, *reason;
	} cases[] = {
		{ "localhost", "evil.example", "names another server, evil.example, so" },
		{ "localhost", "localhost.evil.example", "names another server" },
		{ "localhost", "", "does not name its server" },
		{ "localhost", "127.0.0.1", "names another server, 127.0.0.1" },
		{ "localhost", "a b", "names an invalid server" },
		{ "127.0.0.1", "127.0.0.1:443", "names an invalid server" },
		{ "127.0.0.1", "localhost", "names another server, localhost" },
	};
	char bytes[HELLO_ROOM];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = hello_for(bytes, cases[i].name);
		int s, c = tunnel(cases[i].host, &s);

		CHECK(send(c, bytes, n, 0) == (ssize_t)n);
		CHECK_MSG(hears(c, "\x15\x03\x03\0\2\2\x70", 7) && ends(c),
			  "an alert for the name `%s`", cases[i].name);
		CHECK_MSG(ends(s), "the server gets nothing");
		CHECK(reports(cases[i].reason) && strstr(text, cases[i].host));
		close(c);
		close(s);
	}
}

static void malformed_hello(void)
{
	char bytes[HELLO_ROOM];
	size_t n = hello_for(bytes, "localhost");
	int s, c = tunnel("localhost", &s);

	bytes[5] = 2;
	CHECK(send(c, bytes, n, 0) == (ssize_t)n);
	CHECK(hears(c, "\x15\x03\x03\0\2\2\x70", 7) && ends(s));
	CHECK(reports("malformed ClientHello"));
	close(c);
	close(s);
}

/* A port that a pattern names carries any protocol. */
static void other_protocols(void)
{
	int s, c = tunnel("localhost", &s);

	say(s, "220 welcome\r\n");
	CHECK_MSG(hear(c, "\r\n"), "the server may speak first");
	say(c, "EHLO\r\n");
	CHECK(hear(s, "\r\n"));
	shutdown(c, SHUT_WR);
	CHECK_MSG(ends(s), "the end of the client is passed on");
	say(s, "last");
	CHECK_MSG(hears(c, "last", 4), "the server answers after it");
	close(s);
	CHECK(ends(c));
	close(c);

	c = tunnel("localhost", &s);
	say(s, "bye");
	shutdown(s, SHUT_WR);
	CHECK_MSG(hears(c, "bye", 3) && ends(c), "the end of the server is passed on");
	say(c, "still here");
	CHECK(hears(s, "still here", 10));
	close(c);
	CHECK(ends(s));
	close(s);
	CHECK(!has_report());
}

/* 16 MiB each way at once, with full buffers */
static void much_data(void)
{
	enum { ALL = 16 << 20 };
	int s, c = tunnel("localhost", &s), fds[2] = { c, s };
	size_t sent[2] = { 0 }, got[2] = { 0 }, wrong = 0;
	unsigned char out[2][4096];
	static unsigned char in[65536];

	while (got[0] < ALL || got[1] < ALL) {
		struct pollfd p[2] = { { .fd = c, .events = POLLIN | (sent[0] < ALL ? POLLOUT : 0) },
				       { .fd = s, .events = POLLIN | (sent[1] < ALL ? POLLOUT : 0) } };

		if (poll(p, 2, WAIT_S * 1000) <= 0)
			break;
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			for (size_t at = 0; at < sizeof out[i]; at++)
				out[i][at] = (unsigned char)((sent[i] + at) % 251);
			if (p[i].revents & POLLOUT) {
				size_t left = ALL - sent[i];

				n = send(fds[i], out[i], left < 4096 ? left : 4096,
					 MSG_DONTWAIT);
				sent[i] += n > 0 ? (size_t)n : 0;
			}
			n = recv(fds[i], in, sizeof in, MSG_DONTWAIT);
			for (ssize_t at = 0; at < n; at++)
				wrong += in[at] != (got[i] + (size_t)at) % 251;
			got[i] += n > 0 ? (size_t)n : 0;
		}
	}
	CHECK(got[0] == ALL && got[1] == ALL && wrong == 0);
	close(c);
	close(s);
}

/* Without a pattern that names it, a port is for HTTP or TLS. Only root can listen there. */
static void tls_only(void)
{
	uint16_t port = 0;
	int fd = listen_on(443, &port), c, s;

	if (fd < 0) {
		SKIP("cannot listen on port 443");
		return;
	}
	start("\"localhost\", \"127.0.0.1\"", 0, 0);
	c = client();
	say(c, "CONNECT localhost:443 HTTP/1.1\r\n\r\n");
	CHECK(hear(c, "\r\n\r\n") && strstr(text, " 200 "));
	s = limit_time(accept(fd, NULL, NULL));
	say(s, "SSH-2.0-x\r\n");
	say(c, "SSH-2.0-y\r\n");
	CHECK_MSG(ends(c) && recv(s, text, 1, 0) <= 0, "port 443 is for TLS only");
	CHECK(reports("does not use TLS, so the sandbox refuses it."));
	close(c);
	close(s);
	close(fd);
	fd = listen_on(80, &port);
	c = client();
	say(c,
	    "CONNECT localhost:80 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
	CHECK(fd < 0 || (hear(c, NULL) && strstr(text, " 200 ")));
	CHECK(fd < 0 || reports("allow other protocols with `hosts += localhost:80` in"));
	close(c);
	close(fd);
	stop();
}

/* ---- limits ---------------------------------------------------------------------- */

static void slow_clients(void)
{
	int s, c;

	start(loopback(), 100, 0);
	c = client();
	CHECK_MSG(ends(c), "a client that sends nothing");
	close(c);
	c = client();
	say(c, "GET http://localhost/ HT");
	CHECK_MSG(ends(c), "a head that does not end");
	close(c);
	stop();
	start(loopback(), 0, 100);
	c = tunnel("localhost", &s);
	CHECK_MSG(ends(c) && ends(s), "a tunnel that is not used");
	close(c);
	close(s);
	c = client();
	say(c, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
	s = served();
	CHECK(hear(s, "\r\n\r\n"));
	CHECK_MSG(ends(s) && ends(c), "a server that does not answer");
	close(c);
	close(s);
	stop();
}

static void many_connections(void)
{
	int c[64], s[64], last, last_s;

	for (int i = 0; i < 64; i++)
		c[i] = tunnel("127.0.0.1", &s[i]);
	last = client();
	say(last, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
	for (int i = 0; i < 64; i++) {
		say(c[i], "%d\n", i);
		CHECK(hear(s[i], "\n") && atoi(text) == i);
	}
	CHECK_MSG(!is_contacted(), "connection 65 waits");
	close(c[7]);
	close(s[7]);
	last_s = served();
	CHECK_MSG(hear(last_s, "\r\n\r\n"), "until another one has ended");
	close(last);
	close(last_s);
	for (int i = 0; i < 64; i++) {
		if (i == 7)
			continue;
		close(c[i]);
		close(s[i]);
	}
}

/* The connection that has been idle longest makes room. */
static void crowded_by_idle_ones(void)
{
	int c[64], s[64], last, last_s;

	for (int i = 0; i < 64; i++)
		c[i] = tunnel("127.0.0.1", &s[i]);
	for (int i = 0; i < 64; i++) {
		if (i == 9)
			continue;
		say(c[i], "%d\n", i);
		CHECK(hear(s[i], "\n") && atoi(text) == i);
	}
	last = client();
	say(last, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
	last_s = served();
	CHECK_MSG(last_s >= 0 && hear(last_s, "\r\n\r\n"), "it does not wait for long");
	CHECK_MSG(!hear(c[9], "x") && !hear(s[9], "x"), "instead of the idle one");
	say(c[10], "still\n");
	CHECK_MSG(hear(s[10], "\n"), "the others continue");
	close(last);
	close(last_s);
	for (int i = 0; i < 64; i++) {
		close(c[i]);
		close(s[i]);
	}
}

static void abrupt_ends(void)
{
	struct linger now = { .l_onoff = 1 };
	int s, c = tunnel("localhost", &s);

	setsockopt(c, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	close(c);
	CHECK_MSG(recv(s, text, 1, 0) <= 0, "a reset of the client ends the connection");
	close(s);
	c = tunnel("localhost", &s);
	setsockopt(s, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	close(s);
	CHECK_MSG(recv(c, text, 1, 0) <= 0, "a reset of the server does too");
	close(c);
	c = client();
	say(c, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
	close(c);
	s = served();
	CHECK_MSG(hear(s, NULL), "a client that has given up");
	close(s);
	CHECK(!has_report());
}

static void many_reports(void)
{
	int64_t begin = clock_ms();
	int lines = 0;

	for (int i = 0; i < 3; i++) {
		int c = client();

		say(c, "GET http://same.example/ HTTP/1.0\r\n\r\n");
		CHECK(hear(c, NULL));
		close(c);
	}
	CHECK(reports("same.example"));
	for (int i = 0; i < 200; i++) {
		int c = client();

		say(c, "GET http://host%d.example/ HTTP/1.0\r\n\r\n", i);
		if (!hear(c, NULL))
			CHECK(!"answered");
		close(c);
	}
	while (has_report())
		lines += reports("host");
	CHECK_MSG(lines > 0 && lines <= 32 * (2 + (clock_ms() - begin) / 1000),
		  "%d lines of 200, at most 32 per second", lines);
}

/* A full pipe does not block the proxy. */
static void unread_reports(void)
{
	int c, s, size = fcntl(proxy.report, F_SETPIPE_SZ, 4096);

	for (int round = 0; size > 0 && round < 3; round++)
		for (int i = 0; i < 40; i++) {
			c = client();
			say(c, "GET http://h%d-%d.example/ HTTP/1.0\r\n\r\n", round, i);
			if (!hear(c, NULL))
				CHECK(!"answered");
			close(c);
		}
	c = tunnel("localhost", &s);
	CHECK_MSG(s >= 0, "requests are served while reports are not read");
	close(c);
	close(s);
}

/* ---- namespaces --------------------------------------------------------------------- */

static void send_descriptor(int line, int fd)
{
	char room[CMSG_SPACE(sizeof fd)] = { 0 }, byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof room };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	sendmsg(line, &m, 0);
}

static int receive_descriptor(int line)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte;
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof room };
	int fd = -1;

	if (recvmsg(line, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}

/* A tool in a network namespace with nothing but loopback */
static _Noreturn void be_tool(int line)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(server_port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd, c;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		_exit(77);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (ioctl(fd, SIOCSIFFLAGS, &lo) ||
	    connect(fd, (struct sockaddr *)&in, sizeof in) == 0)
		_exit(1);
	fd = listen_on(0, &proxy.port);
	send_descriptor(line, fd);
	close(fd);
	c = client();
	say(c, "GET http://127.0.0.1:%u/ HTTP/1.0\r\n\r\n", server_port);
	_exit(!hear(c, NULL) || !strstr(text, "\r\n\r\noutside"));
}

static void namespaces(void)
{
	int line[2], fd, s, status = 0;
	pid_t tool;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
		perror("# socketpair");
	fflush(stdout);
	tool = fork();
	if (tool == 0)
		be_tool(line[1]);
	close(line[1]);
	fd = receive_descriptor(line[0]);
	close(line[0]);
	if (fd < 0) {
		waitpid(tool, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			SKIP("user namespaces are not available");
		else
			CHECK(!"the namespace has loopback alone");
		return;
	}
	start_on(fd, loopback(), 0, 0);
	s = served();
	CHECK(hear(s, "\r\n\r\n"));
	say(s, "HTTP/1.0 200 OK\r\n\r\noutside");
	close(s);
	waitpid(tool, &status, 0);
	CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		  "a tool in a network namespace reaches a host outside of it");
	stop();
}

/* ---- the proxy of the environment --------------------------------------------------- */

static void upstream(void)
{
	char url[100], bytes[HELLO_ROOM];
	size_t n = hello_for(bytes, "site.example");
	int c, s;

	snprintf(url, sizeof url, "http://me:p%%40ss@127.0.0.1:%u/", server_port);
	setenv("http_proxy", url, 1);
	setenv("https_proxy", url, 1);
	setenv("no_proxy", "other.example, .invalid", 1);
	start("\"site.example\", \"no.invalid\"", 0, 0);
	unsetenv("http_proxy");
	unsetenv("https_proxy");
	unsetenv("no_proxy");
	c = client();
	say(c, "GET http://site.example/x HTTP/1.1\r\nHost: site.example\r\n\r\n");
	s = served();
	CHECK(hear(s, "\r\n\r\n"));
	CHECK(strstr(text, "GET http://site.example/x HTTP/1.1\r\n") == text);
	CHECK(strstr(text, "\r\nProxy-Authorization: Basic bWU6cEBzcw==\r\n") != NULL);
	say(s, "HTTP/1.1 200 OK\r\n\r\nhi");
	close(s);
	CHECK(hear(c, NULL) && strstr(text, "\r\n\r\nhi"));
	close(c);

	c = client();
	say(c, "CONNECT site.example:443 HTTP/1.1\r\n\r\n");
	s = served();
	CHECK(hear(s, "\r\n\r\n"));
	CHECK_STR(text, "CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n"
			"Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n");
	say(s, "HTTP/1.1 200 OK\r\nX: y\r\n\r\n");
	CHECK(hear(c, "\r\n\r\n") && strstr(text, "HTTP/1.1 200 Connection established"));
	CHECK(send(c, bytes, n, 0) == (ssize_t)n && hears(s, bytes, n));
	close(s);
	close(c);

	c = client();
	say(c, "CONNECT site.example:443 HTTP/1.1\r\n\r\n");
	s = served();
	say(s, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
	CHECK(hear(c, NULL) && strstr(text, "HTTP/1.1 502 ") &&
	      strstr(text, "status 407"));
	CHECK(reports("The proxy of the environment does not connect"));
	close(s);
	close(c);

	c = client();
	say(c, "CONNECT evil.example:443 HTTP/1.1\r\n\r\n");
	CHECK(hear(c, NULL) && strstr(text, "HTTP/1.1 403 ") && !is_contacted());
	CHECK(reports("evil.example"));
	close(c);
	c = client();
	say(c, "CONNECT no.invalid:443 HTTP/1.1\r\n\r\n");
	CHECK(hear(c, NULL) && strstr(text, "Cannot resolve host") && !is_contacted());
	close(c);
	stop();
}

/* ---- rules and processes ------------------------------------------------------------ */

static void rules(void)
{
	static const char *const refused[] = {
		"{\"hosts\": 1}", "{\"hosts\": [1]}", "{\"hosts\": [\"a b\"]}",
		"{\"hosts\": [\"a\", \"*\"]}",
	};
	static const char good[] =
		"{\"hosts\": [\"a\", \"*.b:1\"], \"allow_private\": true}";
	AUTO(json) json_object *o = js_parse_object(good, sizeof good - 1, NULL);
	struct network_proxy_rules r;

	CHECK(network_proxy_rules_read(o, &r, NULL) == MT_OK && r.count == 2);
	CHECK(r.allow_private && r.hosts[1].subdomains && r.idle_ms > 0);
	network_proxy_rules_clear(&r);
	CHECK(network_proxy_rules_read(NULL, &r, NULL) == MT_OK && r.count == 0);
	network_proxy_rules_clear(&r);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		AUTO(json) json_object *bad =
			js_parse_object(refused[i], strlen(refused[i]), NULL);
		struct error err = ERROR_NONE;

		CHECK_MSG(network_proxy_rules_read(bad, &r, &err) == MT_EINVAL &&
				  *err.text,
			  "%s: %s", refused[i], err.text);
		network_proxy_rules_clear(&r);
	}
	OOM_EACH({
		int status = network_proxy_rules_read(o, &r, NULL);

		network_proxy_rules_clear(&r);
		if (status && status != MT_ENOMEM)
			CHECK(status == MT_ENOMEM);
	});
	CHECK_OOM();
}

/* A name with addresses of all classes: those that the rules allow are used. */
static void addresses(void)
{
	static const struct {
		const char *hosts;
		bool allow_private;
		unsigned kept;
		const char *refused;
	} cases[] = {
		{ "\"a\"", false, 2, "10.0.0.1" },
		{ "\"a\"", true, 4, "127.0.0.1" },
		{ "\"10.0.0.1\"", false, 3, "fd12::1" },
		{ "\"10.0.0.1:443\", \"[fd12::1]:443\", \"127.0.0.1\", \"169.254.169.254\"", false, 6, "" },
		{ "\"10.0.0.1:80\"", true, 4, "127.0.0.1" },
	};
	static const char *const list[] = { "10.0.0.1", "8.8.8.8", "fd12::1", "2606:4700::1",
					    "127.0.0.1", "169.254.169.254" };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct network_proxy_rules r;
		struct proxy_addresses a = { 0 }, one;
		struct host host;
		uint16_t port;

		for (size_t j = 0; j < ARRAY_LEN(list); j++) {
			host_parse(list[j], strlen(list[j]), &host, &port);
			proxy_addresses_set(&one, &host);
			a.list[a.count++] = one.list[0];
		}
		read_rules(cases[i].hosts, &r);
		r.allow_private = cases[i].allow_private;
		proxy_addresses_filter(&a, 443, &r, &host);
		CHECK_MSG(a.count == cases[i].kept &&
				  strcmp(host.text, cases[i].refused) == 0,
			  "addresses for the rules %zu", i);
		network_proxy_rules_clear(&r);
	}
}

/* The supervisor is killed; another process still holds the pipe of its reports. */
static void orphan(void)
{
	int pids[2], report[2], status;
	pid_t parent, child = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe2(pids, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		perror("# pipe");
	fflush(stdout);
	parent = fork();
	if (parent == 0) {
		start("", 0, 0);
		if (write(pids[1], &proxy.pid, sizeof proxy.pid) != sizeof proxy.pid)
			_exit(1);
		for (;;)
			pause();
	}
	CHECK(read(pids[0], &child, sizeof child) == sizeof child && child > 0);
	kill(parent, SIGKILL);
	CHECK(waitpid(parent, &status, 0) == parent);
	CHECK_MSG(waitpid(child, &status, 0) == child, "the proxy ends with its parent");
	close(pids[0]);
	close(pids[1]);
	close(report[0]);
	close(report[1]);
}

int main(void)
{
	char hosts[400];

	unsetenv("http_proxy");
	unsetenv("https_proxy");
	unsetenv("HTTPS_PROXY");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	signal(SIGPIPE, SIG_IGN);
	server = listen_on(0, &server_port);
	rules();
	addresses();
	snprintf(hosts, sizeof hosts,
		 "%s, \"localhost:9\", \"127.0.0.1:2\", \"no.such.host.invalid\"",
		 loopback());
	start(hosts, 0, 0);
	plain_requests();
	bodies();
	bad_servers();
	refusals();
	big_head();
	tunnels();
	wrong_names();
	malformed_hello();
	other_protocols();
	much_data();
	abrupt_ends();
	many_connections();
	many_reports();
	unread_reports();
	stop();
	crowded_ms = 100;
	start(loopback(), 0, 0);
	crowded_by_idle_ones();
	stop();
	crowded_ms = 0;
	slow_clients();
	tls_only();
	namespaces();
	upstream();
	orphan();
	close(server);
	return tap_done();
}
