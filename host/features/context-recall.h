/* SPDX-License-Identifier: MIT
 *
 * context-recall.h - context injected for the model in addition to user messages. */
#ifndef HOST_FEATURES_CONTEXT_RECALL_H
#define HOST_FEATURES_CONTEXT_RECALL_H

#include "conversation/conversation.h"
#include "controller/feature.h"
#include "skills/skills.h"

/** Log the context of the workspace for the model, with the skills that the first message
 *  triggers. `action` is the recall that requested it, -1: none yet. */
void recall_context(struct conversation *c, int64_t action);
/** For a later message: log the skills that it triggers, each once. */
void recall_more(struct conversation *c);
/** The text of a recall observation for the model; owned. */
char *recall_text(struct conversation *c, const struct event *e);
/** An agent of an earlier process is active again: add the context that is missing
 *  after the first user message. */
void recall_restore(struct conversation *c);
/** Add the rules for the file that the action concerns to its observation, which is
 *  not logged yet. Each rule is added once in a conversation. */
void recall_rules(struct conversation *c, const struct event *action,
		  const struct runner_result *result, struct event *e);
/** Report untrusted MCP servers of a skill that is used. */
void recall_servers(struct conversation *c, const struct skill *s);
/** All skills, read when they are first needed; NULL: they cannot be. */
struct skills *recall_skills(struct conversation *c);
/** Answer the tool `recall`: events by words or numbers. */
void log_search_answer(struct conversation *c, uint64_t request, json_object *params);
/** Pass the result of a request to its tool. */
void tool_requests_answer(struct conversation *c, uint64_t request, json_object *result);

extern const struct feature skills_and_notes_feature;

#endif
