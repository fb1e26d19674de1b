/* SPDX-License-Identifier: MIT
 *
 * internal.h - what the files of the controller share; nobody else includes it. */
#ifndef HOST_CONTROLLER_INTERNAL_H
#define HOST_CONTROLLER_INTERNAL_H

#include "context/history.h"
#include "context/request-messages.h"
#include "controller/analyzers.h"
#include "controller/confirm.h"
#include "controller/conversation.h"
#include "controller/hook-runner.h"
#include "controller/feature.h"
#include "controller/launch.h"
#include "controller/limits.h"
#include "controller/step-policy.h"
#include "controller/context-recall.h"
#include "controller/loop-detector.h"
#include "controller/turn.h"
#include "digest.h"
#include "llm/models/router.h"
#include "tools/calls.h"
#include "tools/catalog.h"
#include "tools/runner-connection.h"

#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <mortise/condenser.h>
#include <mortise/runtime.h>
#include <mortise/tool.h>

enum { CONDENSERS_MAX = 16, WATCHERS_MAX = 32, FRAMES_MAX = 16, DELEGATES_MAX = 32 };

struct watch {
	const struct watcher *watcher;
	void *arg;
};

/** One agent of a conversation: the one that talks to the user, or one that another
 *  delegated work to by the action `delegate`. */
struct agent_frame {
	char *section;             /* its configuration: "controller", "controller.NAME" */
	int64_t start, delegation; /* the first event that it knows; the action that
				    * started it, -1: the first agent */
	struct history *history;
	struct request_messages *memory;
	struct catalog catalog;
	struct llm_router *router;
	struct llm *llm;           /* the model, where no rule chooses another */
	struct plugin_component plugin, condensers[CONDENSERS_MAX];
	size_t condenser_count;
	struct confirm_policy confirm;
	struct stuck_options stuck;
	bool stuck_detection, stuck_nudge;
	struct budget *budget;     /* account charged for this agent */
	unsigned text_only;        /* consecutive replies without a call */
	bool condense;             /* a condensation was requested and is not done */
	char refused[512];         /* why the condensation was requested */
	struct plan *plan;         /* actions planned from a reply; NULL: none */
	char *state_text;          /* state that the plugin stores */
};

struct conversation {
	struct agent_frame *agent; /* the agent that works now */
	struct agent_frame *parents[FRAMES_MAX]; /* those that wait for it, oldest first */
	unsigned parent_count;
	struct agent_frame *delegates; /* agents that work may be delegated to; no state */
	size_t delegate_count;

	uv_loop_t *loop;
	struct config *config;
	struct registry *registry;
	char *id, *parent, *dir, *workspace, *title;
	int depth;                 /* number of its ancestors */
	bool headless, answers, interactive;

	struct mask *mask;
	struct mask_stream reply_masks[2], output_mask; /* text, reasoning; live output */
	struct evlog *log;
	struct skills *skills;     /* read when they are first needed */
	struct llm_models *models;
	struct plugin_component runtime;
	struct analyzers *analyzers;
	struct hook_runner *hook_runner; /* NULL: no hooks */

	enum agent_state state;
	char reason[512];
	const char *status;        /* of the next error, as clients know it; NULL */
	int exit_code;             /* of the error state */
	struct budget budget;      /* account of the whole conversation */
	uint64_t work_since;       /* when the working time was last updated */
	uv_timer_t *deadline_timer; /* expires with the time limit; NULL: none */
	int64_t turn_tokens;       /* of the newest reply */
	bool working, unpriced;    /* unpriced: a reply without a price was reported */

	struct condense_preview *condense_preview; /* only the condensers run; or NULL */
	struct replay *replay;     /* source of the actions; borrowed, or NULL */
	int64_t inherited_replies; /* replies that another conversation paid for */

	int (*assess)(struct conversation *c, struct event *action, struct verdict *ret);
	enum risk risk;            /* of the pending action, and why */
	char risk_reason[256];
	char hash[SHA256_HEX];     /* of the pending action: what the user approves */
	json_object *offered_scopes; /* that "always allow" may grant; or NULL */
	size_t proposed_scope;     /* index of the proposed one */
	struct event *edited_action; /* the pending action as the user edited it; or NULL */
	char refusal[4096];        /* why it is rejected */
	json_object *approvals;    /* scopes that run without approval; or NULL */
	bool approvals_announced;  /* watchers were notified of those of the project */

	bool stepping, step_requested, closing;
	struct turn *turn;         /* what is pending */
	int64_t unmasked_action;   /* action whose arguments the log masks */
	json_object *unmasked_args; /* its arguments, as executed; NULL: none */
	char *shell_dir;           /* last known directory of the shell; or NULL */
	struct llm_exchange *exchange;
	struct mt_ctx *request_ctx; /* the work whose request is in progress */
	int64_t request_event_count; /* events in the log when the request was made */

	json_object *requested_tools; /* that the model asked for, by name; or NULL */
	bool tools_dirty;          /* the next request offers other tools */
	bool tool_list_awaited;    /* the next step waits for a list, see relist.c */
	uint64_t tool_list_deadline; /* ms of the loop; 0: no wait */
	struct slices *slices;     /* a step that waits for its history; NULL: none did */
	uv_timer_t *tool_list_timer; /* expires at the deadline; NULL: never needed yet */
	struct question *questions; /* of tools to the user */
	int64_t question_ids;
	struct parallel_calls *parallel; /* calls sent before their turn; NULL: none were */
	struct completion *completion; /* that the pending call asks for; NULL: none */
	unsigned completions;      /* that it has asked for */
	struct subagents *subagents; /* of the pending action, or ending; NULL: none */
	int64_t subagents_started; /* in total */
	json_object *subagents_unsettled; /* those whose usage is not in ours yet */
	struct llm_usage_totals *subagents_usage;
	struct runner *link;
	unsigned runner_failures;  /* consecutive, without a hello between */
	struct watch watchers[WATCHERS_MAX];

	uv_prepare_t handle;       /* its closing ends the conversation; see runner_soon */
	unsigned loop_turns;       /* since a runner was wanted */
	void (*closed)(void *arg);
	void *closed_arg;
};

/* ---- conversation.c ---- */
struct conversation *conversation_allocate(uv_loop_t *loop,
					   const struct conversation_options *o);
/** Wire it and open its log. */
int conversation_open(struct conversation *c, const struct conversation_options *o,
		      enum evlog_open mode, char **ret_report, struct error *err);
/** Undo a half-made conversation. @return `r`. With `keep_config` the caller
 *  still owns configuration and registry. */
int conversation_undo(struct conversation *c, bool keep_config, int r);
/** A message that its hooks have passed. */
int conversation_add_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, struct error *err);
/** Close it, now that the session has ended. */
void conversation_close_begin(struct conversation *c);
/** The runner is gone: what is left of closing. */
void conversation_close_finish(struct conversation *c);
/** Append an event; everybody is told. Takes the reference, NULL included
 *  (then `err` says why). A log that cannot be written ends the conversation
 *  in error. @return its id or a status. */
int64_t conversation_log_event(struct conversation *c, struct event *e,
			       struct error *err);
/** evlog_barrier; if it fails, the conversation is in error. */
int conversation_barrier(struct conversation *c, struct error *err);
void conversation_notice(struct conversation *c, int level, const char *fmt, ...)
	MT_PRINTF(3, 4);
/** Go to a state, with its side effects and its event; durable where it rests. */
void conversation_set_state(struct conversation *c, enum agent_state state,
			    const char *reason);
/** The two halves of it, for what has to be logged between them: the event, and
 *  those who watch. */
void conversation_enter_state(struct conversation *c, enum agent_state state,
			      const char *reason);
void conversation_notify_state(struct conversation *c);
/** What is under way ends without effect. */
void conversation_cancel_work(struct conversation *c);
/** State error with this sentence and exit code. */
void conversation_set_error(struct conversation *c, int exit_code, const char *fmt, ...)
	MT_PRINTF(3, 4);

/** The text with its secrets hidden, in `ret`. @return ret->text. */
const char *conversation_mask_text(const struct conversation *c, const char *text,
				   struct strbuf *ret);
/** A piece of a stream with its secrets hidden, as far as it can be told; len 0
 *  and `last`: what was held back. The caller clears `out`. */
void mask_stream_chunk(struct mask_stream *s, struct strbuf *out, const char *text,
		       size_t len, bool last);

#define NOTIFY_WATCHERS(c, member, ...)                                                   \
	for (size_t w_ = 0; w_ < WATCHERS_MAX; w_++)                           \
		if ((c)->watchers[w_].watcher                                  \
		    && (c)->watchers[w_].watcher->member)                      \
			(c)->watchers[w_].watcher->member(                     \
				(c)->watchers[w_].arg, __VA_ARGS__)

/* ---- wiring.c ---- */
/** Resolve everything that the configuration names. */
int wiring_open(struct conversation *c, const struct conversation_options *o,
		struct error *err);
int wiring_open_memory(struct conversation *c, struct error *err);
/* The agent that works has a `system` event: an imported log, or one that was rewound
 * to before it, gets one at its end. */
int wiring_ensure_system(struct conversation *c, struct error *err);
void wiring_close(struct conversation *c); /* may be called twice */
/** The specification of the agent for meta.json: its names, and every setting
 *  that makes it what it is. */
json_object *wiring_spec(const struct conversation *c, const char *controller);

/** Load what one agent needs; `model` overrides that of its section, or NULL. */
int wiring_open_agent(struct conversation *c, const char *model, struct error *err);
void wiring_close_agent(struct agent_frame *l);

/* ---- tool-search.c ---- */
/** Is a tool not offered, as the model knows its name only? */
bool tool_search_defers(const struct conversation *c, const struct tool *t);
/** Put those names into the description of the tool that finds them. @return
 *  false: it is another tool. */
bool tool_search_describe(const struct conversation *c, const struct tool *t,
			  json_object *function);
/** The model asks for some. */
void tool_search_answer(struct conversation *c, uint64_t request, json_object *params);
/** Read in the log which were asked for. */
void tool_search_resume(struct conversation *c);

/* ---- relist.c ---- */
/** Does the next request wait for a list of tools that has changed? */
bool relist_holds(struct conversation *c);
/** A list has come, or the runner is gone. */
void relist_arrived(struct conversation *c);
void relist_close(struct conversation *c);

/* ---- questions.c ---- */
/** A tool asks something: is it for the user, and can one be asked? */
bool questions_request(struct conversation *c, uint64_t call, uint64_t request,
		       const char *method, json_object *params);
/** The call is over, and what it asked; with `all` every call is. */
void questions_close(struct conversation *c, uint64_t call, bool all);

/* ---- delegate.c ---- */
/** Load the agents that may be given work, and those that they may give it to. */
int delegates_configure(struct conversation *c, struct error *err);
/** May the agent that works now give work to this one? */
bool delegate_allowed(const struct conversation *c, const char *name);
/** An agent is given work: it works from now on. What goes wrong is told. */
void delegate_begin(struct conversation *c, struct event *action);
/** The delegate that works now has ended like this; the one above goes on. */
void delegate_end(struct conversation *c, enum agent_state state, const char *reason);
/** All delegates end without effect. With `tell` their actions are answered. */
void delegates_drop(struct conversation *c, bool tell);
/** Events were undone: delegates that they began are gone. */
void delegates_rewound(struct conversation *c);
/** After a restart: those that worked work again. `each` is called before each. */
int delegates_restore(struct conversation *c,
		      int (*each)(struct conversation *c, int64_t until,
				  struct error *err),
		      struct error *err);
/** All catalogs of tools that may be called; freed by the caller. */
const struct catalog **delegates_catalogs(const struct conversation *c,
					  size_t *ret_count);
/** Under which name the state of the agent is kept in the log; 256 bytes. */
void delegates_state_key(const struct conversation *c, char *ret);

/* ---- step.c ---- */
/** Do what can be done now: steps until something has to be waited for. */
void step_run_ready(struct conversation *c);
/** Let the agent work on a view that is ready. */
int step_advance_agent(struct conversation *c, struct mt_ctx *x, struct error *err);
/** The same once the events of the view are read, if need be in later turns of the
 *  loop: then `x` is taken. */
int step_advance_prepared(struct conversation *c, struct mt_ctx *x, struct error *err);
/** Take the step that was paid for, if need be in later turns of the loop. */
void step_prepared(struct conversation *c);

/* ---- slices.c ---- */
/** When work that begins now should return to the loop, as uv_hrtime. */
uint64_t slice_end(void);
/** Go on with a step in the next turn of the loop. Takes `x`: with a view by
 *  think_prepared, unless events have come since; otherwise by step_prepared. */
int slices_wait(struct conversation *c, struct mt_ctx *x, struct error *err);
bool slices_busy(const struct conversation *c);
/** The step that waits is not taken. */
void slices_drop(struct conversation *c);
void slices_close(struct conversation *c);
/** An action that may happen is in the log: what follows from it. */
void action_handle(struct conversation *c, struct event *e);
/** The same after a restart: the gate has to be passed once more, or the answer
 *  of a person is carried out. */
void action_resume(struct conversation *c, struct event *e);
/** Log an action and do what follows from it. Takes the reference. */
void action_log(struct conversation *c, struct event *e);
/** Post the first event: the system text and the tools. */
int offered_tools_log_system(struct conversation *c, struct error *err);
/** An error that the model reads; `meta_of` (may be NULL): the action or reply
 *  call that it answers. */
void turn_log_error(struct conversation *c, const char *call_id, const char *function,
		    const char *text);

/** Wait for the user, or, if there is none, continue or finish. `asks`: the agent asked
 *  a question and has not come to an end; `text` is what it said. */
void action_wait_for_user(struct conversation *c, bool asks, const char *text);
/** What toolsets have listed since is offered from the next request on. */
void offered_tools_update(struct conversation *c);

/* ---- replay.c ---- */
/** Take what the recording has next. @return true if there is no step now. */
bool replay_step(struct conversation *c);

/* ---- loop-recovery.c ---- */
/** The reason of an error state begins with it. */
#define STUCK_ERROR "AgentStuckInLoopError: Agent got stuck in a loop"
void stuck_configure(struct conversation *c, const char *section);
/** If the agent goes in circles, tell the model, a person, or end.
 *  @return true if there is no step now. */
bool stuck_handle(struct conversation *c);
/* ---- budget.c ---- */
/** Reads the limits of a section [controller...]. What it inherits from `above` (NULL:
 *  nothing) is a limit of the whole, which its parents hold already. */
void budget_configure(struct budget *a, const struct config *config, const char *section,
		      const char *above);
/** Count the time of work up to now; called before and after a state changes. */
void budget_update_clock(struct conversation *c);
/** Whatever is under way ends when the time of work is over, if that is limited.
 *  To be called when the agent begins to work, and when a limit was raised. */
void budget_start_timer(struct conversation *c);
void budget_stop_timer(struct conversation *c);
void budget_charge_reply(struct conversation *c, const struct llm_usage *usage);
/** LIMITS_...: is one reached? Then the sentence is in `text`. */
bool budget_reached(struct conversation *c, unsigned which, char *text, size_t room);
/** Stop because of it: the model reads why, the state is error. */
void budget_stop(struct conversation *c, const char *text);
/** Keep the account in the log, and take it from there. `worked`: seconds. */
void budget_log(struct conversation *c);
void budget_restore(struct conversation *c, const struct llm_metrics *m, double worked);

/* ---- parallel-calls.c ---- */
/** A call of this tool is pending: those behind it in the reply leave too, as long
 *  as they only read and may run beside each other. */
void parallel_start(struct conversation *c, const struct tool *pending);
/** Has this call left early? Then it is that of the action from now on.
 *  `ret_result`: it is over; NULL: its result is to come. */
bool parallel_claim(struct conversation *c, const struct tool *tool, const char *args,
		    int64_t action, const struct runner_result **ret_result);
/** Keep a result whose turn has not come. @return false: it has. */
bool parallel_buffer_result(struct conversation *c, const struct runner_result *result);
/** Which call of the link an action waits for; for which action a call is, -1: for
 *  none yet. */
uint64_t parallel_call_of(const struct conversation *c, int64_t action);
int64_t parallel_action_of(const struct conversation *c, uint64_t number);
void parallel_finish(struct conversation *c, uint64_t number);
/** What has left early and is not asked for any more ends. */
void parallel_cancel(struct conversation *c);
void parallel_free(struct conversation *c);

/* ---- side-usage.c ---- */
/** What condensers and tools have spent, each logged as the state of this name:
 *  {calls, input, output, ..., cost, model}; owned. */
#define USAGE_CONDENSERS "condensers"
#define USAGE_TOOLS "tools"
json_object *side_usage_of(const struct evlog *log, const char *who);
/** How many of their requests were answered. */
int64_t side_usage_calls(const struct conversation *c, const char *who);
int side_usage_log(struct conversation *c, const char *who, const struct llm_reply *reply,
		   struct error *err);

/* ---- tool-completions.c ---- */
/** A tool asks something of a model. @return false: it asks something else. */
bool tool_completion_request(struct conversation *c, uint64_t call, uint64_t request,
			     const char *method, json_object *params);
/** The call that asked has ended, or will: so does its request. */
void tool_completion_cancel(struct conversation *c);

/* ---- plugin-host.c ---- */
/** An event as a plugin sees it. Most plugins ask only for what the index of the log
 *  knows of it; the event itself is read when they ask for more. */
struct mt_event {
	struct evlog *log; /* NULL: `event` is set from the start */
	int64_t id;
	struct event *event; /* NULL: not read yet */
};

/** A work in progress of a part: handles live as long as it. */
struct mt_ctx {
	struct conversation *c;
	const struct plugin_component *part;
	struct view_item *view;
	size_t view_count, prepared; /* prepared: places at its start that are read */
	struct llm_request *request;
	bool sent;                 /* the request shall be sent */
	bool is_agent;
	struct mt_event **events; /* handles given out, owned */
	size_t event_count, event_room;
	char **texts;              /* owned by the work */
	size_t text_count;
	/* condensers */
	bool condensed;
	size_t stage;              /* the next of them */
	unsigned rounds;           /* how often this one has asked its model */
	unsigned char *cuts;       /* where the view may be cut; NULL: not asked */
	unsigned char *pinned;     /* places that stay; NULL: not asked */
	unsigned char *shown;      /* places that were not dropped; NULL: none was */
	char *kept;                /* its state, which ends with its work */
	/* runtime */
	const struct launch *launch;
	char **argv, **env;
	size_t argc, envc;
	char *workspace;
	/* analyzers */
	struct trial *trial;
	struct error error;
};
void plugin_ctx_clear(struct mt_ctx *x);
const struct mt_host *plugin_host(void);
/** What came of running the condensers over a view. */
enum condensing {
	CONDENSE_DONE,  /* the view is ready for the agent */
	CONDENSE_AGAIN, /* a condensation was logged: begin the step again */
	CONDENSE_ASKS,  /* a condenser asks its model; the step goes on with it */
};
int condense_view(struct mt_ctx *x, enum condensing *ret, struct error *err);
/** An estimate of the tokens of its view; -1: unknown. */
int64_t condense_view_tokens(struct mt_ctx *x);
/** What an agent puts out goes to the queue of the conversation. */
const struct mt_agent_out *plugin_agent_out(void);

/* ---- condense-preview.c ---- */
/** While `trimming`, instead of the agent: the view is ready, or `err` says why not. */
void condense_preview_finish(struct conversation *c, struct mt_ctx *x, struct error *err);
/** A condensation was logged: the condensers begin again. */
void condense_preview_restart(struct conversation *c);

/* ---- model-request.c ---- */
/** Open the models of agent and condensers, and the router. */
int request_open_models(struct conversation *c, const char *section, const char *model,
			struct error *err);
/** The model that a request of this part goes to: the one that its section names,
 *  else what the router chooses, else the model of the conversation. NULL: none. */
struct llm *conversation_llm_for(const struct conversation *c,
				 const struct plugin_component *p,
				 const struct llm_request *request);
/** The model that a request of a tool goes to: `name` of [llm.NAME], else the one that
 *  the section of its instance names, else as above. */
int request_tool_model(struct conversation *c, const char *instance, const char *name,
		       const struct llm_request *request, struct llm **ret,
		       struct error *err);
/** Send the request of a work, which is kept until the exchange is over; also when
 *  this fails `x` holds nothing any more but `sent`. */
int request_send(struct conversation *c, struct mt_ctx *x,
		 const struct llm_events *events, struct error *err);
/** The exchange has ended: its work, which goes on; the caller clears it. */
struct mt_ctx request_finish(struct conversation *c);
/** The exchange has ended: forget it and its work. */
void request_clear(struct conversation *c);
/** End it now. */
void request_cancel(struct conversation *c);
/** What the exchange tells of its attempts, for the log and the user. */
void request_on_retry(struct conversation *c, const struct llm_error *why,
		      int64_t wait_ms);
void request_on_resume(struct conversation *c);
void request_on_fallback(struct conversation *c, const struct llm_error *why,
			 const struct llm *next);

/* ---- setup.c ---- */
/** The conversation begins: run the set-up script of the project, if there is one
 *  that may run, and git for the changes, if that is wanted. The agent waits. */
void setup_begin(struct conversation *c);
/** This action has its observation in the log: what comes after it, if it was one of
 *  these. */
void setup_continue(struct conversation *c, const struct event *action);
/** An action has its observation: say so if it was the script, and failed. */
void setup_report_failure(struct conversation *c, const struct event *action,
			  const struct event *e);

/* ---- dispatch.c ---- */
/** Execute the pending action, when its hooks have passed it. */
void dispatch_action(struct conversation *c, struct event *action);
void dispatch_send(struct conversation *c, struct event *action);
/** Log the observation of an action; it is pending no longer. Takes `e`. */
void dispatch_log_observation(struct conversation *c, struct event *action,
			      struct event *e, struct error *err);
/** The observation of an action that must not run; the model reads why. */
void dispatch_log_denial(struct conversation *c, struct event *action, const char *why);
/** The action as it is executed: its arguments may hold secrets, which the log
 *  masks. @return a reference, or NULL with a sentence for the model: the process
 *  that knew them has ended. */
struct event *dispatch_unmasked_action(const struct conversation *c, struct event *action,
				       struct error *err);
/** The action as the log has it or will have it, its secrets masked. @return a
 *  reference; NULL: out of memory. */
struct event *dispatch_masked_action(const struct conversation *c, struct event *action);
/** When the call of this action is ended by force, in ms. */
int64_t dispatch_deadline(const struct conversation *c, const struct tool *tool,
			  const struct event *action);
/** Start the runner if it is not there, so that it is ready when needed. */
int runner_start(struct conversation *c, struct error *err);
/* ---- spools.c ---- */
/** Remove the oldest files of whole output while there is more than [core] spool_total. */
void spools_trim(struct conversation *c);
/** Start it once the request that was just sent is on its way. */
void runner_soon(struct conversation *c);
/** The observation of an action, which is pending no longer. */
void dispatch_log_answer(struct conversation *c, struct event *action, const char *type,
			 const char *text, struct error *err);
/** The call of an action is not made, or not waited for, because of a limit. */
void dispatch_stop_at_limit(struct conversation *c, struct event *action,
			    const char *text);
/** An observation that says why the pending action has none of its own. */
void dispatch_log_failure(struct conversation *c, struct event *action,
			  const char *error_id, const char *text);

#endif
