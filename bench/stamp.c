/* SPDX-License-Identifier: MIT
 *
 * stamp.c - writes the start time of a program to a file, then executes it.
 *
 *   stamp FILE PROGRAM [ARGUMENT]...
 *
 * CLOCK_MONOTONIC in microseconds, so that it compares with the mock's log and excludes
 * the time that the driver needs to fork. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec t;
	int fd;

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &t);
	dprintf(fd, "%lld\n", (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000);
	close(fd);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
