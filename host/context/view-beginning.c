/* SPDX-License-Identifier: MIT
 *
 * view-beginning.c - adds the system text and the first message to a view without them. */
#include "context/view-beginning.h"

#include <stdlib.h>

static bool is_event_type(const struct evlog *log, const struct view_item *item,
			  enum event_type_id type)
{
	const struct evlog_head *head =
		item->event >= 0 ? evlog_head(log, item->event) : NULL;

	return head && head->type->id == type;
}

static bool is_user_item(const struct evlog *log, const struct view_item *item)
{
	return is_event_type(log, item, ACTION_MESSAGE) &&
	       evlog_head(log, item->event)->source == SOURCE_USER;
}

static bool is_in_view(const struct view_item *items, size_t count, int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].event == id)
			return true;
	return false;
}

/* Update *id, the first effective user message. @return it, or -1. */
static int64_t first_user(const struct evlog *log, int64_t *id)
{
	int64_t count = evlog_count(log);

	if (*id >= 0 && evlog_head(log, *id)->undone)
		*id = -1;
	for (int64_t n = 0; *id < 0 && n < count; n++) {
		const struct view_item item = { .event = n };

		if (is_user_item(log, &item) && !evlog_head(log, n)->undone)
			*id = n;
	}
	return *id;
}

const struct view_item *view_with_beginning(const struct evlog *log, int64_t system_id,
					    int64_t *first_user_id,
					    const struct view_item *items, size_t *count,
					    struct view_item **ret_own)
{
	const struct view_item system = { .event = system_id };
	bool known = is_event_type(log, &system, ACTION_SYSTEM) &&
		     !evlog_head(log, system.event)->undone;
	bool have = *count && is_event_type(log, &items[0], ACTION_SYSTEM) &&
		    (!known || items[0].event == system.event);
	bool lacks_user = !(*count > have && is_user_item(log, &items[have])) &&
			  first_user(log, first_user_id) >= 0 &&
			  !is_in_view(items, *count, *first_user_id);
	bool lacks_system = !have && known;
	size_t n = 0;

	if (*count == 0 || (!lacks_user && !lacks_system))
		return items;
	*ret_own = malloc((*count + 2) * sizeof **ret_own);
	if (!*ret_own)
		return NULL;
	if (lacks_system)
		(*ret_own)[n++] = system;
	else if (have)
		(*ret_own)[n++] = items[0];
	if (lacks_user)
		(*ret_own)[n++] = (struct view_item){ .event = *first_user_id };
	for (size_t i = have; i < *count; i++) /* one that was added late comes first */
		if (!lacks_system || items[i].event != system.event)
			(*ret_own)[n++] = items[i];
	*count = n;
	return *ret_own;
}
