/* SPDX-License-Identifier: MIT
 *
 * vec-config.c - recorded defaults of the original's settings, held against those of our
 * keys that mean the same. Its files and variables are not read: ours are INI. */
#include "config/config.h"
#include "vec.h"

#include <stdlib.h>

/* Settings that mean the same, and those of which another default was decided. */
static const struct {
	const char *recorded, *section, *key;
	const char *decided; /* NULL: the defaults have to be equal */
} pairs[] = {
	{ "llm.model", "llm", "model", "no model is used unless a user names one" },
	{ "llm.base_url", "llm", "base_url", NULL },
	{ "llm.api_version", "llm", "api_version", NULL },
	{ "llm.aws_region_name", "llm", "aws_region", NULL },
	{ "llm.num_retries", "llm", "retries", NULL },
	{ "llm.retry_multiplier", "llm", "retry_multiplier", NULL },
	{ "llm.retry_min_wait", "llm", "retry_min_wait", NULL },
	{ "llm.retry_max_wait", "llm", "retry_max_wait", NULL },
	{ "llm.timeout", "llm", "timeout", "a request ends after 300 s, as in V1" },
	{ "llm.temperature", "llm", "temperature", "left to the provider, as in V1" },
	{ "llm.top_p", "llm", "top_p", "left to the provider, as in V1" },
	{ "llm.max_input_tokens", "llm", "max_input_tokens", NULL },
	{ "llm.max_output_tokens", "llm", "max_output_tokens", NULL },
	{ "llm.input_cost_per_token", "llm", "input_cost_per_token", NULL },
	{ "llm.output_cost_per_token", "llm", "output_cost_per_token", NULL },
	{ "llm.disable_vision", "llm", "vision", NULL },
	{ "llm.caching_prompt", "llm", "prompt_cache", NULL },
	{ "llm.log_completions", "llm", "log_requests", NULL },
	{ "llm.native_tool_calling", "llm", "native_tool_calling", NULL },
	{ "llm.reasoning_effort", "llm", "reasoning_effort", NULL },
	{ "llm.seed", "llm", "seed", NULL },
	{ "llm.max_message_chars", "controller", "max_message_chars", NULL },
	{ "agent.disabled_microagents", "skills", "disabled", NULL },
	{ "agent.enable_stuck_detection", "controller", "stuck_detection", NULL },
	{ "agent.enable_plan_mode", "controller", "plan",
	  "off: plans cost tokens in each task" },
	{ "agent.condenser.type", "controller", "condensers", NULL },
	{ "core.max_iterations", "controller", "max_iterations", NULL },
	{ "core.max_budget_per_task", "controller", "max_budget", NULL },
};

/* Ours in the terms of the original: null is "not set" or "auto", seconds are numbers. */
static json_object *value_of(const char *text, json_object *like)
{
	bool automatic = text && strcmp(text, "auto") == 0;
	char *end = NULL;

	if (json_object_is_type(like, json_type_array) && (!text || !*text))
		return json_object_new_array();
	if (!text || !*text)
		return NULL;
	if (json_object_is_type(like, json_type_boolean))
		return json_object_new_boolean(automatic || strcmp(text, "yes") == 0);
	if (automatic)
		return NULL;
	if (json_object_is_type(like, json_type_int) ||
	    json_object_is_type(like, json_type_double)) {
		double number = strtod(text, &end);

		if (*end == '\0' || strcmp(end, "s") == 0)
			return json_object_new_int64((int64_t)number);
	}
	return json_object_new_string(text);
}

/* A key of ours that has a recorded name belongs into the table above. */
static void check_listed(struct vec *v, const char *group, json_object *recorded)
{
	size_t count;
	const struct mt_option *table = config_table(group, &count);

	for (size_t i = 0; table && i < count; i++) {
		char path[128];
		bool listed = false;

		if (!json_object_object_get_ex(recorded, table[i].name, NULL))
			continue;
		snprintf(path, sizeof path, "%s.%s", group, table[i].name);
		for (size_t k = 0; k < ARRAY_LEN(pairs); k++)
			listed = listed || strcmp(pairs[k].recorded, path) == 0;
		if (!listed)
			vec_fault(v, path, "listed in pairs", "not listed");
	}
}

static bool defaults(struct vec *v, json_object *c)
{
	const struct config_input input = { .override_count = 0 };
	json_object *out = js_get(c, "output");
	struct config *config = NULL;
	struct error err = ERROR_NONE;

	if (config_load(&input, &config, &err)) {
		vec_fault(v, "our defaults", "loaded", err.text);
		return true;
	}
	check_listed(v, "llm", js_get(out, "llm"));
	check_listed(v, "core", js_get(out, "core"));
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		json_object *recorded = js_path(out, pairs[i].recorded);
		AUTO(json)
		json_object *ours =
			value_of(config_get(config, pairs[i].section, pairs[i].key),
				 recorded);
		bool same = js_equal(recorded, ours);

		if (same && pairs[i].decided)
			vec_fault(v, pairs[i].recorded, "another default, as was decided",
				  "the recorded one");
		else if (!same && !pairs[i].decided)
			vec_fault(v, pairs[i].recorded, js_text(recorded, NULL),
				  ours ? js_text(ours, NULL) : "null");
	}
	config_free(config);
	return true;
}

static bool one(struct vec *v, json_object *c)
{
	static const struct vec_decision decided[] = {
		{ "v0", "load_config",
		  "settings are INI and MORTISE_ variables: the original's are not "
		  "read" },
	};

	if (strcmp(js_str(c, "version", ""), "v0") == 0 &&
	    strcmp(js_str(c, "fn", ""), "defaults") == 0)
		return defaults(v, c);
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	setenv("HOME", "/nonexistent", 1); /* no settings */
	unsetenv("XDG_CONFIG_HOME");
	vec_each(&v, one);
	return vec_done(&v);
}
