/* SPDX-License-Identifier: MIT
 *
 * claude.c - reasoning parameters of Claude: older models take a token budget, newer
 * ones an effort level. */
#include "claude.h"
#include <string.h>

enum { LEAST_BUDGET = 1024, USUAL_LIMIT = 64000 };

int64_t claude_limit(struct writer *w)
{
	static const struct {
		const char *name;
		int64_t limit;
	} known[] = {
		{ "claude-3-7", 64000 }, { "claude-3.7", 64000 }, { "claude-3-5", 8192 },
		{ "claude-3.5", 8192 },  { "claude-3", 4096 },    { "claude-2", 4096 },
		{ "claude-opus-4-1", 32000 }, { "claude-opus-4-2", 32000 },
	};
	const char *model = w->host->option(w->x, "model");
	int64_t limit = writer_int(w, "max_tokens", "max_output_tokens");

	if (limit <= 0)
		limit = writer_int(w, "output_limit", "output_limit");
	for (size_t i = 0; limit <= 0 && i < ARRAY_LEN(known); i++)
		if (strstr(model, known[i].name))
			limit = known[i].limit;
	return limit > 0 ? limit : USUAL_LIMIT;
}

/* An effort level as a number of tokens; -1: unset. */
static int64_t claude_budget_of(const char *effort)
{
	static const struct {
		const char *effort;
		int64_t budget;
	} levels[] = {
		{ "none", 0 },      { "minimal", 1024 }, { "low", 2048 },
		{ "medium", 8192 }, { "high", 24576 },   { "xhigh", 49152 },
		{ "max", 65536 },
	};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strcmp(effort, levels[i].effort) == 0)
			return levels[i].budget;
	return -1;
}

static struct claude_thinking adaptive(const char *effort)
{
	struct claude_thinking t = { .mode = CLAUDE_ADAPTIVE };

	if (!*effort)
		t.mode = CLAUDE_UNTOLD;
	else if (strcmp(effort, "none") == 0)
		t.mode = CLAUDE_OFF;
	else
		snprintf(t.effort, sizeof t.effort, "%s",
			 strcmp(effort, "minimal") == 0 ? "low" : effort);
	return t;
}

struct claude_thinking claude_thinking(struct writer *w, int64_t limit)
{
	char room[32];
	const char *effort =
		writer_word(w, "reasoning_effort", "reasoning_effort", room, sizeof room);
	int64_t budget = writer_int(w, "thinking_budget", "thinking_budget");

	if (budget < 0 && w->host->feature(w->x, "adaptive_thinking"))
		return adaptive(effort);
	if (budget < 0)
		budget = claude_budget_of(effort);
	if (budget < 0)
		return (struct claude_thinking){ .mode = CLAUDE_UNTOLD };
	if (budget >= limit)
		budget = limit - 1;
	if (budget > 0 && budget < LEAST_BUDGET)
		budget = limit > LEAST_BUDGET ? LEAST_BUDGET : 0;
	return (struct claude_thinking){ .mode = budget ? CLAUDE_BUDGET : CLAUDE_OFF,
					 .budget = budget };
}

bool claude_put_thinking(struct writer *w, const struct claude_thinking *t)
{
	switch (t->mode) {
	case CLAUDE_UNTOLD:
		return false;
	case CLAUDE_OFF:
		PUT(w, "\"thinking\":{\"type\":\"disabled\"}");
		return true;
	case CLAUDE_ADAPTIVE:
		PUT(w, "\"thinking\":{\"type\":\"adaptive\"}");
		return true;
	case CLAUDE_BUDGET:
		break;
	}
	PUT(w, "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":");
	writer_put_integer(w, t->budget);
	PUT(w, "}");
	return true;
}
