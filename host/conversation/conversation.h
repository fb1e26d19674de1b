/* SPDX-License-Identifier: MIT
 *
 * conversation.h - opens and closes conversations, and the commands of frontends. */
#ifndef HOST_CONVERSATION_CONVERSATION_H
#define HOST_CONVERSATION_CONVERSATION_H

#include "config/config.h"
#include "controller/conversation.h"
#include "registry/registry.h"

struct conversation_options {
	const char *id;          /* a new conversation: may be NULL to generate one;
				  * otherwise the existing one */
	const char *controller;  /* [controller.NAME]; NULL: [controller] */
	const char *model;       /* overrides `model` of the section; or NULL */
	const char *workspace;   /* absolute; new conversations only */
	const char *title;       /* or NULL */
	const char *parent;      /* id of the parent of a subagent; or NULL */
	const char *group;       /* of the tools of the parent; or NULL */
	int depth;               /* number of ancestors */
	const char *place;       /* its workspace: `shared` with its parent, a `copy` or its
				  * `own`; NULL or "": it has no parent */
	bool headless;           /* no user can answer */
	bool answers;            /* a reply without a call is the answer: text_only = auto */
	bool interactive;           /* a user can approve actions */
	bool same_system;        /* resume: keep the system text and tools, regardless
				  * of the settings */
	const char *overlay;     /* directory of the overlay that the parent of a subagent
				  * passes; or NULL */
	json_object *approvals;  /* initial scopes; or NULL; borrowed */
};

/** Create a conversation: all names in its configuration are resolved before the first
 *  event, which is `system`. */
int conversation_create(uv_loop_t *loop, struct config *c, struct registry *r,
			const struct conversation_options *o, struct conversation **ret,
			struct error *err);
/** Resume a conversation that was closed or whose process died. The specification of its
 *  agent is read from its meta.json; `overrides` from the command line are applied to it.
 *  Takes the owner's lock. `ret_report` (may be NULL): a sentence about repairs; owned.
 *  */
int conversation_resume(uv_loop_t *loop, const struct config_input *in,
			const struct conversation_options *o, struct conversation **ret,
			char **ret_report, struct error *err);
/* ---- commands -- each is logged, and durable when it returns ----------- */

/** A user message. Calls of the agent that were not sent yet are refused, and a running
 *  one is interrupted, or finishes with `queue`; the message follows their results. A
 *  reply in progress is completed first. Refused while the conversation is being closed.
 *  `images` (may be NULL, borrowed): a list of data: and https: URLs; an image that
 *  cannot be sent to a model causes the message to be refused. */
int conversation_say(struct conversation *c, const char *text, size_t len,
		     json_object *images, bool queue, struct error *err);
static inline int conversation_message(struct conversation *c, const char *text,
				       size_t len, struct error *err)
{
	return conversation_say(c, text, len, NULL, false, err);
}
/** A message of the program, not of the user, to an agent that finished: it continues. */
int conversation_correct(struct conversation *c, const char *text, size_t len,
			 struct error *err);
/** Interrupt the running call for messages that wait for it. */
int conversation_interrupt(struct conversation *c, struct error *err);
/** Drop the newest message that was accepted and is not logged yet. */
int conversation_withdraw(struct conversation *c, struct error *err);
/** Ask the model of the agent about the conversation. Neither the question nor the answer
 *  is logged; the answer is published as `topic_side_answer`. */
int conversation_ask_aside(struct conversation *c, const char *text, size_t len,
			   struct error *err);
/** What `topic_side_answer` publishes. `failed`: `text` is the reason why there is no
 *  answer. */
struct side_answer {
	const char *question, *text;
	bool failed;
};
extern const char topic_side_answer[];
/** Continue after a pause, an error, or a resume from disk. */
int conversation_continue(struct conversation *c, struct error *err);
/** Interrupt: cancel the running call or request; state paused, for this reason. */
int conversation_pause(struct conversation *c, const char *reason, struct error *err);
/** End permanently: state stopped, for this reason. */
void conversation_stop(struct conversation *c, const char *reason);
/** Answer to an action that waits: with ANSWER_ALWAYS what one of the scopes of the
 *  action covers runs without asking from now on; with ANSWER_NO and a reason the
 *  agent reads that and continues, without one it waits for a message. */
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_ALWAYS };
struct approval {
	enum answer answer;
	const char *hash;        /* of the action that was shown; may be NULL for a no */
	const char *reason;      /* of a no; or NULL */
	int64_t scope;           /* of ANSWER_ALWAYS: index in `scopes`; -1: the default */
	bool project;            /* also in later conversations of this project */
	json_object *arguments;  /* arguments that the user edited; or NULL */
};
/** The answer is refused, and nothing runs, if the action has another hash, if the
 *  edited arguments are invalid, or if a rule denies the action. */
int conversation_confirm(struct conversation *c, const struct approval *a,
			 struct error *err);
/** The same for an action of a subagent that runs in parallel: `child` is its id. */
int conversation_confirm_child(struct conversation *c, const char *child,
			       const struct approval *a, struct error *err);
/** The scopes that were granted in this conversation; owned. NULL: out of memory. */
json_object *conversation_approvals(const struct conversation *c);
/** Revoke the approval with this text. */
int conversation_revoke(struct conversation *c, const char *text, struct error *err);
/** A runnable action that the user wants executed, V0 JSON. */
int conversation_action(struct conversation *c, json_object *action, struct error *err);
/** Condense the history before the next request to the model. */
int conversation_condense(struct conversation *c, struct error *err);

/** A question of a running tool to the user; removed when its call ends. */
struct question {
	struct question *next;
	int64_t id;
	int64_t action;          /* of its call; -1: an early call, not logged yet */
	uint64_t call, request;  /* numbers of the call and the request on the
				  * connection to the runner */
	char *text;
	json_object *choices;    /* array of strings; NULL: any answer is accepted */
	json_object *given;      /* the choices of the tool, unmasked */
	/* Receives the answer to a question of the host; NULL: a tool asks. */
	void (*answered)(struct conversation *c, const char *text);
};
/** The open questions, oldest first; borrowed. */
const struct question *conversation_questions(const struct conversation *c);
/** Published without data when the open questions have changed. */
extern const char topic_questions[];
/** `text` NULL: the user declined. The answer is not logged. */
int conversation_answer(struct conversation *c, int64_t question, const char *text,
			struct error *err);

/* ---- what features know ------------------------------------------------ */

/** The action that waits for approval: {action, hash, risk, reason, scopes, scope, kind}
 *  as conversation-protocol.md has it; owned. NULL: none. */
json_object *conversation_waits(const struct conversation *c);
/** Actions of parallel subagents that wait for approval: a list of the same with
 *  `conversation` and `event`; owned. NULL: none. */
json_object *conversation_asks(const struct conversation *c);
/** Published without data when this list has changed. */
extern const char topic_asks[];
/** Exit code for its idle state (enum exit_code of exit-code.h). */
int conversation_exit_code(const struct conversation *c);
int64_t conversation_steps(const struct conversation *c);
/** The MCP servers of the agent: [{name, target, tools, lists, error}]; owned. `lists`:
 *  it has listed its tools in this conversation. `error`: its last error, if any. */
json_object *conversation_servers(const struct conversation *c);

/** Description of its skills or servers for the user; owned. */
enum telling { TELL_SKILLS, TELL_SERVERS };
int conversation_tell(struct conversation *c, enum telling what, char **ret,
		      struct error *err);

/** Directory of a conversation: [core] state_dir or the XDG state directory, then
 *  conversations/ID; owned. NULL: the id is malformed, or out of memory. */
char *conversation_dir(const struct config *c, const char *id, struct error *err);
/** The newest conversation that a user started, `workspace` NULL: in any directory;
 *  owned. */
char *conversation_newest(const struct config *c, const char *workspace,
			  struct error *err);
/** Find a conversation by the beginning of its id; "last": the newest. */
char *conversation_find(const struct config *c, const char *prefix, struct error *err);

#endif
