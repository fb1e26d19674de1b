/* SPDX-License-Identifier: MIT
 *
 * bad.c - a toolset for tests: `do` does what its argument says, mostly
 * misbehavior. Never installed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mortise/extensions.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef const struct mt_tool_host host_t;

static int crash(host_t *host, struct mt_call *call)
{
	(void)host, (void)call;
	raise(SIGSEGV);
	return MT_OK;
}

static int wild(host_t *host, struct mt_call *call)
{
	(void)host, (void)call;
	((char *)(uintptr_t)&wild)[0] = 1; /* code is not for writing */
	return MT_OK;
}

static int abort_(host_t *host, struct mt_call *call)
{
	(void)host, (void)call;
	abort();
}

static int hang(host_t *host, struct mt_call *call)
{
	host->output(call, "hanging", 7);
	while (pause())
		;
	return MT_OK;
}

static int spin(host_t *host, struct mt_call *call)
{
	(void)host, (void)call;
	for (volatile unsigned n = 1; n; n |= 1)
		;
	return MT_OK;
}

static int end(host_t *host, struct mt_call *call)
{
	(void)host, (void)call;
	exit(0);
}

static int print(host_t *host, struct mt_call *call)
{
	puts("{\"id\":1,\"result\":{}}");
	puts("words on standard output");
	fputs("words on standard error\n", stderr);
	return host->reply(call, "printed");
}

static int print_flood(host_t *host, struct mt_call *call)
{
	for (int n = 0; n < 200000; n++)
		printf("line %d of very many\n", n);
	return host->reply(call, "printed");
}

/* A gigabyte in pieces, without ever looking at the status. */
static int reply_flood(host_t *host, struct mt_call *call)
{
	static char piece[1 << 16];

	memset(piece, 'r', sizeof piece);
	for (int n = 0; n < 1 << 14; n++)
		host->reply_text(call, piece, sizeof piece);
	return MT_OK;
}

static int output_flood(host_t *host, struct mt_call *call)
{
	static char piece[1 << 16];

	memset(piece, 'o', sizeof piece);
	for (int n = 0; n < 1 << 14 && !host->cancelled(call); n++)
		host->output(call, piece, sizeof piece);
	return host->reply(call, "flooded");
}

static int spool_flood(host_t *host, struct mt_call *call)
{
	static char piece[1 << 16];
	int full = 0;

	memset(piece, 's', sizeof piece);
	for (int n = 0; n < 1 << 14; n++)
		full |= host->spool(call, piece, sizeof piece) == MT_ELIMIT;
	return host->reply(call, "spooled to %s%s", host->spool_path(call),
			   full ? ", full" : "");
}

static int leak(host_t *host, struct mt_call *call)
{
	int fd, n = 0;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	return host->fail(call, MT_EIO, "no descriptor is left: %s", strerror(errno));
}

static int close_all(host_t *host, struct mt_call *call)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	return host->reply(call, "all is closed");
}

static int scribble(host_t *host, struct mt_call *call)
{
	for (int fd = 3; fd < 16; fd++)
		if (write(fd, "garbage, not a frame of any kind", 32) < 0)
			continue;
	return host->reply(call, "scribbled");
}

static int free_early(host_t *host, struct mt_call *call)
{
	char *text = strdup("a text that is gone at once");

	host->reply_text(call, text, strlen(text));
	host->field(call, "kept", "\"a value\"", 9);
	memset(text, 'X', strlen(text));
	free(text);
	return MT_OK;
}

static int memory(host_t *host, struct mt_call *call)
{
	size_t total = 0;
	char *p;

	while ((p = malloc(1 << 24)) && total < (size_t)8 << 30) {
		memset(p, 1, 4096);
		total += 1 << 24;
	}
	return host->fail(call, MT_ENOMEM, "no memory is left");
}

/* An answer when no memory is left, without looking at the status. */
static int reply_without_memory(host_t *host, struct mt_call *call)
{
	static char text[900000];
	struct block {
		struct block *next;
	} *all = NULL, *b;
	size_t total = 0;

	memset(text, 'r', sizeof text);
	for (size_t size = 1 << 24; size >= 1 << 10; size /= 4)
		for (; total < (size_t)1 << 30 && (b = malloc(size)); total += size) {
			b->next = all;
			all = b;
		}
	host->reply_text(call, text, sizeof text);
	for (; all; all = b) {
		b = all->next;
		free(all);
	}
	return MT_OK;
}

/* A shell command that tries to escape. */
static int start(host_t *host, struct mt_call *call)
{
	const char *command = host->arg_str(call, "command", NULL);
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	host->reply(call, "%d", (int)pid);
	return MT_OK;
}

/* Away by fork alone: no program, no environment of its own. */
static int daemon_(host_t *host, struct mt_call *call)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
	return host->reply(call, "started");
}

static int start_and_crash(host_t *host, struct mt_call *call)
{
	start(host, call);
	/* Waits for the file that the command creates. */
	for (int n = 0; n < 500 && access(host->arg_str(call, "file", NULL), F_OK); n++)
		poll(NULL, 0, 10);
	return crash(host, call);
}

static int echo(host_t *host, struct mt_call *call)
{
	const char *text = host->arg_str(call, "text", NULL);

	return host->reply(call, "%s", text ? text : "");
}

static int bytes(host_t *host, struct mt_call *call)
{
	return host->reply_text(call, "bad \xff\xc3( bytes \xe2\x82", 16);
}

static int image(host_t *host, struct mt_call *call)
{
	static unsigned char picture[100000];

	for (size_t n = 0; n < sizeof picture; n++)
		picture[n] = (unsigned char)(n * 7 + n / 251);
	host->reply(call, "a picture");
	return host->reply_media(call, "image/png", picture, sizeof picture);
}

static int ask(host_t *host, struct mt_call *call)
{
	const char *method = host->arg_str(call, "method", NULL);
	struct mt_str params = { NULL, 0 }, result;
	int status;

	params.ptr = host->arg_json(call, "params", &params.len);
	status = host->request(call, method ? method : "user/ask", params, &result);
	if (status)
		return host->fail(call, status, "refused: %.*s", (int)result.len,
				  result.ptr);
	return host->reply_text(call, result.ptr, result.len);
}

/* Requests that are open at once: their answers in the order in which they come. */
static int ask_many(host_t *host, struct mt_call *call)
{
	const struct mt_requests_draft_1 *r = host->extension(MT_REQUESTS_DRAFT_1);
	struct mt_str params = MT_STR("{}"), none = { NULL, 0 };
	struct mt_answer_draft_1 a;
	uint64_t numbers[MT_REQUESTS_MAX], further;
	int status;

	if (r->wait(call, -1, &a) != MT_ENOTFOUND)
		return host->fail(call, MT_EINVAL, "something is open at first");
	for (int n = 0; n < MT_REQUESTS_MAX; n++) {
		status = r->submit(call, "user/ask", params, &numbers[n]);
		if (status)
			return host->fail(call, status, "not submitted");
	}
	if (r->submit(call, "user/ask", params, &further) != MT_ELIMIT ||
	    host->request(call, "user/ask", params, &none) != MT_ELIMIT ||
	    r->submit(call, "", params, &further) != MT_EINVAL ||
	    r->wait(call, 0, &a) != MT_ETIMEOUT || r->wait(call, 1, &a) != MT_ETIMEOUT)
		return host->fail(call, MT_EINVAL, "the limits do not hold");
	host->output(call, "submitted", 9);
	while (!(status = r->wait(call, 60000, &a)))
		for (int n = 0; n < MT_REQUESTS_MAX; n++)
			if (numbers[n] == a.number)
				host->reply(call, "%d%s%d%.*s ", n,
					    a.flags & MT_ANSWER_PIECE ? "~" : "=",
					    a.status, (int)a.text.len, a.text.ptr);
	return status == MT_ENOTFOUND ? MT_OK : status;
}

static int wait_cancel(host_t *host, struct mt_call *call)
{
	struct pollfd p = { .fd = host->cancel_fd(call), .events = POLLIN };

	host->output(call, "waiting", 7);
	host->spool(call, "waited", 6);
	poll(&p, 1, -1);
	host->reply(call, "what there was");
	return MT_ECANCELLED;
}

/* The child returns from the call, too. */
static int return_twice(host_t *host, struct mt_call *call)
{
	pid_t child = fork();

	if (child < 0)
		return host->fail(call, MT_EIO, "%s", strerror(errno));
	for (int n = 0; child && n < 500 && !waitpid(child, NULL, WNOHANG); n++)
		usleep(10000);
	return host->reply(call, child ? "from the parent" : "from the child");
}

static int end_thread(host_t *host, struct mt_call *call)
{
	(void)host, (void)call;
	pthread_exit(NULL);
}

/* 30 MiB, while the supervisor is stopped. */
static int write_unseen(host_t *host, struct mt_call *call)
{
	struct pollfd p = { .fd = host->cancel_fd(call), .events = POLLIN };
	const char *dir = host->arg_str(call, "dir", NULL);
	static char bytes[1 << 20];
	pid_t supervisor = getppid();
	int fd;

	kill(supervisor, SIGSTOP);
	fd = open(dir ? dir : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	for (int n = 0; fd >= 0 && n < 30 && write(fd, bytes, sizeof bytes) > 0; n++)
		;
	kill(supervisor, SIGCONT);
	if (fd < 0)
		return host->fail(call, MT_EIO, "%s", strerror(errno));
	poll(&p, 1, 20000);
	close(fd);
	return host->reply(call, "written");
}

static int live(host_t *host, struct mt_call *call)
{
	host->progress(call, 1, 4, "one of four");
	host->output(call, "first ", 6);
	host->output(call, "caf\xc3", 4);
	host->output(call, "\xa9 last", 6);
	return host->reply(call, "done");
}

static int places(host_t *host, struct mt_call *call)
{
	char here[4096];

	return host->reply(call, "%s", getcwd(here, sizeof here));
}

static int descriptors(host_t *host, struct mt_call *call)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return host->reply(call, "%d", n - 3);
}

static int pid(host_t *host, struct mt_call *call)
{
	return host->reply(call, "%d", (int)getpid());
}

static int odd_status(host_t *host, struct mt_call *call)
{
	host->reply(call, "text before");
	return 17;
}

static int fail_after_text(host_t *host, struct mt_call *call)
{
	host->reply(call, "text before");
	return host->fail(call, MT_ENOTFOUND, "there is no %s", "such thing");
}

static const struct {
	const char *name;
	int (*run)(host_t *host, struct mt_call *call);
} deeds[] = {
	{ "crash", crash }, { "wild", wild }, { "abort", abort_ }, { "hang", hang },
	{ "spin", spin }, { "exit", end }, { "print", print },
	{ "print_flood", print_flood }, { "reply_flood", reply_flood },
	{ "output_flood", output_flood }, { "spool_flood", spool_flood },
	{ "leak", leak }, { "close_all", close_all }, { "scribble", scribble },
	{ "free_early", free_early }, { "memory", memory },
	{ "reply_without_memory", reply_without_memory }, { "start", start },
	{ "daemon", daemon_ }, { "start_and_crash", start_and_crash }, { "echo", echo },
	{ "bytes", bytes }, { "image", image }, { "ask", ask },
	{ "ask_many", ask_many },
	{ "wait_cancel", wait_cancel }, { "write_unseen", write_unseen },
	{ "live", live }, { "places", places },
	{ "descriptors", descriptors }, { "pid", pid }, { "odd_status", odd_status },
	{ "fail_after_text", fail_after_text }, { "return_twice", return_twice },
	{ "end_thread", end_thread },
};

static int run(host_t *host, void *self, struct mt_call *call)
{
	const char *what = host->arg_str(call, "what", NULL);

	(void)self;
	for (size_t n = 0; what && n < sizeof deeds / sizeof deeds[0]; n++)
		if (strcmp(deeds[n].name, what) == 0)
			return deeds[n].run(host, call);
	return host->fail(call, MT_EINVAL, "no deed is named so");
}

MT_TOOL(run, "bad", .name = "do", .description = "Misbehave.",
	.schema = "{\"type\":\"object\",\"properties\":{\"what\":{\"type\":\"string\"}}}")
