/* SPDX-License-Identifier: MIT
 *
 * agents.c - the agents of a conversation: the configured ones, and the stack of
 * active ones. */
#include "controller/agents.h"

#include "array.h"
#include "context/history.h"
#include "context/request-messages.h"
#include "controller/core.h"
#include "controller/turn.h"
#include "controller/wiring.h"

#include <inttypes.h>
#include <string.h>

/* ---- wiring ------------------------------------------------------------ */

const struct agent_frame *agents_find(const struct conversation *c, const char *name)
{
	for (size_t i = 0; i < c->other_count; i++)
		if (strcmp(strchr(c->others[i].section, '.') + 1, name) == 0)
			return &c->others[i];
	return NULL;
}

static int wire_one(struct conversation *c, const char *name, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct agent_frame *current = c->agent;
	int r;

	if (agents_find(c, name))
		return MT_OK;
	if (strbuf_addf(&section, "controller.%s", name) ||
	    !config_has(c->config, section.text))
		return fail(err, MT_ENOTFOUND,
			    "unknown agent `%.80s` in `%s`: the configuration has "
			    "no section [controller.%.80s]",
			    name, features_agents_option(NULL), name);
	if (c->other_count == OTHER_AGENTS_MAX)
		return fail(err, MT_ELIMIT, "too many agents in `%s` (maximum %d)",
			    features_agents_option(NULL), OTHER_AGENTS_MAX);
	if (ARRAY_GROW(c->others, NULL, c->other_count + 1, OTHER_AGENTS_MAX))
		return out_of_memory(err);
	c->others[c->other_count] = (struct agent_frame){
		.delegation = -1, .section = strbuf_take(&section) };
	c->agent = &c->others[c->other_count++]; /* wiring fills the current agent */
	r = wiring_open_agent(c, NULL, err);
	c->agent = current;
	return r;
}

static int wire_list(struct conversation *c, const struct agent_frame *agent,
		     struct error *err)
{
	const char *option = features_agents_option(agent), *item;
	const char *list = option ? config_get(c->config, agent->section, option) : NULL;
	size_t len;

	while (list && list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		int r = name ? wire_one(c, name, err) : out_of_memory(err);

		if (r)
			return r;
	}
	return MT_OK;
}

int agents_wire(struct conversation *c, struct error *err)
{
	int r = wire_list(c, c->agent, err);

	for (size_t i = 0; !r && i < c->other_count; i++)
		r = wire_list(c, &c->others[i], err);
	return r;
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
	*frame = *w; /* its wiring is borrowed */
	frame->above = c->agent;
	frame->delegation = action;
	frame->start = action + 1;
	c->agent = frame;
	c->parent_count++;
	if (features_open_agent(c, frame, err) == MT_OK &&
	    wiring_open_memory(c, err) == MT_OK)
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
