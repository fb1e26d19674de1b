/* SPDX-License-Identifier: MIT
 *
 * floor-flood.c - measures the minimum cost of a flood of output: bash on a pty runs a
 * command, and its output is read and dropped.
 *
 *   floor-flood COMMAND
 *
 * Prints the number of bytes and the milliseconds. */
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char bytes[65536];
	struct timespec from, to;
	long long total = 0;
	int fd, status;
	pid_t pid;
	ssize_t n;

	if (argc != 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = forkpty(&fd, NULL, NULL, NULL);
	if (pid < 0)
		return 1;
	if (pid == 0) {
		execl("/bin/bash", "bash", "-c", argv[1], NULL);
		_exit(127);
	}
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		total += n;
	waitpid(pid, &status, 0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%lld bytes %lld ms\n", total,
	       (long long)(to.tv_sec - from.tv_sec) * 1000 +
		       (to.tv_nsec - from.tv_nsec) / 1000000);
	return status != 0;
}
