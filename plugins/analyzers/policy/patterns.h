/* SPDX-License-Identifier: MIT
 *
 * patterns.h - patterns of dangerous commands and of prompt injection, and guard rules
 * ("rails") for dangerous combinations: those of OpenHands V1, and built-in ones. */
#ifndef POLICY_PATTERNS_H
#define POLICY_PATTERNS_H

#include "action-text.h"
#include "error.h"

struct patterns; /* the compiled tables */

struct patterns *patterns_new(struct error *err);
struct patterns *patterns_free(struct patterns *b);
AUTO_DEFINE(patterns, struct patterns *, patterns_free)

/** HIGH, MEDIUM, otherwise LOW; UNKNOWN for a deletion whose command is not known, and
 *  for text that cannot be analyzed completely. `ours`: with built-in patterns. `except`
 *  (may be NULL): a rule that does not apply. */
int patterns_find(const struct patterns *b, const struct action_text *c, bool ours,
		  const char *except, struct finding *ret);
/** Evaluate the rails: HIGH or LOW. Each piece is matched separately. */
int patterns_rails(const struct patterns *b, const struct action_text *c,
		   struct finding *ret);

/** A rule for listing, rails first; false past the last. */
bool patterns_at(size_t n, bool *ret_rail, struct finding *ret, const char **ret_pattern);

#endif
