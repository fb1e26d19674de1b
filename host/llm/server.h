/* SPDX-License-Identifier: MIT
 *
 * server.h - asking the server of a provider which models it has and how much
 * they read: for commands, which may wait. Nothing is asked unless called. */
#ifndef HOST_LLM_SERVER_H
#define HOST_LLM_SERVER_H

#include "llm/llm.h"

/** The models of the server behind `l`, an array of {"name", "window"?}; owned by
 *  the caller. The window is what vLLM, LM Studio, OpenRouter or llama.cpp tell,
 *  or what Ollama tells of each model. Runs the loop of the pool until it is
 *  over. @return MT_EUNSUPPORTED for a dialect without a list. */
int llm_server_models(struct llm *l, json_object **ret, struct error *err);

#endif
