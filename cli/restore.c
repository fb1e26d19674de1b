/* SPDX-License-Identifier: MIT
 *
 * restore.c - `mortise apply` and `mortise discard`: bring the workspace of a
 * conversation to an earlier state, or what is in its overlay to the real directories. */
#include "workspace.h"

#include "features/overlay-diff.h"

#include <inttypes.h>

struct arguments {
	struct common common;
	const char *id;
	int64_t step;
	bool dry, json, force, apply;
};

/* The first is of `apply` alone. */
static const struct flag apply_flags[] = {
	FLAG('f', "force", NULL, "overwrite files that were changed outside of the overlay",
	     STORE(FLAG_TRUE, struct arguments, force)),
	FLAG(0, "step", "N", "restore the state after event N",
	     STORE(FLAG_NUMBER, struct arguments, step), .expected = "an event id"),
	FLAG('n', "dry-run", NULL, "only print what would be restored",
	     STORE(FLAG_TRUE, struct arguments, dry)),
	FLAG('j', "json", NULL, "print a JSON object",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

static void restore_put_list(json_object *o, const char *key,
			     const struct snapshot_names *names)
{
	json_object *list = json_object_new_array();

	for (int64_t i = 0; i < names->count && i < SNAPSHOT_NAMES_MAX; i++)
		if (names->list[i])
			json_object_array_add(list,
					      json_object_new_string(names->list[i]));
	js_set(o, key, list);
}

static void restore_print_json(const struct snapshots_restored *r, bool done)
{
	AUTO(json) json_object *o = js_new_object();
	const char *text;
	size_t len;

	js_set_int(o, "files", r->changes.count);
	js_set_bool(o, "restored", done);
	restore_put_list(o, "changes", &r->changes.names);
	restore_put_list(o, "changed_since", &r->by_user.names);
	restore_put_list(o, "problems", &r->report.problems);
	restore_put_list(o, "ignored", &r->ignored);
	restore_put_list(o, "not_covered", &r->left_out);
	text = js_text(o, &len);
	puts(text ? text : "{}");
}

static void restore_print(const struct workspace *w, const struct arguments *a,
			  const struct snapshots_restored *r, int64_t event)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);

	if (a->json) {
		restore_print_json(r, r->kept > 0);
		return;
	}
	if (!r->changes.count)
		strbuf_add(&text, "No file differs.");
	snapshots_put_restored(&text, r);
	if (r->kept)
		strbuf_addf(&text,
			    "\nTo get the files back: mortise apply %s --step %" PRId64,
			    w->id, event - 1);
	command_write(stdout, text.text, text.len);
	putchar('\n');
}

/* The next message notifies the model. */
static int restore_note(struct evlog *log, const struct snapshots_changes *changes,
			struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	AUTO(json) json_object *record = js_new_object();

	strbuf_addf(&text, "[The user restored %" PRId64 " file%s to an earlier state: ",
		    changes->count, changes->count == 1 ? "" : "s");
	snapshots_put_names(&text, &changes->names);
	strbuf_add(&text, ". View again what you rely on.]");
	if (text.error || js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", snapshots_note_record) ||
	    js_set_str(record, "text", text.text))
		return out_of_memory(err);
	return evlog_record(log, record, err) ? err->code : evlog_barrier(log, err);
}

/* ---- snapshots ---------------------------------------------------------------------- */

static int restore_snapshot(struct workspace *w, const struct arguments *a,
			    struct snapshots_restored *ret, struct error *err)
{
	const struct snapshot_entry *e = workspace_state(w, a->step, err);
	int64_t event = evlog_count(w->log);
	int r;

	if (!e)
		return err->code;
	r = snapshots_restore(w->store, e->root, event, a->dry, ret, err);
	if (!r && ret->kept && ret->changes.count)
		r = restore_note(w->log, &ret->changes, err);
	if (!r && (!(a->apply && w->overlay_dir) || ret->report.problems.count))
		restore_print(w, a, ret, event);
	return r;
}

/* ---- the overlay -------------------------------------------------------------------- */

/* `back`: what was discarded. */
static void overlay_print(struct workspace *w, const struct arguments *a,
			  const struct snapshots_changes *changes, int64_t kept)
{
	const char *what = a->apply ? a->dry ? "To apply" : "Applied"
			   : a->dry ? "To discard"
				    : "Discarded the changes of";
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	struct snapshots_restored r = { .changes = *changes, .kept = kept };

	if (a->json) {
		restore_print_json(&r, !a->dry && changes->count);
		return;
	}
	if (!changes->count)
		strbuf_add(&text, a->apply ? "Nothing to apply." : "Nothing to discard.");
	else {
		strbuf_addf(&text, "%s %" PRId64 " path%s: ", what, changes->count,
			    changes->count == 1 ? "" : "s");
		snapshots_put_names(&text, &changes->names);
		strbuf_addc(&text, '.');
	}
	if (kept > 0)
		strbuf_addf(
			&text,
			"\nTo get them back in the overlay: mortise discard %s --step "
			"%" PRId64,
			w->id, evlog_count(w->log) - 1);
	command_write(stdout, text.text, text.len);
	putchar('\n');
}

/* Files that the user changed meanwhile are not overwritten. */
static int overlay_check(const struct workspace *w, const struct overlay_changes *changes,
			 struct error *err)
{
	const struct overlay_change *c = overlay_conflict(&w->overlay, changes);

	return c ? fail(err, MT_EEXIST,
			"%s/%s was changed outside of the overlay; compare with `mortise "
			"diff %s`, and use --force to overwrite it",
			w->overlay.roots[c->root].path, c->path, w->id)
		 : MT_OK;
}

/* The state that is discarded is kept as a snapshot. */
static int overlay_keep(struct workspace *w, int64_t *ret, struct error *err)
{
	struct snapshot_state now = { 0 };
	int r = snapshot_make(w->store, &now, err);

	*ret = r ? r
		 : snapshot_keep(w->store, SNAPSHOT_UNDO, evlog_count(w->log), now.root,
				 err);
	snapshot_state_clear(&now);
	return *ret < 0 ? (int)*ret : MT_OK;
}

static int overlay_end(struct workspace *w, const struct arguments *a,
		       const struct overlay_changes *changes, int64_t *ret_kept,
		       struct error *err)
{
	int r = MT_OK;

	if (a->apply && !a->force)
		r = overlay_check(w, changes, err);
	if (r || a->dry)
		return r;
	if (a->apply)
		r = overlay_apply(&w->overlay, changes, err);
	else if (w->store && changes->files)
		r = overlay_keep(w, ret_kept, err);
	return r ? r : workspace_clear_overlay(w, err);
}

static int restore_overlay(struct workspace *w, const struct arguments *a,
			   struct error *err)
{
	AUTO(overlay_changes) struct overlay_changes changes = { 0 };
	struct snapshots_changes names = { 0 };
	int64_t kept = 0;
	int r = overlay_list(&w->overlay, &changes, err);

	if (!r) {
		overlay_names(&w->overlay, &changes, !a->apply, &names);
		r = overlay_end(w, a, &changes, &kept, err);
	}
	if (!r && !a->dry && !a->apply && names.count)
		r = restore_note(w->log, &names, err);
	if (!r)
		overlay_print(w, a, &names, kept);
	snapshot_names_clear(&names.names);
	return r;
}

/* With a step, the overlay gets its state first. */
static int restore_now(struct workspace *w, const struct arguments *a,
		       struct snapshots_restored *ret, struct error *err)
{
	int r = MT_OK;

	if (!w->overlay_dir || a->step >= 0)
		r = restore_snapshot(w, a, ret, err);
	if (!r && w->overlay_dir && (a->apply || a->step < 0) &&
	    !ret->report.problems.count)
		r = restore_overlay(w, a, err);
	return r;
}

static int cli_restore_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .id = "last", .step = -1 };
	AUTO(workspace) struct workspace w = { .overlay = OVERLAY_NONE };
	struct snapshots_restored restored = { 0 };
	struct error err = ERROR_NONE;
	int code;
	enum flags_status f = flags_parse_id(self, argc, argv, &a.id, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	a.apply = self == &command_apply;
	code = workspace_open(&a.common, a.id, true, &w);
	if (code)
		return code;
	if (a.apply && a.step < 0 && !w.overlay_dir)
		return command_misused(self, "--step is missing");
	overlay_gain(&w.overlay);
	if (restore_now(&w, &a, &restored, &err))
		code = command_report(EXIT_FAILED, &err);
	else if (restored.report.problems.count)
		code = EXIT_FAILED;
	snapshots_restored_clear(&restored);
	return code;
}

const struct command command_apply = {
	.name = "apply",
	.args = "[ID] [--step N]",
	.summary = "Bring a workspace to the state after a step",
	.details = "Restores the files of the conversation (default: the most recent) to "
		   "their state\nafter event N of its log, which may be reverted. The "
		   "present state is kept. The\nconversation must not be open. Ignored "
		   "files are not touched.\nWith `workspace = overlay`, copies the changes in "
		   "the overlay to the workspace;\nwith --step after bringing the overlay to "
		   "that state.",
	.flags = apply_flags,
	.run = cli_restore_run,
};

const struct command command_discard = {
	.name = "discard",
	.args = "[ID]",
	.summary = "Bring a workspace to the state before the first step",
	.details = "Restores the files of the conversation (default: the most recent) to "
		   "their state\nbefore its first step, or with --step after an event. The "
		   "present state is kept.\nThe conversation must not be open. Ignored "
		   "files are not touched.\nWith `workspace = overlay`, throws away all "
		   "changes in the overlay; with --step,\nbrings the overlay to that state.",
	.flags = apply_flags + 1,
	.run = cli_restore_run,
};
