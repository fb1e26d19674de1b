/* SPDX-License-Identifier: MIT
 *
 * model-features.c - features and limits of a model: the model table, overridden
 * by the configuration. */
#include "llm/llm-internal.h"
#include "config/choices.h"
#include "llm/models/provider.h"
#include "log.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { SMALL_WINDOW = 32768 };

/* Features that only the table and [model.GLOB] define. */
static const struct {
	const char *name;
	size_t offset;
} table_only[] = {
	{ "adaptive_thinking", offsetof(struct model_facts, adaptive_thinking) },
	{ "max_completion_tokens", offsetof(struct model_facts, max_completion_tokens) },
	{ "reasoning", offsetof(struct model_facts, effort) },
	{ "pdf", offsetof(struct model_facts, pdf) },
	{ "responses", offsetof(struct model_facts, responses) },
	{ "send_reasoning", offsetof(struct model_facts, send_reasoning) },
	{ "short_tools", offsetof(struct model_facts, short_tools) },
};

/* Features that the user can set in the section of the model. */
static const struct {
	const char *name, *key;
	size_t offset;
} user_settable[] = {
	{ "tools", "native_tool_calling", offsetof(struct model_facts, tools) },
	{ "vision", "vision", offsetof(struct model_facts, vision) },
	{ "cache", "prompt_cache", offsetof(struct model_facts, cache) },
	{ "stop", "stop_words", offsetof(struct model_facts, stop) },
};

static bool fact(const struct llm *l, size_t offset)
{
	return *(const bool *)((const char *)&l->facts + offset);
}

/* OpenHands' variable that forces vision support. */
static bool vision_forced(void)
{
	static const char *const yes[] = { "1", "true", "yes", "on" };
	const char *text = getenv("OPENHANDS_FORCE_VISION");

	for (size_t i = 0; text && i < ARRAY_LEN(yes); i++)
		if (strcasecmp(text, yes[i]) == 0)
			return true;
	return false;
}

bool llm_feature(const struct llm *l, const char *name)
{
	if (strcmp(name, "stream") == 0)
		return config_bool(l->config, l->section, "stream");
	for (size_t i = 0; i < ARRAY_LEN(user_settable); i++) {
		int set;

		if (strcmp(name, user_settable[i].name) != 0)
			continue;
		set = config_choice(l->config, l->section, user_settable[i].key);
		if (user_settable[i].offset == offsetof(struct model_facts, vision) &&
		    set == FEATURE_AUTO && vision_forced())
			return true;
		return set > FEATURE_AUTO ? set == FEATURE_YES
					  : fact(l, user_settable[i].offset);
	}
	for (size_t i = 0; i < ARRAY_LEN(table_only); i++)
		if (strcmp(name, table_only[i].name) == 0)
			return fact(l, table_only[i].offset);
	return false;
}

int64_t llm_context_window(const struct llm *l)
{
	return l->window;
}

/* Facts learned during a conversation must not change its earlier messages. */
int64_t llm_initial_window(const struct llm *l)
{
	return l && !l->window_asked && l->window > 0 ? l->window : -1;
}

bool llm_is_small(const struct llm *l)
{
	return llm_initial_window(l) > 0 && llm_initial_window(l) <= SMALL_WINDOW;
}

const struct model_facts *llm_facts(const struct llm *l)
{
	return &l->facts;
}

static const char *set_by_user(const struct llm *l, const char *key)
{
	const char *text = config_get(l->config, l->section, key);

	return text && *text ? text : NULL;
}

/* Some tables give the whole context window as the output limit, which leaves no space
 * for input. */
static int64_t output_cap(const struct model_facts *f)
{
	int64_t n = f->window > 1 && f->output >= f->window ? f->window / 2 : f->output;

	return f->output_cap > 0 && n > f->output_cap ? f->output_cap : n;
}

void llm_read_facts(struct llm *l, const struct provider *p)
{
	const char *name = set_by_user(l, "canonical_name");
	char whole[MODEL_NAME_MAX];

	if (!p->network) {
		/* the scripted model supports everything and is free */
		model_facts_init(&l->facts);
		l->facts.tools = l->facts.vision = l->facts.pdf = true;
	} else {
		snprintf(whole, sizeof whole, "%s/%s", l->provider, l->model);
		if (!name)
			name = strcmp(l->provider, "custom") == 0 ? l->name : whole;
		model_facts_find(l->config, name, &l->facts);
	}
	/* The user of a self-hosted server knows its capabilities. */
	if (set_by_user(l, "base_url") && !model_has_fact(&l->facts, "tools"))
		l->facts.tools = true;
	if (l->window < 0)
		l->window = l->facts.window;
	if (l->facts.output > 0)
		snprintf(l->output_limit, sizeof l->output_limit, "%" PRId64,
			 output_cap(&l->facts));
	l->params = (struct model_params){
		.temperature = set_by_user(l, "temperature"),
		.top_p = set_by_user(l, "top_p"),
		.max_output_tokens = set_by_user(l, "max_output_tokens"),
		.reasoning_effort = set_by_user(l, "reasoning_effort"),
		.thinking_budget = set_by_user(l, "thinking_budget"),
	};
	model_params_apply(&l->facts, l->name, &l->params);
	if (l->params.effort_refused)
		log_line(MT_LOG_WARNING, "llm",
			 "%s does not support reasoning_effort, so it is not sent; "
			 "remove it from [%s], or set thinking_budget if the model "
			 "supports one",
			 l->name, l->section);
}

bool llm_option(const struct llm *l, const char *name, const char **ret)
{
	const struct {
		const char *name, *text;
	} ruled[] = {
		{ "temperature", l->params.temperature },
		{ "top_p", l->params.top_p },
		{ "max_output_tokens", l->params.max_output_tokens },
		{ "reasoning_effort", l->params.reasoning_effort },
		{ "thinking_budget", l->params.thinking_budget },
		{ "output_limit", l->output_limit[0] ? l->output_limit : NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(ruled); i++) {
		if (strcmp(name, ruled[i].name) == 0) {
			*ret = ruled[i].text;
			return true;
		}
	}
	return false;
}

bool llm_supports_param(const struct llm *l, const struct llm_request *r,
			const char *param)
{
	const struct model_facts *f = &l->facts;

	if (strcmp(param, "temperature") == 0)
		return f->sampling;
	if (strcmp(param, "top_p") == 0)
		return f->sampling &&
		       (f->temperature_and_top_p ||
			(!l->params.temperature && !js_get(r->params, "temperature")));
	if (strcmp(param, "reasoning_effort") == 0)
		return (f->effort || f->adaptive_thinking) && f->effort_sent;
	return true;
}
