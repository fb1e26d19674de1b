/* SPDX-License-Identifier: MIT
 *
 * workspace.h - the files of a conversation and their snapshots, for `mortise diff`,
 * `apply`, `discard` and `bisect`. */
#ifndef CLI_WORKSPACE_H
#define CLI_WORKSPACE_H

#include "commands.h"
#include "events/evlog.h"
#include "features/snapshots.h"
#include "overlay/overlay.h"

struct workspace {
	struct config *config;
	char *id, *dir, *path;
	struct evlog *log;
	char *overlay_dir;      /* NULL: tools work in the workspace itself */
	struct overlay overlay; /* mounted, if there is one */
	struct snapshots_place place;
	struct snapshot_store *store; /* NULL: an overlay without snapshots */
};

/** Open the workspace of a conversation (a prefix of its id, or "last"). `change`: no
 *  other process may have the conversation open, and its files can be changed. Reports an
 *  error. @return an exit code */
int workspace_open(const struct common *common, const char *id, bool change,
		   struct workspace *ret);
void workspace_close(struct workspace *w);
static inline void auto_workspace(struct workspace *w)
{
	workspace_close(w);
}
/** The state after an event; `step` -1: before the first step. NULL: `err`. */
const struct snapshot_entry *workspace_state(const struct workspace *w, int64_t step,
					     struct error *err);
/** Throw away the changes in the overlay, which is unmounted. */
int workspace_clear_overlay(struct workspace *w, struct error *err);

#endif
