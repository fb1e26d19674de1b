/* SPDX-License-Identifier: MIT
 *
 * claude.h - reasoning parameters of Claude, for Anthropic and Bedrock. */
#ifndef PLUGINS_DIALECTS_CLAUDE_H
#define PLUGINS_DIALECTS_CLAUDE_H

#include "kit.h"

enum claude_mode { CLAUDE_UNTOLD, CLAUDE_OFF, CLAUDE_BUDGET, CLAUDE_ADAPTIVE };

struct claude_thinking {
	enum claude_mode mode;
	int64_t budget;      /* CLAUDE_BUDGET: tokens */
	char effort[16];     /* CLAUDE_ADAPTIVE: "low", ..., or "" */
};

/** Maximum number of reply tokens: as configured, from the table, or by the model's
 *  name. */
int64_t claude_limit(struct writer *w);
/** The reasoning parameters, from reasoning_effort and thinking_budget of request and
 *  configuration. */
struct claude_thinking claude_thinking(struct writer *w, int64_t limit);
/** Write "thinking":{...}; nothing for CLAUDE_UNTOLD. @return whether it was written. */
bool claude_put_thinking(struct writer *w, const struct claude_thinking *t);

#endif
