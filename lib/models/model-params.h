/* SPDX-License-Identifier: MIT
 *
 * model-params.h - filters request parameters by what the model supports. */
#ifndef LIB_MODELS_MODEL_PARAMS_H
#define LIB_MODELS_MODEL_PARAMS_H

#include "models/model-table.h"

/** Strings as in the configuration; NULL: not sent. Borrowed, or stored in `room`. */
struct model_params {
	const char *temperature, *top_p, *max_output_tokens, *reasoning_effort;
	const char *thinking_budget; /* "0": disable reasoning */
	char room[24];
	bool effort_refused; /* the model does not support the effort that was set */
};

/** Adapt the user's parameters to what the model supports. */
void model_params_apply(const struct model_facts *f, const char *model,
			struct model_params *p);

#endif
