/* SPDX-License-Identifier: MIT
 *
 * server-models.h - queries a server for its models and their context windows: for
 * commands, which may wait. No request is made unless called. */
#ifndef HOST_LLM_MODELS_SERVER_MODELS_H
#define HOST_LLM_MODELS_SERVER_MODELS_H

#include "llm/llm.h"
#include "strbuf.h"

/** The models of the server behind `l`, an array of {"name", "window"?}; owned by
 *  the caller. The window is what vLLM, LM Studio, OpenRouter or llama.cpp tell,
 *  or what Ollama tells of each model. Runs the loop of the pool until it is
 *  over. @return MT_EUNSUPPORTED for a dialect without a list. */
int llm_server_models(struct llm *l, json_object **ret, struct error *err);

/** What its server says that this very model reads, asked now; -1: it does not say,
 *  or cannot be asked. Runs the loop of the pool until it is over. */
int64_t llm_server_context_window(struct llm *l);

/** What a model reads: out of its entry in the list, out of Ollama's answer to
 *  /api/show, or out of llama.cpp's to /props; -1: it does not say. */
int64_t server_context_window(json_object *model);
int64_t server_context_window_ollama(json_object *answer);
int64_t server_context_window_llamacpp(json_object *answer);
/** The address of the server without /v1; owned by the caller. NULL: out of memory. */
char *server_root(const struct llm *l);

/** Where the list of models is, below that. */
int server_list_url(const struct llm *l, const char *root, struct strbuf *out);

#endif
