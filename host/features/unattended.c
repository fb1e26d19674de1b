/* SPDX-License-Identifier: MIT
 *
 * unattended.c - continues or ends the work of an agent that waits for the user in a
 * non-interactive run. */
#include "features/unattended.h"

#include "config/choices.h"
#include "context/prompts.h"
#include "controller/agents.h"
#include "controller/feature-api.h"
#include "exit-code.h"

enum { TEXT_ONLY_MAX = 3 }; /* consecutive replies without a call */

/* Of an agent: the number of consecutive replies without a call. */
static unsigned *text_only(const struct agent_frame *agent)
{
	return feature_agent_state(agent, &unattended_feature);
}

void unattended_reset(const struct agent_frame *agent)
{
	*text_only(agent) = 0;
}

/* Ask a model that called no tool to continue, and stop after TEXT_ONLY_MAX such
 * replies. */
static void continue_alone(struct conversation *c)
{
	const struct agent_frame *agent = conversation_agent(c);
	struct error err = ERROR_NONE;
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *data = js_new_object();

	if (++*text_only(agent) >= TEXT_ONLY_MAX) {
		conversation_rest(c, STATE_AWAITING_USER_INPUT,
				  "the model replied without a tool call, and no user is "
				  "available to answer");
		return;
	}
	text = prompt_render(conversation_config(c), agent->plugin.component->name,
			     "continue", data, &err);
	if (!text) {
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	js_set_str(data, "content", text);
	conversation_log_event(
		c, event_action("message", SOURCE_ENVIRONMENT, STEAL(data), &err), &err);
}

/* Is a reply without a tool call the end of the task? */
static bool is_answer(const struct conversation *c, const char *text)
{
	int rule = config_choice(conversation_config(c), conversation_agent(c)->section,
				 "text_only");

	if (!text[strspn(text, " \t\r\n")])
		return false;
	return rule == TEXT_ONLY_DONE ||
	       (rule == TEXT_ONLY_AUTO && conversation_takes_answer(c) &&
		!agents_waiting(c));
}

static bool unattended_wait_for_user(struct conversation *c, bool asks, const char *text)
{
	if (!conversation_is_headless(c))
		return false;
	if (!asks && is_answer(c, text))
		conversation_rest(c, STATE_FINISHED, "");
	else
		continue_alone(c);
	return true;
}

static void unattended_acted(struct conversation *c)
{
	unattended_reset(conversation_agent(c));
}

static void unattended_after_message(struct conversation *c, bool first)
{
	(void)first;
	unattended_reset(conversation_agent(c));
}

const struct feature unattended_feature = {
	.name = "unattended",
	.agent_state_size = sizeof(unsigned),
	.wait_for_user = unattended_wait_for_user,
	.acted = unattended_acted,
	.after_message = unattended_after_message,
	.rewound = unattended_acted,
};
