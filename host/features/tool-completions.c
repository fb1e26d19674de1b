/* SPDX-License-Identifier: MIT
 *
 * tool-completions.c - model requests of tools (model/complete): limited, and charged
 * to the conversation. */
#include "features/tool-completions.h"

#include "controller/feature-api.h"
#include "conversation/named-models.h"
#include "controller/turn.h"
#include "features/limits.h"
#include "features/side-usage.h"
#include "log.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

#include <string.h>

enum {
	COMPLETIONS_MAX = 32,       /* of one call */
	COMPLETIONS_OPEN = 8,       /* at the same time */
	COMPLETION_MESSAGES = 64,
	COMPLETION_TEXT = 2 << 20,  /* bytes of all its messages */
	COMPLETION_TOKENS = 65536,  /* maximum number of output tokens */
};

struct completion {
	struct completion *next;
	struct conversation *c;
	struct llm_exchange *exchange;
	struct llm_request *request;
	uint64_t id;             /* number of the runner's request */
	bool pieces;             /* the tool reads the answer as it streams */
};

/* Of a conversation. */
struct completions {
	struct completion *open; /* requests of the pending call; NULL: none */
	unsigned open_count;
	unsigned count;          /* requests made so far */
};

static struct completions *completions_state(const struct conversation *c)
{
	return feature_state(c, &tool_completions_feature);
}

static void completions_refuse(struct conversation *c, uint64_t id,
			       const struct error *err)
{
	runner_refuse(conversation_runner(c), id, err->code, err->text);
}

static void completions_over(struct completion *q)
{
	struct completions *s = completions_state(q->c);
	struct completion **p = &s->open;

	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	s->open_count--;
	llm_request_free(q->request);
	free(q);
}

static void completions_cancel(struct conversation *c)
{
	struct completions *s = completions_state(c);

	s->count = 0;
	while (s->open) {
		if (s->open->exchange)
			llm_cancel(s->open->exchange);
		completions_over(s->open);
	}
}

/* ---- the request --------------------------------------------------------- */

static int role_of(const char *name)
{
	static const char *const roles[] = { [MT_ROLE_SYSTEM] = "system",
					     [MT_ROLE_USER] = "user",
					     [MT_ROLE_ASSISTANT] = "assistant" };

	for (int role = MT_ROLE_SYSTEM; role <= MT_ROLE_ASSISTANT; role++)
		if (strcmp(name, roles[role]) == 0)
			return role;
	return -1;
}

static int add_message(const struct conversation *c, struct llm_request *r,
		       json_object *message, size_t *total, struct error *err)
{
	json_object *content = js_get(message, "content");
	int role = role_of(js_str(message, "role", ""));
	size_t len = json_object_is_type(content, json_type_string)
			     ? (size_t)json_object_get_string_len(content)
			     : 0;
	AUTO(strbuf) struct strbuf shown = STRBUF(COMPLETION_TEXT * 4);
	struct llm_part *part;

	*total += len;
	if (role < 0 || len == 0)
		return fail(err, MT_EINVAL,
			    "each of `messages` must have a role (system, user, "
			    "assistant) and a string `content`");
	if (*total > COMPLETION_TEXT)
		return fail(err, MT_ELIMIT, "`messages` are larger than %d bytes",
			    COMPLETION_TEXT);
	if (mask_put(conversation_secrets(c), &shown, json_object_get_string(content),
		     len))
		return out_of_memory(err);
	part = malloc(sizeof *part + shown.len);
	if (!part)
		return out_of_memory(err);
	memcpy(part + 1, shown.text, shown.len);
	*part = (struct llm_part){ .text = (const char *)(part + 1), .len = shown.len };
	if (llm_request_own(r, part)
	    || llm_request_add(r, &(struct llm_message){ .role = role, .parts = part,
							 .part_count = 1 }))
		return out_of_memory(err);
	return MT_OK;
}

static int add_messages(const struct conversation *c, struct llm_request *r,
			json_object *list, struct error *err)
{
	size_t count = js_length(list);
	size_t total = 0;
	int status = MT_OK;

	if (count == 0 || count > COMPLETION_MESSAGES)
		return fail(err, MT_EINVAL,
			    "`messages` must be a list of 1 to %d "
			    "messages",
			    COMPLETION_MESSAGES);
	for (size_t i = 0; !status && i < count; i++)
		status = add_message(c, r, json_object_array_get_idx(list, i), &total,
				     err);
	return status;
}

static int completions_build(const struct conversation *c, json_object *params,
			     struct llm_request **ret, struct error *err)
{
	struct llm_request *r = llm_request_new();
	int64_t tokens = js_int(params, "max_tokens", 0);
	int status;

	*ret = r;
	if (!r)
		return out_of_memory(err);
	status = add_messages(c, r, js_get(params, "messages"), err);
	if (status || !js_get(params, "max_tokens"))
		return status;
	if (tokens < 1 || tokens > COMPLETION_TOKENS)
		return fail(err, MT_EINVAL, "`max_tokens` must be a number from 1 to %d",
			    COMPLETION_TOKENS);
	r->params = json_object_new_object();
	return js_set_int(r->params, "max_output_tokens", tokens) ? out_of_memory(err)
								  : MT_OK;
}

/* ---- the answer ------------------------------------------------------------ */

static int completions_put_answer(const struct llm_reply *reply, struct strbuf *out)
{
	strbuf_addc(out, '{');
	js_key_strn(out, "text", reply->text, reply->text_len);
	js_key_str(out, "stop_reason", reply->stop_reason ? reply->stop_reason : "");
	js_key_str(out, "model", reply->model ? reply->model : "");
	return strbuf_addc(out, '}');
}

static void completions_on_done(void *arg, struct llm_reply *reply)
{
	struct completion *q = arg;
	struct conversation *c = q->c;
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);
	struct error err = ERROR_NONE;

	if (side_usage_log(c, USAGE_TOOLS, reply, &err))
		completions_refuse(c, q->id, &err);
	else if (completions_put_answer(reply, &text))
		runner_refuse(conversation_runner(c), q->id, MT_ENOMEM,
			      status_name(MT_ENOMEM));
	else
		runner_answer(conversation_runner(c), q->id, MT_OK, text.text, text.len);
	completions_over(q);
	llm_reply_free(reply);
}

static void completions_on_failed(void *arg, const struct llm_error *error)
{
	struct completion *q = arg;
	struct conversation *c = q->c;

	runner_refuse(conversation_runner(c), q->id, MT_EIO, error->text);
	completions_over(q);
}

static void send_piece(const struct completion *q, const struct strbuf *json)
{
	if (!json->error)
		runner_piece(conversation_runner(q->c), q->id, json->text, json->len);
}

static void completions_on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	const struct completion *q = arg;
	AUTO(strbuf) struct strbuf json = STRBUF(1 << 20);

	if (reasoning || !q->pieces)
		return;
	strbuf_addc(&json, '{');
	js_key_strn(&json, "text", text, len);
	strbuf_addc(&json, '}');
	send_piece(q, &json);
}

/* The text streamed so far is discarded. */
static void restart(const struct completion *q)
{
	AUTO(strbuf) struct strbuf json = STRBUF(64);

	strbuf_add(&json, "{\"restarted\":true}");
	if (q->pieces)
		send_piece(q, &json);
}

static void completions_on_switched(void *arg, const struct llm_error *why,
				    const struct llm *next)
{
	(void)why, (void)next;
	restart(arg);
}

static void completions_on_retry(void *arg, const struct llm_error *why, int64_t wait_ms)
{
	const struct completion *q = arg;

	restart(q);
	conversation_notice(q->c, MT_LOG_WARNING,
			    "a tool is waiting for its model: %s; retrying in %lld s",
			    why->text, (long long)((wait_ms + 999) / 1000));
}

static int completions_ask_model(struct conversation *c, struct completion *q,
				 struct llm *llm, struct error *err)
{
	static const struct llm_events events = {
		.delta = completions_on_delta, .retry = completions_on_retry,
		.switched = completions_on_switched,
		.done = completions_on_done, .failed = completions_on_failed };
	int64_t replies =
		side_usage_calls(c, USAGE_TOOLS) + completions_state(c)->open_count - 1;

	q->request->stream = llm_feature(llm, "stream");
	return llm_send(llm, q->request, replies, &events, q, NULL, &q->exchange, err);
}

/* ---- whether it may ----------------------------------------------------------- */

static int allowed(struct conversation *c, uint64_t call, struct error *err)
{
	char limit[256];

	if (turn_is_idle(c) || turn_pending(c) != turn_action_of(c, call))
		return fail(err, MT_ECANCELLED, "the call has ended");
	if (completions_state(c)->open_count >= COMPLETIONS_OPEN)
		return fail(err, MT_ELIMIT,
			    "a call can have at most %d pending requests to a model",
			    COMPLETIONS_OPEN);
	if (completions_state(c)->count >= COMPLETIONS_MAX)
		return fail(err, MT_ELIMIT,
			    "a call can send at most %d requests to a "
			    "model",
			    COMPLETIONS_MAX);
	if (limits_reached(c, LIMITS_CALL & ~(1u << LIMIT_CALLS), limit, sizeof limit))
		return fail(err, MT_EDENIED, "%s", limit);
	return MT_OK;
}

static bool request_completion(struct conversation *c, uint64_t call, uint64_t request,
			       const char *method, json_object *params)
{
	struct error err = ERROR_NONE;
	struct completion *q;
	struct llm *llm = NULL;
	int r;

	if (strcmp(method, "model/complete") != 0)
		return false;
	r = allowed(c, call, &err);
	q = r ? NULL : calloc(1, sizeof *q);
	if (!q) {
		if (!r)
			out_of_memory(&err);
		completions_refuse(c, request, &err);
		return true;
	}
	*q = (struct completion){ .next = completions_state(c)->open, .c = c, .id = request,
				  .pieces = js_bool(params, "stream", false) };
	completions_state(c)->open = q;
	completions_state(c)->open_count++;
	completions_state(c)->count++;
	r = completions_build(c, params, &q->request, &err);
	if (!r)
		r = named_model_of_tool(c, call_instance(c, turn_call(c)),
					js_str(params, "model", NULL), q->request, &llm,
					&err);
	if (!r)
		r = completions_ask_model(c, q, llm, &err);
	if (r) {
		completions_refuse(c, request, &err);
		completions_over(q);
	}
	return true;
}

/* A call can request completions only while its action is pending. */
static void completions_end_with_call(struct conversation *c,
				      const struct runner_result *result)
{
	if (!turn_is_idle(c) && turn_pending(c) == turn_action_of(c, result->call))
		completions_cancel(c);
}

static void completions_restore_usage(struct conversation *c, struct llm_metrics *sum)
{
	side_usage_restore(c, USAGE_TOOLS, sum);
}

static const char *const usage_states[] = { USAGE_TOOLS, NULL };

const struct feature tool_completions_feature = {
	.name = "completions",
	.usage_states = usage_states,
	.state_size = sizeof(struct completions),
	.request = request_completion,
	.call_ended = completions_end_with_call,
	.runner_closed = completions_cancel,
	.restore_usage = completions_restore_usage,
	.cancel = completions_cancel,
};
