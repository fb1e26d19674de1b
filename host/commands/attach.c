/* SPDX-License-Identifier: MIT
 *
 * attach.c - `mortise attach`: a terminal, or a program, joins a conversation
 * that is open. */
#include "commands/command.h"
#include "commands/follow.h"

#include <string.h>

enum { F_JSON, F_LAST, F_QUIET, F_VERBOSE };

static const struct flag flags[] = {
	[F_JSON] = { 'j', "json", NULL, "the lines of the protocol, both ways" },
	[F_LAST] = { 'n', "last", "N",
		     "of the past only the last N events; default: all" },
	[F_QUIET] = { 'q', "quiet", NULL, "only what the agent says at the end" },
	[F_VERBOSE] = { 'v', "verbose", NULL, "results whole, and live output" },
	{ 0 },
};

static int parse_last(const char *text, int64_t *ret)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	if (!*text || *end || n < 0) {
		fprintf(stderr,
			"mortise: attach: --last %.20s: write a number of events\n",
			text);
		return FLAG_BAD;
	}
	*ret = n;
	return MT_OK;
}

static int parse(const struct command *self, int argc, char **argv, struct common *common,
		 struct follow_options *o, int64_t *ret_last, const char **ret_id)
{
	int index = 1, f;
	const char *value;

	o->style = RENDER_NORMAL;
	o->live = true;
	*ret_last = -1;
	while ((f = flag_next(self, argc, argv, &index, &value, common)) >= 0) {
		if (f == F_JSON)
			o->json = true;
		else if (f == F_QUIET)
			o->style = RENDER_QUIET;
		else if (f == F_VERBOSE)
			o->style = RENDER_VERBOSE;
		else if (parse_last(value, ret_last))
			return FLAG_BAD;
	}
	if (f == FLAG_END && index + 1 < argc) {
		fprintf(stderr, "mortise: attach: one conversation at a time\n");
		return FLAG_BAD;
	}
	*ret_id = index < argc ? argv[index] : "";
	return f;
}

static void choose_since(const struct client *p, int64_t last, struct follow_options *o)
{
	int64_t events = js_int(p->hello, "events", 0);

	o->since = last < 0 || last >= events ? FOLLOW_ALL : events - 1 - last;
}

/* A person without wishes of their own gets the terminal, if it is installed. */
static void converse(char *id)
{
	char name[] = "mortise-chat", flag[] = "--attach";
	char *args[] = { name, flag, id, NULL };

	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		helper_run("chat", args);
}

static int run(const struct command *self, int argc, char **argv)
{
	AUTO(config) struct config *config = NULL;
	struct common common = { 0 };
	struct follow_options o = { 0 };
	struct error err = ERROR_NONE;
	AUTO(free) char *id = NULL;
	struct client p;
	const char *prefix;
	int64_t last;
	int code, f = parse(self, argc, argv, &common, &o, &last, &prefix);

	if (f != FLAG_END)
		return f == FLAG_HELP ? EXIT_DONE : EXIT_USAGE;
	if (common_config(&common, &config, &err))
		return complain(EXIT_USAGE, &err);
	id = client_find(config, prefix, &err);
	if (!id)
		return complain(EXIT_FAILED, &err);
	if (argc == 1 || (argc == 2 && argv[1] == prefix))
		converse(id);
	if (client_open(&p, id, &err) || client_greet(&p, &err)) {
		code = complain(EXIT_FAILED, &err);
	} else {
		choose_since(&p, last, &o);
		code = follow(&p, &o);
	}
	client_close(&p);
	return code;
}

const struct command command_attach = {
	.name = "attach",
	.args = "[ID]",
	.summary =
		"Join a conversation that is open: watch it, talk to it, leave it again.",
	.details = "The beginning of an id is enough; without one, the only conversation "
		   "that is\n"
		   "open. On a terminal, and without flags, it is the conversation of "
		   "`mortise chat`.\n"
		   "Else: what has happened is shown first. A line that you type is a "
		   "message to\n"
		   "the agent; /help lists what else there is. Ctrl-C leaves, and the "
		   "conversation\n"
		   "goes on. When it ends, the exit code is its own (see `mortise run "
		   "--help`).\n"
		   "With --json, the lines of conversation-protocol.md pass both ways.\n",
	.flags = flags,
	.run = run,
};
