/* SPDX-License-Identifier: MIT
 *
 * chrome.c - starts and ends the browser process. */
#include "chrome.h"
#include "auto.h"
#include "files.h"
#include "signals.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	ARGS_MAX = 48,
	KILL_MS = 2000,
	PROFILE_MAX = 107 - sizeof "/org.chromium.Chromium.XXXXXX/SingletonSocket",
};

/* Download PDF files: the accessibility tree does not show the built-in viewer. */
static const char preferences[] = "{\"plugins\":{\"always_open_pdf_externally\":true},"
				  "\"credentials_enable_service\":false,"
				  "\"profile\":{\"password_manager_enabled\":false}}";

/* Disable background requests, prompts, and anything that is not the page. All frames of
 * a page share a process, so that one session reaches them. */
static const char *const flags[] = {
	"--headless=new", "--remote-debugging-pipe", "--no-first-run",
	"--no-default-browser-check", "--disable-background-networking",
	"--disable-component-update", "--disable-default-apps", "--disable-extensions",
	"--disable-sync", "--disable-breakpad", "--disable-crash-reporter",
	"--disable-client-side-phishing-detection", "--disable-dev-shm-usage",
	"--disable-hang-monitor", "--disable-popup-blocking", "--disable-gpu",
	"--disable-prompt-on-repost", "--disable-search-engine-choice-screen",
	"--disable-site-isolation-trials", "--disable-smooth-scrolling",
	"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
	"--disable-backgrounding-occluded-windows",
	("--disable-features=IsolateOrigins,site-per-process,Translate,"
	 "OptimizationHints,MediaRouter,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
	 "NetworkTimeServiceQuerying"),
	/* Chromium asks these services in spite of the flags above; the sandbox would
	 * report each host that it refuses to the model. */
	"--component-updater=url-source=http://localhost:9/",
	"--gaia-url=http://localhost:9/",
	"--force-color-profile=srgb", "--force-device-scale-factor=1",
	"--metrics-recording-only", "--mute-audio", "--no-service-autorun",
	"--password-store=basic", "--use-mock-keychain",
};

static char *find_chromium(const char *wanted)
{
	static const char *const names[] = { "chromium", "chromium-browser",
					     "google-chrome-stable", "google-chrome", NULL };
	const char *const one[] = { wanted, NULL };
	const char *path = getenv("PATH");
	char *found = NULL;

	if (wanted && strchr(wanted, '/'))
		return path_is_program(wanted) ? strdup(wanted) : NULL;
	for (const char *const *n = wanted && *wanted ? one : names; *n && !found; n++)
		found = path_find_program(path ? path : "/usr/bin", *n);
	return found;
}

static int make_profile(const char *directory, char **ret, struct error *err)
{
	AUTO(free) char *dir = NULL, *defaults = NULL, *file = NULL;
	int status;

	if (asprintf(&dir, "%s/browser-XXXXXX", directory) < 0)
		return dir = NULL, out_of_memory(err);
	if (!mkdtemp(dir))
		return fail(err, MT_EIO,
			    "cannot create the browser's directory in %s: %s", directory,
			    strerror(errno));
	defaults = path_join(dir, "Default");
	file = defaults ? path_join(defaults, "Preferences") : NULL;
	status = file ? dir_make(defaults, err) : out_of_memory(err);
	if (!status)
		status = file_write(file, preferences, sizeof preferences - 1, 0600,
				    false, err);
	if (status)
		dir_remove(dir, NULL);
	else
		*ret = STEAL(dir);
	return status;
}

/* Our environment with one variable set. Only the array is allocated. */
static char **environment_with(char *variable)
{
	size_t n = 0, name = strcspn(variable, "=") + 1, count = 1;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 2, sizeof *env);
	if (!env)
		return NULL;
	env[0] = variable;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], variable, name) != 0)
			env[count++] = environ[i];
	return env;
}

/* Run in the child: only async-signal-safe functions before exec. */
static _Noreturn void chrome_become(const char *program, char *const *argv,
				    char *const *env, int in, int out, int log)
{
	int null = open("/dev/null", O_RDWR);

	signals_reset();
	setpgid(0, 0);
	in = fcntl(in, F_DUPFD, 10);
	out = fcntl(out, F_DUPFD, 10);
	log = fcntl(log, F_DUPFD, 10);
	null = fcntl(null, F_DUPFD, 10);
	if (in < 0 || out < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(log < 0 ? null : log, 2) < 0 || dup2(in, 3) < 0 || dup2(out, 4) < 0)
		_exit(126);
	syscall(SYS_close_range, 5u, ~0u, 0u);
	execve(program, argv, env);
	_exit(127);
}

/* Directory for temporary files: the profile, or the standard one if a socket path in the
 * profile would be too long. */
static const char *chrome_tmpdir(const struct chrome *c)
{
	const char *dir = getenv("TMPDIR");

	if (strlen(c->profile) <= PROFILE_MAX)
		return c->profile;
	return dir && *dir == '/' && strlen(dir) <= PROFILE_MAX ? dir : "/tmp";
}

static int chrome_spawn(const char *program, char *const *argv, struct chrome *c,
			struct error *err)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };
	AUTO(free) char *name = path_join(c->profile, "stderr");
	AUTO(close) int log =
		name ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	AUTO(free) char *temporary = NULL;
	AUTO(free) char **env = NULL;

	if (asprintf(&temporary, "TMPDIR=%s", chrome_tmpdir(c)) < 0)
		temporary = NULL;
	env = temporary ? environment_with(temporary) : NULL;
	c->pid = -1;
	if (env && pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0)
		c->pid = fork();
	if (c->pid == 0)
		chrome_become(program, argv, env, to[0], from[1], log);
	if (to[0] >= 0)
		close(to[0]);
	if (from[1] >= 0)
		close(from[1]);
	c->in = from[0];
	c->out = to[1];
	return c->pid > 0 ? MT_OK
			  : fail(err, MT_EIO, "cannot start the browser: %s",
				 strerror(errno));
}

/* Build the rules for host names, also with a leading *; names must not contain other
 * rule syntax. @return NULL: out of memory, or an invalid name. */
static char *host_rules(const char *hosts, struct error *err)
{
	AUTO(strbuf) struct strbuf rules = STRBUF(1 << 16);

	strbuf_add(&rules, "--host-resolver-rules=MAP * ~NOTFOUND");
	for (const char *at = hosts; *(at += strspn(at, ", ")); at += strcspn(at, ", ")) {
		size_t len = strcspn(at, ", ");

		if (strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789.-*[]:_") < len) {
			fail(err, MT_EINVAL,
			     "option `hosts`: use names such as example.org and "
			     "*.example.org, not `%.*s`",
			     (int)len, at);
			return NULL;
		}
		strbuf_addf(&rules, ", EXCLUDE %.*s", (int)len, at);
	}
	if (rules.error)
		out_of_memory(err);
	return rules.error ? NULL : strdup(rules.text);
}

int chrome_start(const struct chrome_config *config, struct chrome *ret,
		 struct error *err)
{
	AUTO(free) char *program = find_chromium(config->program);
	AUTO(free) char *profile = NULL, *size = NULL, *rules = NULL;
	const char *argv[ARGS_MAX];
	size_t n = 0;
	int status;

	*ret = (struct chrome){ .pid = -1, .in = -1, .out = -1 };
	if (!program)
		return fail(err, MT_ENOTFOUND,
			    "Chromium is not installed; install the package chromium, "
			    "or set the option `program`");
	if (config->hosts && *config->hosts) {
		rules = host_rules(config->hosts, err);
		if (!rules)
			return err->code;
	}
	status = make_profile(config->directory, &ret->profile, err);
	if (status)
		return status;
	argv[n++] = program;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		argv[n++] = flags[i];
	if (asprintf(&profile, "--user-data-dir=%s", ret->profile) < 0)
		profile = NULL;
	if (asprintf(&size, "--window-size=%d,%d", config->width, config->height) < 0)
		size = NULL;
	argv[n++] = profile;
	argv[n++] = size;
	if (config->open || geteuid() == 0)
		argv[n++] = "--no-sandbox";
	if (rules)
		argv[n++] = rules;
	argv[n++] = "about:blank";
	argv[n] = NULL;
	status = profile && size ? chrome_spawn(program, (char *const *)argv, ret, err)
				 : out_of_memory(err);
	if (status)
		chrome_end(ret);
	return status;
}

static bool chrome_is_over(pid_t pid, int ms)
{
	for (; ms >= 0; ms -= 10) {
		pid_t got = waitpid(pid, NULL, WNOHANG);

		if (got == pid || (got < 0 && errno == ECHILD))
			return true;
		poll(NULL, 0, 10);
	}
	return false;
}

void chrome_end(struct chrome *c)
{
	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0)
		close(c->out);
	if (c->pid > 0) {
		kill(-c->pid, SIGKILL);
		kill(c->pid, SIGKILL);
		chrome_is_over(c->pid, KILL_MS);
	}
	if (c->profile)
		dir_remove(c->profile, NULL);
	free(c->profile);
	*c = (struct chrome){ .pid = -1, .in = -1, .out = -1 };
}

void chrome_last_words(const struct chrome *c, char *ret, size_t size)
{
	AUTO(free) char *name = c->profile ? path_join(c->profile, "stderr") : NULL;
	AUTO(free) char *text = NULL;
	size_t len = 0;
	char *line;

	*ret = '\0';
	if (!name || file_read(name, 1 << 20, &text, &len, NULL) || !len)
		return;
	if (strstr(text, "No usable sandbox")) {
		snprintf(ret, size,
			 "its sandbox requires user namespaces, which are not permitted "
			 "here; set `sandbox = no` if something else confines it");
		return;
	}
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	snprintf(ret, size, "%s", line ? line + 1 : text);
}
