/* SPDX-License-Identifier: MIT
 *
 * snapshots.h - snapshots of the workspace before each call that may write, and restoring
 * them. */
#ifndef HOST_FEATURES_SNAPSHOTS_H
#define HOST_FEATURES_SNAPSHOTS_H

#include "config/config.h"
#include "controller/feature.h"
#include "events/evlog.h"
#include "snapshot/snapshot.h"

extern const struct feature snapshots_feature;

/** Where the snapshots of a conversation are, and their limits. */
struct snapshots_place {
	struct snapshot_options options; /* borrows the strings */
	char *dir, *except, *workspace;  /* owned */
	char **roots;                    /* owned; NULL: none in the configuration */
};

/** Of the conversation in this directory. */
int snapshots_place_open(const struct config *config, const char *conversation_dir,
			 const char *workspace, struct snapshots_place *ret,
			 struct error *err);
void snapshots_place_clear(struct snapshots_place *p);
static inline void auto_snapshots_place(struct snapshots_place *p)
{
	snapshots_place_clear(p);
}

/** The number of the snapshot before a call, from the log; -1: it has none. */
int64_t snapshots_number_of(struct evlog *log, int64_t action);
/** The state after this event, like snapshot_after, but complete even if the last lines of
 *  the index were lost, because the log names the snapshots too. NULL: none. */
const struct snapshot_entry *snapshots_find(struct evlog *log,
					    const struct snapshot_store *s,
					    int64_t event);

/** What differs between two states. */
struct snapshots_changes {
	int64_t count;               /* files and links */
	struct snapshot_names names; /* with `+` created, `-` removed, `~` changed */
};
int snapshots_changes(struct snapshot_store *s, const unsigned char from[SHA256_BYTES],
		      const unsigned char to[SHA256_BYTES], struct snapshots_changes *ret,
		      struct error *err);
/** Append `a, b and 3 more`. */
void snapshots_put_names(struct strbuf *out, const struct snapshot_names *names);

/** The result of restoring files. */
struct snapshots_restored {
	struct snapshots_changes changes; /* from the present to the restored state */
	struct snapshots_changes by_user; /* since the agent became idle; overwritten */
	struct snapshot_names ignored, left_out; /* as in struct snapshot_state */
	struct snapshot_report report;
	int64_t kept; /* number of the snapshot of the state before; 0: none was needed */
};
void snapshots_restored_clear(struct snapshots_restored *r);
/** Restore a state. The present state is kept as the snapshot before `event`. `dry`: only
 *  find the changes. */
int snapshots_restore(struct snapshot_store *s, const unsigned char root[SHA256_BYTES],
		      int64_t event, bool dry, struct snapshots_restored *ret,
		      struct error *err);
/** Append sentences for the user. */
void snapshots_put_restored(struct strbuf *out, const struct snapshots_restored *r);

/** Name of a state record: a note for the model, about files that were restored while the
 *  conversation was not open. "": none. */
extern const char snapshots_note_record[];

/** What the last rewind restored, for the user; owned. NULL: nothing to report. */
char *snapshots_take_report(struct conversation *c);

#endif
