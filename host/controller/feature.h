/* SPDX-License-Identifier: MIT
 *
 * feature.h - the points at which the core of the controller calls its features.
 *
 * A feature is a struct feature in its own file and a row of the table in
 * host/features/features-table.c; the features are called in the order of the rows. A
 * member that is NULL is skipped. The state of a feature is private to it. */
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
struct llm_reply;
struct llm_usage;
struct mt_ctx;
struct plugin_component;
struct runner_result;
struct tool;

/** Handlers of an action without a tool. */
struct action_handler {
	enum event_type_id type;
	/** Handles the action after it is logged. */
	void (*handle)(struct conversation *c, struct event *action);
	/** Handles an action sent by a user; it is not logged. NULL: users cannot send
	 *  it. */
	int (*by_user)(struct conversation *c, const struct event *action,
		       struct error *err);
};

/** Plugins that an agent lists in its section for a feature. The core loads and frees
 *  them, and saves their settings with the conversation. */
struct agent_parts {
	const char *key;         /* key in the section: their names, in order */
	int kind;                /* MT_KIND_... */
	/** Are the options of this plugin valid? */
	int (*check)(struct conversation *c, struct plugin_component *part,
		     struct error *err);
};

typedef int restore_agent_fn(struct conversation *c, int64_t until, struct error *err);

struct feature {
	const char *name;
	/** Size of the feature's state in a conversation, initially zeroed; 0: none. It
	 *  is freed after `release`: allocate libuv handles separately, because they
	 *  close later. */
	size_t state_size;
	/** Size of its state in each agent. */
	size_t agent_state_size;
	/** Actions that this feature handles; the last entry has no functions. NULL:
	 *  none. */
	const struct action_handler *actions;
	/** Option in an agent's section that lists more agents to load; only one feature
	 *  has it. NULL: none. */
	const char *agents_option;
	/** Does this agent need the agents of that option? */
	bool (*needs_agents)(const struct agent_frame *agent);
	/** Section of the configuration that is saved with the conversation. NULL: none. */
	const char *section;
	/** Names of state records that a fork does not inherit, because they count usage;
	 *  the last is NULL. NULL: none. */
	const char *const *usage_states;
	/** Plugins of each agent; only one feature has them. NULL: none. */
	const struct agent_parts *agent_parts;
	/** The conversation is being opened: its configuration is available, its log is
	 *  not open yet. */
	int (*open)(struct conversation *c, struct error *err);
	/** An agent becomes active: the first one, or a delegate. Its parts are
	 *  resolved. */
	int (*open_agent)(struct conversation *c, struct agent_frame *agent,
			  struct error *err);
	/** A new conversation has its first event. */
	int (*created)(struct conversation *c, const struct conversation_options *o,
		       struct error *err);
	/** The conversation is resumed: read the state from the log. */
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
	/** A user message will be logged. */
	void (*adding_message)(struct conversation *c);
	/** A user message has been logged; `first`: the first of the current agent. */
	void (*after_message)(struct conversation *c, bool first);
	/** The conversation is about to continue. *ret_held true: the feature continues
	 *  it later. */
	int (*before_continue)(struct conversation *c, bool *ret_held,
			       struct error *err);
	/** The events after `to` are about to be reverted, with what they changed outside
	 *  of the log. */
	void (*before_rewind)(struct conversation *c, int64_t to);
	/** Events of the log were reverted. */
	void (*rewound)(struct conversation *c);
	/** The agent is about to enter this state. @return true: the feature has ended
	 *  the agent instead, and activated the one that waits for it. */
	bool (*take_state)(struct conversation *c, enum agent_state state,
			   const char *reason);
	/** The work of the agents is dropped, because the user stops or ends the
	 *  conversation. */
	void (*work_dropped)(struct conversation *c);
	/** The state becomes `next`. */
	void (*before_state)(struct conversation *c, enum agent_state next);
	/** The conversation will enter this state: log the events that must precede
	 *  it. */
	int (*prepare_state)(struct conversation *c, enum agent_state state,
			     struct error *err);
	/** The agent is about to become idle in this state. @return true: the feature
	 *  does that later, or has more work for the agent. `reason` is a static
	 *  string. */
	bool (*before_rest)(struct conversation *c, enum agent_state state,
			    const char *reason);
	/** The conversation is about to be closed. @return true: the feature calls
	 *  conversation_close_begin later. */
	bool (*before_close)(struct conversation *c);
	/** The agent is about to work: to make a planned call, or to start a step. */
	void (*before_work)(struct conversation *c);
	/** Waiting messages can be logged now. @return true: some were logged. */
	bool (*deliver)(struct conversation *c);
	/** A step is about to start. @return true: the feature did something else
	 *  instead. */
	bool (*before_step)(struct conversation *c);
	/** @return a tool that agents of this section need and that is not in `list`;
	 *  NULL: none. */
	const char *(*extra_tool)(const struct conversation *c, const char *section,
				  const char *list);
	/** @return true: the tool is not offered to the model. */
	bool (*hides_tool)(const struct conversation *c, const struct tool *tool);
	/** The tool is offered as {type, function, brief}, which the feature can
	 *  change. */
	void (*describe_tool)(const struct conversation *c, const struct tool *tool,
			      json_object *offer);
	/** Does the next request offer different tools than the previous one? */
	bool (*offer_changed)(struct conversation *c);
	/** @return the text of an observation for the model, owned; NULL: not handled by
	 *  this feature, or failed. */
	char *(*observation_text)(struct conversation *c, const struct event *e);
	/** @return the path of a file with the complete result, owned; NULL: none. */
	char *(*full_result)(struct conversation *c, int64_t event);
	/** A step starts. */
	void (*on_step)(struct conversation *c);
	/** The view of a step is built, and can be changed. *ret_held true: the feature
	 *  continues the step with step_advance_prepared, or has logged an event that
	 *  starts it again. */
	int (*after_view)(struct mt_ctx *x, bool *ret_held, struct error *err);
	/** The agent is about to process its view and query its model. @return true: the
	 *  feature did something else instead. */
	bool (*before_request)(struct conversation *c);
	/** A request of the agent was sent. */
	void (*request_sent)(struct conversation *c);
	/** A request of the agent failed. @return true: the feature has logged an event
	 *  that starts the next step. */
	bool (*request_failed)(struct conversation *c, const struct llm_error *error);
	/** The step has used its time slice: continue it in the next iteration of the
	 *  loop. Takes `x`. With a request, continue with step_send; with a view, with
	 *  step_advance_prepared, unless events were logged since; otherwise with
	 *  step_prepared. */
	int (*suspend_step)(struct conversation *c, struct mt_ctx *x, struct error *err);
	/** A reply to the agent will be logged; the feature can extend `record`. @return
	 *  MT_OK or MT_ENOMEM. */
	int (*before_reply)(struct conversation *c, json_object *record);
	/** A model has replied: to the agent, or to another plugin or a tool. */
	void (*on_usage)(struct conversation *c, const struct llm_usage *usage,
			 bool of_agent);
	/** An action of the agent will be logged; the feature can extend it. */
	void (*before_action)(struct conversation *c, struct event *action);
	/** @return the number of calls that may still be made; INT64_MAX: no limit. */
	int64_t (*calls_left)(const struct conversation *c);
	/** @return why the next step has to wait, or NULL. */
	const char *(*blocks_step)(struct conversation *c);
	/** Is a call, a request or other work that a step waits for in progress? */
	bool (*is_busy)(const struct conversation *c);
	/** Must some work of the feature end before the conversation can be closed? The
	 *  feature then calls conversation_close_finish when it ends. */
	bool (*keeps_open)(const struct conversation *c);
	/** Must calls run one at a time, in order? */
	bool (*needs_order)(const struct conversation *c);
	/** The agent is about to make a call: its action is logged next, or already is.
	 *  @return true: the feature has taken the call. It logs the action, if it is not
	 *  logged, and makes the call later, or answers it. */
	bool (*gate)(struct conversation *c, struct call *call);
	/** The agent acted: it made a call or another action, even one that failed. */
	void (*acted)(struct conversation *c);
	/** The agent replied without a call and would wait for the user. @return an error
	 *  for the model to log instead, borrowed from the reply; NULL: none. */
	const char *(*correct_reply)(struct conversation *c,
				     const struct llm_reply *reply);
	/** The agent is about to wait for the user. `asks`: it asked a question and is not
	 *  finished; `text` is its message. @return true: the feature has continued or
	 *  ended its work instead. */
	bool (*wait_for_user)(struct conversation *c, bool asks, const char *text);
	/** Could the gate hold or deny this call? If so, it is not sent early. */
	bool (*may_hold)(struct conversation *c, struct call *call);
	/** The user is about to make a call. @return MT_EDENIED with a sentence:
	 *  denied. */
	int (*check_user_call)(struct conversation *c, struct call *call,
			       struct error *err);
	/** The pending call is about to be sent. @return true: the feature has taken it,
	 *  and sends it with dispatch_send or answers it later. */
	bool (*before_call)(struct conversation *c, struct call *call);
	/** The pending call is sent next. @return true: do not send it; the feature has
	 *  answered its action. */
	bool (*before_send)(struct conversation *c, struct call *call);
	/** The pending call was sent. */
	void (*call_sent)(struct conversation *c);
	/** A call of the reply is next. @return the call, owned, if it was sent early;
	 *  NULL: make it now. */
	struct call *(*early_call)(struct conversation *c, size_t index);
	/** The rest of an agent's plan is dropped. */
	void (*plan_dropped)(struct conversation *c);
	/** Does the feature hold calls, which point into tool catalogs? */
	bool (*holds_calls)(const struct conversation *c);
	/** Execute a call without a runner. *ret_done true: the feature handled it.
	 *  @return a status with a sentence for the model. */
	int (*run_control)(struct conversation *c, const struct call *call,
			   bool *ret_done, struct error *err);
	/** The observation of a call was created from its result; the feature can extend
	 *  it. */
	void (*after_result)(struct conversation *c, const struct event *action,
			     const struct runner_result *result,
			     struct event *observation);
	/** The observation of a call is ready. @return true: the feature has taken it,
	 *  and logs it later. `observation` NULL: it could not be created. */
	bool (*after_call)(struct conversation *c, const struct call *call,
			   struct event *observation);
	/** A tool in the runner sent a request. @return false: not handled by this
	 *  feature. */
	bool (*request)(struct conversation *c, uint64_t call, uint64_t request,
			const char *method, json_object *params);
	/** A call has its result. @return true: this feature made the call. */
	bool (*take_result)(struct conversation *c, const struct runner_result *result);
	/** A call has its result. */
	void (*call_ended)(struct conversation *c, const struct runner_result *result);
	/** An observation will be logged; NULL: it could not be created. `call` NULL: the
	 *  action is not a tool call. */
	void (*before_observation)(struct conversation *c, struct event *action,
				   const struct call *call, struct event *observation);
	/** The observation was logged. */
	void (*after_observation)(struct conversation *c, struct event *action);
	/** A toolset has listed its tools. */
	void (*tools_listed)(struct conversation *c);
	/** The runner is gone: conversation_runner returns NULL. */
	void (*runner_closed)(struct conversation *c);
	/** @return the exit code of an error state with this reason, if the feature set
	 *  it in an earlier process; otherwise 0. */
	int (*exit_code_of)(const char *reason);
	/** Restore the agents of an earlier process, the first one first. Calls `each`
	 *  for each agent, with the last event up to which it worked. */
	int (*restore_agents)(struct conversation *c, restore_agent_fn *each,
			      struct error *err);
	/** An agent of an earlier process is active again. */
	void (*restore_agent)(struct conversation *c);
	/** The conversation is resumed: add the usage of the feature to `sum` and to the
	 *  usage of conversation_models. */
	void (*restore_usage)(struct conversation *c, struct llm_metrics *sum);
	/** The conversation is resumed and has its state. `sum` is its usage so far,
	 *  `worked` the working time in seconds from the newest reply. */
	void (*restore)(struct conversation *c, const struct llm_metrics *sum,
			double worked);
	/** The user interrupts the pending call of the agent: stop its work. */
	void (*interrupt)(struct conversation *c);
	/** Cancel work in progress, without an effect. */
	void (*cancel)(struct conversation *c);
	/** Free what the feature holds. */
	void (*release)(struct conversation *c);
};

/** The state of a feature in a conversation; only for the feature itself. */
void *feature_state(const struct conversation *c, const struct feature *f);
/** The state of a feature in an agent. */
void *feature_agent_state(const struct agent_frame *agent, const struct feature *f);

#endif
