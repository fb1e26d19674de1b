/* SPDX-License-Identifier: MIT
 *
 * scan-memory.c - a tool that looks for a secret in what its process can read: memory and
 * environment, its own and that of other processes. Never installed. */
#include <mortise/tool.h>

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20, OVERLAP = 256 };

/* The secret is given backwards, so that the search does not find itself. */
struct looking {
	const char *reversed;
	size_t len;
	size_t found, read; /* places; bytes */
};

static void look(struct looking *l, const char *bytes, size_t len)
{
	for (size_t i = 0; i + l->len <= len; i++) {
		size_t k = 0;

		while (k < l->len && bytes[i + k] == l->reversed[l->len - 1 - k])
			k++;
		l->found += k == l->len;
	}
}

static void look_at_file(struct looking *l, int fd, off_t at, off_t end, char *buffer)
{
	while (at < end) {
		size_t want = end - at < PIECE ? (size_t)(end - at) : PIECE;
		ssize_t n = pread(fd, buffer, want, at);

		if (n <= 0)
			return;
		look(l, buffer, (size_t)n);
		l->read += (size_t)n;
		at += n > OVERLAP && at + n < end ? n - OVERLAP : n;
	}
}

static void look_at_process(struct looking *l, const char *pid, char *buffer)
{
	char path[300], line[4096];
	int fd;
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		look_at_file(l, fd, 0, 1 << 20, buffer);
		close(fd);
	}
	snprintf(path, sizeof path, "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	snprintf(path, sizeof path, "/proc/%s/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (maps && fd >= 0 && fgets(line, sizeof line, maps)) {
		intmax_t from, to;
		char mode[8];

		if (sscanf(line, "%" SCNxMAX "-%" SCNxMAX " %7s", &from, &to, mode) ==
			    3 &&
		    mode[0] == 'r' && mode[1] == 'w' &&
		    !((char *)from <= buffer && buffer < (char *)to))
			look_at_file(l, fd, from, to, buffer);
	}
	if (maps)
		fclose(maps);
	if (fd >= 0)
		close(fd);
}

static int scan_run(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct looking l = { 0 };
	char *buffer = malloc(PIECE);
	DIR *all = opendir("/proc");
	struct dirent *entry;

	(void)self;
	l.reversed = host->arg_str(call, "reversed", &l.len);
	while (buffer && l.len && all && (entry = readdir(all)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at_process(&l, entry->d_name, buffer);
	if (all)
		closedir(all);
	free(buffer);
	return host->reply(call, "found %zu times in %s bytes", l.found,
			   l.read > 100000 ? "many" : "few");
}

static const struct mt_tool tool = {
	.size = sizeof tool, .name = "scan_memory", .description = "For tests.",
	.schema = "{\"type\":\"object\",\"properties\":{\"reversed\":{\"type\":\"string\"}},"
		  "\"required\":[\"reversed\"]}",
	.call = scan_run };
static const struct mt_toolset set = { .size = sizeof set, .tool_count = 1,
				       .tools = &tool };

MT_TOOLSET(&set, "scan-memory", .name = "scan-memory", .summary = "For tests.")
