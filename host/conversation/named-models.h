/* SPDX-License-Identifier: MIT
 *
 * named-models.h - opens the models of a conversation, and finds those that settings name. */
#ifndef HOST_CONVERSATION_NAMED_MODELS_H
#define HOST_CONVERSATION_NAMED_MODELS_H

#include "llm/llm.h"

struct conversation;

/** Open the models of the conversation, if they are not open. */
int named_models_open(struct conversation *c, struct error *err);
/** The model of [llm.NAME]; `from` names the setting in errors. */
int named_model(struct conversation *c, const char *name, const char *from,
		struct llm **ret, struct error *err);
/** The model for a request of a tool: `name` of [llm.NAME], else the model that the
 *  section of its instance names, else the one that the router chooses. */
int named_model_of_tool(struct conversation *c, const char *instance, const char *name,
			const struct llm_request *request, struct llm **ret,
			struct error *err);

#endif
