/* SPDX-License-Identifier: MIT
 *
 * snapshots-restore.c - restores the workspace from a snapshot, keeps the state that it
 * replaces, and says what has changed. */
#include "features/snapshots.h"

#include "files.h"
#include "sandbox/roots.h"

#include <inttypes.h>
#include <string.h>

const char snapshots_note_record[] = "mortise/snapshots";

int snapshots_place_open(const struct config *config, const char *conversation_dir,
			 const char *workspace, struct snapshots_place *ret,
			 struct error *err)
{
	*ret = (struct snapshots_place){
		.dir = path_join(conversation_dir, "snapshots"),
		.except = path_join(conversation_dir, ".."),
		.workspace = strdup(workspace),
	};
	if (!ret->dir || !ret->except || !ret->workspace ||
	    roots_list(config, &ret->roots)) {
		snapshots_place_clear(ret);
		return out_of_memory(err);
	}
	ret->options = (struct snapshot_options){
		.dir = ret->dir, .workspace = ret->workspace, .roots = ret->roots,
		.except = ret->except,
		.disk = config_int(config, "workspace", "snapshot_disk"),
		.file = config_int(config, "workspace", "snapshot_file"),
		.files = config_int(config, "workspace", "snapshot_files"),
		.sync = config_choice(config, "core", "sync") != SYNC_NONE,
	};
	return MT_OK;
}

void snapshots_place_clear(struct snapshots_place *p)
{
	free(p->dir);
	free(p->except);
	free(p->workspace);
	roots_free(p->roots);
	*p = (struct snapshots_place){ 0 };
}

int64_t snapshots_number_of(struct evlog *log, int64_t action)
{
	AUTO(json) json_object *record = NULL;

	for (int64_t id = action; !record && id < evlog_count(log); id++) {
		if (id > action && evlog_head(log, id)->cause == action)
			break; /* its result */
		record = evlog_record_after(log, id, "snapshot", NULL);
	}
	return js_int(record, "action", -1) == action ? js_int(record, "snapshot", -1)
						      : -1;
}

const struct snapshot_entry *snapshots_find(struct evlog *log,
					    const struct snapshot_store *s, int64_t event)
{
	const struct snapshot_entry *found = snapshot_after(s, event), *e;
	int64_t end = found ? found->event : evlog_count(log), number = -1;

	for (int64_t id = event + 1; number < 0 && id < end; id++)
		if (evlog_dispatched(log, id))
			number = snapshots_number_of(log, id);
	for (size_t i = 0; number >= 0 && (e = snapshot_at(s, i)); i++)
		if (e->number <= number)
			found = e;
	return found;
}

/* ---- changes ------------------------------------------------------------------- */

static bool snapshots_is_leaf(const struct tree_item *item)
{
	return item && (item->type == TREE_FILE || item->type == TREE_LINK);
}

static int snapshots_note_change(void *arg, const struct snapshot_change *change,
				 struct error *err)
{
	struct snapshots_changes *all = arg;
	bool from = snapshots_is_leaf(change->from), to = snapshots_is_leaf(change->to);
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 17);

	if (!from && !to)
		return MT_OK;
	all->count++;
	if (all->names.count >= SNAPSHOT_NAMES_MAX) {
		all->names.count++;
		return MT_OK;
	}
	if (strbuf_addf(&text, "%s%s", from && to ? "~" : to ? "+" : "-", change->path))
		return out_of_memory(err);
	snapshot_names_add(&all->names, text.text, NULL);
	return MT_OK;
}

int snapshots_changes(struct snapshot_store *s, const unsigned char from[SHA256_BYTES],
		      const unsigned char to[SHA256_BYTES], struct snapshots_changes *ret,
		      struct error *err)
{
	*ret = (struct snapshots_changes){ 0 };
	return snapshot_compare(s, from, to, snapshots_note_change, ret, err);
}

void snapshots_put_names(struct strbuf *out, const struct snapshot_names *names)
{
	enum { SHOWN = 8 };
	int64_t shown = names->count > SHOWN ? SHOWN : names->count;

	for (int64_t i = 0; i < shown; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "",
			    names->list[i] ? names->list[i] : "?");
	if (names->count > shown)
		strbuf_addf(out, " and %" PRId64 " more", names->count - shown);
}

/* ---- restoring ------------------------------------------------------------------- */

void snapshots_restored_clear(struct snapshots_restored *r)
{
	snapshot_names_clear(&r->changes.names);
	snapshot_names_clear(&r->by_user.names);
	snapshot_names_clear(&r->ignored);
	snapshot_names_clear(&r->left_out);
	snapshot_names_clear(&r->report.problems);
	*r = (struct snapshots_restored){ 0 };
}

/* The state in which the agent left the workspace; NULL: unknown. */
static const struct snapshot_entry *snapshots_left(const struct snapshot_store *s)
{
	const struct snapshot_entry *last = snapshot_at(s, snapshot_count(s) - 1);

	return last && last->kind != SNAPSHOT_STEP ? last : NULL;
}

static int snapshots_find_changes(struct snapshot_store *s,
				  const struct snapshot_state *now,
				  const unsigned char *root,
				  struct snapshots_restored *ret, struct error *err)
{
	const struct snapshot_entry *left = snapshots_left(s);
	int r = snapshots_changes(s, now->root, root, &ret->changes, err);

	if (!r && left)
		r = snapshots_changes(s, left->root, now->root, &ret->by_user, err);
	return r;
}

int snapshots_restore(struct snapshot_store *s, const unsigned char root[SHA256_BYTES],
		      int64_t event, bool dry, struct snapshots_restored *ret,
		      struct error *err)
{
	struct snapshot_state now = { 0 };
	unsigned char target[SHA256_BYTES];
	int r;

	*ret = (struct snapshots_restored){ 0 };
	memcpy(target, root, sizeof target); /* the index may grow or shrink */
	r = snapshot_make(s, &now, err);
	if (!r)
		r = snapshots_find_changes(s, &now, target, ret, err);
	ret->ignored = now.ignored;
	ret->left_out = now.left_out;
	if (r || dry || memcmp(now.root, target, sizeof target) == 0)
		return r;
	ret->kept = snapshot_keep(s, SNAPSHOT_UNDO, event, now.root, err);
	return ret->kept < 0 ? (int)ret->kept
			     : snapshot_restore(s, now.root, target, &ret->report, err);
}

static void snapshots_put_line(struct strbuf *out, const char *what,
			       const struct snapshot_names *names)
{
	if (!names->count)
		return;
	strbuf_addf(out, "%s%s: ", out->len ? "\n" : "", what);
	snapshots_put_names(out, names);
	strbuf_addc(out, '.');
}

void snapshots_put_restored(struct strbuf *out, const struct snapshots_restored *r)
{
	AUTO(strbuf) struct strbuf what = STRBUF(256);

	if (r->changes.count) {
		strbuf_addf(&what, "%s %" PRId64 " file%s",
			    r->kept ? "Restored" : "To restore", r->changes.count,
			    r->changes.count == 1 ? "" : "s");
		snapshots_put_line(out, what.text, &r->changes.names);
	}
	snapshots_put_line(out, "Changed after the agent's last call, and included",
			   &r->by_user.names);
	snapshots_put_line(out, "Could not be restored", &r->report.problems);
	snapshots_put_line(out, "Not covered because they are ignored", &r->ignored);
	snapshots_put_line(out, "Not covered", &r->left_out);
}
