/* SPDX-License-Identifier: MIT
 *
 * features.c - asks the features at the points of the core, in the order of their
 * table. */
#include "controller/core.h"
#include "controller/feature-api.h"

#define EACH(f)                                                                \
	for (const struct feature *f, *const *at_ = features_table; (f = *at_); at_++)

static size_t feature_count(void)
{
	size_t n = 0;

	while (features_table[n])
		n++;
	return n;
}

static size_t feature_index(const struct feature *f)
{
	size_t i = 0;

	while (features_table[i] != f)
		i++;
	return i;
}

static void free_states(void **states)
{
	for (size_t i = 0; states && features_table[i]; i++)
		free(states[i]);
	free(states);
}

/* One state of each feature; NULL: out of memory. */
static void **allocate_states(size_t (*size_of)(const struct feature *f))
{
	void **states = calloc(feature_count() + 1, sizeof *states);

	for (size_t i = 0; states && features_table[i]; i++) {
		const size_t size = size_of(features_table[i]);

		if (!size)
			continue;
		states[i] = calloc(1, size);
		if (!states[i]) {
			free_states(states);
			return NULL;
		}
	}
	return states;
}

static size_t state_size(const struct feature *f)
{
	return f->state_size;
}

static size_t agent_state_size(const struct feature *f)
{
	return f->agent_state_size;
}

const struct agent_parts *features_agent_parts(void)
{
	EACH(f)
	if (f->agent_parts)
		return f->agent_parts;
	return NULL;
}

const char *features_agents_option(const struct agent_frame *agent)
{
	EACH(f)
	if (f->agents_option && (!agent || !f->needs_agents || f->needs_agents(agent)))
		return f->agents_option;
	return NULL;
}

const char *features_section(size_t n)
{
	EACH(f)
	if (f->section && n-- == 0)
		return f->section;
	return NULL;
}

const char *features_usage_state(size_t n)
{
	EACH(f)
	for (const char *const *name = f->usage_states; name && *name; name++)
		if (n-- == 0)
			return *name;
	return NULL;
}

const char *features_extra_tool(const struct conversation *c, const char *section,
				const char *list)
{
	const char *tool = NULL;

	EACH(f)
	if (!tool && f->extra_tool)
		tool = f->extra_tool(c, section, list);
	return tool;
}

int features_allocate(struct conversation *c)
{
	c->feature_states = allocate_states(state_size);
	return c->feature_states ? MT_OK : MT_ENOMEM;
}

void features_free(struct conversation *c)
{
	free_states(c->feature_states);
	c->feature_states = NULL;
}

void *feature_state(const struct conversation *c, const struct feature *f)
{
	return c->feature_states[feature_index(f)];
}

int features_open_agent(struct conversation *c, struct agent_frame *agent,
			struct error *err)
{
	agent->feature_states = allocate_states(agent_state_size);
	if (!agent->feature_states)
		return out_of_memory(err);
	EACH(f)
	if (f->open_agent && f->open_agent(c, agent, err))
		return err->code;
	return MT_OK;
}

void features_close_agent(struct agent_frame *agent)
{
	free_states(agent->feature_states);
	agent->feature_states = NULL;
}

void *agent_feature_state(const struct agent_frame *agent, const struct feature *f)
{
	return agent->feature_states[feature_index(f)];
}

int features_open(struct conversation *c, struct error *err)
{
	int r = MT_OK;

	EACH(f)
	if (!r && f->open)
		r = f->open(c, err);
	return r;
}

int features_before_message(struct conversation *c, const char *text, size_t len,
			    json_object *images, bool queue, bool *ret_held,
			    struct error *err)
{
	int r = MT_OK;

	*ret_held = false;
	EACH(f)
	if (!r && !*ret_held && f->before_message)
		r = f->before_message(c, text, len, images, queue, ret_held, err);
	return r;
}

void features_after_message(struct conversation *c, bool first)
{
	EACH(f)
	if (f->after_message)
		f->after_message(c, first);
}

int features_before_continue(struct conversation *c, bool *ret_held, struct error *err)
{
	int r = MT_OK;

	*ret_held = false;
	EACH(f)
	if (!r && !*ret_held && f->before_continue)
		r = f->before_continue(c, ret_held, err);
	return r;
}

int features_created(struct conversation *c, const struct conversation_options *o,
		     struct error *err)
{
	int r = MT_OK;

	EACH(f)
	if (!r && f->created)
		r = f->created(c, o, err);
	return r;
}

int features_resume(struct conversation *c, struct error *err)
{
	int r = MT_OK;

	EACH(f)
	if (!r && f->resume)
		r = f->resume(c, err);
	return r;
}

int features_restore_action(struct conversation *c, struct event *action, bool *ret_done,
			    struct error *err)
{
	int r = MT_OK;

	*ret_done = false;
	EACH(f)
	if (!r && !*ret_done && f->restore_action)
		r = f->restore_action(c, action, ret_done, err);
	return r;
}

void features_adding_message(struct conversation *c)
{
	EACH(f)
	if (f->adding_message)
		f->adding_message(c);
}

int features_prepare_state(struct conversation *c, enum agent_state state,
			   struct error *err)
{
	int r = MT_OK;

	EACH(f)
	if (!r && f->prepare_state)
		r = f->prepare_state(c, state, err);
	return r;
}

bool features_gate(struct conversation *c, struct call *call)
{
	EACH(f)
	if (f->gate && f->gate(c, call))
		return true;
	return false;
}

bool features_may_hold(struct conversation *c, struct call *call)
{
	EACH(f)
	if (f->may_hold && f->may_hold(c, call))
		return true;
	return false;
}

int features_check_user_call(struct conversation *c, struct call *call, struct error *err)
{
	int r = MT_OK;

	EACH(f)
	if (!r && f->check_user_call)
		r = f->check_user_call(c, call, err);
	return r;
}

bool features_before_rest(struct conversation *c, enum agent_state state,
			  const char *reason)
{
	EACH(f)
	if (f->before_rest && f->before_rest(c, state, reason))
		return true;
	return false;
}

void features_rewound(struct conversation *c)
{
	EACH(f)
	if (f->rewound)
		f->rewound(c);
}

static const struct action_handler *handler_of(const struct event *action)
{
	EACH(f)
	for (const struct action_handler *h = f->actions; h && (h->handle || h->by_user);
	     h++)
		if (h->type == action->type->id)
			return h;
	return NULL;
}

bool features_handle_action(struct conversation *c, struct event *action)
{
	const struct action_handler *h = handler_of(action);

	if (h && h->handle)
		h->handle(c, action);
	return h && h->handle;
}

const struct action_handler *features_user_action(const struct event *action)
{
	const struct action_handler *h = handler_of(action);

	return h && h->by_user ? h : NULL;
}

int features_after_view(struct mt_ctx *x, bool *ret_held, struct error *err)
{
	int r = MT_OK;

	*ret_held = false;
	EACH(f)
	if (!r && !*ret_held && f->after_view)
		r = f->after_view(x, ret_held, err);
	return r;
}

int features_suspend_step(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	EACH(f)
	if (f->suspend_step)
		return f->suspend_step(c, x, err);
	return fail(err, MT_EUNSUPPORTED, "no feature can suspend a step");
}

bool features_before_request(struct conversation *c)
{
	EACH(f)
	if (f->before_request && f->before_request(c))
		return true;
	return false;
}

void features_request_sent(struct conversation *c)
{
	EACH(f)
	if (f->request_sent)
		f->request_sent(c);
}

bool features_request_failed(struct conversation *c, const struct llm_error *error)
{
	EACH(f)
	if (f->request_failed && f->request_failed(c, error))
		return true;
	return false;
}

bool features_before_close(struct conversation *c)
{
	EACH(f)
	if (f->before_close && f->before_close(c))
		return true;
	return false;
}

bool features_before_send(struct conversation *c, struct call *call)
{
	EACH(f)
	if (f->before_send && f->before_send(c, call))
		return true;
	return false;
}

int features_run_control(struct conversation *c, const struct call *call,
			 struct error *err)
{
	bool done = false;
	int r = MT_OK;

	EACH(f)
	if (!r && !done && f->run_control)
		r = f->run_control(c, call, &done, err);
	return r || done ? r
			 : fail(err, MT_EUNSUPPORTED, "this host cannot run the call");
}

void features_before_work(struct conversation *c)
{
	EACH(f)
	if (f->before_work)
		f->before_work(c);
}

bool features_deliver(struct conversation *c)
{
	EACH(f)
	if (f->deliver && f->deliver(c))
		return true;
	return false;
}

bool features_before_step(struct conversation *c)
{
	EACH(f)
	if (f->before_step && f->before_step(c))
		return true;
	return false;
}

const char *features_block_step(struct conversation *c)
{
	const char *why;

	EACH(f)
	if (f->blocks_step && (why = f->blocks_step(c)))
		return why;
	return NULL;
}

bool features_busy(const struct conversation *c)
{
	EACH(f)
	if (f->is_busy && f->is_busy(c))
		return true;
	return false;
}

bool features_keep_open(const struct conversation *c)
{
	EACH(f)
	if (f->keeps_open && f->keeps_open(c))
		return true;
	return false;
}

bool features_need_order(const struct conversation *c)
{
	EACH(f)
	if (f->needs_order && f->needs_order(c))
		return true;
	return false;
}

bool features_before_call(struct conversation *c, struct call *call)
{
	EACH(f)
	if (f->before_call && f->before_call(c, call))
		return true;
	return false;
}

void features_after_result(struct conversation *c, const struct event *action,
			   struct event *observation)
{
	EACH(f)
	if (f->after_result)
		f->after_result(c, action, observation);
}

bool features_after_call(struct conversation *c, const struct call *call,
			 struct event *observation)
{
	EACH(f)
	if (f->after_call && f->after_call(c, call, observation))
		return true;
	return false;
}

bool features_request(struct conversation *c, uint64_t call, uint64_t request,
		      const char *method, json_object *params)
{
	EACH(f)
	if (f->request && f->request(c, call, request, method, params))
		return true;
	return false;
}

bool features_take_result(struct conversation *c, const struct runner_result *result)
{
	EACH(f)
	if (f->take_result && f->take_result(c, result))
		return true;
	return false;
}

void features_call_ended(struct conversation *c, const struct runner_result *result)
{
	EACH(f)
	if (f->call_ended)
		f->call_ended(c, result);
}

void features_before_observation(struct conversation *c, struct event *action,
				 const struct call *call, struct event *observation)
{
	EACH(f)
	if (f->before_observation)
		f->before_observation(c, action, call, observation);
}

void features_after_observation(struct conversation *c, struct event *action)
{
	EACH(f)
	if (f->after_observation)
		f->after_observation(c, action);
}

void features_tools_listed(struct conversation *c)
{
	EACH(f)
	if (f->tools_listed)
		f->tools_listed(c);
}

void features_runner_closed(struct conversation *c)
{
	EACH(f)
	if (f->runner_closed)
		f->runner_closed(c);
}

void features_before_state(struct conversation *c, enum agent_state next)
{
	EACH(f)
	if (f->before_state)
		f->before_state(c, next);
}

bool features_hide_tool(const struct conversation *c, const struct tool *tool)
{
	EACH(f)
	if (f->hides_tool && f->hides_tool(c, tool))
		return true;
	return false;
}

void features_describe_tool(const struct conversation *c, const struct tool *tool,
			    json_object *offer)
{
	EACH(f)
	if (f->describe_tool)
		f->describe_tool(c, tool, offer);
}

bool features_offer_changed(struct conversation *c)
{
	bool changed = false;

	EACH(f)
	if (f->offer_changed)
		changed |= f->offer_changed(c);
	return changed;
}

char *features_observation_text(struct conversation *c, const struct event *e)
{
	char *text = NULL;

	EACH(f)
	if (!text && f->observation_text)
		text = f->observation_text(c, e);
	return text;
}

char *features_full_result(struct conversation *c, int64_t event)
{
	char *path = NULL;

	EACH(f)
	if (!path && f->full_result)
		path = f->full_result(c, event);
	return path;
}

void features_on_step(struct conversation *c)
{
	EACH(f)
	if (f->on_step)
		f->on_step(c);
}

int features_before_reply(struct conversation *c, json_object *record)
{
	int r = MT_OK;

	EACH(f)
	if (!r && f->before_reply)
		r = f->before_reply(c, record);
	return r;
}

void features_on_usage(struct conversation *c, const struct llm_usage *usage,
		       bool of_agent)
{
	EACH(f)
	if (f->on_usage)
		f->on_usage(c, usage, of_agent);
}

void features_before_action(struct conversation *c, struct event *action)
{
	EACH(f)
	if (f->before_action)
		f->before_action(c, action);
}

int64_t features_calls_left(const struct conversation *c)
{
	int64_t left = INT64_MAX;

	EACH(f)
	if (f->calls_left && f->calls_left(c) < left)
		left = f->calls_left(c);
	return left;
}

bool features_take_state(struct conversation *c, enum agent_state state,
			 const char *reason)
{
	EACH(f)
	if (f->take_state && f->take_state(c, state, reason))
		return true;
	return false;
}

void features_work_dropped(struct conversation *c)
{
	EACH(f)
	if (f->work_dropped)
		f->work_dropped(c);
}

int features_restore_agents(struct conversation *c, restore_agent_fn *each,
			    struct error *err)
{
	EACH(f)
	if (f->restore_agents)
		return f->restore_agents(c, each, err);
	return each(c, evlog_count(c->log), err);
}

void features_restore_agent(struct conversation *c)
{
	EACH(f)
	if (f->restore_agent)
		f->restore_agent(c);
}

void features_restore(struct conversation *c, const struct llm_metrics *sum,
		      double worked)
{
	EACH(f)
	if (f->restore)
		f->restore(c, sum, worked);
}

void features_restore_usage(struct conversation *c, struct llm_metrics *sum)
{
	EACH(f)
	if (f->restore_usage)
		f->restore_usage(c, sum);
}

int features_exit_code_of(const char *reason)
{
	int code = 0;

	EACH(f)
	if (!code && f->exit_code_of)
		code = f->exit_code_of(reason);
	return code;
}

void features_interrupt(struct conversation *c)
{
	EACH(f)
	if (f->interrupt)
		f->interrupt(c);
}

void features_cancel(struct conversation *c)
{
	EACH(f)
	if (f->cancel)
		f->cancel(c);
}

void features_release(struct conversation *c)
{
	EACH(f)
	if (f->release)
		f->release(c);
}
