/* SPDX-License-Identifier: MIT
 *
 * metrics.c - the bill: tokens, time and money of a model. */
#include "llm/exchange.h"

static void add(int64_t *sum, int64_t n)
{
	if (n > 0)
		*sum += n;
}

/* What the provider says, else by the prices of the configuration; below 0:
 * unknown. */
static double price(const struct llm *l, const struct llm_usage *u, double header_cost)
{
	if (u->cost >= 0)
		return u->cost;
	if (header_cost >= 0)
		return header_cost;
	if (l->input_cost < 0 || l->output_cost < 0 || u->input < 0 || u->output < 0)
		return -1;
	return (double)u->input * l->input_cost + (double)u->output * l->output_cost;
}

void llm_count(struct llm *l, struct llm_usage *usage, double header_cost,
	       int64_t latency_ms)
{
	struct llm_metrics *m = &l->metrics;

	usage->cost = price(l, usage, header_cost);
	m->calls++;
	add(&m->input, usage->input);
	add(&m->output, usage->output);
	add(&m->cache_read, usage->cache_read);
	add(&m->cache_write, usage->cache_write);
	add(&m->reasoning, usage->reasoning);
	m->latency_ms += latency_ms;
	if (usage->cost >= 0)
		m->cost += usage->cost;
	else
		m->cost_known = false;
}

const struct llm_metrics *llm_metrics(const struct llm *l)
{
	return &l->metrics;
}

void llm_set_metrics(struct llm *l, const struct llm_metrics *m)
{
	l->metrics = *m;
}
