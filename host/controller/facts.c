/* SPDX-License-Identifier: MIT
 *
 * facts.c - read access to a conversation, for frontends and features. */
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "controller/conversation-parts.h"
#include "controller/plugins/model-request.h"
#include "controller/transitions.h"
#include "controller/turn.h"
#include "llm/models/models.h"

const char *conversation_id(const struct conversation *c)
{
	return c->id;
}

const char *conversation_group(const struct conversation *c)
{
	return c->group;
}

const char *conversation_parent(const struct conversation *c)
{
	return c->parent ? c->parent : "";
}

const char *conversation_title(const struct conversation *c)
{
	return c->title;
}

const char *conversation_workspace(const struct conversation *c)
{
	return c->workspace;
}

enum agent_state conversation_state(const struct conversation *c)
{
	return c->state;
}

const char *conversation_reason(const struct conversation *c)
{
	return c->reason;
}

bool conversation_busy(const struct conversation *c)
{
	return request_is_open(c) || turn_is_running(c) || FEATURES_ASK(is_busy, c);
}

struct evlog *conversation_log(const struct conversation *c)
{
	return c->log;
}

const struct llm_usage_totals *conversation_bill(const struct conversation *c)
{
	return c->models ? llm_models_usage(c->models) : NULL;
}

int conversation_runner_pid(const struct conversation *c)
{
	return c->link ? runner_pid(c->link) : -1;
}

/* ---- for features ------------------------------------------------------ */

struct agent_frame *conversation_agent(const struct conversation *c)
{
	return c->agent;
}

struct analyzers *conversation_analyzers(const struct conversation *c)
{
	return c->analyzers;
}

struct config *conversation_config(const struct conversation *c)
{
	return c->config;
}

uv_loop_t *conversation_loop(const struct conversation *c)
{
	return c->loop;
}

struct mask *conversation_secrets(const struct conversation *c)
{
	return c->mask;
}

struct llm_models *conversation_models(const struct conversation *c)
{
	return c->models;
}

struct runner *conversation_runner(const struct conversation *c)
{
	return c->link;
}

int64_t conversation_inherited_replies(const struct conversation *c)
{
	return c->inherited_replies;
}

bool conversation_is_closing(const struct conversation *c)
{
	return c->closing;
}

bool conversation_is_headless(const struct conversation *c)
{
	return c->headless;
}

bool conversation_takes_answer(const struct conversation *c)
{
	return c->answers;
}

bool conversation_is_subagent(const struct conversation *c)
{
	return c->depth > 0;
}

bool conversation_is_interactive(const struct conversation *c)
{
	return c->interactive;
}

int conversation_error_code(const struct conversation *c)
{
	return c->exit_code;
}
