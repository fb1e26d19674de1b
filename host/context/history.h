/* SPDX-License-Identifier: MIT
 *
 * history.h - the view: the events of the log that an agent sees, and that condensers
 * shorten. */
#ifndef HOST_CONTEXT_HISTORY_H
#define HOST_CONTEXT_HISTORY_H

#include "context/request-messages.h"

/** The condensations of a log, each read once. */
struct history;

/** `start`: the first event of its agent. Events strictly between the action `delegate`
 *  and its end are not history of the delegating agent. */
struct history *history_new(struct evlog *log, int64_t start);
struct history *history_free(struct history *h);
/** Save the facts about events for the next process. */
void history_save(struct history *h);

/** The view: without null, state, hidden, reverted and forgotten events; each summary at
 *  the position given by its condensation. After a condensation the rules of
 *  view-invariants.h apply. The caller owns the list; its texts are borrowed until the
 *  next call. */
int history_view(struct history *h, struct view_item **ret, size_t *ret_count,
		 struct error *err);
/** Read the events that history_view needs, until `end` (CLOCK_MONOTONIC, ns).
 *  `*ret_more`: some events were not read yet. */
int history_prepare(struct history *h, uint64_t end, bool *ret_more, struct error *err);
/** The positions at which a view of this history may be cut: count + 1 flags, owned by
 *  the caller. */
int history_cuts(struct history *h, const struct view_item *view, size_t count,
		 unsigned char **ret_allowed, struct error *err);
/** Mark the events that must stay in a view if one event stays: see
 *  view_invariants_mates. */
int history_mates(struct history *h, const struct view_item *view, size_t count,
		  size_t place, unsigned char *marks, struct error *err);
/** Add to `shown` the events that the shown events of a view require in a request: see
 *  view_invariants_complete. */
int history_complete(struct history *h, const struct view_item *view, size_t count,
		     unsigned char *shown, struct error *err);
/** True if these arguments are valid: either a list of ids or a range, and a summary only
 *  together with its offset. A condensation with invalid arguments has no effect. */
bool history_condensation_is_valid(json_object *args);
/** True if the user has sent a message at or after this id. */
bool history_user_since(const struct evlog *log, int64_t id);

/** The ids of all events of the newest view, including forgotten ones, in order;
 *  borrowed until the next view. */
const int32_t *history_events(const struct history *h, size_t *ret_count);

#endif
