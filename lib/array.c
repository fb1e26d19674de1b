/* SPDX-License-Identifier: MIT
 *
 * array.c - grows arrays. */
#include "array.h"

#include <mortise/plugin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 8 };

/* Double until there is room for `need` items, up to `max`. */
static size_t next_room(size_t room, size_t need, size_t max)
{
	while (room < need)
		room = room <= max / 2 ? room * 2 : max;
	return room < max ? room : max;
}

int array_grow(void *array, size_t *room, size_t need, size_t size, size_t max)
{
	size_t want;
	void *items;

	if (room && need <= *room)
		return MT_OK;
	if (need > max)
		return MT_ELIMIT;
	want = next_room(room && *room ? *room : room ? FIRST_ROOM : 1, need, max);
	if (want > PTRDIFF_MAX / size)
		return MT_ENOMEM;
	/* Copied, because the type of the pointer is not void *. */
	memcpy(&items, array, sizeof items);
	items = realloc(items, want * size);
	if (!items)
		return MT_ENOMEM;
	memcpy(array, &items, sizeof items);
	if (room)
		*room = want;
	return MT_OK;
}

int array_add(void *array, size_t count, size_t size, size_t max)
{
	if (count >= max)
		return MT_ELIMIT;
	return count & (count - 1) ? MT_OK
				   : array_grow(array, NULL, count + 1, size, max);
}
