/* SPDX-License-Identifier: MIT
 *
 * floor-browser.c - measures the minimum cost of a step in a browser: a bare client of
 * Chromium's protocol that clicks a button, then asks for the boxes and the accessibility
 * tree of the page, and reads none of it.
 *
 *   floor-browser CHROMIUM DIR PAGE STEPS
 *
 * Prints the median in microseconds. The button is where PAGE has it: at 20, 20. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int in, out, last;
static pid_t browser;
static char *bytes, session[128];
static size_t have, room;

static void die(const char *what)
{
	fprintf(stderr, "floor-browser: %s\n", what);
	kill(-browser, SIGKILL);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The next message, valid until the next call. */
static const char *next(void)
{
	static size_t used;
	char *end;

	memmove(bytes, bytes + used, have -= used);
	used = 0;
	while (!(end = memchr(bytes + used, '\0', have - used))) {
		ssize_t n;

		used = have;
		if (room - have < 65536 && !(bytes = realloc(bytes, room = 2 * room)))
			die("out of memory");
		n = read(in, bytes + have, room - have);
		if (n <= 0)
			die("the browser ended");
		have += (size_t)n;
	}
	used = (size_t)(end - bytes) + 1;
	return bytes;
}

static void tell(const char *method, const char *params)
{
	char text[2048];
	int n = snprintf(text, sizeof text, "{\"id\":%d,\"method\":\"%s\"%s%s%s%s}",
			 ++last, method, *session ? ",\"sessionId\":\"" : "", session,
			 *session ? "\"," : ",", params);

	if (write(out, text, (size_t)n + 1) != n + 1)
		die("cannot write");
}

/* Send, and wait for the response. */
static const char *ask(const char *method, const char *params)
{
	char id[32];
	const char *text;

	tell(method, params);
	snprintf(id, sizeof id, "{\"id\":%d,", last);
	do
		text = next();
	while (strncmp(text, id, strlen(id)) != 0);
	return text;
}

static void start(const char *program, const char *dir)
{
	char profile[1024];
	int to[2], from[2];

	snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", dir);
	if (pipe(to) || pipe(from))
		die("no pipe");
	browser = fork();
	if (browser == 0) {
		int null = open("/dev/null", O_RDWR);

		setpgid(0, 0);
		dup2(to[0], 3);
		dup2(from[1], 4);
		dup2(null, 1);
		dup2(null, 2);
		execl(program, program, "--headless=new", "--remote-debugging-pipe",
		      "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		      profile, getuid() ? "about:blank" : "--no-sandbox", (char *)NULL);
		_exit(127);
	}
	out = to[1];
	in = from[0];
	close(to[0]);
	close(from[1]);
}

static void open_page(const char *page)
{
	char params[1200], target[128] = "";
	const char *at =
		strstr(ask("Target.createTarget", "\"params\":{\"url\":\"about:blank\"}"),
		       "targetId\":\"");

	if (!at || sscanf(at + 11, "%127[^\"]", target) != 1)
		die("no page");
	snprintf(params, sizeof params,
		 "\"params\":{\"targetId\":\"%s\",\"flatten\":true}", target);
	at = strstr(ask("Target.attachToTarget", params), "\"result\":{\"sessionId\":\"");
	if (!at || sscanf(at + 23, "%127[^\"]", session) != 1)
		die("no session");
	snprintf(params, sizeof params, "\"params\":{\"url\":\"%s\"}", page);
	ask("Page.enable", "\"params\":{}");
	ask("DOM.enable", "\"params\":{}");
	ask("Page.navigate", params);
	while (!strstr(next(), "Page.loadEventFired"))
		;
}

static void step(void)
{
	static const char *const types[] = { "mouseMoved", "mousePressed",
					     "mouseReleased" };
	char params[256];

	for (int i = 0; i < 3; i++) {
		snprintf(params, sizeof params,
			 "\"params\":{\"type\":\"%s\",\"x\":20,\"y\":20,"
			 "\"button\":\"%s\",\"clickCount\":%d}",
			 types[i], i ? "left" : "none", i > 0);
		ask("Input.dispatchMouseEvent", params);
	}
	ask("DOMSnapshot.captureSnapshot", "\"params\":{\"computedStyles\":[]}");
	ask("Accessibility.getFullAXTree", "\"params\":{}");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static double took[10000];
	int count = argc == 5 ? (int)strtol(argv[4], NULL, 10) : 0;

	bytes = malloc(room = 1 << 20);
	if (count < 1 || count > 10000 || !bytes)
		return 2;
	start(argv[1], argv[2]);
	open_page(argv[3]);
	for (int n = 0; n < count; n++) {
		double began = now_us();

		step();
		took[n] = now_us() - began;
	}
	kill(-browser, SIGKILL);
	waitpid(browser, NULL, 0);
	qsort(took, (size_t)count, sizeof *took, compare);
	printf("%.0f\n", took[count / 2]);
	return 0;
}
