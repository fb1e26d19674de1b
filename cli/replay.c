/* SPDX-License-Identifier: MIT
 *
 * replay.c - `mortise replay`: re-runs a recording and reports differences. */
#include "commands.h"
#include "drive.h"
#include "spool.h"

#include "features/replay.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN = 200 }; /* bytes of a text that differs */

struct arguments {
	struct common common;
	const char *what, *model, *controller, *title;
	int64_t until;
	bool continue_after;
	struct drive_options drive;
};

static const struct flag flags[] = {
	FLAG(0, "until", "N",
	     "replay up to event N of the recording, then query the model",
	     STORE(FLAG_NUMBER, struct arguments, until), .expected = "an event id"),
	FLAG(0, "continue", NULL, "query the model after the end of the recording",
	     STORE(FLAG_TRUE, struct arguments, continue_after)),
	FLAG('m', "model", "NAME", "model to use: provider/name or script:FILE",
	     STORE(FLAG_TEXT, struct arguments, model)),
	FLAG(0, "controller", "NAME", "use the [controller.NAME] configuration",
	     STORE(FLAG_TEXT, struct arguments, controller)),
	DRIVE_OUTPUT_FLAGS("print JSON lines; the report goes to standard error",
			   "print only the report"),
	FLAG(0, "title", "TEXT", "title of the conversation",
	     STORE(FLAG_TEXT, struct arguments, title)),
	{ 0 },
};

static enum flags_status replay_parse(const struct command *self, int argc, char **argv,
				      struct arguments *a)
{
	enum flags_status f;
	int index;

	a->drive.style = RENDER_NORMAL;
	f = flags_parse(self, argc, argv, &index, &a->common);
	if (f == FLAG_END && index + 1 != argc) {
		command_misused(self, "expected one file or conversation ID");
		f = FLAG_BAD;
	}
	a->what = argv[argc - 1];
	return f;
}

/* ---- the report --------------------------------------------------------- */

struct told {
	struct replay *replay;
	FILE *out;
	struct strbuf text; /* the differences, printed at the end */
};

static void cli_replay_put_text(struct strbuf *out, const char *name, const char *text)
{
	size_t len = strlen(text), shown = utf8_cut(text, len, SHOWN);

	strbuf_addf(out, "    %s: ", name);
	for (size_t i = 0; i < shown; i++)
		if (text[i] == '\n')
			strbuf_add(out, "\\n");
		else
			strbuf_addc(out, (unsigned char)text[i] < 0x20 ? '?' : text[i]);
	strbuf_add(out, shown < len ? "...\n" : "\n");
}

static void on_difference(void *arg, const struct replay_difference *d)
{
	struct told *t = arg;

	strbuf_addf(&t->text, "event %" PRId64 ", here %" PRId64 ": %.*s: different %s\n",
		    d->recorded, d->now,
		    (int)utf8_cut(d->message, strlen(d->message), 80), d->message,
		    d->what);
	cli_replay_put_text(&t->text, "then", d->want);
	cli_replay_put_text(&t->text, "now ", d->got);
}

static void cli_replay_on_event(void *arg, const struct event *e)
{
	struct told *t = arg;

	replay_compare(t->replay, e, on_difference, t);
}

static void print_report(const struct told *t)
{
	struct replay_report r = replay_report(t->replay);

	if (t->text.len)
		command_write(t->out, t->text.text, t->text.len);
	fprintf(t->out, "replay: %zu action%s; %zu result%s identical, %zu different",
		r.actions, r.actions == 1 ? "" : "s", r.same, r.same == 1 ? "" : "s",
		r.different);
	if (r.unmatched)
		fprintf(t->out, ", %zu not recorded", r.unmatched);
	if (r.left)
		fprintf(t->out, "; %zu action%s not replayed", r.left,
			r.left == 1 ? "" : "s");
	fputs("\n", t->out);
	fflush(t->out);
}

/* ---- running ------------------------------------------------------------ */

static int open_recording(const struct arguments *a, const struct config *config,
			  struct replay **ret, struct error *err)
{
	AUTO(free) char *id = NULL, *dir = NULL;
	struct error why = ERROR_NONE;
	char temporary[PATH_MAX];

	if (access(a->what, F_OK) == 0)
		return command_spool_open("mortise-replay", temporary, sizeof temporary,
					  err) ||
				       replay_open_file(a->what, temporary, ret, err)
			       ? err->code
			       : MT_OK;
	id = conversation_find(config, a->what, &why);
	dir = id ? conversation_dir(config, id, &why) : NULL;
	if (!dir)
		return fail(err, MT_ENOTFOUND, "no such file or conversation: `%.200s`",
			    a->what);
	return replay_open_log(dir, ret, err);
}

static int set_end(const struct arguments *a, struct replay *r, struct error *err)
{
	bool ends = a->until >= 0;

	replay_hand_over(r, ends || a->continue_after);
	return ends ? replay_until(r, a->until, err) : MT_OK;
}

/* If no model is set, one that is never called. */
static const char *model_for(const struct arguments *a, const struct config *config)
{
	const char *set = config_get(config, "llm", "model");

	if (a->model || a->until >= 0 || a->continue_after || a->controller ||
	    (set && *set))
		return a->model;
	return "script:/dev/null";
}

static int replay_start(struct arguments *a, uv_loop_t *loop, struct replay **ret_replay,
			struct conversation **ret, struct error *err)
{
	AUTO(config) struct config *config = NULL;
	AUTO(registry) struct registry *registry = NULL;
	char workspace[PATH_MAX];
	struct conversation_options o = { .controller = a->controller, .title = a->title,
					  .headless = true, .workspace = workspace };
	int r;

	if (!realpath(a->common.workspace ? a->common.workspace : ".", workspace))
		return fail(err, MT_ENOTFOUND, "workspace %s: %s", a->common.workspace,
			    strerror(errno));
	a->common.workspace = workspace;
	r = common_config(&a->common, &config, err);
	if (!r)
		r = open_recording(a, config, ret_replay, err);
	if (!r)
		r = set_end(a, *ret_replay, err);
	if (!r)
		r = registry_open(config, &registry, err);
	if (r)
		return r;
	o.model = model_for(a, config);
	r = conversation_create(loop, config, registry, &o, ret, err);
	if (r)
		return r;
	config = NULL;
	registry = NULL;
	conversation_replay(*ret, *ret_replay);
	return MT_OK;
}

/* If the only error is the end of the recording, the report determines the exit code. */
static int cli_replay_exit_code(const struct told *t, int code)
{
	struct replay_report r = replay_report(t->replay);

	if (code != EXIT_DONE && code != EXIT_WAITING)
		return code;
	return r.different                      ? EXIT_FAILED
	       : code == EXIT_WAITING && r.left ? code
						: EXIT_DONE;
}

static int replay_it(struct arguments *a)
{
	static const struct watcher watcher = { .event = cli_replay_on_event };
	AUTO(replay) struct replay *replay = NULL;
	struct told told = { .out = a->drive.json ? stderr : stdout,
			     .text = STRBUF(16 << 20) };
	struct error err = ERROR_NONE;
	struct conversation *c = NULL;
	uv_loop_t *loop = command_loop(&err);
	const char *task;
	int code;

	if (!loop)
		return command_report(EXIT_FAILED, &err);
	if (replay_start(a, loop, &replay, &c, &err)) {
		uv_run(loop, UV_RUN_DEFAULT);
		return command_report(EXIT_USAGE, &err);
	}
	told.replay = replay;
	conversation_watch(c, &watcher, &told);
	task = replay_task(replay);
	code = drive_conversation(loop, c, task, strlen(task), &a->drive);
	print_report(&told);
	code = cli_replay_exit_code(&told, code);
	strbuf_clear(&told.text);
	return code;
}

static int replay_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .until = -1 };
	int f = replay_parse(self, argc, argv, &a);

	if (f != FLAG_END)
		return flags_exit_code(f);
	f = replay_it(&a);
	command_spool_close();
	return f;
}

const struct command command_replay = {
	.name = "replay",
	.args = "FILE | ID",
	.summary = "Re-run a recorded conversation and compare the results",
	.details =
		"The recording is an OpenHands trajectory, the output of `mortise "
		"conversations\nexport`, or the id of a conversation. Actions are "
		"executed for real in the\ncurrent directory, in a new conversation. "
		"Each result is compared with the\nrecorded one, and differences are "
		"reported at the end.\n\nRecorded commands run with your permissions, "
		"and can change files anywhere.\nReview recordings from others first, or "
		"replay them in a container.\n\nExit codes: 0 if all results are "
		"identical, 1 if some differ, otherwise those of\n`mortise run`.",
	.flags = flags,
	.run = replay_run,
};
