/* SPDX-License-Identifier: MIT
 *
 * cost.c - computes the cost of a reply and adds it to the usage of its model. */
#include "llm/llm-internal.h"
#include "log.h"
#include <string.h>

/* True for a plausible cost: not negative, and not too large. */
static bool is_cost(double dollars)
{
	return dollars >= 0 && dollars < 1e6;
}

/* The cost reported by the provider, otherwise computed from prices in the configuration,
 * otherwise from those in the table; negative: unknown. */
static double price(const struct llm *l, const struct llm_usage *u, double header_cost)
{
	if (is_cost(u->cost))
		return u->cost;
	if (is_cost(header_cost))
		return header_cost;
	if (l->input_cost < 0 || l->output_cost < 0)
		return model_cost(&l->facts, u->input, u->output, u->cache_read,
				  u->cache_write);
	if (u->input < 0 || u->output < 0)
		return -1;
	return (double)u->input * l->input_cost + (double)u->output * l->output_cost;
}

/* Warn once per model, except for local servers, which may be free of charge. */
static void cost_warn(const struct llm *l, const struct llm_usage *u)
{
	if (u->input < 0 || u->output < 0)
		log_line(MT_LOG_WARNING, "llm",
			 "%s does not report token counts; its cost is unknown", l->name);
	else
		log_line(MT_LOG_WARNING, "llm",
			 "no price is known for %s, so its cost is not counted; set "
			 "input_cost_per_token and output_cost_per_token in [%s], or "
			 "run `mortise models import`",
			 l->name, l->section);
}

void llm_record_usage(struct llm *l, struct llm_usage *usage, double header_cost,
		      int64_t latency_ms)
{
	usage->cost = price(l, usage, header_cost);
	llm_metrics_add(&l->metrics, usage, latency_ms);
	if (l->bill)
		llm_usage_totals_add(l->bill, l->name, usage, latency_ms);
	if (usage->cost >= 0 || l->price_warned)
		return;
	l->price_warned = true;
	if (l->base_url[0])
		cost_warn(l, usage);
}

const struct llm_metrics *llm_metrics(const struct llm *l)
{
	return &l->metrics;
}
