/* SPDX-License-Identifier: MIT
 *
 * browse.c - the browser part of a login. */
#include "browse.h"
#include "clock.h"
#include "client.h"
#include "files.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>

enum { REQUEST_MAX = 16 << 10, REQUEST_MS = 3000, ADDRESS_MAX = 8 << 10 };

#define CALLBACK "/callback"

extern char **environ;

/* ---- the port ------------------------------------------------------------------ */

static int port_of(const char *uri)
{
	int port = 0, end = 0;

	if (sscanf(uri, "http://127.0.0.1:%5d" CALLBACK "%n", &port, &end) != 1 || !end ||
	    uri[end] != '\0' || port < 1 || port > 65535)
		return 0;
	return port;
}

static int mcp_browse_listen_at(int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
	    listen(fd, 8) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int browse_open(struct browse *b, int port, const char *before, struct error *err)
{
	struct sockaddr_in at = { 0 };
	socklen_t len = sizeof at;
	int last = port ? 0 : port_of(before);

	b->listener = last ? mcp_browse_listen_at(last) : -1;
	if (b->listener < 0)
		b->listener = mcp_browse_listen_at(port);
	if (b->listener < 0 ||
	    getsockname(b->listener, (struct sockaddr *)&at, &len) != 0)
		return fail(err, MT_EIO, "cannot listen on port %d: %s", port,
			    strerror(errno));
	snprintf(b->redirect_uri, sizeof b->redirect_uri, "http://127.0.0.1:%d" CALLBACK,
		 ntohs(at.sin_port));
	return MT_OK;
}

void browse_close(struct browse *b)
{
	if (b->listener >= 0)
		close(b->listener);
	b->listener = -1;
}

/* ---- the browser ------------------------------------------------------------------ */

/* Open $BROWSER, or the desktop's default browser. Success is not checked. */
static void open_browser(const char *url)
{
	const char *program = getenv("BROWSER");
	bool desktop = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
	char *argv[] = { (char *)(uintptr_t)(program && *program ? program : "xdg-open"),
			 (char *)(uintptr_t)url, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (!desktop && !(program && *program))
		return;
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null",
						 fd ? O_WRONLY : O_RDONLY, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		fprintf(stderr, "(Cannot start %s.)\n", argv[0]);
	posix_spawn_file_actions_destroy(&actions);
}

/* ---- the redirect ------------------------------------------------------------------ */

static bool has_state(const char *url, const char *state)
{
	AUTO(strbuf) struct strbuf want = STRBUF(512);
	const char *at;
	size_t len;

	if (strbuf_addf(&want, "state=%s", state))
		return false;
	len = want.len;
	for (at = strstr(url, want.text); at; at = strstr(at + 1, want.text))
		if (at > url && strchr("?&", at[-1]) &&
		    (!at[len] || strchr("&#", at[len])))
			return true;
	return false;
}

static void browse_reply(int fd, const char *status, const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(4096);

	strbuf_addf(&b,
		    "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
		    "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
		    status, strlen(text), text);
	file_write_all(fd, b.text, b.len);
}

/* Extract the target of a GET for the callback from the head of a request; owned. */
static char *mcp_browse_target_of(char *head)
{
	size_t want = strlen("GET " CALLBACK "?");
	char *end = strpbrk(head, "\r\n");

	if (end)
		*end = '\0';
	end = strrchr(head, ' ');
	if (strncmp(head, "GET " CALLBACK "?", want) != 0 || !end || end <= head + want)
		return NULL;
	return strndup(head + 4, (size_t)(end - head - 4));
}

static char *serve_one(struct browse *b, const char *state)
{
	AUTO(strbuf) struct strbuf head = STRBUF(REQUEST_MAX), url = STRBUF(REQUEST_MAX);
	AUTO(close) int fd = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC);
	const struct timeval patience = { .tv_sec = REQUEST_MS / 1000 };
	AUTO(free) char *target = NULL;
	char bytes[4096];
	ssize_t n;

	if (fd < 0)
		return NULL;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	while (!strstr(head.text, "\r\n\r\n") &&
	       (n = recv(fd, bytes, sizeof bytes, 0)) > 0)
		if (strbuf_addn(&head, bytes, (size_t)n))
			break;
	target = head.len ? mcp_browse_target_of(head.text) : NULL;
	if (!target || !has_state(target, state)) {
		browse_reply(fd, "404 Not Found", "Not found.\n");
		return NULL;
	}
	browse_reply(fd, "200 OK",
		     "Login complete. You can close this window and return to the "
		     "terminal.\n");
	strbuf_addf(&url, "%.*s%s", (int)(strlen(b->redirect_uri) - strlen(CALLBACK)),
		    b->redirect_uri, target);
	return strbuf_take(&url);
}

/* Input of the user. @return false: end of input. */
static bool read_typed(struct strbuf *typed, const char *state, char **ret)
{
	char bytes[1024];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
	char *end;

	if (n <= 0 || strbuf_addn(typed, bytes, (size_t)n))
		return false;
	while ((end = strchr(typed->text, '\n'))) {
		size_t len = (size_t)(end - typed->text);

		while (len && strchr(" \r", typed->text[len - 1]))
			len--;
		typed->text[len] = '\0';
		if (has_state(typed->text, state))
			*ret = strdup(typed->text);
		else if (len)
			fputs("This is not the expected URL, which contains `state=`.\n",
			      stderr);
		strbuf_consume(typed, (size_t)(end - typed->text) + 1);
	}
	return true;
}

char *browse_visit(struct browse *b, const char *url, const char *state,
		   int64_t patience_ms, struct error *err)
{
	AUTO(strbuf) struct strbuf typed = STRBUF(ADDRESS_MAX);
	int64_t end = clock_ms() + patience_ms;
	bool types = true;
	char *answer = NULL;

	fprintf(stderr,
		"To log in, open this URL in a browser:\n"
		"\n"
		"  %s\n"
		"\n"
		"If the browser is on another machine, paste the final URL here.\n",
		url);
	open_browser(url);
	while (!answer) {
		struct pollfd p[] = { { .fd = b->listener, .events = POLLIN },
				      { .fd = types ? STDIN_FILENO : -1, .events = POLLIN } };
		int64_t left = end - clock_ms();

		if (left <= 0) {
			fail(err, MT_ETIMEOUT, "no login within %lld s",
			     (long long)(patience_ms / 1000));
			return NULL;
		}
		if (poll(p, 2, (int)left) < 0 && errno != EINTR)
			break;
		if (p[0].revents)
			answer = serve_one(b, state);
		if (!answer && p[1].revents)
			types = read_typed(&typed, state, &answer);
	}
	return answer;
}
