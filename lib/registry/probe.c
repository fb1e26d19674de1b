/* SPDX-License-Identifier: MIT
 *
 * probe.c - loads and queries plugins in child processes. Each child is this program,
 * with only PATH in its environment, limits, a deadline, a system call filter, and
 * its own PID namespace if the kernel allows that. Without the filter, a plugin could start
 * processes and change files. */
#include <config.h>

#include "registry/internal.h"
#include "registry/namespaces.h"
#include "registry/trusted-path.h"
#include "clock.h"
#include "columns.h"
#include "confine.h"
#include "files.h"
#include "signals.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum {
	PROBES_AT_ONCE = 4, /* not counting the slow ones */
	PROBES_MAX = 32,
	PROBE_SLOW_MS = 200,  /* after this time, another probe starts */
	PROBE_ALL_MS = 30000, /* for all plugins of a scan, if each responds in time */
	SAID_MAX = 200,       /* maximum columns of a line that explains a failure */
};

/* LD_PRELOAD of every child; NULL: unset. */
static char *preload;

int registry_probe_preload(const char *library)
{
	AUTO(strbuf) struct strbuf env = STRBUF(4096);

	strbuf_addf(&env, "LD_PRELOAD=%s", library);
	free(preload);
	preload = strbuf_take(&env);
	return preload ? MT_OK : MT_ENOMEM;
}

/* State that all children share. */
struct prober {
	char *program, *env_path;
	struct namespaces namespaces;
	int64_t deadline; /* for all children */
};

/* ---- the child -------------------------------------------------------------- */

static void registry_probe_limit(int what, rlim_t most)
{
	setrlimit(what, &(struct rlimit){ most, most });
}

/* True if the sanitizer is linked or preloaded. */
static bool has_address_sanitizer(void)
{
	return dlsym(RTLD_DEFAULT, "__asan_init") != NULL;
}

/* If the kernel lacks seccomp, only the limits apply. */
static void confine(void)
{
	struct syscall_filter filter;
	int prepared = confine_prepare(0, &filter, NULL);

	registry_probe_limit(RLIMIT_CPU, PROBE_MS / 1000);
	registry_probe_limit(RLIMIT_CORE, 0);
	registry_probe_limit(RLIMIT_FSIZE, 0);
	registry_probe_limit(RLIMIT_NOFILE, 256);
	if (!has_address_sanitizer()) /* it maps terabytes */
		registry_probe_limit(RLIMIT_AS, (rlim_t)2 << 30);
	if (prepared == MT_OK)
		confine_apply(&filter);
	syscall_filter_clear(&filter);
}

/* The libraries that are loaded, in the order in which they were. */
struct libraries {
	size_t count, skip; /* skip: loaded before the plugin */
	const char *plugin;
	struct strbuf *list; /* NULL: count them only */
};

static int put_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct libraries *l = arg;

	(void)size;
	if (l->count++ < l->skip || !l->list || info->dlpi_name[0] != '/' ||
	    strcmp(info->dlpi_name, l->plugin) == 0)
		return 0;
	if (l->list->len)
		strbuf_addc(l->list, ',');
	js_put_str(l->list, info->dlpi_name, strlen(info->dlpi_name));
	return 0;
}

/* Add the libraries that the plugin has loaded: a copy that runs it can read only these. */
static int describe_libraries(const char *path, size_t skip, struct strbuf *text,
			      struct error *err)
{
	AUTO(strbuf) struct strbuf list = STRBUF(DESCRIPTION_MAX);
	struct libraries l = { .skip = skip, .plugin = path, .list = &list };

	dl_iterate_phdr(put_library, &l);
	if (!list.len)
		return MT_OK;
	strbuf_cut(text, text->len - 1);
	strbuf_addf(text, ",\"libraries\":[%s]}", list.text);
	return list.error || text->error
		       ? fail(err, MT_ELIMIT, "it loads too many libraries")
		       : MT_OK;
}

int registry_probe_child(const char *path, int out)
{
	struct libraries before = { 0 };
	const struct mt_plugin *plugin;
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(DESCRIPTION_MAX);
	int status;

	confine();
	dl_iterate_phdr(put_library, &before);
	status = registry_open_file(path, &plugin, &err);
	if (!status)
		status = registry_describe(plugin, &text, &err);
	if (!status)
		status = describe_libraries(path, before.count, &text, &err);
	if (status) {
		strbuf_reset(&text);
		strbuf_addc(&text, '{');
		js_key_int(&text, "status", status);
		js_key_str(&text, "refused", err.text);
		strbuf_addc(&text, '}');
	}
	for (size_t done = 0; done < text.len;) {
		ssize_t n = write(out, text.text + done, text.len - done);

		if (n < 0 && errno != EINTR)
			return 1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Between fork and exec: only async-signal-safe functions. */
_Noreturn static void become_probe(const char *path, const struct prober *prober, int out,
				   int said)
{
	char *argv[] = { (char[]){ "mortise" }, (char[]){ "plugin-probe" },
			 (char *)(uintptr_t)path, NULL };
	char *env[] = { prober->env_path, preload, NULL };
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(said, 2) < 0 || dup2(out, 1) < 0)
		_exit(126);
	close_range(3, ~0u, 0);
	namespaces_enter(&prober->namespaces);
	execve(prober->program, argv, env);
	_exit(127);
}

/* ---- the parent -------------------------------------------------------------- */

/* The path of this program, or of mortise in PATH if this is another program (a test).
 * NULL: not found. */
static char *registry_probe_find_program(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *name;

	self[n > 0 ? n : 0] = '\0';
	name = strrchr(self, '/');
	if (name && strncmp(name, "/mortise", 8) == 0)
		return strdup("/proc/self/exe");
	return path_find_program(getenv("PATH"), "mortise");
}

/* Disk errors and lack of memory do not depend on the plugin. */
static int retry_refusal(int status)
{
	switch (status) {
	case MT_EIO:
	case MT_ENOMEM:
		return RETRY_NOW;
	case MT_ENOTFOUND:
		return RETRY_MISSING;
	default:
		return 0;
	}
}

/* The first line that the loader, a runtime, or the plugin printed to standard error,
 * after ": "; empty if there is none. */
static void read_said(const struct probe *p, struct strbuf *ret)
{
	char bytes[4096];
	ssize_t n = read(p->said, bytes, sizeof bytes);
	const char *line = bytes, *end = bytes + (n > 0 ? n : 0);

	while (line < end && *line == '\n')
		line++;
	if (line == end)
		return;
	n = (const char *)(memchr(line, '\n', (size_t)(end - line)) ?: end) - line;
	strbuf_add(ret, ": ");
	columns_put(ret, line, (size_t)n, 0, SAID_MAX);
}

/* Process the response of a child that has exited. */
static int understand(struct probe *p, int ended)
{
	AUTO(json) json_object *o = NULL;
	AUTO(strbuf) struct strbuf said = STRBUF(8 * SAID_MAX);
	struct error why = ERROR_NONE, *err = &p->why;
	int status;

	read_said(p, &said);
	p->retry_after = RETRY_CRASHED;
	if (WIFSIGNALED(ended)) {
		const char *name = sigabbrev_np(WTERMSIG(ended));

		return fail(err, MT_EIO,
			    "crashed (SIG%s) while it was loaded and queried%s",
			    name ? name : "?", said.len ? said.text : "");
	}
	if (WEXITSTATUS(ended) == 126 || WEXITSTATUS(ended) == 127) {
		p->retry_after = RETRY_NOW;
		return fail(err, MT_EIO,
			    "cannot probe the plugin: mortise could not start itself");
	}
	if (WEXITSTATUS(ended) || p->answer.len == 0)
		return fail(err, MT_EIO, "exited (code %d) while it was loaded%s",
			    WEXITSTATUS(ended), said.len ? said.text : "");
	o = js_parse_object(p->answer.text, p->answer.len, &why);
	if (!o)
		return fail(err, MT_EIO, "invalid description: %s", why.text);
	p->retry_after = 0;
	if (js_get(o, "refused")) {
		status = (int)js_int(o, "status", MT_EINVAL);
		p->retry_after = retry_refusal(status);
		return fail(err, status < 0 ? status : MT_EINVAL, "%s",
			    js_str(o, "refused", ""));
	}
	p->plugin = STEAL(o);
	return MT_OK;
}

/* ---- one child --------------------------------------------------------------- */

static int64_t registry_probe_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int open_pipes(int answer[2], int said[2])
{
	if (pipe2(answer, O_CLOEXEC) != 0)
		return MT_EIO;
	if (pipe2(said, O_CLOEXEC | O_NONBLOCK) == 0)
		return MT_OK;
	close(answer[0]);
	close(answer[1]);
	return MT_EIO;
}

static int probe_start(const struct prober *prober, struct probe *p)
{
	int pipes[2], said[2], status = registry_check_elf(p->path, &p->why);

	/* errors of the disk or of this program do not depend on the plugin */
	p->retry_after = status == MT_EIO ? RETRY_NOW : 0;
	if (status)
		return status;
	p->retry_after = RETRY_NOW;
	if (open_pipes(pipes, said))
		return fail(&p->why, MT_EIO, "cannot probe the plugin: %s",
			    strerror(errno));
	p->pid = fork();
	if (p->pid == 0) {
		signals_reset();
		become_probe(p->path, prober, pipes[1], said[1]);
	}
	close(pipes[1]);
	close(said[1]);
	if (p->pid < 0) {
		close(pipes[0]);
		close(said[0]);
		return fail(&p->why, MT_EIO, "cannot probe the plugin: %s",
			    strerror(errno));
	}
	p->fd = pipes[0];
	p->said = said[0];
	p->started = clock_ms();
	p->deadline = registry_probe_earlier(p->started + PROBE_MS, prober->deadline);
	return MT_OK;
}

/* Kill the child and the processes that it started. */
static void kill_probe(struct probe *p)
{
	int ended;

	kill(-p->pid, SIGKILL);
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &ended, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}

static void close_answer(struct probe *p)
{
	close(p->fd);
	p->fd = -1;
}

/* End the probe if the child has exited. */
static void registry_probe_reap(struct probe *p)
{
	int ended = 0;
	pid_t pid = waitpid(p->pid, &ended, WNOHANG);

	if (pid == 0 || (pid < 0 && errno == EINTR))
		return;
	kill(-p->pid, SIGKILL);
	p->pid = 0;
	understand(p, ended);
}

static void time_out(struct probe *p)
{
	kill_probe(p);
	close_answer(p);
	p->retry_after = RETRY_CRASHED;
	fail(&p->why, MT_ETIMEOUT,
	     "did not respond within %d s while it was loaded and queried",
	     PROBE_MS / 1000);
}

static void registry_probe_read_answer(struct probe *p)
{
	char piece[16384];
	ssize_t n = read(p->fd, piece, sizeof piece);
	int status = MT_OK;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		status = strbuf_addn(&p->answer, piece, (size_t)n);
	if (n > 0 && !status)
		return;
	close_answer(p);
	if (n == 0)
		return;
	kill_probe(p);
	p->retry_after = status == MT_ELIMIT ? RETRY_CRASHED : RETRY_NOW;
	if (status == MT_ELIMIT)
		fail(&p->why, status, "its description is larger than %d bytes",
		     DESCRIPTION_MAX);
	else
		fail(&p->why, status ? status : MT_EIO, "cannot probe the plugin");
}

/* ---- several at a time ------------------------------------------------------- */

/* Milliseconds until the next deadline of a probe, or until one may have become slow. */
static int wait_time(struct probe *const *running, size_t count)
{
	int64_t now = clock_ms(), least = PROBE_SLOW_MS;

	for (size_t i = 0; i < count; i++)
		least = registry_probe_earlier(
			least, running[i]->fd < 0 ? 1 : running[i]->deadline - now);
	return least > 0 ? (int)least : 0;
}

/* Wait for a response, an exit, or a deadline. */
static void proceed(struct probe *const *running, size_t count)
{
	struct pollfd polled[PROBES_MAX];

	for (size_t i = 0; i < count; i++)
		polled[i] = (struct pollfd){ .fd = running[i]->fd, .events = POLLIN };
	poll(polled, count, wait_time(running, count));
	for (size_t i = 0; i < count; i++) {
		struct probe *p = running[i];

		if (p->fd >= 0 && polled[i].revents)
			registry_probe_read_answer(p);
		if (p->pid && p->fd < 0)
			registry_probe_reap(p);
		if (p->pid && clock_ms() >= p->deadline)
			time_out(p);
	}
}

static size_t drop_ended(struct probe **running, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		if (running[i]->pid)
			running[left++] = running[i];
		else
			close(running[i]->said);
	return left;
}

static void too_late(struct probe *p)
{
	p->retry_after = RETRY_NOW;
	fail(&p->why, MT_ETIMEOUT,
	     "was not checked because other plugins took too long; run the command "
	     "again");
}

/* True if another probe can start. Plugins that hang do not delay the others. */
static bool has_free_place(struct probe *const *running, size_t count)
{
	int64_t now = clock_ms();
	size_t quick = 0;

	for (size_t i = 0; i < count; i++)
		quick += now < running[i]->started + PROBE_SLOW_MS;
	return quick < PROBES_AT_ONCE && count < PROBES_MAX;
}

static bool has_timed_out(struct probe *const *running, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!running[i]->pid && running[i]->why.code == MT_ETIMEOUT)
			return true;
	return false;
}

/* After a plugin has timed out, no more are probed. */
static void run_all(const struct prober *prober, struct probe *list, size_t count)
{
	struct probe *running[PROBES_MAX];
	size_t next = 0, active = 0;
	bool late = false;

	while (next < count || active) {
		while (next < count && (late || has_free_place(running, active))) {
			struct probe *p = &list[next++];

			if (late || clock_ms() >= prober->deadline)
				too_late(p);
			else if (!probe_start(prober, p))
				running[active++] = p;
		}
		if (active)
			proceed(running, active);
		late = late || has_timed_out(running, active);
		active = drop_ended(running, active);
	}
}

void probe_all(struct probe *list, size_t count)
{
	AUTO(free) char *program = registry_probe_find_program(), *env_path = NULL;
	const char *search = getenv("PATH");
	struct strbuf env = STRBUF(65536);
	struct prober prober = { .program = program,
				 .deadline = clock_ms() + PROBE_ALL_MS };

	strbuf_addf(&env, "PATH=%s", search ? search : "/usr/bin:/bin");
	prober.env_path = env_path = strbuf_take(&env);
	namespaces_prepare(&prober.namespaces);
	for (size_t i = 0; i < count; i++) {
		list[i].fd = -1;
		list[i].retry_after = RETRY_NOW;
		list[i].answer = STRBUF(DESCRIPTION_MAX + 4096);
		if (!env_path)
			out_of_memory(&list[i].why);
		else if (!program)
			fail(&list[i].why, MT_EIO,
			     "cannot probe the plugin: mortise is not in PATH");
	}
	if (program && env_path)
		run_all(&prober, list, count);
	for (size_t i = 0; i < count; i++)
		strbuf_clear(&list[i].answer);
}

int registry_probe(const char *path, json_object **ret, struct error *err)
{
	AUTO(free) char *real = realpath(path, NULL);
	struct probe p = { .path = real };

	if (!real)
		return fail(err, MT_ENOTFOUND, "%s", strerror(errno));
	if (!path_is_safe(path, err) || trusted_way(path, err))
		return err->code;
	probe_all(&p, 1);
	if (!p.plugin)
		return fail(err, p.why.code, "%s", p.why.text);
	*ret = p.plugin;
	return MT_OK;
}
