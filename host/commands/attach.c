/* SPDX-License-Identifier: MIT
 *
 * attach.c - `mortise attach`: attaches to a running conversation. */
#include "commands/command.h"
#include "commands/follow.h"

#include <string.h>

enum { F_JSON, F_LAST, F_QUIET, F_VERBOSE };

static const struct flag flags[] = {
	[F_JSON] = FLAG('j', "json", NULL, "exchange JSON lines of the protocol"),
	[F_LAST] = FLAG('n', "last", "N", "show only the last N events (default: all)"),
	[F_QUIET] = FLAG('q', "quiet", NULL, "print only the final message"),
	[F_VERBOSE] = FLAG('v', "verbose", NULL, "print full results and live output"),
	{ 0 },
};

static int parse_last(const char *text, int64_t *ret)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	if (!*text || *end || n < 0) {
		fprintf(stderr,
			"mortise: attach: invalid --last `%.20s`: use a number of "
			"events\n",
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
		fprintf(stderr, "mortise: attach: more than one conversation given\n");
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
	.summary = "Attach to a running conversation",
	.details = "ID may be abbreviated; it is optional if only one conversation is "
		   "running.\n\nIn a terminal and without options, this is `mortise "
		   "chat`. Otherwise the\nhistory is printed first. Each line that you "
		   "type is a message to the agent;\n/help lists the commands. Ctrl-C "
		   "detaches, and the conversation continues. When\nthe conversation "
		   "ends, its exit code is returned.",
	.flags = flags,
	.run = run,
};
