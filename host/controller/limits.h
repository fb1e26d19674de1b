/* SPDX-License-Identifier: MIT
 *
 * limits.h - how much may be spent: steps, money, tokens, time of work, calls
 * of tools. One account may draw on another, so that a tree of delegates
 * shares what its root may spend. */
#ifndef HOST_CONTROLLER_LIMITS_H
#define HOST_CONTROLLER_LIMITS_H

#include "error.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

enum limit {
	LIMIT_ITERATIONS,
	LIMIT_BUDGET,  /* US dollars */
	LIMIT_TOKENS,  /* sent and received */
	LIMIT_TIME,    /* seconds in which it worked */
	LIMIT_CALLS,   /* of tools */
	LIMIT_COUNT,
};

/** What is asked before a step, and before a call of a tool. */
#define LIMITS_STEP                                                            \
	(1u << LIMIT_ITERATIONS | 1u << LIMIT_BUDGET | 1u << LIMIT_TOKENS     \
	 | 1u << LIMIT_TIME)
#define LIMITS_CALL                                                            \
	(1u << LIMIT_CALLS | 1u << LIMIT_TIME | 1u << LIMIT_BUDGET             \
	 | 1u << LIMIT_TOKENS)

struct meter {
	double used, max;   /* max 0: no limit */
	double more;        /* what a person who says "continue" adds */
	bool hit;
};

struct account {
	struct account *parent; /* whose limits hold too; borrowed; NULL: none */
	struct meter meters[LIMIT_COUNT];
};

/** Set a limit; 0: none. */
void account_limit(struct account *a, enum limit which, double max);
/** Spend; all accounts above spend it too. */
void account_spend(struct account *a, enum limit which, double n);
/** Is one of these limits reached, here or above? Then the sentence for user
 *  and model is written, and it is marked as hit. */
bool account_reached(struct account *a, unsigned which, char *text, size_t room);
/** Was a limit of this account itself reached, and not raised since? */
bool account_hit(const struct account *a);
/** Name of the option that sets the limit: "max_iterations". */
const char *limit_option(enum limit which);
/** A person says: go on. What was hit is raised, here and above.
 *  @return true if something was. */
bool account_raise(struct account *a);
/** For the log, so that it survives the process, and back. Owned. */
json_object *account_json(const struct account *a);
void account_from_json(struct account *a, json_object *o);

#endif
