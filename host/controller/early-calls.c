/* SPDX-License-Identifier: MIT
 *
 * early-calls.c - calls that were sent before it was their turn. */
#include "controller/early-calls.h"

#include <string.h>

struct call *early_calls_take(struct early_calls *all, size_t index)
{
	struct call *first = all->list[0];

	if (!all->count || first->index != index)
		return NULL;
	memmove(all->list, all->list + 1, --all->count * sizeof all->list[0]);
	return first;
}

void early_call_cancel(const struct call *call, struct runner *link)
{
	if (call->early && !call->over && link)
		runner_cancel(link, call->number);
}

void early_calls_cancel(struct early_calls *all, struct runner *link)
{
	for (size_t i = 0; i < all->count; i++)
		early_call_cancel(all->list[i], link);
	early_calls_free(all);
}

void early_calls_free(struct early_calls *all)
{
	while (all->count)
		call_free(all->list[--all->count]);
}
