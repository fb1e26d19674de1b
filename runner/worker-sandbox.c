/* SPDX-License-Identifier: MIT
 *
 * worker-sandbox.c - the sandbox of the workers: made by the supervisor when the host says
 * hello, entered by each worker before it loads its plugin. */
#include "files.h"
#include "sandbox/program.h"
#include "sandbox/proxy-process.h"
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	REPORT_MAX = 2048,
	REFUSED_MAX = 2048, /* bytes of a call */
	PROXY_STARTS_MAX = 32,
};

/* ---- what was refused ----------------------------------------------------------- */

/* It is not known which call caused it. */
static void note_for_calls(const char *text, void *arg)
{
	struct supervisor *s = arg;

	for (struct call *c = s->calls; c; c = c->next) {
		struct strbuf *to = &c->refused;

		if (c->done || s->spec.instances[c->instance].outside ||
		    (to->len && strstr(to->text, text)))
			continue;
		if (!to->max)
			*to = STRBUF(REFUSED_MAX);
		strbuf_addf(to, "%s%s", to->len ? "\n" : "", text);
	}
}

static int take_report(char *line, size_t len, void *arg)
{
	AUTO(json) json_object *o = js_parse_object(line, len, NULL);
	const char *reason = js_str(o, "reason", "");

	if (*reason)
		note_for_calls(reason, arg);
	return MT_OK;
}

/* The listener remains here, so that tools find the next proxy at the same address. */
static int supervisor_start_proxy(struct supervisor *s, struct error *err)
{
	if (s->sandbox.listener >= 0 && s->proxy_listener < 0)
		s->proxy_listener = fcntl(s->sandbox.listener, F_DUPFD_CLOEXEC, 3);
	s->proxy_starts++;
	return sandbox_proxy_start(&s->sandbox, &s->spec.sandbox, &s->reports_fd, err);
}

/* It was killed. */
static void supervisor_restart_proxy(struct supervisor *s)
{
	struct error err = ERROR_NONE;
	bool again = !s->ending && s->proxy_starts < PROXY_STARTS_MAX;

	if (s->proxy_listener < 0 || s->ending)
		return;
	if (again)
		s->sandbox.listener = fcntl(s->proxy_listener, F_DUPFD_CLOEXEC, 3);
	again = again && s->sandbox.listener >= 0 && !supervisor_start_proxy(s, &err);
	jsonl_done(&s->reports);
	jsonl_init(&s->reports, REPORT_MAX, take_report, s);
	note_for_calls(again ? "the network proxy exited and was started again; its "
			       "connections were closed"
			     : "the network proxy exited; tools have no network until "
			       "the conversation is resumed",
		       s);
	if (again)
		return;
	close(s->proxy_listener);
	s->proxy_listener = -1;
}

void supervisor_read_reports(struct supervisor *s)
{
	char buffer[4096];
	ssize_t n = 1;

	while (s->reports_fd >= 0 && (n = read(s->reports_fd, buffer, sizeof buffer)) > 0)
		if (jsonl_feed(&s->reports, buffer, (size_t)n))
			n = 0;
	if (s->reports_fd < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close(s->reports_fd); /* the proxy has ended */
	s->reports_fd = -1;
	supervisor_restart_proxy(s);
}

void supervisor_check_files(struct supervisor *s)
{
	file_guard_check(&s->guard, note_for_calls, s);
}

/* ---- the sandbox ---------------------------------------------------------------- */

/* Directories of the runner and of tools, which must exist before they are mounted. One
 * that cannot be created is reported by the tool that needs it. */
static int worker_add_directories(struct supervisor *s)
{
	const char *const list[] = { s->private_dir, s->spec.spool_dir, s->spec.state_dir,
				     s->spec.user_dir };
	int status = MT_OK;

	for (size_t i = 0; !status && i < ARRAY_LEN(list); i++)
		if (*list[i] && dir_make(list[i], NULL) == MT_OK)
			status = sandbox_path_add(&s->spec.sandbox.write, list[i]);
	return status;
}

int supervisor_make_sandbox(struct supervisor *s, struct error *err)
{
	int status;

	if (!s->spec.sandboxed)
		return MT_OK;
	s->temporary = path_join(s->private_dir, "tmp");
	status = s->temporary && !worker_add_directories(s) ? MT_OK : out_of_memory(err);
	if (!status)
		status = sandbox_make(&s->spec.sandbox, s->temporary, &s->sandbox, err);
	if (!status)
		status = supervisor_start_proxy(s, err);
	if (!status &&
	    file_guard_start(&s->guard, &s->spec.sandbox, s->sandbox.state.namespaces))
		status = out_of_memory(err);
	jsonl_init(&s->reports, REPORT_MAX, take_report, s);
	if (!status && s->spec.sandbox.overlay && !s->sandbox.state.namespaces)
		status = fail(err, MT_EUNSUPPORTED,
			      "the overlay of the workspace cannot be used: %s",
			      s->sandbox.state.reason);
	if (!status && s->spec.sandbox.required && !sandbox_holds(&s->sandbox.state))
		status = fail(
			err, MT_EUNSUPPORTED,
			"the sandbox is required (`mode` in [sandbox]), but not all of "
			"it is enforced: %s",
			s->sandbox.state.reason);
	return status;
}

void supervisor_put_sandbox(const struct supervisor *s, struct strbuf *out)
{
	js_key(out, "sandbox");
	strbuf_addc(out, '{');
	sandbox_state_put(&s->sandbox.state, out);
	strbuf_addc(out, '}');
}

int worker_enter_sandbox(struct supervisor *s, const struct instance_spec *i,
			 struct error *err)
{
	if (s->spec.sandboxed && !i->outside)
		return sandbox_program_enter(&s->sandbox, &s->spec.sandbox, s->temporary,
					     i->namespaces ? SANDBOX_BROWSER
							   : SANDBOX_TOOL,
					     s->spec.workspace, err);
	if (chdir(s->spec.workspace) < 0 && chdir("/") < 0)
		return fail(err, MT_EIO, "cannot enter %s: %s", s->spec.workspace,
			    strerror(errno));
	return MT_OK;
}
