/* SPDX-License-Identifier: MIT
 *
 * answer.c - handles the user's answer to a waiting action: logs a copy of the action,
 * possibly with edited arguments, bound to the hash that was shown. */
#include "features/approval/approval-internal.h"

#include "controller/dispatch.h"
#include "controller/observations.h"
#include "exit-code.h"
#include "controller/transitions.h"
#include "controller/step.h"
#include "controller/turn-actions.h"
#include "conversation/conversation.h"
#include "features/approval/action-hash.h"
#include "log.h"
#include "tools/calls.h"

#include <string.h>

/* ---- the command ------------------------------------------------------- */

void approval_put(struct strbuf *line, const struct approval *a)
{
	js_key_str(line, "type", a->answer == ANSWER_NO ? "reject" : "confirm");
	if (a->hash)
		js_key_str(line, "hash", a->hash);
	if (a->answer == ANSWER_NO)
		js_key_str(line, "reason", a->reason);
	if (a->answer == ANSWER_ALWAYS)
		js_key_bool(line, "always", true);
	if (a->scope >= 0)
		js_key_int(line, "scope", a->scope);
	if (a->project)
		js_key_str(line, "keep", "project");
	if (a->arguments) {
		js_key(line, "arguments");
		js_put(line, a->arguments);
	}
}

/* ---- the answer -------------------------------------------------------- */

/* Members of a logged action that do not affect its execution. */
static int approval_answer_strip(json_object *json)
{
	static const char *const names[] = { "id", "timestamp", "message", "llm_metrics",
					     "reasoning_content" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		json_object_object_del(json, names[i]);
	return MT_OK;
}

/* The event to approve: the action, or its edited form. */
static json_object *approved_json(struct conversation *c, const struct event *action)
{
	const struct event *from =
		approval_of(c)->edited_action ? approval_of(c)->edited_action : action;
	json_object *meta = event_tool_meta(action), *json = NULL;
	json_object *caller = event_caller(action);

	if (json_object_deep_copy(from->json, &json, NULL))
		return NULL;
	approval_answer_strip(json);
	if (!approval_of(c)->edited_action)
		return json;
	if (js_set_bool(json, "edited", true) ||
	    js_set_str(json, "source", event_source_name(action->source)) ||
	    (meta && js_set(json, "tool_call_metadata", json_object_get(meta))) ||
	    (caller && js_set(json, "called_by", json_object_get(caller))) ||
	    (event_hidden(action) && js_set_bool(js_get(json, "args"), "hidden", true))) {
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
		out_of_memory(err);
		return NULL;
	}
	if (event_field_find(copy->type, "thought"))
		js_set_str(event_args(copy), "thought", "");
	if (!yes && *approval_of(c)->refusal)
		js_set_str(copy->json, "reject_reason", approval_of(c)->refusal);
	if (action_hash(copy, true, hash, err))
		return NULL;
	if (event_set_confirmation(copy, yes ? "confirmed" : "rejected") ||
	    js_set_int(copy->json, "confirms", action->id) ||
	    (yes && js_set_str(copy->json, "approved", hash))) {
		out_of_memory(err);
		return NULL;
	}
	if (yes && !approval_of(c)->edited_action &&
	    strcmp(hash, approval_of(c)->hash) != 0) {
		fail(err, MT_EDENIED,
		     "the log was modified: its action is not the one that was approved");
		return NULL;
	}
	return STEAL(copy);
}

int approval_repeat(struct conversation *c, bool yes, struct error *err)
{
	AUTO(event) struct event *action =
		evlog_event(conversation_log(c), turn_pending(c), err);
	AUTO(event) struct event *copy = action ? copy_of(c, action, yes, err) : NULL;
	struct call *edited;
	int64_t id;

	if (!copy)
		return err->code;
	id = conversation_log_event(c, event_ref(copy), err);
	if (id < 0)
		return (int)id;
	if (!approval_of(c)->edited_action) {
		turn_repeat(c, copy);
		return MT_OK;
	}
	edited = call_new(c, copy);
	if (!edited)
		return out_of_memory(err);
	turn_start(c, edited);
	return MT_OK;
}

bool approval_holds(struct conversation *c, const struct event *action)
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
	original =
		first < action->id ? evlog_event(conversation_log(c), first, NULL) : NULL;
	return original && !action_hash(original, true, hash, NULL) &&
	       strcmp(hash, approved) == 0;
}

/* The command, or the arguments of the call. */
static void put_ran(const struct call *call, struct strbuf *out)
{
	const struct event *action = call->action;
	const char *text;

	if (action->type->id == ACTION_RUN) {
		strbuf_addf(out,
			    "The user edited the command before approving it. Executed "
			    "command: %s\n\n",
			    event_arg(action, "command"));
		return;
	}
	text = js_text(call->tool ? call->logged_args : event_args(action), NULL);
	strbuf_addf(out,
		    "The user edited the arguments before approving the call. Executed "
		    "with: %s\n\n",
		    text ? text : "");
}

void approval_tell_edit(struct conversation *c, const struct call *call,
			struct event *observation)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);
	size_t len;
	const char *content = event_content(observation, &len);

	if (!js_bool(call->action->json, "edited", false) ||
	    !evlog_dispatched(conversation_log(c), call->id))
		return;
	put_ran(call, &text);
	if (strbuf_addn(&text, content, len) ||
	    js_set_strn(observation->json, "content", text.text, text.len))
		log_line(MT_LOG_WARNING, "confirm",
			 "cannot report the edited action to the model: out of memory");
}

void approval_rejected(struct conversation *c, struct event *action)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);
	const char *reason = js_str(action->json, "reject_reason", "");
	bool continues = *reason != '\0';

	turn_refuse(c, "This call was not made: the user rejected an earlier call of the "
		       "same response.");
	strbuf_add(&text, "Action has been rejected by the user! ");
	if (continues)
		strbuf_addf(&text, "The user says: %s", reason);
	else
		strbuf_add(&text, "Waiting for further user input.");
	observation_log_answer(c, action, "user_rejected", text.text, &err);
	if (conversation_state(c) == STATE_ERROR)
		return;
	if (continues)
		conversation_set_state(c, STATE_RUNNING, "");
	else
		conversation_set_state(c, STATE_AWAITING_USER_INPUT,
				       "the user rejected the action");
}

void approval_overtaken(struct conversation *c)
{
	if (!turn_awaits_approval(c))
		return;
	snprintf(approval_of(c)->refusal, sizeof approval_of(c)->refusal,
		 "see the next message, which the user sent instead of an answer");
	conversation_set_state(c, STATE_USER_REJECTED, "");
	if (conversation_state(c) == STATE_USER_REJECTED && !turn_is_idle(c))
		approval_rejected(c, turn_call(c)->action);
}

/* ---- the commands ------------------------------------------------------ */

/* Only parameters of the tool can be changed: a misspelled name would be ignored. */
static int approval_answer_merge(json_object *args, const struct tool *tool,
				 json_object *changes, struct error *err)
{
	json_object *known = js_get(tool->schema_json, "properties");

	json_object_object_foreach(changes, name, value) {
		if (!js_get(known, name))
			return fail(err, MT_EINVAL, "tool %s has no argument `%.80s`",
				    tool->name, name);
		if (!value)
			json_object_object_del(args, name);
		else if (js_set(args, name, json_object_get(value)))
			return out_of_memory(err);
	}
	return MT_OK;
}

/* The action with other arguments, checked in the same way as a call of the model. */
static struct event *approval_answer_change(struct conversation *c,
					    const struct call *call, json_object *changes,
					    struct error *err)
{
	AUTO(json) json_object *args = NULL, *checked = NULL;
	const char *text;
	bool secret = false;
	size_t len;

	if (!call->tool) {
		fail(err, call->why.code, "%s", call->why.text);
		return NULL;
	}
	if (json_object_deep_copy(call->logged_args, &args, NULL)) {
		out_of_memory(err);
		return NULL;
	}
	if (approval_answer_merge(args, call->tool, changes, err))
		return NULL;
	if (mask_json(conversation_secrets(c), args, NULL, &secret) ||
	    !(text = js_text(args, &len))) {
		out_of_memory(err);
		return NULL;
	}
	if (secret) { /* the log cannot store it, so it could not be run as approved */
		fail(err, MT_EINVAL,
		     "the edited action contains a secret; let the command read it "
		     "from the environment or a file");
		return NULL;
	}
	checked = call_arguments(call->tool, text, len, err);
	return checked ? call_to_action(call->tool, checked, "", err) : NULL;
}

/* A command typed by the user runs regardless of its risk, unless a rule denies it. */
static int take_changes(struct conversation *c, json_object *changes, struct error *err)
{
	AUTO(event) struct event *e =
		approval_answer_change(c, turn_call(c), changes, err);
	AUTO(call) struct call *call = NULL;

	if (!e)
		return err->code;
	if (!(e->type->flags & EVENT_RUNNABLE))
		return fail(err, MT_EINVAL, "the edited call cannot be executed");
	call = call_new(c, e);
	if (!call)
		return out_of_memory(err);
	approval_judge(c, call);
	if (call->verdict.deny)
		return approval_denied(&call->verdict, "the edited action", err);
	approval_of(c)->edited_action = STEAL(e);
	return MT_OK;
}

/* The scope to grant; NULL with `err`. Borrowed. */
static json_object *find_scope(const struct conversation *c, const struct approval *a,
			       struct error *err)
{
	size_t count = approval_of(c)->offered_scopes
			       ? json_object_array_length(approval_of(c)->offered_scopes)
			       : 0;
	size_t n = a->scope < 0 ? approval_of(c)->proposed_scope : (size_t)a->scope;

	if (count == 0)
		fail(err, MT_EDENIED,
		     "actions of risk %s require approval each time; `always` is not "
		     "available",
		     risk_name(turn_call(c)->verdict.risk));
	else if (a->arguments)
		fail(err, MT_EINVAL,
		     "an edited action can be approved only once; `always` applies "
		     "only to the action as shown");
	else if (n >= count)
		fail(err, MT_EINVAL, "unknown scope %zu; there are %zu", n, count);
	else
		return json_object_array_get_idx(approval_of(c)->offered_scopes, n);
	return NULL;
}

/* Is the answer for the action that was shown? */
static int check_hash(const struct conversation *c, const struct event *action,
		      const struct approval *a, struct error *err)
{
	char now[SHA256_HEX];

	if (!a->hash || !*a->hash)
		return a->answer == ANSWER_NO
			       ? MT_OK
			       : fail(err, MT_EINVAL,
				      "an approval requires the `hash` of the action "
				      "that was shown");
	if (action_hash(action, true, now, err))
		return err->code;
	if (strcmp(a->hash, now) != 0 || strcmp(now, approval_of(c)->hash) != 0)
		return fail(err, MT_EDENIED,
			    "the pending action is not the one that was shown (its "
			    "hash differs); nothing was executed, review it again");
	return MT_OK;
}

/* Make all checks that can refuse the answer before anything changes. */
static int check_answer(struct conversation *c, const struct approval *a,
			struct error *err)
{
	AUTO(event) struct event *action = NULL;
	struct verdict v = { .risk = RISK_UNKNOWN };
	json_object *scope = NULL;

	if (!turn_awaits_approval(c) || conversation_is_closing(c))
		return fail(err, MT_EINVAL,
			    "no action is waiting for approval: the conversation is %s",
			    state_name(conversation_state(c)));
	action = evlog_event(conversation_log(c), turn_pending(c), err);
	if (!action || check_hash(c, action, a, err))
		return err->code;
	if (a->answer == ANSWER_ALWAYS && !(scope = find_scope(c, a, err)))
		return err->code;
	approval_of(c)->edited_action = event_unref(approval_of(c)->edited_action);
	if (a->answer == ANSWER_NO)
		return MT_OK;
	if (a->arguments && take_changes(c, a->arguments, err))
		return err->code;
	if (!a->arguments)
		approval_assess(c, turn_call(c),
				&v); /* the rules may have changed since the prompt */
	if (v.deny)
		return approval_denied(&v, "the action", err);
	if (!scope)
		return MT_OK;
	return approval_grant(c, scope, a->project, err);
}

int conversation_confirm(struct conversation *c, const struct approval *a,
			 struct error *err)
{
	bool yes = a->answer != ANSWER_NO;

	approval_tell_scopes(c);
	if (check_answer(c, a, err))
		return err->code;
	snprintf(approval_of(c)->refusal, sizeof approval_of(c)->refusal, "%s",
		 yes || !a->reason ? "" : a->reason);
	conversation_set_state(c, yes ? STATE_USER_CONFIRMED : STATE_USER_REJECTED, "");
	approval_of(c)->edited_action = event_unref(approval_of(c)->edited_action);
	if (turn_awaits_approval(c) || turn_is_idle(c))
		return fail(err, MT_EIO, "%s", conversation_reason(c));
	if (yes)
		dispatch_call(c);
	else
		approval_rejected(c, turn_call(c)->action);
	step_run_ready(c);
	return conversation_barrier(c, err);
}
