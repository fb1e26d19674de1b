/* SPDX-License-Identifier: MIT
 *
 * goal.c - `run --until COMMAND`, `until` of a controller and `/goal`: when the agent
 * would become idle, the command runs in its shell; until it succeeds, the agent
 * continues. Limits apply as always. An agent that finishes again and again without
 * acting in between has given up. */
#include "features/goal.h"

#include "context/history.h"
#include "controller/agents.h"
#include "controller/features.h"
#include "controller/transitions.h"
#include "conversation/conversation.h"
#include "features/environment-command.h"
#include "features/replay-internal.h"
#include "features/unattended.h"
#include "shell.h"

#include <inttypes.h>
#include <string.h>

enum { CHECK_SECONDS = 3600, IDLE_MAX = 3, COMMAND_MAX = 4096 };

static const char record_name[] = "mortise/goal"; /* of its state record */

struct goal {
	char *command;        /* NULL: none */
	bool by_user;         /* set in this conversation: removed when the command
			       * succeeds */
	bool reached;         /* the last check succeeded */
	int64_t check;        /* the pending action of a check; -1: none */
	int64_t exit_code;    /* of the last check; -1: none */
	unsigned idle;        /* checks since the agent acted */
	enum agent_state rest;
	const char *rest_reason; /* static */
};

static struct goal *goal_state(const struct conversation *c)
{
	return feature_state(c, &goal_feature);
}

/* ---- which ------------------------------------------------------------------- */

static int goal_replace(struct goal *g, const char *command, bool by_user,
			struct error *err)
{
	char *copy = command && *command ? strdup(command) : NULL;

	if (command && *command && !copy)
		return out_of_memory(err);
	free(g->command);
	g->command = copy;
	g->by_user = by_user;
	g->idle = 0;
	return MT_OK;
}

static int open_(struct conversation *c, struct error *err)
{
	goal_state(c)->check = -1;
	if (agents_depth(c))
		return MT_OK; /* a subagent works on the task of its parent, not on its
			       * goal */
	return goal_replace(goal_state(c),
			    config_get(conversation_config(c),
				       conversation_agent(c)->section, "until"),
			    false, err);
}

static int goal_resume(struct conversation *c, struct error *err)
{
	size_t len;
	const char *kept = evlog_state(conversation_log(c), record_name, &len);
	AUTO(free) char *command = kept ? strndup(kept, len) : NULL;

	if (!kept || agents_depth(c))
		return MT_OK;
	return command ? goal_replace(goal_state(c), command, true, err)
		       : out_of_memory(err);
}

/* Store the goal for a resumed conversation. */
static int goal_keep(struct conversation *c, struct error *err)
{
	const char *command = goal_state(c)->command;
	AUTO(json) json_object *record = js_new_object();

	if (js_set_str(record, "record", "state") ||
	    js_set_str(record, "plugin", record_name) ||
	    js_set_str(record, "text", command ? command : ""))
		return out_of_memory(err);
	return evlog_record(conversation_log(c), record, err);
}

/* ---- the check --------------------------------------------------------------- */

/* In the workspace and without input, regardless of the state of the agent's shell. */
static struct call *make_check(struct conversation *c, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(3 * COMMAND_MAX + 32768);
	struct call *call;

	strbuf_add(&text, "(cd ");
	shell_quote(&text, conversation_workspace(c));
	strbuf_addf(&text, " || exit\n%s\n) </dev/null", goal_state(c)->command);
	if (text.error) {
		out_of_memory(err);
		return NULL;
	}
	call = environment_command(c, text.text, false, CHECK_SECONDS, err);
	if (call && FEATURES_ASK(check_user_call, c, call, err)) {
		call_free(call);
		return NULL;
	}
	return call;
}

static void goal_give_up(struct conversation *c, const char *why)
{
	AUTO(strbuf) struct strbuf text = STRBUF(8192);

	strbuf_addf(&text, "the goal `%.200s` was not reached: %s",
		    goal_state(c)->command, why);
	conversation_set_state(c, STATE_REJECTED, text.text);
}

static bool goal_before_rest(struct conversation *c, enum agent_state rest,
			     const char *reason)
{
	struct goal *g = goal_state(c);
	struct error err = ERROR_NONE;
	struct call *call;

	if (!g->command || g->reached || agents_waiting(c) || replay_is_active(c) ||
	    conversation_is_closing(c))
		return false;
	g->rest = rest;
	g->rest_reason = reason;
	g->exit_code = -1;
	call = make_check(c, &err);
	g->check = call ? environment_command_start(c, call, &err) : -1;
	if (g->check < 0 && conversation_state(c) == STATE_RUNNING)
		goal_give_up(c, err.text);
	return true;
}

static void goal_before_observation(struct conversation *c, struct event *action,
				    const struct call *call, struct event *e)
{
	struct goal *g = goal_state(c);

	(void)call;
	if (e && action->id == g->check && g->check >= 0 &&
	    e->type->id == OBSERVATION_RUN)
		g->exit_code = js_int(js_get(event_args(e), "metadata"), "exit_code", -1);
}

static void on_success(struct conversation *c)
{
	struct goal *g = goal_state(c);
	struct error err = ERROR_NONE;

	conversation_notice(c, MT_LOG_INFO, "the goal is reached: `%.200s` succeeded",
			    g->command);
	g->idle = 0;
	g->reached = true; /* other features may have more work for the agent */
	conversation_rest(c, g->rest, g->rest_reason);
	g->reached = false;
	if (g->by_user && (goal_replace(g, NULL, true, &err) || goal_keep(c, &err)))
		conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
}

static void on_failure(struct conversation *c)
{
	struct goal *g = goal_state(c);
	AUTO(strbuf) struct strbuf text = STRBUF(16384);
	struct error err = ERROR_NONE;
	json_object *args;

	if (++g->idle >= IDLE_MAX) {
		g->idle = 0;
		goal_give_up(c, "the agent finished repeatedly without another attempt");
		return;
	}
	strbuf_addf(&text, "The goal is not reached yet: `%s`", g->command);
	if (g->exit_code >= 0)
		strbuf_addf(&text, " exited with code %" PRId64, g->exit_code);
	else
		strbuf_add(&text, " did not complete");
	strbuf_add(&text, "; its output is above. Continue with the task, and fix the "
			  "cause. The command runs again when you finish.");
	args = js_new_object();
	js_set_strn(args, "content", text.text, text.len);
	unattended_reset(conversation_agent(c));
	conversation_log_event(c, event_action("message", SOURCE_ENVIRONMENT, args, &err),
			       &err);
}

static void goal_after_observation(struct conversation *c, struct event *action)
{
	struct goal *g = goal_state(c);

	if (g->check < 0 || action->id != g->check)
		return;
	g->check = -1;
	if (conversation_state(c) != STATE_RUNNING)
		return; /* paused or stopped */
	if (g->exit_code != 0)
		on_failure(c);
	else if (!history_user_since(conversation_log(c), action->id))
		on_success(c); /* otherwise the agent reads the message first */
}

/* The agent acted, so it has not given up. */
static void goal_before_action(struct conversation *c, struct event *action)
{
	if (action->source == SOURCE_AGENT && (action->type->flags & EVENT_RUNNABLE))
		goal_state(c)->idle = 0;
}

static void goal_release(struct conversation *c)
{
	free(goal_state(c)->command);
}

/* ---- the user ---------------------------------------------------------------- */

static int goal_report(const struct conversation *c, const char *what, char **ret_text,
		       struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(8192);

	if (goal_state(c)->command)
		strbuf_addf(&text, "%s: %s", what, goal_state(c)->command);
	else
		strbuf_add(&text, "No goal is set.");
	*ret_text = strbuf_take(&text);
	return *ret_text ? MT_OK : out_of_memory(err);
}

int goal_set(struct conversation *c, const char *command, char **ret_text,
	     struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16384);
	bool off = strcmp(command, "off") == 0;
	int r;

	if (!*command)
		return goal_report(c, "Goal", ret_text, err);
	if (strlen(command) > COMMAND_MAX)
		return fail(err, MT_ELIMIT, "the command is longer than %d bytes",
			    COMMAND_MAX);
	r = goal_replace(goal_state(c), off ? NULL : command, true, err);
	if (!r)
		r = goal_keep(c, err);
	if (!r && !off) {
		strbuf_addf(&text,
			    "Work until this command succeeds (exit code 0): `%s`. It "
			    "runs when you finish; if it fails, you continue.",
			    command);
		r = conversation_message(c, text.text, text.len, err);
	}
	return r ? r : goal_report(c, "Goal set", ret_text, err);
}

const struct feature goal_feature = {
	.name = "goal",
	.state_size = sizeof(struct goal),
	.open = open_,
	.resume = goal_resume,
	.before_rest = goal_before_rest,
	.before_action = goal_before_action,
	.before_observation = goal_before_observation,
	.after_observation = goal_after_observation,
	.release = goal_release,
};
