/* SPDX-License-Identifier: MIT
 *
 * judge.h - a second model that assesses what the agent does: whether its task is done,
 * and, for approval, the risk of an action that no analyzer knows. */
#ifndef HOST_FEATURES_JUDGE_H
#define HOST_FEATURES_JUDGE_H

#include "controller/feature.h"
#include "strbuf.h"

extern const struct feature judge_feature;

/** Is a judge configured for the active agent? */
bool judge_is_set(const struct conversation *c);
/** Does the judge have a pending question? The next step starts after its answer. */
bool judge_is_asked(const struct conversation *c);
/** The first line of its answer without surrounding characters, borrowed; NULL: it did
 *  not answer, or not in time. */
typedef void judge_answer_fn(struct conversation *c, const char *text);
/** Ask the judge. `prompt`: the template of the instructions. `data`: the text to
 *  assess, which the judge reads as data; copied. `answered` is called from the loop,
 *  also after a failure, which is reported to the user once. It is not called if the
 *  question is cancelled. No other question may be pending. */
void judge_ask(struct conversation *c, const char *prompt, const struct strbuf *data,
	       judge_answer_fn *answered);
/** The answer could not be used: report this to the user, once. */
void judge_report(struct conversation *c, const char *why);
/** The text after the word with which an answer begins ("no: because"); NULL: the
 *  answer begins with another word. Borrowed. */
const char *judge_answer_after(const char *text, const char *word);

#endif
