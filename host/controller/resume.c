/* SPDX-License-Identifier: MIT
 *
 * resume.c - resumes a conversation from its log. */
#include "context/history.h"
#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/exit-code.h"
#include "controller/fork.h"
#include "controller/feature.h"
#include "controller/meta.h"
#include "controller/turn.h"
#include "controller/usage-checkpoint.h"
#include "controller/waiting-messages.h"
#include "controller/wiring.h"
#include "events/confirmation.h"
#include "llm/models/models.h"
#include "log.h"

#include <string.h>

/* ---- the agent as it was ----------------------------------------------- */

/* NULL: none, or no list. */
static json_object *settings_of(json_object *meta)
{
	json_object *list = js_path(meta, "spec.settings");

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

/* ---- model servers that have moved ------------------------------------- */

/* The recorded value of a key of a section; NULL: none. `*ret_known`: the section is in
 * the record. */
static const char *recorded(json_object *settings, const char *section, const char *key,
			    bool *ret_known)
{
	size_t n = settings ? json_object_array_length(settings) : 0,
	       len = strlen(section);
	const char *found = NULL;

	*ret_known = false;
	for (size_t i = 0; i < n; i++) {
		const char *text =
			json_object_get_string(json_object_array_get_idx(settings, i));
		size_t rest = strlen(key);

		if (!text || strncmp(text, section, len) != 0 || text[len] != '.')
			continue;
		text += len + 1;
		*ret_known = *ret_known || strchrnul(text, '=') < strchrnul(text, '.');
		if (strncmp(text, key, rest) == 0 && text[rest] == '=')
			found = text + rest + 1;
	}
	return found;
}

/* Use the endpoint of the current configuration for a section, not the recorded one. */
static int take_endpoint(const struct config *now, json_object *settings,
			 const char *section, json_object *moved, struct strbuf *report)
{
	bool known, ignored;
	const char *was = recorded(settings, section, "base_url", &known);
	const char *is = config_get(now, section, "base_url");
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);

	if (!was)
		was = recorded(settings, "llm", "base_url", &ignored);
	if (!known || !is || !*is || (was && strcmp(was, is) == 0))
		return MT_OK;
	if (strbuf_addf(&text, "%s.base_url=%s", section, is) ||
	    js_add_new(moved, json_object_new_string(text.text)))
		return MT_ENOMEM;
	return strbuf_addf(report, "%s[%s] uses the configured endpoint %s%s%s.",
			   report->len ? "\n" : "", section, is,
			   was ? " instead of " : "", was ? was : "");
}

/* Overrides for changed endpoints, owned; NULL: out of memory. */
static json_object *endpoints(const struct config *now, json_object *settings,
			      struct strbuf *report)
{
	AUTO(json) json_object *moved = json_object_new_array();
	const char *name;
	int r = moved ? take_endpoint(now, settings, "llm", moved, report) : MT_ENOMEM;

	for (size_t n = 0; !r && (name = config_named(now, "llm", n)); n++) {
		AUTO(strbuf) struct strbuf section = STRBUF(4096);

		r = strbuf_addf(&section, "llm.%s", name);
		if (!r)
			r = take_endpoint(now, settings, section.text, moved, report);
	}
	return r ? NULL : STEAL(moved);
}

/* ---- the settings ------------------------------------------------------ */

/* The settings of meta.json, then changed endpoints, then the command line. */
static const char **overrides(json_object *settings, json_object *moved,
			      const struct config_input *in, size_t *ret_count)
{
	size_t n = settings ? json_object_array_length(settings) : 0, count = 0;
	size_t m = json_object_array_length(moved);
	const char **list = calloc(n + m + in->override_count + 1, sizeof *list);

	for (size_t i = 0; list && i < n; i++) {
		json_object *text = json_object_array_get_idx(settings, i);

		if (json_object_is_type(text, json_type_string))
			list[count++] = json_object_get_string(text);
	}
	for (size_t i = 0; list && i < m; i++)
		list[count++] =
			json_object_get_string(json_object_array_get_idx(moved, i));
	for (size_t i = 0; list && i < in->override_count; i++)
		list[count++] = in->overrides[i];
	*ret_count = count;
	return list;
}

static int load(struct conversation *c, json_object *meta, const struct config_input *in,
		const struct config *now, struct strbuf *report, struct error *err)
{
	struct config_input all = *in;
	json_object *settings = settings_of(meta);
	AUTO(json) json_object *moved = endpoints(now, settings, report);
	AUTO(free) const char **list =
		moved ? overrides(settings, moved, in, &all.override_count) : NULL;
	int r;

	if (!list)
		return out_of_memory(err);
	all.overrides = list;
	all.workspace = c->workspace;
	all.pinned = settings && json_object_array_length(settings) > 0;
	r = config_load(&all, &c->config, err);
	return r ? r : registry_open(c->config, &c->registry, err);
}

/* ---- where it stood ---------------------------------------------------- */

/* The usage so far: the sum over the replies in the log. */
static int restore_spent(struct conversation *c, struct error *err)
{
	struct reply_sums s;
	struct llm_metrics m = { .cost_known = true };
	const struct llm_metrics *sum;
	const char *model;
	double worked = 0;

	if (c->models) {
		if (reply_sums_open(&s, c->inherited_replies))
			return out_of_memory(err);
		reply_sums_read(&s, c->log);
		for (size_t n = 0; (model = llm_usage_totals_at(s.bill, n, &sum)); n++)
			llm_usage_totals_join(llm_models_usage(c->models), model, sum);
		m = s.total;
		worked = s.worked;
		reply_sums_close(&s);
	}
	features_restore_usage(c, &m);
	features_restore(c, &m, worked);
	return MT_OK;
}

/* Does the event name a state of the conversation, not one of a subagent? */
static bool names_state(struct conversation *c, int64_t id)
{
	const struct evlog_head *head = evlog_head(c->log, id);
	AUTO(event) struct event *e = NULL;

	if (head->undone || head->type->id != OBSERVATION_AGENT_STATE_CHANGED)
		return false;
	e = evlog_event(c->log, id, NULL);
	return e && !js_get(event_args(e), "delegate");
}

/* Id of the newest event that names a state; -1: none. */
static int64_t last_state(struct conversation *c)
{
	int64_t id = evlog_count(c->log) - 1;

	while (id >= 0 && !names_state(c, id))
		id--;
	return id;
}

/* The last state in the log, if it outlives a process. */
static void restore_state(struct conversation *c)
{
	int64_t id = last_state(c);
	AUTO(event) struct event *e = id >= 0 ? evlog_event(c->log, id, NULL) : NULL;
	int state = e ? state_find(event_arg(e, "agent_state")) : -1;

	if (state < 0 || !state_is_resting((enum agent_state)state))
		return;
	c->state = (enum agent_state)state;
	snprintf(c->reason, sizeof c->reason, "%s", event_arg(e, "reason"));
	if (c->state == STATE_ERROR)
		c->exit_code = features_exit_code_of(c->reason);
}

static bool answered(struct conversation *c, int64_t action)
{
	for (int64_t id = evlog_count(c->log) - 1; id > action; id--)
		if (evlog_head(c->log, id)->cause == action &&
		    !evlog_head(c->log, id)->type->is_action)
			return true;
	return false;
}

/* The newest action, if it is one that has to be handled. */
static int64_t newest_action(struct conversation *c)
{
	for (int64_t id = evlog_count(c->log) - 1; id >= c->agent->start; id--) {
		const struct evlog_head *head = evlog_head(c->log, id);
		int64_t begin = evlog_delegation_begin(c->log, id);

		if (begin >= 0)
			return begin;
		if (head->type->id == ACTION_SYSTEM)
			continue; /* an imported log may get it late */
		if (head->type->is_action && !head->undone &&
		    head->source == SOURCE_AGENT && head->type->id != ACTION_MESSAGE)
			return id;
		if (head->type->is_action && !head->undone &&
		    (head->type->flags & EVENT_RUNNABLE))
			return id;
	}
	return -1;
}

static bool ended_by(struct conversation *c, int64_t action)
{
	return c->state != STATE_LOADING && last_state(c) > action;
}

/* An action that was not handled. If its call was sent, the effect is unknown; otherwise
 * it is handled when the conversation continues. */
static int restore_action(struct conversation *c, struct error *err)
{
	int64_t id = newest_action(c);
	AUTO(event) struct event *e = NULL;
	bool done;

	if (id <= 0 || answered(c, id))
		return MT_OK;
	e = evlog_event(c->log, id, err);
	if (!e)
		return err->code;
	if (features_restore_action(c, e, &done, err) || done)
		return err->code;
	if (ended_by(c, id) && !evlog_dispatched(c->log, id))
		return MT_OK;
	if (!evlog_dispatched(c->log, id)) {
		turn_set_uncommitted(c, id);
		return MT_OK;
	}
	dispatch_log_failure(
		c, e, "",
		"The call was interrupted when the process ended; it may "
		"have taken effect. The shell is new: working directory and variables "
		"are as at the start.");
	return MT_OK;
}

/* The answer to a confirmation had no effect on the state yet. */
static void restore_rejection(struct conversation *c)
{
	int64_t state = last_state(c), id = evlog_count(c->log) - 1;
	AUTO(event) struct event *e = NULL;
	AUTO(event) struct event *action = NULL;

	if (c->state == STATE_AWAITING_USER_CONFIRMATION && turn_is_idle(c))
		c->state = STATE_LOADING; /* before its action was logged */
	while (id > state &&
	       evlog_head(c->log, id)->type->id != OBSERVATION_USER_REJECTED)
		id--;
	e = state >= 0 && id > state ? evlog_event(c->log, state, NULL) : NULL;
	if (!e || strcmp(event_arg(e, "agent_state"), "user_rejected") != 0)
		return;
	action = evlog_event(c->log, evlog_head(c->log, id)->cause, NULL);
	if (action && !*js_str(action->json, "reject_reason", ""))
		conversation_set_state(c, STATE_AWAITING_USER_INPUT,
				       "the user rejected the action");
}

/* The user rejected a waiting action; a denial by a hook concerns only its call. */
static bool is_rejection(struct conversation *c, const struct evlog_head *head)
{
	AUTO(event) struct event *action = NULL;
	bool yes;

	if (head->undone || head->type->id != OBSERVATION_USER_REJECTED ||
	    head->cause < 0)
		return false;
	action = evlog_event(c->log, head->cause, NULL);
	return !action || (event_is_answer(action, &yes) && !yes);
}

/* The event after `id` that is not of a delegate below. */
static int64_t next_own(struct conversation *c, int64_t id)
{
	int64_t end = evlog_delegation_end(c->log, id);

	return end < 0 ? id + 1 : end;
}

/* The rest of a plan is dropped when the conversation ends, when the user rejects one of
 * its actions, and when it asked the user. */
static bool ended_since(struct conversation *c, int64_t id, int64_t until)
{
	for (; id < until; id = next_own(c, id)) {
		const struct evlog_head *head = evlog_head(c->log, id);
		AUTO(event) struct event *e = NULL;
		int state;

		if (is_rejection(c, head))
			return true;
		if (!head->undone && head->has_call && head->type->id == ACTION_MESSAGE)
			return true;
		if (head->undone || head->type->id != OBSERVATION_AGENT_STATE_CHANGED)
			continue;
		e = evlog_event(c->log, id, NULL);
		state = e ? state_find(event_arg(e, "agent_state")) : -1;
		if (state == STATE_FINISHED || state == STATE_REJECTED ||
		    state == STATE_STOPPED || state == STATE_ERROR)
			return true;
	}
	return false;
}

/* The answer to a confirmation: no action of its own. */
static bool is_copy(struct conversation *c, int64_t id)
{
	AUTO(event) struct event *e =
		evlog_head(c->log, id)->has_call ? evlog_event(c->log, id, NULL) : NULL;
	bool yes;

	return e && event_is_answer(e, &yes);
}

/* The newest reply to the agent that works now, before the event `until`; owned.
 * NULL: none, or `err`. */
static json_object *newest_reply(struct conversation *c, int64_t until, struct error *err)
{
	int64_t n = evlog_replies(c->log) - 1;

	if (!*evlog_last_reply(c->log))
		return NULL; /* what was planned is undone */
	for (; n >= 0; n--) {
		AUTO(json) json_object *record = evlog_reply_at(c->log, n, err);
		int64_t before = js_int(record, "before", 0);

		if (!record && err->code == MT_ENOTFOUND) { /* it is damaged */
			*err = (struct error)ERROR_NONE;
			continue;
		}
		if (!record || before < c->agent->start)
			return NULL;
		if (before <= until &&
		    evlog_delegation_owner(c->log, before) == c->agent->delegation)
			return STEAL(record);
	}
	return NULL;
}

/* Calls of the newest reply that were not logged are planned again. An event at
 * `until`, if there is one, gave work to a delegate that has not ended. */
static int restore_queue(struct conversation *c, int64_t until, struct error *err)
{
	AUTO(json) json_object *record = newest_reply(c, until, err);
	struct llm_reply *reply;
	int64_t before;
	size_t done = 0;

	if (!record)
		return err->code;
	before = js_int(record, "before", 0);
	if (before < 0)
		before = 0;
	if (ended_since(c, before, until))
		return MT_OK;
	reply = llm_reply_from_json(record, err);
	if (!reply)
		return err->code;
	for (int64_t id = before; id <= until && id < evlog_count(c->log);
	     id = next_own(c, id)) {
		const struct evlog_head *head = evlog_head(c->log, id);
		bool error = head->cause < 0 && head->type->id == OBSERVATION_ERROR;

		if (head->source == SOURCE_AGENT && !head->undone &&
		    head->type->id != ACTION_SYSTEM &&
		    (error || (head->type->is_action && !is_copy(c, id))))
			done++;
	}
	return turn_replan(c, reply, done, err);
}

/* One agent of the stack, the first one first. */
static int restore_level(struct conversation *c, int64_t until, struct error *err)
{
	features_restore_agent(c);
	return restore_queue(c, until, err);
}

static int restore(struct conversation *c, struct error *err)
{
	size_t len;
	const char *kept = evlog_state(c->log, c->agent->plugin.component->name, &len);
	int r;

	if (kept)
		c->agent->state_text = strndup(kept, len);
	restore_state(c);
	r = restore_spent(c, err);
	if (r)
		return r;
	r = features_resume(c, err);
	if (!r)
		r = features_restore_agents(c, restore_level, err);
	if (!r)
		r = restore_action(c, err);
	if (r)
		return r;
	restore_rejection(c);
	return waiting_messages_restore(c, err);
}

/* Settings that the user changed apply from now on, including later resumes. */
static void keep_changes(struct conversation *c, const struct config_input *in,
			 const struct conversation_options *o)
{
	struct error err = ERROR_NONE;

	if (!in->override_count && !o->model)
		return;
	if (meta_change(c->log, NULL, wiring_spec(c, o->controller), c->mask, &err) ||
	    evlog_add_file(c->log, "meta.json", &err))
		conversation_notice(c, MT_LOG_WARNING,
				    "could not save the changed settings for later "
				    "resumes: %s",
				    err.text);
}

/* Does the command line set more than options of models? */
static bool changes_agent(const struct config_input *in)
{
	for (size_t i = 0; i < in->override_count; i++)
		if (strncmp(in->overrides[i], "llm.", 4) != 0)
			return true;
	return false;
}

/* Both reports, one after the other. */
static void join_reports(char **report, const struct strbuf *more)
{
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 16);

	if (!report || !more->len)
		return;
	strbuf_addf(&all, "%s%s%s", *report ? *report : "", *report ? "\n" : "",
		    more->text);
	if (all.error)
		return;
	free(*report);
	*report = strbuf_take(&all);
}

int conversation_resume(uv_loop_t *loop, const struct config_input *in,
			const struct conversation_options *o, struct conversation **ret,
			char **ret_report, struct error *err)
{
	struct conversation *c = conversation_allocate(loop, o);
	AUTO(config) struct config *places = NULL;
	AUTO(json) json_object *meta = NULL;
	AUTO(strbuf) struct strbuf moved = STRBUF(1 << 16);
	int r;

	if (!c)
		return out_of_memory(err);
	r = config_load(in, &places, err);
	if (r)
		return conversation_undo(c, false, r);
	c->dir = conversation_dir(places, o->id, err);
	meta = c->dir ? meta_read(c->dir, err) : NULL;
	if (!meta)
		return conversation_undo(c, false, err->code);
	c->id = strdup(o->id);
	c->title = strdup(js_str(meta, "title", ""));
	c->workspace = strdup(js_str(meta, "workspace", "/"));
	c->inherited_replies = fork_inherited(meta);
	c->parent = strdup(js_str(meta, "parent", ""));
	c->place = strdup(js_str(meta, "place", ""));
	c->depth = (int)js_int(meta, "depth", 0);
	if (!c->id || !c->title || !c->workspace || !c->parent || !c->place)
		return conversation_undo(c, false, out_of_memory(err));
	r = load(c, meta, in, places, &moved, err);
	if (!r)
		r = conversation_open(c, o, EVLOG_WRITE, ret_report, err);
	if (!r)
		r = wiring_ensure_system(c, err);
	if (!r)
		r = restore(c, err);
	if (r)
		return conversation_undo(c, false, r);
	c->system_due = !o->same_system && (o->controller || changes_agent(in));
	keep_changes(c, in, o);
	join_reports(ret_report, &moved);
	*ret = c;
	return MT_OK;
}
