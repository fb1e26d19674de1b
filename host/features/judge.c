/* SPDX-License-Identifier: MIT
 *
 * judge.c - `judge` of a controller: sends questions to a second model, and asks it
 * whether the task of an agent that finishes is done. A missing or unusable answer has no
 * effect. */
#include "features/judge.h"

#include "context/prompts.h"
#include "context/request-messages.h"
#include "controller/agents.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/transitions.h"
#include "conversation/named-models.h"
#include "controller/step.h"
#include "features/limits.h"
#include "features/replay-internal.h"
#include "features/side-usage.h"
#include "features/unattended.h"
#include "utf8.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

enum {
	DATA_MAX = 256 << 10,
	TASK_MAX = 8 << 10,     /* maximum bytes of the user's messages, and of the
				 * agent's last message */
	EVENT_MAX = 1000,       /* bytes of one call or result */
	EVENTS_MAX = 24 << 10,  /* bytes of all calls and results */
	REASON_SHOWN = 2000,
};

/* One question. */
struct question_to_judge {
	struct conversation *c;
	struct llm_request *request;
	struct llm_exchange *exchange;
	struct llm_part parts[2];
	char *texts[2]; /* the instructions, the data */
	uv_timer_t timer;
	judge_answer_fn *answered;
	char *answer;    /* NULL: none */
};

/* Of a conversation. */
struct judge {
	struct question_to_judge *open; /* NULL: none */
	bool reported;      /* a failure was reported */
	bool accepted;      /* the task is done, and the agent has not acted since */
	int64_t rounds;     /* "no" since the newest user message */
	enum agent_state rest;
	const char *rest_reason; /* static */
};

/* Of an agent: its judge; NULL: none. */
static struct llm **model_of(const struct agent_frame *agent)
{
	return feature_agent_state(agent, &judge_feature);
}

static struct judge *feature_judge_state(const struct conversation *c)
{
	return feature_state(c, &judge_feature);
}

bool judge_is_set(const struct conversation *c)
{
	return *model_of(conversation_agent(c)) != NULL;
}

bool judge_is_asked(const struct conversation *c)
{
	return feature_judge_state(c)->open != NULL;
}

void judge_report(struct conversation *c, const char *why)
{
	if (!feature_judge_state(c)->reported)
		conversation_notice(c, MT_LOG_WARNING,
				    "the judge could not be used (reported once): %s",
				    why);
	feature_judge_state(c)->reported = true;
}

/* ---- the answer ------------------------------------------------------------ */

/* The first line, without surrounding blanks and Markdown characters. */
static char *feature_judge_first_line(const char *text, size_t len)
{
	static const char around[] = " \t\r\n`*\"'";

	while (len > 0 && strchr(around, *text))
		text++, len--;
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			len = i;
	while (len > 0 && strchr(around, text[len - 1]))
		len--;
	return strndup(text, utf8_cut(text, len, REASON_SHOWN));
}

const char *judge_answer_after(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (!text || strncasecmp(text, word, len) != 0 ||
	    isalnum((unsigned char)text[len]) || text[len] == '_')
		return NULL;
	text += len;
	return text + strspn(text, " \t`*\"'.,:;-");
}

static void feature_judge_on_closed(uv_handle_t *timer)
{
	struct question_to_judge *q = timer->data;

	llm_request_free(q->request);
	free(q->texts[0]);
	free(q->texts[1]);
	free(q->answer);
	free(q);
}

/* Called from the loop, so that no function of the request or of the caller is
 * running. */
static void feature_judge_on_over(uv_timer_t *timer)
{
	struct question_to_judge *q = timer->data;
	struct conversation *c = q->c;

	if (q->exchange)
		judge_report(c, "it did not answer in time");
	llm_cancel(q->exchange);
	q->exchange = NULL;
	feature_judge_state(c)->open = NULL;
	q->answered(c, q->answer);
	uv_close((uv_handle_t *)timer, feature_judge_on_closed);
	step_run_ready(c);
}

static void end_soon(struct question_to_judge *q)
{
	q->exchange = NULL;
	uv_timer_start(&q->timer, feature_judge_on_over, 0, 0);
}

static void feature_judge_on_done(void *arg, struct llm_reply *reply)
{
	struct question_to_judge *q = arg;
	struct error err = ERROR_NONE;

	if (side_usage_log(q->c, USAGE_JUDGE, reply, &err))
		judge_report(q->c, err.text);
	else
		q->answer = feature_judge_first_line(reply->text, reply->text_len);
	llm_reply_free(reply);
	end_soon(q);
}

static void feature_judge_on_failed(void *arg, const struct llm_error *error)
{
	struct question_to_judge *q = arg;

	judge_report(q->c, error->text);
	end_soon(q);
}

/* ---- the question ---------------------------------------------------------- */

/* A marker that cannot occur in the data. */
static void make_mark(char ret[static 24])
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = uv_hrtime();
	snprintf(ret, 24, "data-%016" PRIx64, random);
}

static int feature_judge_build(struct question_to_judge *q, const char *prompt,
			       const struct strbuf *data, struct error *err)
{
	static const enum mt_role roles[] = { MT_ROLE_SYSTEM, MT_ROLE_USER };
	struct conversation *c = q->c;
	AUTO(json) json_object *values = js_new_object();
	AUTO(strbuf) struct strbuf text = STRBUF(2 * DATA_MAX);
	char mark[24];

	make_mark(mark);
	js_set_str(values, "mark", mark);
	q->texts[0] = prompt_render(conversation_config(c),
				    conversation_agent(c)->plugin.component->name, prompt,
				    values, err);
	if (!q->texts[0])
		return err->code;
	strbuf_addf(&text, "%s\n%s\n%s\n", mark, data->text, mark);
	q->texts[1] = data->error ? NULL : strbuf_take(&text);
	q->request = llm_request_new();
	if (!q->texts[1] || !q->request)
		return out_of_memory(err);
	for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
		q->parts[i] = (struct llm_part){ .text = q->texts[i],
						 .len = strlen(q->texts[i]) };
		if (llm_request_add(q->request, &(struct llm_message){
							.role = roles[i],
							.stamp = llm_message_stamp(),
							.parts = &q->parts[i],
							.part_count = 1 }))
			return out_of_memory(err);
	}
	return MT_OK;
}

static int feature_judge_send_it(struct question_to_judge *q, const char *prompt,
				 const struct strbuf *data, struct error *err)
{
	static const struct llm_events events = { .done = feature_judge_on_done,
						  .failed = feature_judge_on_failed };
	struct conversation *c = q->c;
	char limit[256];

	if (limits_reached(c, LIMITS_CALL & ~(1u << LIMIT_CALLS), limit, sizeof limit))
		return fail(err, MT_ELIMIT, "%s", limit);
	if (feature_judge_build(q, prompt, data, err))
		return err->code;
	return llm_send(*model_of(conversation_agent(c)), q->request,
			side_usage_calls(c, USAGE_JUDGE), &events, q, NULL, &q->exchange,
			err);
}

void judge_ask(struct conversation *c, const char *prompt, const struct strbuf *data,
	       judge_answer_fn *answered)
{
	struct question_to_judge *q = calloc(1, sizeof *q);
	struct error err = ERROR_NONE;

	if (!q) {
		conversation_set_error(c, EXIT_FAILED, "%s", status_name(MT_ENOMEM));
		return;
	}
	q->c = c;
	q->answered = answered;
	q->timer.data = q;
	uv_timer_init(conversation_loop(c), &q->timer);
	feature_judge_state(c)->open = q;
	if (feature_judge_send_it(q, prompt, data, &err)) {
		judge_report(c, err.text);
		end_soon(q);
		return;
	}
	uv_timer_start(&q->timer, feature_judge_on_over,
		       (uint64_t)config_int(conversation_config(c),
					    conversation_agent(c)->section,
					    "judge_deadline"),
		       0);
}

/* ---- whether the task is done ------------------------------------------------- */

/* The user messages, the newest ones if they are too long. */
static void put_task(struct conversation *c, struct strbuf *out)
{
	AUTO(json) json_object *list = js_new_list();
	struct evlog *log = conversation_log(c);
	size_t total = 0;

	for (int64_t id = evlog_count(log) - 1; id >= 0 && total < TASK_MAX; id--) {
		const struct evlog_head *head = evlog_head(log, id);
		AUTO(event) struct event *e = NULL;
		const char *text;
		size_t len;

		if (head->undone || head->type->id != ACTION_MESSAGE ||
		    head->source != SOURCE_USER)
			continue;
		e = evlog_event(log, id, NULL);
		text = e ? event_arg(e, "content") : "";
		len = utf8_cut(text, strlen(text), TASK_MAX);
		total += len;
		js_add_new(list, json_object_new_string_len(text, (int)len));
	}
	strbuf_add(out, "{\"user messages, the newest first\": ");
	js_put(out, list);
}

/* Does this event show an action of the agent? */
static bool is_work(const struct evlog_head *head)
{
	if (head->undone || head->type->id == ACTION_SYSTEM ||
	    head->type->id == ACTION_MESSAGE || head->type->id == ACTION_FINISH)
		return false;
	return head->source == SOURCE_AGENT &&
	       (head->type->is_action ? head->has_call : head->cause >= 0);
}

/* Calls and results since the first event of the agent; only the newest if they are
 * too long. */
static void put_work(struct conversation *c, struct strbuf *out)
{
	AUTO(json) json_object *list = js_new_list();
	const struct agent_frame *agent = conversation_agent(c);
	struct evlog *log = conversation_log(c);
	size_t total = 0;
	int64_t id = evlog_count(log) - 1;

	for (; id >= agent->start && total < EVENTS_MAX; id--) {
		struct mt_str text;
		size_t len;

		if (!is_work(evlog_head(log, id)))
			continue;
		text = request_messages_text(agent->memory, id);
		len = utf8_cut(text.ptr, text.len, EVENT_MAX);
		total += len;
		js_add_new(list, json_object_new_string_len(text.ptr, (int)len));
	}
	strbuf_add(out, ", \"calls of the agent and their results, the newest first\": ");
	js_put(out, list);
	js_key_bool(out, "earlier calls are not shown", id >= agent->start);
}

/* The newest message of the agent: from the action finish, or a reply without a call. */
static void put_last_message(struct conversation *c, struct strbuf *out)
{
	struct evlog *log = conversation_log(c);

	for (int64_t id = evlog_count(log) - 1; id >= 0; id--) {
		const struct evlog_head *head = evlog_head(log, id);
		AUTO(event) struct event *e = NULL;
		const char *text;

		if (head->undone || head->source != SOURCE_AGENT ||
		    (head->type->id != ACTION_FINISH && head->type->id != ACTION_MESSAGE))
			continue;
		e = evlog_event(log, id, NULL);
		text = !e                                ? ""
		       : head->type->id == ACTION_FINISH ? event_arg(e, "final_thought")
							 : event_arg(e, "content");
		js_key_strn(out, "last message of the agent", text,
			    utf8_cut(text, strlen(text), TASK_MAX));
		return;
	}
}

static void put_task_and_work(struct conversation *c, struct strbuf *out)
{
	put_task(c, out);
	put_work(c, out);
	put_last_message(c, out);
	strbuf_addc(out, '}');
}

/* The agent reads the reason, and continues. */
static void continue_agent(struct conversation *c, const char *why)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16384);
	struct error err = ERROR_NONE;
	json_object *args = js_new_object();

	strbuf_addf(&text,
		    "[From the judge, a second model that reads your work, not from the "
		    "user] The task is not done yet: %s\nContinue. If the judge "
		    "is wrong, say why when you finish.",
		    *why ? why : "it gave no reason.");
	js_set_strn(args, "content", text.text, text.len);
	unattended_reset(conversation_agent(c));
	conversation_log_event(c, event_action("message", SOURCE_ENVIRONMENT, args, &err),
			       &err);
}

static void feature_judge_rest(struct conversation *c)
{
	feature_judge_state(c)->accepted =
		true; /* other features may have more work for the agent */
	conversation_rest(c, feature_judge_state(c)->rest,
			  feature_judge_state(c)->rest_reason);
}

static int64_t rounds_max(const struct conversation *c)
{
	return config_int(conversation_config(c), conversation_agent(c)->section,
			  "judge_rounds");
}

static void on_verdict(struct conversation *c, const char *text)
{
	struct judge *j = feature_judge_state(c);
	const char *why = judge_answer_after(text, "no");
	if (conversation_state(c) != STATE_RUNNING)
		return; /* paused or stopped */
	if (text && !why && !judge_answer_after(text, "yes"))
		judge_report(c, "its answer is neither yes nor no");
	if (why && j->rounds < rounds_max(c)) {
		j->rounds++;
		continue_agent(c, why);
		return;
	}
	if (why)
		conversation_notice(c, MT_LOG_WARNING,
				    "the judge still says that the task is not done: %s",
				    why);
	feature_judge_rest(c);
}

static bool feature_judge_before_rest(struct conversation *c, enum agent_state next,
				      const char *reason)
{
	AUTO(strbuf) struct strbuf data = STRBUF(DATA_MAX);
	struct judge *j = feature_judge_state(c);

	if (next != STATE_FINISHED || !judge_is_set(c) || !rounds_max(c) || j->accepted ||
	    agents_depth(c) || replay_is_active(c) || conversation_is_closing(c))
		return false;
	j->rest = next;
	j->rest_reason = reason;
	put_task_and_work(c, &data);
	judge_ask(c, "judge_done", &data, on_verdict);
	return true;
}

/* ---- the points -------------------------------------------------------------- */

static int feature_judge_open_agent(struct conversation *c, struct agent_frame *agent,
				    struct error *err)
{
	const char *name = config_get(conversation_config(c), agent->section, "judge");
	AUTO(strbuf) struct strbuf from = STRBUF(256);

	if (!name || !*name)
		return MT_OK;
	strbuf_addf(&from, "[%s] judge", agent->section);
	return named_model(c, name, from.text, model_of(agent), err);
}

static void feature_judge_after_message(struct conversation *c, bool first)
{
	(void)first;
	feature_judge_state(c)->rounds = 0;
	feature_judge_state(c)->accepted = false;
}

/* The agent acted: the judge is asked again when it finishes. */
static void feature_judge_before_action(struct conversation *c, struct event *action)
{
	if (action->source == SOURCE_AGENT && (action->type->flags & EVENT_RUNNABLE))
		feature_judge_state(c)->accepted = false;
}

static const char *feature_judge_blocks_step(struct conversation *c)
{
	return judge_is_asked(c) ? "waiting for the judge" : NULL;
}

static void drop_question(struct conversation *c)
{
	struct question_to_judge *q = feature_judge_state(c)->open;

	if (!q)
		return;
	feature_judge_state(c)->open = NULL;
	llm_cancel(q->exchange);
	uv_close((uv_handle_t *)&q->timer, feature_judge_on_closed);
}

/* An agent that has finished remains finished. */
static void feature_judge_cancel(struct conversation *c)
{
	const struct question_to_judge *q = feature_judge_state(c)->open;
	bool of_end = q && q->answered == on_verdict;

	drop_question(c);
	if (of_end && !conversation_is_closing(c))
		conversation_set_state(c, feature_judge_state(c)->rest,
				       feature_judge_state(c)->rest_reason);
}

static void feature_judge_restore_usage(struct conversation *c, struct llm_metrics *sum)
{
	side_usage_restore(c, USAGE_JUDGE, sum);
}

static const char *const usage_states[] = { USAGE_JUDGE, NULL };

const struct feature judge_feature = {
	.name = "judge",
	.usage_states = usage_states,
	.state_size = sizeof(struct judge),
	.agent_state_size = sizeof(struct llm *),
	.open_agent = feature_judge_open_agent,
	.adding_message = drop_question, /* calls are refused, and the agent continues */
	.after_message = feature_judge_after_message,
	.before_rest = feature_judge_before_rest,
	.before_action = feature_judge_before_action,
	.blocks_step = feature_judge_blocks_step,
	.is_busy = judge_is_asked,
	.restore_usage = feature_judge_restore_usage,
	.cancel = feature_judge_cancel,
};
