/* SPDX-License-Identifier: MIT
 *
 * vec-model_features.c - recorded cases of the facts known about models by
 * their names, and of the parameters that they are sent. */
#include "fncall/fncall.h"
#include "models/model-params.h"
#include "vec.h"
#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

static char *table;
static size_t table_len;

static void want_text(struct vec *v, const char *what, const char *want, const char *got)
{
	if (!want != !got || (want && strcmp(want, got) != 0))
		vec_fault(v, what, want, got);
}

static void want_bool(struct vec *v, const char *what, bool want, bool got)
{
	if (want != got)
		vec_fault(v, what, want ? "yes" : "no", got ? "yes" : "no");
}

static void want_number(struct vec *v, const char *what, json_object *want,
			const char *got)
{
	double a = want ? json_object_get_double(want) : -1;
	double b = got ? strtod(got, NULL) : -1;

	if (a < b || a > b)
		vec_fault(v, what, want ? json_object_get_string(want) : NULL, got);
}

static void facts_of(const char *model, struct model_facts *f)
{
	model_facts_init(f);
	model_facts_apply(f, model, table, table_len);
}

static void normalize(struct vec *v, json_object *in, json_object *want)
{
	char got[MODEL_NAME_MAX];

	model_normalize(js_str(in, "model", ""), got);
	want_text(v, "name", json_object_get_string(want), got);
}

static void features(struct vec *v, json_object *in, json_object *want)
{
	struct model_facts f;

	facts_of(js_str(in, "model", ""), &f);
	want_bool(v, "native calls", js_bool(want, "supports_function_calling", false),
		  f.tools);
	want_bool(v, "effort", js_bool(want, "supports_reasoning_effort", false),
		  f.effort);
	want_bool(v, "cache", js_bool(want, "supports_prompt_cache", false), f.cache);
	want_bool(v, "stop words", js_bool(want, "supports_stop_words", false), f.stop);
}

static void matches(struct vec *v, json_object *in, json_object *want)
{
	json_object *patterns = js_get(in, "patterns");
	bool got = false;

	for (size_t i = 0; i < json_object_array_length(patterns); i++)
		got |= model_matches(js_str(in, "model", ""),
				     json_object_get_string(
					     json_object_array_get_idx(patterns, i)));
	want_bool(v, "match", json_object_get_boolean(want), got);
}

/* What the configuration sets; the original has defaults of its own. */
static const char *set(json_object *config, const char *key, const char *fallback)
{
	json_object *value = js_get(config, key);

	return value ? json_object_get_string(value) : fallback;
}

/* What is not compared is not of the table: addresses and their versions are
 * written by the dialect, and whatever else the original hands through. */
static void request_params(struct vec *v, json_object *in, json_object *want)
{
	json_object *config = js_get(in, "config"), *sent = js_get(want, "kwargs");
	json_object *thinking = js_get(sent, "thinking"), *limit;
	const char *model = js_str(config, "model", "");
	struct model_params p = {
		.temperature = set(config, "temperature", "0.0"),
		.top_p = set(config, "top_p", "1.0"),
		.max_output_tokens = set(config, "max_output_tokens", NULL),
		.reasoning_effort = set(config, "reasoning_effort", NULL),
	};
	struct model_facts f;

	facts_of(model, &f);
	model_params_apply(&f, model, &p);
	want_number(v, "temperature", js_get(sent, "temperature"), p.temperature);
	/* decided: for any Claude temperature beats top_p */
	if (f.temperature_and_top_p || !p.temperature)
		want_number(v, "top_p", js_get(sent, "top_p"), p.top_p);
	limit = js_get(sent, "max_tokens");
	want_number(v, "limit", limit ? limit : js_get(sent, "max_completion_tokens"),
		    p.max_output_tokens);
	want_text(v, "effort", js_str(sent, "reasoning_effort", NULL),
		  p.reasoning_effort);
	if (strcmp(js_str(thinking, "type", ""), "disabled") == 0)
		want_text(v, "thinking", "0", p.thinking_budget);
	else
		want_number(v, "thinking", js_get(thinking, "budget_tokens"),
			    p.thinking_budget);
	want_bool(v, "native calls", js_bool(want, "function_calling_active", false),
		  f.tools);
	want_bool(v, "cache", js_bool(want, "caching_active", false), f.cache);
}

static struct llm_request *two_messages(void)
{
	static const struct llm_part parts[] = {
		{ .text = "Be of help.", .len = 11 }, { .text = "Do it.", .len = 6 },
	};
	static const struct llm_tool tool = { "probe", "Looks.",
					      "{\"type\":\"object\"}", NULL, NULL };
	struct llm_request *r = llm_request_new();

	llm_request_add(r, &(struct llm_message){ .role = MT_ROLE_SYSTEM,
						  .parts = &parts[0], .part_count = 1 });
	llm_request_add(r, &(struct llm_message){ .role = MT_ROLE_USER,
						  .parts = &parts[1], .part_count = 1 });
	llm_request_tool(r, &tool);
	return r;
}

static void request_with_tools(struct vec *v, json_object *in, json_object *want)
{
	AUTO(llm_request) struct llm_request *r = two_messages(), *text = NULL;
	json_object *stop = js_get(want, "stop");
	struct error err = ERROR_NONE;
	struct model_facts f;
	const char *first;

	facts_of(js_str(in, "model", ""), &f);
	want_bool(v, "tools", js_bool(want, "has_tools", false), f.tools);
	want_text(v, "stop words",
		  stop ? json_object_get_string(json_object_array_get_idx(stop, 0))
		       : NULL,
		  !f.tools && f.stop ? FNCALL_STOP : NULL);
	if (f.tools)
		return;
	if (fncall_encode_request(r, f.example, &text, &err)) {
		vec_fault(v, "request", "converted", err.text);
		return;
	}
	want_bool(v, "tools are left", false, text->tool_count > 0);
	want_bool(v, "messages", true,
		  (int64_t)text->message_count == js_int(want, "message_count", -1));
	first = text->messages[1].parts[0].text;
	want_bool(v, "example", js_bool(want, "has_example", true),
		  strstr(first, "START OF EXAMPLE") != NULL);
}

static const struct {
	const char *name;
	void (*run)(struct vec *v, json_object *in, json_object *want);
} ours[] = {
	{ "normalize_model_name", normalize },
	{ "features", features },
	{ "model_matches", matches },
	{ "request_params", request_params },
	{ "request_with_tools", request_with_tools },
};

static bool one_case(struct vec *v, json_object *c)
{
	static const char tables[] =
		"the tables of V1 are a source of newer models, not a test";
	static const struct vec_decision decided[] = {
		{ "v1", "chat_options", tables }, { "v1", "features", tables },
		{ "v1", "model_matches", tables },
	};
	const char *version = js_str(c, "version", ""), *name = js_str(c, "fn", "");

	for (size_t i = 0; i < ARRAY_LEN(ours) && strcmp(version, "v0") == 0; i++)
		if (strcmp(name, ours[i].name) == 0) {
			ours[i].run(v, js_get(c, "in"), js_get(c, "output"));
			return true;
		}
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct error err = ERROR_NONE;
	struct vec v;
	int status;

	if (!vec_open(&v, argc, argv))
		return 2;
	if (file_read(MODEL_TABLE, MODEL_TABLE_MAX, &table, &table_len, &err)) {
		fprintf(stderr, "%s\n", err.text);
		json_object_put(v.file);
		return 2;
	}
	vec_each(&v, one_case);
	status = vec_done(&v);
	free(table);
	return status;
}
