/* SPDX-License-Identifier: MIT
 *
 * floor-step.c - measures the minimum cost of a step: a command through a bash on a pty,
 * one write and fdatasync, one HTTP request on a kept connection.
 *
 *   floor-step PORT STEPS [--no-sync] [--grow BYTES]
 *
 * The request grows by BYTES each step, as a conversation does. The mock's log contains
 * the times. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int die(const char *what)
{
	perror(what);
	exit(1);
}

static int start_shell(pid_t *ret_pid)
{
	struct termios raw = { .c_cflag = CREAD | CS8 | B38400, .c_cc[VMIN] = 1 };
	int fd;
	pid_t pid = forkpty(&fd, NULL, &raw, NULL);

	if (pid < 0)
		die("forkpty");
	if (pid == 0) {
		execl("/bin/bash", "bash", "--norc", "--noprofile", "--noediting", NULL);
		_exit(127);
	}
	*ret_pid = pid;
	return fd;
}

/* Run one command and read until its end marker has arrived. */
static void run(int pty, const char *text)
{
	static const char mark[] = "\001done 0\n";
	char line[256], out[65536];
	size_t used = 0;
	int len = snprintf(line, sizeof line, "%s; printf '\\001done %%d\\n' $?\n", text);

	if (write(pty, line, (size_t)len) != len)
		die("write to the shell");
	for (;;) {
		ssize_t n = read(pty, out + used, sizeof out - used);

		if (n <= 0)
			die("read from the shell");
		used += (size_t)n;
		if (memmem(out, used, mark, sizeof mark - 1))
			return;
	}
}

static int connect_to(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

/* Post `body` filler bytes and read the whole reply. */
static void post(int fd, char *buffer, size_t body)
{
	char head[256], reply[65536], *end;
	int len = snprintf(head, sizeof head,
			   "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
			   "Content-Length: %zu\r\n\r\n",
			   body);
	size_t used = 0, sent = 0;

	if (send(fd, head, (size_t)len, MSG_MORE) != len)
		die("send");
	while (sent < body) {
		ssize_t n = send(fd, buffer + sent, body - sent, 0);

		if (n < 0)
			die("send");
		sent += (size_t)n;
	}
	for (;;) {
		ssize_t n = recv(fd, reply + used, sizeof reply - 1 - used, 0);
		char *length;

		if (n <= 0)
			die("recv");
		used += (size_t)n;
		reply[used] = '\0';
		end = strstr(reply, "\r\n\r\n");
		length = strstr(reply, "Content-Length:");
		if (end && length &&
		    used >= (size_t)(end + 4 - reply) + strtoul(length + 15, NULL, 10))
			return;
	}
}

int main(int argc, char **argv)
{
	char name[] = "/var/tmp/floor-step.XXXXXX", record[512], *body;
	bool sync = true;
	long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 0, grow = 300;
	size_t size = 8192;
	int pty, http, file;
	pid_t shell;

	if (steps < 1)
		return 2;
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "--no-sync") == 0)
			sync = false;
		else if (strcmp(argv[i], "--grow") == 0 && i + 1 < argc)
			grow = strtol(argv[++i], NULL, 10);
	}
	memset(record, 'x', sizeof record);
	body = calloc(1, size + (size_t)(steps * grow));
	file = mkstemp(name);
	if (!body || file < 0)
		die(name);
	unlink(name);
	pty = start_shell(&shell);
	run(pty, "PS1=");
	http = connect_to((int)strtol(argv[1], NULL, 10));
	for (long i = 0; i < steps; i++) {
		post(http, body, size + (size_t)(i * grow));
		run(pty, "true");
		if (write(file, record, sizeof record) < 0 ||
		    (sync && fdatasync(file) < 0))
			die("write");
	}
	post(http, body, size);
	close(pty);
	waitpid(shell, NULL, 0);
	return 0;
}
