/* SPDX-License-Identifier: MIT
 *
 * confirm.c - the gate before an action, and actions that wait for a person.
 *
 * An action that waits is in the log with confirmation_state
 * `awaiting_confirmation`, after the change of the state. The answer is the
 * action once more, `confirmed` or `rejected`, with the id of the first one in
 * `confirms`: that copy is executed, or answered by `user_rejected`. Types that
 * have no confirmation_state of their own carry it next to args. */
#include "controller/confirm.h"

#include "config/choices.h"
#include "controller/action-hash.h"
#include "controller/analyzers.h"
#include "controller/approval-scope.h"
#include "controller/approval-state.h"
#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/exit-code.h"
#include "controller/turn.h"
#include "utf8.h"

#include <string.h>

enum { SUBJECT_SHOWN = 120 };

static const char state_key[] = "confirmation_state";

/* ---- the policy -------------------------------------------------------- */

bool confirm_needed(const struct confirm_policy *p, enum risk risk)
{
	switch (p->when) {
	case CONFIRM_NEVER:
		return false;
	case CONFIRM_ALWAYS:
		return true;
	case CONFIRM_RISKY:
		break;
	}
	return risk_waits(risk, p->from, p->unknown);
}

int confirm_policy_read(const struct config *c, const char *section, bool interactive,
			struct confirm_policy *ret, struct error *err)
{
	int when = config_choice(c, section, "confirmation");
	int from = config_choice(c, section, "confirm_risk");

	if (when < 0 || from < 0)
		return fail(err, MT_EINVAL, "[%s] has no confirmation", section);
	if (when == CONFIRMATION_AUTO)
		when = interactive ? CONFIRMATION_RISKY : CONFIRMATION_NEVER;
	ret->when = when == CONFIRMATION_ALWAYS  ? CONFIRM_ALWAYS
		    : when == CONFIRMATION_RISKY ? CONFIRM_RISKY
						 : CONFIRM_NEVER;
	ret->from = (enum risk)from;
	ret->unknown = config_bool(c, section, "confirm_unknown");
	return MT_OK;
}

struct confirm_policy confirm_stricter(struct confirm_policy a, struct confirm_policy b)
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

/* ---- marks on events --------------------------------------------------- */

int confirm_mark(struct event *e, const char *state)
{
	bool own = event_field_find(e->type, state_key) != NULL;

	return js_set_str(own ? event_args(e) : e->json, state_key, state);
}

static const char *marked(const struct event *e)
{
	bool own = event_field_find(e->type, state_key) != NULL;

	return js_str(own ? event_args(e) : e->json, state_key, "");
}

bool confirm_awaited(const struct event *action)
{
	return strcmp(marked(action), "awaiting_confirmation") == 0;
}

bool confirm_is_answer(const struct event *action, bool *ret_yes)
{
	if (js_int(action->json, "confirms", -1) < 0)
		return false;
	*ret_yes = strcmp(marked(action), "rejected") != 0;
	return true;
}

/* ---- the gate ---------------------------------------------------------- */

void confirm_assess(struct conversation *c, struct event *action, struct verdict *ret)
{
	if (c->assess(c, action, ret)) {
		ret->risk = RISK_UNKNOWN;
		ret->deny = false;
	}
}

void confirm_judge(struct conversation *c, struct event *action, struct verdict *ret)
{
	confirm_assess(c, action, ret);
	if (event_field_find(action->type, "security_risk"))
		js_set_int(event_args(action), "security_risk", ret->risk);
}

/* The beginning of what it does. */
static const char *subject_of(const struct event *action)
{
	static const char *const names[] = { "command", "path", "url", "code", "name",
					     "browser_actions" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (*event_arg(action, names[i]))
			return event_arg(action, names[i]);
	return "";
}

static void say_medium(struct conversation *c, struct event *action,
		       const struct verdict *v)
{
	AUTO(event) struct event *masked = dispatch_masked_action(c, action);
	const char *what = masked ? subject_of(masked) : "";
	size_t len = strcspn(what, "\r\n"), shown = utf8_cut(what, len, SUBJECT_SHOWN);

	conversation_notice(c, MT_LOG_WARNING, "medium risk: %s %.*s%s%s%s",
			    action->type->name, (int)shown, what,
			    what[shown] ? " ..." : "", *v->reason ? ": " : "", v->reason);
}

enum gate confirm_gate(struct conversation *c, struct event *action, struct verdict *ret)
{
	*ret = (struct verdict){ .risk = RISK_UNKNOWN };
	if (c->agent->confirm.when == CONFIRM_NEVER && !analyzers_wired(c))
		return GATE_RUN;
	confirm_judge(c, action, ret);
	if (ret->deny)
		return GATE_DENY;
	if (confirm_needed(&c->agent->confirm, ret->risk) &&
	    (ret->risk == RISK_HIGH || !confirm_allowed(c, action)))
		return GATE_WAIT;
	if (ret->risk == RISK_MEDIUM && *ret->reason &&
	    c->agent->confirm.when != CONFIRM_NEVER)
		say_medium(c, action, ret);
	return GATE_RUN;
}

int confirm_denied(const struct verdict *v, const char *what, struct error *err)
{
	return fail(err, MT_EDENIED, "%s is denied: %s%s%s%s", what,
		    *v->reason ? v->reason : "it is against the policy of this host",
		    *v->rule ? " (rule " : "", v->rule, *v->rule ? ")" : "");
}

int confirm_refuses(struct conversation *c, struct event *action, struct error *err)
{
	struct verdict v = { .risk = RISK_UNKNOWN };

	confirm_judge(c, action, &v);
	return v.deny ? confirm_denied(&v, "the action", err) : MT_OK;
}

/* ---- waiting ----------------------------------------------------------- */

static void waits_now(struct conversation *c, const struct verdict *v)
{
	char reason[sizeof c->reason];

	turn_await_approval(c);
	approval_of(c)->risk = v->risk;
	snprintf(approval_of(c)->risk_reason, sizeof approval_of(c)->risk_reason, "%s",
		 v->reason);
	snprintf(reason, sizeof reason, "risk %s%s%s", risk_name(v->risk),
		 *v->reason ? ": " : "", v->reason);
	conversation_enter_state(c, STATE_AWAITING_USER_CONFIRMATION, reason);
}

/* What a client is shown and may say yes to: the action as the log holds it. */
static int describe(struct conversation *c, const struct event *action, struct error *err)
{
	const struct scope_place place = confirm_place(c, action);

	json_object_put(approval_of(c)->offered_scopes);
	approval_of(c)->offered_scopes = NULL;
	approval_of(c)->proposed_scope = 0;
	if (action_hash(action, true, approval_of(c)->hash, err))
		return err->code;
	if (approval_of(c)->risk == RISK_HIGH)
		return MT_OK;
	return scopes_offer(action, &place, &approval_of(c)->offered_scopes,
			    &approval_of(c)->proposed_scope, err);
}

static void cannot_wait(struct conversation *c, const struct error *err)
{
	turn_reset(c);
	if (c->state != STATE_ERROR)
		conversation_set_error(c, EXIT_FAILED, "%s", err->text);
}

void confirm_wait(struct conversation *c, struct event *action, const struct verdict *v)
{
	AUTO(event) struct event *kept = event_ref(action);
	struct error err = ERROR_NONE;

	waits_now(c, v);
	if (c->state != STATE_AWAITING_USER_CONFIRMATION) {
		turn_end_approval(c); /* the log cannot be written */
		event_unref(action);
		return;
	}
	turn_start_action(c, evlog_count(c->log));
	if (confirm_mark(action, "awaiting_confirmation"))
		action = event_unref(action);
	if (conversation_log_event(c, action, &err) < 0 || describe(c, kept, &err))
		cannot_wait(c, &err);
	else
		conversation_notify_state(c);
}

/* The risk that was found then or is found now, if one of them is HIGH. */
int confirm_restore_waiting(struct conversation *c, struct event *action,
			    struct error *err)
{
	enum risk then =
		(enum risk)js_int(event_args(action), "security_risk", RISK_UNKNOWN);
	struct verdict v;

	confirm_assess(c, action, &v);
	turn_start_action(c, action->id);
	turn_await_approval(c);
	approval_of(c)->risk = then == RISK_HIGH || !analyzers_wired(c) ? then : v.risk;
	snprintf(approval_of(c)->risk_reason, sizeof approval_of(c)->risk_reason, "%s",
		 v.reason);
	return describe(c, action, err);
}

void confirm_wait_again(struct conversation *c, struct event *action,
			const struct verdict *v)
{
	struct error err = ERROR_NONE;

	turn_start_action(c, action->id);
	waits_now(c, v);
	if (describe(c, action, &err))
		cannot_wait(c, &err);
	else
		conversation_notify_state(c);
}

void confirm_refuse(struct conversation *c, struct event *action, const struct verdict *v)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2048);

	strbuf_addf(&text, "The action was refused and did not run: %s%s%s%s",
		    *v->reason ? v->reason : "it is against the policy of this host",
		    *v->rule ? " (rule " : "", v->rule, *v->rule ? ")" : "");
	conversation_notice(c, MT_LOG_WARNING, "refused: %s",
			    *v->reason ? v->reason : v->rule);
	dispatch_log_failure(c, action, "AGENT_ERROR$ACTION_DENIED", text.text);
}

json_object *conversation_waits(const struct conversation *c)
{
	size_t count = approval_of(c)->offered_scopes
			       ? json_object_array_length(approval_of(c)->offered_scopes)
			       : 0;
	json_object *o, *list;

	if (!turn_awaits_approval(c) || turn_is_idle(c))
		return NULL;
	o = json_object_new_object();
	list = json_object_new_array();
	for (size_t i = 0; list && i < count; i++) {
		json_object *one = json_object_new_object();

		js_set_str(one, "text",
			   js_str(json_object_array_get_idx(
					  approval_of(c)->offered_scopes, i),
				  "text", ""));
		js_add(list, one);
	}
	js_set_int(o, "action", turn_pending(c));
	js_set_str(o, "hash", approval_of(c)->hash);
	js_set_str(o, "risk", risk_name(approval_of(c)->risk));
	if (*approval_of(c)->risk_reason)
		js_set_str(o, "reason", approval_of(c)->risk_reason);
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

/* Tell the model what ran in place of its call, if the user changed it. */
static void before_observation(struct conversation *c, struct event *action,
			       struct event *observation)
{
	if (observation)
		confirm_tell_edit(c, action, observation);
}

static void release(struct conversation *c)
{
	struct approval_state *s = approval_of(c);

	json_object_put(s->granted);
	json_object_put(s->offered_scopes);
	s->granted = s->offered_scopes = NULL;
	s->edited_action = event_unref(s->edited_action);
}

/* What runs is what was approved. */
static bool before_send(struct conversation *c, struct event *action)
{
	if (confirm_holds(c, action))
		return false;
	dispatch_log_failure(c, action, "AGENT_ERROR$ACTION_DENIED",
			     "The action did not run: the log was changed after the user "
			     "approved it, and it is not what was approved.");
	return true;
}

const struct feature approval_feature = {
	.name = "approval",
	.state_size = sizeof(struct approval_state),
	.before_send = before_send,
	.before_observation = before_observation,
	.release = release,
};
