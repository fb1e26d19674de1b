/* SPDX-License-Identifier: MIT
 *
 * claude.h - how Claude is told to think, at Anthropic and at Bedrock. */
#ifndef PLUGINS_DIALECTS_CLAUDE_H
#define PLUGINS_DIALECTS_CLAUDE_H

#include "kit.h"

enum claude_mode { CLAUDE_UNTOLD, CLAUDE_OFF, CLAUDE_BUDGET, CLAUDE_ADAPTIVE };

struct claude_thinking {
	enum claude_mode mode;
	int64_t budget;      /* CLAUDE_BUDGET: tokens */
	char effort[16];     /* CLAUDE_ADAPTIVE: "low", ..., or "" */
};

/** Most tokens of a reply: as set, as the table knows, or as the name says. */
int64_t claude_limit(struct writer *w);
/** By reasoning_effort and thinking_budget of request and configuration. */
struct claude_thinking claude_thinking(struct writer *w, int64_t limit);
/** "thinking":{...}; nothing if it is untold. @return whether it was written. */
bool put_claude_thinking(struct writer *w, const struct claude_thinking *t);

#endif
