/* SPDX-License-Identifier: MIT
 *
 * probe.c - a plugin looked at in a child of its own: this program again, with
 * no environment but PATH, limits, a deadline, and its standard output closed
 * to the plugin. */
#include <config.h>

#include "registry/internal.h"
#include "clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#if defined __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER true
#elif defined __has_feature
#define ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define ADDRESS_SANITIZER false
#endif

/* Seconds after which a refusal is looked into again. */
enum { RETRY_CRASHED = 60, RETRY_MISSING = 30 };

/* ---- the child -------------------------------------------------------------- */

static void limit(int what, rlim_t most)
{
	setrlimit(what, &(struct rlimit){ most, most });
}

static void confine(void)
{
	limit(RLIMIT_CPU, PROBE_MS / 1000);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, 256);
	if (!ADDRESS_SANITIZER) /* which maps terabytes */
		limit(RLIMIT_AS, (rlim_t)2 << 30);
}

int registry_probe_child(const char *path, int out)
{
	const struct mt_plugin *plugin;
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(DESCRIPTION_MAX);
	int status;

	confine();
	status = plugin_open(path, &plugin, &err);
	if (!status)
		status = describe_plugin(plugin, &text, &err);
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

/* Between fork and exec: async-signal-safe functions alone. */
_Noreturn static void become_probe(const char *path, const char *program, int out,
				   char *env_path)
{
	char *argv[] = { (char[]){ "mortise" }, (char[]){ "plugin-probe" },
			 (char *)(uintptr_t)path, NULL };
	char *env[] = { env_path, NULL };
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 2) < 0 || dup2(out, 1) < 0)
		_exit(126);
	close_range(3, ~0u, 0);
	execve(program, argv, env);
	_exit(127);
}

/* ---- the parent -------------------------------------------------------------- */

/* This program; the mortise of the PATH if this is another one (a test). NULL:
 * there is none. */
static char *find_program(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *path = getenv("PATH"), *name;

	self[n > 0 ? n : 0] = '\0';
	name = strrchr(self, '/');
	if (name && strncmp(name, "/mortise", 8) == 0)
		return strdup("/proc/self/exe");
	while (path && *path) {
		struct strbuf candidate = STRBUF(4096);
		AUTO(free) char *taken = NULL;
		size_t len = strcspn(path, ":");

		strbuf_addn(&candidate, path, len);
		strbuf_add(&candidate, "/mortise");
		taken = strbuf_take(&candidate);
		if (taken && len > 0 && access(taken, X_OK) == 0)
			return STEAL(taken);
		path += len + (path[len] == ':');
	}
	return NULL;
}

/* Read until the end. MT_ETIMEOUT, MT_ELIMIT, MT_EIO. */
static int read_answer(int fd, int64_t deadline, struct strbuf *answer)
{
	char piece[16384];

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - clock_ms();
		ssize_t n;

		if (left <= 0)
			return MT_ETIMEOUT;
		if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return MT_EIO;
		if (!p.revents)
			continue;
		n = read(fd, piece, sizeof piece);
		if (n == 0)
			return MT_OK;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return MT_EIO;
		if (n > 0 && strbuf_addn(answer, piece, (size_t)n))
			return answer->error;
	}
}

/* Wait for the end of the child until the deadline, then end it. */
static int reap(pid_t pid, int64_t deadline, int *ret_wait)
{
	int status = MT_OK;

	while (waitpid(pid, ret_wait, WNOHANG) == 0) {
		if (clock_ms() >= deadline) {
			status = MT_ETIMEOUT;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			while (waitpid(pid, ret_wait, 0) < 0 && errno == EINTR)
				;
			return status;
		}
		poll(NULL, 0, 1);
	}
	kill(-pid, SIGKILL); /* what it may have started */
	return status;
}

static int understand(const char *text, size_t len, int ended, json_object **ret,
		      int *ret_retry_after, struct error *err)
{
	AUTO(json) json_object *o = NULL;
	struct error why = ERROR_NONE;
	int status;

	*ret_retry_after = RETRY_CRASHED;
	if (WIFSIGNALED(ended)) {
		const char *name = sigabbrev_np(WTERMSIG(ended));

		return fail(err, MT_EIO,
			    "crashed (SIG%s) while it was loaded and queried",
			    name ? name : "?");
	}
	if (WEXITSTATUS(ended) == 126 || WEXITSTATUS(ended) == 127) {
		*ret_retry_after = RETRY_NOW;
		return fail(err, MT_EIO,
			    "cannot probe the plugin: mortise could not start itself");
	}
	if (WEXITSTATUS(ended) || len == 0)
		return fail(err, MT_EIO, "exited (code %d) while it was loaded",
			    WEXITSTATUS(ended));
	o = js_parse_object(text, len, &why);
	if (!o)
		return fail(err, MT_EIO, "invalid description: %s", why.text);
	*ret_retry_after = 0;
	if (js_get(o, "refused")) {
		status = (int)js_int(o, "status", MT_EINVAL);
		*ret_retry_after = status == MT_ENOTFOUND ? RETRY_MISSING : 0;
		return fail(err, status < 0 ? status : MT_EINVAL, "%s",
			    js_str(o, "refused", ""));
	}
	*ret = STEAL(o);
	return MT_OK;
}

/* Signals that this process blocks or ignores must not reach the child so. */
static void default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int run_child(const char *path, struct strbuf *answer, int *ret_wait,
		     struct error *err)
{
	AUTO(free) char *program = find_program(), *env_path = NULL;
	const char *search = getenv("PATH");
	struct strbuf env = STRBUF(65536);
	int64_t deadline = clock_ms() + PROBE_MS;
	int pipes[2], status, reaped;
	pid_t pid;

	strbuf_addf(&env, "PATH=%s", search ? search : "/usr/bin:/bin");
	env_path = strbuf_take(&env);
	if (!env_path)
		return out_of_memory(err);
	if (!program)
		return fail(err, MT_EIO,
			    "cannot probe the plugin: mortise is not in PATH");
	if (pipe2(pipes, O_CLOEXEC) != 0)
		return fail(err, MT_EIO, "cannot probe the plugin: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		default_signals();
		become_probe(path, program, pipes[1], env_path);
	}
	close(pipes[1]);
	status = pid < 0 ? MT_EIO : read_answer(pipes[0], deadline, answer);
	close(pipes[0]);
	if (pid < 0)
		return fail(err, MT_EIO, "cannot probe the plugin: %s", strerror(errno));
	reaped = reap(pid, status ? 0 : deadline, ret_wait);
	if (status == MT_ELIMIT)
		return fail(err, status, "its description is larger than %d bytes",
			    DESCRIPTION_MAX);
	if (status == MT_ETIMEOUT || (!status && reaped == MT_ETIMEOUT))
		return fail(err, MT_ETIMEOUT,
			    "did not respond within %d s while it was loaded and queried",
			    PROBE_MS / 1000);
	return status ? fail(err, status, "cannot probe the plugin") : MT_OK;
}

int probe(const char *path, json_object **ret, int *ret_retry_after, struct error *err)
{
	AUTO(strbuf) struct strbuf answer = STRBUF(DESCRIPTION_MAX + 4096);
	int ended = 0, status = elf_check(path, err);

	/* an error of the disk or of this program says nothing about the plugin */
	*ret_retry_after = status == MT_EIO ? RETRY_NOW : 0;
	if (status)
		return status;
	status = run_child(path, &answer, &ended, err);
	*ret_retry_after = status == MT_EIO ? RETRY_NOW : RETRY_CRASHED;
	return status ? status
		      : understand(answer.text, answer.len, ended, ret, ret_retry_after,
				   err);
}

int registry_probe(const char *path, json_object **ret, struct error *err)
{
	AUTO(free) char *real = realpath(path, NULL);
	int retry_after;

	if (!real)
		return fail(err, MT_ENOTFOUND, "%s", strerror(errno));
	return probe(real, ret, &retry_after, err);
}
