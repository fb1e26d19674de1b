/* SPDX-License-Identifier: MIT
 *
 * conversations-cost.c - `mortise conversations cost`: usage and cost per model. */
#include "conversations.h"
#include "features/subagents.h"
#include <inttypes.h>
#include <stdio.h>

static void conversations_cost_print_line(const char *model, const struct llm_metrics *m)
{
	printf("%-36.200s %7" PRId64 " %11" PRId64 " %11" PRId64 " ", model, m->calls,
	       m->input, m->output);
	if (m->cost_known)
		printf("%10.4f\n", m->cost);
	else
		printf("%10s\n", "-");
}

int conversations_cost(const struct config *c, const char *id, bool json,
		       struct error *err)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct llm_usage_totals *bill = llm_usage_totals_new();
	const struct llm_metrics *m;
	const char *model;
	int status =
		bill ? subagents_usage_of_log(c, id, 0, bill, err) : out_of_memory(err);

	if (status) {
		llm_usage_totals_free(bill);
		return status;
	}
	if (json) {
		llm_usage_totals_put_json(bill, &out);
		if (out.text)
			puts(out.text);
	} else {
		printf("%-36s %7s %11s %11s %10s\n", "MODEL", "REPLIES", "IN", "OUT",
		       "US $");
		for (size_t n = 0; (model = llm_usage_totals_at(bill, n, &m)); n++)
			conversations_cost_print_line(model, m);
		conversations_cost_print_line("total", llm_usage_totals_sum(bill));
	}
	llm_usage_totals_free(bill);
	return MT_OK;
}
