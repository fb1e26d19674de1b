/* SPDX-License-Identifier: MIT
 *
 * request-model.h - chooses the model for a request. */
#ifndef HOST_CONTROLLER_REQUEST_MODEL_H
#define HOST_CONTROLLER_REQUEST_MODEL_H

#include "llm/llm.h"

struct conversation;
struct plugin_component;

/** Open the models of the conversation, if they are not open. */
int request_need_models(struct conversation *c, struct error *err);
/** The model for requests of this part: the one in its section, otherwise the router's
 *  choice, otherwise the model of the conversation. NULL: none. */
struct llm *request_llm_for(const struct conversation *c,
			    const struct plugin_component *p,
			    const struct llm_request *request);
/** The model of [llm.NAME]; `from` names the setting in errors. */
int request_named_model(struct conversation *c, const char *name, const char *from,
			struct llm **ret, struct error *err);
/** The model that a request of a tool goes to: `name` of [llm.NAME], else the one that
 *  the section of its instance names, else as above. */
int request_tool_model(struct conversation *c, const char *instance, const char *name,
		       const struct llm_request *request, struct llm **ret,
		       struct error *err);

#endif
