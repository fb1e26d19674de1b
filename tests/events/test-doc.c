/* SPDX-License-Identifier: MIT
 *
 * test-doc.c - the tables of doc/events.md are those of the program. With an
 * argument it prints them, to be put there. */
#include "events/event.h"
#include "files.h"
#include "tap.h"

static void put_field(struct strbuf *out, const struct event_field *f)
{
	if (f->required)
		strbuf_addf(out, "%s (required)", f->name);
	else
		strbuf_addf(out, "%s (%s)", f->name,
			    event_field_is_ours(f) ? "ours" : f->fallback);
}

static void put_table(struct strbuf *out, bool is_action)
{
	const struct event_type *type;

	strbuf_add(out,
		   is_action ? "| `action` | runnable | args (default) |\n|---|---|---|\n"
			     : "| `observation` | extras (default) |\n|---|---|\n");
	for (size_t n = 0; (type = event_type_at(is_action, n)); n++) {
		strbuf_addf(out, "| `%s`%s |", type->name,
			    type->flags & EVENT_EXTENSION ? " (ours)" : "");
		if (is_action)
			strbuf_add(out,
				   type->flags & EVENT_RUNNABLE ? " yes |" : " no |");
		for (size_t i = 0; i < type->field_count; i++) {
			strbuf_add(out, i ? ", " : " ");
			put_field(out, &type->fields[i]);
		}
		strbuf_add(out, " |\n");
	}
}

int main(int argc, char **argv)
{
	AUTO(strbuf)
	struct strbuf actions = STRBUF(1 << 20), observations = STRBUF(1 << 20);
	AUTO(free) char *path = NULL, *text = NULL;
	const char *srcdir = getenv("top_srcdir");
	size_t len;

	(void)argv;
	put_table(&actions, true);
	put_table(&observations, false);
	if (argc > 1) {
		printf("%s\n%s", actions.text, observations.text);
		return 0;
	}
	path = path_join(srcdir ? srcdir : ".", "doc/events.md");
	CHECK(path && file_read(path, 1 << 20, &text, &len, NULL) == MT_OK);
	CHECK_MSG(text && strstr(text, actions.text), "the table of actions");
	CHECK_MSG(text && strstr(text, observations.text), "the table of observations");
	return tap_done();
}
