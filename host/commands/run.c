/* SPDX-License-Identifier: MIT
 *
 * run.c - `mortise run`: a task, from the first event to the end, without a
 * person answering. */
#include "commands/ask.h"
#include "commands/command.h"
#include "commands/drive.h"

#include "files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { TASK_MAX = 1 << 20 };

enum {
	F_TASK,
	F_FILE,
	F_IMAGE,
	F_MODEL,
	F_CONTROLLER,
	F_JSON,
	F_QUIET,
	F_VERBOSE,
	F_RECORD,
	F_TITLE,
	F_KEEP,
	F_LISTEN,
};

static const struct flag flags[] = {
	[F_TASK] = { 't', "task", "TEXT", "what is to be done" },
	[F_FILE] = { 'f', "file", "FILE",
		     "read the task from a file (- is standard input)" },
	[F_IMAGE] = { 'i', "image", "FILE",
		      "show the model an image with the task (may be repeated)" },
	[F_MODEL] = { 'm', "model", "NAME", "provider/name, or script:FILE" },
	[F_CONTROLLER] = { 0, "controller", "NAME", "use the wiring [controller.NAME]" },
	[F_JSON] = { 'j', "json", NULL,
		     "events as JSON lines; commands on standard input" },
	[F_QUIET] = { 'q', "quiet", NULL, "only what the agent says at the end" },
	[F_VERBOSE] = { 'v', "verbose", NULL, "results whole, and live output" },
	[F_RECORD] = { 0, "record", "FILE", "write the model's replies as a script" },
	[F_TITLE] = { 0, "title", "TEXT", "name of the conversation" },
	[F_KEEP] = { 'k', "keep", NULL, "stay when it rests, for more messages" },
	[F_LISTEN] = { 0, "listen", NULL,
		       "for programs: --json --keep, but events only on `subscribe`" },
	{ 0 },
};

struct arguments {
	struct common common;
	const char *task, *file, *model, *controller, *title;
	struct drive_options drive;
};

static int parse(const struct command *self, int argc, char **argv, struct arguments *a)
{
	struct error err = ERROR_NONE;
	int index = 1, f;
	const char *value;

	a->drive.style = RENDER_NORMAL;
	while ((f = flag_next(self, argc, argv, &index, &value, &a->common)) >= 0) {
		switch (f) {
		case F_TASK:
			a->task = value;
			break;
		case F_FILE:
			a->file = value;
			break;
		case F_IMAGE:
			if (drive_image(&a->drive, value, &err)) {
				complain(EXIT_USAGE, &err);
				return FLAG_BAD;
			}
			break;
		case F_MODEL:
			a->model = value;
			break;
		case F_CONTROLLER:
			a->controller = value;
			break;
		case F_JSON:
			a->drive.json = true;
			break;
		case F_QUIET:
			a->drive.style = RENDER_QUIET;
			break;
		case F_VERBOSE:
			a->drive.style = RENDER_VERBOSE;
			break;
		case F_RECORD:
			a->drive.record = value;
			break;
		case F_KEEP:
			a->drive.keep = true;
			break;
		case F_LISTEN:
			a->drive.json = a->drive.keep = a->drive.listen = true;
			break;
		case F_TITLE:
			a->title = value;
			break;
		}
	}
	if (f == FLAG_END && index < argc) {
		fprintf(stderr,
			"mortise: run: `%s` is no flag; write the task as -t TEXT\n",
			argv[index]);
		f = FLAG_BAD;
	}
	return f;
}

static int read_stdin(char **ret, size_t *ret_len, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TASK_MAX + 1);
	char piece[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, piece, sizeof piece)) > 0)
		if (strbuf_addn(&text, piece, (size_t)n))
			return fail(err, MT_ELIMIT, "the task is longer than %d bytes",
				    TASK_MAX);
	*ret_len = text.len;
	*ret = strbuf_take(&text);
	return *ret ? MT_OK : fail(err, MT_ENOMEM, "out of memory");
}

/* The first message comes by the socket, or as a command. */
static bool waits_for_task(const struct arguments *a)
{
	return a->drive.keep && !a->task && !a->file &&
	       (a->drive.json || isatty(STDIN_FILENO));
}

static bool task_on_stdin(const struct arguments *a)
{
	return a->file ? strcmp(a->file, "-") == 0 : !a->task && !waits_for_task(a);
}

/* `*ret` stays NULL if it waits for one. */
static int read_task(const struct arguments *a, char **ret, size_t *ret_len,
		     struct error *err)
{
	if (waits_for_task(a))
		return MT_OK;
	if (a->file && strcmp(a->file, "-") != 0)
		return file_read(a->file, TASK_MAX, ret, ret_len, err);
	if (a->task && !a->file) {
		*ret = strdup(a->task);
		*ret_len = strlen(a->task);
		return *ret ? MT_OK : fail(err, MT_ENOMEM, "out of memory");
	}
	if (!a->file && isatty(STDIN_FILENO))
		return fail(err, MT_EINVAL,
			    "no task: write it as -t TEXT, -f FILE, or on "
			    "standard input");
	return read_stdin(ret, ret_len, err);
}

static int get_task(const struct arguments *a, char **ret, size_t *ret_len,
		    struct error *err)
{
	int r = read_task(a, ret, ret_len, err);

	if (!r && *ret && strspn(*ret, " \t\r\n") >= *ret_len)
		return fail(err, MT_EINVAL, "the task is empty");
	return r;
}

static int find_workspace(const struct common *common, char path[PATH_MAX],
			  struct error *err)
{
	const char *wanted = common->workspace ? common->workspace : ".";
	struct stat st;

	if (!realpath(wanted, path) || stat(path, &st) < 0)
		return fail(err, MT_ENOTFOUND, "workspace %s: %s", wanted, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(err, MT_EINVAL, "workspace %s: is not a folder", wanted);
	if (access(path, X_OK) < 0)
		return fail(err, MT_EDENIED, "workspace %s: cannot be entered: %s", wanted,
			    strerror(errno));
	return MT_OK;
}

static int start(struct arguments *a, uv_loop_t *loop, struct conversation **ret,
		 struct error *err)
{
	AUTO(config) struct config *config = NULL;
	AUTO(registry) struct registry *registry = NULL;
	char workspace[PATH_MAX];
	struct conversation_options o = { .controller = a->controller,
					  .model = a->model,
					  .title = a->title,
					  .headless = !a->drive.keep,
					  .attended = a->drive.keep || ask_is_possible(),
					  .workspace = workspace };
	int r = find_workspace(&a->common, workspace, err);

	if (r)
		return r;
	a->common.workspace = workspace;
	r = common_config(&a->common, &config, err);
	if (!r)
		llm_expect(config, a->model);
	if (!r)
		r = registry_open(config, &registry, err);
	if (!r)
		r = conversation_create(loop, config, registry, &o, ret, err);
	if (r)
		return r;
	config = NULL;
	registry = NULL;
	return MT_OK;
}

static int run_it(struct arguments *a)
{
	struct error err = ERROR_NONE;
	struct conversation *c = NULL;
	AUTO(free) char *task = NULL;
	size_t len = 0;
	uv_loop_t *loop;

	if (get_task(a, &task, &len, &err))
		return complain(EXIT_USAGE, &err);
	a->drive.commands = a->drive.json && !task_on_stdin(a);
	loop = command_loop(&err);
	if (!loop)
		return complain(EXIT_FAILED, &err);
	if (start(a, loop, &c, &err)) {
		uv_run(loop, UV_RUN_DEFAULT);
		return complain(EXIT_USAGE, &err);
	}
	return drive(loop, c, task, len, &a->drive);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	int f = parse(self, argc, argv, &a), code;

	code = f == FLAG_END ? run_it(&a) : f == FLAG_HELP ? EXIT_DONE : EXIT_USAGE;
	json_object_put(a.drive.images);
	return code;
}

const struct command command_run = {
	.name = "run",
	.args = "",
	.summary = "Give an agent a task and run it to the end, without asking anybody.",
	.details =
		"The task comes from -t, -f or standard input. Ctrl-C pauses the agent "
		"and\n"
		"leaves a conversation that `mortise resume` takes up; a second one ends "
		"at once.\n"
		"\n"
		"While it runs, `mortise ps` shows it and `mortise attach` joins it. "
		"With --json\n"
		"standard input may be a pipe that commands come by (but not if the task "
		"does):\n"
		"see conversation-protocol.md. With --keep it waits for more after the "
		"task, or\n"
		"for a first message, and ends when it is stopped or its input has "
		"ended.\n"
		"\n"
		"Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration, 3 the "
		"model\n"
		"could not be asked, 4 a limit was reached, 5 the agent gave up, 6 the "
		"runner or\n"
		"a plugin failed, 7 the agent went in circles, 8 it waits for a person,\n"
		"130 interrupted.\n",
	.flags = flags,
	.run = run,
};
