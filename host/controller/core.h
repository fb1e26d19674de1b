/* SPDX-License-Identifier: MIT
 *
 * core.h - the state of a conversation and what its core offers to the other
 * files of the controller. */
#ifndef HOST_CONTROLLER_CORE_H
#define HOST_CONTROLLER_CORE_H

#include "controller/confirm.h"
#include "controller/conversation.h"
#include "controller/launch.h"
#include "controller/limits.h"
#include "controller/loop-detector.h"
#include "digest.h"
#include "tools/catalog.h"
#include "tools/runner-connection.h"

struct turn;

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

	enum agent_state state;
	char reason[512];
	const char *status;        /* of the next error, as clients know it; NULL */
	int exit_code;             /* of the error state */
	struct budget budget;      /* account of the whole conversation */
	int64_t turn_tokens;       /* of the newest reply */

	int64_t inherited_replies; /* replies that another conversation paid for */

	int (*assess)(struct conversation *c, struct event *action, struct verdict *ret);
	bool stepping, step_requested, closing;
	struct turn *turn;         /* what is pending */
	void **feature_states;     /* of each feature, in the order of their table */
	int64_t unmasked_action;   /* action whose arguments the log masks */
	json_object *unmasked_args; /* its arguments, as executed; NULL: none */
	char *shell_dir;           /* last known directory of the shell; or NULL */
	struct llm_exchange *exchange;
	struct mt_ctx *request_ctx; /* the work whose request is in progress */
	int64_t request_event_count; /* events in the log when the request was made */

	struct parallel_calls *parallel; /* calls sent before their turn; NULL: none were */
	struct runner *link;
	unsigned runner_failures;  /* consecutive, without a hello between */
	struct watch watchers[WATCHERS_MAX];

	uv_prepare_t handle;       /* its closing ends the conversation; see runner_soon */
	unsigned loop_turns;       /* since a runner was wanted */
	void (*closed)(void *arg);
	void *closed_arg;
};

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
/** The agent comes to rest of its own accord, unless a feature has more for it to do.
 *  `reason` is text that stays. */
void conversation_rest(struct conversation *c, enum agent_state state,
		       const char *reason);
/** The two halves of conversation_set_state, for what has to be logged between them: the event, and
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

#endif
