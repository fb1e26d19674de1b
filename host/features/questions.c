/* SPDX-License-Identifier: MIT
 *
 * questions.c - questions of tools to the user while they run. */
#include "features/questions.h"

#include "controller/feature-api.h"
#include "controller/watchers.h"
#include "controller/turn.h"
#include "conversation/conversation.h"
#include "tools/mcp-servers.h"

#include <inttypes.h>
#include <string.h>

enum { QUESTIONS_MAX = 16, QUESTION_TEXT_MAX = 32 << 10, CHOICES_MAX = 200 };

const char topic_questions[] = "questions";

/* Of a conversation. */
struct questions {
	struct question *open;
	int64_t ids; /* number of ids assigned so far */
};

static struct questions *questions_state(const struct conversation *c)
{
	return feature_state(c, &questions_feature);
}

static void questions_drop(struct question *q)
{
	free(q->text);
	json_object_put(q->choices);
	json_object_put(q->given);
	free(q);
}

/* Are all choices texts, and not too many? */
static bool choices_valid(json_object *choices)
{
	size_t n = choices ? json_object_array_length(choices) : 0;

	for (size_t i = 0; i < n; i++)
		if (!json_object_is_type(json_object_array_get_idx(choices, i),
					 json_type_string))
			return false;
	return n <= CHOICES_MAX;
}

static struct question *questions_make(struct conversation *c, uint64_t call,
				       uint64_t request, json_object *params)
{
	const char *text = js_str(params, "question", "");
	json_object *choices = js_get(params, "choices");
	AUTO(strbuf) struct strbuf shown = STRBUF(QUESTION_TEXT_MAX * 4);
	struct question *q = calloc(1, sizeof *q);

	if (!json_object_is_type(choices, json_type_array))
		choices = NULL;
	if (!q || !*text || strlen(text) > QUESTION_TEXT_MAX || !choices_valid(choices) ||
	    (choices && json_object_deep_copy(choices, &q->choices, NULL)) ||
	    mask_json(conversation_secrets(c), q->choices, NULL, NULL) ||
	    !(q->text = strdup(mask_text(conversation_secrets(c), text, &shown)))) {
		if (q)
			questions_drop(q);
		return NULL;
	}
	q->id = ++questions_state(c)->ids;
	q->action = turn_action_of(c, call);
	q->call = call;
	q->request = request;
	q->given = json_object_get(choices);
	return q;
}

static bool questions_request_answer(struct conversation *c, uint64_t call,
				     uint64_t request, const char *method,
				     json_object *params)
{
	static const char wrong[] = "a question must be a string, and its choices must "
				    "be strings";
	static const char alone[] = "no user is available in a headless run";
	struct question *q, **end = &questions_state(c)->open;
	int count = 0;

	if (strcmp(method, "user/ask") != 0)
		return false;
	if (conversation_is_headless(c)) {
		runner_refuse(conversation_runner(c), request, MT_EUNSUPPORTED, alone);
		return true;
	}
	for (; *end; end = &(*end)->next)
		count++;
	q = count < QUESTIONS_MAX ? questions_make(c, call, request, params) : NULL;
	if (!q) {
		runner_refuse(conversation_runner(c), request, MT_EINVAL, wrong);
		return true;
	}
	*end = q;
	conversation_publish(c, topic_questions, NULL);
	return true;
}

int questions_ask(struct conversation *c, int64_t action, const char *text,
		  json_object *choices,
		  void (*answered)(struct conversation *c, const char *text))
{
	AUTO(json) json_object *params = js_new_object();
	struct question *q, **end = &questions_state(c)->open;

	while (*end)
		end = &(*end)->next;
	js_set_str(params, "question", text);
	js_set(params, "choices", json_object_get(choices));
	q = js_incomplete(params) ? NULL : questions_make(c, 0, 0, params);
	if (!q)
		return MT_EINVAL;
	q->action = action;
	q->answered = answered;
	*end = q;
	conversation_publish(c, topic_questions, NULL);
	return MT_OK;
}

void questions_withdraw(struct conversation *c,
			void (*answered)(struct conversation *c, const char *text))
{
	struct question **at = &questions_state(c)->open, *q;

	while (*at && (*at)->answered != answered)
		at = &(*at)->next;
	if (!(q = *at))
		return;
	*at = q->next;
	questions_drop(q);
	conversation_publish(c, topic_questions, NULL);
}

static void close_questions(struct conversation *c, uint64_t call, bool all)
{
	bool some = false;

	for (struct question **at = &questions_state(c)->open; *at;) {
		struct question *q = *at;

		if (q->answered || (!all && q->call != call)) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		questions_drop(q);
		some = true;
	}
	if (some)
		conversation_publish(c, topic_questions, NULL);
}

const struct question *conversation_questions(const struct conversation *c)
{
	return questions_state(c)->open;
}

/* The unmasked form of a choice that the user saw with secrets masked. */
static const char *as_given(const struct question *q, const char *answer)
{
	size_t n = q->choices ? json_object_array_length(q->choices) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *shown =
			json_object_get_string(json_object_array_get_idx(q->choices, i));

		if (shown && strcmp(shown, answer) == 0)
			return json_object_get_string(
				json_object_array_get_idx(q->given, i));
	}
	return answer;
}

int conversation_answer(struct conversation *c, int64_t question, const char *text,
			struct error *err)
{
	static const char refused[] = "the user declined to answer";
	struct question **at = &questions_state(c)->open, *q;
	void (*answered)(struct conversation * c, const char *text);
	AUTO(strbuf) struct strbuf result = STRBUF(1 << 20);

	while (*at && (*at)->id != question)
		at = &(*at)->next;
	q = *at;
	if (!q)
		return fail(err, MT_ENOTFOUND, "no pending question has the id %" PRId64,
			    question);
	if (text) {
		strbuf_addc(&result, '{');
		js_key_str(&result, "answer", as_given(q, text));
		strbuf_addc(&result, '}');
		if (result.error)
			return fail(err, MT_ELIMIT, "the answer is too long");
	}
	if (!q->answered && conversation_runner(c))
		runner_answer(conversation_runner(c), q->request,
			      text ? MT_OK : MT_EDENIED, text ? result.text : refused,
			      text ? result.len : sizeof refused - 1);
	*at = q->next;
	answered = q->answered;
	questions_drop(q);
	conversation_publish(c, topic_questions, NULL);
	if (answered)
		answered(c, text);
	return MT_OK;
}

static void close_call(struct conversation *c, const struct runner_result *result)
{
	close_questions(c, result->call, false);
}

static void questions_close_all(struct conversation *c)
{
	close_questions(c, 0, true);
}

static void questions_release(struct conversation *c)
{
	struct question *q = questions_state(c)->open;

	for (struct question *next; q; q = next) {
		next = q->next;
		questions_drop(q);
	}
	questions_state(c)->open = NULL;
}

const struct feature questions_feature = {
	.name = "questions",
	.state_size = sizeof(struct questions),
	.request = questions_request_answer,
	.call_ended = close_call,
	.runner_closed = questions_close_all,
	.release = questions_release,
};

/* ---- servers ------------------------------------------------------------- */

static json_object *server_of(const struct conversation *c, const struct tool_instance *t)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(1 << 16);
	json_object *o = js_new_object();
	size_t tools = t->listed ? json_object_array_length(t->listed) : 0;

	js_set_str(o, "name", t->title);
	js_set_str(o, "target", mcp_server_target(t->options));
	js_set_int(o, "tools", (int64_t)tools);
	js_set_bool(o, "lists", t->lists);
	if (t->said)
		js_set_str(o, "error",
			   mask_text(conversation_secrets(c), t->said, &shown));
	return o;
}

json_object *conversation_servers(const struct conversation *c)
{
	json_object *list = js_new_list();

	for (size_t i = 0; i < conversation_agent(c)->catalog.instance_count; i++) {
		const struct tool_instance *t =
			&conversation_agent(c)->catalog.instances[i];

		if (t->server)
			js_add_new(list, server_of(c, t));
	}
	return list;
}
