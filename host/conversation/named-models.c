/* SPDX-License-Identifier: MIT
 *
 * named-models.c - opens the models of a conversation, and finds those that settings name. */
#include "conversation/named-models.h"

#include "controller/agent-frame.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "llm/models/router.h"

int named_models_open(struct conversation *c, struct error *err)
{
	if (c->models)
		return MT_OK;
	if (llm_models_new(c->loop, c->config, c->registry, c->mask, &c->models, err))
		return err->code;
	return c->dir && llm_models_request_log_open(c->models, c->dir)
		       ? out_of_memory(err)
		       : MT_OK;
}

int named_model(struct conversation *c, const char *name, const char *from,
		struct llm **ret, struct error *err)
{
	return named_models_open(c, err)
		       ? err->code
		       : llm_models_get(c->models, name, NULL, from, ret, err);
}

int named_model_of_tool(struct conversation *c, const char *instance, const char *name,
			const struct llm_request *request, struct llm **ret,
			struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256), from = STRBUF(256);

	if (strbuf_addf(&section, "tool.%s", instance) ||
	    strbuf_addf(&from, "[%s] llm", section.text))
		return out_of_memory(err);
	if (!name && config_has(c->config, section.text))
		name = config_get(c->config, section.text, "llm");
	if (name && *name)
		return named_model(c, name, from.text, ret, err);
	*ret = llm_router_choose(c->agent->router, request, LLM_FOR_AGENT, c->agent->llm);
	return *ret ? MT_OK
		    : fail(err, MT_EUNSUPPORTED,
			   "the conversation has no model: set `llm` in "
			   "[%s]",
			   section.text);
}
