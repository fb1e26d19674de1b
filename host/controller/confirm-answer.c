/* SPDX-License-Identifier: MIT
 *
 * confirm-answer.c - what a person says to an action that waits: the same action once
 * more, perhaps with other arguments, bound to the hash that was shown. */
#include "controller/action-hash.h"
#include "controller/approval-state.h"
#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/exit-code.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "log.h"
#include "tools/calls.h"

#include <string.h>

/* ---- the answer -------------------------------------------------------- */

/* Members of a logged action other than its effect. */
static int strip(json_object *json)
{
	static const char *const names[] = { "id", "timestamp", "message", "llm_metrics",
					     "reasoning_content" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		json_object_object_del(json, names[i]);
	return MT_OK;
}

/* The event of what is approved: the action, or what the user made of it. */
static json_object *approved_json(struct conversation *c, const struct event *action)
{
	const struct event *from =
		approval_of(c)->edited_action ? approval_of(c)->edited_action : action;
	json_object *meta = event_tool_meta(action), *json = NULL;

	if (json_object_deep_copy(from->json, &json, NULL))
		return NULL;
	strip(json);
	if (!approval_of(c)->edited_action)
		return json;
	if (js_set_bool(json, "edited", true) ||
	    js_set_str(json, "source", source_name(action->source)) ||
	    (meta && js_set(json, "tool_call_metadata", json_object_get(meta)))) {
		json_object_put(json);
		return NULL;
	}
	return json;
}

static struct event *copy_of(struct conversation *c, const struct event *action, bool yes,
			     struct error *err)
{
	json_object *json = approved_json(c, action);
	AUTO(event) struct event *copy = json ? event_adopt(json, err) : NULL;
	char hash[SHA256_HEX];

	if (!copy) {
		fail(err, err->code ? err->code : MT_ENOMEM, "%s",
		     err->code ? err->text : "out of memory");
		return NULL;
	}
	if (event_field_find(copy->type, "thought"))
		js_set_str(event_args(copy), "thought", "");
	if (!yes && *approval_of(c)->refusal)
		js_set_str(copy->json, "reject_reason", approval_of(c)->refusal);
	if (action_hash(copy, true, hash, err))
		return NULL;
	if (confirm_mark(copy, yes ? "confirmed" : "rejected") ||
	    js_set_int(copy->json, "confirms", action->id) ||
	    (yes && js_set_str(copy->json, "approved", hash))) {
		out_of_memory(err);
		return NULL;
	}
	if (yes && !approval_of(c)->edited_action &&
	    strcmp(hash, approval_of(c)->hash) != 0) {
		fail(err, MT_EDENIED,
		     "the log was changed: the action in it is not the one "
		     "that was approved");
		return NULL;
	}
	return STEAL(copy);
}

int confirm_repeat(struct conversation *c, bool yes, struct error *err)
{
	AUTO(event) struct event *action = evlog_event(c->log, turn_pending(c), err);
	struct event *copy = action ? copy_of(c, action, yes, err) : NULL;
	int64_t id;

	if (!copy)
		return err->code;
	id = conversation_log_event(c, copy, err);
	if (id < 0)
		return (int)id;
	turn_start_action(c, id);
	turn_end_approval(c);
	return MT_OK;
}

bool confirm_holds(struct conversation *c, const struct event *action)
{
	int64_t first = js_int(action->json, "confirms", -1);
	const char *approved = js_str(action->json, "approved", "");
	AUTO(event) struct event *original = NULL;
	char hash[SHA256_HEX];

	if (first < 0)
		return true;
	if (action_hash(action, true, hash, NULL) || strcmp(hash, approved) != 0)
		return false;
	if (js_bool(action->json, "edited", false))
		return true;
	original = first < action->id ? evlog_event(c->log, first, NULL) : NULL;
	return original && !action_hash(original, true, hash, NULL) &&
	       strcmp(hash, approved) == 0;
}

/* The command, or the arguments of the call. */
static void put_ran(struct conversation *c, const struct event *action,
		    struct strbuf *out)
{
	const char *command = event_arg(action, "command"), *text;
	AUTO_CALL call = { 0 };

	if (action->type->id == ACTION_RUN) {
		strbuf_addf(out,
			    "The user changed the command before approving it. What "
			    "ran: %s\n\n",
			    command);
		return;
	}
	if (call_resolve(&c->agent->catalog, action, &call, NULL))
		call.args = json_object_get(event_args(action));
	text = js_text(call.args, NULL);
	strbuf_addf(out,
		    "The user changed the arguments before approving the call. What ran: "
		    "%s\n\n",
		    text ? text : "");
}

void confirm_tell_edit(struct conversation *c, const struct event *action,
		       struct event *observation)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);
	size_t len;
	const char *content = event_content(observation, &len);

	if (!js_bool(action->json, "edited", false) ||
	    !evlog_dispatched(c->log, action->id))
		return;
	put_ran(c, action, &text);
	if (strbuf_addn(&text, content, len) ||
	    js_set_strn(observation->json, "content", text.text, text.len))
		log_line(MT_LOG_WARNING, "confirm",
			 "the model is not told what ran: out of "
			 "memory");
}

void confirm_rejected(struct conversation *c, struct event *action)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	const char *reason = js_str(action->json, "reject_reason", "");
	bool go_on = *reason != '\0';

	turn_refuse(c,
		    "This call was not made: the user rejected one that came before it "
		    "in the same reply.");
	strbuf_add(&text, "Action has been rejected by the user! ");
	if (go_on)
		strbuf_addf(&text, "The user says: %s", reason);
	else
		strbuf_add(&text, "Waiting for further user input.");
	turn_start_action(c, action->id);
	dispatch_log_answer(c, action, "user_rejected", text.text, &err);
	if (c->state == STATE_ERROR)
		return;
	if (go_on)
		conversation_set_state(c, STATE_RUNNING, "");
	else
		conversation_set_state(c, STATE_AWAITING_USER_INPUT,
				       "the user rejected the action");
}

void confirm_overtaken(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *copy = NULL;

	snprintf(approval_of(c)->refusal, sizeof approval_of(c)->refusal,
		 "see the message that follows, which came instead of an answer");
	conversation_set_state(c, STATE_USER_REJECTED, "");
	copy = c->state == STATE_USER_REJECTED
		       ? evlog_event(c->log, turn_pending(c), &err)
		       : NULL;
	if (copy)
		confirm_rejected(c, copy);
}

/* ---- the commands ------------------------------------------------------ */

/* Only what the tool knows can be changed: a name with a slip would be ignored. */
static int merge(json_object *args, const struct tool *tool, json_object *changes,
		 struct error *err)
{
	json_object *known = js_get(tool->schema_json, "properties");

	json_object_object_foreach(changes, name, value) {
		if (!js_get(known, name))
			return fail(err, MT_EINVAL, "the tool %s has no argument `%.80s`",
				    tool->name, name);
		if (!value)
			json_object_object_del(args, name);
		else if (js_set(args, name, json_object_get(value)))
			return out_of_memory(err);
	}
	return MT_OK;
}

/* The action with other arguments, checked as a call of the model is. */
static struct event *change(struct conversation *c, const struct event *action,
			    json_object *changes, struct error *err)
{
	AUTO(json) json_object *checked = NULL;
	AUTO_CALL call = { 0 };
	const char *text;
	bool secret = false;
	size_t len;

	if (call_resolve(&c->agent->catalog, action, &call, err) ||
	    merge(call.args, call.tool, changes, err))
		return NULL;
	if (mask_json(c->mask, call.args, NULL, &secret) ||
	    !(text = js_text(call.args, &len))) {
		out_of_memory(err);
		return NULL;
	}
	if (secret) { /* the log cannot hold it, so it could not be run as it was approved */
		fail(err, MT_EINVAL,
		     "the edited action contains a secret: let the command "
		     "read it from the environment or a file");
		return NULL;
	}
	checked = call_arguments(call.tool, text, len, err);
	return checked ? call_to_action(call.tool, checked, "", err) : NULL;
}

/* What the user typed runs whatever its risk, unless a rule forbids it. */
static int take_changes(struct conversation *c, const struct event *action,
			json_object *changes, struct error *err)
{
	AUTO(event) struct event *e = change(c, action, changes, err);
	struct verdict v = { .risk = RISK_UNKNOWN };

	if (!e)
		return err->code;
	if (!(e->type->flags & EVENT_RUNNABLE))
		return fail(err, MT_EINVAL,
			    "the changed call is not an action that can run");
	confirm_judge(c, e, &v);
	if (v.deny)
		return confirm_denied(&v, "the changed action", err);
	approval_of(c)->edited_action = STEAL(e);
	return MT_OK;
}

/* The scope that is granted; NULL with `err`. Borrowed. */
static json_object *find_scope(const struct conversation *c, const struct approval *a,
			       struct error *err)
{
	size_t count = approval_of(c)->offered_scopes
			       ? json_object_array_length(approval_of(c)->offered_scopes)
			       : 0;
	size_t n = a->scope < 0 ? approval_of(c)->proposed_scope : (size_t)a->scope;

	if (count == 0)
		fail(err, MT_EDENIED,
		     "an action of risk %s is approved each time: nothing "
		     "is allowed for later",
		     risk_name(approval_of(c)->risk));
	else if (a->arguments)
		fail(err, MT_EINVAL,
		     "a changed action is approved once: `always` is for the "
		     "action as it was shown");
	else if (n >= count)
		fail(err, MT_EINVAL, "there is no scope %zu: %zu are offered", n, count);
	else
		return json_object_array_get_idx(approval_of(c)->offered_scopes, n);
	return NULL;
}

/* Is it the action that was shown that the answer is for? */
static int check_hash(const struct conversation *c, const struct event *action,
		      const struct approval *a, struct error *err)
{
	char now[SHA256_HEX];

	if (!a->hash || !*a->hash)
		return a->answer == ANSWER_NO
			       ? MT_OK
			       : fail(err, MT_EINVAL,
				      "an approval needs the `hash` of the "
				      "action that was shown");
	if (action_hash(action, true, now, err))
		return err->code;
	if (strcmp(a->hash, now) != 0 || strcmp(now, approval_of(c)->hash) != 0)
		return fail(err, MT_EDENIED,
			    "the action that waits is not the one that was "
			    "shown (its hash differs): nothing ran; look at it again");
	return MT_OK;
}

/* Everything that may be refused, before anything has changed. */
static int check_answer(struct conversation *c, const struct approval *a,
			struct error *err)
{
	AUTO(event) struct event *action = NULL;
	struct verdict v = { .risk = RISK_UNKNOWN };
	json_object *scope = NULL;

	if (!turn_awaits_approval(c) || c->closing)
		return fail(err, MT_EINVAL,
			    "the conversation is %s: nothing waits for confirmation",
			    state_name(c->state));
	action = evlog_event(c->log, turn_pending(c), err);
	if (!action || check_hash(c, action, a, err))
		return err->code;
	if (a->answer == ANSWER_ALWAYS && !(scope = find_scope(c, a, err)))
		return err->code;
	approval_of(c)->edited_action = event_unref(approval_of(c)->edited_action);
	if (a->answer == ANSWER_NO)
		return MT_OK;
	if (a->arguments && take_changes(c, action, a->arguments, err))
		return err->code;
	if (!a->arguments)
		confirm_assess(c, action,
			       &v); /* the rules may be others than when it was asked */
	if (v.deny)
		return confirm_denied(&v, "the action", err);
	if (!scope)
		return MT_OK;
	return confirm_grant(c, scope, a->project, err);
}

int conversation_confirm(struct conversation *c, const struct approval *a,
			 struct error *err)
{
	AUTO(event) struct event *copy = NULL;
	bool yes = a->answer != ANSWER_NO;

	confirm_tell_approvals(c);
	if (check_answer(c, a, err))
		return err->code;
	snprintf(approval_of(c)->refusal, sizeof approval_of(c)->refusal, "%s",
		 yes || !a->reason ? "" : a->reason);
	conversation_set_state(c, yes ? STATE_USER_CONFIRMED : STATE_USER_REJECTED, "");
	approval_of(c)->edited_action = event_unref(approval_of(c)->edited_action);
	if (turn_awaits_approval(c) || turn_is_idle(c))
		return fail(err, MT_EIO, "%s", c->reason);
	copy = evlog_event(c->log, turn_pending(c), err);
	if (!copy) {
		conversation_set_error(c, EXIT_FAILED, "%s", err->text);
		return err->code;
	}
	if (yes)
		dispatch_action(c, copy);
	else
		confirm_rejected(c, copy);
	step_run_ready(c);
	return conversation_barrier(c, err);
}
