/* SPDX-License-Identifier: MIT
 *
 * models.h - the models of one conversation: they share the connections of a pool
 * and their usage totals. Each section of the configuration is opened once. */
#ifndef HOST_LLM_MODELS_MODELS_H
#define HOST_LLM_MODELS_MODELS_H

#include "llm/llm.h"

struct llm_models;

/** Configuration, registry and mask must outlive it. Opens no model yet. */
int llm_models_new(uv_loop_t *loop, const struct config *c, struct registry *r,
		   struct mask *mask, struct llm_models **ret, struct error *err);
struct llm_models *llm_models_free(struct llm_models *m);
/** Set the directory of the conversation, for `log_requests`; call it before any model
 *  is opened. */
int llm_models_request_log_open(struct llm_models *m, const char *dir);

/** The model of [llm.NAME], with its list of fallbacks; NULL, "" and "default"
 *  mean [llm]. `model` (may be NULL) overrides its `model` key when the section is
 *  opened for the first time. `from` names the setting in errors. */
int llm_models_get(struct llm_models *m, const char *name, const char *model,
		   const char *from, struct llm **ret, struct error *err);
/** The n-th section that was opened ("llm", "llm.cheap"); NULL past the last. */
const char *llm_models_section(const struct llm_models *m, size_t n);
/** The name of its model ("openai/gpt-4.1"). */
const char *llm_models_name(const struct llm_models *m, size_t n);
struct llm_usage_totals *llm_models_usage(const struct llm_models *m);

#endif
