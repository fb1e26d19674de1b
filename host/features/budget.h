/* SPDX-License-Identifier: MIT
 *
 * budget.h - budgets: steps, money, tokens, working time, tool calls. A budget may
 * draw on another, so that a tree of subagents shares the budget of its root. */
#ifndef HOST_FEATURES_BUDGET_H
#define HOST_FEATURES_BUDGET_H

#include "error.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

enum limit {
	LIMIT_ITERATIONS,
	LIMIT_COST,  /* US dollars */
	LIMIT_TOKENS,  /* sent and received tokens */
	LIMIT_TIME,    /* seconds of working time */
	LIMIT_CALLS,   /* of tools */
	LIMIT_COUNT,
};

/** The limits that are checked before a step, and before a tool call. */
#define LIMITS_STEP                                                            \
	(1u << LIMIT_ITERATIONS | 1u << LIMIT_COST | 1u << LIMIT_TOKENS     \
	 | 1u << LIMIT_TIME)
#define LIMITS_CALL                                                            \
	(1u << LIMIT_CALLS | 1u << LIMIT_TIME | 1u << LIMIT_COST             \
	 | 1u << LIMIT_TOKENS)

struct quota {
	double used, max;   /* max 0: no limit */
	double more;        /* increment when the user continues */
	bool hit;
};

struct budget {
	struct budget *parent; /* the limits of this account also apply; borrowed;
			        * NULL: none */
	struct quota quotas[LIMIT_COUNT];
};

/** Set a limit; 0: no limit. */
void budget_set_limit(struct budget *a, enum limit which, double max);
/** Charge a budget and all its parents. */
void budget_spend(struct budget *a, enum limit which, double n);
/** Is one of these limits reached, here or in a parent? If so, writes the sentence for
 *  user and model, and marks the limit as hit. */
bool budget_account_reached(struct budget *a, unsigned which, char *text, size_t room);
/** Was a limit of this account itself reached, and not raised since? */
bool budget_was_hit(const struct budget *a);
/** Name of the option that sets the limit: "max_iterations". */
const char *budget_limit_option(enum limit which);
/** Raise the limits that were reached, here and in parents, because the user continues.
 *  @return true if any was raised. */
bool budget_raise(struct budget *a);
/** Convert an account to JSON for the log, so that it survives the process, and back.
 *  Owned. */
json_object *budget_json(const struct budget *a);
void budget_from_json(struct budget *a, json_object *o);

#endif
