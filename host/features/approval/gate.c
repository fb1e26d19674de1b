/* SPDX-License-Identifier: MIT
 *
 * gate.c - the gate before an action, and actions that wait for the user.
 *
 * An action that waits is logged after the change of the state. Its answer is
 * executed, or answered by `user_rejected`. */
#include "features/approval/approval-internal.h"

#include "config/choices.h"
#include "controller/plugins/analyzers.h"
#include "controller/observations.h"
#include "controller/sandbox.h"
#include "exit-code.h"
#include "controller/transitions.h"
#include "controller/turn.h"
#include "conversation/conversation.h"
#include "features/approval/action-hash.h"
#include "features/effects/effects.h"
#include "utf8.h"

#include <mortise/tool.h>

#include <string.h>

enum { SUBJECT_SHOWN = 120 };

enum gate { GATE_RUN, GATE_WAIT, GATE_DENY, GATE_REFUSE };

/* ---- the policy -------------------------------------------------------- */

bool approval_needed(const struct approval_policy *p, enum risk risk)
{
	switch (p->when) {
	case CONFIRM_NEVER:
		return false;
	case CONFIRM_ALWAYS:
		return true;
	case CONFIRM_RISKY:
		break;
	}
	return analyzers_risk_waits(risk, p->from, p->unknown);
}

int approval_policy_read(const struct config *c, const char *section,
			 struct approval_policy *ret, struct error *err)
{
	int when = config_choice(c, section, "confirmation");
	int from = config_choice(c, section, "confirm_risk");

	if (when < 0 || from < 0)
		return fail(err, MT_EINVAL, "[%s] has no option `confirmation`", section);
	ret->when = when == CONFIRMATION_ALWAYS  ? CONFIRM_ALWAYS
		    : when == CONFIRMATION_NEVER ? CONFIRM_NEVER
						 : CONFIRM_RISKY;
	ret->from = (enum risk)from;
	ret->unknown = config_bool(c, section, "confirm_unknown");
	return MT_OK;
}

struct approval_policy approval_stricter(struct approval_policy a,
					 struct approval_policy b)
{
	const bool a_risky = a.when == CONFIRM_RISKY, b_risky = b.when == CONFIRM_RISKY;

	if (a.when == CONFIRM_ALWAYS || b.when == CONFIRM_ALWAYS)
		a.when = CONFIRM_ALWAYS;
	else if (!a_risky)
		return b;
	else if (b_risky) {
		a.from = a.from < b.from ? a.from : b.from;
		a.unknown = a.unknown || b.unknown;
	}
	return a;
}

/* ---- the gate ---------------------------------------------------------- */

void approval_assess(struct conversation *c, struct call *call, struct verdict *ret)
{
	if (approval_of(c)->assess(c, call, ret)) {
		ret->risk = RISK_UNKNOWN;
		ret->deny = false;
	}
}

void approval_judge(struct conversation *c, struct call *call)
{
	approval_assess(c, call, &call->verdict);
	approval_apply_opinion(c, call, &call->verdict);
	if (event_field_find(call->action->type, "security_risk"))
		js_set_int(event_args(call->action), "security_risk", call->verdict.risk);
}

/* The beginning of a text that describes the action. */
static const char *gate_subject_of(const struct event *action)
{
	static const char *const names[] = { "command", "path", "url", "code", "name",
					     "browser_actions" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (*event_arg(action, names[i]))
			return event_arg(action, names[i]);
	return "";
}

/* A copy of an action that is not logged yet, with masked secrets; NULL: out of
 * memory. */
static struct event *masked_copy(const struct conversation *c, struct event *action)
{
	AUTO(json) json_object *json = NULL;

	if (mask_is_empty(conversation_secrets(c)) || action->id >= 0)
		return event_ref(action);
	if (json_object_deep_copy(action->json, &json, NULL) ||
	    mask_json(conversation_secrets(c), js_get(json, "args"), NULL, NULL))
		return NULL;
	return event_adopt(STEAL(json), NULL);
}

static void say_medium(struct conversation *c, const struct call *call)
{
	AUTO(event) struct event *masked = masked_copy(c, call->action);
	const char *what = masked ? gate_subject_of(masked) : "";
	const char *reason = call->verdict.reason;
	size_t len = strcspn(what, "\r\n"), shown = utf8_cut(what, len, SUBJECT_SHOWN);

	conversation_notice(c, MT_LOG_WARNING, "medium risk: %s %.*s%s%s%s",
			    call->action->type->name, (int)shown, what,
			    what[shown] ? " ..." : "", *reason ? ": " : "", reason);
}

/* The sandbox keeps a tool within its limits, whatever it does. A server on another host
 * is outside of it. */
static bool is_contained(const struct conversation *c, const struct call *call)
{
	const struct catalog *catalog = &conversation_agent(c)->catalog;
	const struct tool_instance *instance =
		call->tool ? &catalog->instances[call->tool->instance] : NULL;

	return instance && !(call->tool->hints & MT_TOOL_CONTROL) &&
	       !conversation_is_outside(c, instance) && conversation_is_contained(c);
}

static bool needs_approval(struct conversation *c, const struct call *call)
{
	const struct approval_policy *p = approval_policy(c);
	const enum risk risk = call->verdict.risk;

	if (!approval_needed(p, risk))
		return false;
	if (risk == RISK_UNKNOWN && effects_concern(c, call))
		return !approval_is_granted(c, call) && !effects_can_preview(c);
	if (risk == RISK_UNKNOWN && p->when == CONFIRM_RISKY && is_contained(c, call))
		return false;
	return risk == RISK_HIGH || !approval_is_granted(c, call);
}

/* Wait for the user, if one can answer. */
static enum gate gate_wait(const struct conversation *c)
{
	const char *section = conversation_agent(c)->section;

	if (conversation_is_interactive(c) || conversation_is_subagent(c))
		return GATE_WAIT;
	return config_choice(conversation_config(c), section, "on_ask") == ON_ASK_STOP
		       ? GATE_WAIT
		       : GATE_REFUSE;
}

static enum gate gate_judge(struct conversation *c, struct call *call)
{
	const struct verdict *v = &call->verdict;

	if (approval_policy(c)->when == CONFIRM_NEVER && !approval_has_analyzers(c))
		return GATE_RUN;
	approval_judge(c, call);
	if (v->deny)
		return GATE_DENY;
	if (needs_approval(c, call))
		return gate_wait(c);
	if (v->risk == RISK_MEDIUM && *v->reason &&
	    approval_policy(c)->when != CONFIRM_NEVER)
		say_medium(c, call);
	return GATE_RUN;
}

int approval_denied(const struct verdict *v, const char *what, struct error *err)
{
	return fail(err, MT_EDENIED, "%s is denied: %s%s%s%s", what,
		    *v->reason ? v->reason : "the policy does not allow it",
		    *v->rule ? " (rule " : "", v->rule, *v->rule ? ")" : "");
}

/* A call made by the user does not require approval, but a denied one does not run. */
static int check_user_call(struct conversation *c, struct call *call, struct error *err)
{
	approval_judge(c, call);
	return call->verdict.deny ? approval_denied(&call->verdict, "the action", err)
				  : MT_OK;
}

/* ---- waiting ----------------------------------------------------------- */

static void waits_now(struct conversation *c)
{
	const struct verdict *v = &turn_call(c)->verdict;
	char reason[REASON_MAX];

	turn_await_approval(c);
	snprintf(reason, sizeof reason, "risk %s%s%s", risk_name(v->risk),
		 *v->reason ? ": " : "", v->reason);
	conversation_enter_state(c, STATE_AWAITING_USER_CONFIRMATION, reason);
}

/* The action as clients see and approve it: the logged form. */
static int gate_describe(struct conversation *c, struct error *err)
{
	const struct call *call = turn_call(c);
	const struct scope_place place = approval_place(c, call);

	json_object_put(approval_of(c)->offered_scopes);
	approval_of(c)->offered_scopes = NULL;
	approval_of(c)->proposed_scope = 0;
	if (action_hash(call->action, true, approval_of(c)->hash, err))
		return err->code;
	if (call->verdict.risk == RISK_HIGH)
		return MT_OK;
	return scopes_offer(call->action, &place, &approval_of(c)->offered_scopes,
			    &approval_of(c)->proposed_scope, err);
}

/* Notify the watchers once the question is complete. */
static void gate_ask_user(struct conversation *c)
{
	if (!approval_preview_start(c, turn_call(c)))
		conversation_notify_state(c);
}

static void cannot_wait(struct conversation *c, const struct error *err)
{
	turn_reset(c);
	if (conversation_state(c) != STATE_ERROR)
		conversation_set_error(c, EXIT_FAILED, "%s", err->text);
}

static void wait_for_user(struct conversation *c, struct call *call)
{
	struct error err = ERROR_NONE;

	turn_start(c, call);
	waits_now(c);
	if (conversation_state(c) != STATE_AWAITING_USER_CONFIRMATION) {
		turn_reset(c); /* the log cannot be written */
		return;
	}
	call->id = evlog_count(conversation_log(c));
	if (event_set_confirmation(call->action, "awaiting_confirmation")) {
		out_of_memory(&err);
		cannot_wait(c, &err);
	} else if (call_log(c, call, &err) < 0 || gate_describe(c, &err)) {
		cannot_wait(c, &err);
	} else {
		gate_ask_user(c);
	}
}

/* Restore a waiting action. It is assessed again, but a logged HIGH risk remains. */
static int restore_waiting(struct conversation *c, struct event *action,
			   struct error *err)
{
	enum risk then =
		(enum risk)js_int(event_args(action), "security_risk", RISK_UNKNOWN);
	struct call *call = call_new(c, action);

	if (!call)
		return out_of_memory(err);
	approval_assess(c, call, &call->verdict);
	if (then == RISK_HIGH || !approval_has_analyzers(c))
		call->verdict.risk = then;
	turn_start(c, call);
	turn_await_approval(c);
	return gate_describe(c, err);
}

static void wait_again(struct conversation *c, struct call *call)
{
	struct error err = ERROR_NONE;

	turn_start(c, call);
	waits_now(c);
	if (!turn_awaits_approval(c))
		return; /* a client stopped it */
	if (gate_describe(c, &err))
		cannot_wait(c, &err);
	else
		gate_ask_user(c);
}

static void gate_refuse(struct conversation *c, struct call *call)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2048);
	const struct verdict *v = &call->verdict;

	turn_start(c, call);
	strbuf_addf(&text, "The action was denied and not executed: %s%s%s%s",
		    *v->reason ? v->reason : "the policy does not allow it",
		    *v->rule ? " (rule " : "", v->rule, *v->rule ? ")" : "");
	conversation_notice(c, MT_LOG_WARNING, "refused: %s",
			    *v->reason ? v->reason : v->rule);
	observation_log_failure(c, call->action, "AGENT_ERROR$ACTION_DENIED", text.text);
}

/* No user can approve it. */
static void gate_refuse_unattended(struct conversation *c, struct call *call)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2048);
	const struct verdict *v = &call->verdict;

	turn_start(c, call);
	strbuf_addf(
		&text,
		"The action was not executed: it requires approval (risk %s%s%s), and no "
		"user is available. Continue without it, or in another way.",
		risk_name(v->risk), *v->reason ? ": " : "", v->reason);
	conversation_notice(c, MT_LOG_WARNING,
			    "refused, because no user can approve it: risk %s%s%s",
			    risk_name(v->risk), *v->reason ? ": " : "", v->reason);
	observation_log_failure(c, call->action, "AGENT_ERROR$ACTION_DENIED", text.text);
}

json_object *conversation_waits(const struct conversation *c)
{
	size_t count = approval_of(c)->offered_scopes
			       ? json_object_array_length(approval_of(c)->offered_scopes)
			       : 0;
	const struct verdict *v;
	json_object *o, *list;

	if (!turn_awaits_approval(c) || turn_pending(c) < 0 ||
	    approval_of(c)->preview_call)
		return NULL;
	v = &turn_call(c)->verdict;
	o = js_new_object();
	list = js_new_list();
	for (size_t i = 0; i < count; i++) {
		json_object *one = js_new_object();

		js_set_str(one, "text",
			   js_str(json_object_array_get_idx(
					  approval_of(c)->offered_scopes, i),
				  "text", ""));
		js_add_new(list, one);
	}
	js_set_int(o, "action", turn_pending(c));
	js_set_str(o, "hash", approval_of(c)->hash);
	js_set_str(o, "risk", risk_name(v->risk));
	if (*v->reason)
		js_set_str(o, "reason", v->reason);
	if (approval_of(c)->preview)
		js_set_str(o, "preview", approval_of(c)->preview);
	js_set(o, "scopes", list);
	js_set_int(o, "scope", (int64_t)approval_of(c)->proposed_scope);
	js_set_str(
		o, "kind",
		count ? js_str(json_object_array_get_idx(approval_of(c)->offered_scopes,
							 approval_of(c)->proposed_scope),
			       "text", "")
		      : "");
	return o;
}

/* ---- the points ---------------------------------------------------------- */

static void gate_deny(struct conversation *c, struct call *call,
		      void (*refuse)(struct conversation *c, struct call *call))
{
	struct error err = ERROR_NONE;

	if (call->id < 0 && call_log(c, call, &err) < 0)
		call_free(call);
	else
		refuse(c, call);
}

static bool gate(struct conversation *c, struct call *call)
{
	bool yes = false;

	if (call->id >= 0 && event_is_answer(call->action, &yes)) {
		if (yes)
			return false;
		turn_start(c, call);
		approval_rejected(c, call->action);
		return true;
	}
	switch (gate_judge(c, call)) {
	case GATE_RUN:
		return false;
	case GATE_WAIT:
		if (call->id < 0)
			wait_for_user(c, call);
		else
			wait_again(c, call);
		break;
	case GATE_DENY:
		gate_deny(c, call, gate_refuse);
		break;
	case GATE_REFUSE:
		gate_deny(c, call, gate_refuse_unattended);
		break;
	}
	return true;
}

/* A call can be sent early if it requires neither approval nor a notice. */
static bool gate_may_hold(struct conversation *c, struct call *call)
{
	struct verdict v = { .risk = RISK_LOW };

	if ((approval_has_analyzers(c) || approval_policy(c)->when != CONFIRM_NEVER) &&
	    approval_of(c)->assess(c, call, &v))
		return true;
	return v.deny || v.risk != RISK_LOW ||
	       approval_needed(approval_policy(c), v.risk);
}

static int open_approval(struct conversation *c, struct error *err)
{
	(void)err;
	approval_of(c)->assess = approval_ask_analyzers;
	return MT_OK;
}

/* The policy of its section, unless an agent that waits for it has a stricter one. */
static int gate_open_agent(struct conversation *c, struct agent_frame *agent,
			   struct error *err)
{
	struct approval_policy *own = feature_agent_state(agent, &approval_feature);
	int status =
		approval_policy_read(conversation_config(c), agent->section, own, err);

	if (status)
		return status;
	if (agent->above)
		*own = approval_stricter(*(struct approval_policy *)feature_agent_state(
						 agent->above, &approval_feature),
					 *own);
	return MT_OK;
}

static int created(struct conversation *c, const struct conversation_options *o,
		   struct error *err)
{
	return approval_inherit(c, o->approvals, err);
}

/* Execute an answer that has not taken effect yet. */
static int gate_restore_action(struct conversation *c, struct event *action,
			       bool *ret_done, struct error *err)
{
	const enum agent_state state = conversation_state(c);
	bool yes;

	*ret_done = true;
	if (event_awaits_confirmation(action) && state != STATE_STOPPED &&
	    state != STATE_ERROR) {
		if (restore_waiting(c, action, err))
			return err->code;
		if (state == STATE_PAUSED)
			return MT_OK;
		conversation_restore_state(c, STATE_AWAITING_USER_CONFIRMATION);
		approval_preview_start(c, turn_call(c));
		return MT_OK;
	}
	*ret_done = !evlog_dispatched(conversation_log(c), action->id) &&
		    event_is_answer(action, &yes) &&
		    (state == STATE_AWAITING_USER_CONFIRMATION || state == STATE_LOADING);
	if (!*ret_done)
		return MT_OK;
	if (yes) {
		conversation_restore_state(c, STATE_LOADING);
		turn_set_uncommitted(c, action->id);
	} else {
		conversation_restore_state(c, STATE_USER_REJECTED);
		approval_rejected(c, action);
	}
	return MT_OK;
}

static int gate_before_message(struct conversation *c, const char *text, size_t len,
			       json_object *images, bool queue, bool *ret_held,
			       struct error *err)
{
	(void)text, (void)len, (void)images, (void)queue, (void)ret_held, (void)err;
	approval_tell_scopes(c);
	return MT_OK;
}

/* A waiting action keeps waiting until it is answered. */
static int gate_before_continue(struct conversation *c, bool *ret_held, struct error *err)
{
	approval_tell_scopes(c);
	*ret_held = turn_awaits_approval(c);
	if (!*ret_held)
		return MT_OK;
	if (conversation_state(c) == STATE_AWAITING_USER_CONFIRMATION)
		return fail(err, MT_EDENIED,
			    "an action is waiting for approval; confirm or reject it");
	conversation_enter_state(c, STATE_AWAITING_USER_CONFIRMATION, "");
	gate_ask_user(c);
	return MT_OK;
}

/* The answer is logged before its state. */
static int prepare_state(struct conversation *c, enum agent_state state,
			 struct error *err)
{
	bool yes = state == STATE_USER_CONFIRMED;

	if ((!yes && state != STATE_USER_REJECTED) || turn_is_idle(c))
		return MT_OK;
	approval_preview_drop(c);
	return approval_repeat(c, yes, err);
}

/* Tell the model which call ran instead of its call, if the user edited it. */
static void gate_before_observation(struct conversation *c, struct event *action,
				    const struct call *call, struct event *observation)
{
	(void)action;
	if (call && observation)
		approval_tell_edit(c, call, observation);
}

static void gate_release(struct conversation *c)
{
	struct approval_state *s = approval_of(c);

	json_object_put(s->granted);
	json_object_put(s->offered_scopes);
	s->granted = s->offered_scopes = NULL;
	approval_drop_opinion(c);
	s->edited_action = event_unref(s->edited_action);
	free(s->preview);
	s->preview = NULL;
}

static bool awaits_preview(const struct conversation *c)
{
	return approval_of(c)->preview_call != 0;
}

/* Deny a call that differs from the approved one. */
static bool before_send(struct conversation *c, struct call *call)
{
	if (approval_holds(c, call->action))
		return false;
	observation_log_failure(
		c, call->action, "AGENT_ERROR$ACTION_DENIED",
		"The action was not executed: the log was modified after "
		"the user approved it, and its action is not the one that "
		"was approved.");
	return true;
}

const struct feature approval_feature = {
	.name = "approval",
	.state_size = sizeof(struct approval_state),
	.agent_state_size = sizeof(struct approval_policy),
	.open = open_approval,
	.open_agent = gate_open_agent,
	.created = created,
	.resume = approval_restore,
	.restore_action = gate_restore_action,
	.before_message = gate_before_message,
	.adding_message = approval_overtaken,
	.before_continue = gate_before_continue,
	.prepare_state = prepare_state,
	.blocks_step = approval_await_opinion,
	.gate = gate,
	.may_hold = gate_may_hold,
	.check_user_call = check_user_call,
	.before_send = before_send,
	.before_observation = gate_before_observation,
	.is_busy = awaits_preview,
	.take_result = approval_preview_take,
	.cancel = approval_preview_drop,
	.release = gate_release,
};
