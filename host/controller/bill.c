/* SPDX-License-Identifier: MIT
 *
 * bill.c - the sums over the replies of a log. */
#include "controller/bill.h"

/* Of all condensers together, on the name of the model that was asked last. */
static void add_condensing(struct evlog *log, struct llm_bill *bill)
{
	size_t len = 0;
	const char *text = evlog_state(log, CONDENSE_STATE, &len);
	AUTO(json) json_object *spent = text ? js_parse_object(text, len, NULL) : NULL;
	json_object *cost = js_get(spent, "cost");
	const struct llm_usage u = {
		.input = js_int(spent, "input", 0), .output = js_int(spent, "output", 0),
		.cache_read = js_int(spent, "cache_read", 0),
		.cache_write = js_int(spent, "cache_write", 0),
		.reasoning = js_int(spent, "reasoning", 0),
		.cost = cost ? json_object_get_double(cost) : -1,
	};

	if (js_int(spent, "calls", 0))
		llm_bill_add(bill, js_str(spent, "model", ""), &u,
			     js_int(spent, "latency_ms", 0));
}

double bill_of_log(struct evlog *log, int64_t from, struct llm_bill *bill)
{
	double worked = 0;

	for (int64_t n = from; n < evlog_replies(log); n++) {
		AUTO(json) json_object *record = evlog_reply_at(log, n, NULL);
		AUTO(llm_reply) struct llm_reply *reply =
			record ? llm_reply_from_json(record, NULL) : NULL;

		if (reply)
			llm_bill_add(bill, reply->model, &reply->usage,
				     reply->latency_ms);
		worked = js_number(record, "worked", worked);
	}
	add_condensing(log, bill);
	return worked;
}
