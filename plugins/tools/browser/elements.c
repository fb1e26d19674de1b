/* SPDX-License-Identifier: MIT
 *
 * elements.c - bids: short names for the nodes of a page, valid until the page is left.
 * The bids in a frame start with its letters. */
#include "browser-internal.h"
#include "array.h"
#include <string.h>

static size_t hash_node(unsigned frame, int64_t node)
{
	uint64_t h = ((uint64_t)node << 8 ^ frame) * 0x9e3779b97f4a7c15u;

	return (size_t)(h >> 24);
}

static size_t hash_bid(const char *bid)
{
	uint64_t h = 1469598103934665603u;

	for (; *bid; bid++)
		h = (h ^ (unsigned char)*bid) * 1099511628211u;
	return (size_t)(h >> 24);
}

static uint32_t *node_slot(struct browser *b, unsigned frame, int64_t node)
{
	for (size_t i = hash_node(frame, node);; i++) {
		uint32_t *s = &b->by_node[i & (b->slots - 1)];

		if (!*s || (b->elements[*s - 1].node == node &&
			    b->elements[*s - 1].frame == frame))
			return s;
	}
}

static uint32_t *bid_slot(struct browser *b, const char *bid)
{
	for (size_t i = hash_bid(bid);; i++) {
		uint32_t *s = &b->by_bid[i & (b->slots - 1)];

		if (!*s || strcmp(b->elements[*s - 1].bid, bid) == 0)
			return s;
	}
}

struct element *element_by_bid(struct browser *b, const char *bid)
{
	uint32_t n = b->slots ? *bid_slot(b, bid) : 0;

	return n ? &b->elements[n - 1] : NULL;
}

static struct element *element_by_node(struct browser *b, unsigned frame, int64_t node)
{
	uint32_t n = b->slots ? *node_slot(b, frame, node) : 0;

	return n ? &b->elements[n - 1] : NULL;
}

static bool grow(struct browser *b)
{
	size_t room = b->element_room;

	if (ARRAY_GROW(b->elements, &room, room ? 2 * room : 1024, ARRAY_MAX))
		return false;
	free(b->by_node);
	free(b->by_bid);
	b->slots = 4 * room;
	b->by_node = calloc(b->slots, sizeof *b->by_node);
	b->by_bid = calloc(b->slots, sizeof *b->by_bid);
	if (!b->by_node || !b->by_bid) {
		elements_clear(b);
		return false;
	}
	b->element_room = room;
	for (size_t i = 0; i < b->element_count; i++) {
		const struct element *e = &b->elements[i];

		*node_slot(b, e->frame, e->node) = (uint32_t)i + 1;
		*bid_slot(b, e->bid) = (uint32_t)i + 1;
	}
	return true;
}

/* The letters of the n-th frame in another: a to z, then aA, aB and so on. A name starts
 * with its only lowercase letter, so joined names are unambiguous. */
static void frame_letters(char *ret, size_t size, unsigned n)
{
	if (n < 26)
		snprintf(ret, size, "%c", 'a' + n);
	else
		snprintf(ret, size, "%c%c", 'a' + (n - 26) / 26 % 26,
			 'A' + (n - 26) % 26);
}

struct element *element_add(struct browser *b, unsigned frame, int64_t node,
			    bool is_frame)
{
	struct element *e = element_by_node(b, frame, node);
	struct frame *f = &b->frames[frame];
	char letters[4];

	if (e)
		return e;
	if (b->element_count == b->element_room && !grow(b))
		return NULL;
	e = &b->elements[b->element_count];
	*e = (struct element){ .node = node, .frame = frame };
	frame_letters(letters, sizeof letters, f->inner);
	if (is_frame)
		f->inner++, snprintf(e->bid, sizeof e->bid, "%.18s%s", f->label, letters);
	else
		snprintf(e->bid, sizeof e->bid, "%.12s%u", f->label, ++f->last);
	b->element_count++;
	*node_slot(b, frame, node) = (uint32_t)b->element_count;
	*bid_slot(b, e->bid) = (uint32_t)b->element_count;
	return e;
}

void elements_clear(struct browser *b)
{
	free(b->elements);
	free(b->by_node);
	free(b->by_bid);
	b->elements = NULL;
	b->by_node = b->by_bid = NULL;
	b->element_count = b->element_room = b->slots = b->frame_count = 0;
}
