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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct entry {
	pid_t pid, parent;
	bool marked;
	char name[16];
	unsigned tasks;
	int64_t cpu_own, cpu; /* in ticks; cpu: with children that were waited for */
};

enum {
	TABLE_MAX = 1 << 22,
	ENVIRON_MAX = 1 << 17,
	STOP_MAX = 100,       /* attempts to stop all of a tree that is growing */
	NAMES_MAX = 32,
	ANCESTORS_MAX = 4096,
};

static ssize_t read_proc(pid_t pid, const char *file, char *buffer, size_t room)
{
	char path[320];
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
static bool read_entry(pid_t pid, struct entry *ret)
{
	long long user, system, children_user, children_system;
	char text[1024], *open_, *close_;
	ssize_t len = read_proc(pid, "stat", text, sizeof text - 1);
	size_t name_len;

	if (len <= 0)
		return false;
	text[len] = '\0';
	open_ = strchr(text, '(');
	close_ = strrchr(text, ')');
	*ret = (struct entry){ .pid = pid };
	if (!open_ || !close_ || close_ < open_ ||
	    sscanf(close_ + 1,
		   " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld %lld %lld %*s "
		   "%*s %u",
		   &ret->parent, &user, &system, &children_user, &children_system,
		   &ret->tasks) != 6)
		return false;
	name_len = (size_t)(close_ - open_ - 1);
	if (name_len >= sizeof ret->name)
		name_len = sizeof ret->name - 1;
	memcpy(ret->name, open_ + 1, name_len);
	ret->cpu_own = user + system;
	ret->cpu = ret->cpu_own + children_user + children_system;
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* All processes, sorted; the caller frees. */
static struct entry *table_read(size_t *ret_count)
{
	struct strbuf table = STRBUF(TABLE_MAX * sizeof(struct entry));
	DIR *proc = opendir("/proc");
	struct dirent *d;

	*ret_count = 0;
	if (!proc)
		return NULL;
	while ((d = readdir(proc))) {
		struct entry e;

		if (isdigit((unsigned char)d->d_name[0]) &&
		    read_entry((pid_t)strtol(d->d_name, NULL, 10), &e))
			strbuf_addn(&table, (const char *)&e, sizeof e);
	}
	closedir(proc);
	if (table.error) {
		strbuf_clear(&table);
		return NULL;
	}
	*ret_count = table.len / sizeof(struct entry);
	if (*ret_count)
		qsort(table.text, *ret_count, sizeof(struct entry), compare_entries);
	return (void *)strbuf_take(&table);
}

static struct entry *table_find(struct entry *table, size_t count, pid_t pid)
{
	const struct entry key = { .pid = pid };

	return count ? bsearch(&key, table, count, sizeof *table, compare_entries) : NULL;
}

/* Marks descendants of marked entries, and those of `root` (0: none). Processes usually
 * have lower numbers than their children, so that few passes are needed. */
static void mark_descendants(struct entry *table, size_t count, pid_t root)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < count; i++) {
			const struct entry *parent;

			if (table[i].marked)
				continue;
			parent = table_find(table, count, table[i].parent);
			table[i].marked = (root && table[i].parent == root) ||
					  (parent && parent->marked);
			more |= table[i].marked;
		}
	}
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

/* Which processes to kill. */
struct victims {
	pid_t root;      /* the descendants of this process; 0: of those with the mark */
	unsigned number; /* the mark */
	bool once;       /* kill those that exist; others follow if there are more */
	char *room;
};

static void mark_victims(struct entry *table, size_t count, const struct victims *v)
{
	for (size_t i = 0; !v->root && i < count; i++)
		if (table[i].parent == getpid())
			table[i].marked = has_mark(table[i].pid, v->number, v->room);
	mark_descendants(table, count, v->root);
}

/* Stops the victims. @return true: there may be more of them, because one that was not
 * stopped before may have started others. */
static bool stop_victims(struct entry *table, size_t count, const struct entry *before,
			 size_t before_count)
{
	bool more = false;

	for (size_t i = 0; i < count; i++) {
		const struct entry *known;

		if (!table[i].marked || table[i].pid <= 1 || table[i].pid == getpid())
			continue;
		known = table_find((struct entry *)(uintptr_t)before, before_count,
				   table[i].pid);
		if (known && known->marked)
			continue;
		more = true;
		kill(table[i].pid, SIGSTOP);
	}
	return more;
}

/* Stops all victims before killing any of them, because a victim that is still running could
 * start processes that escape. */
static void kill_victims(const struct victims *v)
{
	struct entry *before = NULL, *table;
	size_t before_count = 0, count;
	bool more = true;

	for (int n = 0; more && n < STOP_MAX; n++) {
		table = table_read(&count);
		if (!table)
			break;
		mark_victims(table, count, v);
		more = !v->once && stop_victims(table, count, before, before_count);
		free(before);
		before = table;
		before_count = count;
	}
	for (size_t i = 0; i < before_count; i++)
		if (before[i].marked && before[i].pid > 1 && before[i].pid != getpid())
			kill(before[i].pid, SIGKILL);
	free(before);
}

void process_tree_kill_below(pid_t root)
{
	kill_victims(&(struct victims){ .root = root });
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

	if (room)
		kill_victims(&(struct victims){ .number = number, .room = room });
	free(room);
}

void process_tree_end(int64_t budget_ms)
{
	int64_t until = clock_ms() + budget_ms;

	for (bool first = true; clock_ms() < until; first = false) {
		const struct victims all = { .root = getpid(), .once = first };
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		kill_victims(&all);
		poll(NULL, 0, first ? 1 : 2);
	}
}

/* ---- usage ---------------------------------------------------------------- */

/* Private memory of a process: shared pages would count more than once. */
static int64_t memory_of(pid_t pid)
{
	char text[256];
	ssize_t len = read_proc(pid, "statm", text, sizeof text - 1);
	long long resident, shared;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	if (sscanf(text, "%*s %lld %lld", &resident, &shared) != 2 || shared > resident)
		return 0;
	return (resident - shared) * sysconf(_SC_PAGESIZE);
}

/* Bytes that a process, and children that it has waited for, wrote to disk; 0 if that
 * must not be read. */
static int64_t written_by(pid_t pid)
{
	char text[512];
	ssize_t len = read_proc(pid, "io", text, sizeof text - 1);
	const char *at;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	at = strstr(text, "\nwrite_bytes: ");
	return at ? strtoll(at + strlen("\nwrite_bytes: "), NULL, 10) : 0;
}

static void take_top(struct process_top *top, const struct entry *e, int64_t amount)
{
	if (amount <= top->amount)
		return;
	top->pid = e->pid;
	top->amount = amount;
	memcpy(top->name, e->name, sizeof top->name);
}

/* The name that most processes of the tree have. */
static void find_common(const struct entry *table, size_t count, struct process_top *ret)
{
	struct process_top names[NAMES_MAX] = { 0 };
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		if (!table[i].marked)
			continue;
		while (k < used && strcmp(names[k].name, table[i].name) != 0)
			k++;
		if (k == NAMES_MAX)
			continue;
		used += k == used;
		memcpy(names[k].name, table[i].name, sizeof names[k].name);
		names[k].amount += table[i].tasks;
		if (names[k].amount > ret->amount)
			*ret = names[k];
	}
}

void process_tree_usage(struct process_usage *ret)
{
	int64_t tick = 1000 / sysconf(_SC_CLK_TCK);
	struct rusage gone;
	size_t count;
	struct entry *table = table_read(&count);

	*ret = (struct process_usage){ 0 };
	if (!table)
		return;
	getrusage(RUSAGE_CHILDREN, &gone);
	ret->cpu_ms = (gone.ru_utime.tv_sec + gone.ru_stime.tv_sec) * INT64_C(1000) +
		      (gone.ru_utime.tv_usec + gone.ru_stime.tv_usec) / 1000;
	ret->written = written_by(getpid());
	mark_descendants(table, count, getpid());
	for (size_t i = 0; i < count; i++) {
		int64_t memory, written;

		if (!table[i].marked)
			continue;
		memory = memory_of(table[i].pid);
		written = written_by(table[i].pid);
		ret->memory += memory;
		ret->written += written;
		ret->cpu_ms += table[i].cpu * tick;
		ret->tasks += table[i].tasks;
		take_top(&ret->top_memory, &table[i], memory);
		take_top(&ret->top_written, &table[i], written);
		take_top(&ret->top_cpu, &table[i], table[i].cpu_own * tick);
	}
	find_common(table, count, &ret->top_tasks);
	free(table);
}

bool process_tree_is_orphan(pid_t pid)
{
	struct entry e;

	for (int n = 0; n < ANCESTORS_MAX && pid > 1; n++, pid = e.parent) {
		if (!read_entry(pid, &e))
			return false; /* exited: others may have a new parent */
		if (n > 0 && strcmp(e.name, SUPERVISOR_NAME) == 0)
			return false;
	}
	return pid <= 1;
}

/* True unless the kernel says that no thread of the process has children. */
static bool may_have_children(pid_t pid)
{
	char path[64];
	DIR *tasks;
	const struct dirent *d;
	bool may = false;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && !may && (d = readdir(tasks))) {
		char file[300], byte;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(file, sizeof file, "task/%s/children", d->d_name);
		may = read_proc(pid, file, &byte, 1) != 0;
	}
	if (tasks)
		closedir(tasks);
	return may;
}

void process_tree_each(pid_t root, bool (*each)(pid_t pid, void *arg), void *arg)
{
	bool more = may_have_children(root);

	for (int n = 0; more && n < STOP_MAX; n++) {
		size_t count;
		struct entry *table = table_read(&count);

		more = false;
		if (table)
			mark_descendants(table, count, root);
		for (size_t i = 0; table && i < count; i++)
			more |= table[i].marked && each(table[i].pid, arg);
		free(table);
	}
}
