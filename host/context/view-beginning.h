/* SPDX-License-Identifier: MIT
 *
 * view-beginning.h - adds the system text and the first message to a view without them. */
#ifndef HOST_CONTEXT_VIEW_BEGINNING_H
#define HOST_CONTEXT_VIEW_BEGINNING_H

#include "context/view-item.h"
#include "events/evlog.h"

/** Add the system text and the first user message of the log to a view without them
 *  (V0): an imported history may have forgotten them. `system_id`: the event with the
 *  system text. `first_user_id`: set by the previous call with this log; -1: none yet.
 *  @return the view to lay out; NULL: out of memory. The caller frees `ret_own`. */
const struct view_item *view_with_beginning(const struct evlog *log, int64_t system_id,
					    int64_t *first_user_id,
					    const struct view_item *items, size_t *count,
					    struct view_item **ret_own);

#endif
