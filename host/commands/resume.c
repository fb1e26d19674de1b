/* SPDX-License-Identifier: MIT
 *
 * resume.c - `mortise resume`: a conversation goes on where its log ends. */
#include "commands/command.h"
#include "commands/drive.h"

#include <string.h>

enum { F_TASK, F_MODEL, F_JSON, F_QUIET, F_VERBOSE, F_RECORD, F_KEEP };

static const struct flag flags[] = {
	[F_TASK] = { 't', "task", "TEXT", "say this first; without it the agent just goes on" },
	[F_MODEL] = { 'm', "model", "NAME", "another model from now on" },
	[F_JSON] = { 'j', "json", NULL, "events as JSON lines; commands on standard input" },
	[F_QUIET] = { 'q', "quiet", NULL, "only what the agent says at the end" },
	[F_VERBOSE] = { 'v', "verbose", NULL, "results whole, and live output" },
	[F_RECORD] = { 0, "record", "FILE", "write the model's replies as a script" },
	[F_KEEP] = { 'k', "keep", NULL, "stay when it rests, for more messages" },
	{ 0 },
};

struct arguments {
	struct common common;
	const char *task, *model, *id;
	struct drive_options drive;
};

static int parse(const struct command *self, int argc, char **argv, struct arguments *a)
{
	int index = 1, f;
	const char *value;

	a->drive.style = RENDER_NORMAL;
	while ((f = flag_next(self, argc, argv, &index, &value, &a->common)) >= 0) {
		switch (f) {
		case F_TASK: a->task = value; break;
		case F_MODEL: a->model = value; break;
		case F_JSON: a->drive.json = true; break;
		case F_QUIET: a->drive.style = RENDER_QUIET; break;
		case F_VERBOSE: a->drive.style = RENDER_VERBOSE; break;
		case F_RECORD: a->drive.record = value; break;
		case F_KEEP: a->drive.keep = true; break;
		}
	}
	if (f == FLAG_END && index + 1 < argc) {
		fprintf(stderr, "mortise: resume: one conversation at a time\n");
		f = FLAG_BAD;
	}
	a->id = index < argc ? argv[index] : "last";
	return f;
}

static int start(const struct arguments *a, uv_loop_t *loop, struct conversation **ret,
		 struct error *err)
{
	const struct config_input in = {
		.overrides = a->common.overrides,
		.override_count = a->common.override_count,
		.file = a->common.file,
	};
	AUTO(config) struct config *config = NULL;
	AUTO(free) char *id = NULL, *report = NULL;
	struct conversation_options o = { .model = a->model,
					  .headless = !a->drive.keep };
	int r = config_load(&in, &config, err);

	if (r)
		return r;
	id = conversation_find(config, a->id, err);
	if (!id)
		return err->code;
	o.id = id;
	r = conversation_resume(loop, &in, &o, ret, &report, err);
	if (report)
		fprintf(stderr, "mortise: %s\n", report);
	return r;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	struct error err = ERROR_NONE;
	struct conversation *c = NULL;
	uv_loop_t *loop = uv_default_loop();
	int f = parse(self, argc, argv, &a);

	if (f != FLAG_END)
		return f == FLAG_HELP ? EXIT_DONE : EXIT_USAGE;
	if (start(&a, loop, &c, &err)) {
		uv_run(loop, UV_RUN_DEFAULT);
		return complain(EXIT_USAGE, &err);
	}
	return drive(loop, c, a.task, a.task ? strlen(a.task) : 0, &a.drive);
}

const struct command command_resume = {
	.name = "resume",
	.args = "[ID]",
	.summary = "Take up a conversation; without an id, the newest.",
	.details = "The beginning of an id is enough. The agent is the one that the conversation\n"
		   "began with, whatever the configuration says now; -o and --model change it.\n"
		   "Exit codes are those of `mortise run`.\n",
	.flags = flags,
	.run = run,
};
