/* SPDX-License-Identifier: MIT
 *
 * risk-judge.c - the opinion of the judge on a planned call whose risk is UNKNOWN. It is
 * asked before the call is made, so that messages and pauses refuse the call as usual. */
#include "features/approval/approval-internal.h"

#include "controller/turn-actions.h"
#include "features/judge.h"

#include <string.h>

enum { SUBJECT_MAX = 64 << 10 };

/* A text for the judge that also identifies the call when it is made. NULL: not a call
 * of a tool, or too long. */
static char *risk_judge_subject_of(const struct conversation *c, const struct call *call)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SUBJECT_MAX);

	if (!call->tool || !call->logged_args)
		return NULL;
	strbuf_addc(&text, '{');
	js_key_str(&text, "tool", call->tool->name);
	js_key_str(&text, "directory of the task", conversation_workspace(c));
	strbuf_add(&text, ",\"arguments\":");
	js_put(&text, call->logged_args);
	strbuf_addc(&text, '}');
	return text.error ? NULL : strbuf_take(&text);
}

static void on_opinion(struct conversation *c, const char *text)
{
	static const struct {
		const char *word;
		enum risk risk;
	} words[] = { { "UNKNOWN", RISK_UNKNOWN },
		      { "LOW", RISK_LOW },
		      { "MEDIUM", RISK_MEDIUM },
		      { "HIGH", RISK_HIGH } };
	struct opinion *o = &approval_of(c)->opinion;
	const char *why = NULL;

	o->known = true;
	for (size_t i = 0; text && !why && i < ARRAY_LEN(words); i++) {
		why = judge_answer_after(text, words[i].word);
		o->risk = why ? words[i].risk : RISK_UNKNOWN;
	}
	if (why)
		snprintf(o->reason, sizeof o->reason, "the judge: %s",
			 *why ? why : "no reason given");
	else if (text)
		judge_report(c, "its answer is not a risk level");
}

static bool is_unknown(struct conversation *c, struct call *call)
{
	struct verdict v;

	approval_assess(c, call, &v);
	return !v.deny && v.risk == RISK_UNKNOWN;
}

const char *approval_await_opinion(struct conversation *c)
{
	struct opinion *o = &approval_of(c)->opinion;
	AUTO(strbuf) struct strbuf data = STRBUF(SUBJECT_MAX);
	AUTO(call) struct call *call = NULL;
	AUTO(free) char *subject = NULL;
	size_t index;

	if (!judge_is_set(c) || approval_policy(c)->when == CONFIRM_NEVER ||
	    judge_is_asked(c) || !turn_has_planned(c))
		return NULL;
	call = turn_planned_call(c, 0, &index);
	subject = call ? risk_judge_subject_of(c, call) : NULL;
	if (!subject || (o->known && strcmp(o->subject, subject) == 0) ||
	    !is_unknown(c, call))
		return NULL;
	approval_drop_opinion(c);
	strbuf_add(&data, subject);
	o->subject = STEAL(subject);
	o->risk = RISK_UNKNOWN;
	judge_ask(c, "judge_risk", &data, on_opinion);
	return "the judge assesses a call";
}

void approval_drop_opinion(struct conversation *c)
{
	struct opinion *o = &approval_of(c)->opinion;

	free(o->subject);
	*o = (struct opinion){ .risk = RISK_UNKNOWN };
}

/* Without the user's consent, an opinion never allows a call that would wait for
 * approval. */
static bool may_apply(const struct conversation *c, const struct verdict *v,
		      enum risk risk)
{
	if (risk == RISK_UNKNOWN || risk == RISK_HIGH)
		return risk == RISK_HIGH;
	if (risk == RISK_MEDIUM && approval_needed(approval_policy(c), risk))
		return true;
	return !*v->rule && config_bool(conversation_config(c),
					conversation_agent(c)->section, "judge_unknown");
}

void approval_apply_opinion(struct conversation *c, const struct call *call,
			    struct verdict *v)
{
	struct opinion *o = &approval_of(c)->opinion;
	AUTO(free) char *subject = o->known ? risk_judge_subject_of(c, call) : NULL;

	if (!subject || strcmp(o->subject, subject) != 0)
		return;
	if (!v->deny && v->risk == RISK_UNKNOWN && may_apply(c, v, o->risk)) {
		v->risk = o->risk;
		snprintf(v->reason, sizeof v->reason, "%s", o->reason);
	}
	approval_drop_opinion(c);
}
