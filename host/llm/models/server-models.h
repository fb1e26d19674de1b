/* SPDX-License-Identifier: MIT
 *
 * server-models.h - queries a server for its models and their context windows, for
 * commands, which may block. */
#ifndef HOST_LLM_MODELS_SERVER_MODELS_H
#define HOST_LLM_MODELS_SERVER_MODELS_H

#include "llm/llm.h"
#include "strbuf.h"

/** The models of the server of `l`, an array of {"name", "window"?}; owned by the caller.
 *  The window is as reported by vLLM, LM Studio, OpenRouter or llama.cpp, or by Ollama
 *  for each model. Runs the loop of the pool until it is done. @return MT_EUNSUPPORTED
 *  for a dialect without a list. */
int llm_server_models(struct llm *l, json_object **ret, struct error *err);

/** Query the server for the context window of this model; -1: not reported, or no
 *  response. Runs the loop of the pool until it is done. */
int64_t llm_server_context_window(struct llm *l);

/** The context window of a model: from its entry in the list, Ollama's response to
 *  /api/show, or llama.cpp's to /props; -1: not reported. */
int64_t server_context_window(json_object *model);
int64_t server_context_window_ollama(json_object *answer);
int64_t server_context_window_llamacpp(json_object *answer);
/** The URL of the server without /v1; owned by the caller. NULL: out of memory. */
char *server_root(const struct llm *l);

/** The path of the model list under that URL. */
int server_list_url(const struct llm *l, const char *root, struct strbuf *out);

#endif
