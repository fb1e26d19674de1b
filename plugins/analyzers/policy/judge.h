/* SPDX-License-Identifier: MIT
 *
 * judge.h - the verdict of the policy on an action: user rules, then known dangerous
 * commands, then known harmless ones. Anything else is UNKNOWN.
 */
#ifndef POLICY_JUDGE_H
#define POLICY_JUDGE_H

#include "patterns.h"
#include "rules.h"

/** An action, in the form of a call. */
struct action {
	const char *tool, *workspace, *directory;
	const char *const *roots; /* as in struct place */
	uint32_t hints;  /* of the tool: MT_TOOL_READ_ONLY ... */
	bool reads_only; /* according to trusted hints */
	bool open_world; /* contacts systems outside of this machine */
	bool ours;       /* a built-in tool, or one whose hints the user trusts */
	bool is_input;   /* text for a program that is already running */
	const struct argument {
		const char *name, *text; /* top-level name, text of a leaf */
		size_t len;
	} * arguments;
	size_t count;
	const char *said[2]; /* thought and reasoning */
};

struct policy {
	struct rules *rules;
	struct patterns *patterns; /* NULL until needed */
	bool signatures, rails;
};

/** @return MT_OK or MT_ENOMEM. */
int judge_action(struct policy *p, const struct action *action, struct finding *ret);

#endif
