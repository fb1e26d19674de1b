/* SPDX-License-Identifier: MIT
 *
 * diff.c - `mortise diff`: what has changed in the workspace of a conversation. */
#include "workspace.h"

#include "features/overlay-diff.h"

#include <inttypes.h>
#include <string.h>

struct arguments {
	struct common common;
	const char *id;
	int64_t step;
	bool stat, json;
};

static const struct flag flags[] = {
	FLAG(0, "step", "N", "compare with the state after event N",
	     STORE(FLAG_NUMBER, struct arguments, step), .expected = "an event id"),
	FLAG(0, "stat", NULL, "print the number of changed lines of each file",
	     STORE(FLAG_TRUE, struct arguments, stat)),
	FLAG('j', "json", NULL, "print one JSON object per file",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

struct printer {
	const struct arguments *a;
	bool color;
	int64_t files, added, removed;
};

/* ---- one file -------------------------------------------------------------------- */

static const char *diff_color(const char *line, bool head)
{
	if (head)
		return "\033[1m";
	return *line == '+'   ? "\033[32m"
	       : *line == '-' ? "\033[31m"
	       : *line == '@' ? "\033[36m"
			      : "";
}

static void diff_print_text(const struct printer *p, struct mt_str text)
{
	const char *line = text.ptr, *end = text.ptr + text.len;
	bool head = true;

	if (!p->color) {
		command_write(stdout, text.ptr, text.len);
		return;
	}
	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t len = newline ? (size_t)(newline - line) : (size_t)(end - line);
		const char *color;

		head = head && *line != '@';
		color = diff_color(line, head);
		fputs(color, stdout);
		command_write(stdout, line, len);
		puts(*color ? "\033[m" : "");
		line += len + 1;
	}
}

static void diff_print_stat(const struct snapshots_file_diff *f)
{
	putchar(' ');
	command_write(stdout, f->path, strlen(f->path));
	if (f->added < 0)
		printf(" | %s, binary\n", f->change);
	else
		printf(" | +%" PRId64 " -%" PRId64 " %s\n", f->added, f->removed,
		       f->change);
}

static int diff_print_json(const struct snapshots_file_diff *f, struct error *err)
{
	AUTO(json) json_object *o = js_new_object();
	const char *text;
	size_t len;

	js_set_str(o, "path", f->path);
	js_set_str(o, "change", f->change);
	js_set_int(o, "added", f->added);
	js_set_int(o, "removed", f->removed);
	js_set_strn(o, "diff", f->text.ptr, f->text.len);
	text = js_text(o, &len);
	if (!text)
		return out_of_memory(err);
	puts(text);
	return MT_OK;
}

static int diff_print(void *arg, const struct snapshots_file_diff *f, struct error *err)
{
	struct printer *p = arg;

	p->files++;
	p->added += f->added > 0 ? f->added : 0;
	p->removed += f->removed > 0 ? f->removed : 0;
	if (p->a->json)
		return diff_print_json(f, err);
	if (p->a->stat)
		diff_print_stat(f);
	else
		diff_print_text(p, f->text);
	return MT_OK;
}

/* ---- the command ------------------------------------------------------------------ */

/* From the state after a step, or before the first one. */
static int diff_snapshots(struct workspace *w, struct printer *p, struct error *err)
{
	const struct snapshot_entry *e = workspace_state(w, p->a->step, err);
	struct snapshot_state now = { 0 };
	unsigned char from[SHA256_BYTES];
	int r;

	if (!e)
		return err->code;
	memcpy(from, e->root, sizeof from); /* the index may shrink */
	r = snapshot_make(w->store, &now, err);
	if (!r)
		r = snapshots_diff(w->store, from, now.root, diff_print, p, err);
	snapshot_state_clear(&now);
	return r;
}

/* What `apply` would change. */
static int diff_overlay(struct workspace *w, struct printer *p, struct error *err)
{
	AUTO(overlay_changes) struct overlay_changes changes = { 0 };
	int r = overlay_list(&w->overlay, &changes, err);

	return r ? r : overlay_diff(&w->overlay, &changes, diff_print, p, err);
}

static int diff_now(struct workspace *w, const struct arguments *a, struct error *err)
{
	struct printer p = { .a = a, .color = command_colors(stdout) };
	int r = w->overlay_dir && a->step < 0 ? diff_overlay(w, &p, err)
					      : diff_snapshots(w, &p, err);

	if (!r && a->stat && !a->json)
		printf("%" PRId64 " file%s, +%" PRId64 " -%" PRId64 "\n", p.files,
		       p.files == 1 ? "" : "s", p.added, p.removed);
	return r;
}

static int diff_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .id = "last", .step = -1 };
	AUTO(workspace) struct workspace w = { .overlay = OVERLAY_NONE };
	struct error err = ERROR_NONE;
	int code;
	enum flags_status f = flags_parse_id(self, argc, argv, &a.id, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	code = workspace_open(&a.common, a.id, false, &w);
	if (code)
		return code;
	overlay_gain(&w.overlay);
	return diff_now(&w, &a, &err) ? command_report(EXIT_FAILED, &err) : EXIT_DONE;
}

const struct command command_diff = {
	.name = "diff",
	.args = "[ID]",
	.summary = "Show what has changed in a workspace",
	.details = "Compares the files with the snapshot before the first step of the "
		   "conversation\n(default: the most recent), or with the state after an "
		   "event. Ignored files are\nnot compared. With `workspace = overlay`, prints all that `mortise "
		   "apply` would\nchange.",
	.flags = flags,
	.run = diff_run,
};
