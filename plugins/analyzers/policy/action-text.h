/* SPDX-License-Identifier: MIT
 *
 * action-text.h - the text of an action to analyze: the executable part (tool and
 * arguments), piece by piece, and the model's text about it. */
#ifndef POLICY_ACTION_TEXT_H
#define POLICY_ACTION_TEXT_H

#include "strbuf.h"
#include <stdbool.h>

enum { CORPUS_MAX = 4 << 20, CORPUS_PIECES_MAX = 4096 };

/** A finding: the risk, the rule, and a sentence for users. */
struct finding {
	int risk;            /* enum mt_risk */
	bool deny;
	const char *rule;    /* "" if none; borrowed from a table or the rules */
	const char *reason;
};

struct action_text {
	struct strbuf exec, all;  /* normalized, pieces joined by spaces */
	struct strbuf *pieces;    /* normalized, of the executable part */
	struct strbuf *scripts;   /* the same with line breaks; empty: a single line */
	size_t count;
	size_t bytes;
	bool cut;                 /* more text than can be analyzed */
};

/** Initialize without any text. */
void action_text_init(struct action_text *c);
/** Add a piece of the action, or of the model's text (`exec` false); pieces of the action
 *  come first. */
int action_text_add(struct action_text *c, bool exec, const char *text, size_t len);
void action_text_clear(struct action_text *c);

#endif
