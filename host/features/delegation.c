/* SPDX-License-Identifier: MIT
 *
 * delegation.c - the action `delegate`: another agent works on the same log until it
 * ends, then the delegating agent continues. State, pending action, runner,
 * analyzers, hooks and usage belong to the conversation, so a pause, a stop and a
 * confirmation apply to the agent that is active. */
#include "features/delegation.h"

#include "config/choices.h"
#include "context/history.h"
#include "controller/agents.h"
#include "controller/observations.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/transitions.h"
#include "conversation/offered-tools.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "features/limits.h"
#include "log.h"

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <mortise/tool.h>

#include <inttypes.h>
#include <string.h>

/* ---- who may be given work --------------------------------------------------- */

static bool only_reads(const struct agent_frame *l)
{
	const struct mt_agent *agent = l->plugin.functions;

	return agent->flags & MT_AGENT_READ_ONLY;
}

static const char *delegates_of(const struct conversation *c)
{
	return config_get(conversation_config(c), conversation_agent(c)->section,
			  "delegates");
}

/* A read-only agent cannot delegate to one that may write. */
bool delegation_allowed(const struct conversation *c, const char *name)
{
	const struct agent_frame *w = agents_find(c, name);
	const char *list = delegates_of(c), *item;
	size_t len;

	if (!w || (only_reads(conversation_agent(c)) && !only_reads(w)))
		return false;
	while (list && option_list_next(&list, &item, &len))
		if (len == strlen(name) && memcmp(item, name, len) == 0)
			return true;
	return false;
}

bool delegation_forks(const struct conversation *c, const char *name)
{
	const struct agent_frame *w = agents_find(c, name);

	return w && config_choice(conversation_config(c), w->section, "context") ==
			    CONTEXT_FORK;
}

void delegation_put_agents(const struct conversation *c, struct strbuf *out)
{
	const char *list = delegates_of(c), *item, *between = "Available agents: ";
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);

		if (!name || !delegation_allowed(c, name))
			continue;
		strbuf_addf(out, "%s%s", between, name);
		between = ", ";
	}
	strbuf_add(out, *between == ','
				? "."
				: "No agents are available; do the task yourself.");
}

/* ---- the end of a delegate --------------------------------------------- */

/* The newest action of this type by the delegate; NULL: none. */
static struct event *delegation_newest(struct conversation *c, enum event_type_id type)
{
	for (int64_t id = evlog_count(conversation_log(c)) - 1;
	     id >= conversation_agent(c)->start; id--) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);

		if (!head->undone && head->type->id == type)
			return evlog_event(conversation_log(c), id, NULL);
	}
	return NULL;
}

/* The outputs of the action `finish`: {"content": its last message, ...}. */
static json_object *outputs_of(struct conversation *c, enum agent_state state)
{
	AUTO(event) struct event *e =
		delegation_newest(c, state == STATE_FINISHED ? ACTION_FINISH
							     : ACTION_REJECT);
	json_object *out = js_new_object();
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

/* The cost of the replies to the active agent. */
static json_object *metrics_of(struct conversation *c)
{
	struct llm_metrics m = { .cost_known = true };
	json_object *o = js_new_object(), *usage = js_new_object();

	for (int64_t n = evlog_replies(conversation_log(c)) - 1; n >= 0; n--) {
		AUTO(json) json_object *record =
			evlog_reply_at(conversation_log(c), n, NULL);
		AUTO(llm_reply) struct llm_reply *reply = NULL;

		if (!record ||
		    js_int(record, "before", 0) <= conversation_agent(c)->delegation)
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

/* A state of the delegate only: the conversation has its own state. */
static void tell_delegate_state(struct conversation *c, enum agent_state state,
				const char *reason)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	struct error err = ERROR_NONE;
	json_object *extras = js_new_object();

	js_set_str(extras, "agent_state", state_name(state));
	js_set_str(extras, "reason", mask_text(conversation_secrets(c), reason, &shown));
	js_set_str(extras, "delegate", strchr(conversation_agent(c)->section, '.') + 1);
	conversation_log_event(c,
			       event_observation("agent_state_changed",
						 SOURCE_ENVIRONMENT, -1, "", 0, extras,
						 &err),
			       &err);
}

static void delegation_tell_end(struct conversation *c, struct event *action,
				const char *agent, enum agent_state state,
				const char *reason, json_object *outputs)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20);
	struct error err = ERROR_NONE;
	json_object *extras = js_new_object();

	strbuf_add(&text, "Delegated agent finished with result:\n\n");
	if (state == STATE_FINISHED)
		put_outputs(&text, agent, outputs);
	else if (state == STATE_REJECTED)
		strbuf_addf(&text, "%s gave up on the task: %s", agent,
			    js_str(outputs, "content", reason));
	else
		strbuf_addf(&text, "%s encountered an error during execution. %s", agent,
			    reason);
	if (state != STATE_FINISHED)
		json_object_object_del(outputs, "content");
	js_set(extras, "outputs", outputs);
	if (state != STATE_FINISHED)
		js_set_bool(extras, "is_error", true);
	observation_log(c, action,
			event_observation("delegate", action->source, action->id,
					  text.text, text.len, extras, &err),
			&err);
}

void delegation_end(struct conversation *c, enum agent_state state, const char *reason)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *action =
		evlog_event(conversation_log(c), conversation_agent(c)->delegation, &err);
	AUTO(free) char *agent = strdup(strchr(conversation_agent(c)->section, '.') + 1);
	AUTO(free) char *why = strdup(reason); /* it may be of the conversation */
	json_object *outputs = outputs_of(c, state);

	js_set(outputs, "metrics", metrics_of(c));
	tell_delegate_state(c, state, reason);
	agents_pop(c);
	conversation_clear_error(c);
	turn_reset(c);
	log_line(MT_LOG_INFO, "delegate", "%s: %s %s", agent ? agent : "",
		 state_name(state), reason);
	if (!action || !agent || !why) {
		json_object_put(outputs);
		conversation_set_error(c, EXIT_FAILED, "%s", error_text(&err));
		return;
	}
	delegation_tell_end(c, action, agent, state, why, outputs);
	if (!turn_has_planned(c))
		turn_clear(c);
	if (conversation_state(c) != STATE_ERROR &&
	    conversation_state(c) != STATE_RUNNING)
		conversation_set_state(c, STATE_RUNNING, "");
	step_run_ready(c);
}

static void drop_delegates(struct conversation *c)
{
	while (conversation_agent(c)->above) {
		AUTO(event) struct event *action =
			evlog_event(conversation_log(c),
				    conversation_agent(c)->delegation, NULL);

		agents_pop(c);
		turn_clear(c);
		if (action)
			observation_log_failure(
				c, action,
				"AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED",
				"The delegate did not finish: the conversation was "
				"stopped.");
	}
}

static void rewound(struct conversation *c)
{
	while (conversation_agent(c)->above &&
	       evlog_head(conversation_log(c), conversation_agent(c)->delegation)->undone)
		agents_pop(c);
}

/* ---- its begin --------------------------------------------------------- */

/* The first message of the delegate. */
static int post_task(struct conversation *c, struct event *action, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20);
	json_object *inputs = js_get(event_args(action), "inputs");
	const char *task = js_str(inputs, "task", NULL);
	json_object *args = js_new_object();
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

static int delegation_find(struct conversation *c, const char *name,
			   const struct agent_frame **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf agents = STRBUF(4096);
	int64_t depth = config_int(conversation_config(c), conversation_agent(c)->section,
				   "max_depth");

	*ret = NULL;
	if (delegation_forks(c, name))
		return fail(err, MT_EINVAL,
			    "`%.80s` begins with your context; start it with "
			    "`delegate_tasks`.",
			    name);
	*ret = delegation_allowed(c, name) ? agents_find(c, name) : NULL;
	if (!*ret) {
		delegation_put_agents(c, &agents);
		return fail(err, MT_ENOTFOUND, "Unknown agent `%.80s`. %s", name,
			    agents.text);
	}
	if (agents_depth(c) >= depth || agents_full(c))
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
	int r = agents_push(c, w, action->id, err);

	if (r)
		return r;
	r = offered_tools_log_system(c, err);
	if (!r)
		r = post_task(c, action, err);
	if (r) {
		delegation_end(c, STATE_ERROR, err->text);
		return MT_OK;
	}
	tell_delegate_state(c, STATE_RUNNING, "");
	FEATURES_TELL(after_message, c, true);
	step_request(c);
	return MT_OK;
}

static void delegation_begin(struct conversation *c, struct event *action)
{
	struct error err = ERROR_NONE;
	const struct agent_frame *w;

	if (delegation_find(c, event_arg(action, "agent"), &w, &err) ||
	    begin_it(c, w, action, &err))
		observation_log_failure(c, action, "", err.text);
}

/* ---- after a restart --------------------------------------------------- */

/* The delegation that is open below the event `from`; -1: none. */
static int64_t open_below(struct conversation *c, int64_t from)
{
	for (int64_t id = from; id < evlog_count(conversation_log(c)); id++) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		int64_t end;

		if (head->undone || head->type->id != ACTION_DELEGATE)
			continue;
		end = evlog_delegation_end(conversation_log(c), id);
		if (end < 0)
			return id;
		id = end;
	}
	return -1;
}

static bool has_system(struct conversation *c)
{
	const struct evlog_head *head =
		evlog_head(conversation_log(c), conversation_agent(c)->start);

	return head && !head->undone && head->type->id == ACTION_SYSTEM;
}

static int restore_one(struct conversation *c, struct event *action, struct error *err)
{
	const struct agent_frame *w = agents_find(c, event_arg(action, "agent"));
	const char *kept;
	char name[256];
	size_t len;
	int r;

	if (!w || agents_full(c))
		return fail(err, MT_ENOTFOUND, "The agent %.80s cannot be resumed.",
			    event_arg(action, "agent"));
	r = agents_push(c, w, action->id, err);
	if (r)
		return r;
	agents_state_key(c, name);
	kept = evlog_state(conversation_log(c), name, &len);
	conversation_agent(c)->state_text = kept ? strndup(kept, len) : NULL;
	if (!has_system(c))
		r = offered_tools_log_system(c, err);
	if (!r && !history_user_since(conversation_log(c), conversation_agent(c)->start))
		r = post_task(c, action, err);
	if (r)
		agents_pop(c);
	return r;
}

static int restore_agents(struct conversation *c,
			  int (*each)(struct conversation *c, int64_t until,
				      struct error *err),
			  struct error *err)
{
	for (;;) {
		int64_t id = open_below(c, conversation_agent(c)->start);
		struct error why = ERROR_NONE;
		AUTO(event) struct event *action =
			id < 0 ? NULL : evlog_event(conversation_log(c), id, err);
		int r = id >= 0 && !action
				? err->code
				: each(c, id < 0 ? evlog_count(conversation_log(c)) : id,
				       err);

		if (r || id < 0)
			return r;
		if (restore_one(c, action, &why)) {
			observation_log_failure(c, action, "", why.text);
			return MT_OK;
		}
	}
}

/* ---- the states of a delegate ---------------------------------------------- */

/* A delegate that waits for a reply that cannot arrive has also ended. One that was
 * stopped by limits of the whole conversation has not: it continues when they are
 * raised. */
static bool ends_delegate(const struct conversation *c, enum agent_state state)
{
	if (state == STATE_ERROR && conversation_error_code(c) == EXIT_LIMIT &&
	    limits_stopped_all(c))
		return false;
	return state == STATE_FINISHED || state == STATE_REJECTED ||
	       state == STATE_ERROR ||
	       (state == STATE_AWAITING_USER_INPUT && conversation_is_headless(c));
}

static bool delegation_take_state(struct conversation *c, enum agent_state state,
				  const char *reason)
{
	if (!conversation_agent(c)->above || !ends_delegate(c, state))
		return false;
	delegation_end(c, state, reason);
	return true;
}

/* ---- what is offered --------------------------------------------------------- */

/* The schema of the argument that names an agent, for each tool that has one. */
static const struct {
	const char *tool, *argument;
} delegating[] = {
	{ "delegate", "properties.agent" },
	{ "delegate_tasks", "properties.tasks.items.properties.agent" },
};

static bool needs_agents(const struct agent_frame *agent)
{
	for (size_t i = 0; i < ARRAY_LEN(delegating); i++)
		if (catalog_find(&agent->catalog, delegating[i].tool))
			return true;
	return false;
}

static const char *agent_argument(const struct tool *t)
{
	for (size_t i = 0; i < ARRAY_LEN(delegating) && t->hints & MT_TOOL_CONTROL; i++)
		if (strcmp(t->name, delegating[i].tool) == 0)
			return delegating[i].argument;
	return NULL;
}

/* The agents that can be named, with one line about each. */
static json_object *list_agents(const struct conversation *c, bool forks,
				struct strbuf *lines)
{
	const char *list = delegates_of(c), *item;
	json_object *names = js_new_list();
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		const struct agent_frame *w = name ? agents_find(c, name) : NULL;
		const char *about =
			w ? config_get(conversation_config(c), w->section, "description")
			  : NULL;

		if (!w || !delegation_allowed(c, name) ||
		    (!forks && delegation_forks(c, name)))
			continue;
		js_add_new(names, json_object_new_string(name));
		strbuf_addf(lines, "\n%s: %s", name,
			    about && *about ? about : w->plugin.component->summary);
	}
	return names;
}

/* The tool `delegate` is not offered without agents. */
static bool delegation_hides_tool(const struct conversation *c, const struct tool *t)
{
	AUTO(strbuf) struct strbuf lines = STRBUF(1 << 16);
	AUTO(json) json_object *names = NULL;

	if (!(t->hints & MT_TOOL_CONTROL) || strcmp(t->name, "delegate") != 0)
		return false;
	names = list_agents(c, false, &lines);
	return js_length(names) == 0;
}

/* Name the agents that exist. */
static void delegation_describe_tool(const struct conversation *c, const struct tool *t,
				     json_object *offer)
{
	AUTO(strbuf) struct strbuf about = STRBUF(1 << 16);
	AUTO(json) json_object *schema = NULL, *names = NULL;
	const char *path = agent_argument(t);
	json_object *argument;

	if (!path)
		return;
	if (json_object_deep_copy(t->schema_json, &schema, NULL)) {
		js_fail(offer);
		return;
	}
	argument = js_path(schema, path);
	strbuf_add(&about, js_str(argument, "description", ""));
	names = list_agents(c, strcmp(t->name, "delegate") != 0, &about);
	if (js_length(names) == 0 || !argument)
		return;
	js_set_str(argument, "description", about.text);
	js_set(argument, "enum", STEAL(names));
	js_set(js_get(offer, "function"), "parameters", STEAL(schema));
}

static const struct action_handler actions[] = {
	{ ACTION_DELEGATE, .handle = delegation_begin },
	{ 0 },
};

const struct feature delegation_feature = {
	.name = "delegation",
	.actions = actions,
	.agents_option = "delegates",
	.needs_agents = needs_agents,
	.hides_tool = delegation_hides_tool,
	.describe_tool = delegation_describe_tool,
	.take_state = delegation_take_state,
	.work_dropped = drop_delegates,
	.rewound = rewound,
	.restore_agents = restore_agents,
};
