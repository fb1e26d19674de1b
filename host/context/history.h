/* SPDX-License-Identifier: MIT
 *
 * history.h - from the log to the view that condensers and agents begin with
 * (spec/controller 3.1, spec/context 8). */
#ifndef HOST_CONTEXT_HISTORY_H
#define HOST_CONTEXT_HISTORY_H

#include "context/memory.h"

/** What condensations have said, read once each. */
struct history;

struct history *history_new(struct evlog *log);
struct history *history_free(struct history *h);

/** The view: without null, state and hidden events, what is undone and what
 *  was forgotten; each summary where its condensation put it. Where something
 *  was forgotten the rules of view-rules.h hold. The list is the caller's, the
 *  texts in it are borrowed until the next call. */
int history_view(struct history *h, struct view_item **ret, size_t *ret_count,
		 struct error *err);
/** Where a view of this history may be cut: count + 1 flags, the caller's. */
int history_cuts(struct history *h, const struct view_item *view, size_t count,
		 unsigned char **ret_allowed, struct error *err);
/** Are these the arguments of a condensation: either a list of ids or a range, and
 *  a summary only together with its offset? One that is not has no effect. */
bool condensation_is_valid(json_object *args);
/** True if the user has sent a message at or after this id. */
bool history_user_since(const struct evlog *log, int64_t id);

#endif
