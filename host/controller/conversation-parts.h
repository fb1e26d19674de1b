/* SPDX-License-Identifier: MIT
 *
 * conversation-parts.h - the analyzers and models of a conversation. */
#ifndef HOST_CONTROLLER_CONVERSATION_PARTS_H
#define HOST_CONTROLLER_CONVERSATION_PARTS_H

#include <stdint.h>

struct analyzers;
struct conversation;
struct llm_models;

/** The configured analyzers; borrowed. */
struct analyzers *conversation_analyzers(const struct conversation *c);
/** The models, borrowed; NULL: none used yet. */
struct llm_models *conversation_models(const struct conversation *c);
/** Replies in the log whose cost belongs to another conversation. */
int64_t conversation_inherited_replies(const struct conversation *c);

#endif
