/* SPDX-License-Identifier: MIT
 *
 * feature.h - the points at which the core of the controller asks its features.
 *
 * A feature is a struct feature in its own file and a row of the table in
 * host/features/features-table.c; the order of the rows is the order in which the
 * features are asked. A member that is NULL is not asked. Its state is its own: nothing
 * else knows its members. */
#ifndef HOST_CONTROLLER_FEATURE_H
#define HOST_CONTROLLER_FEATURE_H

#include "events/agent-state.h"
#include "events/event.h"
#include "events/types.h"

struct call;
struct conversation;
struct conversation_options;
struct agent_frame;
struct llm_error;
struct llm_metrics;
struct llm_usage;
struct mt_ctx;
struct plugin_component;
struct runner_result;
struct tool;

/** Functions for an action without a tool. */
struct action_handler {
	enum event_type_id type;
	/** Handles it when it is in the log. */
	void (*handle)(struct conversation *c, struct event *action);
	/** Handles it when a user sends it; it is not logged. NULL: users cannot send it.
	 *  */
	int (*by_user)(struct conversation *c, const struct event *action,
		       struct error *err);
};

/** Plugins that an agent lists in its section for a feature. The core loads and frees
 *  them, and saves their settings with the conversation. */
struct agent_parts {
	const char *key;         /* of the section: their names, in order */
	int kind;                /* MT_KIND_... */
	/** Are the options of this one valid? */
	int (*check)(struct conversation *c, struct plugin_component *part,
		     struct error *err);
};

typedef int restore_agent_fn(struct conversation *c, int64_t until, struct error *err);

struct feature {
	const char *name;
	/** Size of its state in a conversation, initially zeroed; 0: none. It is freed
	 *  after `release`: allocate libuv handles, which close later, separately. */
	size_t state_size;
	/** The same of each agent. */
	size_t agent_state_size;
	/** Actions that this feature handles; the last has no functions. NULL: none. */
	const struct action_handler *actions;
	/** Option of an agent's section that lists more agents to load; one feature of
	 *  the table has it. NULL: none. */
	const char *agents_option;
	/** Does this agent need them? */
	bool (*needs_agents)(const struct agent_frame *agent);
	/** Section of the configuration that is saved with the conversation. NULL: none. */
	const char *section;
	/** Names of its state records that a fork does not get, because they count usage;
	 *  the last is NULL. NULL: none. */
	const char *const *usage_states;
	/** Plugins of each agent; one feature of the table has them. NULL: none. */
	const struct agent_parts *agent_parts;
	/** The conversation is being opened: its configuration is available, its log is
	 *  not open yet. */
	int (*open)(struct conversation *c, struct error *err);
	/** An agent becomes active: the first one, or a delegate. Its parts are resolved.
	 *  */
	int (*open_agent)(struct conversation *c, struct agent_frame *agent,
			  struct error *err);
	/** A new conversation has its first event. */
	int (*created)(struct conversation *c, const struct conversation_options *o,
		       struct error *err);
	/** The conversation is resumed: read the state that the log has. */
	int (*resume)(struct conversation *c, struct error *err);
	/** The newest action of the log has not been handled yet. *ret_done true: the
	 *  feature has restored what the action waits for. */
	int (*restore_action)(struct conversation *c, struct event *action,
			      bool *ret_done, struct error *err);
	/** A user message arrives. *ret_held true: the feature holds it and adds it with
	 *  conversation_add_message, or drops it. `queue`: it does not interrupt a call. */
	int (*before_message)(struct conversation *c, const char *text, size_t len,
			      json_object *images, bool queue, bool *ret_held,
			      struct error *err);
	/** A message of the user will be logged. */
	void (*adding_message)(struct conversation *c);
	/** A message of the user is in the log; `first`: of the current agent. */
	void (*after_message)(struct conversation *c, bool first);
	/** The conversation would continue. *ret_held true: the feature continues it
	 *  later. */
	int (*before_continue)(struct conversation *c, bool *ret_held,
			       struct error *err);
	/** Events of the log were undone. */
	void (*rewound)(struct conversation *c);
	/** The agent would enter this state. @return true: the feature has
	 *  changed the agent instead. */
	bool (*take_state)(struct conversation *c, enum agent_state state,
			   const char *reason);
	/** The work of the agents is dropped, because the user stops or ends it. */
	void (*work_dropped)(struct conversation *c);
	/** The state becomes `next`. */
	void (*before_state)(struct conversation *c, enum agent_state next);
	/** The conversation will go to this state: what has to be logged before. */
	int (*prepare_state)(struct conversation *c, enum agent_state state,
			     struct error *err);
	/** The agent would become idle in this state. @return true: the feature does that
	 *  later, or has more work for it. `reason` is a static string. */
	bool (*before_rest)(struct conversation *c, enum agent_state state,
			    const char *reason);
	/** The conversation would be closed. @return true: the feature calls
	 *  conversation_close_begin later. */
	bool (*before_close)(struct conversation *c);
	/** The agent works next: it makes a planned call, or starts a step. */
	void (*before_work)(struct conversation *c);
	/** A message that waits could be logged. @return true: some were. */
	bool (*deliver)(struct conversation *c);
	/** A step would start. @return true: the feature did something else instead. */
	bool (*before_step)(struct conversation *c);
	/** @return a tool that an agent of this section needs that is not in `list`; NULL:
	 *  none. */
	const char *(*extra_tool)(const struct conversation *c, const char *section,
				  const char *list);
	/** @return true: the tool is not offered to the model. */
	bool (*hides_tool)(const struct conversation *c, const struct tool *tool);
	/** The tool is offered as {type, function, brief}, which can be changed. */
	void (*describe_tool)(const struct conversation *c, const struct tool *tool,
			      json_object *offer);
	/** Does the next request offer other tools than the one before? */
	bool (*offer_changed)(struct conversation *c);
	/** @return the text of an observation for the model, owned; NULL: not handled by
	 *  this feature, or failed. */
	char *(*observation_text)(struct conversation *c, const struct event *e);
	/** @return the path of a file with all of a result, owned; NULL: there is none. */
	char *(*full_result)(struct conversation *c, int64_t event);
	/** A step starts. */
	void (*on_step)(struct conversation *c);
	/** The view of a step is made, and can be changed. *ret_held true: the feature
	 *  continues the step with step_advance_prepared, or has logged what starts it
	 *  again. */
	int (*after_view)(struct mt_ctx *x, bool *ret_held, struct error *err);
	/** The agent would process its view and query its model. @return true: the
	 *  feature did something else instead. */
	bool (*before_request)(struct conversation *c);
	/** A request of the agent is on its way. */
	void (*request_sent)(struct conversation *c);
	/** A request of the agent failed. @return true: the feature has logged what starts
	 *  the next step. */
	bool (*request_failed)(struct conversation *c, const struct llm_error *error);
	/** The step has worked for long enough: continue it in the next turn of the loop.
	 *  Takes `x`: with a request by step_send; with a view by step_advance_prepared,
	 *  unless events have come since; otherwise by step_prepared. */
	int (*suspend_step)(struct conversation *c, struct mt_ctx *x, struct error *err);
	/** A reply to the agent will be logged; `record` can be added to. @return MT_OK or
	 *  MT_ENOMEM. */
	int (*before_reply)(struct conversation *c, json_object *record);
	/** A model has replied: to the agent, or to another plugin or a tool. */
	void (*on_usage)(struct conversation *c, const struct llm_usage *usage,
			 bool of_agent);
	/** An action of the agent will be logged; it can be added to. */
	void (*before_action)(struct conversation *c, struct event *action);
	/** @return how many calls may still be made; INT64_MAX: any number. */
	int64_t (*calls_left)(const struct conversation *c);
	/** @return why the next step has to wait, or NULL. */
	const char *(*blocks_step)(struct conversation *c);
	/** Is a call, a request or something that a step waits for in progress? */
	bool (*is_busy)(const struct conversation *c);
	/** Is there something that has to end before the conversation can be closed? The
	 *  feature calls conversation_close_finish then. */
	bool (*keeps_open)(const struct conversation *c);
	/** Must calls run one after the other, in their order? */
	bool (*needs_order)(const struct conversation *c);
	/** A call of the agent would be made: its action is logged next, or is in the log
	 *  already. @return true: the feature has taken the call; it logs the action, if it
	 *  is not logged, and makes the call later, or answers it. */
	bool (*gate)(struct conversation *c, struct call *call);
	/** Could the gate do more than let this call pass? Then it is not sent early. */
	bool (*may_hold)(struct conversation *c, struct call *call);
	/** The user would make a call. @return MT_EDENIED with a sentence: must not. */
	int (*check_user_call)(struct conversation *c, struct call *call,
			       struct error *err);
	/** The pending call is about to be sent. @return true: the feature has taken it,
	 *  and sends it with dispatch_send or answers it later. */
	bool (*before_call)(struct conversation *c, struct call *call);
	/** The pending call is sent next. @return true: it must not be, and the feature has
	 *  answered its action. */
	bool (*before_send)(struct conversation *c, struct call *call);
	/** The pending call was sent. */
	void (*call_sent)(struct conversation *c);
	/** A call of the reply is next. @return it, owned, if it was sent early. NULL: it is
	 *  made now. */
	struct call *(*early_call)(struct conversation *c, size_t index);
	/** What is left of the plan of an agent is dropped. */
	void (*plan_dropped)(struct conversation *c);
	/** Does the feature hold calls, which point into the catalogs of tools? */
	bool (*holds_calls)(const struct conversation *c);
	/** Execute a call without a runner. *ret_done true: the feature handled it.
	 *  @return a status with a sentence for the model. */
	int (*run_control)(struct conversation *c, const struct call *call,
			   bool *ret_done, struct error *err);
	/** The observation was made of the result of a call; it can be added to. */
	void (*after_result)(struct conversation *c, const struct event *action,
			     const struct runner_result *result,
			     struct event *observation);
	/** The observation of a call is ready. @return true: the feature has taken it, and
	 *  logs it later. `observation` NULL: it could not be made. */
	bool (*after_call)(struct conversation *c, const struct call *call,
			   struct event *observation);
	/** A request of a tool in the runner. @return false: not handled by this feature.
	 *  */
	bool (*request)(struct conversation *c, uint64_t call, uint64_t request,
			const char *method, json_object *params);
	/** A call has its result. @return true: it is a call that the feature made. */
	bool (*take_result)(struct conversation *c, const struct runner_result *result);
	/** A call has its result. */
	void (*call_ended)(struct conversation *c, const struct runner_result *result);
	/** An observation will be logged; NULL: it could not be made. `call` NULL: the
	 *  action is not a call of a tool. */
	void (*before_observation)(struct conversation *c, struct event *action,
				   const struct call *call, struct event *observation);
	/** The observation is logged. */
	void (*after_observation)(struct conversation *c, struct event *action);
	/** A toolset has listed its tools. */
	void (*tools_listed)(struct conversation *c);
	/** The runner is gone; c->link is NULL. */
	void (*runner_closed)(struct conversation *c);
	/** @return the exit code of an error state with this reason, if the feature set
	 *  it in an earlier process; otherwise 0. */
	int (*exit_code_of)(const char *reason);
	/** Restore the agents of an earlier process, the first one first: `each` is called
	 *  for each, with the event up to which it worked. */
	int (*restore_agents)(struct conversation *c, restore_agent_fn *each,
			      struct error *err);
	/** An agent of an earlier process is active again. */
	void (*restore_agent)(struct conversation *c);
	/** The conversation is resumed: add the usage of the feature to `sum` and to the
	 *  usage of conversation_models. */
	void (*restore_usage)(struct conversation *c, struct llm_metrics *sum);
	/** The conversation is resumed and has its state. `sum` is what it has spent,
	 *  `worked` the seconds of work that the newest reply names. */
	void (*restore)(struct conversation *c, const struct llm_metrics *sum,
			double worked);
	/** The user interrupts the pending call of the agent: stop its work. */
	void (*interrupt)(struct conversation *c);
	/** End what is in progress, without an effect. */
	void (*cancel)(struct conversation *c);
	/** Free what the feature holds. */
	void (*release)(struct conversation *c);
};

/** The state of a feature in a conversation; only the feature itself asks. */
void *feature_state(const struct conversation *c, const struct feature *f);
/** The same of an agent. */
void *feature_agent_state(const struct agent_frame *agent, const struct feature *f);

#endif
