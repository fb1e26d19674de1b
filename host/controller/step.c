/* SPDX-License-Identifier: MIT
 *
 * step.c - the step: guards, view, condensers, agent, model, actions.
 *
 * A step begins when the agent is running, nothing is pending and no request
 * is under way. Actions that are queued from one reply are taken first, one a
 * step, and cost no iteration. */
#include "controller/internal.h"

#include "context/prompts.h"
#include "controller/exit-code.h"
#include "controller/task-list.h"
#include "files.h"
#include "log.h"

#include <config.h>

#include <string.h>

enum { TEXT_ONLY_MAX = 3 }; /* replies without a call in a row, headless */
enum { DELTA_MAX = 16 << 20 };

static void drop_planned(struct planned_action *p)
{
	free(p->type);
	free(p->text);
	*p = (struct planned_action){ 0 };
}

void turn_clear(struct conversation *c)
{
	for (size_t i = c->agent->next; i < c->agent->queued; i++)
		drop_planned(&c->agent->queue[i]);
	c->agent->queued = c->agent->next = 0;
	c->agent->reply = llm_reply_free(c->agent->reply);
	parallel_cancel(c);
}

/* ---- from what an agent planned to events ------------------------------ */

static int set_meta(struct conversation *c, struct event *e, const char *call_id,
		    const char *function)
{
	if (!c->agent->reply)
		return MT_OK;
	return event_set_tool_meta(e, function, call_id, c->agent->reply->response_id,
				   (int)c->agent->reply->call_count);
}

void conversation_log_model_error(struct conversation *c, const char *call_id,
				  const char *function, const char *text)
{
	struct error err = ERROR_NONE;
	struct event *e = event_observation("error", SOURCE_AGENT, -1, text, strlen(text),
					    NULL, &err);

	if (e && call_id && set_meta(c, e, call_id, function))
		e = event_unref(e);
	conversation_log_event(c, e, &err);
}

void turn_refuse(struct conversation *c, const char *why)
{
	for (size_t i = c->agent->next; c->agent->reply && i < c->agent->queued; i++) {
		const struct llm_call *call =
			&c->agent->reply->calls[c->agent->queue[i].call];

		if (c->agent->queue[i].kind == PLAN_CALL)
			conversation_log_model_error(c, call->id, call->name, why);
	}
	turn_clear(c);
}

/* The reasoning of a reply goes with its first action. */
static int add_reasoning(struct conversation *c, struct event *e)
{
	if (!c->agent->reply || !c->agent->reply->reasoning ||
	    !*c->agent->reply->reasoning)
		return MT_OK;
	return js_set_str(e->json, "reasoning_content", c->agent->reply->reasoning);
}

/* Observations that the controller gives itself. */
static void observe(struct conversation *c, struct event *action, const char *type,
		    const char *content, json_object *extras)
{
	struct error err = ERROR_NONE;
	struct event *e = event_observation(type, action->source, action->id, content,
					    strlen(content), extras, &err);
	json_object *meta = event_tool_meta(action);

	if (e && meta)
		js_set(e->json, "tool_call_metadata", json_object_get(meta));
	conversation_log_event(c, e, &err);
}

/* What to say to a model that only talks when nobody can answer. */
static void continue_alone(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *data = json_object_new_object();

	if (++c->agent->text_only >= TEXT_ONLY_MAX) {
		hook_runner_rest(
			c, STATE_AWAITING_USER_INPUT,
			"the model talks and calls no tool, and nobody is there to "
			"answer");
		return;
	}
	text = prompt_render(c->config, c->agent->plugin.component->name, "continue",
			     data, &err);
	if (!text) {
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	js_set_str(data, "content", text);
	conversation_log_event(c, event_action("message", SOURCE_USER, STEAL(data), &err),
			       &err);
}

/* Is a reply without a tool call the end of the task? */
static bool is_answer(const struct conversation *c, const char *text)
{
	const char *rule = config_get(c->config, c->agent->section, "text_only");

	if (!text[strspn(text, " \t\r\n")])
		return false;
	return strcmp(rule, "done") == 0 ||
	       (strcmp(rule, "auto") == 0 && c->answers && !c->parent_count);
}

/* `asks`: it waits for an answer, and has not come to an end; `text` is what it said. */
static void wait_for_user(struct conversation *c, bool asks, const char *text)
{
	if (history_user_since(c->log, c->request_event_count))
		return; /* the user has said more in the meantime */
	if (c->headless && !asks && is_answer(c, text))
		hook_runner_rest(c, STATE_FINISHED, "");
	else if (c->headless)
		continue_alone(c);
	else if (asks)
		conversation_set_state(c, STATE_AWAITING_USER_INPUT, "");
	else
		hook_runner_rest(c, STATE_AWAITING_USER_INPUT, "");
}

/* A copy for people; the list itself is in the log. */
static void copy_tasks(struct conversation *c, const struct strbuf *text)
{
	AUTO(free) char *path = path_join(c->dir, "TASKS.md");
	struct error err = ERROR_NONE;

	if (path && file_write(path, text->text, text->len, 0600, false, &err))
		log_line(MT_LOG_WARNING, "controller", "TASKS.md: %s", err.text);
}

static void track_tasks(struct conversation *c, struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(16 << 20), said = STRBUF(16 << 20);
	const char *command = event_arg(e, "command");
	bool plans = strcmp(command, "plan") == 0;
	AUTO(json) json_object *list =
		plans ? json_object_get(js_get(event_args(e), "task_list"))
		      : tasks_newest(c->agent->history, c->log);
	json_object *extras = json_object_new_object();

	if (!plans && strcmp(command, "view") != 0) {
		json_object_put(extras);
		strbuf_addf(&said, "Unknown command: %s. There are view and plan.",
			    command);
		observe(c, e, "error", said.text, NULL);
		return;
	}
	tasks_text(list, &text);
	if (plans) {
		tasks_planned(list, &said);
		strbuf_addc(&text, '\n');
		copy_tasks(c, &text);
	}
	js_set_str(extras, "command", command);
	js_set(extras, "task_list",
	       list ? json_object_get(list) : json_object_new_array());
	observe(c, e, "task_tracking", plans ? said.text : text.text, extras);
}

void action_resume(struct conversation *c, struct event *e)
{
	struct verdict v;
	bool yes = false, answer = confirm_is_answer(e, &yes);
	enum gate gate = GATE_RUN;

	if (answer && !yes) {
		confirm_rejected(c, e);
		return;
	}
	if (!answer && (e->type->flags & EVENT_RUNNABLE))
		gate = confirm_gate(c, e, &v);
	if (gate == GATE_WAIT)
		confirm_wait_again(c, e, &v);
	else if (gate == GATE_DENY)
		confirm_refuse(c, e, &v);
	else
		action_handle(c, e);
}

void action_handle(struct conversation *c, struct event *e)
{
	const char *type = e->type->name;

	if (e->type->flags & EVENT_RUNNABLE) {
		c->pending = e->id;
		dispatch_action(c, e);
	} else if (strcmp(type, "think") == 0) {
		observe(c, e, "think", "Your thought has been logged.", NULL);
	} else if (strcmp(type, "finish") == 0) {
		turn_clear(c);
		hook_runner_rest(c, STATE_FINISHED, "");
	} else if (strcmp(type, "reject") == 0) {
		turn_clear(c);
		conversation_set_state(c, STATE_REJECTED, event_arg(e, "thought"));
	} else if (strcmp(type, "condensation_request") == 0) {
		c->agent->condense = true;
	} else if (strcmp(type, "delegate") == 0) {
		delegate_begin(c, e);
	} else if (strcmp(type, "task_tracking") == 0) {
		track_tasks(c, e);
	} else if (strcmp(type, "message") == 0 && event_tool_meta(e)) {
		turn_clear(c); /* what else was planned did not know the answer */
		wait_for_user(c, true, "");
	}
}

/* The bill so far, as V0 puts it on actions. */
static void add_metrics(const struct conversation *c, struct event *e)
{
	const struct llm_usage_totals *bill = conversation_bill(c);
	const struct llm_metrics *m = bill ? llm_usage_totals_sum(bill) : NULL;
	json_object *o, *u;
	double budget = c->budget.quotas[LIMIT_COST].max;

	if (!m || !c->agent->llm)
		return;
	o = json_object_new_object();
	u = json_object_new_object();
	js_set(o, "accumulated_cost", js_new_number(m->cost));
	js_set(o, "max_budget_per_task", budget > 0 ? js_new_number(budget) : NULL);
	js_set_str(u, "model", llm_name(c->agent->llm));
	js_set_int(u, "prompt_tokens", m->input);
	js_set_int(u, "completion_tokens", m->output);
	js_set_int(u, "cache_read_tokens", m->cache_read);
	js_set_int(u, "cache_write_tokens", m->cache_write);
	js_set_int(u, "context_window",
		   llm_context_window(c->agent->llm) > 0
			   ? llm_context_window(c->agent->llm)
			   : 0);
	js_set_int(u, "per_turn_token", c->turn_tokens);
	js_set(o, "accumulated_token_usage", u);
	js_set(e->json, "llm_metrics", o);
}

void action_log(struct conversation *c, struct event *e)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *kept = event_ref(e);
	enum gate gate = GATE_RUN;
	struct verdict v;

	if (e)
		add_metrics(c, e);
	if (e && strcmp(e->type->name, "message") != 0)
		c->agent->text_only = 0;
	if (e && (e->type->flags & EVENT_RUNNABLE))
		gate = confirm_gate(c, e, &v);
	if (gate == GATE_WAIT)
		confirm_wait(c, e, &v);
	else if (conversation_log_event(c, e, &err) < 0)
		return;
	else if (gate == GATE_DENY)
		confirm_refuse(c, kept, &v);
	else
		action_handle(c, kept);
}

/* Of a reply that was read back from the log. */
static const char masked_call[] =
	"The call was not made: its arguments contained a secret, which the log does not "
	"keep, and the process that knew it has ended. Make the call again.";

bool turn_call_is_masked(const struct llm_reply *reply, size_t n)
{
	return reply->masked && reply->masked[n];
}

static void do_call(struct conversation *c, size_t n)
{
	const struct llm_call *call = &c->agent->reply->calls[n];
	struct error err = ERROR_NONE;
	const struct tool *tool = NULL;
	bool masked = turn_call_is_masked(c->agent->reply, n);
	AUTO(event) struct event *e =
		masked ? NULL
		       : call_event(&c->agent->catalog, call->name, call->args,
				    call->args_len, n == 0 ? c->agent->reply->text : "",
				    &tool, &err);

	if (!e || set_meta(c, e, call->id, tool->name) ||
	    (n == 0 && add_reasoning(c, e))) {
		c->agent->text_only = 0;
		conversation_log_model_error(c, call->id, tool ? tool->name : call->name,
					     masked     ? masked_call
					     : err.code ? err.text
							: "out of memory");
		return;
	}
	action_log(c, STEAL(e));
}

static void do_action(struct conversation *c, const struct planned_action *p)
{
	struct error err = ERROR_NONE;
	json_object *args = p->text[0] ? js_parse_object(p->text, strlen(p->text), &err)
				       : json_object_new_object();
	struct event *e = args ? event_action(p->type, SOURCE_AGENT, args, &err) : NULL;

	if (e)
		action_log(c, e);
	else
		conversation_log_model_error(c, NULL, NULL, err.text);
}

static void do_message(struct conversation *c, const struct planned_action *p)
{
	struct error err = ERROR_NONE;
	struct event *e = message_event(p->text, strlen(p->text), p->wait, &err);

	if (e)
		add_reasoning(c, e);
	if (conversation_log_event(c, e, &err) >= 0 && p->wait)
		wait_for_user(c, false, p->text);
}

/* Take the next thing that the agent planned. */
static void take_planned(struct conversation *c)
{
	struct planned_action p = c->agent->queue[c->agent->next];

	c->agent->queue[c->agent->next++] = (struct planned_action){ 0 };
	switch (p.kind) {
	case PLAN_CALL:
		do_call(c, p.call);
		break;
	case PLAN_ACTION:
		do_action(c, &p);
		break;
	case PLAN_MESSAGE:
		do_message(c, &p);
		break;
	case PLAN_ERROR:
		c->agent->text_only = 0;
		conversation_log_model_error(c, NULL, NULL, p.text);
		break;
	}
	drop_planned(&p);
	if (c->agent->next == c->agent->queued)
		turn_clear(c);
}

/* ---- the model --------------------------------------------------------- */

/* Whoever looks on sees no secret either. */
static void tell_delta(struct conversation *c, bool reasoning, const char *text,
		       size_t len, bool last)
{
	AUTO(strbuf) struct strbuf out = STRBUF(DELTA_MAX);

	mask_stream_chunk(&c->reply_masks[reasoning], &out, text, len, last);
	if (out.len)
		NOTIFY_WATCHERS(c, delta, reasoning, out.text, out.len);
}

static void on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	tell_delta(arg, reasoning, text, len, false);
}

/* What streamed is over: nothing stays held back for the next reply. */
static void end_deltas(struct conversation *c)
{
	tell_delta(c, true, "", 0, true);
	tell_delta(c, false, "", 0, true);
}

static void on_retry(void *arg, const struct llm_error *why, int64_t wait_ms)
{
	struct conversation *c = arg;

	end_deltas(c);
	request_on_retry(c, why, wait_ms);
}

static void on_again(void *arg)
{
	request_on_resume(arg);
}

static void on_switched(void *arg, const struct llm_error *why, const struct llm *next)
{
	struct conversation *c = arg;

	end_deltas(c);
	request_on_fallback(c, why, next);
}

/* Events find their reply by its id: one that came before gets another. */
static int make_id_unique(struct conversation *c, struct llm_reply *reply,
			  struct error *err)
{
	AUTO(strbuf) struct strbuf id = STRBUF(1 << 20);

	for (int64_t n = evlog_replies(c->log);
	     id.error == MT_OK &&
	     evlog_has_reply(c->log, id.len ? id.text : reply->response_id);
	     n++) {
		strbuf_reset(&id);
		strbuf_addf(&id, "%s#%lld", reply->response_id, (long long)n);
	}
	if (id.error)
		return fail(err, id.error, "the id of the reply: %s",
			    status_name(id.error));
	if (id.len) {
		free(reply->response_id);
		reply->response_id = strbuf_take(&id);
	}
	return MT_OK;
}

static int log_reply(struct conversation *c, struct llm_reply *reply, struct error *err)
{
	AUTO(json) json_object *record = NULL;

	if (make_id_unique(c, reply, err))
		return err->code;
	record = llm_reply_json(reply);
	budget_update_clock(c);
	if (!record || js_set_int(record, "before", evlog_count(c->log)) ||
	    js_set(record, "worked", js_new_number(c->budget.quotas[LIMIT_TIME].used)))
		return out_of_memory(err);
	return evlog_record(c->log, record, err);
}

int turn_replan(struct conversation *c, struct llm_reply *reply, size_t done,
		struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin, .is_agent = true };
	const struct mt_in in = {
		.size = sizeof in, .what = MT_REPLIED, .effect = 1,
		.reply = (const struct mt_reply *)reply,
		.state = { c->agent->state_text, c->agent->state_text ? strlen(c->agent->state_text) : 0 },
	};
	int r;

	turn_clear(c);
	c->agent->reply = reply;
	log_context(c->agent->plugin.component->plugin, c->agent->plugin.component->name,
		    NULL);
	r = agent->advance(plugin_host(), plugin_agent_out(), &x, &in);
	log_context(NULL, NULL, NULL);
	if (r)
		fail(err, r, "agent %s: %s", c->agent->plugin.component->name,
		     x.error.code ? x.error.text : status_name(r));
	plugin_ctx_clear(&x);
	while (!r && done-- > 0 && c->agent->next < c->agent->queued)
		drop_planned(&c->agent->queue[c->agent->next++]);
	if (c->agent->next == c->agent->queued)
		turn_clear(c);
	return r;
}

static void on_done(void *arg, struct llm_reply *reply)
{
	struct conversation *c = arg;
	struct error err = ERROR_NONE;

	request_clear(c);
	end_deltas(c);
	if (log_reply(c, reply, &err)) {
		llm_reply_free(reply);
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	budget_charge_reply(c, &reply->usage);
	c->turn_tokens = (reply->usage.input > 0 ? reply->usage.input : 0) +
			 (reply->usage.output > 0 ? reply->usage.output : 0);
	c->step_requested = true;
	NOTIFY_WATCHERS(c, reply, reply);
	if (turn_replan(c, reply, 0, &err))
		conversation_set_error(c, EXIT_FAILED, "%s", err.text);
	else if (!c->agent->queued)
		conversation_log_model_error(
			c, NULL, NULL, "The reply held neither text nor a tool call.");
	step_run_ready(c);
}

static void on_failed(void *arg, const struct llm_error *error)
{
	struct conversation *c = arg;
	struct error err = ERROR_NONE;
	struct error_policy r = error_policy_of(error, !c->agent->condense);

	request_clear(c);
	end_deltas(c);
	if (r.condense) {
		snprintf(c->agent->refused, sizeof c->agent->refused, "%s", error->text);
		action_log(c, event_action("condensation_request", SOURCE_AGENT, NULL,
					   &err));
		step_run_ready(c);
		return;
	}
	c->status = r.status;
	conversation_set_error(c, EXIT_MODEL, "%s", error->text);
}

static const struct llm_events llm_events = {
	.delta = on_delta,
	.retry = on_retry,
	.again = on_again,
	.switched = on_switched,
	.done = on_done,
	.failed = on_failed,
};

/* ---- one step ---------------------------------------------------------- */

int step_advance_agent(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	const struct mt_in in = {
		.size = sizeof in, .what = MT_START,
		.state = { c->agent->state_text, c->agent->state_text ? strlen(c->agent->state_text) : 0 },
	};
	int r;

	if (c->agent->condense) {
		conversation_set_error(
			c, EXIT_MODEL,
			"%s; no condenser that is wired can shorten the "
			"history: add one to `condensers` of the controller",
			c->agent->refused[0] ? c->agent->refused
					     : "a condensation was asked for");
		return MT_OK;
	}
	x->part = &c->agent->plugin;
	x->is_agent = true;
	x->sent = false;
	log_context(c->agent->plugin.component->plugin, c->agent->plugin.component->name,
		    NULL);
	r = agent->advance(plugin_host(), plugin_agent_out(), x, &in);
	log_context(NULL, NULL, NULL);
	if (r)
		return fail(err, r, "agent %s: %s", c->agent->plugin.component->name,
			    x->error.code ? x->error.text : status_name(r));
	if (x->sent) {
		r = request_send(c, x, &llm_events, err);
		if (!r)
			runner_soon(c);
		return r;
	}
	if (!c->agent->queued)
		conversation_log_model_error(c, NULL, NULL,
					     "The agent put out no action.");
	return MT_OK;
}

int step_advance_prepared(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	int r = request_messages_prepare(c->agent->memory, x->view, x->view_count,
					 slice_end(), &x->prepared, err);

	if (r)
		return r;
	return x->prepared < x->view_count ? slices_wait(c, x, err)
					   : step_advance_agent(c, x, err);
}

static int begin(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	enum condensing what = CONDENSE_DONE;
	int r = history_view(c->agent->history, &x->view, &x->view_count, err);

	if (!r)
		r = condense_view(x, &what, err);
	return r || what != CONDENSE_DONE ? r : step_advance_prepared(c, x, err);
}

void step_prepared(struct conversation *c)
{
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin };
	struct error err = ERROR_NONE;
	bool more = false;
	int r = history_prepare(c->agent->history, slice_end(), &more, &err);

	if (!r)
		r = more ? slices_wait(c, &x, &err) : begin(c, &x, &err);
	if (r)
		conversation_set_error(c, x.sent ? EXIT_MODEL : EXIT_FAILED, "%s",
				       err.code ? err.text : x.error.text);
	plugin_ctx_clear(&x);
}

static void step(struct conversation *c)
{
	char limit[256];

	if (c->agent->next < c->agent->queued) {
		take_planned(c);
		c->step_requested |= c->agent->next < c->agent->queued;
		return;
	}
	if (replay_step(c) || stuck_handle(c))
		return;
	if (budget_reached(c, LIMITS_STEP, limit, sizeof limit)) {
		budget_stop(c, limit);
		return;
	}
	budget_spend(c->agent->budget, LIMIT_ITERATIONS, 1);
	log_line(MT_LOG_INFO, "controller",
		 "step level=%u local=%.0f global=%lld events=%lld", c->parent_count,
		 c->agent->budget->quotas[LIMIT_ITERATIONS].used,
		 (long long)conversation_steps(c), (long long)evlog_count(c->log));
	step_prepared(c);
}

static bool may_step(struct conversation *c)
{
	return c->state == STATE_RUNNING && c->pending < 0 && !c->exchange &&
	       !c->closing && !slices_busy(c) && !hook_runner_is_busy(c) &&
	       !relist_holds(c);
}

static const char *why_blocked(const struct conversation *c)
{
	return c->closing                  ? "closing"
	       : c->state != STATE_RUNNING ? state_name(c->state)
	       : c->pending >= 0           ? "an action is pending"
	       : c->exchange               ? "a request is in progress"
	       : slices_busy(c)            ? "the history is being read"
	       : hook_runner_is_busy(c)    ? "a hook is running"
	       : c->tool_list_awaited      ? "a list of tools is awaited"
					   : "nothing to do";
}

/* ---- what is offered ---------------------------------------------------- */

/* Which agents there are. NULL: out of memory. */
static json_object *name_delegates(const struct conversation *c, json_object *schema)
{
	AUTO(json) json_object *copy = NULL;
	json_object *names = json_object_new_array();
	const char *list = config_get(c->config, c->agent->section, "delegates"), *item;
	size_t len;

	while (names && list && list_next(&list, &item, &len))
		js_add(names, json_object_new_string_len(item, (int)len));
	if (json_object_deep_copy(schema, &copy, NULL) ||
	    js_set(js_path(copy, "properties.agent"), "enum", names))
		return NULL;
	return STEAL(copy);
}

static bool is_delegate(const struct tool *t)
{
	return (t->hints & MT_TOOL_CONTROL) && strcmp(t->name, "delegate") == 0;
}

/* Nobody is offered an agent where none is wired, nor all of very many tools. */
static bool is_offered(const struct conversation *c, const struct tool *t)
{
	const char *list = config_get(c->config, c->agent->section, "delegates");

	return (!is_delegate(t) || (list && *list)) && !tool_search_defers(c, t);
}

/* What a tool asks for; with its risk, if somebody goes by what the model says. */
static json_object *offered_schema(const struct conversation *c, const struct tool *t)
{
	bool sandboxed = strcmp(c->runtime.component->name, "local") != 0;

	if (is_delegate(t))
		return name_delegates(c, t->schema_json);
	if (!c->agent->catalog.reads_risk || tool_only_reads(t) ||
	    (t->hints & MT_TOOL_CONTROL))
		return json_object_get(t->schema_json);
	return risk_schema(t->schema_json, sandboxed);
}

static json_object *offered_tools(const struct conversation *c)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < c->agent->catalog.count; i++) {
		const struct tool *t = &c->agent->catalog.tools[i];
		json_object *f, *o;

		if (!is_offered(c, t))
			continue;
		f = json_object_new_object();
		o = json_object_new_object();
		js_set_str(f, "name", t->name);
		js_set_str(f, "description", t->description);
		js_set(f, "parameters", offered_schema(c, t));
		js_set_str(o, "type", "function");
		js_set(o, "function", f);
		if (!tool_search_describe(c, t, f) &&
		    *t->brief) /* beside what a model is sent of it */
			js_set_str(o, "brief", t->brief);
		js_add(list, o);
	}
	return list;
}

/* What toolsets have listed since is offered from the next request on. */
static void renew_tools(struct conversation *c)
{
	AUTO(json) json_object *list = NULL;

	if (c->parent_count) /* the catalogs are shared while an agent works for another */
		return;
	for (size_t i = 0; i < c->delegate_count; i++)
		catalog_renew(&c->delegates[i].catalog);
	if (!c->requested_tools)
		tool_search_resume(c);
	c->tools_dirty |= catalog_renew(&c->agent->catalog);
	list = c->tools_dirty ? offered_tools(c) : NULL;
	c->tools_dirty = false;
	if (list && c->agent->memory)
		request_messages_offer(c->agent->memory, list);
}

void step_run_ready(struct conversation *c)
{
	if (c->stepping)
		return;
	c->stepping = true;
	while (may_step(c)) {
		if (!c->step_requested && c->agent->next == c->agent->queued)
			conversation_log_model_error(c, NULL, NULL,
						     "The action has no effect.");
		c->step_requested = false;
		renew_tools(c);
		step(c);
	}
	if (log_wants(MT_LOG_DEBUG))
		log_line(MT_LOG_DEBUG, "controller", "blocked step level=%u reason=%s",
			 c->parent_count, why_blocked(c));
	c->stepping = false;
}

/* ---- the first event --------------------------------------------------- */

int step_log_system(struct conversation *c, struct error *err)
{
	const struct mt_agent *agent = c->agent->plugin.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent->plugin, .is_agent = true };
	json_object *args = json_object_new_object();
	const char *suffix = config_get(c->config, c->agent->section, "system_suffix");
	AUTO(strbuf) struct strbuf whole = STRBUF(16 << 20);
	struct mt_str text = { "", 0 };
	int r = agent->system(plugin_host(), &x, &text);
	int64_t id;

	if (r) {
		fail(err, r, "agent %s: %s", c->agent->plugin.component->name,
		     x.error.code ? x.error.text : status_name(r));
	} else {
		strbuf_addn(&whole, text.ptr, text.len);
		if (suffix && *suffix)
			strbuf_addf(&whole, "%s%s", whole.len ? "\n\n" : "", suffix);
		js_set_strn(args, "content", whole.text, whole.len);
		js_set(args, "tools", offered_tools(c));
		js_set_str(args, "openhands_version", "mortise " VERSION);
		js_set_str(args, "agent_class", c->agent->plugin.component->name);
		id = conversation_log_event(c,
					    event_action("system", SOURCE_AGENT,
							 json_object_get(args), err),
					    err);
		r = id < 0 ? (int)id : MT_OK;
	}
	json_object_put(args);
	plugin_ctx_clear(&x);
	return r;
}
