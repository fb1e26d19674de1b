/* SPDX-License-Identifier: MIT
 *
 * model-params.c - filters request parameters by the model table. */
#include "models/model-params.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITTLE_THINKING "128" /* tokens */

static void sampling(const struct model_facts *f, const char *model,
		     struct model_params *p)
{
	if (!f->sampling)
		p->temperature = p->top_p = NULL;
	if (!f->temperature_and_top_p && p->temperature)
		p->top_p = NULL;
	/* its servers require a value below one */
	if (p->top_p && strncmp(model, "huggingface", 11) == 0 &&
	    strtod(p->top_p, NULL) >= 1)
		p->top_p = "0.9";
}

static bool is_little(const char *effort)
{
	return !effort || !*effort || strcmp(effort, "low") == 0 ||
	       strcmp(effort, "none") == 0;
}

static void thinking(const struct model_facts *f, struct model_params *p)
{
	const char *wish = p->reasoning_effort && strcmp(p->reasoning_effort, "none") != 0
				   ? p->reasoning_effort
				   : NULL;

	if (!f->effort && !f->adaptive_thinking)
		p->reasoning_effort = NULL;
	if (f->effort_budget && !p->thinking_budget && is_little(p->reasoning_effort)) {
		p->thinking_budget = LITTLE_THINKING;
		p->reasoning_effort = NULL;
	}
	if (!f->effort_sent)
		p->reasoning_effort = NULL;
	p->effort_refused = wish && !p->reasoning_effort && !p->thinking_budget;
	if (f->no_thinking && !p->thinking_budget)
		p->thinking_budget = "0";
}

static void set_output_limit(struct model_params *p, int64_t tokens)
{
	snprintf(p->room, sizeof p->room, "%" PRId64, tokens);
	p->max_output_tokens = p->room;
}

void model_params_apply(const struct model_facts *f, const char *model,
			struct model_params *p)
{
	sampling(f, model, p);
	thinking(f, p);
	if (!p->max_output_tokens && f->default_output > 0)
		set_output_limit(p, f->default_output);
	if (p->max_output_tokens && f->output_cap > 0 &&
	    strtoll(p->max_output_tokens, NULL, 10) > f->output_cap)
		set_output_limit(p, f->output_cap);
}
