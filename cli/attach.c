/* SPDX-License-Identifier: MIT
 *
 * attach.c - `mortise attach`: attaches to a running conversation. */
#include "commands.h"
#include "follow.h"

#include <string.h>

struct arguments {
	struct common common;
	struct follow_options follow;
	int64_t last; /* events to show; -1: all */
	const char *prefix;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "exchange JSON lines of the protocol",
	     STORE(FLAG_TRUE, struct arguments, follow.json)),
	FLAG('n', "last", "N", "show only the last N events (default: all)",
	     STORE(FLAG_NUMBER, struct arguments, last),
	     .expected = "a number of events"),
	FLAG('q', "quiet", NULL, "print only the final message",
	     STORE(FLAG_SET, struct arguments, follow.style), .set = RENDER_QUIET),
	FLAG('v', "verbose", NULL, "print full results and live output",
	     STORE(FLAG_SET, struct arguments, follow.style), .set = RENDER_VERBOSE),
	{ 0 },
};

static void choose_since(const struct client *p, int64_t last, struct follow_options *o)
{
	int64_t events = js_int(p->hello, "events", 0);

	o->since = last < 0 || last >= events ? FOLLOW_ALL : events - 1 - last;
}

/* Without options, start the terminal client if it is installed. */
static void attach_converse(char *id)
{
	char name[] = "mortise-chat", flag[] = "--attach";
	char *args[] = { name, flag, id, NULL };

	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		helper_run("chat", args);
}

static int attach_run(const struct command *self, int argc, char **argv)
{
	AUTO(config) struct config *config = NULL;
	struct arguments a = { .follow = { .style = RENDER_NORMAL, .live = true },
			       .last = -1 };
	struct error err = ERROR_NONE;
	AUTO(free) char *id = NULL;
	struct client p;
	enum flags_status f = flags_parse_id(self, argc, argv, &a.prefix, &a.common);
	int code;

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (common_config(&a.common, &config, &err))
		return command_report(EXIT_USAGE, &err);
	id = client_find(config, a.prefix, &err);
	if (!id)
		return command_report_id(&err);
	if (argc == 1 || (argc == 2 && argv[1] == a.prefix))
		attach_converse(id);
	if (client_open(&p, id, &err) || client_greet(&p, &err)) {
		code = command_report(EXIT_FAILED, &err);
	} else {
		choose_since(&p, a.last, &a.follow);
		code = follow_conversation(&p, &a.follow);
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
	.run = attach_run,
};
