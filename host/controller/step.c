/* SPDX-License-Identifier: MIT
 *
 * step.c - the step: guards, view, condensers, agent, model, actions.
 *
 * A step begins when the agent is running, nothing is pending and no request
 * is under way. Actions that are queued from one reply are taken first, one a
 * step, and cost no iteration. */
#include "controller/internal.h"

#include "context/prompts.h"
#include "controller/exit_code.h"
#include "controller/tasks.h"
#include "files.h"
#include "log.h"

#include <config.h>

#include <string.h>

enum { TEXT_ONLY_MAX = 3 }; /* replies without a call in a row, headless */
enum { DELTA_MAX = 16 << 20 };

static void drop_planned(struct planned *p)
{
	free(p->type);
	free(p->text);
	*p = (struct planned){ 0 };
}

void clear_queue(struct conversation *c)
{
	for (size_t i = c->next; i < c->queued; i++)
		drop_planned(&c->queue[i]);
	c->queued = c->next = 0;
	c->reply = llm_reply_free(c->reply);
	ahead_drop(c);
}

/* ---- from what an agent planned to events ------------------------------ */

static int set_meta(struct conversation *c, struct event *e, const char *call_id,
		    const char *function)
{
	if (!c->reply)
		return MT_OK;
	return event_set_tool_meta(e, function, call_id, c->reply->response_id,
				   (int)c->reply->call_count);
}

void post_complaint(struct conversation *c, const char *call_id, const char *function,
		    const char *text)
{
	struct error err = ERROR_NONE;
	struct event *e = event_observation("error", SOURCE_AGENT, -1, text, strlen(text),
					    NULL, &err);

	if (e && call_id && set_meta(c, e, call_id, function))
		e = event_unref(e);
	post(c, e, &err);
}

void refuse_queue(struct conversation *c, const char *why)
{
	for (size_t i = c->next; c->reply && i < c->queued; i++) {
		const struct llm_call *call = &c->reply->calls[c->queue[i].call];

		if (c->queue[i].kind == PLAN_CALL)
			post_complaint(c, call->id, call->name, why);
	}
	clear_queue(c);
}

/* The reasoning of a reply goes with its first action. */
static int add_reasoning(struct conversation *c, struct event *e)
{
	if (!c->reply || !c->reply->reasoning || !*c->reply->reasoning)
		return MT_OK;
	return js_set_str(e->json, "reasoning_content", c->reply->reasoning);
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
	post(c, e, &err);
}

/* What to say to a model that only talks when nobody can answer. */
static void continue_alone(struct conversation *c)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *data = json_object_new_object();

	if (++c->text_only >= TEXT_ONLY_MAX) {
		hooking_rest(c, STATE_AWAITING_USER_INPUT,
			     "the model talks and calls no tool, and nobody is there to "
			     "answer");
		return;
	}
	text = prompt_render(c->config, c->agent.component->name, "continue", data, &err);
	if (!text) {
		set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	js_set_str(data, "content", text);
	post(c, event_action("message", SOURCE_USER, STEAL(data), &err), &err);
}

/* Is a reply without a tool call the end of the task? */
static bool is_answer(const struct conversation *c, const char *text)
{
	const char *rule = config_get(c->config, c->section, "text_only");

	if (!text[strspn(text, " \t\r\n")])
		return false;
	return strcmp(rule, "done") == 0
	       || (strcmp(rule, "auto") == 0 && c->answers && !c->level);
}

/* `asks`: it waits for an answer, and has not come to an end; `text` is what it said. */
static void wait_for_user(struct conversation *c, bool asks, const char *text)
{
	if (history_user_since(c->log, c->asked_at))
		return; /* the user has said more in the meantime */
	if (c->headless && !asks && is_answer(c, text))
		hooking_rest(c, STATE_FINISHED, "");
	else if (c->headless)
		continue_alone(c);
	else if (asks)
		set_state(c, STATE_AWAITING_USER_INPUT, "");
	else
		hooking_rest(c, STATE_AWAITING_USER_INPUT, "");
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
		      : tasks_newest(c->history, c->log);
	json_object *extras = json_object_new_object();

	if (!plans && strcmp(command, "view") != 0) {
		json_object_put(extras);
		strbuf_addf(&said, "Unknown command: %s. There are view and plan.", command);
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
	js_set(extras, "task_list", list ? json_object_get(list) : json_object_new_array());
	observe(c, e, "task_tracking", plans ? said.text : text.text, extras);
}

void act_again(struct conversation *c, struct event *e)
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
		act(c, e);
}

void act(struct conversation *c, struct event *e)
{
	const char *type = e->type->name;

	if (e->type->flags & EVENT_RUNNABLE) {
		c->pending = e->id;
		dispatch(c, e);
	} else if (strcmp(type, "think") == 0) {
		observe(c, e, "think", "Your thought has been logged.", NULL);
	} else if (strcmp(type, "finish") == 0) {
		clear_queue(c);
		hooking_rest(c, STATE_FINISHED, "");
	} else if (strcmp(type, "reject") == 0) {
		clear_queue(c);
		set_state(c, STATE_REJECTED, event_arg(e, "thought"));
	} else if (strcmp(type, "condensation_request") == 0) {
		c->condense = true;
	} else if (strcmp(type, "delegate") == 0) {
		delegate_begin(c, e);
	} else if (strcmp(type, "task_tracking") == 0) {
		track_tasks(c, e);
	} else if (strcmp(type, "message") == 0 && event_tool_meta(e)) {
		clear_queue(c); /* what else was planned did not know the answer */
		wait_for_user(c, true, "");
	}
}

/* The bill so far, as V0 puts it on actions. */
static void add_metrics(const struct conversation *c, struct event *e)
{
	const struct llm_usage_totals *bill = conversation_bill(c);
	const struct llm_metrics *m = bill ? llm_usage_totals_sum(bill) : NULL;
	json_object *o, *u;
	double budget = c->account.meters[LIMIT_BUDGET].max;

	if (!m || !c->llm)
		return;
	o = json_object_new_object();
	u = json_object_new_object();
	js_set(o, "accumulated_cost", js_new_number(m->cost));
	js_set(o, "max_budget_per_task", budget > 0 ? js_new_number(budget) : NULL);
	js_set_str(u, "model", llm_name(c->llm));
	js_set_int(u, "prompt_tokens", m->input);
	js_set_int(u, "completion_tokens", m->output);
	js_set_int(u, "cache_read_tokens", m->cache_read);
	js_set_int(u, "cache_write_tokens", m->cache_write);
	js_set_int(u, "context_window",
		   llm_context_window(c->llm) > 0 ? llm_context_window(c->llm) : 0);
	js_set_int(u, "per_turn_token", c->turn_tokens);
	js_set(o, "accumulated_token_usage", u);
	js_set(e->json, "llm_metrics", o);
}

void post_action(struct conversation *c, struct event *e)
{
	struct error err = ERROR_NONE;
	AUTO(event) struct event *kept = event_ref(e);
	enum gate gate = GATE_RUN;
	struct verdict v;

	if (e)
		add_metrics(c, e);
	if (e && strcmp(e->type->name, "message") != 0)
		c->text_only = 0;
	if (e && (e->type->flags & EVENT_RUNNABLE))
		gate = confirm_gate(c, e, &v);
	if (gate == GATE_WAIT)
		confirm_wait(c, e, &v);
	else if (post(c, e, &err) < 0)
		return;
	else if (gate == GATE_DENY)
		confirm_refuse(c, kept, &v);
	else
		act(c, kept);
}

/* Of a reply that was read back from the log. */
static const char masked_call[] =
	"The call was not made: its arguments contained a secret, which the log does not "
	"keep, and the process that knew it has ended. Make the call again.";

bool call_masked(const struct llm_reply *reply, size_t n)
{
	return reply->masked && reply->masked[n];
}

static void do_call(struct conversation *c, size_t n)
{
	const struct llm_call *call = &c->reply->calls[n];
	struct error err = ERROR_NONE;
	const struct tool *tool = NULL;
	bool masked = call_masked(c->reply, n);
	AUTO(event) struct event *e = masked ? NULL :
		call_event(&c->catalog, call->name, call->args, call->args_len,
			   n == 0 ? c->reply->text : "", &tool, &err);

	if (!e || set_meta(c, e, call->id, tool->name) || (n == 0 && add_reasoning(c, e))) {
		c->text_only = 0;
		post_complaint(c, call->id, tool ? tool->name : call->name,
			       masked ? masked_call
			       : err.code   ? err.text : "out of memory");
		return;
	}
	post_action(c, STEAL(e));
}

static void do_action(struct conversation *c, const struct planned *p)
{
	struct error err = ERROR_NONE;
	json_object *args = p->text[0] ? js_parse_object(p->text, strlen(p->text), &err)
				       : json_object_new_object();
	struct event *e = args ? event_action(p->type, SOURCE_AGENT, args, &err) : NULL;

	if (e)
		post_action(c, e);
	else
		post_complaint(c, NULL, NULL, err.text);
}

static void do_message(struct conversation *c, const struct planned *p)
{
	struct error err = ERROR_NONE;
	struct event *e = message_event(p->text, strlen(p->text), p->wait, &err);

	if (e)
		add_reasoning(c, e);
	if (post(c, e, &err) >= 0 && p->wait)
		wait_for_user(c, false, p->text);
}

/* Take the next thing that the agent planned. */
static void take_planned(struct conversation *c)
{
	struct planned p = c->queue[c->next];

	c->queue[c->next++] = (struct planned){ 0 };
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
	case PLAN_COMPLAINT:
		c->text_only = 0;
		post_complaint(c, NULL, NULL, p.text);
		break;
	}
	drop_planned(&p);
	if (c->next == c->queued)
		clear_queue(c);
}

/* ---- the model --------------------------------------------------------- */

/* Whoever looks on sees no secret either. */
static void tell_delta(struct conversation *c, bool reasoning, const char *text, size_t len,
		       bool last)
{
	AUTO(strbuf) struct strbuf out = STRBUF(DELTA_MAX);

	hide(&c->said[reasoning], &out, text, len, last);
	if (out.len)
		TELL(c, delta, reasoning, out.text, out.len);
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
	ask_waits(c, why, wait_ms);
}

static void on_again(void *arg)
{
	ask_goes_on(arg);
}

static void on_switched(void *arg, const struct llm_error *why, const struct llm *next)
{
	struct conversation *c = arg;

	end_deltas(c);
	ask_switched(c, why, next);
}

/* Events find their reply by its id: one that came before gets another. */
static int make_id_unique(struct conversation *c, struct llm_reply *reply,
			  struct error *err)
{
	AUTO(strbuf) struct strbuf id = STRBUF(1 << 20);

	for (int64_t n = evlog_replies(c->log);
	     id.error == MT_OK && evlog_has_reply(c->log, id.len ? id.text : reply->response_id);
	     n++) {
		strbuf_reset(&id);
		strbuf_addf(&id, "%s#%lld", reply->response_id, (long long)n);
	}
	if (id.error)
		return fail(err, id.error, "the id of the reply: %s", status_name(id.error));
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
	spend_clock(c);
	if (!record || js_set_int(record, "before", evlog_count(c->log))
	    || js_set(record, "worked",
		      js_new_number(c->account.meters[LIMIT_TIME].used)))
		return out_of_memory(err);
	return evlog_record(c->log, record, err);
}

int replan(struct conversation *c, struct llm_reply *reply, size_t done,
	   struct error *err)
{
	const struct mt_agent *agent = c->agent.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent, .is_agent = true };
	const struct mt_in in = {
		.size = sizeof in, .what = MT_REPLIED, .effect = 1,
		.reply = (const struct mt_reply *)reply,
		.state = { c->kept, c->kept ? strlen(c->kept) : 0 },
	};
	int r;

	clear_queue(c);
	c->reply = reply;
	log_context(c->agent.component->plugin, c->agent.component->name, NULL);
	r = agent->advance(services(), agent_out(), &x, &in);
	log_context(NULL, NULL, NULL);
	if (r)
		fail(err, r, "agent %s: %s", c->agent.component->name,
		     x.error.code ? x.error.text : status_name(r));
	ctx_clear(&x);
	while (!r && done-- > 0 && c->next < c->queued)
		drop_planned(&c->queue[c->next++]);
	if (c->next == c->queued)
		clear_queue(c);
	return r;
}

static void on_done(void *arg, struct llm_reply *reply)
{
	struct conversation *c = arg;
	struct error err = ERROR_NONE;

	ask_over(c);
	end_deltas(c);
	if (log_reply(c, reply, &err)) {
		llm_reply_free(reply);
		set_error(c, EXIT_FAILED, "%s", err.text);
		return;
	}
	spend_reply(c, &reply->usage);
	c->turn_tokens = (reply->usage.input > 0 ? reply->usage.input : 0)
			 + (reply->usage.output > 0 ? reply->usage.output : 0);
	c->due = true;
	TELL(c, reply, reply);
	if (replan(c, reply, 0, &err))
		set_error(c, EXIT_FAILED, "%s", err.text);
	else if (!c->queued)
		post_complaint(c, NULL, NULL, "The reply held neither text nor a tool call.");
	kick(c);
}

static void on_failed(void *arg, const struct llm_error *error)
{
	struct conversation *c = arg;
	struct error err = ERROR_NONE;
	struct reaction r = model_error_reaction(error, !c->condense);

	ask_over(c);
	end_deltas(c);
	if (r.condense) {
		snprintf(c->refused, sizeof c->refused, "%s", error->text);
		post_action(c, event_action("condensation_request", SOURCE_AGENT, NULL, &err));
		kick(c);
		return;
	}
	c->status = r.status;
	set_error(c, EXIT_MODEL, "%s", error->text);
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

int think(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	const struct mt_agent *agent = c->agent.functions;
	const struct mt_in in = {
		.size = sizeof in, .what = MT_START,
		.state = { c->kept, c->kept ? strlen(c->kept) : 0 },
	};
	int r;

	if (c->condense) {
		set_error(c, EXIT_MODEL, "%s; no condenser that is wired can shorten the "
			  "history: add one to `condensers` of the controller",
			  c->refused[0] ? c->refused : "a condensation was asked for");
		return MT_OK;
	}
	x->part = &c->agent;
	x->is_agent = true;
	x->sent = false;
	log_context(c->agent.component->plugin, c->agent.component->name, NULL);
	r = agent->advance(services(), agent_out(), x, &in);
	log_context(NULL, NULL, NULL);
	if (r)
		return fail(err, r, "agent %s: %s", c->agent.component->name,
			    x->error.code ? x->error.text : status_name(r));
	if (x->sent) {
		r = ask_send(c, x, &llm_events, err);
		if (!r)
			runner_soon(c);
		return r;
	}
	if (!c->queued)
		post_complaint(c, NULL, NULL, "The agent put out no action.");
	return MT_OK;
}

int think_prepared(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	int r = memory_prepare(c->memory, x->view, x->view_count, slice_end(),
			       &x->prepared, err);

	if (r)
		return r;
	return x->prepared < x->view_count ? slices_wait(c, x, err) : think(c, x, err);
}

static int begin(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	enum condensing what = CONDENSE_DONE;
	int r = history_view(c->history, &x->view, &x->view_count, err);

	if (!r)
		r = condense(x, &what, err);
	return r || what != CONDENSE_DONE ? r : think_prepared(c, x, err);
}

void step_prepared(struct conversation *c)
{
	struct mt_ctx x = { .c = c, .part = &c->agent };
	struct error err = ERROR_NONE;
	bool more = false;
	int r = history_prepare(c->history, slice_end(), &more, &err);

	if (!r)
		r = more ? slices_wait(c, &x, &err) : begin(c, &x, &err);
	if (r)
		set_error(c, x.sent ? EXIT_MODEL : EXIT_FAILED, "%s",
			  err.code ? err.text : x.error.text);
	ctx_clear(&x);
}

static void step(struct conversation *c)
{
	char limit[256];

	if (c->next < c->queued) {
		take_planned(c);
		c->due |= c->next < c->queued;
		return;
	}
	if (replay_step(c) || stuck_stops(c))
		return;
	if (spend_reached(c, LIMITS_STEP, limit, sizeof limit)) {
		spend_stop(c, limit);
		return;
	}
	account_spend(c->purse, LIMIT_ITERATIONS, 1);
	log_line(MT_LOG_INFO, "controller", "step level=%u local=%.0f global=%lld events=%lld",
		 c->level, c->purse->meters[LIMIT_ITERATIONS].used,
		 (long long)conversation_steps(c),
		 (long long)evlog_count(c->log));
	step_prepared(c);
}

static bool may_step(struct conversation *c)
{
	return c->state == STATE_RUNNING && c->pending < 0 && !c->exchange &&
	       !c->closing && !slices_busy(c) && !hooking_busy(c) && !relist_holds(c);
}

static const char *why_blocked(const struct conversation *c)
{
	return c->closing                  ? "closing"
	       : c->state != STATE_RUNNING ? state_name(c->state)
	       : c->pending >= 0           ? "an action is pending"
	       : c->exchange               ? "a request is in progress"
	       : slices_busy(c)            ? "the history is being read"
	       : hooking_busy(c)           ? "a hook is running"
	       : c->held                   ? "a list of tools is awaited"
					   : "nothing to do";
}

/* ---- what is offered ---------------------------------------------------- */

/* Which agents there are. NULL: out of memory. */
static json_object *name_delegates(const struct conversation *c, json_object *schema)
{
	AUTO(json) json_object *copy = NULL;
	json_object *names = json_object_new_array();
	const char *list = config_get(c->config, c->section, "delegates"), *item;
	size_t len;

	while (names && list && list_next(&list, &item, &len))
		js_add(names, json_object_new_string_len(item, (int)len));
	if (json_object_deep_copy(schema, &copy, NULL)
	    || js_set(js_path(copy, "properties.agent"), "enum", names))
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
	const char *list = config_get(c->config, c->section, "delegates");

	return (!is_delegate(t) || (list && *list)) && !finding_hides(c, t);
}

/* What a tool asks for; with its risk, if somebody goes by what the model says. */
static json_object *offered_schema(const struct conversation *c, const struct tool *t)
{
	bool sandboxed = strcmp(c->runtime.component->name, "local") != 0;

	if (is_delegate(t))
		return name_delegates(c, t->schema_json);
	if (!c->catalog.reads_risk || tool_only_reads(t) || (t->hints & MT_TOOL_CONTROL))
		return json_object_get(t->schema_json);
	return risk_schema(t->schema_json, sandboxed);
}

static json_object *offered_tools(const struct conversation *c)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < c->catalog.count; i++) {
		const struct tool *t = &c->catalog.tools[i];
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
		if (!finding_describe(c, t, f) && *t->brief) /* beside what a model is sent of it */
			js_set_str(o, "brief", t->brief);
		js_add(list, o);
	}
	return list;
}

/* What toolsets have listed since is offered from the next request on. */
static void renew_tools(struct conversation *c)
{
	AUTO(json) json_object *list = NULL;

	if (c->level) /* the catalogs are shared while an agent works for another */
		return;
	for (size_t i = 0; i < c->wired_count; i++)
		catalog_renew(&c->wired[i].catalog);
	if (!c->wanted)
		finding_resume(c);
	c->tools_due |= catalog_renew(&c->catalog);
	list = c->tools_due ? offered_tools(c) : NULL;
	c->tools_due = false;
	if (list && c->memory)
		memory_offer(c->memory, list);
}

void kick(struct conversation *c)
{
	if (c->stepping)
		return;
	c->stepping = true;
	while (may_step(c)) {
		if (!c->due && c->next == c->queued)
			post_complaint(c, NULL, NULL, "The action has no effect.");
		c->due = false;
		renew_tools(c);
		step(c);
	}
	if (log_wants(MT_LOG_DEBUG))
		log_line(MT_LOG_DEBUG, "controller", "blocked step level=%u reason=%s",
			 c->level, why_blocked(c));
	c->stepping = false;
}

/* ---- the first event --------------------------------------------------- */

int post_system(struct conversation *c, struct error *err)
{
	const struct mt_agent *agent = c->agent.functions;
	struct mt_ctx x = { .c = c, .part = &c->agent, .is_agent = true };
	json_object *args = json_object_new_object();
	const char *suffix = config_get(c->config, c->section, "system_suffix");
	AUTO(strbuf) struct strbuf whole = STRBUF(16 << 20);
	struct mt_str text = { "", 0 };
	int r = agent->system(services(), &x, &text);
	int64_t id;

	if (r) {
		fail(err, r, "agent %s: %s", c->agent.component->name,
		     x.error.code ? x.error.text : status_name(r));
	} else {
		strbuf_addn(&whole, text.ptr, text.len);
		if (suffix && *suffix)
			strbuf_addf(&whole, "%s%s", whole.len ? "\n\n" : "", suffix);
		js_set_strn(args, "content", whole.text, whole.len);
		js_set(args, "tools", offered_tools(c));
		js_set_str(args, "openhands_version", "mortise " VERSION);
		js_set_str(args, "agent_class", c->agent.component->name);
		id = post(c, event_action("system", SOURCE_AGENT, json_object_get(args), err),
			  err);
		r = id < 0 ? (int)id : MT_OK;
	}
	json_object_put(args);
	ctx_clear(&x);
	return r;
}
