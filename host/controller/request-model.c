/* SPDX-License-Identifier: MIT
 *
 * request-model.c - chooses the model for a request. */
#include "controller/request-model.h"

#include "controller/agent-frame.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "llm/models/router.h"

#include <mortise/plugin.h>

int request_need_models(struct conversation *c, struct error *err)
{
	if (c->models)
		return MT_OK;
	if (llm_models_new(c->loop, c->config, c->registry, c->mask, &c->models, err))
		return err->code;
	return c->dir && llm_models_request_log_open(c->models, c->dir)
		       ? out_of_memory(err)
		       : MT_OK;
}

struct llm *request_llm_for(const struct conversation *c,
			    const struct plugin_component *p,
			    const struct llm_request *request)
{
	bool condenses = p->component->kind == MT_KIND_CONDENSER;

	if (p->llm)
		return p->llm;
	return llm_router_choose(c->agent->router, request,
				 condenses ? LLM_FOR_CONDENSING : LLM_FOR_AGENT,
				 c->agent->llm);
}

int request_named_model(struct conversation *c, const char *name, const char *from,
			struct llm **ret, struct error *err)
{
	return request_need_models(c, err)
		       ? err->code
		       : llm_models_get(c->models, name, NULL, from, ret, err);
}

int request_tool_model(struct conversation *c, const char *instance, const char *name,
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
		return request_named_model(c, name, from.text, ret, err);
	*ret = llm_router_choose(c->agent->router, request, LLM_FOR_AGENT, c->agent->llm);
	return *ret ? MT_OK
		    : fail(err, MT_EUNSUPPORTED,
			   "the conversation has no model: set `llm` in "
			   "[%s]",
			   section.text);
}
