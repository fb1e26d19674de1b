/* SPDX-License-Identifier: MIT
 *
 * router.h - chooses one of several models by the rules of [router.NAME].
 *
 * This is part of the host, not a plugin type: a rule depends only on the request, and
 * its ABI would be longer than its code. */
#ifndef HOST_LLM_MODELS_ROUTER_H
#define HOST_LLM_MODELS_ROUTER_H

#include "llm/models/models.h"

/** Purpose of a request. */
enum llm_purpose { LLM_FOR_AGENT, LLM_FOR_CONDENSING };

struct llm_router;

/** Read the rules and open every model that they name. *ret is NULL for "", and for
 *  "noop" if no section has that name. */
int llm_router_open(struct llm_models *m, const struct config *c, const char *name,
		    struct llm_router **ret, struct error *err);
struct llm_router *llm_router_free(struct llm_router *r);
/** Return the model of the first rule that matches, else `otherwise`, which also counts
 *  the tokens for `tokens > N`; `r` may be NULL. */
struct llm *llm_router_choose(const struct llm_router *r, const struct llm_request *q,
			      enum llm_purpose purpose, struct llm *otherwise);

#endif
