/* SPDX-License-Identifier: MIT
 *
 * delegate.c - the action `delegate`: another agent works on the same log until it
 * has ended, then the one that gave it the task goes on.
 *
 * The agents of a conversation are a stack: c->agent works, c->parents
 * wait. State, pending action, runner, analyzers, hooks and bill are those of the
 * conversation, so a pause, a stop and a confirmation reach whoever works. */
#include "controller/delegate.h"

#include "array.h"
#include "context/history.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/dispatch.h"
#include "controller/exit-code.h"
#include "controller/offered-tools.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "controller/wiring.h"
#include "log.h"

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>

#include <inttypes.h>
#include <string.h>

/* ---- wiring ------------------------------------------------------------ */

static const struct agent_frame *wired_as(const struct conversation *c, const char *name)
{
	for (size_t i = 0; i < c->delegate_count; i++)
		if (strcmp(strchr(c->delegates[i].section, '.') + 1, name) == 0)
			return &c->delegates[i];
	return NULL;
}

static int wire_one(struct conversation *c, const char *name, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct agent_frame *current = c->agent;
	int r;

	if (wired_as(c, name))
		return MT_OK;
	if (strbuf_addf(&section, "controller.%s", name) ||
	    !config_has(c->config, section.text))
		return fail(err, MT_ENOTFOUND,
			    "unknown agent `%.80s` in `delegates`: the configuration has "
			    "no section [controller.%.80s]",
			    name, name);
	if (c->delegate_count == DELEGATES_MAX)
		return fail(err, MT_ELIMIT, "too many agents in `delegates` (maximum %d)",
			    DELEGATES_MAX);
	if (ARRAY_GROW(c->delegates, NULL, c->delegate_count + 1, DELEGATES_MAX))
		return out_of_memory(err);
	c->delegates[c->delegate_count] = (struct agent_frame){
		.delegation = -1, .section = strbuf_take(&section) };
	c->agent =
		&c->delegates[c->delegate_count++]; /* wiring fills the current agent */
	r = wiring_open_agent(c, NULL, err);
	c->agent = current;
	return r;
}

static int wire_list(struct conversation *c, const char *section, struct error *err)
{
	const char *list = config_get(c->config, section, "delegates"), *item;
	size_t len;

	while (list && list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		int r = name ? wire_one(c, name, err) : out_of_memory(err);

		if (r)
			return r;
	}
	return MT_OK;
}

int delegates_configure(struct conversation *c, struct error *err)
{
	int r = wire_list(c, c->agent->section, err);

	for (size_t i = 0; !r && i < c->delegate_count; i++)
		r = wire_list(c, c->delegates[i].section, err);
	return r;
}

static bool only_reads(const struct agent_frame *l)
{
	const struct mt_agent *agent = l->plugin.functions;

	return agent->flags & MT_AGENT_READ_ONLY;
}

/* An agent that must not write lets no other write for it. */
bool delegate_allowed(const struct conversation *c, const char *name)
{
	const struct agent_frame *w = wired_as(c, name);
	const char *list = config_get(c->config, c->agent->section, "delegates"), *item;
	size_t len;

	if (!w || (only_reads(c->agent) && !only_reads(w)))
		return false;
	while (list && list_next(&list, &item, &len))
		if (len == strlen(name) && memcmp(item, name, len) == 0)
			return true;
	return false;
}

const struct catalog **delegates_catalogs(const struct conversation *c, size_t *ret_count)
{
	const struct catalog **list = calloc(c->delegate_count + 1, sizeof *list);

	if (!list)
		return NULL;
	list[0] = c->parent_count ? &c->parents[0]->catalog : &c->agent->catalog;
	for (size_t i = 0; i < c->delegate_count; i++)
		list[i + 1] = &c->delegates[i].catalog;
	*ret_count = c->delegate_count + 1;
	return list;
}

void delegates_state_key(const struct conversation *c, char *ret)
{
	if (c->parent_count)
		snprintf(ret, 256, "%.200s/%" PRId64, c->agent->plugin.component->name,
			 c->agent->delegation);
	else
		snprintf(ret, 256, "%.200s", c->agent->plugin.component->name);
}

/* ---- the stack --------------------------------------------------------- */

/* What the frame holds that is not wiring. */
static void clear_frame(struct conversation *c)
{
	turn_plan_free(c);
	request_messages_free(c->agent->memory);
	history_free(c->agent->history);
	free(c->agent->state_text);
	features_close_agent(c->agent);
}

static void pop(struct conversation *c)
{
	clear_frame(c);
	free(c->agent);
	c->agent = c->parents[--c->parent_count];
}

/* The agent `w` works now. */
static int push(struct conversation *c, const struct agent_frame *w, int64_t action,
		struct error *err)
{
	struct agent_frame *frame = malloc(sizeof *frame);
	struct confirm_policy confirm = confirm_stricter(c->agent->confirm, w->confirm);

	if (!frame)
		return out_of_memory(err);
	*frame = *w; /* its wiring is borrowed */
	frame->confirm = confirm;
	frame->above = c->agent;
	frame->delegation = action;
	frame->start = action + 1;
	c->parents[c->parent_count++] = c->agent;
	c->agent = frame;
	if (features_open_agent(c, frame, err) == MT_OK &&
	    wiring_open_memory(c, err) == MT_OK)
		return MT_OK;
	pop(c);
	return err->code;
}

/* ---- the end of a delegate --------------------------------------------- */

/* The newest action of this type that the delegate took; NULL: none. */
static struct event *newest(struct conversation *c, enum event_type_id type)
{
	for (int64_t id = evlog_count(c->log) - 1; id >= c->agent->start; id--) {
		const struct evlog_head *head = evlog_head(c->log, id);

		if (!head->undone && head->type->id == type)
			return evlog_event(c->log, id, NULL);
	}
	return NULL;
}

/* What the action `finish` gives: {"content": its last words, ...}. */
static json_object *outputs_of(struct conversation *c, enum agent_state state)
{
	AUTO(event) struct event *e =
		newest(c, state == STATE_FINISHED ? ACTION_FINISH : ACTION_REJECT);
	json_object *out = json_object_new_object();
	json_object *given = e ? js_get(event_args(e), "outputs") : NULL;
	const char *said =
		e ? event_arg(e, state == STATE_FINISHED ? "final_thought" : "thought")
		  : "";

	if (json_object_is_type(given, json_type_object)) {
		json_object_object_foreach(given, name, value)
			js_set(out, name, json_object_get(value));
	}
	if (*said && !js_get(out, "content"))
		js_set_str(out, "content", said);
	return out;
}

static void put_outputs(struct strbuf *b, const char *agent, json_object *outputs)
{
	const char *between = " ";

	strbuf_addf(b, "%s finishes task with", agent);
	json_object_object_foreach(outputs, name, value) {
		if (strcmp(name, "metrics") == 0)
			continue;
		strbuf_addf(b, "%s%s: ", between, name);
		if (json_object_is_type(value, json_type_string))
			strbuf_add(b, json_object_get_string(value));
		else
			js_put(b, value);
		between = ", ";
	}
}

/* What the replies to the agent that works have cost. */
static json_object *metrics_of(struct conversation *c)
{
	struct llm_metrics m = { .cost_known = true };
	json_object *o = json_object_new_object(), *usage = json_object_new_object();

	for (int64_t n = evlog_replies(c->log) - 1; n >= 0; n--) {
		AUTO(json) json_object *record = evlog_reply_at(c->log, n, NULL);
		AUTO(llm_reply) struct llm_reply *reply = NULL;

		if (!record || js_int(record, "before", 0) <= c->agent->delegation)
			break;
		reply = llm_reply_from_json(record, NULL);
		if (reply)
			llm_metrics_add(&m, &reply->usage, reply->latency_ms);
	}
	js_set_int(usage, "prompt_tokens", m.input);
	js_set_int(usage, "completion_tokens", m.output);
	js_set_int(usage, "cache_read_tokens", m.cache_read);
	js_set_int(usage, "cache_write_tokens", m.cache_write);
	js_set_number(o, "accumulated_cost", m.cost);
	js_set(o, "accumulated_token_usage", usage);
	return o;
}

/* A state of the delegate alone: the conversation has its own. */
static void tell_delegate_state(struct conversation *c, enum agent_state state,
				const char *reason)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	struct error err = ERROR_NONE;
	json_object *extras = json_object_new_object();

	js_set_str(extras, "agent_state", state_name(state));
	js_set_str(extras, "reason", conversation_mask_text(c, reason, &shown));
	js_set_str(extras, "delegate", strchr(c->agent->section, '.') + 1);
	conversation_log_event(c,
			       event_observation("agent_state_changed",
						 SOURCE_ENVIRONMENT, -1, "", 0, extras,
						 &err),
			       &err);
}

static void tell_end(struct conversation *c, struct event *action, const char *agent,
		     enum agent_state state, const char *reason, json_object *outputs)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20);
	struct error err = ERROR_NONE;
	json_object *extras = json_object_new_object();

	strbuf_add(&text, "Delegated agent finished with result:\n\n");
	if (state == STATE_FINISHED)
		put_outputs(&text, agent, outputs);
	else if (state == STATE_REJECTED)
		strbuf_addf(&text, "%s gave the task up: %s", agent,
			    js_str(outputs, "content", reason));
	else
		strbuf_addf(&text, "%s encountered an error during execution. %s", agent,
			    reason);
	if (state != STATE_FINISHED)
		json_object_object_del(outputs, "content");
	js_set(extras, "outputs", outputs);
	dispatch_log_observation(c, action,
				 event_observation("delegate", action->source, action->id,
						   text.text, text.len, extras, &err),
				 &err);
}

void delegate_end(struct conversation *c, enum agent_state state, const char *reason)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action =
		evlog_event(c->log, c->agent->delegation, &err);
	AUTO(free) char *agent = strdup(strchr(c->agent->section, '.') + 1);
	AUTO(free) char *why = strdup(reason); /* it may be of the conversation */
	json_object *outputs = outputs_of(c, state);

	js_set(outputs, "metrics", metrics_of(c));
	tell_delegate_state(c, state, reason);
	pop(c);
	c->exit_code = 0;
	c->status = NULL;
	turn_reset(c);
	log_line(MT_LOG_INFO, "delegate", "%s: %s %s", agent ? agent : "",
		 state_name(state), reason);
	if (!action || !agent || !why) {
		json_object_put(outputs);
		conversation_set_error(c, EXIT_FAILED, "%s",
				       err.code ? err.text : "out of memory");
		return;
	}
	tell_end(c, action, agent, state, why, outputs);
	if (!turn_has_planned(c))
		turn_clear(c);
	if (c->state != STATE_ERROR && c->state != STATE_RUNNING)
		conversation_set_state(c, STATE_RUNNING, "");
	step_run_ready(c);
}

void delegates_drop(struct conversation *c, bool tell)
{
	while (c->parent_count) {
		AUTO(event) struct event *action =
			tell ? evlog_event(c->log, c->agent->delegation, NULL) : NULL;

		pop(c);
		turn_clear(c);
		if (action)
			dispatch_log_failure(
				c, action,
				"AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED",
				"The delegate did not finish: the conversation was "
				"stopped.");
	}
}

void delegates_rewound(struct conversation *c)
{
	while (c->parent_count && evlog_head(c->log, c->agent->delegation)->undone)
		pop(c);
}

/* ---- its begin --------------------------------------------------------- */

/* The message that it begins with. */
static int post_task(struct conversation *c, struct event *action, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20);
	json_object *inputs = js_get(event_args(action), "inputs");
	const char *task = js_str(inputs, "task", NULL);
	json_object *args = json_object_new_object();
	int64_t id;

	strbuf_add(&text, "TASK: ");
	if (task)
		strbuf_add(&text, task);
	else
		js_put(&text, inputs);
	if (text.error || js_set_strn(args, "content", text.text, text.len)) {
		json_object_put(args);
		return out_of_memory(err);
	}
	id = conversation_log_event(c, event_action("message", SOURCE_USER, args, err),
				    err);
	return id < 0 ? (int)id : MT_OK;
}

static int find(struct conversation *c, const char *name, const struct agent_frame **ret,
		struct error *err)
{
	const char *list = config_get(c->config, c->agent->section, "delegates");
	int64_t depth = config_int(c->config, c->agent->section, "max_depth");

	*ret = delegate_allowed(c, name) ? wired_as(c, name) : NULL;
	if (!*ret)
		return fail(err, MT_ENOTFOUND, "Unknown agent %.80s. %s%.200s", name,
			    list ? "Available agents: "
				 : "Subagents are not available; do the task yourself.",
			    list ? list : "");
	if (c->depth + (int64_t)c->parent_count >= depth || c->parent_count == FRAMES_MAX)
		return fail(err, MT_ELIMIT,
			    "Subagents may be nested %" PRId64
			    " deep (max_depth), and you "
			    "are at that depth. Do the task yourself.",
			    depth);
	return MT_OK;
}

static int begin_it(struct conversation *c, const struct agent_frame *w,
		    struct event *action, struct error *err)
{
	int r = push(c, w, action->id, err);

	if (r)
		return r;
	r = offered_tools_log_system(c, err);
	if (!r)
		r = post_task(c, action, err);
	if (r) {
		delegate_end(c, STATE_ERROR, err->text);
		return MT_OK;
	}
	tell_delegate_state(c, STATE_RUNNING, "");
	features_after_message(c, true);
	c->step_requested = true;
	return MT_OK;
}

void delegate_begin(struct conversation *c, struct event *action)
{
	struct error err = ERROR_NONE;
	const struct agent_frame *w;

	if (find(c, event_arg(action, "agent"), &w, &err) || begin_it(c, w, action, &err))
		dispatch_log_failure(c, action, "", err.text);
}

/* ---- after a restart --------------------------------------------------- */

/* The delegation that is open below the event `from`; -1: none. */
static int64_t open_below(struct conversation *c, int64_t from)
{
	for (int64_t id = from; id < evlog_count(c->log); id++) {
		const struct evlog_head *head = evlog_head(c->log, id);
		int64_t end;

		if (head->undone || head->type->id != ACTION_DELEGATE)
			continue;
		end = evlog_delegation_end(c->log, id);
		if (end < 0)
			return id;
		id = end;
	}
	return -1;
}

static bool has_system(struct conversation *c)
{
	const struct evlog_head *head = evlog_head(c->log, c->agent->start);

	return head && !head->undone && head->type->id == ACTION_SYSTEM;
}

static int restore_one(struct conversation *c, struct event *action, struct error *err)
{
	const struct agent_frame *w = wired_as(c, event_arg(action, "agent"));
	const char *kept;
	char name[256];
	size_t len;
	int r;

	if (!w || c->parent_count == FRAMES_MAX)
		return fail(err, MT_ENOTFOUND,
			    "The agent %.80s cannot be taken up again.",
			    event_arg(action, "agent"));
	r = push(c, w, action->id, err);
	if (r)
		return r;
	delegates_state_key(c, name);
	kept = evlog_state(c->log, name, &len);
	c->agent->state_text = kept ? strndup(kept, len) : NULL;
	if (!has_system(c))
		r = offered_tools_log_system(c, err);
	if (!r && !history_user_since(c->log, c->agent->start))
		r = post_task(c, action, err);
	if (r)
		pop(c);
	return r;
}

int delegates_restore(struct conversation *c,
		      int (*each)(struct conversation *c, int64_t until,
				  struct error *err),
		      struct error *err)
{
	for (;;) {
		int64_t id = open_below(c, c->agent->start);
		struct error why = ERROR_NONE;
		AUTO(event) struct event *action =
			id < 0 ? NULL : evlog_event(c->log, id, err);
		int r = id >= 0 && !action
				? err->code
				: each(c, id < 0 ? evlog_count(c->log) : id, err);

		if (r || id < 0)
			return r;
		if (restore_one(c, action, &why)) {
			dispatch_log_failure(c, action, "", why.text);
			return MT_OK;
		}
	}
}
