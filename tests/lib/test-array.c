/* SPDX-License-Identifier: MIT
 *
 * test-array.c - growing arrays. */
#include "array.h"

#include "oom.h"
#include "tap.h"

#include <mortise/plugin.h>
#include <stdint.h>

static void an_array_doubles_up_to_its_limit(void)
{
	int *items = NULL;
	size_t room = 0;

	for (size_t n = 0; n < 100; n++) {
		if (!ARRAY_GROW(items, &room, n + 1, 100))
			items[n] = (int)n;
		else
			CHECK_MSG(false, "room for item %zu", n);
	}
	CHECK(items[0] == 0 && items[63] == 63 && items[99] == 99);
	CHECK_MSG(room == 100, "room for %zu, the limit", room);
	CHECK(ARRAY_GROW(items, &room, 101, 100) == MT_ELIMIT && room == 100);
	CHECK(items[99] == 99);
	free(items);
	items = NULL, room = 0;
	CHECK(!ARRAY_GROW(items, &room, 1, 1000) && room == 8);
	CHECK(!ARRAY_GROW(items, &room, 9, 1000) && room == 16);
	CHECK(!ARRAY_GROW(items, &room, 500, 1000) && room == 512);
	CHECK(!ARRAY_GROW(items, &room, 3, 1000) && room == 512);
	free(items);
}

static void an_array_needs_no_room_member(void)
{
	struct pair {
		int64_t a, b;
	} *items = NULL;

	for (size_t n = 0; n < 70; n++)
		if (!ARRAY_GROW(items, NULL, n + 1, 70))
			items[n] = (struct pair){ (int64_t)n, -(int64_t)n };
	CHECK(items[0].a == 0 && items[64].a == 64 && items[69].b == -69);
	CHECK(ARRAY_GROW(items, NULL, 71, 70) == MT_ELIMIT && items[69].b == -69);
	CHECK(!ARRAY_GROW(items, NULL, 0, 70));
	free(items);
}

static void a_size_does_not_overflow(void)
{
	int64_t *items = NULL;
	size_t room = 0;

	CHECK(ARRAY_GROW(items, &room, SIZE_MAX / 4, SIZE_MAX) == MT_ENOMEM);
	CHECK(ARRAY_GROW(items, &room, SIZE_MAX, SIZE_MAX) == MT_ENOMEM);
	CHECK(ARRAY_GROW(items, NULL, PTRDIFF_MAX / 8 + 1, SIZE_MAX) == MT_ENOMEM);
	CHECK(!items && room == 0);
}

static void an_array_without_memory_is_unchanged(void)
{
	OOM_EACH({
		int *items = NULL;
		size_t room = 0, count = 0;

		while (count < 20 && !ARRAY_GROW(items, &room, count + 1, ARRAY_MAX))
			items[count] = (int)count, count++;
		for (size_t n = 0; n < count; n++)
			if (items[n] != (int)n)
				CHECK_MSG(false, "item %zu is unchanged", n);
		if (oom_hit && room < count)
			CHECK_MSG(false, "room is unchanged");
		free(items);
	});
	CHECK_OOM();
}

static void one_more_item(void)
{
	int *items = NULL;
	size_t count = 0;

	while (!ARRAY_ADD(items, count, 1000))
		items[count] = (int)count, count++;
	CHECK(count == 1000 && items[0] == 0 && items[511] == 511 && items[999] == 999);
	free(items);
}

int main(void)
{
	one_more_item();
	an_array_doubles_up_to_its_limit();
	an_array_needs_no_room_member();
	a_size_does_not_overflow();
	an_array_without_memory_is_unchanged();
	return tap_done();
}
