/* SPDX-License-Identifier: MIT
 *
 * ps.c - `mortise ps`: lists running conversations. */
#include "commands.h"
#include "columns.h"
#include "client.h"
#include "frontends/socket-dir.h"
#include "space.h"

#include <string.h>

enum { TITLE_SHOWN = 40 }; /* columns */

struct arguments {
	struct common common;
	bool json;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print one JSON object per line",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

static void print_head(void)
{
	printf("%-24s  %-20s  %7s  %5s  %s\n", "ID", "STATE", "PID", "STEPS",
	       "WORKSPACE  TITLE");
}

static void print_one(json_object *hello, int depth)
{
	AUTO(strbuf) struct strbuf line = STRBUF(16384);
	const char *workspace = js_str(hello, "workspace", "");
	const char *title = js_str(hello, "title", "");

	columns_put(&line, workspace, strnlen(workspace, 4096), 0, SIZE_MAX);
	strbuf_add(&line, "  ");
	columns_put(&line, title, strlen(title), 0, TITLE_SHOWN);
	space_trim_buffer(&line);
	printf("%*s%-*s  %-20s  %7lld  %5lld  %s\n", 2 * depth, "", 24 - 2 * depth,
	       js_str(hello, "conversation", ""), js_str(hello, "state", ""),
	       (long long)js_int(hello, "pid", 0), (long long)js_int(hello, "steps", 0),
	       line.text);
}

static void ps_print_json(json_object *hello)
{
	static const char *const members[] = { "conversation", "state",     "reason",
					       "busy",         "pid",       "steps",
					       "events",       "workspace", "title",
					       "parent" };
	AUTO(strbuf) struct strbuf line = STRBUF(1 << 20);

	strbuf_addc(&line, '{');
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		js_key(&line, members[i]);
		js_put(&line, js_get(hello, members[i]));
	}
	strbuf_addc(&line, '}');
	puts(line.text);
}

/* @return the hello message of a running conversation; reports one that does not
 * respond. */
static json_object *ps_look_at(const char *id)
{
	struct client p;
	struct error err = ERROR_NONE;
	bool open = client_open(&p, id, &err) == MT_OK && client_greet(&p, &err) == MT_OK;
	json_object *hello = open ? json_object_get(p.hello) : NULL;

	if (!open && err.code != MT_ENOTFOUND)
		fprintf(stderr, "mortise: %s: %s\n", id, err.text);
	client_close(&p);
	return hello;
}

struct open {
	json_object **hellos; /* NULL: not open, or shown */
	size_t count;
	bool json;
};

/* Show the subagents of `parent`, recursively. */
static void show_below(const struct open *o, const char *parent, int depth)
{
	for (size_t i = 0; i < o->count; i++) {
		AUTO(json) json_object *hello = NULL;

		if (!o->hellos[i] ||
		    strcmp(js_str(o->hellos[i], "parent", ""), parent) != 0)
			continue;
		hello = STEAL(o->hellos[i]);
		if (o->json)
			ps_print_json(hello);
		else
			print_one(hello, depth);
		show_below(o, js_str(hello, "conversation", "?"), depth + 1);
	}
}

/* @return their number. */
static size_t show_all(char **ids, size_t count, bool json)
{
	AUTO(free) json_object **hellos = calloc(count + 1, sizeof *hellos);
	const struct open o = { hellos, count, json };
	size_t shown = 0;

	for (size_t i = 0; hellos && i < count; i++) {
		hellos[i] = ps_look_at(ids[i]);
		shown += hellos[i] != NULL;
	}
	if (shown && !json)
		print_head();
	if (hellos)
		show_below(&o, "", 0);
	for (size_t i = 0; hellos && i < count; i++) { /* parent not open */
		if (hellos[i] && json)
			ps_print_json(hellos[i]);
		else if (hellos[i])
			print_one(hellos[i], 0);
		json_object_put(hellos[i]);
	}
	return shown;
}

static int ps_run(const struct command *self, int argc, char **argv)
{
	AUTO(config) struct config *config = NULL;
	struct arguments a = { 0 };
	struct error err = ERROR_NONE;
	char **ids = NULL;
	size_t count = 0;
	int index;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (index < argc)
		return command_unexpected(self, argv[index]);
	if (common_config(&a.common, &config, &err))
		return command_report(EXIT_USAGE, &err);
	if (client_list(config, &ids, &count, &err))
		return command_report(EXIT_FAILED, &err);
	if (show_all(ids, count, a.json) == 0 && !a.json)
		puts("No conversation is running.");
	socket_dir_free_list(ids, count);
	return EXIT_DONE;
}

const struct command command_ps = {
	.name = "ps",
	.args = "",
	.summary = "List running conversations and their states",
	.details = "Lists the conversations of this state directory ([core] state_dir), "
		   "with\nsubagents under the conversation that started them. `mortise "
		   "conversations`\nlists all conversations on disk.",
	.flags = flags,
	.run = ps_run,
};
