/* SPDX-License-Identifier: MIT
 *
 * features.c - the states of the features, and the points of feature.h at which all
 * features, or one, are called. */
#include "controller/features.h"

#include "controller/agent-frame.h"
#include "controller/core.h"
#include "events/evlog.h"

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

/* Allocate one state for each feature; NULL: out of memory. */
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
	EACH_FEATURE(f)
	if (f->agent_parts)
		return f->agent_parts;
	return NULL;
}

const char *features_agents_option(const struct agent_frame *agent)
{
	EACH_FEATURE(f)
	if (f->agents_option && (!agent || !f->needs_agents || f->needs_agents(agent)))
		return f->agents_option;
	return NULL;
}

const char *features_section(size_t n)
{
	EACH_FEATURE(f)
	if (f->section && n-- == 0)
		return f->section;
	return NULL;
}

const char *features_usage_state(size_t n)
{
	EACH_FEATURE(f)
	for (const char *const *name = f->usage_states; name && *name; name++)
		if (n-- == 0)
			return *name;
	return NULL;
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
	EACH_FEATURE(f)
	if (f->open_agent && f->open_agent(c, agent, err))
		return err->code;
	return MT_OK;
}

void features_close_agent(struct agent_frame *agent)
{
	free_states(agent->feature_states);
	agent->feature_states = NULL;
}

void *feature_agent_state(const struct agent_frame *agent, const struct feature *f)
{
	return agent->feature_states[feature_index(f)];
}

static const struct action_handler *handler_of(const struct event *action)
{
	EACH_FEATURE(f)
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

int features_suspend_step(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	EACH_FEATURE(f)
	if (f->suspend_step)
		return f->suspend_step(c, x, err);
	return fail(err, MT_EUNSUPPORTED, "no feature can suspend a step");
}

bool features_offer_changed(struct conversation *c)
{
	bool changed = false;

	EACH_FEATURE(f)
	if (f->offer_changed)
		changed |= f->offer_changed(c);
	return changed;
}

int features_restore_agents(struct conversation *c, restore_agent_fn *each,
			    struct error *err)
{
	EACH_FEATURE(f)
	if (f->restore_agents)
		return f->restore_agents(c, each, err);
	return each(c, evlog_count(c->log), err);
}
