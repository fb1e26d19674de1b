/* SPDX-License-Identifier: MIT
 *
 * view-invariants.c - see view-invariants.h.
 *
 * Batches, calls and loops are groups. Their numbers index tables of member lists, so
 * that each group is scanned once. */
#include "context/view-invariants.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- allowed events ----------------------------------------------------- */

/* The positions of each group as linked lists from the newest to the oldest; stored as
 * position + 1, where 0 ends a list. */
struct members {
	size_t *newest, *before;
};

/* For the groups of each type: the highest number + 1. */
struct group_counts {
	int32_t batches, calls, loops;
};

struct groups {
	struct group_counts counts;
	struct members by_batch, by_call, by_loop;
	uint32_t *actions, *results;   /* shown, by call */
	size_t *queue;                 /* positions that were hidden */
	size_t queued;
};

static void count_groups(struct group_counts *n, const struct view_fact *f)
{
	n->batches = more(n->batches, f->batch);
	n->calls = more(n->calls, f->call);
	n->loops = more(n->loops, f->loop);
}

static struct group_counts count_groups_at(const struct view_fact *const *places,
					   size_t count)
{
	struct group_counts n = { 0 };

	for (size_t i = 0; i < count; i++)
		if (places[i])
			count_groups(&n, places[i]);
	return n;
}

static int members_open(struct members *m, int32_t groups, size_t count)
{
	m->newest = calloc((size_t)groups + 1, sizeof *m->newest);
	m->before = calloc(count + 1, sizeof *m->before);
	return m->newest && m->before ? MT_OK : MT_ENOMEM;
}

static void members_close(struct members *m)
{
	free(m->newest);
	free(m->before);
}

static void members_add(struct members *m, int32_t group, size_t place)
{
	if (group < 0)
		return;
	m->before[place] = m->newest[group];
	m->newest[group] = place + 1;
}

static int groups_open(struct groups *g, const struct view_fact *f, size_t count)
{
	*g = (struct groups){ 0 };
	for (size_t i = 0; i < count; i++)
		count_groups(&g->counts, &f[i]);
	g->actions = calloc((size_t)g->counts.calls + 1, sizeof *g->actions);
	g->results = calloc((size_t)g->counts.calls + 1, sizeof *g->results);
	g->queue = calloc(count + 1, sizeof *g->queue);
	if (!g->actions || !g->results || !g->queue ||
	    members_open(&g->by_batch, g->counts.batches, count) ||
	    members_open(&g->by_call, g->counts.calls, count) ||
	    members_open(&g->by_loop, g->counts.loops, count))
		return MT_ENOMEM;
	return MT_OK;
}

static void groups_close(struct groups *g)
{
	free(g->actions);
	free(g->results);
	free(g->queue);
	members_close(&g->by_batch);
	members_close(&g->by_call);
	members_close(&g->by_loop);
}

static void hide(struct groups *g, unsigned char *shown, size_t place)
{
	shown[place] = 0;
	g->queue[g->queued++] = place;
}

static bool view_invariants_is_result(const struct view_fact *f)
{
	return f->call >= 0 && (!f->is_action || f->answered);
}

/* Count an event that is shown, or with -1 one that is hidden. */
static void groups_count(struct groups *g, const struct view_fact *f, int change)
{
	if (f->call >= 0 && f->is_action)
		g->actions[f->call] += (uint32_t)change;
	if (view_invariants_is_result(f))
		g->results[f->call] += (uint32_t)change;
}

/* A second result of a call completes nothing: it is removed alone. */
static void groups_fill(struct groups *g, const struct view_fact *f, size_t count,
			unsigned char *shown)
{
	for (size_t i = 0; i < count; i++) {
		bool result = shown[i] && view_invariants_is_result(&f[i]);

		if (result && g->results[f[i].call]) {
			shown[i] = 0;
			continue;
		}
		if (shown[i])
			groups_count(g, &f[i], 1);
		else
			g->queue[g->queued++] = i;
		members_add(&g->by_call, f[i].call, i);
		members_add(&g->by_loop, f[i].loop, i);
		if (f[i].is_action)
			members_add(&g->by_batch, f[i].batch, i);
	}
}

/* Hide a whole group and empty its list. */
static void hide_group(struct groups *g, struct members *m, int32_t group,
		       const struct view_fact *f, unsigned char *shown)
{
	for (size_t next = m->newest[group]; next; next = m->before[next - 1]) {
		size_t place = next - 1;

		if (!shown[place])
			continue;
		groups_count(g, &f[place], -1);
		hide(g, shown, place);
	}
	m->newest[group] = 0;
}

static bool is_whole_call(const struct groups *g, int32_t call)
{
	return g->actions[call] && g->results[call];
}

/* Hide the events that depend on a hidden event. */
static void hide_mates(struct groups *g, const struct view_fact *f, size_t place,
		       unsigned char *shown)
{
	const struct view_fact *fact = &f[place];

	if (fact->call >= 0 && !is_whole_call(g, fact->call))
		hide_group(g, &g->by_call, fact->call, f, shown);
	if (fact->batch >= 0 && fact->is_action)
		hide_group(g, &g->by_batch, fact->batch, f, shown);
	if (fact->loop >= 0)
		hide_group(g, &g->by_loop, fact->loop, f, shown);
}

int view_invariants_apply(const struct view_fact *facts, size_t count,
			  unsigned char *shown)
{
	struct groups g;
	int r = groups_open(&g, facts, count);

	if (!r) {
		groups_fill(&g, facts, count, shown);
		for (int32_t call = 0; call < g.counts.calls; call++)
			if (!is_whole_call(&g, call))
				hide_group(&g, &g.by_call, call, facts, shown);
		for (size_t i = 0; i < g.queued; i++)
			hide_mates(&g, facts, g.queue[i], shown);
	}
	groups_close(&g);
	return r;
}

/* ---- cuts -------------------------------------------------------------- */

struct spans {
	size_t *first;  /* first position + 1 of each group; 0: none yet */
	size_t *opened; /* by position: spans of two group neighbors that start there */
	size_t *closed; /* by position: those that end there */
};

/* Events between two neighbors in a group stay together. */
static void join_spans(struct spans *s, size_t *first, size_t place)
{
	if (*first) {
		s->opened[*first]++;
		s->closed[place]++;
	}
	*first = place + 1;
}

static void join_fact(struct spans *s, const struct view_fact *f,
		      const struct group_counts *n, size_t place)
{
	if (f->batch >= 0)
		join_spans(s, &s->first[f->batch], place);
	if (f->call >= 0)
		join_spans(s, &s->first[n->batches + f->call], place);
	if (f->loop >= 0)
		join_spans(s, &s->first[n->batches + n->calls + f->loop], place);
}

static void allow_outside(const struct spans *s, size_t count, unsigned char *ret_allowed)
{
	size_t inside = 0;

	for (size_t i = 0; i <= count; i++) {
		inside += s->opened[i];
		ret_allowed[i] = inside == 0;
		inside -= s->closed[i];
	}
}

int view_invariants_cuts(const struct view_fact *const *places, size_t count,
			 unsigned char *ret_allowed)
{
	const struct group_counts n = count_groups_at(places, count);
	struct spans s;
	int r;

	s.first = calloc((size_t)n.batches + (size_t)n.calls + (size_t)n.loops + 1,
			 sizeof *s.first);
	s.opened = calloc(count + 1, sizeof *s.opened);
	s.closed = calloc(count + 1, sizeof *s.closed);
	r = s.first && s.opened && s.closed ? MT_OK : MT_ENOMEM;
	for (size_t i = 0; !r && i < count; i++)
		if (places[i])
			join_fact(&s, places[i], &n, i);
	if (!r)
		allow_outside(&s, count, ret_allowed);
	free(s.first);
	free(s.opened);
	free(s.closed);
	return r;
}

/* ---- required events ---------------------------------------------------- */

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
	struct members by_batch, by_call; /* members that are a call or a result */
	size_t *first;                    /* by loop: position after its first action */
	size_t *queue;                    /* positions that are shown */
	size_t queued;
};

static int needs_open(struct needs *n, const struct view_fact *const *places,
		      size_t count)
{
	const struct group_counts groups = count_groups_at(places, count);

	n->first = calloc((size_t)groups.loops + 1, sizeof *n->first);
	n->queue = calloc(count + 1, sizeof *n->queue);
	return n->first && n->queue &&
			       !members_open(&n->by_batch, groups.batches, count) &&
			       !members_open(&n->by_call, groups.calls, count)
		       ? MT_OK
		       : MT_ENOMEM;
}

static void needs_close(struct needs *n)
{
	members_close(&n->by_batch);
	members_close(&n->by_call);
	free(n->first);
	free(n->queue);
}

static void needs_fill(struct needs *n, const struct view_fact *const *places,
		       size_t count, const unsigned char *shown)
{
	for (size_t i = count; i-- > 0;) {
		const struct view_fact *f = places[i];

		if (!f)
			continue;
		if (f->is_action && f->loop >= 0)
			n->first[f->loop] = i + 1;
		members_add(&n->by_call, f->call, i);
		if (f->call >= 0)
			members_add(&n->by_batch, f->batch, i);
		if (shown[i])
			n->queue[n->queued++] = i;
	}
}

static void view_invariants_show(struct needs *n, size_t place, unsigned char *shown)
{
	if (shown[place])
		return;
	shown[place] = 1;
	n->queue[n->queued++] = place;
}

/* Show a whole group and empty its list. */
static void show_group(struct needs *n, struct members *m, int32_t group,
		       unsigned char *shown)
{
	if (group < 0)
		return;
	for (size_t next = m->newest[group]; next; next = m->before[next - 1])
		view_invariants_show(n, next - 1, shown);
	m->newest[group] = 0;
}

int view_invariants_complete(const struct view_fact *const *places, size_t count,
			     unsigned char *shown)
{
	struct needs n = { 0 };
	int r = needs_open(&n, places, count);

	if (!r)
		needs_fill(&n, places, count, shown);
	for (size_t i = 0; i < n.queued; i++) {
		const struct view_fact *f = places[n.queue[i]];

		show_group(&n, &n.by_call, f->call, shown);
		show_group(&n, &n.by_batch, f->batch, shown);
		if (f->loop >= 0 && n.first[f->loop])
			view_invariants_show(&n, n.first[f->loop] - 1, shown);
	}
	needs_close(&n);
	return r;
}
