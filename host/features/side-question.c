/* SPDX-License-Identifier: MIT
 *
 * side-question.c - asks the model of the agent a question about the conversation, with
 * the messages of the next request. The log gets only the usage. */
#include "features/side-question.h"

#include "context/history.h"
#include "context/prompts.h"
#include "context/request-messages.h"
#include "controller/feature-api.h"
#include "controller/watchers.h"
#include "conversation/conversation.h"
#include "features/limits.h"
#include "features/side-usage.h"
#include "llm/models/router.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

#include <string.h>

const char topic_side_answer[] = "side answer";

struct side_question {
	struct conversation *c;
	struct request_messages *messages;
	struct view_item *view;
	struct llm_request *request;
	struct llm_exchange *exchange;
	struct llm_part part;
	char *question, *prompt;
};

/* Of a conversation: the question that is being answered; NULL: none. */
static struct side_question **side_question_state(const struct conversation *c)
{
	return feature_state(c, &side_question_feature);
}

static void side_question_free(struct side_question *q)
{
	llm_request_free(q->request);
	request_messages_free(q->messages);
	free(q->view);
	free(q->question);
	free(q->prompt);
	free(q);
}

static void side_question_end(struct side_question *q, const char *text, bool failed)
{
	struct conversation *c = q->c;
	AUTO(strbuf) struct strbuf shown = STRBUF(64 << 20);
	struct side_answer answer = { .question = q->question, .failed = failed };

	*side_question_state(c) = NULL;
	answer.text = mask_text(conversation_secrets(c), text, &shown);
	conversation_publish(c, topic_side_answer, &answer);
	side_question_free(q);
}

/* ---- the answer ------------------------------------------------------------ */

static void side_question_on_done(void *arg, struct llm_reply *reply)
{
	struct side_question *q = arg;
	struct error err = ERROR_NONE;

	if (side_usage_log(q->c, USAGE_SIDE_QUESTIONS, reply, &err))
		side_question_end(q, err.text, true);
	else if (!reply->text_len)
		side_question_end(q, "the model did not answer the question", true);
	else
		side_question_end(q, reply->text, false);
	llm_reply_free(reply);
}

static void side_question_on_failed(void *arg, const struct llm_error *error)
{
	side_question_end(arg, error->text, true);
}

/* ---- the request ------------------------------------------------------------ */

static int side_question_add(struct side_question *q, struct error *err)
{
	const struct agent_frame *agent = conversation_agent(q->c);
	AUTO(json) json_object *data = js_new_object();

	js_set_str(data, "question", q->question);
	q->prompt =
		prompt_render(conversation_config(q->c), agent->plugin.component->name,
			      "side_question", data, err);
	if (!q->prompt)
		return err->code;
	q->part = (struct llm_part){ .text = q->prompt, .len = strlen(q->prompt) };
	return llm_request_add(q->request,
			       &(struct llm_message){ .role = MT_ROLE_USER,
						      .stamp = llm_message_stamp(),
						      .parts = &q->part,
						      .part_count = 1 })
		       ? out_of_memory(err)
		       : MT_OK;
}

/* The messages and tools of the agent, which the provider has cached. They are built
 * separately, because a request of the agent in progress uses its own. */
static int side_question_build(struct side_question *q, struct error *err)
{
	const struct agent_frame *agent = conversation_agent(q->c);
	size_t count = 0;
	int r;

	q->messages = request_messages_copy(agent->memory);
	q->request = llm_request_new();
	if (!q->messages || !q->request)
		return out_of_memory(err);
	r = history_view(agent->history, &q->view, &count, err);
	if (!r)
		r = request_messages_build(q->messages, q->view, count, q->request, err);
	if (!r)
		r = request_messages_add_tool(q->messages, NULL, q->request, err);
	return r ? r : side_question_add(q, err);
}

static int side_question_send(struct side_question *q, struct error *err)
{
	static const struct llm_events events = { .done = side_question_on_done,
						  .failed = side_question_on_failed };
	const struct agent_frame *agent = conversation_agent(q->c);
	struct llm *llm =
		llm_router_choose(agent->router, q->request, LLM_FOR_AGENT, agent->llm);

	if (!llm)
		return fail(err, MT_EUNSUPPORTED, "the agent uses no model");
	q->request->stream = llm_feature(llm, "stream");
	return llm_send(llm, q->request, side_usage_calls(q->c, USAGE_SIDE_QUESTIONS),
			&events, q, NULL, &q->exchange, err);
}

static int side_question_check(struct conversation *c, struct error *err)
{
	char limit[256];

	if (conversation_is_closing(c))
		return fail(err, MT_EDENIED, "the conversation is being closed");
	if (*side_question_state(c))
		return fail(err, MT_EDENIED,
			    "the previous side question is not answered yet");
	if (limits_reached(c, LIMITS_CALL & ~(1u << LIMIT_CALLS), limit, sizeof limit))
		return fail(err, MT_EDENIED, "%s", limit);
	return MT_OK;
}

int conversation_ask_aside(struct conversation *c, const char *text, size_t len,
			   struct error *err)
{
	struct side_question *q;
	int r = side_question_check(c, err);

	if (r)
		return r;
	q = calloc(1, sizeof *q);
	if (!q)
		return out_of_memory(err);
	q->c = c;
	q->question = strndup(text, len);
	r = q->question ? side_question_build(q, err) : out_of_memory(err);
	if (!r)
		r = side_question_send(q, err);
	if (r)
		side_question_free(q);
	else
		*side_question_state(c) = q;
	return r;
}

/* ---- the feature ------------------------------------------------------------ */

static bool side_question_is_busy(const struct conversation *c)
{
	return *side_question_state(c);
}

static void side_question_cancel(struct conversation *c)
{
	struct side_question *q = *side_question_state(c);

	if (!q)
		return;
	llm_cancel(q->exchange);
	side_question_end(q, "the side question was cancelled", true);
}

static void side_question_restore_usage(struct conversation *c, struct llm_metrics *sum)
{
	side_usage_restore(c, USAGE_SIDE_QUESTIONS, sum);
}

static const char *const usage_states[] = { USAGE_SIDE_QUESTIONS, NULL };

const struct feature side_question_feature = {
	.name = "side questions",
	.usage_states = usage_states,
	.state_size = sizeof(struct side_question *),
	.is_busy = side_question_is_busy,
	.restore_usage = side_question_restore_usage,
	.cancel = side_question_cancel,
};
