/* SPDX-License-Identifier: MIT
 *
 * feature-usage.h - for features that count what models cost. */
#ifndef HOST_CONTROLLER_FEATURE_USAGE_H
#define HOST_CONTROLLER_FEATURE_USAGE_H

#include <stdint.h>

struct conversation;
struct llm_models;

/** The models, borrowed; NULL: the conversation has used none. */
struct llm_models *conversation_models(const struct conversation *c);
/** Replies in the log whose cost belongs to another conversation. */
int64_t conversation_inherited_replies(const struct conversation *c);

#endif
