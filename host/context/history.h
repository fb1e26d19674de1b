/* SPDX-License-Identifier: MIT
 *
 * history.h - from the log to the view that condensers and agents begin with
 * (spec/controller 3.1, spec/context 8.1). */
#ifndef HOST_CONTEXT_HISTORY_H
#define HOST_CONTEXT_HISTORY_H

#include "context/memory.h"

/** What condensations have said, read once each. */
struct history;

struct history *history_new(struct evlog *log);
struct history *history_free(struct history *h);

/** The view: without null, state and hidden events, what is undone and what
 *  was forgotten; the summary where its condensation put it. The list is the
 *  caller's, the texts in it are borrowed until the next call. */
int history_view(struct history *h, struct view_item **ret, size_t *ret_count,
		 struct error *err);
/** Something was undone: the next view is made from the start of the log. */
void history_rewound(struct history *h);
/** True if the user has sent a message at or after this id. */
bool history_user_since(const struct evlog *log, int64_t id);

#endif
