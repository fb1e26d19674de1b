/* SPDX-License-Identifier: MIT
 *
 * judge.h - a second model that assesses what the agent does: whether its task is done,
 * and, for approval, the risk of an action that no analyzer knows. */
#ifndef HOST_FEATURES_JUDGE_H
#define HOST_FEATURES_JUDGE_H

#include "controller/feature.h"
#include "strbuf.h"

extern const struct feature judge_feature;

/** Is a judge configured for the agent that works now? */
bool judge_is_set(const struct conversation *c);
/** Is a question to it open? No step starts until it is answered. */
bool judge_is_asked(const struct conversation *c);
/** The first line of its answer without what surrounds it, borrowed; NULL: it did not
 *  answer in time, or at all. */
typedef void judge_answer_fn(struct conversation *c, const char *text);
/** Ask it. `prompt`: the template with the instructions. `data`: what it judges, which it
 *  reads as data; copied. A failure is reported to the user, once, and `answered` is
 *  called as well, from the loop. Nothing else may be open. It is not called if the
 *  question is cancelled. */
void judge_ask(struct conversation *c, const char *prompt, const struct strbuf *data,
	       judge_answer_fn *answered);
/** The answer could not be used: report it to the user, once. */
void judge_report(struct conversation *c, const char *why);
/** Text after the word with which an answer begins ("no: because"); NULL: it begins with
 *  another one. Borrowed. */
const char *judge_answer_after(const char *text, const char *word);

#endif
