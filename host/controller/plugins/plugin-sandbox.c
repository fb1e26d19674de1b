/* SPDX-License-Identifier: MIT
 *
 * plugin-sandbox.c - resource limits, Landlock and seccomp for a forked child. */
#include "controller/plugins/plugin-sandbox.h"

#include "auto.h"
#include "confine.h"
#include "landlock.h"

#include <fcntl.h>
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

static void allow_read(int rules, const char *path)
{
	landlock_allow(rules, landlock_version(), path, LANDLOCK_READ);
}

int plugin_sandbox_files(const char *path, json_object *libraries)
{
	static const char *const directories[] = { "/lib", "/lib64", "/usr/lib",
						   "/usr/lib64", "/usr/local/lib",
						   "/etc/ld.so.cache" };
	static const struct landlock_denied denied = {
		LANDLOCK_ALL, LANDLOCK_BIND | LANDLOCK_CONNECT,
		LANDLOCK_ABSTRACT_SOCKETS | LANDLOCK_SIGNALS,
	};
	int version = landlock_version();
	int rules = version ? landlock_new(version, &denied) : -1;

	if (rules < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(directories); i++)
		allow_read(rules, directories[i]);
	allow_read(rules, path);
	for (size_t i = 0; i < js_length(libraries); i++)
		allow_read(rules, json_object_get_string(
					  json_object_array_get_idx(libraries, i)));
	return rules;
}

/* ---- seccomp ----------------------------------------------------------------- */

/* While the plugin is loaded, and afterwards: inherited by every copy. */
static struct syscall_filter loading, running;

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
		landlock_enter(files);
	confine_apply(&loading);
}

void plugin_sandbox_close(void)
{
	confine_apply(&running);
}
