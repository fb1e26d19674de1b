/* SPDX-License-Identifier: MIT
 *
 * fork.c - `mortise fork`: copies a conversation. */
#include "commands.h"

#include "conversation/conversation.h"
#include "conversation/fork.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct arguments {
	struct common common;
	const char *id, *title;
	int64_t at;
	bool quiet;
};

static const struct flag flags[] = {
	FLAG(0, "at", "N", "last event to copy (default: all)",
	     STORE(FLAG_NUMBER, struct arguments, at), .expected = "an event id"),
	FLAG(0, "title", "TEXT", "title of the new conversation",
	     STORE(FLAG_TEXT, struct arguments, title)),
	FLAG('q', "quiet", NULL, "print only the new id",
	     STORE(FLAG_TRUE, struct arguments, quiet)),
	{ 0 },
};

static int cli_fork_it(const struct arguments *a, struct error *err)
{
	AUTO(config) struct config *config = NULL;
	AUTO(free) char *id = NULL, *made = NULL;
	struct fork_options o = { .title = a->title, .at = a->at };
	int64_t at = -1;
	int r = common_config(&a->common, &config, err);

	if (r)
		return r;
	id = conversation_find(config, a->id, err);
	if (!id)
		return err->code;
	o.id = id;
	r = conversation_fork(config, &o, &made, &at, err);
	if (r)
		return r;
	puts(made);
	if (!a->quiet)
		fprintf(stderr,
			"mortise: copied %s up to event %" PRId64
			"; run `mortise resume %s -t TEXT` to continue\n",
			id, at, made);
	return MT_OK;
}

static int fork_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .id = "last", .at = -1 };
	struct error err = ERROR_NONE;
	enum flags_status f = flags_parse_id(self, argc, argv, &a.id, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	return cli_fork_it(&a, &err) ? command_report(EXIT_USAGE, &err) : EXIT_DONE;
}

const struct command command_fork = {
	.name = "fork",
	.args = "[ID]",
	.summary = "Copy a conversation (default: the most recent)",
	.details =
		"Copies the events up to --at, or fewer so that no call lacks its "
		"result. The\nnew conversation has the same agent and directory; no file of "
		"the directory is\ncopied or changed. Its cost starts at zero. The "
		"original is not changed and may\nbe open elsewhere.",
	.flags = flags,
	.run = fork_run,
};
