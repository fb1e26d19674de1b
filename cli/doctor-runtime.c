/* SPDX-License-Identifier: MIT
 *
 * doctor-runtime.c - the check of `mortise doctor` of the place where tools run: starts a
 * runner there, without tools, and says what it reports. */
#include "doctor.h"

#include "clock.h"
#include "controller/plugins/launch.h"
#include "controller/plugins/plugin-load.h"
#include "files.h"
#include "runner-client/runner-connection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { START_MS = 60000 };

struct trial {
	struct runner *link;
	uv_timer_t timer;
	bool ready, late;
	struct runner_sandbox sandbox;
	struct error why;
};

static void on_ready(void *arg)
{
	struct trial *t = arg;

	t->ready = true;
	t->sandbox = *runner_sandbox(t->link);
	runner_close(t->link);
}

static void on_closed(void *arg, const struct error *why)
{
	struct trial *t = arg;

	if (!t->ready && why)
		t->why = *why;
	uv_close((uv_handle_t *)&t->timer, NULL);
}

static void on_late(uv_timer_t *timer)
{
	struct trial *t = timer->data;

	t->late = true;
	runner_close(t->link);
}

static const struct runner_events events = { .ready = on_ready, .closed = on_closed };

static int try_runner(struct launch *l, struct trial *t, struct error *err)
{
	int status = launch_runner(l, &events, t, &t->link, err);

	if (status)
		return status;
	uv_timer_init(l->loop, &t->timer);
	t->timer.data = t;
	uv_timer_start(&t->timer, on_late, START_MS, 0);
	uv_run(l->loop, UV_RUN_DEFAULT);
	if (t->ready)
		return MT_OK;
	if (t->late)
		return fail(err, MT_ETIMEOUT, "no runner has started within %d s",
			    START_MS / 1000);
	*err = t->why;
	return err->code ? err->code : fail(err, MT_EIO, "the runner ended");
}

static int start_and_end(struct doctor *d, const char *name, const char *spool,
			 struct trial *t, struct error *err)
{
	const char *given = d->common->workspace;
	char workspace[PATH_MAX];
	struct plugin_component runtime = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct launch l = { .loop = command_loop(err), .config = d->config,
			    .runtime = &runtime, .workspace = workspace,
			    .conversation = "doctor", .spool_dir = spool,
			    .stderr_fd = null };
	int status = l.loop ? MT_OK : err->code;

	if (!status && !realpath(given ? given : ".", workspace))
		status = fail(err, MT_EIO, "cannot use the workspace: %s",
			      strerror(errno));
	if (!status)
		status = plugin_component_load(d->config, d->registry, MT_KIND_RUNTIME,
					       name, &runtime, err);
	if (!status)
		status = try_runner(&l, t, err);
	plugin_component_clear(&runtime);
	if (null >= 0)
		close(null);
	return status;
}

void doctor_runtime(struct doctor *d)
{
	struct error err = ERROR_NONE;
	struct trial t = { .why = ERROR_NONE };
	char spool[PATH_MAX];
	int64_t start = clock_ms();
	const char *name;
	int status;

	if (!d->registry)
		return;
	name = config_get(d->config, "controller", "runtime");
	status = dir_temporary("mortise-doctor", spool, sizeof spool, &err);
	if (!status) {
		status = start_and_end(d, name, spool, &t, &err);
		dir_remove(spool, NULL);
	}
	if (status) {
		doctor_add(d, DOCTOR_PROBLEM, "runtime", "%s: %s", name, err.text);
		return;
	}
	if (t.sandbox.used && !t.sandbox.enforced)
		doctor_add(
			d, DOCTOR_WARNING, "runtime",
			"%s: a runner starts and ends in %lld ms, but its sandbox is not "
			"completely enforced: %s; commands of unknown risk require "
			"approval",
			name, (long long)(clock_ms() - start), t.sandbox.reason);
	else
		doctor_add(d, DOCTOR_OK, "runtime",
			   "%s: a runner starts and ends in %lld ms%s", name,
			   (long long)(clock_ms() - start),
			   t.sandbox.used ? ", and its sandbox is enforced" : "");
}
