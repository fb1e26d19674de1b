/* SPDX-License-Identifier: MIT
 *
 * loop-recovery.c - recovers an agent that is stuck in a loop: warns the model once,
 * then asks the user, who chooses what follows; in non-interactive use the conversation
 * ends. */
#include "features/loop-recovery.h"

#include "config/choices.h"
#include "context/prompts.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "conversation/rewind.h"
#include "conversation/conversation.h"
#include "features/loop-detector.h"

#include <inttypes.h>
#include <string.h>

/* The reason of an error state starts with this: verbatim from OpenHands. */
#define STUCK_ERROR "AgentStuckInLoopError: Agent got stuck in a loop"

/* Of an agent. */
struct recovery {
	struct stuck_options options;
	bool detects, nudges;
};

static int loop_recovery_open_agent(struct conversation *c, struct agent_frame *agent,
				    struct error *err)
{
	struct config *config = conversation_config(c);
	struct recovery *r = feature_agent_state(agent, &loop_recovery_feature);
	const char *section = agent->section;
	int compare = config_choice(config, section, "stuck_compare");

	(void)err;
	r->options = (struct stuck_options){
		.start = agent->start,
		.headless = conversation_is_headless(c),
		.exit_code = compare == STUCK_COMPARE_EXIT_CODE,
		.blank = compare == STUCK_COMPARE_OUTPUT ||
			 compare == STUCK_COMPARE_NORMALIZED,
		.thought = config_bool(config, section, "stuck_compare_thought"),
		.same = (unsigned)config_int(config, section, "stuck_repeat"),
		.errors = (unsigned)config_int(config, section, "stuck_errors"),
		.monologue = (unsigned)config_int(config, section, "stuck_monologue"),
		.pattern = (unsigned)config_int(config, section, "stuck_alternate"),
		.identical = (unsigned)config_int(config, section, "stuck_identical"),
	};
	r->detects = config_bool(config, section, "stuck_detection");
	r->nudges = config_bool(config, section, "stuck_nudge");
	return MT_OK;
}

/* ---- what is known of a loop ------------------------------------------- */

static const char *loop_recovery_tool_of(const struct event *action)
{
	const char *name = js_str(event_tool_meta(action), "function_name", "");

	return *name ? name : event_arg(action, "name");
}

/* The text of the newest error; owned, "" if there is none. */
static char *newest_error(struct conversation *c, int64_t start)
{
	for (int64_t id = evlog_count(conversation_log(c)) - 1; id > start; id--) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		AUTO(event) struct event *e = NULL;

		if (head->undone || head->type->id != OBSERVATION_ERROR)
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		return strdup(e ? event_content(e, NULL) : "");
	}
	return strdup("");
}

static bool loop_recovery_has_tool(const struct conversation *c, const char *name)
{
	const struct catalog *all = &conversation_agent(c)->catalog;

	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->tools[i].name, name) == 0)
			return true;
	return false;
}

/* Are numbers, times and addresses left out when results are compared? */
static bool normalizes(const struct conversation *c)
{
	const struct recovery *r =
		feature_agent_state(conversation_agent(c), &loop_recovery_feature);

	return r->options.blank;
}

/* Could the repeated call be a poll? Then the hint names the call that waits. */
static bool may_poll(const struct conversation *c, const struct stuck *s)
{
	return (s->kind == STUCK_REPEAT || s->kind == STUCK_ALTERNATE ||
		s->kind == STUCK_IDENTICAL) &&
	       loop_recovery_has_tool(c, "execute_bash");
}

static json_object *facts(struct conversation *c, const struct stuck *s)
{
	AUTO(event)
	struct event *action =
		s->newest >= 0 ? evlog_event(conversation_log(c), s->newest, NULL) : NULL;
	AUTO(free) char *error =
		s->kind == STUCK_ERRORS ? newest_error(c, s->start) : NULL;
	json_object *data = js_new_object();

	js_set_int(data, "repeats", s->repeats);
	js_set_bool(data, loop_stuck_name(s->kind), true);
	js_set_bool(data, "normalized", normalizes(c));
	js_set_bool(data, "shell", may_poll(c, s));
	js_set_bool(data, "job", loop_recovery_has_tool(c, "background_job"));
	js_set_bool(data, "finish", loop_recovery_has_tool(c, "finish"));
	if (action && *loop_recovery_tool_of(action) && s->kind != STUCK_MONOLOGUE)
		js_set_str(data, "tool", loop_recovery_tool_of(action));
	if (error && *error)
		js_set_str(data, "error", error);
	return data;
}

/* A sentence for people. */
static int sentence(const struct stuck *s, const char *tool, struct strbuf *out)
{
	static const char *const what[] = {
		[STUCK_NONE] = "",
		[STUCK_REPEAT] = "the same action had the same result",
		[STUCK_ERRORS] = "the same action failed",
		[STUCK_MONOLOGUE] = "the same message was sent",
		[STUCK_ALTERNATE] = "two actions alternated with the same results",
		[STUCK_CONDENSING] = "the history was condensed and nothing else happened",
		[STUCK_IDENTICAL] = "the same action was repeated",
	};

	strbuf_addf(out, "the agent is stuck in a loop: %s, %u times", what[s->kind],
		    s->repeats);
	return *tool ? strbuf_addf(out, " (%s)", tool) : MT_OK;
}

/* ---- telling the model -------------------------------------------------- */

static bool told_since(struct conversation *c, int64_t start)
{
	for (int64_t id = evlog_count(conversation_log(c)) - 1; id > start; id--) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		AUTO(event) struct event *e = NULL;

		if (head->undone || head->source != SOURCE_ENVIRONMENT ||
		    head->type->id != ACTION_MESSAGE)
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		if (e && js_get(e->json, "nudge"))
			return true;
	}
	return false;
}

/* @return false if it could not be logged. */
static bool tell_model(struct conversation *c, const struct stuck *s)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *data = facts(c, s);
	AUTO(free) char *text =
		prompt_render(conversation_config(c),
			      conversation_agent(c)->plugin.component->name, "stuck",
			      data, &err);
	json_object *args = js_new_object();
	struct event *e;

	if (!text || js_set_str(args, "content", text)) {
		json_object_put(args);
		conversation_notice(c, MT_LOG_ERROR, "%s", error_text(&err));
		return false;
	}
	e = event_action("message", SOURCE_ENVIRONMENT, args, &err);
	if (e && js_set_str(e->json, "nudge", loop_stuck_name(s->kind)))
		e = event_unref(e);
	return conversation_log_event(c, e, &err) >= 0;
}

/* ---- giving up ---------------------------------------------------------- */

static void tell_loop(struct conversation *c, const struct stuck *s, const char *text)
{
	struct error err = ERROR_NONE;
	json_object *extras = js_new_object();

	js_set_str(extras, "loop_type", loop_stuck_name(s->kind));
	js_set_int(extras, "repeats", s->repeats);
	js_set_int(extras, "start", s->start);
	conversation_log_event(c,
			       event_observation("loop_detection", SOURCE_ENVIRONMENT, -1,
						 text, strlen(text), extras, &err),
			       &err);
}

static void loop_recovery_give_up(struct conversation *c, const struct stuck *s)
{
	AUTO(json) json_object *data = facts(c, s);
	AUTO(strbuf) struct strbuf text = STRBUF(4096);

	if (sentence(s, js_str(data, "tool", ""), &text)) {
		conversation_set_error(c, EXIT_STUCK, STUCK_ERROR);
		return;
	}
	tell_loop(c, s, text.text);
	if (conversation_is_headless(c)) {
		conversation_set_error(c, EXIT_STUCK, STUCK_ERROR ": %s", text.text);
		return;
	}
	strbuf_add(&text, ". Send new instructions, rewind to before the loop, or stop");
	conversation_set_state(c, STATE_PAUSED, text.text);
}

static bool handle_loop(struct conversation *c)
{
	const struct recovery *r =
		feature_agent_state(conversation_agent(c), &loop_recovery_feature);
	struct stuck s;

	if (!r->detects)
		return false;
	s = loop_detect_stuck(conversation_log(c), &r->options);
	if (s.kind == STUCK_NONE)
		return false;
	if (r->nudges && s.kind != STUCK_CONDENSING && !told_since(c, s.start) &&
	    tell_model(c, &s))
		return false;
	if (conversation_state(c) == STATE_RUNNING)
		loop_recovery_give_up(c, &s);
	return true;
}

/* ---- what the user chooses ------------------------------------------------ */

/* Start of the loop that was reported last, without a user message since; -1: none. */
static int64_t loop_start(struct conversation *c)
{
	for (int64_t id = evlog_count(conversation_log(c)) - 1; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);
		AUTO(event) struct event *e = NULL;

		if (head->undone)
			continue;
		if (head->type->id == ACTION_MESSAGE && head->source == SOURCE_USER)
			return -1;
		if (head->type->id != OBSERVATION_LOOP_DETECTION)
			continue;
		e = evlog_event(conversation_log(c), id, NULL);
		return e ? js_int(event_args(e), "start", -1) : -1;
	}
	return -1;
}

/* The number of user messages to take back, up to the newest one before `start`; 0: no
 * such message. */
static int64_t messages_since(struct conversation *c, int64_t start)
{
	int64_t count = 0;

	for (int64_t id = evlog_count(conversation_log(c)) - 1; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(conversation_log(c), id);

		if (head->undone || head->source != SOURCE_USER ||
		    head->type->id != ACTION_MESSAGE)
			continue;
		count++;
		if (id < start)
			return count;
	}
	return 0;
}

static int send_again(struct conversation *c, int64_t start, struct error *err)
{
	int64_t messages = messages_since(c, start);
	AUTO(free) char *text = NULL;
	int r;

	if (!messages)
		return fail(err, MT_EINVAL, "no user message precedes the loop");
	r = conversation_take_back(c, messages, false, &text, err);
	return r ? r : conversation_message(c, text, strlen(text), err);
}

int loop_recovery_choose(struct conversation *c, int64_t option, struct error *err)
{
	int64_t start = loop_start(c);

	if (option < LOOP_BACK || option > LOOP_STOP)
		return fail(err, MT_EINVAL,
			    "unknown option %" PRId64
			    ": use 1 to rewind to before the loop, 2 to resend the "
			    "last message, 3 to stop",
			    option);
	if (start < 1)
		return fail(err, MT_EINVAL, "no unanswered loop was found");
	if (option == LOOP_STOP) {
		conversation_stop(c, "stopped by the user");
		return MT_OK;
	}
	return option == LOOP_BACK ? conversation_rewind(c, start - 1, false, NULL, err)
				   : send_again(c, start, err);
}

static int loop_recovery_perform(struct conversation *c, const struct event *action,
				 struct error *err)
{
	return loop_recovery_choose(c, js_int(event_args(action), "option", 1), err);
}

static const struct action_handler actions[] = {
	{ ACTION_LOOP_RECOVERY, .by_user = loop_recovery_perform },
	{ 0 },
};

static int loop_recovery_exit_code_of(const char *reason)
{
	return strncmp(reason, STUCK_ERROR, strlen(STUCK_ERROR)) == 0 ? EXIT_STUCK : 0;
}

const struct feature loop_recovery_feature = {
	.name = "loop recovery",
	.actions = actions,
	.agent_state_size = sizeof(struct recovery),
	.open_agent = loop_recovery_open_agent,
	.before_step = handle_loop,
	.exit_code_of = loop_recovery_exit_code_of,
};
