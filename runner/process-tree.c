/* SPDX-License-Identifier: MIT
 *
 * process-tree.c - finds the descendants of this process in /proc. */
#include "process-tree.h"
#include "clock.h"
#include "strbuf.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct entry {
	pid_t pid, parent;
	bool marked;
};

enum { TABLE_MAX = 1 << 18, ENVIRON_MAX = 1 << 17 };

static ssize_t read_proc(pid_t pid, const char *file, char *buffer, size_t room)
{
	char path[64];
	size_t len = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (len < room && (n = read(fd, buffer + len, room - len)) > 0)
		len += (size_t)n;
	close(fd);
	return (ssize_t)len;
}

/* The name of a program is in parentheses and may contain any byte. */
static pid_t process_tree_parent_of(pid_t pid)
{
	char text[512];
	ssize_t len = read_proc(pid, "stat", text, sizeof text - 1);
	char *close_;
	int parent;

	if (len <= 0)
		return -1;
	text[len] = '\0';
	close_ = strrchr(text, ')');
	if (!close_ || sscanf(close_ + 1, " %*c %d", &parent) != 1)
		return -1;
	return parent;
}

/* All processes; the caller frees. */
static struct entry *table_read(size_t *ret_count)
{
	struct strbuf table = STRBUF(TABLE_MAX * sizeof(struct entry));
	DIR *proc = opendir("/proc");
	struct dirent *d;

	*ret_count = 0;
	if (!proc)
		return NULL;
	while ((d = readdir(proc))) {
		struct entry e = { 0 };

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		e.pid = (pid_t)strtol(d->d_name, NULL, 10);
		e.parent = process_tree_parent_of(e.pid);
		if (e.parent > 0)
			strbuf_addn(&table, (const char *)&e, sizeof e);
	}
	closedir(proc);
	*ret_count = table.len / sizeof(struct entry);
	return table.error ? (strbuf_clear(&table), NULL) : (void *)strbuf_take(&table);
}

/* Mark descendants of marked entries until there are no more. */
static void mark_descendants(struct entry *table, size_t count, pid_t root)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < count; i++) {
			if (table[i].marked)
				continue;
			for (size_t k = 0; k < count && !table[i].marked; k++)
				table[i].marked = table[k].marked &&
						  table[k].pid == table[i].parent;
			if (root && table[i].parent == root)
				table[i].marked = true;
			more |= table[i].marked;
		}
	}
}

static void kill_marked(const struct entry *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].marked && table[i].pid > 1 && table[i].pid != getpid())
			kill(table[i].pid, SIGKILL);
}

void process_tree_kill_below(pid_t root)
{
	size_t count;
	struct entry *table = table_read(&count);

	if (!table)
		return;
	mark_descendants(table, count, root);
	kill_marked(table, count);
	free(table);
}

static bool has_mark(pid_t pid, unsigned number, char *room)
{
	char mark[64];
	ssize_t len = read_proc(pid, "environ", room, ENVIRON_MAX);
	size_t mark_len =
		(size_t)snprintf(mark, sizeof mark, "%s=%u", WORKER_MARK, number) + 1;
	const char *at = room;

	while (len > 0 && (at = memmem(room, (size_t)len, mark, mark_len))) {
		if (at == room || at[-1] == '\0')
			return true;
		len -= at + 1 - room;
		room += at + 1 - room;
	}
	return false;
}

/* A subreaper without children has no descendants. */
static bool is_alone(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 &&
	       errno == ECHILD;
}

void process_tree_kill_marked(unsigned number)
{
	char *room = is_alone() ? NULL : malloc(ENVIRON_MAX);
	size_t count;
	struct entry *table = room ? table_read(&count) : NULL;

	if (table) {
		for (size_t i = 0; i < count; i++)
			if (table[i].parent == getpid())
				table[i].marked = has_mark(table[i].pid, number, room);
		mark_descendants(table, count, 0);
		kill_marked(table, count);
	}
	free(table);
	free(room);
}

void process_tree_end(int64_t budget_ms)
{
	int64_t until = clock_ms() + budget_ms;

	do {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		process_tree_kill_below(getpid());
		poll(NULL, 0, 2);
	} while (clock_ms() < until);
}
