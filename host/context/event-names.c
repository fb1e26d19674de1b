/* SPDX-License-Identifier: MIT
 *
 * event-names.c - numbers the ids of replies and calls with a hash table. */
#include "context/event-names.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, from a start that differs between processes: a model chooses the ids. */
static uint64_t hash_id(const char *id)
{
	static int seed;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uintptr_t)&seed;

	for (; *id; id++)
		hash = (hash ^ (unsigned char)*id) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 29;
}

/* The slot of an id: the existing one, or the free one to insert it in. */
static uint32_t *find_slot(const struct event_names *n, const char *id)
{
	size_t mask = n->table_size - 1, i = hash_id(id) & mask;

	while (n->table[i] && strcmp(n->texts.text + n->places[n->table[i] - 1], id) != 0)
		i = (i + 1) & mask;
	return &n->table[i];
}

static bool grow_table(struct event_names *n)
{
	size_t size = n->table_size ? n->table_size * 2 : 256;
	uint32_t *table = calloc(size, sizeof *table);

	if (!table)
		return false;
	free(n->table);
	n->table = table;
	n->table_size = size;
	for (size_t i = 0; i < n->count; i++)
		*find_slot(n, n->texts.text + n->places[i]) = (uint32_t)i + 1;
	return true;
}

int32_t event_names_number(struct event_names *n, const char *id)
{
	size_t len = id ? strlen(id) : 0, start = n->texts.len;
	uint32_t *slot;

	if (!len)
		return -1;
	if (n->count * 2 >= n->table_size && !grow_table(n))
		return -2;
	slot = find_slot(n, id);
	if (*slot)
		return (int32_t)*slot - 1;
	if (ARRAY_GROW(n->places, &n->room, n->count + 1, ARRAY_MAX) ||
	    strbuf_addn(&n->texts, id, len + 1))
		return -2;
	n->places[n->count++] = (uint32_t)start;
	*slot = (uint32_t)n->count;
	return (int32_t)n->count - 1;
}

bool event_names_load(struct event_names *n, const char *texts, size_t len)
{
	size_t count = 0;

	for (size_t at = 0; at < len; at += strlen(texts + at) + 1, count++)
		if (!memchr(texts + at, '\0', len - at) ||
		    event_names_number(n, texts + at) != (int32_t)count)
			return false;
	return true;
}

void event_names_clear(struct event_names *n)
{
	strbuf_clear(&n->texts);
	free(n->places);
	free(n->table);
	*n = (struct event_names)EVENT_NAMES;
}
