/* SPDX-License-Identifier: MIT
 *
 * run.c - `mortise run`: runs a task to completion, non-interactively. */
#include "ask.h"
#include "commands.h"
#include "drive.h"

#include "files.h"
#include "sandbox/roots.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

enum { TASK_MAX = 1 << 20, STDIN_WAIT_MS = 5000 };

/* Options that set a limit of the controller. */
static const struct limit {
	const char *flag, *key;
} limits[] = {
	{ "max-steps", "max_iterations" },
	{ "max-cost", "max_budget" },
	{ "timeout", "max_time" },
};

struct arguments {
	struct common common;
	const char *task, *file, *model, *controller, *title, *schema, *output, *until;
	char *until_setting;         /* --until as an -o setting; owned */
	const char *limits[ARRAY_LEN(limits)];
	char settings[ARRAY_LEN(limits)][256]; /* limits in the form of -o */
	struct final_answer answer;
	struct drive_options drive;
};

static const struct flag flags[] = {
	FLAG('t', "task", "TEXT", "task to perform",
	     STORE(FLAG_TEXT, struct arguments, task)),
	FLAG('f', "file", "FILE",
	     "read the task from FILE (`-`: standard input); appended to -t",
	     STORE(FLAG_TEXT, struct arguments, file)),
	FLAG('i', "image", "FILE", "send an image or PDF with the task (repeatable)",
	     STORE(FLAG_TAKE, struct arguments, drive), .take = drive_image),
	FLAG('m', "model", "NAME", "model to use: provider/name or script:FILE",
	     STORE(FLAG_TEXT, struct arguments, model)),
	FLAG(0, "controller", "NAME", "use the [controller.NAME] configuration",
	     STORE(FLAG_TEXT, struct arguments, controller)),
	DRIVE_OUTPUT_FLAGS("print JSON lines; read commands from standard input",
			   "print only the final message; status goes to standard error"),
	DRIVE_ADD_DIR_FLAG,
	DRIVE_RECORD_FLAG,
	FLAG(0, "title", "TEXT", "title of the conversation",
	     STORE(FLAG_TEXT, struct arguments, title)),
	DRIVE_KEEP_FLAGS,
	FLAG(0, "output", "FILE", "write the final message to FILE",
	     STORE(FLAG_TEXT, struct arguments, output)),
	FLAG(0, "json-schema", "FILE",
	     "require an answer in JSON that matches the schema in FILE",
	     STORE(FLAG_TEXT, struct arguments, schema)),
	FLAG(0, "until", "COMMAND",
	     "continue until COMMAND succeeds or a limit is reached",
	     STORE(FLAG_TEXT, struct arguments, until)),
	FLAG(0, "max-steps", "N", "maximum number of steps",
	     STORE(FLAG_TEXT, struct arguments, limits[0])),
	FLAG(0, "max-cost", "DOLLARS", "maximum cost in US dollars",
	     STORE(FLAG_TEXT, struct arguments, limits[1])),
	FLAG(0, "timeout", "TIME", "time limit: 90s, 30m, 2h",
	     STORE(FLAG_TEXT, struct arguments, limits[2])),
	{ 0 },
};

/* Convert the limits to settings of the selected controller. */
static int run_set_limits(struct arguments *a, struct error *err)
{
	size_t count;
	const struct mt_option *table = config_table("controller", &count);

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		const struct mt_option *option = option_find(table, count, limits[i].key);
		struct error why = ERROR_NONE;

		if (!a->limits[i])
			continue;
		if (option_check(option, option->name, a->limits[i], &why))
			return fail(err, MT_EINVAL, "--%s: %s", limits[i].flag, why.text);
		if (a->common.override_count == ARRAY_LEN(a->common.overrides))
			return fail(err, MT_ELIMIT, "too many settings");
		snprintf(a->settings[i], sizeof a->settings[i],
			 "controller%s%.120s.%s=%.60s", a->controller ? "." : "",
			 a->controller ? a->controller : "", limits[i].key, a->limits[i]);
		a->common.overrides[a->common.override_count++] = a->settings[i];
	}
	return MT_OK;
}

/* Convert --until to a setting. */
static int set_until(struct arguments *a, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	if (!a->until)
		return MT_OK;
	if (a->common.override_count == ARRAY_LEN(a->common.overrides))
		return fail(err, MT_ELIMIT, "too many settings");
	if (!a->until[strspn(a->until, " \t\n")])
		return fail(err, MT_EINVAL, "--until: the command is empty");
	strbuf_addf(&text, "controller%s%s.until=%s", a->controller ? "." : "",
		    a->controller ? a->controller : "", a->until);
	a->until_setting = strbuf_take(&text);
	if (!a->until_setting)
		return out_of_memory(err);
	a->common.overrides[a->common.override_count++] = a->until_setting;
	return MT_OK;
}

static int open_answer(struct arguments *a, struct error *err)
{
	int r = a->schema ? final_answer_schema(&a->answer, a->schema, err) : MT_OK;

	return r || !a->output ? r : final_answer_open(&a->answer, a->output, err);
}

static enum flags_status run_parse(const struct command *self, int argc, char **argv,
				   struct arguments *a)
{
	int index;
	enum flags_status f =
		drive_parse(self, argc, argv, &index, &a->common, &a->drive);

	if (f == FLAG_END && index < argc) {
		fprintf(stderr,
			"mortise run: unexpected argument `%s`; use -t TEXT for the task\n",
			argv[index]);
		f = FLAG_BAD;
	}
	return f;
}

/* Read standard input to its end. */
static int read_stdin(struct strbuf *text, struct error *err)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, piece, sizeof piece)) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && strbuf_addn(text, piece, (size_t)n))
			return fail(err, MT_ELIMIT, "the task is longer than %d bytes",
				    TASK_MAX);
	return n < 0 ? fail(err, MT_EIO, "cannot read standard input: %s",
			    strerror(errno))
		     : MT_OK;
}

/* True if the first message is received from the socket or as a command. */
static bool waits_for_task(const struct arguments *a)
{
	return a->drive.keep && !a->task && !a->file &&
	       (a->drive.json || isatty(STDIN_FILENO));
}

static bool task_on_stdin(const struct arguments *a)
{
	return a->file ? strcmp(a->file, "-") == 0 : !a->task && !waits_for_task(a);
}

/* True if standard input has data in addition to -t. A pipe without data for
 * STDIN_WAIT_MS is considered inherited. */
static bool stdin_adds(const struct arguments *a)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct stat st;

	if (!a->task || a->drive.json || a->drive.keep || fstat(STDIN_FILENO, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		return true;
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return false;
	if (poll(&in, 1, STDIN_WAIT_MS) > 0)
		return true;
	fprintf(stderr,
		"mortise: no data on standard input for %d s; using only the "
		"task of -t (use -f - to wait for data, or < /dev/null to skip "
		"this)\n",
		STDIN_WAIT_MS / 1000);
	return false;
}

static int run_add_file(const struct arguments *a, struct strbuf *text, struct error *err)
{
	AUTO(free) char *file = NULL;
	size_t len;
	int r = file_read(a->file, TASK_MAX, &file, &len, err);

	if (!r && strbuf_addn(text, file, len))
		r = fail(err, MT_ELIMIT, "the task is longer than %d bytes", TASK_MAX);
	return r;
}

/* Join the text of -t, the file and standard input, in this order. */
static int run_read_task(const struct arguments *a, struct strbuf *text,
			 struct error *err)
{
	size_t before;
	int r = MT_OK;

	if (!a->task && !a->file && isatty(STDIN_FILENO))
		return fail(err, MT_EINVAL,
			    "no task given; use -t TEXT, -f FILE or standard input");
	if (a->task && (strbuf_add(text, a->task) || strbuf_add(text, "\n\n")))
		return fail(err, MT_ELIMIT, "the task is longer than %d bytes", TASK_MAX);
	before = text->len;
	if (a->file && strcmp(a->file, "-") != 0)
		r = run_add_file(a, text, err);
	if (!r && (task_on_stdin(a) || stdin_adds(a)))
		r = read_stdin(text, err);
	if (!r && a->task && text->len == before)
		strbuf_cut(text, before - 2);
	return r;
}

/* `*ret` stays NULL if the task is received later. */
static int get_task(const struct arguments *a, char **ret, size_t *ret_len,
		    struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 * TASK_MAX);
	AUTO(free) char *rule = final_answer_rule(&a->answer);
	int r;

	if (waits_for_task(a))
		return MT_OK;
	r = run_read_task(a, &text, err);
	if (r)
		return r;
	if (text.len > TASK_MAX)
		return fail(err, MT_ELIMIT, "the task is longer than %d bytes", TASK_MAX);
	if (!text.len || strspn(text.text, " \t\r\n") >= text.len)
		return fail(err, MT_EINVAL,
			    "no task given; use -t TEXT, -f FILE or standard input");
	if (rule && strbuf_add(&text, rule))
		return out_of_memory(err);
	if (a->until &&
	    strbuf_addf(
		    &text,
		    "\n\nWork until this command succeeds (exit code 0): `%s`. It runs "
		    "when you finish; if it fails, you continue.",
		    a->until))
		return out_of_memory(err);
	*ret_len = text.len;
	*ret = strbuf_take(&text);
	return *ret ? MT_OK : out_of_memory(err);
}

static int run_find_workspace(const struct common *common, char path[PATH_MAX],
			      struct error *err)
{
	const char *wanted = common->workspace ? common->workspace : ".";
	struct stat st;

	if (!realpath(wanted, path) || stat(path, &st) < 0)
		return fail(err, MT_ENOTFOUND, "cannot use workspace %s: %s", wanted,
			    strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(err, MT_EINVAL, "cannot use workspace %s: not a directory",
			    wanted);
	if (access(path, X_OK) < 0)
		return fail(err, MT_EDENIED, "cannot use workspace %s: %s", wanted,
			    strerror(errno));
	return MT_OK;
}

static int run_start(struct arguments *a, uv_loop_t *loop, struct conversation **ret,
		     struct error *err)
{
	AUTO(config) struct config *config = NULL;
	AUTO(registry) struct registry *registry = NULL;
	char workspace[PATH_MAX];
	struct conversation_options o = { .controller = a->controller,
					  .model = a->model,
					  .title = a->title,
					  .headless = !a->drive.keep,
					  .answers = true,
					  .interactive = a->drive.keep || ask_is_possible(),
					  .workspace = workspace };
	int r = run_find_workspace(&a->common, workspace, err);

	if (r)
		return r;
	a->common.workspace = workspace;
	r = common_config(&a->common, &config, err);
	if (!r)
		r = roots_check(config, err);
	if (!r)
		common_untrusted(config);
	if (!r)
		llm_preload(config, a->model);
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

	if (run_set_limits(a, &err) || set_until(a, &err) || open_answer(a, &err) ||
	    drive_check(&a->drive, &err) || get_task(a, &task, &len, &err))
		return command_report(EXIT_USAGE, &err);
	a->drive.commands = a->drive.json && !task_on_stdin(a);
	loop = command_loop(&err);
	if (!loop)
		return command_report(EXIT_FAILED, &err);
	if (run_start(a, loop, &c, &err)) {
		uv_run(loop, UV_RUN_DEFAULT);
		return command_report(EXIT_USAGE, &err);
	}
	return drive_conversation(loop, c, task, len, &a->drive);
}

static int run_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	int f, code;

	drive_options_init(&a.drive, &a.answer);
	f = run_parse(self, argc, argv, &a);
	code = f == FLAG_END ? run_it(&a) : flags_exit_code(f);
	drive_options_clear(&a.drive);
	free(a.until_setting);
	return code;
}

const struct command command_run = {
	.name = "run",
	.args = "",
	.summary = "Run a task to completion, non-interactively",
	.details =
		"The task is read from -t, -f or standard input; with -t, standard input "
		"is\nappended to it. A response without a tool call is the answer and "
		"ends the run\n(see text_only in mortise.ini(5)). With -q, standard "
		"output contains only the\nanswer.\n\nCtrl-C pauses the agent, and "
		"`mortise resume` continues the conversation; a\nsecond Ctrl-C exits "
		"immediately. `mortise ps` lists running conversations, and\n`mortise "
		"attach` attaches to one.\n\nWith --json, commands are read from "
		"standard input if it is a pipe, unless the\ntask is; see "
		"conversation-protocol.md. With --keep-alive, messages are "
		"accepted\nuntil the conversation is stopped or its input ends.",
	.flags = flags,
	.run = run_run,
};
