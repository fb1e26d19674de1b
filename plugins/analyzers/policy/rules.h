/* SPDX-License-Identifier: MIT
 *
 * rules.h - the rules that a user writes:
 *
 *     rule.NAME = VERDICT [tool=GLOB] [hint=GLOB] [command=GLOB] [path=GLOB] [host=GLOB]
 *                 [reason=SENTENCE]
 *
 * VERDICT is allow (the same as low), medium, ask (the same as high) or deny; all
 * conditions must match. For each command that an action runs (or the action itself, if
 * it runs none), the first matching rule decides. */
#ifndef POLICY_RULES_H
#define POLICY_RULES_H

#include "action-text.h"
#include "error.h"
#include "facts.h"

#include <stdint.h>

struct rules;

struct rules *rules_new(struct error *err);
struct rules *rules_free(struct rules *r);
AUTO_DEFINE(rules, struct rules *, rules_free)
/** Add a rule at the end. @return MT_OK, or a status with a sentence that describes the
 *  error. */
int rules_add(struct rules *r, const char *name, const char *text, struct error *err);
/** The n-th rule: its finding and its text; false past the last. */
bool rules_at(const struct rules *r, size_t n, struct finding *ret,
	      const char **ret_text);

/** The tool of an action, and its declared effects. */
struct caller {
	const char *name;
	uint32_t hints; /* MT_TOOL_READ_ONLY ... */
	bool trusted;   /* the hints are trusted */
};

/** Match the rules against a command, or an action as a whole. `ret` is UNKNOWN without a
 *  rule (`rule` is "") if none matches, and with a rule that raises the risk if that rule
 *  may match. */
int rules_try(const struct rules *r, const struct place *place,
	      const struct caller *caller, const struct facts *f, struct finding *ret);

#endif
