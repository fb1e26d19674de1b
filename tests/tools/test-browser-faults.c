/* SPDX-License-Identifier: MIT
 *
 * test-browser-faults.c - browser.so with pages that hang, crash or are huge, a
 * browser that dies, calls that are cancelled; and its options. */
#include "browser-kit.h"
#include "image.h"

#include <pthread.h>
#include <sys/stat.h>

static const char *const quick[] = {
	"timeout", "2s", "settle_time", "50ms", "load_time", "1s", NULL,
};

/* ---- processes and directories ------------------------------------------------------ */

/* The browser: the child that is not the site. */
static pid_t find_browser(void)
{
	char file[64], text[4096] = "";
	char *at = text, *next;
	FILE *f;

	snprintf(file, sizeof file, "/proc/self/task/%d/children", (int)getpid());
	f = fopen(file, "r");
	if (!f || !fgets(text, sizeof text, f))
		*text = '\0';
	if (f)
		fclose(f);
	for (pid_t pid = (pid_t)strtol(at, &next, 10); next != at;
	     at = next, pid = (pid_t)strtol(at, &next, 10))
		if (pid != server)
			return pid;
	return 0;
}

/* No directory is left of it. */
static bool is_clean(void)
{
	DIR *d = opendir(dir);
	bool clean = true;

	for (struct dirent *e; d && (e = readdir(d));)
		clean = clean && strncmp(e->d_name, "browser-", 8) != 0 &&
			strncmp(e->d_name, "org.chromium", 12) != 0;
	if (d)
		closedir(d);
	return clean;
}

static bool is_gone(pid_t group)
{
	for (int i = 0; i < 1000; i++) {
		if (kill(-group, 0) != 0)
			return true;
		usleep(20000);
	}
	return false;
}

/* ---- pages ----------------------------------------------------------------------------- */

static void hung_page(void)
{
	void *self = open_one(quick);
	pid_t group;

	CHECK(visit(self, "busy.html"));
	run(self, "click('1')");
	CHECK(shows("TimeoutError") && shows("[The page did not respond: "));
	CHECK(shows("button 'Hang'"));
	run(self, "noop(1)");
	CHECK(!has_error() && shows("ready"));
	go(self, "hang");
	CHECK(shows("TimeoutError") && shows("[The page did not respond: "));
	run(self, "goto('data:text/html,<a href=\"http://127.0.0.1:1/\">x</a>')");
	run(self, "click('2')");
	CHECK(shows("ERR_"));
	CHECK(visit(self, "links.html"));
	run(self, "click('9')");
	CHECK(shows("[The page is still loading.]") && shows("link 'Silent'"));
	run(self, "goto('data:text/html,<p>begun<script>for(;;);</script>')");
	CHECK(shows("still loading"));
	CHECK(visit(self, "hello.html") && shows("A small page."));
	group = find_browser();
	CHECK(group > 0);
	set->close(&host, &instance, self);
	CHECK(is_gone(group));
	CHECK(is_clean());
}

static void crashed_page(void *self)
{
	CHECK(visit(self, "hello.html"));
	run(self, "goto('chrome://crash')");
	CHECK(has_error() && shows("The page crashed") && shows("about:blank"));
	CHECK(visit(self, "hello.html"));
	run(self, "goto('data:text/html,<button onclick=window.close()>Close</button>')");
	run(self, "new_tab()\ntab_close()\ntab_close()");
	CHECK(!has_error() && shows("about:blank"));
}

static void huge_page(void *self)
{
	size_t lines = 0;

	CHECK(visit(self, "big.html"));
	CHECK(shows("button 'b0'") && !strstr(call.text.text, "button 'b3299'"));
	CHECK(call.text.len < 26 * 1024);
	for (const char *at = call.text.text; (at = strchr(at, '\n')); at++)
		lines++;
	CHECK_MSG(lines < 150, "%zu lines are in view", lines);
}

static void long_address(void *self)
{
	AUTO(strbuf) struct strbuf code = STRBUF(1 << 20);

	strbuf_add(&code, "goto('data:text/html,<a href=\"/");
	for (int i = 0; i < 5000; i++)
		strbuf_add(&code, "verylong");
	strbuf_add(&code, "\">x</a>')");
	run(self, code.text);
	CHECK(!has_error() && shows("link 'x'") && shows("..."));
	CHECK(call.text.len < 4096);
}

/* ---- the browser -------------------------------------------------------------------------- */

static void dead_browser(void *self)
{
	pid_t pid = find_browser();

	CHECK(visit(self, "hello.html"));
	CHECK(kill(-pid, SIGKILL) == 0);
	/* The browser may exit during the next call, which then reports it. */
	if (visit(self, "hello.html") || visit(self, "hello.html"))
		CHECK(shows("[The browser had exited and was restarted.]"));
	CHECK(find_browser() != pid);
}

/* Something for another thread to do in a while. */
struct later {
	pid_t kill;
	int close;
};

static void *do_later(void *arg)
{
	struct later *l = arg;

	usleep(300000);
	if (l->kill)
		kill(-l->kill, SIGKILL);
	if (l->close)
		close(call.cancel[1]), call.cancel[1] = -1;
	return NULL;
}

static void while_it_waits(void *self, struct later what)
{
	static const char args[] = "{\"code\": \"noop(20000)\"}";
	int64_t began = clock_ms();
	pthread_t thread;

	kit_end(&call);
	kit_begin(&call, args);
	CHECK(pthread_create(&thread, NULL, do_later, &what) == 0);
	call.status = set->call(&host, self, &call);
	pthread_join(thread, NULL);
	CHECK(clock_ms() - began < 15000);
}

static void broken_off(void *self)
{
	CHECK(visit(self, "hello.html"));
	while_it_waits(self, (struct later){ .kill = find_browser() });
	CHECK(call.status == MT_EIO);
	CHECK_STR(call.sentence.text,
		  "the browser exited; the next call starts a new one");
	CHECK(visit(self, "counter.html") && shows("button 'More'"));
	while_it_waits(self, (struct later){ .close = 1 });
	CHECK(call.status == MT_ECANCELLED);
	run(self, "click('1')");
	CHECK(shows("'1'"));
}

static void no_browser(void)
{
	static const char *const missing[] = { "program", "/nonexistent/chromium", NULL };
	static const char *const broken[] = { "program", "/bin/false", NULL };
	static const char *const silent[] = { "program", "/bin/cat", NULL };
	void *self = open_one(missing);
	char file[100];

	run(self, "noop()");
	CHECK(call.status == MT_ENOTFOUND);
	CHECK_STR(call.sentence.text, "Chromium is not installed; install the package "
				      "chromium, or set the option `program`");
	set->close(&host, &instance, self);
	self = open_one(broken);
	run(self, "noop()");
	CHECK(call.status == MT_EIO && strstr(call.sentence.text, "browser"));
	set->close(&host, &instance, self);
	kit_file(dir, "closed",
		 "#!/bin/sh\necho 'FATAL: No usable sandbox! And so on' >&2\n");
	snprintf(file, sizeof file, "%s/closed", dir);
	CHECK(chmod(file, 0700) == 0);
	self = open_one((const char *[]){ "program", file, NULL });
	run(self, "noop()");
	CHECK(call.status == MT_EIO && strstr(call.sentence.text, "`sandbox = no`"));
	set->close(&host, &instance, self);
	self = open_one(silent);
	run(self, "noop()");
	CHECK(call.status == MT_EIO && strstr(call.sentence.text, "cat --help"));
	set->close(&host, &instance, self);
	CHECK(is_clean());
}

static void few_hosts(void)
{
	static const char *const wrong[] = { "hosts", "a.b, c;d", NULL };
	static const char *const one[] = {
		"hosts", "localhost, *.example.org", "settle_time", "50ms", NULL,
	};
	char code[100];
	void *self = open_one(wrong);

	run(self, "noop()");
	CHECK(call.status == MT_EINVAL && strstr(call.sentence.text, "not `c;d`"));
	set->close(&host, &instance, self);
	self = open_one(one);
	CHECK(!visit(self, "hello.html") && shows("ERR_NAME_NOT_RESOLVED"));
	snprintf(code, sizeof code, "goto('http://localhost%s/hello.html')",
		 strrchr(site, ':'));
	run(self, code);
	CHECK(!has_error() && shows("A small page."));
	set->close(&host, &instance, self);
}

/* ---- options ------------------------------------------------------------------------------- */

static void whole_tree(void *self)
{
	CHECK(visit(self, "form.html"));
	CHECK(shows("textbox 'Name', required"));
	run(self, "goto(\"data:text/html,<script>for (i = 0; i < 99; i++) document.write("
		  "'<button>A button '%2Bi%2B'</button> ')</script>\")");
	CHECK(shows("too long to show completely") && shows("[The tree was cut here"));
	CHECK(call.text.len < 3 * 1024);
	CHECK(visit(self, "hello.html") && shows("link 'To the counter' -> /"));
	CHECK(visit(self, "tall.html"));
	CHECK(shows("~[4] button 'Foot'\n"));
	run(self, "click('4')");
	CHECK(shows("foot pressed") && shows("\n[4] button 'Foot'"));
}

static void accepted_dialogs(void *self)
{
	CHECK(visit(self, "dialogs.html"));
	CHECK_STR(call.mime, "image/png");
	CHECK(call.media_len > 1000);
	run(self, "click('2')");
	CHECK(shows("confirmed: true"));
	run(self, "click('3')");
	CHECK(shows("name: Bob"));
	run(self, "screenshot()"); /* coordinates = no */
	CHECK(!shows("mouse_click") && !strstr(set->tools[0].description, "mouse_"));
	run(self, "mouse_click(1, 1)");
	CHECK(has_error() && shows("NameError: unknown action `mouse_click`"));
}

static void fields(void *self)
{
	CHECK(visit(self, "form.html"));
	CHECK(strstr(js_str(call.fields, "url", ""), "/form.html") != NULL);
	CHECK(!js_bool(call.fields, "error", true));
	run(self, "focus('14')");
	CHECK_STR(js_str(call.fields, "focused_element_bid", ""), "14");
	CHECK_STR(js_str(call.fields, "last_browser_action", ""), "focus('14')");
	run(self, "click('999')");
	CHECK(js_bool(call.fields, "error", false));
	CHECK(strncmp(js_str(call.fields, "last_browser_action_error", ""),
		      "ValueError: ", 12) == 0);
	CHECK(json_object_array_length(js_get(call.fields, "open_pages_urls")) == 1);
}

int main(void)
{
	static const char *const options[] = {
		"settle_time", "50ms", NULL,
	};
	static const char *const others[] = {
		"coordinates", "no", "dialogs", "accept", "screenshots", "yes", "tree", "all", "tree_max", "1K",
		"settle_time", "50ms", NULL,
	};

	if (begin()) {
		void *self = open_one(options);

		fields(self);
		crashed_page(self);
		huge_page(self);
		long_address(self);
		dead_browser(self);
		broken_off(self);
		set->close(&host, &instance, self);
		no_browser();
		few_hosts();
		hung_page();
		self = open_one(others);
		whole_tree(self);
		accepted_dialogs(self);
		set->close(&host, &instance, self);
	}
	end();
	return tap_done();
}
