/* SPDX-License-Identifier: MIT
 *
 * test-cgroup.c - control groups: finding the place in trees of files, and real groups
 * where this process may create them. */
#include "limits/cgroup.h"
#include "files.h"
#include "process-tree.h"
#include "strbuf.h"
#include "tap.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static void put(const char *name, const char *text)
{
	AUTO(free) char *path = path_join(root, name);
	AUTO(free) char *dir = strdup(path);

	*strrchr(dir, '/') = '\0';
	if (dir_make(dir, NULL) ||
	    file_write(path, text, strlen(text), 0600, false, NULL))
		abort();
}

/* Describes the mounts; @ is the directory of the test. */
static void put_mounts(const char *text)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 16);

	for (; *text; text++)
		if (*text == '@')
			strbuf_add(&b, root);
		else
			strbuf_addc(&b, *text);
	put("proc/mountinfo", b.text);
}

static const char *dir_of(const struct cgroup_place *p, enum cgroup_controller which)
{
	const char *dir = p->of[which].dir;

	if (!dir)
		return "none";
	return strncmp(dir, root, strlen(root)) == 0 ? dir + strlen(root) : dir;
}

static void find(struct cgroup_place *ret)
{
	AUTO(free) char *proc = path_join(root, "proc");

	cgroup_find(proc, ret);
}

static void check_v2(void)
{
	struct cgroup_place p;

	put_mounts("31 23 0:28 / / rw - ext4 /dev/a rw\n"
		   "41 31 0:38 / @/v2 rw,relatime shared:4 - cgroup2 cgroup2 rw\n");
	put("proc/cgroup", "0::/user/app/run.scope\n");
	put("v2/user/app/run.scope/cgroup.procs", "");
	put("v2/user/app/run.scope/cgroup.subtree_control", "\n");
	put("v2/user/app/run.scope/memory.max", "1000000\n");
	put("v2/user/app/run.scope/pids.max", "max\n");
	put("v2/user/app/cgroup.subtree_control", "memory pids\n");
	put("v2/user/cgroup.procs", "");
	put("v2/user/cgroup.subtree_control", "cpu io memory\n");
	find(&p);
	CHECK_STR(dir_of(&p, CGROUP_MEMORY), "/v2/user");
	CHECK_STR(dir_of(&p, CGROUP_CPU), "/v2/user");
	CHECK_MSG(!p.of[CGROUP_PIDS].dir,
		  "a controller that is not divided is unavailable");
	CHECK_MSG(p.memory_bound == 1000000, "the limit of a group that is left stays");
	cgroup_place_clear(&p);

	put("v2/user/app/cgroup.procs", "");
	find(&p);
	CHECK_STR(dir_of(&p, CGROUP_MEMORY), "/v2/user/app");
	CHECK_STR(dir_of(&p, CGROUP_PIDS), "/v2/user/app");
	CHECK(p.of[CGROUP_PIDS].version == 2 && p.pids_bound == -1);
	cgroup_place_clear(&p);
}

static void check_v1(void)
{
	struct cgroup_place p;

	put_mounts(
		"41 31 0:38 / @/unified rw - cgroup2 cgroup2 rw\n"
		"35 31 0:32 / @/memory rw,relatime - cgroup cgroup rw,memory\n"
		"36 31 0:33 /docker/x @/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
		"39 31 0:36 /docker/x @/pids rw - cgroup cgroup rw,pids\n");
	put("proc/cgroup", "8:pids:/docker\n4:memory:/own/group\n"
			   "3:cpu,cpuacct:/docker/x/y\n1:name=systemd:/\n0::/\n");
	put("unified/cgroup.procs", "");
	put("unified/cgroup.subtree_control", "\n");
	put("memory/own/group/cgroup.procs", "");
	put("cpu,cpuacct/y/cgroup.procs", "");
	put("pids/cgroup.procs", "");
	find(&p);
	CHECK_STR(dir_of(&p, CGROUP_MEMORY), "/memory/own/group");
	CHECK_STR(dir_of(&p, CGROUP_CPU), "/cpu,cpuacct/y");
	CHECK_MSG(!p.of[CGROUP_PIDS].dir, "a group outside of the mount is unavailable");
	CHECK(p.of[CGROUP_MEMORY].version == 1);
	cgroup_place_clear(&p);

	put_mounts("");
	find(&p);
	CHECK(!cgroup_available(&p));
	cgroup_place_clear(&p);
}

static void check_names(void)
{
	CHECK(cgroup_name_valid("a"));
	CHECK(cgroup_name_valid("20260101-a_b.c/d"));
	CHECK(!cgroup_name_valid(""));
	CHECK(!cgroup_name_valid("."));
	CHECK(!cgroup_name_valid("a/../b"));
	CHECK(!cgroup_name_valid("/a"));
	CHECK(!cgroup_name_valid("a/"));
	CHECK(!cgroup_name_valid("a//b"));
	CHECK(!cgroup_name_valid("a b"));
	CHECK(!cgroup_name_valid("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"));
}

/* In the group: more processes than it may have, more memory than it may have.
 * @return the process group. */
static pid_t use_group(const struct cgroup_place *p, const char *name,
		       const struct cgroup_limits *limits)
{
	pid_t pid = fork();
	size_t size = 200 << 20;

	if (pid == 0) {
		int refused = 0;
		char *bytes;

		setpgid(0, 0);
		if (cgroup_enter(p, name, limits, getpid(), NULL))
			_exit(1);
		for (int i = 0; i < 20; i++) {
			pid_t child = fork();

			if (child == 0) {
				pause();
				_exit(0);
			}
			refused += child < 0;
		}
		bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (size_t i = 0; bytes != MAP_FAILED && i < size; i += 4096)
			((volatile char *)bytes)[i] = 1;
		_exit(refused ? 0 : 2);
	}
	CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
	return pid;
}

static bool never_stale(pid_t pid)
{
	(void)pid;
	return false;
}

static pid_t stale;

static bool is_that_one(pid_t pid)
{
	return pid == stale;
}

static void check_stale(const struct cgroup_place *p, const char *name)
{
	const struct cgroup_limits none = { -1, -1 };
	int status;

	stale = fork();
	if (stale == 0)
		for (;;)
			pause();
	CHECK(!cgroup_enter(p, name, &none, stale, NULL));
	cgroup_sweep(p, never_stale);
	CHECK_MSG(waitpid(stale, &status, WNOHANG) == 0, "a process with an owner lives");
	cgroup_sweep(p, is_that_one);
	CHECK_MSG(waitpid(stale, &status, 0) == stale && WIFSIGNALED(status),
		  "one without is killed");
	CHECK_MSG(cgroup_join(p, name, getpid()) == MT_ENOTFOUND,
		  "and its group is removed");
}

/* The processes are killed, but may not have exited yet. */
static void check_removal(const struct cgroup_place *p, const char *parent,
			  const char *name)
{
	const struct cgroup_limits none = { -1, -1 };
	struct cgroup_usage u = { 0 };

	for (int i = 0; i < 500 && u.pids >= 0; i++) {
		cgroup_remove(p, name);
		cgroup_read(p, parent, &u);
		usleep(u.pids < 0 ? 0 : 10000);
	}
	CHECK_MSG(u.pids < 0, "the group and the empty group above it are removed");
	CHECK(!cgroup_make(p, name, &none, NULL));
	cgroup_sweep(p, never_stale);
	CHECK(cgroup_join(p, name, getpid()) == MT_ENOTFOUND);
}

static void check_real(void)
{
	struct cgroup_limits limits = { .memory = 64 << 20, .pids = 10 };
	struct cgroup_usage u;
	struct cgroup_place p;
	struct error err = ERROR_NONE;
	char parent[32], name[48];
	pid_t group;

	snprintf(parent, sizeof parent, "test-cgroup-%d", (int)getpid());
	snprintf(name, sizeof name, "%s/child", parent);

	cgroup_find("/proc/self", &p);
	if (!p.of[CGROUP_MEMORY].dir || !p.of[CGROUP_PIDS].dir) {
		SKIP("this process may not create control groups");
		cgroup_place_clear(&p);
		return;
	}
	CHECK_MSG(!cgroup_make(&p, name, &limits, &err), "make: %s", err.text);
	CHECK(!cgroup_make(&p, name, &limits, &err));
	group = use_group(&p, name, &limits);
	cgroup_read(&p, name, &u);
	CHECK_MSG(u.memory >= 0 && u.memory <= 64 << 20, "memory: %lld",
		  (long long)u.memory);
	CHECK(u.oom_kills > 0);
	CHECK_MSG(u.memory_peak > 60 << 20, "peak: %lld", (long long)u.memory_peak);
	CHECK(u.pids_refused > 0);
	CHECK(u.pids > 0 && u.pids <= 10);
	CHECK(!p.of[CGROUP_CPU].dir || u.cpu_ms >= 0);
	cgroup_read(&p, parent, &u);
	CHECK_MSG(u.pids > 0, "processes of a group count in those above it");
	CHECK(cgroup_join(&p, "test-none", getpid()) == MT_ENOTFOUND);
	cgroup_remove(&p, name);
	CHECK_MSG(!cgroup_make(&p, name, &limits, &err), "a group in use stays");
	cgroup_read(&p, name, &u);
	CHECK(u.pids > 0);
	kill(-group, SIGKILL);
	check_removal(&p, parent, name);
	check_stale(&p, name);
	cgroup_place_clear(&p);
}

int main(void)
{
	struct error err = ERROR_NONE;

	if (dir_temporary("test-cgroup", root, sizeof root, &err)) {
		printf("# %s\n", err.text);
		return 1;
	}
	/* Runners that start meanwhile take the processes below for those of a runner. Like
	 * one, this process is the parent of orphans. */
	prctl(PR_SET_NAME, SUPERVISOR_NAME);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	check_v2();
	check_v1();
	check_names();
	check_real();
	dir_remove(root, NULL);
	return tap_done();
}
