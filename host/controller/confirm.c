/* SPDX-License-Identifier: MIT
 *
 * confirm.c - actions that wait for a person, and what the person says.
 *
 * An action that waits is in the log with confirmation_state
 * `awaiting_confirmation`, after the change of the state. The answer is the
 * action once more, `confirmed` or `rejected`, with the id of the first one in
 * `confirms`: that copy is executed, or answered by `user_rejected`. Types that
 * have no confirmation_state of their own bear it beside args. */
#include "controller/confirm.h"

#include "controller/exit_code.h"
#include "controller/internal.h"

#include <string.h>

static const char state_key[] = "confirmation_state";
static const char kinds_name[] = "mortise/always"; /* of its state record */

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
	return risk == RISK_UNKNOWN ? p->unknown : risk >= p->from;
}

int confirm_policy_read(const struct config *c, const char *section, bool attended,
			struct confirm_policy *ret, struct error *err)
{
	const char *when = config_get(c, section, "confirmation");
	const char *from = config_get(c, section, "confirm_risk");

	if (!when || !from)
		return fail(err, MT_EINVAL, "[%s] has no confirmation", section);
	if (strcmp(when, "auto") == 0)
		when = attended ? "risky" : "never";
	ret->when = strcmp(when, "always") == 0  ? CONFIRM_ALWAYS
		    : strcmp(when, "risky") == 0 ? CONFIRM_RISKY
						 : CONFIRM_NEVER;
	ret->from = strcmp(from, "low") == 0      ? RISK_LOW
		    : strcmp(from, "medium") == 0 ? RISK_MEDIUM
						  : RISK_HIGH;
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

static int mark(struct event *e, const char *state)
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

/* ---- kinds that run without asking ------------------------------------- */

static bool kind_allowed(const struct conversation *c, const char *kind)
{
	for (size_t i = 0; i < c->kind_count; i++)
		if (strcmp(c->kinds[i], kind) == 0)
			return true;
	return false;
}

static int kind_add(struct conversation *c, const char *kind, struct error *err)
{
	char **all;

	if (c->kind_count == KINDS_MAX)
		return fail(err, MT_ELIMIT, "more than %d kinds of actions run without "
			    "asking: start a new conversation, or set confirmation = never",
			    KINDS_MAX);
	all = realloc(c->kinds, (c->kind_count + 1) * sizeof *all);
	if (!all)
		return fail(err, MT_ENOMEM, "out of memory");
	c->kinds = all;
	all[c->kind_count] = strdup(kind);
	if (!all[c->kind_count])
		return fail(err, MT_ENOMEM, "out of memory");
	c->kind_count++;
	return MT_OK;
}

static int kinds_log(struct conversation *c, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();
	AUTO(json) json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < c->kind_count; i++)
		json_object_array_add(list, json_object_new_string(c->kinds[i]));
	if (js_set_str(record, "record", "state")
	    || js_set_str(record, "plugin", kinds_name)
	    || js_set_str(record, "text", js_text(list, NULL)))
		return fail(err, MT_ENOMEM, "out of memory");
	return evlog_record(c->log, record, err);
}

/* From now on, in this conversation. */
static int remember(struct conversation *c, const char *kind, struct error *err)
{
	int r;

	if (kind_allowed(c, kind))
		return MT_OK;
	r = kind_add(c, kind, err);
	return r ? r : kinds_log(c, err);
}

int confirm_restore(struct conversation *c, struct error *err)
{
	size_t len;
	const char *text = evlog_state(c->log, kinds_name, &len);
	AUTO(json) json_object *list = text ? js_parse(text, len, err) : NULL;

	if (text && !list)
		return err->code ? err->code : MT_OK;
	if (!json_object_is_type(list, json_type_array))
		return MT_OK;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *kind = json_object_array_get_idx(list, i);

		if (json_object_is_type(kind, json_type_string)
		    && kind_add(c, json_object_get_string(kind), err))
			return err->code;
	}
	return MT_OK;
}

void confirm_clear(struct conversation *c)
{
	for (size_t i = 0; i < c->kind_count; i++)
		free(c->kinds[i]);
	free(c->kinds);
	c->kinds = NULL;
	c->kind_count = 0;
}

/* ---- the gate ---------------------------------------------------------- */

static void judge(struct conversation *c, struct event *action, struct verdict *ret)
{
	if (c->judge(c, action, ret)) {
		ret->risk = RISK_UNKNOWN;
		ret->deny = false;
	}
	if (event_field_find(action->type, "security_risk"))
		js_set_int(event_args(action), "security_risk", ret->risk);
}

static void say_medium(struct conversation *c, const struct event *action,
		       const struct verdict *v)
{
	char kind[KIND_ROOM];

	confirm_kind(action, c->workspace, kind);
	notice(c, MT_LOG_WARNING, "medium risk: %s%s%s", kind, *v->reason ? ": " : "",
	       v->reason);
}

enum gate confirm_gate(struct conversation *c, struct event *action,
		       struct verdict *ret)
{
	char kind[KIND_ROOM];

	*ret = (struct verdict){ .risk = RISK_UNKNOWN };
	if (c->confirm.when == CONFIRM_NEVER && !analyzers_wired(c))
		return GATE_RUN;
	judge(c, action, ret);
	if (ret->deny)
		return GATE_DENY;
	confirm_kind(action, c->workspace, kind);
	if (confirm_needed(&c->confirm, ret->risk) && !kind_allowed(c, kind))
		return GATE_WAIT;
	if (ret->risk == RISK_MEDIUM && c->confirm.when != CONFIRM_NEVER)
		say_medium(c, action, ret);
	return GATE_RUN;
}

/* ---- waiting ----------------------------------------------------------- */

static void waits_now(struct conversation *c, const struct event *action,
		      const struct verdict *v)
{
	char reason[sizeof c->reason];

	c->waits = true;
	c->risk = v->risk;
	confirm_kind(action, c->workspace, c->kind);
	snprintf(reason, sizeof reason, "risk %s%s%s", risk_name(v->risk),
		 *v->reason ? ": " : "", v->reason);
	enter_state(c, STATE_AWAITING_USER_CONFIRMATION, reason);
}

void confirm_wait(struct conversation *c, struct event *action, const struct verdict *v)
{
	struct error err = ERROR_NONE;

	waits_now(c, action, v);
	if (c->state != STATE_AWAITING_USER_CONFIRMATION) {
		c->waits = false; /* the log cannot be written */
		event_unref(action);
		return;
	}
	c->pending = evlog_count(c->log);
	if (mark(action, "awaiting_confirmation"))
		action = event_unref(action);
	if (post(c, action, &err) < 0) {
		c->pending = -1;
		c->waits = false;
		if (c->state != STATE_ERROR)
			set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	tell_state(c);
}

void confirm_wait_again(struct conversation *c, struct event *action,
			const struct verdict *v)
{
	c->pending = action->id;
	waits_now(c, action, v);
	tell_state(c);
}

void confirm_refuse(struct conversation *c, struct event *action, const struct verdict *v)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2048);

	strbuf_addf(&text, "The action was refused and did not run: %s%s%s%s",
		    *v->reason ? v->reason : "it is against the policy of this host",
		    *v->rule ? " (rule " : "", v->rule, *v->rule ? ")" : "");
	notice(c, MT_LOG_WARNING, "refused: %s", *v->reason ? v->reason : v->rule);
	post_unanswered(c, action, "AGENT_ERROR$ACTION_DENIED", text.text);
}

/* ---- the answer -------------------------------------------------------- */

static struct event *copy_of(struct conversation *c, const struct event *action, bool yes,
			     struct error *err)
{
	json_object *json = NULL;
	struct event *copy;

	if (json_object_deep_copy(action->json, &json, NULL)) {
		fail(err, MT_ENOMEM, "out of memory");
		return NULL;
	}
	json_object_object_del(json, "id");
	json_object_object_del(json, "timestamp");
	json_object_object_del(json, "message");
	json_object_object_del(json, "llm_metrics");
	copy = event_adopt(json, err);
	if (!copy)
		return NULL;
	if (event_field_find(copy->type, "thought"))
		js_set_str(event_args(copy), "thought", "");
	json_object_object_del(copy->json, "reasoning_content");
	if (!yes && *c->refusal)
		js_set_str(copy->json, "reject_reason", c->refusal);
	if (mark(copy, yes ? "confirmed" : "rejected")
	    || js_set_int(copy->json, "confirms", action->id)) {
		fail(err, MT_ENOMEM, "out of memory");
		return event_unref(copy);
	}
	return copy;
}

int confirm_repeat(struct conversation *c, bool yes, struct error *err)
{
	AUTO(event) struct event *action = evlog_event(c->log, c->pending, err);
	struct event *copy = action ? copy_of(c, action, yes, err) : NULL;
	int64_t id;

	if (!copy)
		return err->code;
	id = post(c, copy, err);
	if (id < 0)
		return (int)id;
	c->pending = id;
	c->waits = false;
	return MT_OK;
}

void confirm_rejected(struct conversation *c, struct event *action)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	const char *reason = js_str(action->json, "reject_reason", "");
	bool go_on = *reason != '\0';

	refuse_queue(c, "This call was not made: the user rejected one that came before it "
		     "in the same reply.");
	strbuf_add(&text, "Action has been rejected by the user! ");
	if (go_on)
		strbuf_addf(&text, "The user says: %s", reason);
	else
		strbuf_add(&text, "Waiting for further user input.");
	c->pending = action->id;
	post_answer(c, action, "user_rejected", text.text, &err);
	if (c->state == STATE_ERROR)
		return;
	if (go_on)
		set_state(c, STATE_RUNNING, "");
	else
		set_state(c, STATE_AWAITING_USER_INPUT, "the user rejected the action");
}

void confirm_overtaken(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *copy = NULL;

	snprintf(c->refusal, sizeof c->refusal,
		 "see the message that follows, which came instead of an answer");
	set_state(c, STATE_USER_REJECTED, "");
	copy = c->state == STATE_USER_REJECTED ? evlog_event(c->log, c->pending, &err) : NULL;
	if (copy)
		confirm_rejected(c, copy);
}

int conversation_confirm(struct conversation *c, enum answer answer, const char *reason,
			 struct error *err)
{
	AUTO(event) struct event *copy = NULL;
	bool yes = answer != ANSWER_NO;

	if (!c->waits || c->closing)
		return fail(err, MT_EINVAL,
			    "the conversation is %s: nothing waits for confirmation",
			    state_name(c->state));
	if (answer == ANSWER_ALWAYS && remember(c, c->kind, err))
		return err->code;
	snprintf(c->refusal, sizeof c->refusal, "%s", yes ? "" : reason);
	set_state(c, yes ? STATE_USER_CONFIRMED : STATE_USER_REJECTED, "");
	if (c->waits || c->pending < 0)
		return fail(err, MT_EIO, "%s", c->reason);
	copy = evlog_event(c->log, c->pending, err);
	if (!copy) {
		set_error(c, EXIT_FAILED, "%s", err->text);
		return err->code;
	}
	if (yes)
		dispatch(c, copy);
	else
		confirm_rejected(c, copy);
	kick(c);
	return evlog_barrier(c->log, err);
}

int64_t conversation_waits(const struct conversation *c, const char **ret_kind,
			   const char **ret_risk)
{
	*ret_kind = c->waits ? c->kind : "";
	*ret_risk = c->waits ? risk_name(c->risk) : "";
	return c->waits ? c->pending : -1;
}
