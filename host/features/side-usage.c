/* SPDX-License-Identifier: MIT
 *
 * side-usage.c - usage of models by condensers and tools. It is stored separately
 * from the replies in the log, because it is not a turn of the agent. */
#include "features/side-usage.h"

#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/conversation-parts.h"
#include "llm/models/models.h"

json_object *side_usage_of(const struct evlog *log, const char *who)
{
	size_t len = 0;
	const char *text = evlog_state(log, who, &len);
	json_object *o = text ? js_parse_object(text, len, NULL) : NULL;

	return o ? o : json_object_new_object();
}

int64_t side_usage_calls(const struct conversation *c, const char *who)
{
	AUTO(json) json_object *spent = side_usage_of(conversation_log(c), who);

	return js_int(spent, "calls", 0);
}

static int side_usage_add(json_object *spent, const struct llm_reply *reply)
{
	const struct llm_usage *u = &reply->usage;
	const struct { const char *name; int64_t value; } counts[] = {
		{ "input", u->input }, { "output", u->output },
		{ "cache_read", u->cache_read }, { "cache_write", u->cache_write },
		{ "reasoning", u->reasoning }, { "calls", 1 },
		{ "latency_ms", reply->latency_ms },
	};
	int r = spent ? MT_OK : MT_ENOMEM;

	for (size_t i = 0; !r && i < ARRAY_LEN(counts); i++)
		if (counts[i].value > 0)
			r = js_set_int(spent, counts[i].name,
				       counts[i].value +
					       js_int(spent, counts[i].name, 0));
	if (!r && u->cost > 0)
		r = js_set_new(spent, "cost",
			       json_object_new_double(
				       u->cost +
				       json_object_get_double(js_get(spent, "cost"))));
	return r ? r : js_set_str(spent, "model", reply->model);
}

int side_usage_log(struct conversation *c, const char *who, const struct llm_reply *reply,
		   struct error *err)
{
	AUTO(json) json_object *spent = side_usage_of(conversation_log(c), who);
	AUTO(json) json_object *record = json_object_new_object();
	int r = record ? side_usage_add(spent, reply) : MT_ENOMEM;

	FEATURES_TELL(on_usage, c, &reply->usage, false);
	if (!r)
		r = js_set_str(record, "record", "state");
	if (!r)
		r = js_set_str(record, "plugin", who);
	if (!r)
		r = js_set_str(record, "text", js_text(spent, NULL));
	return r ? fail(err, r, "%s", status_name(r))
		 : evlog_record(conversation_log(c), record, err);
}

void side_usage_restore(struct conversation *c, const char *who, struct llm_metrics *sum)
{
	AUTO(json) json_object *spent = side_usage_of(conversation_log(c), who);
	json_object *cost = js_get(spent, "cost");
	const struct llm_usage u = {
		.input = js_int(spent, "input", 0), .output = js_int(spent, "output", 0),
		.cache_read = js_int(spent, "cache_read", 0),
		.cache_write = js_int(spent, "cache_write", 0),
		.reasoning = js_int(spent, "reasoning", 0),
		.cost = cost ? json_object_get_double(cost) : -1,
	};

	if (!conversation_models(c) || !js_int(spent, "calls", 0))
		return;
	llm_usage_totals_add(llm_models_usage(conversation_models(c)),
			     js_str(spent, "model", ""), &u,
			     js_int(spent, "latency_ms", 0));
	llm_metrics_add(sum, &u, js_int(spent, "latency_ms", 0));
}
