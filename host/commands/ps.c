/* SPDX-License-Identifier: MIT
 *
 * ps.c - `mortise ps`: the conversations that processes have open. */
#include "commands/command.h"
#include "faces/peer.h"
#include "faces/places.h"

#include <string.h>

enum { F_JSON };
enum { TITLE_SHOWN = 40 };

static const struct flag flags[] = {
	[F_JSON] = { 'j', "json", NULL, "one JSON object a line" },
	{ 0 },
};

/* Text from outside on one line, without what moves a cursor. */
static void put_plain(struct strbuf *out, const char *text, size_t max)
{
	for (size_t n = 0; *text && n < max; text++, n++)
		strbuf_addc(out,
			    (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text);
}

static void print_head(void)
{
	printf("%-24s  %-20s  %7s  %5s  %s\n", "ID", "STATE", "PID", "STEPS",
	       "WORKSPACE  TITLE");
}

static void print_one(json_object *hello)
{
	AUTO(strbuf) struct strbuf line = STRBUF(16384);

	put_plain(&line, js_str(hello, "workspace", ""), 4096);
	strbuf_add(&line, "  ");
	put_plain(&line, js_str(hello, "title", ""), TITLE_SHOWN);
	while (line.len && line.text[line.len - 1] == ' ')
		strbuf_cut(&line, line.len - 1);
	printf("%-24s  %-20s  %7lld  %5lld  %s\n", js_str(hello, "conversation", ""),
	       js_str(hello, "state", ""), (long long)js_int(hello, "pid", 0),
	       (long long)js_int(hello, "steps", 0), line.text);
}

static void print_json(json_object *hello)
{
	static const char *const members[] = { "conversation", "state",     "reason",
					       "busy",         "pid",       "steps",
					       "events",       "workspace", "title" };
	AUTO(strbuf) struct strbuf line = STRBUF(1 << 20);

	strbuf_addc(&line, '{');
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		js_key(&line, members[i]);
		js_put(&line, js_get(hello, members[i]));
	}
	strbuf_addc(&line, '}');
	puts(line.text);
}

/* @return whether it is open; what does not answer is reported. */
static bool show(const char *id, bool json, bool first)
{
	struct peer p;
	struct error err = ERROR_NONE;
	bool open = peer_open(&p, id, &err) == MT_OK && peer_greet(&p, &err) == MT_OK;

	if (open && json)
		print_json(p.hello);
	if (open && !json && first)
		print_head();
	if (open && !json)
		print_one(p.hello);
	if (!open && err.code != MT_ENOTFOUND)
		fprintf(stderr, "mortise: %s: %s\n", id, err.text);
	peer_close(&p);
	return open;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct error err = ERROR_NONE;
	const char *value;
	char **ids = NULL;
	size_t count = 0, shown = 0;
	bool json = false;
	int index = 1, f;

	while ((f = flag_next(self, argc, argv, &index, &value, NULL)) >= 0)
		json |= f == F_JSON;
	if (f != FLAG_END)
		return f == FLAG_HELP ? EXIT_DONE : EXIT_USAGE;
	if (index < argc) {
		fprintf(stderr, "mortise: ps: it takes no arguments\n");
		return EXIT_USAGE;
	}
	if (place_list(&ids, &count, &err))
		return complain(EXIT_FAILED, &err);
	for (size_t i = 0; i < count; i++)
		shown += show(ids[i], json, shown == 0);
	if (shown == 0 && !json)
		puts("No conversation is open.");
	place_free(ids, count);
	return EXIT_DONE;
}

const struct command command_ps = {
	.name = "ps",
	.args = "",
	.summary = "The conversations that are open now, and how they stand.",
	.details = "Those on disk that no process has open are listed by `mortise "
		   "conversations`.\n",
	.flags = flags,
	.run = run,
};
