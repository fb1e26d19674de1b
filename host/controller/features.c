/* SPDX-License-Identifier: MIT
 *
 * features.c - the table of features, in the order in which they are asked. */
#include "controller/budget.h"
#include "controller/context-recall.h"
#include "controller/core.h"
#include "controller/feature.h"
#include "controller/hook-runner.h"
#include "controller/loop-recovery.h"
#include "controller/questions.h"
#include "controller/relist.h"
#include "controller/replay-internal.h"
#include "controller/setup.h"
#include "controller/slices.h"
#include "controller/subagents.h"
#include "controller/tool-completions.h"
#include "controller/tool-search.h"

static bool check_limits(struct conversation *c)
{
	char limit[256];

	if (!budget_reached(c, LIMITS_STEP, limit, sizeof limit))
		return false;
	budget_stop(c, limit);
	return true;
}

static const char *slices_block(struct conversation *c)
{
	return slices_busy(c) ? "the history is being read" : NULL;
}

static const char *hooks_block(struct conversation *c)
{
	return hook_runner_is_busy(c) ? "a hook is running" : NULL;
}

static bool answer_tool(struct conversation *c, uint64_t call, uint64_t request,
			const char *method, json_object *params)
{
	(void)call;
	return recall_request(c, request, method, params);
}

static void add_edit(struct conversation *c, struct event *action,
		     struct event *observation)
{
	if (observation)
		confirm_tell_edit(c, action, observation);
}

static void check_setup(struct conversation *c, struct event *action,
			struct event *observation)
{
	setup_report_failure(c, action, observation);
}

static void continue_setup(struct conversation *c, struct event *action)
{
	setup_continue(c, action);
}

static void release_hooks(struct conversation *c)
{
	c->hook_runner = hook_runner_free(c->hook_runner);
}

static const struct feature approval = {
	.name = "approval", .before_observation = add_edit, .release = confirm_clear,
};
static const struct feature replay = { .name = "replay", .before_step = replay_step };
static const struct feature loop_detection = {
	.name = "loop detection", .before_step = stuck_handle,
};
static const struct feature limits = {
	.name = "limits", .before_step = check_limits, .release = budget_stop_timer,
};
static const struct feature slices = {
	.name = "slices", .blocks_step = slices_block, .cancel = slices_drop,
	.release = slices_close,
};
static const struct feature skills_and_notes = {
	.name = "skills and notes", .request = answer_tool,
};
static const struct feature hooks = {
	.name = "hooks", .blocks_step = hooks_block, .cancel = hook_runner_cancel,
	.release = release_hooks,
};
static const struct feature subagents = {
	.name = "subagents", .cancel = subagents_stop, .release = subagents_forget,
};
static const struct feature set_up = {
	.name = "set-up", .before_observation = check_setup,
	.after_observation = continue_setup,
};

/* In the order in which they are asked. */
static const struct feature *const table[] = {
	&approval,
	&replay,
	&loop_detection,
	&limits,
	&slices,
	&skills_and_notes,
	&tool_completions_feature,
	&questions_feature,
	&hooks,
	&subagents,
	&relist_feature,
	&tool_search_feature,
	&set_up,
};

#define EACH(f)                                                                \
	for (size_t i_ = 0; i_ < ARRAY_LEN(table); i_++)                       \
		for (const struct feature *f = table[i_]; f; f = NULL)

int features_open(struct conversation *c)
{
	c->feature_states = calloc(ARRAY_LEN(table), sizeof *c->feature_states);
	for (size_t i = 0; c->feature_states && i < ARRAY_LEN(table); i++) {
		if (!table[i]->state_size)
			continue;
		c->feature_states[i] = calloc(1, table[i]->state_size);
		if (!c->feature_states[i])
			return MT_ENOMEM;
	}
	return c->feature_states ? MT_OK : MT_ENOMEM;
}

void features_close(struct conversation *c)
{
	for (size_t i = 0; c->feature_states && i < ARRAY_LEN(table); i++)
		free(c->feature_states[i]);
	free(c->feature_states);
	c->feature_states = NULL;
}

void *feature_state(const struct conversation *c, const struct feature *f)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i] == f)
			return c->feature_states[i];
	return NULL;
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

bool features_request(struct conversation *c, uint64_t call, uint64_t request,
		      const char *method, json_object *params)
{
	EACH(f)
		if (f->request && f->request(c, call, request, method, params))
			return true;
	return false;
}

void features_call_ended(struct conversation *c, uint64_t call)
{
	EACH(f)
		if (f->call_ended)
			f->call_ended(c, call);
}

void features_before_observation(struct conversation *c, struct event *action,
				 struct event *observation)
{
	EACH(f)
		if (f->before_observation)
			f->before_observation(c, action, observation);
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
