/* SPDX-License-Identifier: MIT
 *
 * plugin-sandbox.c - resource limits, Landlock and seccomp for a forked child. */
#include "controller/plugins/plugin-sandbox.h"

#include "auto.h"
#include "confine.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#elif defined __has_feature
#define ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define ADDRESS_SANITIZER 0
#endif

/* ---- limits ---------------------------------------------------------------- */

enum {
	MEMORY_MAX = 512 << 20, /* more than the process has when it is forked */
	DESCRIPTORS_MAX = 256,  /* limited because pipe buffers do not count as its memory */
};

static void plugin_sandbox_set_limit(int what, rlim_t most)
{
	setrlimit(what, &(struct rlimit){ most, most });
}

/* Bytes of address space that this process has; 0: unknown. */
static rlim_t address_space(void)
{
	AUTO(close) int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[64] = "";

	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		return 0;
	return strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

void plugin_sandbox_limit(int64_t deadline_ms)
{
	rlim_t now = ADDRESS_SANITIZER ? 0 : address_space();

	if (now)
		plugin_sandbox_set_limit(RLIMIT_AS, now + MEMORY_MAX);
	plugin_sandbox_set_limit(RLIMIT_CPU, (rlim_t)(deadline_ms / 1000 + 1));
	plugin_sandbox_set_limit(RLIMIT_CORE, 0);
	plugin_sandbox_set_limit(RLIMIT_FSIZE, 0);
	plugin_sandbox_set_limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
}

/* ---- Landlock ---------------------------------------------------------------- */

/* From the kernel interface, because the system headers may be older. */
enum {
	LL_EXECUTE = 1u << 0,
	LL_READ_FILE = 1u << 2,
	LL_READ_DIR = 1u << 3,
	LL_VERSION = 1u << 0, /* flag of landlock_create_ruleset */
	LL_PATH_BENEATH = 1,
	LL_CREATE_RULESET = 444, LL_ADD_RULE = 445, LL_RESTRICT_SELF = 446, /* calls */
};

struct ll_ruleset {
	uint64_t files, network, scope;
};

struct ll_path {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* The rights that each version of Landlock can deny, and its size of the struct. */
static const struct {
	struct ll_ruleset all;
	size_t size;
} ll_versions[] = {
	{ { 0x1fff, 0, 0 }, 8 },  { { 0x3fff, 0, 0 }, 8 },  { { 0x7fff, 0, 0 }, 8 },
	{ { 0x7fff, 3, 0 }, 16 }, { { 0xffff, 3, 0 }, 16 }, { { 0xffff, 3, 3 }, 24 },
};

static void allow_read(int ruleset, const char *path)
{
	AUTO(close) int fd = open(path, O_PATH | O_CLOEXEC);
	struct ll_path rule = { .allowed = LL_READ_FILE | LL_READ_DIR | LL_EXECUTE,
				.parent = fd };

	if (fd < 0)
		return;
	if (syscall(LL_ADD_RULE, ruleset, LL_PATH_BENEATH, &rule, 0) == 0)
		return;
	rule.allowed = LL_READ_FILE | LL_EXECUTE; /* for a file */
	syscall(LL_ADD_RULE, ruleset, LL_PATH_BENEATH, &rule, 0);
}

static bool is_library(const struct dirent *entry)
{
	const char *ending = strstr(entry->d_name, ".so");

	return ending && (ending[3] == '\0' || ending[3] == '.');
}

/* The plugin may need libraries that are installed next to it. */
static void allow_plugin(int ruleset, const char *path)
{
	enum { LIBRARIES_MAX = 1024 };
	AUTO(free) char *directory = strdup(path);
	DIR *all;
	struct dirent *entry;

	allow_read(ruleset, path);
	if (!directory || !strrchr(directory, '/'))
		return;
	strrchr(directory, '/')[1] = '\0';
	all = opendir(directory);
	for (size_t n = 0; n < LIBRARIES_MAX && all && (entry = readdir(all)); n++) {
		char library[PATH_MAX];

		if (is_library(entry) && snprintf(library, sizeof library, "%s%s",
						  directory, entry->d_name) < PATH_MAX)
			allow_read(ruleset, library);
	}
	if (all)
		closedir(all);
}

int plugin_sandbox_files(const char *path)
{
	static const char *const libraries[] = { "/lib", "/lib64", "/usr/lib",
						 "/usr/lib64", "/usr/local/lib",
						 "/etc/ld.so.cache" };
	long version = syscall(LL_CREATE_RULESET, NULL, 0, LL_VERSION);
	size_t n = version > (long)ARRAY_LEN(ll_versions) ? ARRAY_LEN(ll_versions)
							  : (size_t)version;
	char real[PATH_MAX];
	int ruleset;

	if (version < 1)
		return -1;
	ruleset = (int)syscall(LL_CREATE_RULESET, &ll_versions[n - 1].all,
			       ll_versions[n - 1].size, 0);
	if (ruleset < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(libraries); i++)
		allow_read(ruleset, libraries[i]);
	allow_plugin(ruleset, path);
	if (realpath(path, real) && strcmp(real, path) != 0)
		allow_plugin(ruleset, real);
	return ruleset;
}

/* ---- seccomp ----------------------------------------------------------------- */

/* While the plugin is loaded, and afterwards: inherited by every copy. */
static struct confine loading, running;

int plugin_sandbox_prepare(struct error *err)
{
	int r = loading.list ? MT_OK : confine_prepare(CONFINE_NO_THREADS, &loading, err);

	if (!r && !running.list)
		r = confine_prepare(CONFINE_ONLY_OPEN, &running, err);
	return r;
}

void plugin_sandbox_enter(int files)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (files >= 0)
		syscall(LL_RESTRICT_SELF, files, 0);
	confine_apply(&loading);
}

void plugin_sandbox_close(void)
{
	confine_apply(&running);
}
