/* SPDX-License-Identifier: MIT
 *
 * test-lines.c - a runner spoken to line by line: faults in the protocol, the
 * window, and attaching again after the line was cut. */
#include "js.h"
#include "kit.h"
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

struct raw {
	pid_t pid;
	int in, out;
	struct strbuf got;
};

static void raw_start(struct raw *r)
{
	char *argv[] = { kit_runner(), NULL };
	int in[2], out[2];

	*r = (struct raw){ .got = STRBUF(64 << 20) };
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		exit(1);
	r->pid = fork();
	if (r->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execve(argv[0], argv, kit_env());
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	r->in = in[1];
	r->out = out[0];
}

static void raw_cut(struct raw *r)
{
	close(r->in);
	if (r->out != r->in)
		close(r->out);
	strbuf_reset(&r->got);
}

static int raw_end(struct raw *r)
{
	int status = -1;

	raw_cut(r);
	strbuf_clear(&r->got);
	waitpid(r->pid, &status, 0);
	return status;
}

static void say(struct raw *r, const char *line)
{
	size_t len = strlen(line);

	while (len) {
		ssize_t n = write(r->in, line, len);

		if (n < 0)
			return;
		line += n;
		len -= (size_t)n;
	}
	if (write(r->in, "\n", 1) != 1)
		return;
}

/* The next line, or "" after the last one. Borrowed until the next. */
static const char *hear(struct raw *r)
{
	static char line[1 << 17];
	const char *end;

	while (!(end = memchr(r->got.text, '\n', r->got.len))) {
		struct pollfd p = { .fd = r->out, .events = POLLIN };
		char buffer[4096];
		ssize_t n;

		if (poll(&p, 1, PATIENCE_MS) <= 0)
			return "";
		n = read(r->out, buffer, sizeof buffer);
		if (n <= 0)
			return "";
		strbuf_addn(&r->got, buffer, (size_t)n);
	}
	snprintf(line, sizeof line, "%.*s", (int)(end - r->got.text), r->got.text);
	strbuf_consume(&r->got, (size_t)(end - r->got.text) + 1);
	return line;
}

static const char *hello(const char *more)
{
	static char line[4096];

	snprintf(line, sizeof line,
		 "{\"id\":\"hello\",\"method\":\"hello\",\"params\":"
		 "{\"protocol\":\"mortise-runner/1\",\"workspace\":\"/"
		 "tmp\",\"spool_dir\":\"%s\","
		 "\"instances\":[{\"name\":\"bad\",\"plugin\":\"%s\"},{\"name\":\"many\","
		 "\"plugin\":\"%s\"}]%s}}",
		 kit_dir("spool"), plugin_path("bad.so"), plugin_path("many.so"), more);
	return line;
}

static void check_faults(void)
{
	static const struct {
		const char *line, *answer; /* NULL: hello */
	} cases[] = {
		{ "{\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
		  "{\"id\":1,\"error\":{\"code\":-1,\"message\":\"hello must be sent first\"}}" },
		{ "{\"id\":1,\"method\":\"attach\",\"params\":{\"protocol\":\"mortise-"
		  "runner/1\"}}",
		  "no connection to attach to; send hello first" },
		{ "{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":\"mortise-"
		  "runner/2\"}}",
		  "this runner uses protocol mortise-runner/1, but the host uses mortise-runner/2; install the same version of both" },
		{ "{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":\"mortise-"
		  "runner/1\","
		  "\"limits\":{\"result_max\":1}}}",
		  "limit `result_max`: 1 is not between 1024 and 67108864" },
		{ "{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":\"mortise-"
		  "runner/1\","
		  "\"instances\":[{\"name\":\"a\"}]}}",
		  "hello has no `plugin`" },
		{ "{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":\"mortise-"
		  "runner/1\","
		  "\"instances\":[{\"name\":\"a\",\"plugin\":\"x\"},{\"name\":\"a\"}]}}",
		  "duplicate instance name `a`" },
		{ "{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":\"mortise-"
		  "runner/1\",\"environment\":{\"A=B\":\"c\"}}}",
		  "`A=B` is not a valid name of an environment variable" },
		{ "no json", "\"id\":null,\"error\"" },
		{ "[]", "\"id\":null,\"error\"" },
		{ "{}", "neither method nor result nor error" },
		{ "{\"id\":{},\"method\":\"hello\"}",
		  "an id must be an integer or a string" },
		{ NULL,
		  "{\"id\":\"hello\",\"result\":{\"protocol\":\"mortise-runner/1\"" },
		{ NULL, "hello was already received" },
		{ "{\"id\":\"x\",\"method\":\"tools/fly\"}", "unknown method" },
		{ "{\"id\":2,\"method\":\"tools/call\"}", "unknown toolset ``" },
		{ "{\"id\":2,\"method\":\"tools/"
		  "list\",\"params\":{\"instance\":\"many\"}}",
		  "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"meet\"" },
		{ "{\"method\":\"notifications/nothing\"}\n{\"id\":99,\"result\":{}}\n"
		  "{\"method\":\"notifications/"
		  "cancelled\",\"params\":{\"requestId\":55}}\n"
		  "{\"method\":\"notifications/window\",\"params\":{\"bytes\":-5}}\n\n"
		  "{\"id\":\"a\\nb\",\"method\":\"tools/"
		  "call\",\"params\":{\"instance\":\"bad\","
		  "\"name\":\"do\",\"arguments\":{\"what\":\"echo\",\"text\":\"ok\"}}}",
		  "{\"id\":\"a\\nb\",\"result\":{\"content\":[{\"type\":\"text\","
		  "\"text\":\"ok\"}],"
		  "\"isError\":false,\"status\":0}}" },
	};
	struct raw r;
	int status;

	raw_start(&r);
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		const char *answer;

		say(&r, cases[n].line ? cases[n].line : hello(""));
		answer = hear(&r);
		CHECK_MSG(strstr(answer, cases[n].answer), "line %zu: %.150s", n, answer);
	}
	status = raw_end(&r);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Without more window a large result stops, and small ones pass it. */
static void check_window(void)
{
	size_t chunks = 0, bytes = 0;
	const char *line = "";
	struct raw r;

	raw_start(&r);
	say(&r, hello(",\"limits\":{\"window\":65536}"));
	hear(&r);
	say(&r, "{\"id\":1,\"method\":\"tools/"
		"call\",\"params\":{\"instance\":\"bad\",\"name\":"
		"\"do\",\"arguments\":{\"what\":\"reply_flood\"}}}");
	while (bytes < 65536 && strstr(line = hear(&r), "notifications/chunk")) {
		chunks++;
		bytes += 32768;
	}
	CHECK_MSG(chunks == 2, "two chunks fit into the window");
	say(&r, "{\"id\":2,\"method\":\"tools/"
		"call\",\"params\":{\"instance\":\"bad\",\"name\":"
		"\"do\",\"arguments\":{\"what\":\"echo\",\"text\":\"overtakes\"}}}");
	line = hear(&r);
	CHECK_MSG(strstr(line, "{\"id\":2,") && strstr(line, "overtakes"), "%.80s", line);
	do {
		say(&r,
		    "{\"method\":\"notifications/window\",\"params\":{\"bytes\":32768}}");
		line = hear(&r);
		chunks += strstr(line, "notifications/chunk") != NULL;
	} while (strstr(line, "notifications/chunk"));
	CHECK(chunks == 32);
	CHECK(strstr(line,
		     "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"part\":0,"
		     "\"size\":1048576}]"));
	raw_end(&r);
}

static void attach(struct raw *r, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof a) < 0)
		printf("# %s: %s\n", path, strerror(errno));
	r->in = r->out = fd;
	say(r, "{\"id\":\"again\",\"method\":\"attach\",\"params\":{\"protocol\":"
	       "\"mortise-runner/1\"}}");
}

static void check_attach(void)
{
	char more[256], path[64];
	struct stat st;
	struct raw r;
	int status;

	snprintf(path, sizeof path, "/tmp/mortise-test-%d.sock", (int)getpid());
	snprintf(more, sizeof more, ",\"linger_ms\":60000,\"socket\":\"%s\"", path);
	raw_start(&r);
	say(&r, hello(more));
	CHECK(strstr(hear(&r), "\"result\""));
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
	say(&r, "{\"id\":1,\"method\":\"tools/"
		"call\",\"params\":{\"instance\":\"bad\",\"name\":"
		"\"do\",\"arguments\":{\"what\":\"echo\",\"text\":\"kept\"}}}");
	CHECK(strstr(hear(&r), "kept"));
	say(&r, "{\"id\":2,\"method\":\"tools/"
		"call\",\"params\":{\"instance\":\"bad\",\"name\":"
		"\"do\",\"timeout_ms\":-1,\"arguments\":{\"what\":\"ask\"}}}");
	CHECK(strstr(hear(&r), "\"method\":\"user/ask\""));
	raw_cut(&r);

	attach(&r, path);
	CHECK(strstr(hear(&r), "\"calls\":[2,1]"));
	CHECK_MSG(strstr(hear(&r), "{\"id\":1,\"call\":2,\"method\":\"user/ask\""),
		  "an open question is asked again");
	CHECK_MSG(strstr(hear(&r), "kept"), "a result without ack comes again");
	say(&r, "{\"id\":1,\"result\":{\"answer\":\"late\"}}");
	CHECK(strstr(hear(&r),
		     "{\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
		     "\"{\\\"answer\\\":\\\"late\\\"}\""));
	say(&r, "{\"method\":\"notifications/ack\",\"params\":{\"requestId\":1}}");
	raw_cut(&r);

	attach(&r, path);
	CHECK(strstr(hear(&r), "\"calls\":[2]"));
	CHECK(strstr(hear(&r), "{\"id\":2,\"result\""));
	say(&r, "{\"method\":\"notifications/ack\",\"params\":{\"requestId\":2}}");
	/* The newer one wins. */
	close(r.in);
	attach(&r, path);
	CHECK(strstr(hear(&r), "\"calls\":[]"));
	CHECK(kill(r.pid, SIGTERM) == 0);
	CHECK_STR(hear(&r), "");
	status = raw_end(&r);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(access(path, F_OK) != 0);
}

static void check_linger_ends(void)
{
	char more[256], path[64];
	struct raw r;
	int status;

	snprintf(path, sizeof path, "/tmp/mortise-test2-%d.sock", (int)getpid());
	snprintf(more, sizeof more, ",\"linger_ms\":100,\"socket\":\"%s\"", path);
	raw_start(&r);
	say(&r, hello(more));
	CHECK(strstr(hear(&r), "\"result\""));
	status = raw_end(&r);
	CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		  "it exits when no client connects");
	CHECK(access(path, F_OK) != 0);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	kit_env();
	check_faults();
	check_window();
	check_attach();
	check_linger_ends();
	CHECK(kit_all_gone());
	return tap_done();
}
