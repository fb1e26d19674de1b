/* SPDX-License-Identifier: MIT
 *
 * workspace.c - finds the files and the snapshots of a conversation. */
#include "workspace.h"

#include "conversation/conversation.h"
#include "conversation/meta.h"
#include "files.h"

#include <inttypes.h>
#include <string.h>

/* The files as the tools of the conversation see them. @return its path, owned */
static char *workspace_mount(struct workspace *w, bool change, struct error *err)
{
	AUTO(free) char *dir = path_join(w->dir, "overlay");
	char *path;
	int fd;

	if (dir && overlay_exists(dir)) {
		if (change ? overlay_open(dir, NULL, &w->overlay, err)
			   : overlay_view(dir, &w->overlay, err))
			return NULL;
		w->overlay_dir = STEAL(dir);
	}
	path = overlay_path(&w->overlay, w->path, &fd);
	if (!path)
		out_of_memory(err);
	return path;
}

static int workspace_open_store(struct workspace *w, bool change, struct error *err)
{
	AUTO(free) char *path = workspace_mount(w, change, err);
	int r;

	if (!path || snapshots_place_open(w->config, w->dir, path, &w->place, err))
		return err->code;
	r = snapshot_open(&w->place.options, false, &w->store, err);
	if (r != MT_ENOTFOUND)
		return r;
	*err = ERROR_NONE;
	return w->overlay_dir ? MT_OK
			      : fail(err, MT_ENOTFOUND,
				     "%s has no snapshots: it has made no call that may "
				     "write, or [workspace] snapshots = no",
				     w->id);
}

static int workspace_open_all(struct workspace *w, bool change, struct error *err)
{
	const struct evlog_options o = { .sync = SYNC_BARRIER };
	AUTO(json) json_object *meta = NULL;

	w->dir = conversation_dir(w->config, w->id, err);
	meta = w->dir ? meta_read(w->dir, err) : NULL;
	if (!meta)
		return err->code;
	w->path = strdup(js_str(meta, "workspace", ""));
	if (!w->path)
		return out_of_memory(err);
	if (evlog_open(w->dir, change ? EVLOG_WRITE : EVLOG_READ, change ? &o : NULL,
		       &w->log, NULL, err))
		return err->code;
	return workspace_open_store(w, change, err);
}

int workspace_open(const struct common *common, const char *id, bool change,
		   struct workspace *ret)
{
	struct error err = ERROR_NONE;

	*ret = (struct workspace){ .overlay = OVERLAY_NONE };
	if (common_config(common, &ret->config, &err))
		return command_report(EXIT_USAGE, &err);
	ret->id = conversation_find(ret->config, id, &err);
	if (!ret->id)
		return command_report_id(&err);
	return workspace_open_all(ret, change, &err) ? command_report(EXIT_FAILED, &err)
						     : EXIT_DONE;
}

int workspace_clear_overlay(struct workspace *w, struct error *err)
{
	overlay_clear(&w->overlay);
	return overlay_discard(w->overlay_dir, err);
}

void workspace_close(struct workspace *w)
{
	snapshot_close(w->store);
	snapshots_place_clear(&w->place);
	overlay_clear(&w->overlay);
	evlog_close(w->log);
	config_free(w->config);
	free(w->overlay_dir);
	free(w->id);
	free(w->dir);
	free(w->path);
	*w = (struct workspace){ .overlay = OVERLAY_NONE };
}

const struct snapshot_entry *workspace_state(const struct workspace *w, int64_t step,
					     struct error *err)
{
	const struct snapshot_entry *first = w->store ? snapshot_at(w->store, 0) : NULL;
	const struct snapshot_entry *e =
		step < 0 || !w->store ? first : snapshots_find(w->log, w->store, step);

	if (step < 0 && first && first->kind != SNAPSHOT_START)
		e = NULL;
	else if (step >= 0 && first && first->number > 1 && e == first)
		e = NULL; /* an earlier one was dropped */
	if (e)
		return e;
	if (first && first->number > 1 && (step < 0 || step < first->event))
		fail(err, MT_ENOTFOUND,
		     "the snapshot of that state was dropped because of snapshot_disk; the "
		     "oldest is that of --step %" PRId64,
		     first->event);
	else
		fail(err, MT_ENOTFOUND, "no snapshot was taken after event %" PRId64,
		     step);
	return NULL;
}
