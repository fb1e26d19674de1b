/* SPDX-License-Identifier: MIT
 *
 * view-invariants.c - see view-invariants.h.
 *
 * Batches, calls and loops are groups. Their numbers index small tables, so one
 * pass looks once at each event; passes repeat until nothing changes. */
#include "context/view-invariants.h"

#include <stdlib.h>
#include <string.h>

struct groups {
	int32_t batches, calls, loops; /* one more than the greatest number */
	uint32_t *missing_batch, *missing_loop;
	uint32_t *actions, *results;   /* by call */
};

static int32_t more(int32_t most, int32_t number)
{
	return number >= most ? number + 1 : most;
}

void view_invariants_number_loops(struct view_fact *facts, size_t count)
{
	int32_t loop = -1, next = 0;

	for (size_t i = 0; i < count; i++) {
		if (facts[i].call < 0)
			loop = -1;
		else if (facts[i].is_action && facts[i].thinking)
			loop = next++;
		facts[i].loop = loop;
	}
}

static int groups_open(struct groups *g, const struct view_fact *f, size_t count)
{
	*g = (struct groups){ 0 };
	for (size_t i = 0; i < count; i++) {
		g->batches = more(g->batches, f[i].batch);
		g->calls = more(g->calls, f[i].call);
		g->loops = more(g->loops, f[i].loop);
	}
	g->missing_batch = calloc((size_t)g->batches + 1, sizeof(uint32_t));
	g->missing_loop = calloc((size_t)g->loops + 1, sizeof(uint32_t));
	g->actions = calloc((size_t)g->calls + 1, sizeof(uint32_t));
	g->results = calloc((size_t)g->calls + 1, sizeof(uint32_t));
	return g->missing_batch && g->missing_loop && g->actions && g->results
		       ? MT_OK
		       : MT_ENOMEM;
}

static void groups_close(struct groups *g)
{
	free(g->missing_batch);
	free(g->missing_loop);
	free(g->actions);
	free(g->results);
}

/* A second result of a call was never needed to make anything whole. */
static bool is_extra(struct groups *g, const struct view_fact *f)
{
	return !f->is_action && f->call >= 0 && g->results[f->call]++ > 0;
}

static void count_groups(struct groups *g, const struct view_fact *f, size_t count,
			 const unsigned char *shown)
{
	memset(g->missing_batch, 0, (size_t)g->batches * sizeof(uint32_t));
	memset(g->missing_loop, 0, (size_t)g->loops * sizeof(uint32_t));
	memset(g->actions, 0, (size_t)g->calls * sizeof(uint32_t));
	memset(g->results, 0, (size_t)g->calls * sizeof(uint32_t));
	for (size_t i = 0; i < count; i++) {
		if (shown[i]) {
			if (f[i].call >= 0)
				(f[i].is_action ? g->actions : g->results)[f[i].call]++;
			continue;
		}
		if (f[i].batch >= 0 && f[i].is_action)
			g->missing_batch[f[i].batch]++;
		if (f[i].loop >= 0)
			g->missing_loop[f[i].loop]++;
	}
}

static bool forbidden(const struct groups *g, const struct view_fact *f)
{
	if (f->call >= 0 && (!g->actions[f->call] || !g->results[f->call]))
		return true;
	if (f->batch >= 0 && f->is_action && g->missing_batch[f->batch])
		return true;
	return f->loop >= 0 && g->missing_loop[f->loop];
}

static void drop_extra(struct groups *g, struct view_fact *f, size_t count,
		       unsigned char *shown)
{
	for (size_t i = 0; i < count; i++)
		if (shown[i] && is_extra(g, &f[i])) {
			shown[i] = 0;
			f[i].loop = f[i].batch = -1;
		}
}

int view_invariants_apply(const struct view_fact *facts, size_t count,
			  unsigned char *shown)
{
	struct view_fact *f = malloc((count + 1) * sizeof *f);
	struct groups g = { 0 };
	bool changed = true;
	int r = f ? groups_open(&g, facts, count) : MT_ENOMEM;

	if (!r) {
		memcpy(f, facts, count * sizeof *f);
		drop_extra(&g, f, count, shown);
	}
	while (!r && changed) {
		changed = false;
		count_groups(&g, f, count, shown);
		for (size_t i = 0; i < count; i++)
			if (shown[i] && forbidden(&g, &f[i])) {
				shown[i] = 0;
				changed = true;
			}
	}
	groups_close(&g);
	free(f);
	return r;
}

/* ---- cuts -------------------------------------------------------------- */

struct spans {
	size_t *first; /* place + 1; 0: none yet */
	unsigned char *allowed;
};

/* Everything from the first place of a group to this one stays together. */
static void join_spans(struct spans *s, size_t *first, size_t place)
{
	if (!*first) {
		*first = place + 1;
		return;
	}
	for (size_t i = *first; i <= place; i++)
		s->allowed[i] = 0;
	*first = place + 1;
}

int view_invariants_cuts(const struct view_fact *const *places, size_t count,
			 unsigned char *ret_allowed)
{
	struct spans s = { .allowed = ret_allowed };
	int32_t batches = 0, calls = 0, loops = 0;

	memset(ret_allowed, 1, count + 1);
	for (size_t i = 0; i < count; i++) {
		if (!places[i])
			continue;
		batches = more(batches, places[i]->batch);
		calls = more(calls, places[i]->call);
		loops = more(loops, places[i]->loop);
	}
	s.first = calloc((size_t)batches + (size_t)calls + (size_t)loops + 1,
			 sizeof *s.first);
	if (!s.first)
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct view_fact *f = places[i];

		if (f && f->batch >= 0)
			join_spans(&s, &s.first[f->batch], i);
		if (f && f->call >= 0)
			join_spans(&s, &s.first[batches + f->call], i);
		if (f && f->loop >= 0)
			join_spans(&s, &s.first[batches + calls + f->loop], i);
	}
	free(s.first);
	return MT_OK;
}

/* ---- what an event needs ------------------------------------------------ */

static void mark_results(const struct view_fact *const *places, size_t count,
			 int32_t call, unsigned char *marks)
{
	for (size_t i = 0; i < count; i++)
		if (places[i] && places[i]->call == call && call >= 0)
			marks[i] = 1;
}

/* The calls of one reply, with their results. */
static void mark_batch(const struct view_fact *const *places, size_t count,
		       const struct view_fact *action, unsigned char *marks)
{
	mark_results(places, count, action->call, marks);
	for (size_t i = 0; i < count; i++)
		if (places[i] && places[i]->is_action && action->batch >= 0 &&
		    places[i]->batch == action->batch)
			mark_results(places, count, places[i]->call, marks);
}

void view_invariants_mates(const struct view_fact *const *places, size_t count,
			   size_t place, unsigned char *marks)
{
	const struct view_fact *f = places[place], *action = NULL, *first = NULL;

	marks[place] = 1;
	for (size_t i = 0; i < count && f; i++) {
		const struct view_fact *p = places[i];

		if (!p || !p->is_action)
			continue;
		if (!action && p->call >= 0 && p->call == f->call)
			action = p;
		if (!first && p->loop >= 0 && p->loop == f->loop)
			first = p;
	}
	if (action)
		mark_batch(places, count, action, marks);
	if (first)
		mark_batch(places, count, first, marks);
}

struct needs {
	unsigned char *batches, *calls;
	size_t *first;                 /* of each loop: the place behind its first action */
};

static bool mark_needed(unsigned char *flag)
{
	bool is_new = !*flag;

	*flag = 1;
	return is_new;
}

/* @return true if something was added. */
static bool complete_once(const struct needs *n, const struct view_fact *const *places,
			  size_t count, unsigned char *shown)
{
	bool changed = false;

	for (size_t i = 0; i < count; i++) {
		const struct view_fact *f = places[i];

		if (!f)
			continue;
		if (f->call >= 0 &&
		    (n->calls[f->call] || (f->batch >= 0 && n->batches[f->batch])))
			changed |= mark_needed(&shown[i]);
		if (!shown[i])
			continue;
		if (f->call >= 0)
			changed |= mark_needed(&n->calls[f->call]);
		if (f->batch >= 0)
			changed |= mark_needed(&n->batches[f->batch]);
		if (f->loop >= 0 && n->first[f->loop])
			changed |= mark_needed(&shown[n->first[f->loop] - 1]);
	}
	return changed;
}

int view_invariants_complete(const struct view_fact *const *places, size_t count,
			     unsigned char *shown)
{
	int32_t batches = 0, calls = 0, loops = 0;
	struct needs n = { 0 };
	int r;

	for (size_t i = 0; i < count; i++) {
		if (!places[i])
			continue;
		batches = more(batches, places[i]->batch);
		calls = more(calls, places[i]->call);
		loops = more(loops, places[i]->loop);
	}
	n.batches = calloc((size_t)batches + 1, 1);
	n.calls = calloc((size_t)calls + 1, 1);
	n.first = calloc((size_t)loops + 1, sizeof *n.first);
	r = n.batches && n.calls && n.first ? MT_OK : MT_ENOMEM;
	for (size_t i = count; !r && i-- > 0;)
		if (places[i] && places[i]->is_action && places[i]->loop >= 0)
			n.first[places[i]->loop] = i + 1;
	while (!r && complete_once(&n, places, count, shown))
		;
	free(n.batches);
	free(n.calls);
	free(n.first);
	return r;
}
