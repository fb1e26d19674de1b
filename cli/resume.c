/* SPDX-License-Identifier: MIT
 *
 * resume.c - `mortise resume`: continues a conversation from its log. */
#include "ask.h"
#include "commands.h"
#include "drive.h"
#include "early-signals.h"
#include "follow.h"
#include "frontends/protocol.h"
#include "sandbox/roots.h"

#include <string.h>

#define CLOSING_NS ((uint64_t)5 * 1000 * 1000 * 1000)

struct arguments {
	struct common common;
	const char *task, *model, *id;
	char *found; /* the whole id */
	struct final_answer answer;
	struct drive_options drive;
};

static const struct flag flags[] = {
	FLAG('t', "task", "TEXT", "message to send first (default: just continue)",
	     STORE(FLAG_TEXT, struct arguments, task)),
	FLAG('i', "image", "FILE", "send an image or PDF with -t (repeatable)",
	     STORE(FLAG_TAKE, struct arguments, drive), .take = drive_image),
	FLAG('m', "model", "NAME", "model to use from now on",
	     STORE(FLAG_TEXT, struct arguments, model)),
	DRIVE_OUTPUT_FLAGS("print JSON lines; read commands from standard input",
			   "print only the final message"),
	DRIVE_ADD_DIR_FLAG,
	DRIVE_RECORD_FLAG,
	DRIVE_KEEP_FLAGS,
	{ 0 },
};

static enum flags_status resume_parse(const struct command *self, int argc, char **argv,
				      struct arguments *a)
{
	int index;
	enum flags_status f =
		drive_parse(self, argc, argv, &index, &a->common, &a->drive);

	if (f == FLAG_END && index + 1 < argc) {
		command_misused(self, "more than one conversation given");
		f = FLAG_BAD;
	}
	a->id = index < argc ? argv[index] : "last";
	return f;
}

static int resume_start(struct arguments *a, uv_loop_t *loop, struct conversation **ret,
			struct error *err)
{
	const struct config_input in = {
		.overrides = a->common.overrides,
		.override_count = a->common.override_count,
		.file = a->common.file,
	};
	AUTO(config) struct config *config = NULL;
	AUTO(free) char *report = NULL;
	struct conversation_options o = { .model = a->model, .headless = !a->drive.keep,
					  .answers = true,
					  .interactive = a->drive.keep || ask_is_possible() };
	int r = config_load(&in, &config, err);

	if (!r)
		r = common_log(config, err);
	if (!r)
		r = roots_check(config, err);
	if (r)
		return r;
	a->found = strcmp(a->id, "here") == 0
			   ? conversation_newest(config,
						 a->common.workspace ? a->common.workspace
								     : ".",
						 err)
			   : conversation_find(config, a->id, err);
	if (!a->found)
		return err->code;
	o.id = a->found;
	r = conversation_resume(loop, &in, &o, ret, &report, err);
	if (report)
		fprintf(stderr, "mortise: %s\n", report);
	return r;
}

/* ---- conversations of another process ---------------------------------- */

static int first_command(const struct arguments *a, bool rests, struct strbuf *out)
{
	if (!a->task && !rests)
		return MT_OK;
	strbuf_addc(out, '{');
	js_key_str(out, "type", a->task ? "message" : "resume");
	js_key_str(out, "id", FOLLOW_OWN_ID);
	if (a->task)
		js_key_str(out, "text", a->task);
	if (a->task && a->drive.images) {
		js_key(out, "images");
		js_put(out, a->drive.images);
	}
	return strbuf_addc(out, '}');
}

static int join_peer(const struct arguments *a, struct client *p)
{
	struct follow_options o = { .style = a->drive.style,
				    .json = a->drive.json,
				    .live = !a->drive.json ||
					    a->drive.style == RENDER_VERBOSE,
				    .since = FOLLOW_NEW,
				    .until_rest = !a->drive.keep };
	AUTO(strbuf) struct strbuf first = STRBUF(COMMAND_LINE_MAX);
	int state = state_find(js_str(p->hello, "state", ""));

	if (first_command(a, state >= 0 && state_is_resting((enum agent_state)state),
			  &first))
		return -1;
	o.first = first.len ? first.text : NULL;
	fprintf(stderr, "mortise: process %ld has %s open; attached to it\n",
		(long)p->pid, a->found);
	return follow_conversation(p, &o);
}

/* Print the hello, so that the client knows which process to connect to. */
static int pass_hello(const struct client *p)
{
	const char *text = js_text(p->hello, NULL);

	if (!text) {
		fputs("mortise: out of memory\n", stderr);
		return EXIT_FAILED;
	}
	puts(text);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* @return the exit code; -1 if no process runs the conversation. */
static int cli_resume_join(const struct arguments *a)
{
	struct client p;
	int code = -1;

	if (client_open(&p, a->found, NULL) == MT_OK && client_greet(&p, NULL) == MT_OK)
		code = a->drive.listen ? pass_hello(&p) : join_peer(a, &p);
	client_close(&p);
	return code;
}

/* Retry, because a process that has the conversation open may be about to close it. */
static int start_or_join(struct arguments *a, uv_loop_t *loop, struct conversation **ret,
			 struct error *err)
{
	uint64_t end = uv_hrtime() + CLOSING_NS;
	int code = -1;

	while (resume_start(a, loop, ret, err)) {
		uv_run(loop, UV_RUN_DEFAULT);
		if (err->code != MT_EDENIED || !a->found || early_signals_number() ||
		    (code = cli_resume_join(a)) >= 0 || uv_hrtime() > end)
			break;
		uv_sleep(20);
		free(a->found);
		a->found = NULL;
		*err = ERROR_NONE;
	}
	return code;
}

static int cli_resume_run_it(struct arguments *a)
{
	struct error err = ERROR_NONE;
	struct conversation *c = NULL;
	uv_loop_t *loop = command_loop(&err);
	int code;

	if (!loop)
		return command_report(EXIT_FAILED, &err);
	if (drive_check(&a->drive, &err))
		return command_report(EXIT_USAGE, &err);
	code = start_or_join(a, loop, &c, &err);
	if (c) {
		a->drive.commands = a->drive.json;
		return drive_conversation(loop, c, a->task, a->task ? strlen(a->task) : 0,
					  &a->drive);
	}
	if (code >= 0)
		return code;
	code = early_signals_number();
	return command_report(code ? exit_code_of_signal(code) : EXIT_USAGE, &err);
}

static int resume_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	int f, code;

	drive_options_init(&a.drive, &a.answer);
	early_signals_catch();
	f = resume_parse(self, argc, argv, &a);
	code = f == FLAG_END ? cli_resume_run_it(&a) : flags_exit_code(f);
	drive_options_clear(&a.drive);
	free(a.found);
	return code;
}

const struct command command_resume = {
	.name = "resume",
	.args = "[ID]",
	.summary = "Resume a conversation (default: the most recent)",
	.details = "ID may be abbreviated; `last` is the most recent conversation, "
		   "`here` the most\nrecent one in the current directory or that of -C. "
		   "The agent is the one that the\nconversation started with, regardless "
		   "of the current configuration; -o and\n--model change it from now "
		   "on.\n\nIf another process has the conversation open, this command "
		   "attaches to it until\nthe agent is idle. With --json, commands are "
		   "read from standard input if it is a\npipe. With --keep-alive, it "
		   "accepts more messages until it is stopped or its\ninput "
		   "ends.\n\nExit codes are those of `mortise run`.",
	.flags = flags,
	.run = resume_run,
};
