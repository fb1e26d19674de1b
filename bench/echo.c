/* SPDX-License-Identifier: MIT
 *
 * echo.c - the smallest MCP server over pipes, and the minimum cost of a call.
 *
 *   echo --serve    the server: one tool, `echo`, which returns "echo"
 *   echo COUNT      starts it and sends COUNT calls; prints the median time from a call
 *                   to its response, in nanoseconds */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- the server ------------------------------------------------------------------ */

static const char *result_for(const char *line)
{
	if (strstr(line, "\"tools/call\""))
		return "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"echo\"}]}";
	if (strstr(line, "\"tools/list\""))
		return "\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"Says echo.\","
		       "\"inputSchema\":{\"type\":\"object\"}}]}";
	if (strstr(line, "\"initialize\""))
		return "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
		       "{\"tools\":{}},\"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}}";
	return "\"error\":{\"code\":-32601,\"message\":\"no such method\"}";
}

static int serve(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		const char *id = strstr(line, "\"id\":");

		if (!id)
			continue;
		printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,%s}\n", strtol(id + 5, NULL, 10),
		       result_for(line));
		fflush(stdout);
	}
	free(line);
	return 0;
}

/* ---- the floor ------------------------------------------------------------------- */

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const long long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void ask(int to, int from, long id)
{
	char line[256], answer[4096];
	size_t used = 0;
	int len = snprintf(
		line, sizeof line,
		"{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":"
		"\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{}}}\n",
		id);

	if (write(to, line, (size_t)len) != len)
		die("write");
	do {
		ssize_t n = read(from, answer + used, sizeof answer - used);

		if (n <= 0)
			die("read");
		used += (size_t)n;
	} while (answer[used - 1] != '\n' && used < sizeof answer);
}

static int measure(const char *self, long count)
{
	long long *times = calloc((size_t)count, sizeof *times);
	int to[2], from[2];
	pid_t pid;

	if (!times || pipe(to) || pipe(from))
		die("pipe");
	pid = fork();
	if (pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		execl(self, self, "--serve", (char *)NULL);
		_exit(127);
	}
	ask(to[1], from[0], 0);
	for (long i = 0; i < count; i++) {
		long long begun = now();

		ask(to[1], from[0], i + 1);
		times[i] = now() - begun;
	}
	close(to[1]);
	waitpid(pid, NULL, 0);
	qsort(times, (size_t)count, sizeof *times, compare);
	printf("%lld\n", times[count / 2]);
	free(times);
	return 0;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && strcmp(argv[1], "--serve") == 0)
		return serve();
	return count > 0 ? measure(argv[0], count) : 2;
}
