/* SPDX-License-Identifier: MIT
 *
 * launch.c - forks the child that becomes a kernel.
 *
 * The process may have threads: between fork and exec, only async-signal-safe functions
 * are called, so all texts are built before. */
#include "launch.h"
#include "files.h"
#include "hex.h"
#include "python-files.h"
#include "signals.h"
#include "space.h"
#include "utf8.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

extern char **environ;

enum {
	PORTS = CHANNEL_COUNT + 1, /* also the heartbeat's, which kernels bind */
	ENV_MAX = 128,             /* variables that a kernel.json may set */
	END_MS = 2000,             /* for a killed process to exit */
};

/* ---- its directory ---------------------------------------------------------- */

/* Socket paths are limited to 107 bytes, including the "-1" that kernels add. */
static bool is_short(const char *directory)
{
	return strlen(directory) + sizeof "/k-1" <
	       sizeof((struct sockaddr_un *)0)->sun_path;
}

static int ipython_launch_make_dir(const char *private_dir, bool tcp, char **ret,
				   struct error *err)
{
	const char *run = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
	const char *const bases[] = { private_dir, run ? run : "",
				      temporary ? temporary : "", "/tmp" };

	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		AUTO(free) char *directory = NULL;

		if (*bases[i] != '/')
			continue;
		if (asprintf(&directory, "%s/kernel-XXXXXX", bases[i]) < 0) {
			directory = NULL;
			return out_of_memory(err);
		}
		if ((tcp || is_short(directory)) && mkdtemp(directory)) {
			*ret = STEAL(directory);
			return MT_OK;
		}
	}
	return fail(err, MT_EIO,
		    "cannot create a directory for the kernel's connection file: %s",
		    strerror(errno));
}

static int ipython_launch_add_file(const struct launch *l, const char *name,
				   const char *text, struct error *err)
{
	AUTO(free) char *path = path_join(l->directory, name);

	if (!path)
		return out_of_memory(err);
	return file_write(path, text, strlen(text), 0600, false, err);
}

/* ---- the connection file ------------------------------------------------- */

static int make_key(struct launch *l, struct error *err)
{
	unsigned char bytes[32];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return fail(err, MT_EIO, "cannot generate a key for the kernel");
	hex_write(bytes, sizeof bytes, l->key);
	return MT_OK;
}

/* Free ports of 127.0.0.1. If another process takes one first, the kernel exits at its
 * start. */
static int find_ports(int ports[PORTS], struct error *err)
{
	int fds[PORTS], n = 0;
	bool good = true;

	for (; n < PORTS && good; n++) {
		struct sockaddr_in a = { .sin_family = AF_INET,
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		socklen_t len = sizeof a;

		fds[n] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		good = fds[n] >= 0 &&
		       bind(fds[n], (struct sockaddr *)&a, sizeof a) == 0 &&
		       getsockname(fds[n], (struct sockaddr *)&a, &len) == 0;
		ports[n] = ntohs(a.sin_port);
	}
	while (n > 0)
		if (fds[--n] >= 0)
			close(fds[n]);
	return good ? MT_OK
		    : fail(err, MT_EIO, "cannot find free ports for the kernel: %s",
			   strerror(errno));
}

static int make_connection(struct launch *l, bool tcp, struct error *err)
{
	static const char *const names[PORTS] = { "shell_port", "iopub_port", "stdin_port",
						  "control_port", "hb_port" };
	AUTO(strbuf) struct strbuf json = STRBUF(8192), ip = STRBUF(4096);
	int ports[PORTS] = { 1, 2, 3, 4, 5 };

	if (make_key(l, err) != MT_OK || (tcp && find_ports(ports, err) != MT_OK))
		return err->code;
	if (tcp)
		strbuf_add(&ip, "127.0.0.1");
	else
		strbuf_addf(&ip, "%s/k", l->directory);
	strbuf_addc(&json, '{');
	js_key_str(&json, "transport", tcp ? "tcp" : "ipc");
	js_key_str(&json, "ip", ip.text);
	js_key_str(&json, "signature_scheme", "hmac-sha256");
	js_key_str(&json, "key", l->key);
	for (int i = 0; i < PORTS; i++)
		js_key_int(&json, names[i], ports[i]);
	strbuf_addc(&json, '}');
	for (int i = 0; i < CHANNEL_COUNT; i++)
		if (asprintf(&l->endpoints[i], tcp ? "tcp://%s:%d" : "ipc://%s-%d",
			     ip.text, ports[i]) < 0)
			l->endpoints[i] = NULL;
	l->file = path_join(l->directory, "connection.json");
	if (json.error || ip.error || !l->file || !l->endpoints[CHANNEL_COUNT - 1])
		return out_of_memory(err);
	return file_write(l->file, json.text, json.len, 0600, false, err);
}

/* ---- the process --------------------------------------------------------- */

struct child {
	char **argv, **env;
	const char *program, *directory;
	int said; /* write end of its standard error */
	pid_t parent;
};

static void list_free(char **list)
{
	for (char **p = list; p && *p; p++)
		free(*p);
	free(list);
}

static char *ipython_launch_replace(const char *text, const char *what, const char *with)
{
	const char *at = strstr(text, what);
	char *out;

	if (!at)
		return strdup(text);
	return asprintf(&out, "%.*s%s%s", (int)(at - text), text, with,
			at + strlen(what)) < 0
		       ? NULL
		       : out;
}

static char **ipython_launch_make_argv(const struct launch *l,
				       const struct kernelspec *spec)
{
	char **argv = calloc(spec->argc + 1, sizeof *argv);

	for (size_t i = 0; argv && i < spec->argc; i++) {
		AUTO(free) char *a = ipython_launch_replace(spec->argv[i],
							    "{connection_file}", l->file);

		argv[i] = a ? ipython_launch_replace(a, "{resource_dir}", spec->directory)
			    : NULL;
		if (!argv[i]) {
			list_free(argv);
			return NULL;
		}
	}
	return argv;
}

/* Non-interactive: do not wait for keys, do not use the user's history. */
static const char *const fixed[] = {
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "EDITOR=false", "VISUAL=false",
	"GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "NO_COLOR=1", "TERM=dumb",
	"DEBIAN_FRONTEND=noninteractive", "PYDEVD_DISABLE_FILE_VALIDATION=1",
};

/* Drop a variable that a later entry of the list sets. */
static void ipython_launch_add_entry(char **env, size_t *n, char *entry)
{
	size_t len = entry ? strcspn(entry, "=") + 1 : 0;

	for (size_t i = 0; entry && i < *n; i++)
		if (strncmp(env[i], entry, len) == 0) {
			free(env[i]);
			env[i] = entry;
			return;
		}
	if (entry)
		env[(*n)++] = entry;
}

static bool ipython_launch_add_own(char **env, size_t *n, const struct launch *l)
{
	const char *path = getenv("PYTHONPATH");
	char *python, *home, *parent;
	int good = asprintf(&python, "PYTHONPATH=%s/python%s%s", l->directory,
			    path && *path ? ":" : "", path ? path : "");

	if (good < 0)
		return false;
	ipython_launch_add_entry(env, n, python);
	if (asprintf(&home, "IPYTHONDIR=%s/ipython", l->directory) < 0)
		return false;
	ipython_launch_add_entry(env, n, home);
	if (asprintf(&parent, "JPY_PARENT_PID=%d", (int)getpid()) < 0)
		return false;
	ipython_launch_add_entry(env, n, parent);
	return true;
}

static char **ipython_launch_make_env(const struct launch *l,
				      const struct kernelspec *spec)
{
	size_t count = 0, n = 0;
	char *own[ENV_MAX] = { NULL };
	bool good = true;

	while (environ && environ[count])
		count++;
	char **env = calloc(count + ARRAY_LEN(fixed) + ENV_MAX + 8, sizeof *env);

	if (!env)
		return NULL;
	for (size_t i = 0; i < count && good; i++)
		good = (env[n++] = strdup(environ[i])) != NULL;
	for (size_t i = 0; i < ARRAY_LEN(fixed) && good; i++) {
		char *entry = strdup(fixed[i]);

		good = entry != NULL;
		ipython_launch_add_entry(env, &n, entry);
	}
	good = good && ipython_launch_add_own(env, &n, l) &&
	       kernelspec_env(spec, own, ENV_MAX) >= 0;
	for (int i = 0; i < ENV_MAX && own[i]; i++)
		ipython_launch_add_entry(env, &n, own[i]);
	if (good)
		return env;
	list_free(env);
	return NULL;
}

static _Noreturn void become_kernel(const struct child *c)
{
	int nothing;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != c->parent)
		_exit(126);
	setpgid(0, 0);
	signals_reset();
	nothing = open("/dev/null", O_RDWR);
	if (dup2(c->said, 2) < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0)
		_exit(126);
	syscall(SYS_close_range, 3u, ~0u, 0u);
	if (chdir(c->directory) < 0 && chdir("/") < 0)
		_exit(126);
	execve(c->program, c->argv, c->env);
	_exit(127);
}

static int ipython_launch_start(struct launch *l, struct child *c, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, MT_EIO, "cannot start a kernel: %s", strerror(errno));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	c->said = ends[1];
	c->parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		become_kernel(c);
	close(ends[1]);
	l->said_fd = ends[0];
	if (pid < 0)
		return fail(err, MT_EIO, "cannot start a kernel: %s", strerror(errno));
	setpgid(pid, pid);
	l->pid = pid;
	l->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (l->pidfd < 0)
		return fail(err, MT_EIO, "cannot watch a kernel: %s", strerror(errno));
	return MT_OK;
}

static int launch_prepare(const struct launch_config *config, struct launch *l,
			  struct error *err)
{
	AUTO(free) char *python = NULL;

	if (ipython_launch_make_dir(config->private_dir, config->tcp, &l->directory,
				    err) != MT_OK)
		return err->code;
	python = path_join(l->directory, "python");
	if (!python)
		return out_of_memory(err);
	if (dir_make(python, err) != MT_OK ||
	    ipython_launch_add_file(l, "python/agentskills.py", python_agentskills,
				    err) != MT_OK)
		return err->code;
	return make_connection(l, config->tcp, err);
}

int launch_start(const struct launch_config *config, struct launch *l, struct error *err)
{
	*l = (struct launch){ .pidfd = -1, .said_fd = -1,
			      .said = STRBUF(2 * LAUNCH_SAID_MAX) };
	int status = launch_prepare(config, l, err);

	if (status == MT_OK) {
		struct child c = { .argv = ipython_launch_make_argv(l, config->spec),
				   .env = ipython_launch_make_env(l, config->spec),
				   .program = config->spec->program,
				   .directory = config->directory };

		status = c.argv && c.env ? ipython_launch_start(l, &c, err)
					 : out_of_memory(err);
		list_free(c.argv);
		list_free(c.env);
	}
	if (status != MT_OK)
		launch_clear(l);
	return status;
}

bool launch_has_ended(struct launch *l)
{
	if (l->pid > 0 && waitpid(l->pid, &l->status, WNOHANG) == l->pid) {
		kill(-l->pid, SIGKILL); /* remaining processes of its group */
		l->pid = 0;
		l->ended = true;
	}
	return l->ended;
}

void launch_listen(struct launch *l)
{
	char piece[1024];

	for (ssize_t n; l->said_fd >= 0;) {
		n = read(l->said_fd, piece, sizeof piece);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0 || errno != EAGAIN) {
				close(l->said_fd);
				l->said_fd = -1;
			}
			return;
		}
		strbuf_addn(&l->said, piece, (size_t)n);
		if (l->said.len > LAUNCH_SAID_MAX)
			strbuf_consume(&l->said, l->said.len - LAUNCH_SAID_MAX);
	}
}

void launch_signal(struct launch *l, int number)
{
	if (l->pid > 0 && kill(-l->pid, number) < 0)
		kill(l->pid, number);
}

static void ipython_launch_wait_for_end(struct launch *l)
{
	pid_t pid = l->pid;

	launch_signal(l, SIGKILL);
	for (int waited = 0; !launch_has_ended(l) && waited < END_MS; waited += 5)
		usleep(5000);
	if (!l->ended && pid > 0)
		waitpid(pid, &l->status, WNOHANG);
	l->pid = 0;
}

void launch_clear(struct launch *l)
{
	if (l->pid > 0)
		ipython_launch_wait_for_end(l);
	if (l->pidfd >= 0)
		close(l->pidfd);
	if (l->said_fd >= 0)
		close(l->said_fd);
	l->pidfd = l->said_fd = -1;
	if (l->directory)
		dir_remove(l->directory, NULL);
	for (int i = 0; i < CHANNEL_COUNT; i++) {
		free(l->endpoints[i]);
		l->endpoints[i] = NULL;
	}
	free(l->directory);
	free(l->file);
	l->directory = l->file = NULL;
	strbuf_clear(&l->said);
}

void launch_describe(const struct launch *l, struct strbuf *out)
{
	const char *words = l->said.text;
	size_t len = space_trim_end(words, l->said.len);

	if (WIFSIGNALED(l->status))
		strbuf_addf(out, "signal %d", WTERMSIG(l->status));
	else
		strbuf_addf(out, "exit code %d", WEXITSTATUS(l->status));
	/* The last line has the reason: "No module named ipykernel". */
	const char *line = memrchr(words, '\n', len);

	words = line ? line + 1 : words;
	len = (size_t)(l->said.text + len - words);
	if (len) {
		strbuf_add(out, ": ");
		utf8_add_clean(out, words, utf8_cut(words, len, 200));
	}
}
