/* SPDX-License-Identifier: MIT
 *
 * agents.c - the agents of a conversation: the configured ones, and the stack of
 * active ones. */
#include "controller/agents.h"

#include "context/history.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/turn.h"

#include <inttypes.h>
#include <string.h>

/* ---- the configured ones ------------------------------------------------- */

const struct agent_frame *agents_find(const struct conversation *c, const char *name)
{
	for (size_t i = 0; i < c->other_count; i++)
		if (strcmp(strchr(c->others[i].section, '.') + 1, name) == 0)
			return &c->others[i];
	return NULL;
}

const struct catalog **agents_catalogs(const struct conversation *c, size_t *ret_count)
{
	const struct catalog **list = calloc(c->other_count + 1, sizeof *list);

	if (!list)
		return NULL;
	list[0] = &agents_first(c)->catalog;
	for (size_t i = 0; i < c->other_count; i++)
		list[i + 1] = &c->others[i].catalog;
	*ret_count = c->other_count + 1;
	return list;
}

void agents_state_key(const struct conversation *c, char *ret)
{
	if (c->parent_count)
		snprintf(ret, 256, "%.200s/%" PRId64, c->agent->plugin.component->name,
			 c->agent->delegation);
	else
		snprintf(ret, 256, "%.200s", c->agent->plugin.component->name);
}

/* ---- the stack --------------------------------------------------------- */

static char *observation_text(const struct event *e, void *arg)
{
	return FEATURES_ASK(observation_text, arg, e);
}

static char *agents_full_result(int64_t event, void *arg)
{
	return FEATURES_ASK(full_result, arg, event);
}

/* At most a quarter of a small context window; assumes four characters per token. */
static size_t max_turn_chars(const struct conversation *c)
{
	int64_t max = config_int(c->config, c->agent->section, "max_turn_chars");
	int64_t window = llm_initial_window(c->agent->llm);

	return (size_t)(window > 0 && window < max ? window : max);
}

int agents_open_memory(struct conversation *c, struct error *err)
{
	struct request_messages_options options = {
		.recall = observation_text,
		.full_result = agents_full_result,
		.system = c->agent->start,
		.arg = c,
	};

	options.max_message_chars =
		(size_t)config_int(c->config, c->agent->section, "max_message_chars");
	options.max_turn_chars = max_turn_chars(c);
	c->agent->memory = request_messages_new(c->log, &options);
	c->agent->history = history_new(c->log, c->agent->start);
	return c->agent->memory && c->agent->history ? MT_OK : out_of_memory(err);
}

/* The members of the frame that are not configured parts. */
static void clear_frame(struct conversation *c)
{
	turn_plan_free(c);
	request_messages_free(c->agent->memory);
	history_free(c->agent->history);
	free(c->agent->state_text);
	features_close_agent(c->agent);
}

void agents_pop(struct conversation *c)
{
	struct agent_frame *above = c->agent->above;

	clear_frame(c);
	free(c->agent);
	c->agent = above;
	c->parent_count--;
}

int agents_push(struct conversation *c, const struct agent_frame *w, int64_t action,
		struct error *err)
{
	struct agent_frame *frame = malloc(sizeof *frame);

	if (!frame)
		return out_of_memory(err);
	*frame = *w; /* the configured parts are borrowed */
	frame->above = c->agent;
	frame->delegation = action;
	frame->start = action + 1;
	c->agent = frame;
	c->parent_count++;
	if (features_open_agent(c, frame, err) == MT_OK &&
	    agents_open_memory(c, err) == MT_OK)
		return MT_OK;
	agents_pop(c);
	return err->code;
}

struct agent_frame *agents_first(const struct conversation *c)
{
	struct agent_frame *agent = c->agent;

	while (agent->above)
		agent = agent->above;
	return agent;
}

unsigned agents_waiting(const struct conversation *c)
{
	return c->parent_count;
}

int agents_depth(const struct conversation *c)
{
	return c->depth + (int)c->parent_count;
}

bool agents_full(const struct conversation *c)
{
	return c->parent_count == FRAMES_MAX;
}

void agents_drop(struct conversation *c)
{
	while (c->parent_count) {
		agents_pop(c);
		turn_clear(c);
	}
}
