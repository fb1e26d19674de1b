/* SPDX-License-Identifier: MIT
 *
 * usage.c - sums up usage, per model and in total. */
#include "llm/llm.h"
#include "array.h"
#include <string.h>

/* The numbers are untrusted: sums that are too large are clamped. */
static void add_saturating(int64_t *sum, int64_t n)
{
	if (n > 0 && __builtin_add_overflow(*sum, n, sum))
		*sum = INT64_MAX;
}

void llm_metrics_add(struct llm_metrics *m, const struct llm_usage *u, int64_t latency_ms)
{
	m->calls++;
	add_saturating(&m->input, u->input);
	add_saturating(&m->output, u->output);
	add_saturating(&m->cache_read, u->cache_read);
	add_saturating(&m->cache_write, u->cache_write);
	add_saturating(&m->reasoning, u->reasoning);
	add_saturating(&m->latency_ms, latency_ms);
	if (u->cost >= 0)
		m->cost += u->cost;
	else
		m->cost_known = false;
}

/* ---- several models --------------------------------------------------------- */

enum { BILL_MAX = 256 };

struct llm_usage_totals {
	struct llm_metrics total;
	struct bill_line {
		char *model;
		struct llm_metrics sum;
	} *lines;
	size_t count;
};

struct llm_usage_totals *llm_usage_totals_new(void)
{
	struct llm_usage_totals *b = calloc(1, sizeof *b);

	if (b)
		b->total.cost_known = true;
	return b;
}

struct llm_usage_totals *llm_usage_totals_free(struct llm_usage_totals *b)
{
	for (size_t i = 0; b && i < b->count; i++)
		free(b->lines[i].model);
	if (b)
		free(b->lines);
	free(b);
	return NULL;
}

/* NULL: out of memory; the total is still correct. */
static struct bill_line *usage_line_of(struct llm_usage_totals *b, const char *model)
{
	char *name;

	for (size_t i = 0; i < b->count; i++)
		if (strcmp(b->lines[i].model, model) == 0)
			return &b->lines[i];
	if (ARRAY_ADD(b->lines, b->count, BILL_MAX))
		return NULL;
	name = strdup(model);
	if (!name)
		return NULL;
	b->lines[b->count] = (struct bill_line){ name, { .cost_known = true } };
	return &b->lines[b->count++];
}

void llm_usage_totals_add(struct llm_usage_totals *b, const char *model,
			  const struct llm_usage *u, int64_t latency_ms)
{
	struct bill_line *line = usage_line_of(b, model);

	llm_metrics_add(&b->total, u, latency_ms);
	if (line)
		llm_metrics_add(&line->sum, u, latency_ms);
}

void llm_metrics_merge(struct llm_metrics *m, const struct llm_metrics *other)
{
	add_saturating(&m->calls, other->calls);
	add_saturating(&m->input, other->input);
	add_saturating(&m->output, other->output);
	add_saturating(&m->cache_read, other->cache_read);
	add_saturating(&m->cache_write, other->cache_write);
	add_saturating(&m->reasoning, other->reasoning);
	add_saturating(&m->latency_ms, other->latency_ms);
	m->cost += other->cost;
	m->cost_known = m->cost_known && other->cost_known;
}

void llm_usage_totals_join(struct llm_usage_totals *b, const char *model,
			   const struct llm_metrics *sum)
{
	struct bill_line *line = usage_line_of(b, model);

	llm_metrics_merge(&b->total, sum);
	if (line)
		llm_metrics_merge(&line->sum, sum);
}

const struct llm_metrics *llm_usage_totals_sum(const struct llm_usage_totals *b)
{
	return &b->total;
}

const char *llm_usage_totals_at(const struct llm_usage_totals *b, size_t n,
				const struct llm_metrics **ret)
{
	if (n >= b->count)
		return NULL;
	*ret = &b->lines[n].sum;
	return b->lines[n].model;
}

static void put_model_usage(const struct bill_line *line, struct strbuf *out)
{
	const struct llm_metrics *m = &line->sum;
	AUTO(json) json_object *cost = m->cost_known ? js_new_number(m->cost) : NULL;

	strbuf_addc(out, '{');
	js_key_str(out, "model", line->model);
	js_key_int(out, "calls", m->calls);
	js_key_int(out, "input", m->input);
	js_key_int(out, "output", m->output);
	js_key_int(out, "cache_read", m->cache_read);
	js_key_int(out, "cache_write", m->cache_write);
	js_key_int(out, "reasoning", m->reasoning);
	js_key_int(out, "latency_ms", m->latency_ms);
	if (cost) {
		js_key(out, "cost");
		js_put(out, cost);
	}
	strbuf_addc(out, '}');
}

int llm_usage_totals_put_json(const struct llm_usage_totals *b, struct strbuf *out)
{
	strbuf_addc(out, '[');
	for (size_t i = 0; b && i < b->count; i++) {
		if (i)
			strbuf_addc(out, ',');
		put_model_usage(&b->lines[i], out);
	}
	return strbuf_addc(out, ']');
}
