/* SPDX-License-Identifier: MIT
 *
 * model-params.h - filters request parameters by what the model supports. */
#ifndef HOST_LLM_MODELS_MODEL_PARAMS_H
#define HOST_LLM_MODELS_MODEL_PARAMS_H

#include "llm/models/model-table.h"

/** Texts as in the configuration; NULL: not sent. Borrowed, or in `room`. */
struct model_params {
	const char *temperature, *top_p, *max_output_tokens, *reasoning_effort;
	const char *thinking_budget; /* "0": the model is told not to think */
	char room[24];
	bool effort_refused;         /* a level of effort was set that the model does not take */
};

/** Change what the user set into what the model takes. */
void model_params_apply(const struct model_facts *f, const char *model,
			struct model_params *p);

#endif
