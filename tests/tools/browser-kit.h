/* SPDX-License-Identifier: MIT
 *
 * browser-kit.h - browser.so with a test site, and the result of a call. */
#ifndef TESTS_BROWSER_KIT_H
#define TESTS_BROWSER_KIT_H

#include "clock.h"
#include "tests/tools/plugin-kit.h"
#include "cdp.h"
#include "strbuf.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

static char dir[] = "/tmp/mortise-browser-XXXXXX";
static char site[64];
static pid_t server;
static struct mt_instance instance;
static struct mt_tool_host host;
static const struct mt_toolset *set;
static struct mt_call call;

static const char *run(void *self, const char *code)
{
	AUTO(strbuf) struct strbuf args = STRBUF(1 << 20);

	strbuf_add(&args, "{\"code\": ");
	js_put_str(&args, code, strlen(code));
	strbuf_add(&args, "}");
	kit_end(&call);
	kit_call(set, self, "browser", &call, args.text);
	return call.text.text ? call.text.text : "";
}

static bool has_error(void)
{
	return call.status || !call.text.text ||
	       strstr(call.text.text, "BEGIN error message");
}

/* Whether the last result holds that; it is shown where not. */
static inline bool shows(const char *what)
{
	bool found = call.text.text && strstr(call.text.text, what);

	if (!found)
		printf("# no %s:\n# %s\n# %s\n", what,
		       call.sentence.text ? call.sentence.text : "",
		       call.text.text ? call.text.text : "");
	return found;
}

static inline void go(void *self, const char *page)
{
	char code[200];

	snprintf(code, sizeof code, "goto('%s/%s')", site, page);
	run(self, code);
}

/* Go to a page of the site; again if the browser did not get to it in time. */
static inline bool visit(void *self, const char *page)
{
	for (int i = 0; i < 20; i++) {
		go(self, page);
		if (!has_error() || !call.text.text ||
		    !strstr(call.text.text, "TimeoutError"))
			break;
	}
	return !has_error();
}

/* ---- the site ----------------------------------------------------------------------- */

static void start_site(void)
{
	const char *top = getenv("top_srcdir");
	AUTO(free) char *script = path_join(top ? top : ".", "tests/browser/site.py");
	AUTO(free) char *pages = path_join(top ? top : ".", "tests/browser/pages");
	AUTO(free) char *port = path_join(dir, "port");
	AUTO(free) char *text = NULL;
	int64_t end = clock_ms() + 20000;
	size_t len;
	pid_t pid = fork();

	if (pid == 0) {
		execlp("python3", "python3", script, pages, port, (char *)NULL);
		_exit(127);
	}
	while (clock_ms() < end && (file_read(port, 100, &text, &len, NULL) || !len))
		usleep(10000);
	snprintf(site, sizeof site, "http://127.0.0.1:%d",
		 text ? (int)strtol(text, NULL, 10) : 0);
	CHECK_MSG(text != NULL, "the site is at %s", site);
	server = pid;
}

static const char *kit_private(struct mt_instance *i)
{
	(void)i;
	return dir;
}

/* An instance with these options: name, value, ... */
static void *open_one(const char *const *options)
{
	void *self = NULL;

	instance.set = options;
	CHECK(set->open(&host, &instance, &self) == MT_OK);
	return self;
}

/* @return false if there is no browser to test with, or MORTISE_TEST_CHROMIUM=no. */
static bool begin(void)
{
	static const char *const none[] = { NULL };
	const struct mt_plugin *plugin = kit_load("browser");
	const char *wanted = getenv("MORTISE_TEST_CHROMIUM");
	void *self;

	if (!plugin || !mkdtemp(dir))
		exit(1);
	signal(SIGPIPE, SIG_IGN);
	setenv("TMPDIR", dir, 1);
	host = kit_host;
	host.private_dir = kit_private;
	instance.component = plugin->components;
	instance.workspace = dir;
	set = plugin->components->functions;
	if (wanted && strcmp(wanted, "no") == 0) {
		SKIP("MORTISE_TEST_CHROMIUM=no");
		return false;
	}
	self = open_one(none);
	run(self, "noop(0)");
	set->close(&host, &instance, self);
	if (call.status == MT_ENOTFOUND) {
		SKIP("there is no chromium");
		return false;
	}
	CHECK(!has_error());
	start_site();
	return true;
}

static void end(void)
{
	kit_end(&call);
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	dir_remove(dir, NULL);
}

#endif
