/* SPDX-License-Identifier: MIT
 *
 * cgroup.c - finds the place for control groups, and creates, reads and removes them. */
#include "limits/cgroup.h"
#include "auto.h"
#include "files.h"
#include "strbuf.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
	PROC_FILE_MAX = 1 << 20,
	CGROUP_FILE_MAX = 4096,
	CGROUP_PATH_MAX = 4096,
	CGROUP_NAME_MAX = 1024,
	DEPTH_MAX = 16,       /* of groups in groups */
	SWEEP_MAX = 4096,     /* directories looked at */
	STALE_MAX = 200,      /* attempts to kill processes without an owner */
	JOIN_MAX = 10,        /* attempts to join a group that others remove */
};

static const char *const names_v1[] = { "memory", "pids", "cpuacct" };

/* ---- small files -------------------------------------------------------- */

static ssize_t cgroup_file_read(const char *dir, const char *file, char *text,
				size_t room)
{
	AUTO(free) char *path = path_join(dir, file);
	AUTO(close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t len = fd < 0 ? -1 : read(fd, text, room - 1);

	text[len > 0 ? len : 0] = '\0';
	return len;
}

static int cgroup_file_write(const char *dir, const char *file, const char *text)
{
	AUTO(free) char *path = path_join(dir, file);
	AUTO(close) int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return errno == ENOENT ? MT_ENOTFOUND : MT_EDENIED;
	if (write(fd, text, strlen(text)) >= 0)
		return MT_OK;
	return errno == ENOENT || errno == ESRCH || errno == ENODEV ? MT_ENOTFOUND
								    : MT_EDENIED;
}

/* The number in a file; -1: none, or "max". */
static int64_t cgroup_number(const char *dir, const char *file)
{
	char text[CGROUP_FILE_MAX];

	if (cgroup_file_read(dir, file, text, sizeof text) <= 0 ||
	    !isdigit((unsigned char)*text))
		return -1;
	return strtoll(text, NULL, 10);
}

/* The number after a key: "oom_kill 3". */
static int64_t cgroup_field(const char *dir, const char *file, const char *key)
{
	char text[CGROUP_FILE_MAX];
	size_t len = strlen(key);

	if (cgroup_file_read(dir, file, text, sizeof text) <= 0)
		return -1;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoll(line + len + 1, NULL, 10);
	}
	return -1;
}

/* ---- finding the place -------------------------------------------------- */

/* True if the list, separated by `between`, has the word. */
static bool has_word(const char *list, size_t len, const char *word, char between)
{
	size_t word_len = strlen(word);

	while (len) {
		const char *end = memchr(list, between, len);
		size_t n = end ? (size_t)(end - list) : len;

		if (n == word_len && memcmp(list, word, n) == 0)
			return true;
		n += end != NULL;
		list += n;
		len -= n;
	}
	return false;
}

/* Path of this process's group in the hierarchy of a v1 controller, or ("") of v2. */
static char *own_path(const char *groups, const char *controller)
{
	for (const char *line = groups; line && *line; line = strchr(line, '\n')) {
		const char *list, *path;

		line += *line == '\n';
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		list++;
		if (*controller ? has_word(list, (size_t)(path - list), controller, ',')
				: list == path)
			return strndup(path + 1, strcspn(path + 1, "\n"));
	}
	return NULL;
}

struct hierarchy {
	char root[CGROUP_PATH_MAX];  /* what of the hierarchy is mounted */
	char point[CGROUP_PATH_MAX]; /* where */
};

/* Mount points are written with \040 for a space; such a mount is ignored. */
static bool read_mount(const char *line, const char *controller, struct hierarchy *ret)
{
	char type[32], options[CGROUP_PATH_MAX];
	const char *dash = strstr(line, " - ");

	if (!dash ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", ret->root, ret->point) != 2 ||
	    sscanf(dash, " - %31s %*s %4095s", type, options) != 2 ||
	    strchr(ret->point, '\\'))
		return false;
	if (!*controller)
		return strcmp(type, "cgroup2") == 0;
	return strcmp(type, "cgroup") == 0 &&
	       has_word(options, strlen(options), controller, ',');
}

static bool find_mount(const char *mounts, const char *controller, struct hierarchy *ret)
{
	for (const char *line = mounts; line && *line; line = strchr(line, '\n')) {
		AUTO(free) char *copy = NULL;

		line += *line == '\n';
		copy = strndup(line, strcspn(line, "\n"));
		if (copy && read_mount(copy, controller, ret))
			return true;
	}
	return false;
}

/* Directory of this process's group. */
static char *own_dir(const struct hierarchy *h, const char *path)
{
	size_t len = strcmp(h->root, "/") == 0 ? 0 : strlen(h->root);
	char *dir = NULL;

	if (strncmp(path, h->root, len) != 0 || (len && path[len] && path[len] != '/') ||
	    strstr(path, "/.."))
		return NULL; /* outside of what is mounted */
	path += len;
	if (asprintf(&dir, "%s%s", h->point, strcmp(path, "/") == 0 ? "" : path) < 0)
		return NULL;
	return dir;
}

static bool can_write(const char *dir)
{
	AUTO(free) char *procs = path_join(dir, "cgroup.procs");

	return procs && access(dir, W_OK) == 0 && access(procs, W_OK) == 0;
}

static void find_v1(const char *mounts, const char *groups, enum cgroup_controller which,
		    struct cgroup_place *ret)
{
	struct hierarchy h;
	AUTO(free) char *path = own_path(groups, names_v1[which]);
	AUTO(free) char *dir = NULL;

	if (!path || !find_mount(mounts, names_v1[which], &h))
		return;
	dir = own_dir(&h, path);
	if (!dir || !can_write(dir))
		return;
	ret->of[which].dir = STEAL(dir);
	ret->of[which].version = 1;
}

static bool divides(const char *dir, const char *controller)
{
	char text[CGROUP_FILE_MAX];
	ssize_t len = cgroup_file_read(dir, "cgroup.subtree_control", text, sizeof text);

	return len > 0 && has_word(text, strcspn(text, "\n"), controller, ' ');
}

static int64_t cgroup_lower(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* The nearest group above, or the own one, that this process may write and that divides
 * memory or processes among the groups in it. */
static void find_v2(const char *mounts, const char *groups, struct cgroup_place *ret)
{
	struct hierarchy h;
	AUTO(free) char *path = own_path(groups, "");
	AUTO(free) char *dir = NULL;
	size_t least;

	if (!path || !find_mount(mounts, "", &h))
		return;
	dir = own_dir(&h, path);
	least = strlen(h.point);
	while (dir && strlen(dir) >= least) {
		bool memory = divides(dir, "memory"), pids = divides(dir, "pids");

		if ((memory || pids) && can_write(dir)) {
			for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
				if ((i == CGROUP_MEMORY && !memory) ||
				    (i == CGROUP_PIDS && !pids))
					continue;
				ret->of[i].dir = strdup(dir);
				ret->of[i].version = 2;
			}
			return;
		}
		ret->memory_bound =
			cgroup_lower(ret->memory_bound, cgroup_number(dir, "memory.max"));
		ret->pids_bound =
			cgroup_lower(ret->pids_bound, cgroup_number(dir, "pids.max"));
		if (strlen(dir) == least)
			return;
		*strrchr(dir, '/') = '\0';
	}
}

/* Files in /proc have no size. */
static char *proc_text(const char *proc, const char *file)
{
	AUTO(strbuf) struct strbuf text = STRBUF(PROC_FILE_MAX);
	AUTO(free) char *path = path_join(proc, file);
	AUTO(close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char piece[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0)
		strbuf_addn(&text, piece, (size_t)n);
	return text.error || !text.len ? NULL : strbuf_take(&text);
}

void cgroup_find(const char *proc, struct cgroup_place *ret)
{
	AUTO(free) char *mounts = proc_text(proc, "mountinfo");
	AUTO(free) char *groups = proc_text(proc, "cgroup");

	*ret = (struct cgroup_place){ .memory_bound = -1, .pids_bound = -1 };
	if (!mounts || !groups)
		return;
	find_v2(mounts, groups, ret);
	for (int i = 0; i < CGROUP_CONTROLLERS; i++)
		if (!ret->of[i].dir)
			find_v1(mounts, groups, (enum cgroup_controller)i, ret);
	if (ret->of[CGROUP_MEMORY].version != 2)
		ret->memory_bound = -1;
	if (ret->of[CGROUP_PIDS].version != 2)
		ret->pids_bound = -1;
}

void cgroup_place_clear(struct cgroup_place *p)
{
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		free(p->of[i].dir);
		p->of[i].dir = NULL;
	}
}

bool cgroup_available(const struct cgroup_place *p)
{
	return p->of[CGROUP_MEMORY].dir || p->of[CGROUP_PIDS].dir;
}

/* ---- groups ------------------------------------------------------------- */

bool cgroup_name_valid(const char *name)
{
	size_t len = strlen(name), depth = 1;
	bool first = true;

	for (size_t i = 0; i < len; i++) {
		bool slash = name[i] == '/';

		if ((first && (slash || name[i] == '.')) ||
		    !(slash || isalnum((unsigned char)name[i]) || strchr("._-", name[i])))
			return false;
		depth += slash;
		first = slash;
	}
	return len > 0 && !first && len < CGROUP_NAME_MAX && depth <= DEPTH_MAX;
}

/* True if a controller before this one has the same directory. */
static bool is_repeated(const struct cgroup_place *p, int which)
{
	for (int i = 0; i < which; i++)
		if (p->of[i].dir && strcmp(p->of[i].dir, p->of[which].dir) == 0)
			return true;
	return false;
}

static char *group_dir(const struct cgroup_place *p, int which, const char *name,
		       const char *leaf)
{
	char *path = NULL;

	if (!p->of[which].dir ||
	    asprintf(&path, "%s/mortise/%s%s", p->of[which].dir, name, leaf) < 0)
		return NULL;
	return path;
}

static void write_number(const char *dir, const char *file, int64_t value)
{
	char text[32];

	if (value < 0)
		return;
	snprintf(text, sizeof text, "%" PRId64, value);
	cgroup_file_write(dir, file, text);
}

/* Files of other controllers do not exist in a directory of v1. */
static void cgroup_set_limits(const struct cgroup_place *p, int which, const char *dir,
			      const struct cgroup_limits *limits)
{
	if (p->of[which].version == 2) {
		write_number(dir, "memory.max", limits->memory);
		write_number(dir, "pids.max", limits->pids);
	} else if (which == CGROUP_MEMORY) {
		write_number(dir, "memory.limit_in_bytes", limits->memory);
		write_number(dir, "memory.memsw.limit_in_bytes", limits->memory);
	} else if (which == CGROUP_PIDS) {
		write_number(dir, "pids.max", limits->pids);
	}
}

/* In v2, the groups in this one have limits of their own. */
static void cgroup_divide(const struct cgroup_place *p, int which, const char *dir)
{
	if (p->of[which].version != 2)
		return;
	if (p->of[CGROUP_MEMORY].version == 2)
		cgroup_file_write(dir, "cgroup.subtree_control", "+memory");
	if (p->of[CGROUP_PIDS].version == 2)
		cgroup_file_write(dir, "cgroup.subtree_control", "+pids");
}

static int make_dir(const char *dir, bool *ret_new, struct error *err)
{
	*ret_new = mkdir(dir, 0755) == 0;
	if (*ret_new || errno == EEXIST)
		return MT_OK;
	return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EDENIED,
		    "cannot create the control group %s: %s", dir, strerror(errno));
}

/* Creates the directories one after the other, from "mortise" to "tools". */
static int make_in(const struct cgroup_place *p, int which, char *path, size_t from,
		   const struct cgroup_limits *limits, struct error *err)
{
	bool is_group = false;

	for (char *end = path + from;;) {
		bool is_new;
		int status;

		end = strchrnul(end + 1, '/');
		if (!*end)
			return make_dir(path, &is_new, err);
		*end = '\0';
		status = make_dir(path, &is_new, err);
		if (!status && is_new && is_group)
			cgroup_set_limits(p, which, path, limits);
		if (!status && is_new)
			cgroup_divide(p, which, path);
		*end = '/';
		is_group = true;
		if (status)
			return status;
	}
}

int cgroup_make(const struct cgroup_place *p, const char *name,
		const struct cgroup_limits *limits, struct error *err)
{
	const struct cgroup_limits least = {
		.memory = cgroup_lower(limits->memory, p->memory_bound),
		.pids = cgroup_lower(limits->pids, p->pids_bound),
	};
	int status = MT_OK;

	if (!cgroup_name_valid(name))
		return fail(err, MT_EINVAL, "invalid name of a control group: %.80s",
			    name);
	for (int i = 0; !status && i < CGROUP_CONTROLLERS; i++) {
		AUTO(free) char *path = group_dir(p, i, name, "/tools");

		if (path && !is_repeated(p, i))
			status = make_in(p, i, path, strlen(p->of[i].dir), &least, err);
	}
	return status;
}

int cgroup_join(const struct cgroup_place *p, const char *name, pid_t pid)
{
	char text[32];

	snprintf(text, sizeof text, "%d", (int)pid);
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		AUTO(free) char *dir = group_dir(p, i, name, "/tools");
		int status = dir && !is_repeated(p, i)
				     ? cgroup_file_write(dir, "cgroup.procs", text)
				     : MT_OK;

		if (status)
			return status;
	}
	return MT_OK;
}

int cgroup_enter(const struct cgroup_place *p, const char *name,
		 const struct cgroup_limits *limits, pid_t pid, struct error *err)
{
	int status = MT_ENOTFOUND;
	struct error why;

	for (int n = 0; n < JOIN_MAX && status == MT_ENOTFOUND && kill(pid, 0) == 0;
	     n++) {
		why = ERROR_NONE;
		status = cgroup_make(p, name, limits, &why);
		if (!status)
			status = cgroup_join(p, name, pid);
	}
	if (status && why.code)
		return fail(err, status, "%s", why.text);
	return status ? fail(err, status, "a process cannot join the group") : MT_OK;
}

bool cgroup_has(const char *name, pid_t pid)
{
	char proc[64], text[CGROUP_FILE_MAX], end[CGROUP_NAME_MAX + 32];

	snprintf(proc, sizeof proc, "/proc/%d", (int)pid);
	snprintf(end, sizeof end, "/mortise/%s/tools\n", name);
	return cgroup_file_read(proc, "cgroup", text, sizeof text) > 0 &&
	       strstr(text, end);
}

static int64_t cgroup_sum(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

static void read_memory(const struct cgroup_place *p, const char *dir, const char *leaf,
			struct cgroup_usage *ret)
{
	if (p->of[CGROUP_MEMORY].version == 2) {
		ret->memory = cgroup_number(dir, "memory.current");
		ret->memory_peak = cgroup_number(dir, "memory.peak");
		ret->oom_kills = cgroup_field(dir, "memory.events", "oom_kill");
	} else {
		ret->memory = cgroup_number(dir, "memory.usage_in_bytes");
		ret->memory_peak = cgroup_number(dir, "memory.max_usage_in_bytes");
		ret->oom_kills = cgroup_field(leaf, "memory.oom_control", "oom_kill");
	}
}

void cgroup_read(const struct cgroup_place *p, const char *name, struct cgroup_usage *ret)
{
	AUTO(free) char *memory = group_dir(p, CGROUP_MEMORY, name, "");
	AUTO(free) char *memory_leaf = group_dir(p, CGROUP_MEMORY, name, "/tools");
	AUTO(free) char *pids = group_dir(p, CGROUP_PIDS, name, "");
	AUTO(free) char *pids_leaf = group_dir(p, CGROUP_PIDS, name, "/tools");
	AUTO(free) char *cpu = group_dir(p, CGROUP_CPU, name, "");
	int64_t time;

	*ret = (struct cgroup_usage){ -1, -1, -1, -1, -1, -1 };
	if (memory && memory_leaf)
		read_memory(p, memory, memory_leaf, ret);
	if (pids && pids_leaf) {
		ret->pids = cgroup_number(pids, "pids.current");
		/* Kernels differ in whether a refusal counts where the process is or
		 * where the limit is. */
		ret->pids_refused =
			cgroup_sum(cgroup_field(pids, "pids.events", "max"),
				   cgroup_field(pids_leaf, "pids.events", "max"));
	}
	if (!cpu)
		return;
	if (p->of[CGROUP_CPU].version == 2) {
		time = cgroup_field(cpu, "cpu.stat", "usage_usec");
		ret->cpu_ms = time < 0 ? -1 : time / 1000;
	} else {
		time = cgroup_number(cpu, "cpuacct.usage");
		ret->cpu_ms = time < 0 ? -1 : time / 1000000;
	}
}

void cgroup_stop_forks(const struct cgroup_place *p, const char *name, bool stop)
{
	AUTO(free) char *dir = group_dir(p, CGROUP_PIDS, name, "/tools");

	if (dir)
		cgroup_file_write(dir, "pids.max", stop ? "0" : "max");
}

void cgroup_remove(const struct cgroup_place *p, const char *name)
{
	if (!cgroup_name_valid(name))
		return;
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		AUTO(free) char *path = group_dir(p, i, name, "/tools");

		while (path && strlen(path) > strlen(p->of[i].dir) && rmdir(path) == 0)
			*strrchr(path, '/') = '\0';
	}
}

/* Kills processes without an owner. @return true: some were killed, which are about to
 * exit. */
static bool kill_stale(const char *path, cgroup_stale_fn *is_stale)
{
	char text[CGROUP_FILE_MAX];
	bool killed = false;

	if (cgroup_file_read(path, "cgroup.procs", text, sizeof text) <= 0)
		return false;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		pid_t pid;

		line += *line == '\n';
		pid = (pid_t)strtol(line, NULL, 10);
		if (pid > 1 && is_stale(pid))
			killed |= kill(pid, SIGKILL) == 0;
	}
	return killed;
}

static void sweep_dir(const char *path, int depth, cgroup_stale_fn *is_stale, int *left)
{
	DIR *dir = depth ? opendir(path) : NULL;
	const struct dirent *entry;

	while (dir && *left > 0 && (entry = readdir(dir))) {
		AUTO(free) char *below = NULL;

		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		--*left;
		below = path_join(path, entry->d_name);
		if (below)
			sweep_dir(below, depth - 1, is_stale, left);
	}
	if (dir)
		closedir(dir);
	for (int n = 0; rmdir(path) < 0 && n < STALE_MAX; n++) {
		if (!kill_stale(path, is_stale))
			break;
		poll(NULL, 0, 1);
	}
}

void cgroup_sweep(const struct cgroup_place *p, cgroup_stale_fn *is_stale)
{
	int left = SWEEP_MAX;

	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		AUTO(free) char *path = NULL;

		if (p->of[i].dir && !is_repeated(p, i) &&
		    (path = path_join(p->of[i].dir, "mortise")))
			sweep_dir(path, DEPTH_MAX + 2, is_stale, &left);
	}
}
