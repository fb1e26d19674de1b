/* SPDX-License-Identifier: MIT
 *
 * array.h - growing arrays. */
#ifndef LIB_ARRAY_H
#define LIB_ARRAY_H

#include <stddef.h>

/** Limit of arrays whose input is already limited. */
enum { ARRAY_MAX = 1 << 24 };

/** Make room for `need` items, at most `max`, in an array of items of `size` bytes.
 *  `array` is the address of the pointer to the first item. `room` holds the number of
 *  items allocated, which at least doubles when it grows. NULL: each call reallocates to
 *  the next power of two, so that a short array needs no such member. New items are not
 *  initialized.
 *  @return MT_OK, MT_ELIMIT or MT_ENOMEM; on failure the array is unchanged. */
int array_grow(void *array, size_t *room, size_t need, size_t size, size_t max);

/** array_grow() for the pointer `array`, whose type gives the size of an item. */
#define ARRAY_GROW(array, room, need, max) \
	array_grow(&(array), room, need, sizeof *(array), max)

/** Make room for one more item in an array of `count` items that only this function has
 *  grown: its room is the next power of two. @return as array_grow(). */
int array_add(void *array, size_t count, size_t size, size_t max);

#define ARRAY_ADD(array, count, max) array_add(&(array), count, sizeof *(array), max)

#endif
