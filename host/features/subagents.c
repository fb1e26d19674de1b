/* SPDX-License-Identifier: MIT
 *
 * subagents.c - the subagents of a call of delegate_tasks: starts them, waits for them,
 * and logs their results as one observation, or as a message if the call did not wait. */
#include "features/subagents.h"

#include "controller/agents.h"
#include "controller/observations.h"
#include "controller/feature-api.h"
#include "controller/closing.h"
#include "controller/step.h"
#include "controller/turn.h"
#include "conversation/conversation.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

enum { STOP_MS = 5000, RESULT_MAX = 16 << 20 };

/* ---- the observation ------------------------------------------------------- */

static void observe(struct subagents *all, const struct strbuf *text, bool failed)
{
	struct error err = ERROR_NONE;
	json_object *extras = subagents_result_extras(all);

	if (failed)
		js_set_bool(extras, "is_error", true);
	observation_log(all->c, all->call,
			event_observation("tool", all->call->source, all->action,
					  text->text, text->len, extras, &err),
			&err);
	step_run_ready(all->c);
}

/* The pending action gets its observation, if it still waits for one. */
static void gather(struct subagents *all)
{
	AUTO(strbuf) struct strbuf text = STRBUF(RESULT_MAX);
	bool failed = true; /* all of them */

	for (size_t i = 0; i < all->count; i++)
		failed = failed && all->list[i].end != CHILD_FINISHED;
	strbuf_addf(&text, "%zu task%s given to agents. Result%s:", all->count,
		    all->count == 1 ? " was" : "s were", all->count == 1 ? "" : "s");
	subagents_put_results(&text, all);
	observe(all, &text, failed);
}

/* ---- in the background --------------------------------------------------- */

static void promise(struct subagents *all)
{
	AUTO(strbuf) struct strbuf text = STRBUF(RESULT_MAX);

	strbuf_addf(&text, "%zu task%s now in the background:", all->count,
		    all->count == 1 ? " runs" : "s run");
	for (size_t i = 0; i < all->count; i++) {
		strbuf_addf(&text, "\n%zu. conversation %s: ", i + 1, all->list[i].id);
		subagent_put_title(&text, all->list[i].task);
	}
	strbuf_add(&text, "\nContinue with other work. A message brings the results when "
			  "all have ended; if you have nothing else to do, finish, and "
			  "you continue with that message.");
	observe(all, &text, false);
}

/* The agent reads it before its next step. */
static void announce(struct conversation *c, const struct strbuf *text)
{
	struct error err = ERROR_NONE;
	json_object *args = js_new_object();

	js_set_strn(args, "content", text->text, text->len);
	conversation_log_event(c, event_action("message", SOURCE_ENVIRONMENT, args, &err),
			       &err);
}

/* An idle agent continues, unless the user has stopped it. */
static void wake(struct conversation *c)
{
	enum agent_state now = conversation_state(c);
	struct error err = ERROR_NONE;

	subagents_of(c)->awaited = false;
	if (now == STATE_FINISHED || now == STATE_AWAITING_USER_INPUT)
		conversation_continue(c, &err);
	step_request(c);
	step_run_ready(c);
}

static void announce_results(const struct subagents *all)
{
	AUTO(strbuf) struct strbuf text = STRBUF(RESULT_MAX);

	strbuf_addf(&text, "The task%s that ran in the background ended. Result%s:",
		    all->count == 1 ? "" : "s", all->count == 1 ? "" : "s");
	subagents_put_results(&text, all);
	announce(all->c, &text);
}

/* Results go to the agent that started the children, or, if it has ended, to the agent
 * that waited for it. */
static bool is_for_current(const struct subagents *all)
{
	unsigned depth = agents_waiting(all->c);

	return depth < all->depth ||
	       (depth == all->depth && conversation_agent(all->c)->start == all->owner);
}

static struct subagents **next_ended(struct conversation *c)
{
	struct subagents **at = &subagents_of(c)->ended;

	while (*at && !is_for_current(*at))
		at = &(*at)->below;
	return at;
}

static void free_all(struct subagents *all);

/* Results are logged only between two steps: a request in progress does not contain
 * results that arrive later. */
static void announce_ended(struct conversation *c)
{
	struct subagents **at, *all;
	struct error err = ERROR_NONE;

	while ((all = *(at = next_ended(c)))) {
		*at = all->below;
		announce_results(all);
		free_all(all);
		if (subagents_keep(c, &err))
			conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
	}
}

static bool subagents_before_step(struct conversation *c)
{
	announce_ended(c);
	return false;
}

static void add_ended(struct subagents *all)
{
	struct subagents **at = &subagents_of(all->c)->ended;

	while (*at)
		at = &(*at)->below;
	all->below = NULL;
	*at = all;
}

/* They ended with the process that started them. */
static void announce_lost(struct conversation *c)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	AUTO(json) json_object *lost = STEAL(subagents_of(c)->lost);
	struct error err = ERROR_NONE;

	if (js_length(lost) == 0)
		return;
	strbuf_add(&text, "The tasks in the background ended unfinished, because the "
			  "process exited:");
	for (size_t i = 0; i < js_length(lost); i++)
		strbuf_addf(&text, "\nconversation %s",
			    json_object_get_string(json_object_array_get_idx(lost, i)));
	strbuf_add(&text,
		   "\nFiles that they changed remain. Start them again if you still "
		   "need their results.");
	announce(c, &text);
	subagents_of(c)->told_lost = true;
	if (subagents_keep(c, &err))
		conversation_notice(c, MT_LOG_WARNING, "%s", err.text);
}

/* The agent finished while it waited for them: it has more to do. */
static int subagents_restore_action(struct conversation *c, struct event *action,
				    bool *ret_done, struct error *err)
{
	(void)err;
	*ret_done = subagents_of(c)->told_lost && action->type->id == ACTION_FINISH;
	return MT_OK;
}

static bool has_background(const struct conversation *c)
{
	const struct subagents *all = subagents_of(c)->calls;

	while (all && !all->background)
		all = all->below;
	return all != NULL;
}

/* In non-interactive use the agent waits for them, because no other event would make
 * it continue. */
static bool subagents_before_rest(struct conversation *c, enum agent_state state,
				  const char *reason)
{
	(void)state, (void)reason;
	if (*next_ended(c)) {
		step_request(c);
		return true;
	}
	subagents_of(c)->awaited = conversation_is_headless(c) && has_background(c);
	return subagents_of(c)->awaited;
}

static bool subagents_is_busy(const struct conversation *c)
{
	return subagents_of(c)->awaited;
}

static const char *subagents_blocks_step(struct conversation *c)
{
	return subagents_of(c)->awaited ? "waiting for background tasks" : NULL;
}

/* The user has more work for it. */
static void adding_message(struct conversation *c)
{
	subagents_of(c)->awaited = false;
}

/* ---- one after the other ----------------------------------------------- */

static void free_all(struct subagents *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->list[i].id);
		free(all->list[i].task);
		free(all->list[i].agent);
		free(all->list[i].workspace);
		free(all->list[i].message);
		json_object_put(all->list[i].action);
		json_object_put(all->list[i].waits);
	}
	free(all->list);
	event_unref(all->call);
	free(all);
}

static void unlink_call(struct subagents *all)
{
	struct subagents **at = &subagents_of(all->c)->calls;

	while (*at != all)
		at = &(*at)->below;
	*at = all->below;
}

static void on_timer_closed(uv_handle_t *h)
{
	struct subagents *all = h->data;
	struct conversation *c = all->c;

	unlink_call(all);
	if (all->background && !conversation_is_closing(c)) {
		add_ended(all);
		if (conversation_state(c) != STATE_RUNNING)
			announce_ended(c);
		wake(c);
		return;
	}
	if (conversation_is_closing(c))
		conversation_close_finish(c);
	else if (turn_pending(c) == all->action)
		gather(all);
	free_all(all);
}

static void start_next(struct subagents *all)
{
	while (!all->stopping && all->running < all->at_once && all->next < all->count) {
		struct subagent *ch = &all->list[all->next++];
		struct error err = ERROR_NONE;

		all->running++;
		if (subagents_add_unsettled(all->c, ch->id, &err))
			conversation_notice(all->c, MT_LOG_WARNING, "%s", err.text);
		subagent_start(ch);
	}
	if (all->running || uv_is_closing((uv_handle_t *)&all->timer))
		return;
	for (size_t i = all->next; i < all->count; i++)
		all->list[i].end = CHILD_NOT_STARTED;
	uv_close((uv_handle_t *)&all->timer, on_timer_closed);
}

void subagents_ended_one(struct subagent *ch)
{
	struct subagents *all = ch->all;

	all->running--;
	subagents_settle(all->c, ch->id, &ch->sum);
	log_line(MT_LOG_INFO, "children", "%s: %s %s", ch->id, subagent_end_name(ch->end),
		 ch->reason);
	start_next(all);
}

/* Are children running or ending whose call waited for them? */
static bool is_waiting(const struct conversation *c)
{
	const struct subagents *all = subagents_of(c)->calls;

	while (all && all->background)
		all = all->below;
	return all != NULL;
}

static int subagents_start(struct conversation *c, struct event *action,
			   json_object *args, struct error *err)
{
	struct subagents *all = calloc(1, sizeof *all);
	int r;

	if (!all)
		return out_of_memory(err);
	all->c = c;
	all->action = action->id;
	all->call = event_ref(action);
	all->at_once = (size_t)config_int(conversation_config(c),
					  conversation_agent(c)->section, "max_children");
	all->background = js_bool(args, "background", false);
	all->depth = agents_waiting(c);
	all->owner = conversation_agent(c)->start;
	r = is_waiting(c) ? fail(err, MT_EDENIED,
				 "the subagents of the previous call are still running")
			  : subagents_read_tasks(all, args, err);
	if (r) {
		free_all(all);
		return r;
	}
	subagents_share(all);
	uv_timer_init(conversation_loop(c), &all->timer);
	uv_unref((uv_handle_t *)&all->timer);
	all->timer.data = all;
	all->below = subagents_of(c)->calls;
	subagents_of(c)->calls = all;
	start_next(all);
	if (all->background)
		promise(all);
	return MT_OK;
}

/* ---- what they ask ------------------------------------------------------ */

static json_object *one_asks(const struct subagent *ch)
{
	json_object *o = js_new_object();

	js_set_str(o, "conversation", ch->id);
	json_object_object_foreach(ch->waits, name, value)
		js_set(o, name, json_object_get(value));
	js_set(o, "event", json_object_get(ch->action));
	return o;
}

json_object *conversation_asks(const struct conversation *c)
{
	json_object *list = NULL;

	for (const struct subagents *all = subagents_of(c)->calls; all; all = all->below)
		for (size_t i = 0; i < all->next; i++) {
			if (!all->list[i].waits)
				continue;
			if (!list)
				list = js_new_list();
			js_add_new(list, one_asks(&all->list[i]));
		}
	return list;
}

/* The delegate checks the answer itself; this refuses only what is known here. */
static int answer_child(struct subagent *ch, const struct approval *a, struct error *err)
{
	if (a->reason && strlen(a->reason) > CHILD_MESSAGE_MAX / 8)
		return fail(err, MT_EINVAL, "the reason is too long");
	if (a->answer != ANSWER_NO && (!a->hash || !*a->hash))
		return fail(err, MT_EINVAL,
			    "an approval requires the `hash` of the action that was "
			    "shown");
	if (a->hash && *a->hash && strcmp(a->hash, js_str(ch->waits, "hash", "")) != 0)
		return fail(err, MT_EDENIED,
			    "the pending action is not the one that was shown (its "
			    "hash differs); nothing was executed, review it again");
	return subagent_answer(ch, a) ? fail(err, MT_ELIMIT, "the answer is too long")
				      : MT_OK;
}

int conversation_confirm_child(struct conversation *c, const char *child,
			       const struct approval *a, struct error *err)
{
	for (struct subagents *all = subagents_of(c)->calls; all; all = all->below)
		for (size_t i = 0; i < all->next; i++)
			if (all->list[i].waits && strcmp(all->list[i].id, child) == 0)
				return answer_child(&all->list[i], a, err);
	return fail(err, MT_ENOTFOUND, "no subagent `%.80s` is waiting for an answer",
		    child);
}

/* ---- the end of all ---------------------------------------------------- */

static void on_stop_time(uv_timer_t *t)
{
	struct subagents *all = t->data;

	for (size_t i = 0; i < all->next; i++)
		subagent_kill(&all->list[i]);
}

static void subagents_stop_call(struct subagents *all)
{
	if (all->stopping)
		return;
	all->stopping = true;
	for (size_t i = 0; i < all->next; i++)
		subagent_stop(&all->list[i]);
	if (!uv_is_closing((uv_handle_t *)&all->timer))
		uv_timer_start(&all->timer, on_stop_time, STOP_MS, 0);
}

static void stop_all(struct conversation *c)
{
	for (struct subagents *all = subagents_of(c)->calls; all; all = all->below)
		subagents_stop_call(all);
}

/* Tasks in the background are not part of the pending call. */
static void stop_pending(struct conversation *c)
{
	for (struct subagents *all = subagents_of(c)->calls; all; all = all->below)
		if (!all->background)
			subagents_stop_call(all);
}

static bool keeps_open(const struct conversation *c)
{
	return subagents_of(c)->calls != NULL;
}

static void subagents_restore(struct conversation *c, const struct llm_metrics *sum,
			      double worked)
{
	(void)sum, (void)worked;
	announce_lost(c);
}

static int run_control(struct conversation *c, const struct call *call, bool *ret_done,
		       struct error *err)
{
	*ret_done = true;
	return subagents_start(c, call->action, call->args, err);
}

static void subagents_release(struct conversation *c)
{
	struct subagents *all;

	while ((all = subagents_of(c)->ended)) {
		subagents_of(c)->ended = all->below;
		free_all(all);
	}
	subagents_forget(c);
}

static const char *const usage_states[] = { SUBAGENTS_RECORD, NULL };

const struct feature subagents_feature = {
	.name = "subagents",
	.usage_states = usage_states,
	.state_size = sizeof(struct subagents_state),
	.keeps_open = keeps_open,
	.before_step = subagents_before_step,
	.before_rest = subagents_before_rest,
	.adding_message = adding_message,
	.is_busy = subagents_is_busy,
	.blocks_step = subagents_blocks_step,
	.run_control = run_control,
	.restore_usage = subagents_restore_usage,
	.restore = subagents_restore,
	.restore_action = subagents_restore_action,
	.interrupt = stop_pending,
	.cancel = stop_all,
	.release = subagents_release,
};
