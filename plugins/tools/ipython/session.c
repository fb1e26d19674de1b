/* SPDX-License-Identifier: MIT
 *
 * session.c - the lifetime of the kernel of an instance. */
#include "session.h"
#include "clock.h"
#include "python-files.h"
#include <string.h>
#include <sys/stat.h>

enum {
	PREPARE_MS = 30000, /* for each step before the first cell */
	GRACE_MS = 1000,
	RENEW_MS = 10000,   /* until output is received again */
	FAREWELL_MS = 500,  /* to exit on its own */
	CODE_MAX = 64 * 1024,
	ADDED_MAX = 4 << 20,
};

/* ---- internal cells ------------------------------------------------------ */

/* @return MT_OK if it ran; `ret` contains its success. */
static int run_quietly(struct session *s, const char *code, int cancel_fd,
		       struct cell_result *ret, struct error *err)
{
	AUTO(strbuf) struct strbuf how = STRBUF(512);
	const struct cell cell = {
		.code = code, .len = strlen(code), .silent = true,
		.timeout_ms = PREPARE_MS, .grace_ms = GRACE_MS, .cancel_fd = cancel_fd,
		.wake_fd = -1,
	};
	int status = ipython_session_run(s, &cell, ret, &how, err);

	if (status == MT_OK && ret->cancelled)
		return fail(err, MT_ECANCELLED, "cancelled before it started");
	if (status == MT_OK && !s->kernel)
		return fail(err, MT_EIO, "the kernel exited before the cell was run (%s)",
			    how.text);
	return status;
}

/* "from X import *" of each module of the list, in its order. */
static int import_modules(struct session *s, int cancel_fd, struct strbuf *notes,
			  struct error *err)
{
	const char *list = s->config.imports ? s->config.imports : "";
	int status = MT_OK;

	for (const char *end; *list && status == MT_OK; list = *end ? end + 1 : end) {
		AUTO(strbuf) struct strbuf code = STRBUF(CODE_MAX);
		struct cell_result result = { 0 };

		list += strspn(list, " \t");
		end = strchrnul(list, ',');
		size_t len = (size_t)(end - list);

		while (len && strchr(" \t", list[len - 1]))
			len--;
		if (!len)
			continue;
		strbuf_addf(&code, "from %.*s import *", (int)len, list);
		status = run_quietly(s, code.text, cancel_fd, &result, err);
		if (status == MT_OK && (result.failed || result.timed_out))
			strbuf_addf(notes, "[`%s` failed when the kernel started: %s]\n",
				    code.text,
				    result.timed_out ? "it timed out" : result.error);
	}
	return status;
}

static int add_code(struct session *s, int cancel_fd, struct strbuf *notes,
		    struct error *err)
{
	AUTO(strbuf) struct strbuf code = STRBUF(ADDED_MAX);
	struct cell_result result = { 0 };

	if (!s->config.add_code)
		return MT_OK;
	if (s->config.add_code(s->config.arg, &code) || code.error) {
		strbuf_add(notes, "[`tools` is not available in this kernel.]\n");
		return MT_OK;
	}
	if (run_quietly(s, code.text, cancel_fd, &result, err))
		return err->code;
	if (result.failed || result.timed_out)
		strbuf_addf(notes, "[`tools` is not available: %s]\n",
			    result.timed_out ? "it timed out" : result.error);
	return MT_OK;
}

static int session_prepare(struct session *s, int cancel_fd, struct strbuf *notes,
			   struct error *err)
{
	struct cell_result result;

	if (!s->spec.python)
		return MT_OK;
	if (run_quietly(s, python_kernel_start, cancel_fd, &result, err) != MT_OK ||
	    add_code(s, cancel_fd, notes, err) != MT_OK)
		return err->code;
	return import_modules(s, cancel_fd, notes, err);
}

/* ---- lifetime ------------------------------------------------------------ */

static void forget_kernel(struct session *s)
{
	s->kernel = kernel_free(s->kernel);
	kernelspec_clear(&s->spec);
}

static bool ipython_session_is_dir(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int ipython_session_start(struct session *s, int cancel_fd, struct strbuf *notes,
				 struct error *err)
{
	struct launch_config config = {
		.spec = &s->spec, .private_dir = s->config.private_dir,
		.directory = ipython_session_is_dir(s->shell_dir) ? s->shell_dir
								  : s->config.workspace,
		.tcp = s->config.tcp,
	};
	int status = kernelspec_find(s->config.kernel, &s->spec, err);

	if (status == MT_OK)
		status = kernel_start(&config, &s->kernel, err);
	if (status == MT_OK)
		status = cell_await_kernel(s->kernel, s->config.start_ms, cancel_fd, err);
	if (status == MT_OK)
		status = session_prepare(s, cancel_fd, notes, err);
	if (status != MT_OK) {
		forget_kernel(s);
		return status;
	}
	if (s->started && !s->told)
		strbuf_add(notes, "[The kernel had exited. This is a new one, and the "
				  "previous state is lost.]\n");
	s->started = true;
	s->told = false;
	return MT_OK;
}

/* Check whether it exited between two calls. */
static void look_after(struct session *s)
{
	if (s->kernel && kernel_wait(s->kernel, 0, -1, -1) & KERNEL_DEAD)
		forget_kernel(s);
}

/* The shell's directory has changed: change the kernel's, too. */
static int ipython_session_change_directory(struct session *s, int cancel_fd,
					    struct strbuf *notes, struct error *err)
{
	AUTO(strbuf) struct strbuf code = STRBUF(CODE_MAX);
	AUTO(free) char *here = kernel_directory(s->kernel);
	struct cell_result result = { 0 };

	if (!s->spec.python || (here && strcmp(here, s->shell_dir) == 0))
		return MT_OK;
	strbuf_add(&code, "__import__('os').chdir(");
	js_put_str(&code, s->shell_dir, strlen(s->shell_dir));
	strbuf_addc(&code, ')');
	int status = run_quietly(s, code.text, cancel_fd, &result, err);

	if (status == MT_OK && result.failed)
		strbuf_addf(
			notes,
			"[The kernel cannot change to the directory of the shell: %s]\n",
			result.error);
	return status;
}

int session_ready(struct session *s, const char *shell_dir, int cancel_fd,
		  struct strbuf *notes, struct error *err)
{
	bool moved = shell_dir && *shell_dir == '/' &&
		     (!s->shell_dir || strcmp(s->shell_dir, shell_dir) != 0);

	if (moved) {
		char *copy = strdup(shell_dir);

		if (!copy)
			return out_of_memory(err);
		free(s->shell_dir);
		s->shell_dir = copy;
	}
	look_after(s);
	if (!s->kernel)
		return ipython_session_start(s, cancel_fd, notes, err);
	return moved ? ipython_session_change_directory(s, cancel_fd, notes, err) : MT_OK;
}

/* Give the kernel a moment to write its files. */
static void say_farewell(struct kernel *k)
{
	int64_t until = clock_ms() + FAREWELL_MS;

	if (kernel_send(k, CHANNEL_CONTROL, "shutdown_request", "{\"restart\":false}",
			NULL, NULL) != MT_OK)
		return;
	for (int64_t left; (left = until - clock_ms()) > 0;) {
		struct wire_message m;

		if (kernel_wait(k, left, -1, -1) & KERNEL_DEAD)
			return;
		for (int c = 0; c < CHANNEL_COUNT; c++)
			while (kernel_read(k, (enum channel)c, &m, NULL) != MT_ENOTFOUND)
				wire_clear(&m);
	}
}

int ipython_session_run(struct session *s, const struct cell *cell,
			struct cell_result *ret, struct strbuf *ret_end,
			struct error *err)
{
	int status = cell_run(s->kernel, cell, ret, err);

	if (status != MT_OK && status != MT_EIO)
		return status;
	if (status == MT_EIO || ret->dead || ret->killed || ret->leaving) {
		if (ret->leaving)
			say_farewell(s->kernel);
		else if (!ret->dead)
			kernel_wait(s->kernel, FAREWELL_MS, -1, -1);
		kernel_describe(s->kernel, ret_end);
		forget_kernel(s);
		ret->dead = s->told = true;
	} else if (kernel_has_lost(s->kernel)) {
		ret->incomplete = true;
		cell_await_kernel(s->kernel, RENEW_MS, -1, NULL);
	}
	return status;
}

char *session_directory(const struct session *s)
{
	return s->kernel ? kernel_directory(s->kernel) : NULL;
}

const char *session_python(const struct session *s)
{
	return s->kernel && s->spec.python ? s->spec.program : "";
}

void ipython_session_end(struct session *s)
{
	if (s->kernel)
		say_farewell(s->kernel);
	forget_kernel(s);
	free(s->shell_dir);
	s->shell_dir = NULL;
}
