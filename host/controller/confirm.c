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

#include "controller/action-hash.h"
#include "controller/approval-scope.h"
#include "controller/approval-store.h"
#include "controller/exit_code.h"
#include "controller/internal.h"
#include "files.h"
#include "utf8.h"

#include "log.h"

#include <string.h>

enum { SUBJECT_SHOWN = 120 };

static const char state_key[] = "confirmation_state";
static const char old_record[] = "mortise/always"; /* of versions before scopes */

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

/* ---- what runs without asking ------------------------------------------ */

static struct scope_place place_of(struct conversation *c, const struct event *action)
{
	const char *name = js_str(event_tool_meta(action), "function_name", NULL);
	struct scope_place place = { .workspace = c->workspace,
				     .dir = c->shell_dir ? c->shell_dir : c->workspace,
				     .tool = "", .toolset = "" };
	AUTO(json) json_object *args = NULL;
	const struct tool *tool;

	if (!action_to_call(&c->catalog, action, name, &tool, &args, NULL)) {
		place.tool = tool->real;
		place.toolset = c->catalog.instances[tool->instance].name;
	}
	return place;
}

/* A delegate that asks for more than the agent which the user approved this for. */
static bool is_stricter(const struct conversation *c)
{
	const struct confirm_policy *first = c->level ? &c->above[0]->confirm : NULL;

	return first && (first->when != c->confirm.when || first->from != c->confirm.from
			 || first->unknown != c->confirm.unknown);
}

static bool append(json_object *list, json_object *more)
{
	size_t count = more ? json_object_array_length(more) : 0;

	for (size_t i = 0; i < count; i++)
		if (json_object_array_add(list, json_object_get(
						    json_object_array_get_idx(more, i))))
			return false;
	return true;
}

json_object *confirm_approvals(struct conversation *c)
{
	AUTO(json) json_object *all = json_object_new_array();
	AUTO(json) json_object *kept = NULL;
	struct error err = ERROR_NONE;

	if (!*c->parent) /* what is revoked in the meantime counts no longer */
		kept = approvals_read(c->config, c->workspace, &err);
	if (err.code)
		log_line(MT_LOG_WARNING, "confirm", "approvals of this project are ignored: %s",
			 err.text);
	if (!all || !append(all, c->approvals) || !append(all, kept))
		return NULL;
	return STEAL(all);
}

static bool is_allowed(struct conversation *c, const struct event *action)
{
	AUTO(json) json_object *all = is_stricter(c) ? NULL : confirm_approvals(c);
	const struct scope_place place = place_of(c, action);

	return scopes_cover(all, action, &place);
}

static int log_approvals(struct conversation *c, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();

	if (js_set_str(record, "record", "state")
	    || js_set_str(record, "plugin", APPROVALS_RECORD)
	    || js_set_str(record, "text", js_text(c->approvals, NULL)))
		return fail(err, MT_ENOMEM, "out of memory");
	return evlog_record(c->log, record, err);
}

/* From now on, in this conversation. */
static int remember(struct conversation *c, json_object *scope, struct error *err)
{
	if (!c->approvals)
		c->approvals = json_object_new_array();
	if (!c->approvals)
		return fail(err, MT_ENOMEM, "out of memory");
	for (size_t i = 0; i < json_object_array_length(c->approvals); i++)
		if (js_equal(json_object_array_get_idx(c->approvals, i), scope))
			return MT_OK;
	if (json_object_array_length(c->approvals) >= APPROVALS_MAX)
		return fail(err, MT_ELIMIT, "this conversation has %d approvals: revoke some "
			    "with `mortise policy revoke`", APPROVALS_MAX);
	if (json_object_array_add(c->approvals, json_object_get(scope)))
		return fail(err, MT_ENOMEM, "out of memory");
	return log_approvals(c, err);
}

/* Does a delegate work in a directory that was made for it alone? */
static bool is_elsewhere(const struct conversation *c)
{
	AUTO(free) char *up = path_join(c->dir, "../../workspaces");
	AUTO(free) char *real = up ? realpath(up, NULL) : NULL;
	size_t len = real ? strlen(real) : 0;

	return *c->parent && len && strncmp(c->workspace, real, len) == 0;
}

/* In later conversations of the project; a delegate does not read those itself. */
static int keep(struct conversation *c, json_object *scope, struct error *err)
{
	if (is_elsewhere(c))
		return fail(err, MT_EINVAL, "this delegate works in a directory of its own: "
			    "approve it for the conversation");
	if (approvals_keep(c->config, c->workspace, scope, c->id, err))
		return err->code;
	return *c->parent ? remember(c, scope, err) : MT_OK;
}

int confirm_inherit(struct conversation *c, json_object *approvals, struct error *err)
{
	if (!json_object_is_type(approvals, json_type_array)
	    || json_object_array_length(approvals) == 0)
		return MT_OK;
	c->approvals = json_object_get(approvals);
	return log_approvals(c, err);
}

void confirm_tell_approvals(struct conversation *c)
{
	AUTO(json) json_object *kept = NULL;
	struct error err = ERROR_NONE;
	size_t count;

	if (c->told_approvals)
		return;
	c->told_approvals = true;
	if (evlog_state(c->log, old_record, &count)
	    && !evlog_state(c->log, APPROVALS_RECORD, &count)) {
		notice(c, MT_LOG_WARNING, "what was always allowed in this conversation by an "
		       "older version allowed more than it said: it is asked about again");
		c->approvals = c->approvals ? c->approvals : json_object_new_array();
		log_approvals(c, &err);
	}
	if (*c->parent || c->confirm.when == CONFIRM_NEVER)
		return;
	kept = approvals_read(c->config, c->workspace, &err);
	count = kept ? json_object_array_length(kept) : 0;
	if (!kept)
		notice(c, MT_LOG_WARNING, "the approvals of this project do not apply: %s",
		       err.text);
	else if (count)
		notice(c, MT_LOG_WARNING, "%zu approval%s of this project appl%s: mortise "
		       "policy approvals", count, count > 1 ? "s" : "", count > 1 ? "y" : "ies");
}

int confirm_restore(struct conversation *c, struct error *err)
{
	size_t len;
	const char *text = evlog_state(c->log, APPROVALS_RECORD, &len);
	AUTO(json) json_object *list = text ? js_parse(text, len, err) : NULL;

	if (text && !list)
		return err->code ? err->code : MT_OK;
	if (json_object_is_type(list, json_type_array))
		c->approvals = STEAL(list);
	return MT_OK;
}

void confirm_clear(struct conversation *c)
{
	json_object_put(c->approvals);
	json_object_put(c->offered);
	c->approvals = c->offered = NULL;
	c->edited = event_unref(c->edited);
}

/* ---- the gate ---------------------------------------------------------- */

static void assess(struct conversation *c, struct event *action, struct verdict *ret)
{
	if (c->judge(c, action, ret)) {
		ret->risk = RISK_UNKNOWN;
		ret->deny = false;
	}
}

static void judge(struct conversation *c, struct event *action, struct verdict *ret)
{
	assess(c, action, ret);
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
	AUTO(event) struct event *masked = action_shown(c, action);
	const char *what = masked ? subject_of(masked) : "";
	size_t len = strcspn(what, "\r\n"), shown = utf8_cut(what, len, SUBJECT_SHOWN);

	notice(c, MT_LOG_WARNING, "medium risk: %s %.*s%s%s%s", action->type->name,
	       (int)shown, what, what[shown] ? " ..." : "", *v->reason ? ": " : "",
	       v->reason);
}

enum gate confirm_gate(struct conversation *c, struct event *action,
		       struct verdict *ret)
{
	*ret = (struct verdict){ .risk = RISK_UNKNOWN };
	if (c->confirm.when == CONFIRM_NEVER && !analyzers_wired(c))
		return GATE_RUN;
	judge(c, action, ret);
	if (ret->deny)
		return GATE_DENY;
	if (confirm_needed(&c->confirm, ret->risk)
	    && (ret->risk == RISK_HIGH || !is_allowed(c, action)))
		return GATE_WAIT;
	if (ret->risk == RISK_MEDIUM && c->confirm.when != CONFIRM_NEVER)
		say_medium(c, action, ret);
	return GATE_RUN;
}

static int denied(const struct verdict *v, const char *what, struct error *err)
{
	return fail(err, MT_EDENIED, "%s is denied: %s%s%s%s", what,
		    *v->reason ? v->reason : "it is against the policy of this host",
		    *v->rule ? " (rule " : "", v->rule, *v->rule ? ")" : "");
}

int confirm_refuses(struct conversation *c, struct event *action, struct error *err)
{
	struct verdict v = { .risk = RISK_UNKNOWN };

	judge(c, action, &v);
	return v.deny ? denied(&v, "the action", err) : MT_OK;
}

/* ---- waiting ----------------------------------------------------------- */

static void waits_now(struct conversation *c, const struct verdict *v)
{
	char reason[sizeof c->reason];

	c->waits = true;
	c->risk = v->risk;
	snprintf(c->risk_reason, sizeof c->risk_reason, "%s", v->reason);
	snprintf(reason, sizeof reason, "risk %s%s%s", risk_name(v->risk),
		 *v->reason ? ": " : "", v->reason);
	enter_state(c, STATE_AWAITING_USER_CONFIRMATION, reason);
}

/* What a client is shown and may say yes to: the action as the log holds it. */
static int describe(struct conversation *c, const struct event *action, struct error *err)
{
	const struct scope_place place = place_of(c, action);

	json_object_put(c->offered);
	c->offered = NULL;
	c->offer = 0;
	if (action_hash(action, true, c->hash, err))
		return err->code;
	if (c->risk == RISK_HIGH)
		return MT_OK;
	return scopes_offer(action, &place, &c->offered, &c->offer, err);
}

static void cannot_wait(struct conversation *c, const struct error *err)
{
	c->pending = -1;
	c->waits = false;
	if (c->state != STATE_ERROR)
		set_error(c, EXIT_FAILED, "%s", err->text);
}

void confirm_wait(struct conversation *c, struct event *action, const struct verdict *v)
{
	AUTO(event) struct event *kept = event_ref(action);
	struct error err = ERROR_NONE;

	waits_now(c, v);
	if (c->state != STATE_AWAITING_USER_CONFIRMATION) {
		c->waits = false; /* the log cannot be written */
		event_unref(action);
		return;
	}
	c->pending = evlog_count(c->log);
	if (mark(action, "awaiting_confirmation"))
		action = event_unref(action);
	if (post(c, action, &err) < 0 || describe(c, kept, &err))
		cannot_wait(c, &err);
	else
		tell_state(c);
}

/* The risk that was found then or is found now, if one of them is HIGH. */
int confirm_restore_waiting(struct conversation *c, struct event *action,
			    struct error *err)
{
	enum risk then = (enum risk)js_int(event_args(action), "security_risk",
					   RISK_UNKNOWN);
	struct verdict v;

	assess(c, action, &v);
	c->pending = action->id;
	c->waits = true;
	c->risk = then == RISK_HIGH || !analyzers_wired(c) ? then : v.risk;
	snprintf(c->risk_reason, sizeof c->risk_reason, "%s", v.reason);
	return describe(c, action, err);
}

void confirm_wait_again(struct conversation *c, struct event *action,
			const struct verdict *v)
{
	struct error err = ERROR_NONE;

	c->pending = action->id;
	waits_now(c, v);
	if (describe(c, action, &err))
		cannot_wait(c, &err);
	else
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

/* What the log says of an action beside what it does. */
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
	const struct event *from = c->edited ? c->edited : action;
	json_object *meta = event_tool_meta(action), *json = NULL;

	if (json_object_deep_copy(from->json, &json, NULL))
		return NULL;
	strip(json);
	if (!c->edited)
		return json;
	if (js_set_bool(json, "edited", true)
	    || js_set_str(json, "source", source_name(action->source))
	    || (meta && js_set(json, "tool_call_metadata", json_object_get(meta)))) {
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
	if (!yes && *c->refusal)
		js_set_str(copy->json, "reject_reason", c->refusal);
	if (action_hash(copy, true, hash, err))
		return NULL;
	if (mark(copy, yes ? "confirmed" : "rejected")
	    || js_set_int(copy->json, "confirms", action->id)
	    || (yes && js_set_str(copy->json, "approved", hash))) {
		fail(err, MT_ENOMEM, "out of memory");
		return NULL;
	}
	if (yes && !c->edited && strcmp(hash, c->hash) != 0) {
		fail(err, MT_EDENIED, "the log was changed: the action in it is not the one "
		     "that was approved");
		return NULL;
	}
	return STEAL(copy);
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
	return original && !action_hash(original, true, hash, NULL)
	       && strcmp(hash, approved) == 0;
}

/* The command, or the arguments of the call. */
static void put_ran(struct conversation *c, const struct event *action, struct strbuf *out)
{
	const char *name = js_str(event_tool_meta(action), "function_name", NULL);
	const char *command = event_arg(action, "command"), *text;
	AUTO(json) json_object *args = NULL;
	const struct tool *tool;

	if (strcmp(action->type->name, "run") == 0) {
		strbuf_addf(out, "The user changed the command before approving it. What "
			    "ran: %s\n\n", command);
		return;
	}
	if (action_to_call(&c->catalog, action, name, &tool, &args, NULL))
		args = json_object_get(event_args(action));
	text = js_text(args, NULL);
	strbuf_addf(out, "The user changed the arguments before approving the call. What ran: "
		    "%s\n\n", text ? text : "");
}

void confirm_tell_edit(struct conversation *c, const struct event *action,
		       struct event *observation)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);
	size_t len;
	const char *content = event_content(observation, &len);

	if (!js_bool(action->json, "edited", false) || !evlog_dispatched(c->log, action->id))
		return;
	put_ran(c, action, &text);
	if (strbuf_addn(&text, content, len)
	    || js_set_strn(observation->json, "content", text.text, text.len))
		log_line(MT_LOG_WARNING, "confirm", "the model is not told what ran: out of "
			 "memory");
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
			return fail(err, MT_ENOMEM, "out of memory");
	}
	return MT_OK;
}

/* The action with other arguments, checked as a call of the model is. */
static struct event *change(struct conversation *c, const struct event *action,
			    json_object *changes, struct error *err)
{
	const char *name = js_str(event_tool_meta(action), "function_name", NULL), *text;
	AUTO(json) json_object *args = NULL;
	AUTO(json) json_object *checked = NULL;
	const struct tool *tool;
	bool secret = false;
	size_t len;

	if (action_to_call(&c->catalog, action, name, &tool, &args, err)
	    || merge(args, tool, changes, err))
		return NULL;
	if (mask_json(c->mask, args, NULL, &secret) || !(text = js_text(args, &len))) {
		fail(err, MT_ENOMEM, "out of memory");
		return NULL;
	}
	if (secret) { /* the log cannot hold it, so it could not be run as it was approved */
		fail(err, MT_EINVAL, "the edited action contains a secret: let the command "
		     "read it from the environment or a file");
		return NULL;
	}
	checked = call_arguments(tool, text, len, err);
	return checked ? call_to_action(tool, checked, "", err) : NULL;
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
		return fail(err, MT_EINVAL, "the changed call is no action that can run");
	judge(c, e, &v);
	if (v.deny)
		return denied(&v, "the changed action", err);
	c->edited = STEAL(e);
	return MT_OK;
}

/* The scope that is granted; NULL with `err`. Borrowed. */
static json_object *find_scope(const struct conversation *c, const struct approval *a,
			       struct error *err)
{
	size_t count = c->offered ? json_object_array_length(c->offered) : 0;
	size_t n = a->scope < 0 ? c->offer : (size_t)a->scope;

	if (count == 0)
		fail(err, MT_EDENIED, "an action of risk %s is approved each time: nothing "
		     "is allowed for later", risk_name(c->risk));
	else if (a->arguments)
		fail(err, MT_EINVAL, "a changed action is approved once: `always` is for the "
		     "action as it was shown");
	else if (n >= count)
		fail(err, MT_EINVAL, "there is no scope %zu: %zu are offered", n, count);
	else
		return json_object_array_get_idx(c->offered, n);
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
			       : fail(err, MT_EINVAL, "an approval needs the `hash` of the "
				      "action that was shown");
	if (action_hash(action, true, now, err))
		return err->code;
	if (strcmp(a->hash, now) != 0 || strcmp(now, c->hash) != 0)
		return fail(err, MT_EDENIED, "the action that waits is not the one that was "
			    "shown (its hash differs): nothing ran; look at it again");
	return MT_OK;
}

/* Everything that may be refused, before anything has changed. */
static int check_answer(struct conversation *c, const struct approval *a, struct error *err)
{
	AUTO(event) struct event *action = NULL;
	struct verdict v = { .risk = RISK_UNKNOWN };
	json_object *scope = NULL;

	if (!c->waits || c->closing)
		return fail(err, MT_EINVAL,
			    "the conversation is %s: nothing waits for confirmation",
			    state_name(c->state));
	action = evlog_event(c->log, c->pending, err);
	if (!action || check_hash(c, action, a, err))
		return err->code;
	if (a->answer == ANSWER_ALWAYS && !(scope = find_scope(c, a, err)))
		return err->code;
	c->edited = event_unref(c->edited);
	if (a->answer == ANSWER_NO)
		return MT_OK;
	if (a->arguments && take_changes(c, action, a->arguments, err))
		return err->code;
	if (!a->arguments)
		assess(c, action, &v); /* the rules may be others than when it was asked */
	if (v.deny)
		return denied(&v, "the action", err);
	if (!scope)
		return MT_OK;
	return a->project ? keep(c, scope, err) : remember(c, scope, err);
}

int conversation_confirm(struct conversation *c, const struct approval *a,
			 struct error *err)
{
	AUTO(event) struct event *copy = NULL;
	bool yes = a->answer != ANSWER_NO;

	confirm_tell_approvals(c);
	if (check_answer(c, a, err))
		return err->code;
	snprintf(c->refusal, sizeof c->refusal, "%s", yes || !a->reason ? "" : a->reason);
	set_state(c, yes ? STATE_USER_CONFIRMED : STATE_USER_REJECTED, "");
	c->edited = event_unref(c->edited);
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

json_object *conversation_approvals(const struct conversation *c)
{
	return c->approvals ? json_object_get(c->approvals) : json_object_new_array();
}

int conversation_revoke(struct conversation *c, const char *text, struct error *err)
{
	AUTO(json) json_object *texts = json_object_new_array();

	if (!texts || json_object_array_add(texts, json_object_new_string(text)))
		return fail(err, MT_ENOMEM, "out of memory");
	if (!c->approvals)
		return fail(err, MT_ENOTFOUND, "there is no approval of %.300s", text);
	return approvals_remove(c->approvals, texts, err) ? err->code : log_approvals(c, err);
}

json_object *conversation_waits(const struct conversation *c)
{
	size_t count = c->offered ? json_object_array_length(c->offered) : 0;
	json_object *o, *list;

	if (!c->waits || c->pending < 0)
		return NULL;
	o = json_object_new_object();
	list = json_object_new_array();
	for (size_t i = 0; list && i < count; i++) {
		json_object *one = json_object_new_object();

		js_set_str(one, "text", js_str(json_object_array_get_idx(c->offered, i),
					       "text", ""));
		json_object_array_add(list, one);
	}
	js_set_int(o, "action", c->pending);
	js_set_str(o, "hash", c->hash);
	js_set_str(o, "risk", risk_name(c->risk));
	if (*c->risk_reason)
		js_set_str(o, "reason", c->risk_reason);
	js_set(o, "scopes", list);
	js_set_int(o, "scope", (int64_t)c->offer);
	js_set_str(o, "kind", count ? js_str(json_object_array_get_idx(c->offered, c->offer),
					     "text", "") : "");
	return o;
}
