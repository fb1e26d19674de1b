/* SPDX-License-Identifier: MIT
 *
 * delegate.c - `mortise delegate`: the process of a subagent, started by its parent
 * conversation. The task is read from standard input: the length of a JSON object as
 * digits and a newline, the object, then commands of the conversation protocol.
 * Internal. */
#include "controller/overlay.h"
#include "commands.h"
#include "drive.h"
#include "copy.h"
#include "conversation/fork.h"
#include "files.h"
#include "js.h"
#include "utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

enum { JOB_MAX = 64 << 20, TITLE_BYTES = 60, SETTINGS_LIST_MAX = 16384 };

static const struct copy_limits limits = { .files = 200000, .bytes = (int64_t)4 << 30 };

static const struct flag flags[] = { { 0 } };

struct job {
	json_object *json; /* the complete object; owns the other members */
	const char **settings;
	struct config_input config;
	struct conversation_options o;
	char title[TITLE_BYTES + 1];
	const char *task;
	int64_t fork;     /* id of the last event copied from its parent; -1: none */
	struct strbuf message; /* first message: the task, in a fork after a notice */
};

/* ---- the task ----------------------------------------------------------- */

static int read_some(char *room, size_t len, struct error *err)
{
	while (len > 0) {
		ssize_t n = read(STDIN_FILENO, room, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

			poll(&p, 1, -1);
			continue;
		}
		if (n <= 0)
			return fail(err, MT_EIO, "standard input ended");
		room += n;
		len -= (size_t)n;
	}
	return MT_OK;
}

static int read_length(size_t *ret, struct error *err)
{
	size_t n = 0;

	for (int digits = 0; digits < 12; digits++) {
		char ch;
		int r = read_some(&ch, 1, err);

		if (r)
			return r;
		if (ch == '\n' && digits > 0 && n <= JOB_MAX) {
			*ret = n;
			return MT_OK;
		}
		if (ch < '0' || ch > '9')
			break;
		n = n * 10 + (size_t)(ch - '0');
	}
	return fail(err, MT_EINVAL,
		    "this command is internal to mortise; use the tool "
		    "delegate_tasks");
}

static int delegate_read_json(struct job *job, struct error *err)
{
	AUTO(free) char *text = NULL;
	size_t len = 0;
	int r = read_length(&len, err);

	if (r)
		return r;
	text = malloc(len + 1);
	if (!text)
		return out_of_memory(err);
	r = read_some(text, len, err);
	if (!r)
		job->json = js_parse_object(text, len, err);
	explicit_bzero(text, len);
	return r ? r : job->json ? MT_OK : err->code;
}

static int read_settings(struct job *job, struct error *err)
{
	json_object *list = js_get(job->json, "settings");
	size_t n = js_length(list);

	if (n > SETTINGS_LIST_MAX)
		return fail(err, MT_ELIMIT, "too many settings");
	job->settings = calloc(n + 1, sizeof *job->settings);
	if (!job->settings)
		return out_of_memory(err);
	for (size_t i = 0; i < n; i++) {
		json_object *item = json_object_array_get_idx(list, i);

		if (json_object_is_type(item, json_type_string))
			job->settings[job->config.override_count++] =
				json_object_get_string(item);
	}
	job->config.overrides = job->settings;
	job->config.pinned = true;
	return MT_OK;
}

static int read_job(struct job *job, struct error *err)
{
	const char *controller;
	int r = delegate_read_json(job, err);

	if (!r)
		r = read_settings(job, err);
	if (r)
		return r;
	job->task = js_str(job->json, "task", "");
	job->fork = js_int(job->json, "fork", -1);
	controller = js_str(job->json, "controller", "");
	snprintf(job->title, sizeof job->title, "%.*s",
		 (int)utf8_cut(job->task, strcspn(job->task, "\r\n"), TITLE_BYTES),
		 job->task);
	job->o = (struct conversation_options){
		.id = js_str(job->json, "conversation", NULL),
		.parent = js_str(job->json, "parent", ""),
		.group = js_str(job->json, "group", NULL),
		.depth = (int)js_int(job->json, "depth", 1),
		.place = js_str(job->json, "place", ""),
		.controller = *controller ? controller : NULL,
		.workspace = js_str(job->json, "workspace", "/"),
		.title = job->title,
		.headless = true,
		.same_system = true,
		.overlay = js_str(job->json, "overlay", NULL),
		.approvals = js_get(job->json, "approvals"),
	};
	job->config.workspace = job->o.workspace;
	return MT_OK;
}

/* ---- the conversation --------------------------------------------------- */

/* The process of the parent has the log open and appends to it. */
static int start_forked(struct job *job, const struct config *config, uv_loop_t *loop,
			struct conversation **ret, struct error *err)
{
	const struct fork_options o = { .id = job->o.parent, .at = job->fork,
					.title = job->title, .child = &job->o };
	AUTO(free) char *id = NULL;
	int64_t at;
	int r = conversation_fork(config, &o, &id, &at, err);

	return r ? r : conversation_resume(loop, &job->config, &job->o, ret, NULL, err);
}

static int delegate_put_message(struct job *job, struct error *err)
{
	const char *notice = js_str(job->json, "notice", "");

	if (*notice)
		strbuf_addf(&job->message, "%s\n\nTASK: ", notice);
	return strbuf_add(&job->message, job->task) ? out_of_memory(err) : MT_OK;
}

static int delegate_start(struct job *job, uv_loop_t *loop, struct conversation **ret,
			  struct error *err)
{
	const char *copy_of = js_str(job->json, "copy_of", "");
	AUTO(config) struct config *config = NULL;
	AUTO(registry) struct registry *registry = NULL;
	int r;

	/* Those that the parent passes are not for programs. */
	for (int fd = PASSED_FD; fd < PASSED_FD + 2 + OVERLAY_ROOTS_MAX; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	r = *copy_of ? copy_directory(copy_of, job->o.workspace, &limits, err) : MT_OK;

	if (!r && chdir(job->o.workspace) < 0)
		r = fail(err, MT_EIO, "cannot enter %s: %s", job->o.workspace,
			 strerror(errno));
	if (!r)
		r = config_load(&job->config, &config, err);
	if (!r)
		r = common_log(config, err);
	if (!r)
		r = delegate_put_message(job, err);
	if (!r && job->fork >= 0)
		return start_forked(job, config, loop, ret, err);
	if (!r)
		r = registry_open(config, &registry, err);
	if (!r)
		r = conversation_create(loop, config, registry, &job->o, ret, err);
	if (r)
		return r;
	config = NULL;
	registry = NULL;
	return MT_OK;
}

/* The parent reads lines, not standard error. */
static int delegate_tell(const struct error *err)
{
	AUTO(strbuf) struct strbuf line = STRBUF(8192);

	strbuf_addc(&line, '{');
	js_key_str(&line, "type", "end");
	js_key_str(&line, "state", "error");
	js_key_str(&line, "reason", err->text);
	js_key_int(&line, "exit_code", EXIT_USAGE);
	strbuf_addc(&line, '}');
	puts(line.text);
	fflush(stdout);
	return EXIT_USAGE;
}

static int delegate_run_it(struct job *job)
{
	const struct drive_options o = { .json = true, .commands = true, .owned = true };
	struct error err = ERROR_NONE;
	struct conversation *c = NULL;
	uv_loop_t *loop = command_loop(&err);

	if (!loop || read_job(job, &err))
		return delegate_tell(&err);
	if (delegate_start(job, loop, &c, &err)) {
		uv_run(loop, UV_RUN_DEFAULT);
		return delegate_tell(&err);
	}
	return drive_conversation(loop, c, job->message.text, job->message.len, &o);
}

static int delegate_run(const struct command *self, int argc, char **argv)
{
	pid_t parent = getppid();
	struct job job = { .message = STRBUF(JOB_MAX) };
	int index, code;
	enum flags_status f = flags_parse(self, argc, argv, &index, NULL);

	if (f != FLAG_END)
		return flags_exit_code(f);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return EXIT_TERMINATED;
	code = delegate_run_it(&job);
	free(job.settings);
	strbuf_clear(&job.message);
	json_object_put(job.json);
	return code;
}

const struct command command_delegate = {
	.name = "delegate",
	.args = "",
	.summary = "Run a subagent (internal)",
	.flags = flags,
	.run = delegate_run,
	.hidden = true,
};
