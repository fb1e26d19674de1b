/* SPDX-License-Identifier: MIT
 *
 * test-socket.c - the socket of a conversation: access, many clients, slow clients,
 * dead clients, files of dead processes; and the client side. */
#include "frontends/transport.h"
#include "client.h"
#include "frontends/socket-dir.h"
#include "frontends/protocol.h"
#include "frontends/server.h"
#include "fake.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

static uv_loop_t loop;
static char dir[200], runtime[230];

struct host {
	struct conversation *c;
	struct server *server;
	int stops, changes;
	bool ended;
};

static void on_stopped(void *arg)
{
	((struct host *)arg)->stops++;
}

static void on_changed(void *arg)
{
	((struct host *)arg)->changes++;
}

static void on_ended(void *arg)
{
	((struct host *)arg)->ended = true;
}

static void host_open(struct host *h)
{
	struct server_options o = {
		.hold = true, .changed = on_changed, .stopped = on_stopped, .arg = h
	};
	struct error err = ERROR_NONE;

	*h = (struct host){ .c = fake_new(dir) };
	if (server_open(&loop, h->c, &o, &h->server, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static void host_close(struct host *h)
{
	if (!h->ended)
		server_end(h->server, 0, on_ended, h);
	while (!h->ended)
		uv_run(&loop, UV_RUN_ONCE);
	fake_free(h->c);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Serve both sides until the condition holds; at most 20 seconds. */
#define UNTIL(peer, cond)                                                                \
	for (double end_ = seconds() + 120; !(cond) && seconds() < end_;)                 \
	both_sides(peer)

static void both_sides(struct client *p)
{
	struct pollfd fd = { .fd = p ? p->fd : -1, .events = p ? client_wants(p) : 0 };

	uv_run(&loop, UV_RUN_NOWAIT);
	if (poll(&fd, 1, 1) > 0)
		client_serve(p, fd.revents);
}

struct seen {
	struct strbuf text;
	size_t lines, bytes;
	int64_t next;
	bool in_order, end;
};

static void on_line(char *line, size_t len, void *arg)
{
	struct seen *seen = arg;

	seen->lines++;
	seen->bytes += len;
	if (strncmp(line, "{\"id\":", 6) == 0)
		seen->in_order &= strtoll(line + 6, NULL, 10) == seen->next++;
	seen->end |= strncmp(line, "{\"type\":\"end\"", 13) == 0;
	if (len < 4096 && seen->text.len < 1 << 20) {
		strbuf_addn(&seen->text, line, len);
		strbuf_addc(&seen->text, '\n');
	}
}

static struct seen seen_new(void)
{
	return (struct seen){ .text = STRBUF(4 << 20), .in_order = true };
}

static void join(struct host *h, struct client *p, struct seen *seen)
{
	struct error err = ERROR_NONE;

	if (client_open(p, conversation_id(h->c), &err))
		printf("# %s\n", err.text);
	p->on_line = on_line;
	p->arg = seen;
	UNTIL(p, p->hello || p->over);
}

static void say(struct client *p, const char *line)
{
	client_line(p, line, strlen(line));
}

/* ---- tests ----------------------------------------------------------------- */

static void test_session(void)
{
	struct seen seen = seen_new();
	struct client p, second;
	struct stat st;
	struct host h;
	char path[512];

	host_open(&h);
	snprintf(path, sizeof path, "%s/mortise/%s.sock", runtime, conversation_id(h.c));
	CHECK_MSG(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "0600");
	snprintf(path, sizeof path, "%s/mortise", runtime);
	CHECK_MSG(stat(path, &st) == 0 && (st.st_mode & 07777) == 0700,
		  "in a 0700 directory");
	join(&h, &p, &seen);
	CHECK(p.hello && js_int(p.hello, "pid", 0) == getpid() && p.pid == getpid());
	CHECK(server_clients(h.server) == 1 && h.changes == 1);
	say(&p, "{\"type\":\"subscribe\",\"since\":-1}");
	say(&p, "{\"type\":\"message\",\"text\":\"hello\",\"id\":\"m\"}");
	UNTIL(&p, strstr(seen.text.text, "\"id\":\"m\",\"ok\":true"));
	CHECK(strstr(seen.text.text, "\"content\":\"hello\""));
	say(&p, "{\"type\":\"pause\",\"id\":2}");
	UNTIL(&p, strstr(seen.text.text, "\"id\":2,\"ok\":true"));
	CHECK(strstr(seen.text.text, "\"state\":\"paused\""));
	join(&h, &second, &seen);
	say(&second, "{\"type\":\"stop\"}");
	UNTIL(&second, h.stops == 1);
	UNTIL(&p, strstr(seen.text.text, "\"state\":\"stopped\""));
	CHECK_MSG(h.stops == 1, "both see what one does");
	client_close(&second);
	UNTIL(NULL, server_clients(h.server) == 1);
	CHECK_MSG(server_clients(h.server) == 1, "one leaves");
	server_end(h.server, 130, on_ended, &h);
	UNTIL(&p, h.ended && p.over);
	CHECK_MSG(seen.end && strstr(seen.text.text, "\"exit_code\":130}"),
		  "the end is reported");
	client_close(&p);
	snprintf(path, sizeof path, "%s/mortise/%s.sock", runtime, conversation_id(h.c));
	CHECK_MSG(stat(path, &st) < 0, "and the file is gone");
	host_close(&h);
	strbuf_clear(&seen.text);
}

static void test_many(void)
{
	struct seen seen = seen_new();
	struct client peers[20];
	size_t in = 0, out = 0;
	struct host h;

	host_open(&h);
	for (int i = 0; i < 20; i++) {
		join(&h, &peers[i], &seen);
		in += peers[i].hello != NULL;
		out += peers[i].refused.code &&
		       strstr(peers[i].refused.text, "16 clients");
	}
	CHECK_MSG(in == 16 && out == 4, "16 of 20 are accepted, the others are refused");
	for (int i = 0; i < 20; i++)
		client_close(&peers[i]);
	UNTIL(NULL, server_clients(h.server) == 0);
	join(&h, &peers[0], &seen);
	CHECK_MSG(peers[0].hello, "places are free again");
	client_close(&peers[0]);
	host_close(&h);
	strbuf_clear(&seen.text);
}

/* Bytes of this process that are in memory. */
static size_t resident(void)
{
	unsigned long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%lu %lu", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4096;
}

static void test_slow(void)
{
	enum { MANY = 12800, SIZE = 8192 };
	struct seen seen = seen_new(), quick = seen_new();
	struct client slow, fast;
	struct host h;
	char text[SIZE];
	size_t before;

	memset(text, 's', sizeof text);
	host_open(&h);
	join(&h, &slow, &seen);
	join(&h, &fast, &quick);
	say(&slow, "{\"type\":\"subscribe\",\"since\":-1,\"live\":true}");
	say(&fast, "{\"type\":\"subscribe\",\"since\":-1}");
	UNTIL(&slow, seen.lines == 2);
	UNTIL(&fast, quick.lines == 2);
	before = resident();
	for (int i = 0; i < MANY; i++) {
		fake_say(h.c, text, sizeof text);
		FAKE_TELL(h.c, output, 1, text, sizeof text);
		if (i % 16 == 0)
			both_sides(&fast);
	}
	UNTIL(&fast, quick.next == MANY);
	CHECK_MSG(quick.next == MANY && quick.in_order, "one who reads is not held up");
	printf("# memory grew by %zu KiB\n", (resident() - before) / 1024);
#ifndef __SANITIZE_ADDRESS__
	CHECK_MSG(resident() < before + (48 << 20),
		  "100 MB for one who does not read are not "
		  "kept in memory");
#endif
	UNTIL(&slow, seen.next == MANY);
	CHECK_MSG(seen.next == MANY && seen.in_order, "who reads late gets every event");
	CHECK_MSG(strstr(seen.text.text, "were dropped"), "and hears what was left out");
	client_close(&fast);
	client_close(&slow);
	host_close(&h);
	strbuf_clear(&seen.text);
	strbuf_clear(&quick.text);
}

static void test_rude(void)
{
	static const char *const rude[] = {
		"{\"type\":\"mess",
		"\0\0\0\n",
		"\n\n\n",
		"GET / HTTP/1.1\r\n\r\n",
		"{\"type\":\"subscribe\",\"since\":-1}\n{\"type\":\"sta",
	};
	struct seen seen = seen_new();
	struct host h;
	struct client p;
	int fd;

	host_open(&h);
	for (int i = 0; i < 100; i++)
		fake_say(h.c, "some words", 10);
	for (size_t i = 0; i < ARRAY_LEN(rude); i++) {
		if (socket_dir_connect(conversation_id(h.c), &fd, NULL, NULL))
			continue;
		if (send(fd, rude[i], i == 1 ? 4 : strlen(rude[i]), MSG_NOSIGNAL) < 0)
			puts("# not sent");
		both_sides(NULL);
		close(fd); /* without reading */
	}
	join(&h, &p, &seen);
	say(&p, "nonsense");
	UNTIL(&p, strstr(seen.text.text, "\"ok\":false"));
	CHECK_MSG(strstr(seen.text.text, "\"ok\":false"),
		  "who comes after them is served");
	UNTIL(NULL, server_clients(h.server) == 1);
	CHECK_MSG(server_clients(h.server) == 1, "and they are gone");
	client_close(&p);
	host_close(&h);
	strbuf_clear(&seen.text);
}

/* Endless commands from a client that never reads the results. */
static void test_flood(void)
{
	static const char command[] = "{\"type\":\"status\"}\n";
	size_t sent = 0, before;
	struct host h;
	ssize_t n = 0;
	int fd = -1;

	host_open(&h);
	before = resident();
	socket_dir_connect(conversation_id(h.c), &fd, NULL, NULL);
	for (int idle = 0; idle < 200 && sent < 64 << 20;) {
		n = send(fd, command, sizeof command - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			sent += (size_t)n;
			idle = 0;
		} else {
			idle++;
			both_sides(NULL);
		}
	}
	CHECK_MSG(sent < 8 << 20,
		  "it is not read from while it does not read (%zu bytes)", sent);
#ifndef __SANITIZE_ADDRESS__
	CHECK(resident() < before + (48 << 20));
#else
	(void)before;
#endif
	server_end(h.server, 0, on_ended, &h);
	UNTIL(NULL, h.ended);
	CHECK_MSG(h.ended, "and not waited for at the end");
	close(fd);
	host_close(&h);
}

/* ---- places ---------------------------------------------------------------- */

static void test_places(void)
{
	struct error err = ERROR_NONE;
	struct socket_file place, other;
	int fd = -1, second = -1;
	char path[512], **ids;
	struct stat st;
	size_t count;
	pid_t pid;

	CHECK(socket_dir_connect("missing", &fd, NULL, &err) == MT_ENOTFOUND);
	CHECK(socket_dir_connect("../x", &fd, NULL, NULL) == MT_EINVAL);
	CHECK(socket_dir_connect("", &fd, NULL, NULL) == MT_EINVAL);
	pid = fork();
	if (pid == 0)
		_exit(socket_dir_listen("left", 4, &place, &fd, NULL)); /* and dies */
	waitpid(pid, NULL, 0);
	snprintf(path, sizeof path, "%s/mortise/left.sock", runtime);
	CHECK(stat(path, &st) == 0);
	CHECK(socket_dir_list(&ids, &count, NULL) == MT_OK && count == 1 &&
	      strcmp(ids[0], "left") == 0);
	socket_dir_free_list(ids, count);
	CHECK(socket_dir_connect("left", &fd, NULL, NULL) == MT_ENOTFOUND);
	CHECK_MSG(stat(path, &st) < 0, "what a dead process left is removed");
	pid = fork();
	if (pid == 0)
		_exit(socket_dir_listen("left", 4, &place, &fd, NULL));
	waitpid(pid, NULL, 0);
	CHECK_MSG(socket_dir_listen("left", 4, &place, &fd, NULL) == MT_OK,
		  "or replaced");
	CHECK(socket_dir_listen("left", 4, &other, &second, NULL) == MT_EEXIST);
	socket_dir_remove(&place);
	socket_dir_remove(&place);
	CHECK(stat(path, &st) < 0);
	close(fd);
}

static void test_dir(void)
{
	char path[512], deep[1024], **ids;
	struct error err = ERROR_NONE;
	struct socket_file place;
	size_t len, count;
	int fd, client;

	snprintf(path, sizeof path, "%s/mortise", runtime);
	chmod(path, 0755);
	CHECK(socket_dir_listen("x", 4, &place, &fd, &err) == MT_EDENIED);
	CHECK(strstr(err.text, "only you can access"));
	chmod(path, 0700);
	len = (size_t)snprintf(deep, sizeof deep, "%s", runtime);
	while (len < 400) {
		len += (size_t)snprintf(deep + len, sizeof deep - len,
					"/a-long-name-of-a-directory");
		mkdir(deep, 0700);
	}
	setenv("XDG_RUNTIME_DIR", deep, 1);
	CHECK_MSG(socket_dir_listen("x", 4, &place, &fd, NULL) == MT_OK,
		  "a path longer than sun_path");
	CHECK(socket_dir_connect("x", &client, NULL, NULL) == MT_OK);
	CHECK(socket_dir_list(&ids, &count, NULL) == MT_OK && count == 1);
	socket_dir_free_list(ids, count);
	socket_dir_remove(&place);
	close(fd);
	close(client);
	setenv("XDG_RUNTIME_DIR", runtime, 1);
}

static void test_tool(void)
{
	struct seen seen = seen_new();
	struct client p;
	struct host h;

	host_open(&h);
	h.c->runner_pid = getpid(); /* we are the runner, then */
	join(&h, &p, &seen);
	CHECK(p.refused.code && strstr(p.refused.text, "a tool cannot drive"));
	client_close(&p);
	CHECK(socket_dir_descends(getpid(), getppid()));
	CHECK(!socket_dir_descends(getppid(), getpid()));
	CHECK(!socket_dir_descends(getpid(), -1));
	CHECK_MSG(socket_dir_descends(999999999, getpid()),
		  "one that is gone is not trusted");
	host_close(&h);
	strbuf_clear(&seen.text);
}

/* ---- standard input and output, so to speak --------------------------------- */

struct ends {
	bool over, lost, closed;
};

static void on_over(void *arg)
{
	((struct ends *)arg)->over = true;
}

static void on_lost(void *arg)
{
	((struct ends *)arg)->lost = true;
}

static void on_closed(void *arg)
{
	((struct ends *)arg)->closed = true;
}

static struct transport_options options_for(struct ends *ends)
{
	return (struct transport_options){ .session = { .from = 0 },
					   .input_over = on_over,
					   .lost = on_lost,
					   .closed = on_closed,
					   .arg = ends };
}

static void test_pipes(void)
{
	struct ends ends = { 0 };
	struct transport_options o = options_for(&ends);
	struct conversation *c = fake_new(dir);
	struct transport *ch = NULL;
	char got[65536];
	int in[2], out[2];
	ssize_t n;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		abort();
	CHECK(transport_open(&loop, c, in[0], out[1], &o, &ch, NULL) == MT_OK);
	transport_start(ch);
	if (write(in[1], "{\"type\":\"message\",\"text\":\"x\"}\n{\"ty", 35) != 35)
		abort();
	close(in[1]);
	UNTIL(NULL, ends.over);
	CHECK_MSG(ends.over && !ends.closed, "the end of the input is not the end");
	n = read(out[0], got, sizeof got - 1);
	got[n > 0 ? n : 0] = '\0';
	CHECK(strstr(got, "hello") && strstr(got, "\"content\":\"x\"") &&
	      strstr(got, "\"ok\":true"));
	close(out[0]);
	fake_say(c, "it is unread", 12);
	UNTIL(NULL, ends.lost);
	CHECK_MSG(ends.lost && !ends.closed, "a closed output is reported");
	transport_end(ch, 0);
	UNTIL(NULL, ends.closed);
	CHECK(ends.closed);
	fake_free(c);
}

static void test_files(void)
{
	struct ends ends = { 0 };
	struct transport_options o = options_for(&ends);
	struct conversation *c = fake_new(dir);
	struct transport *ch = NULL;
	AUTO(free) char *got = NULL;
	char in[256], out[256];
	size_t len;

	snprintf(in, sizeof in, "%s/in", dir);
	snprintf(out, sizeof out, "%s/out", dir);
	file_write(in, "{\"type\":\"message\",\"text\":\"x\"}\nbad\n", 34, 0600, false,
		   NULL);
	CHECK(transport_open(&loop, c, open(in, O_RDONLY | O_CLOEXEC),
			     open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
			     &o, &ch, NULL) == MT_OK);
	CHECK_MSG(!ends.over, "nothing is read before it starts");
	transport_start(ch);
	CHECK(ends.over);
	transport_end(ch, 8);
	UNTIL(NULL, ends.closed);
	file_read(out, 1 << 20, &got, &len, NULL);
	CHECK(got && strstr(got, "\"content\":\"x\"") && strstr(got, "\"ok\":false") &&
	      strstr(got, "\"exit_code\":8"));
	fake_free(c);
}

static void test_full(void)
{
	struct ends ends = { 0 };
	struct transport_options o = options_for(&ends);
	struct conversation *c = fake_new(dir);
	struct transport *ch = NULL;

	CHECK(transport_open(&loop, c, -1, open("/dev/full", O_WRONLY | O_CLOEXEC), &o,
			     &ch, NULL) == MT_OK);
	CHECK_MSG(ends.lost, "a full disk is reported");
	fake_say(c, "x", 1);
	transport_end(ch, 0);
	UNTIL(NULL, ends.closed);
	CHECK(ends.closed);
	fake_free(c);
}

int main(void)
{
	const char *home = getenv("HOME");

	snprintf(dir, sizeof dir, "%.150s/fe-%d", home ? home : ".", (int)getpid());
	snprintf(runtime, sizeof runtime, "%s/run", dir);
	dir_make(runtime, NULL);
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	signal(SIGPIPE, SIG_IGN);
	uv_loop_init(&loop);
	test_places();
	test_dir();
	test_session();
	test_many();
	test_slow();
	test_rude();
	test_flood();
	test_tool();
	test_pipes();
	test_files();
	test_full();
	uv_run(&loop, UV_RUN_DEFAULT);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
	dir_remove(dir, NULL);
	return tap_done();
}
