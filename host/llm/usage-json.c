/* SPDX-License-Identifier: MIT
 *
 * usage-json.c - converts the usage of models to JSON and back. */
#include "llm/usage-json.h"

#include "js.h"

json_object *llm_metrics_json(const struct llm_metrics *m)
{
	json_object *o = js_new_object();

	js_set_int(o, "calls", m->calls);
	js_set_int(o, "input", m->input);
	js_set_int(o, "output", m->output);
	js_set_int(o, "cache_read", m->cache_read);
	js_set_int(o, "cache_write", m->cache_write);
	js_set_int(o, "reasoning", m->reasoning);
	js_set_int(o, "latency_ms", m->latency_ms);
	js_set_number(o, "cost", m->cost);
	js_set_bool(o, "cost_known", m->cost_known);
	return o;
}

struct llm_metrics llm_metrics_from_json(json_object *o)
{
	const double cost = js_number(o, "cost", 0);

	return (struct llm_metrics){
		.calls = js_int(o, "calls", 0), .input = js_int(o, "input", 0),
		.output = js_int(o, "output", 0),
		.cache_read = js_int(o, "cache_read", 0),
		.cache_write = js_int(o, "cache_write", 0),
		.reasoning = js_int(o, "reasoning", 0),
		.latency_ms = js_int(o, "latency_ms", 0),
		.cost = cost > 0 && cost < 1e12 ? cost : 0,
		.cost_known = js_bool(o, "cost_known", true),
	};
}

void llm_usage_totals_join_json(struct llm_usage_totals *b, json_object *spent)
{
	if (!json_object_is_type(spent, json_type_object))
		return;
	json_object_object_foreach(spent, model, o) {
		const struct llm_metrics sum = llm_metrics_from_json(o);

		llm_usage_totals_join(b, model, &sum);
	}
}

json_object *llm_usage_totals_json(const struct llm_usage_totals *b)
{
	json_object *o = js_new_object();
	const struct llm_metrics *sum;
	const char *model;

	for (size_t n = 0; b && (model = llm_usage_totals_at(b, n, &sum)); n++)
		js_set(o, model, llm_metrics_json(sum));
	return o;
}
