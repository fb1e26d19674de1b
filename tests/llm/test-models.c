/* SPDX-License-Identifier: MIT
 *
 * test-models.c - the model table: globs, sections, prices, the parameters that are
 * sent, LiteLLM's file. */
#include "files.h"
#include "js.h"
#include "models/model-params.h"
#include "tap.h"
#include <glob.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------ */

static void names(void)
{
	static const struct {
		const char *model, *glob;
		bool match;
	} cases[] = {
		{ "openai/gpt-4.1", "gpt-4.1", true },
		{ "openai/gpt-4.1-mini", "gpt-4.1", false },
		{ "openai/gpt-4.1-mini", "gpt-4.1*", true },
		{ "OpenAI/GPT-4.1", "gpt-4.1", true },
		{ "openai/gpt-4.1", "GPT-4.1", true },
		{ "openai/gpt-4.1", "openai/*", true },
		{ "azure/gpt-4.1", "openai/*", false },
		{ "openrouter/openai/gpt-4.1:free", "gpt-4.1", true },
		{ "openrouter/openai/gpt-4.1:free", "openrouter/*/gpt-4.1:free", true },
		{ "ollama/qwen3:32b", "qwen3", true },
		{ "qwen3:32b", "qwen3", false },
		{ " x/qwen3-coder-GGUF ", "qwen3-coder", true },
		{ "o1-mini", "o1?mini", true },
		{ "o1-mini", "o[!1]*", false },
		{ "o3-mini", "o[2-4]-*", true },
		{ "o3-mini", "o[13]-*", true },
		{ "o[3", "o[3", true },
		{ "aaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*a*a*a*a*c", false },
		{ "claude", "*", true },
		{ "", "*", true },
		{ "", "?", false },
		{ "x", "", false },
		{ "turbo-o1", "o1*", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_MSG(model_matches(cases[i].model, cases[i].glob) == cases[i].match,
			  "`%s` and `%s`", cases[i].model, cases[i].glob);
}

static void a_long_name(void)
{
	char name[4096], got[MODEL_NAME_MAX];

	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	model_normalize(name, got);
	CHECK(strlen(got) == MODEL_NAME_MAX - 1);
	CHECK(model_matches(name, "x*"));
}

/* ---- sections --------------------------------------------------------------- */

static const char table[] = "; comment [x]\n"
			    "tools = yes\n"
			    "[a*, b]\r\n"
			    "tools = yes\r\n"
			    "window = 1000\n"
			    "  # comment\n"
			    "unknown = 5\n"
			    "input_price = 1e400\n"
			    "output_price=0.25\n"
			    "cache = maybe\n"
			    "window\n"
			    "output = 12x\n"
			    "= 5\n"
			    "[ab]\n"
			    "window = 2000\n"
			    "tools = no\n"
			    "\n"
			    "[unclosed\n"
			    "window = 3\n"
			    "[p/*]\n"
			    "long_from = 7";

static void sections(void)
{
	static const char former[] =
		"[*]\nboth_samplings = no\nnew_limit = yes\nmost_output = 9\n";
	struct model_facts f;

	model_facts_init(&f);
	model_facts_apply(&f, "x", former, strlen(former));
	CHECK(!f.temperature_and_top_p && f.max_completion_tokens && f.output_cap == 9);
	model_facts_init(&f);
	model_facts_apply(&f, "x", table, strlen(table));
	CHECK(f.told == 0 && !f.tools && f.window == -1);
	model_facts_apply(&f, "B", table, strlen(table));
	CHECK(f.tools && f.window == 1000 && f.price.output > 0 && f.price.input < 0);
	CHECK(f.output == -1 && model_has_fact(&f, "tools") &&
	      !model_has_fact(&f, "output"));
	model_facts_init(&f);
	model_facts_apply(&f, "p/ab", table, strlen(table));
	CHECK(!f.tools && f.window == 2000 && f.long_from == 7);
	for (size_t n = 0; n < strlen(table); n++) {
		AUTO(free) char *part = strndup(table, n);

		model_facts_init(&f);
		model_facts_apply(&f, "p/ab", part, n);
	}
	CHECK_MSG(f.window == 2000, "cut at every byte");
}

/* Each key of the installed table is read by the code. */
static void the_installed_table(void)
{
	const char *path = getenv("MORTISE_CORE_MODEL_TABLE");
	AUTO(free) char *text = NULL;
	size_t len, pos = 0, count = 0, odd = 0;
	struct model_section s;
	struct error err = ERROR_NONE;

	if (!path) {
		SKIP("no table is named");
		return;
	}
	CHECK_MSG(file_read(path, MODEL_TABLE_MAX, &text, &len, &err) == MT_OK,
		  "read: %s", err.text);
	while (text && model_section_next(text, len, &pos, &s)) {
		count++;
		odd += s.globs_len == 0;
		for (const char *p = s.lines; p < s.lines + s.lines_len;) {
			const char *end = memchr(p, '\n', len - (size_t)(p - text));
			size_t n = strcspn(p, " =\n");
			bool known = n == 0 || *p == ';';

			for (size_t i = 0; i < model_key_count; i++)
				known |= strlen(model_keys[i].name) == n &&
					 memcmp(model_keys[i].name, p, n) == 0;
			if (!known)
				printf("# %.*s\n", (int)n, p);
			odd += !known;
			p = end ? end + 1 : text + len;
		}
	}
	CHECK_MSG(count > 100 && odd == 0, "%zu sections, %zu odd", count, odd);
}

/* One model of each row that was promised. Where another row says no it does so
 * because the vectors of OpenHands do: Kimi K2.5, GLM 4.5 and previews. */
static void promised_rows(void)
{
	static const struct {
		const char *model;
		bool tools, cache;
	} rows[] = {
		{ "openai/gpt-4.1", true, false },
		{ "openai/gpt-4.1-nano", true, false },
		{ "openai/o4-mini", true, false },
		{ "openai/o4-mini-deep-research", true, false },
		{ "moonshot/kimi-k2-0711-preview", true, false },
		{ "moonshot/kimi-k2-instruct-0905", true, false },
		{ "openrouter/qwen/qwen3-coder:free", true, false },
		{ "fireworks_ai/qwen3-coder-480b-a35b-instruct", true, false },
		{ "gemini/gemini-3-pro-preview", true, false },
		{ "openrouter/google/gemini-3-flash", true, false },
		{ "deepseek/deepseek-chat", true, false },
		{ "deepseek/deepseek-chat-v3.1", true, false },
		{ "groq/llama-3.3-70b-versatile", true, false },
		{ "groq/moonshotai/kimi-k2-instruct", true, false },
		{ "anthropic/claude-3-haiku-20240307", true, true },
		{ "anthropic/claude-3-opus-20240229", true, true },
		{ "openrouter/anthropic/claude-3-5-sonnet", true, true },
		{ "openrouter/anthropic/claude-3-5-haiku", true, true },
		{ "openrouter/anthropic/claude-3.7-sonnet", true, true },
		{ "openrouter/anthropic/claude-sonnet-4", true, true },
		{ "anthropic/claude-opus-4-1", true, true },
		{ "openrouter/google/gemini-3.1-pro", true, true },
		{ "google/gemini-3.1-pro-preview", true, false },
		{ "zai/glm-4", false, true },
		{ "zai/glm-4-plus", false, true },
		{ "zai/glm-4.5", false, false },
		{ "zai/glm-5", false, true },
		{ "moonshot/kimi-k2.5", false, false },
		{ "moonshot/kimi-k2-thinking", false, false },
	};
	struct config_input in = { 0 };
	AUTO(config) struct config *c = NULL;
	struct error err = ERROR_NONE;

	CHECK_MSG(config_load(&in, &c, &err) == MT_OK, "loaded: %s", err.text);
	for (size_t i = 0; c && i < ARRAY_LEN(rows); i++) {
		struct model_facts f;

		model_facts_find(c, rows[i].model, &f);
		CHECK_MSG(f.tools == rows[i].tools && f.cache == rows[i].cache,
			  "%s: tools %d, cache %d", rows[i].model, f.tools, f.cache);
	}
}

/* ---- where facts come from -------------------------------------------------- */

static void the_configuration_wins(void)
{
	static const char *const overrides[] = {
		"model.gpt-4.1*.window=5000", "model.gpt-4.1*.vision=no",
		"model.own/*.input_price=2", "model.own/*.output_price=4",
	};
	struct config_input in = { .overrides = overrides,
				   .override_count = ARRAY_LEN(overrides) };
	AUTO(config) struct config *c = NULL;
	struct error err = ERROR_NONE;
	struct model_facts f;

	CHECK_MSG(config_load(&in, &c, &err) == MT_OK, "loaded: %s", err.text);
	if (!c)
		return;
	model_facts_find(c, "openai/gpt-4.1", &f);
	CHECK(f.window == 5000 && !f.vision && f.tools && f.price.input > 0);
	model_facts_find(c, "openai/gpt-4o", &f);
	CHECK(f.window == 128000 && f.vision);
	model_facts_find(c, "own/thing", &f);
	CHECK(f.price.input > 1 && f.price.output > 3 && !f.tools);
}

static void wrong_configuration(void)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "model.x.windows=5", "did you mean `window`" },
		{ "model.x.tools=often", "tools" },
		{ "model.a b.tools=yes", "invalid model glob" },
		{ "model.tools=yes", "requires a name" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config_input in = { .overrides = &cases[i].text,
					   .override_count = 1 };
		AUTO(config) struct config *c = NULL;
		struct error err = ERROR_NONE;

		CHECK_MSG(config_load(&in, &c, &err) && strstr(err.text, cases[i].says),
			  "%s: %s", cases[i].text, err.text);
	}
}

/* ---- money ------------------------------------------------------------------ */

static void costs(void)
{
	static const struct {
		struct model_prices price, long_price;
		int64_t long_from, input, output, read, write;
		double cost; /* millionths of a dollar */
	} cases[] = {
		{ { 2, 8, .5, -1 }, { -1, -1, -1, -1 }, -1, 100, 10, 0, 0, 280 },
		{ { 2, 8, .5, -1 }, { -1, -1, -1, -1 }, -1, 100, 10, 40, 0, 220 },
		{ { 3, 15, .3, 3.75 }, { -1, -1, -1, -1 }, -1, 100, 0, 50, 20, 180 },
		{ { 3, 15, -1, -1 }, { -1, -1, -1, -1 }, -1, 100, 0, 50, 20, 300 },
		{ { 3, 15, .3, -1 }, { 6, -1, .6, -1 }, 100, 100, 1, 0, 0, 315 },
		{ { 3, 15, .3, -1 }, { 6, -1, .6, -1 }, 100, 101, 1, 1, 0, 615.6 },
		{ { 1, 1, .5, -1 }, { -1, -1, -1, -1 }, -1, 10, 0, 99, 99, 5 },
		{ { 1, 1, .5, -1 }, { -1, -1, -1, -1 }, -1, 10, 5, -1, -1, 15 },
		{ { 0, 0, -1, -1 }, { -1, -1, -1, -1 }, -1, 10, 5, 0, 0, 0 },
		{ { -1, 1, -1, -1 }, { -1, -1, -1, -1 }, -1, 10, 5, 0, 0, -1e6 },
		{ { 1, 1, -1, -1 }, { -1, -1, -1, -1 }, -1, -1, 5, 0, 0, -1e6 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct model_facts f;
		double got, off;

		model_facts_init(&f);
		f.price = cases[i].price;
		f.long_price = cases[i].long_price;
		f.long_from = cases[i].long_from;
		got = model_cost(&f, cases[i].input, cases[i].output, cases[i].read,
				 cases[i].write) *
		      1e6;
		off = got - cases[i].cost;
		CHECK_MSG(off < 1e-6 && off > -1e-6, "cost %zu: %g", i, got);
	}
}

/* One recorded answer with what it cost: 1 if the prices give the same. */
static int same_cost(const char *path, const char *prices, const char *old)
{
	AUTO(free) char *text = NULL;
	AUTO(json) json_object *o = NULL;
	json_object *usage;
	struct model_facts f;
	const char *model;
	size_t len;
	double off;

	if (file_read(path, 1 << 22, &text, &len, NULL))
		return 0;
	o = js_parse_object(text, len, NULL);
	usage = js_path(o, "response.usage");
	model = js_str(js_get(o, "response"), "model", "");
	model_facts_init(&f);
	model_facts_apply(&f, model, prices, strlen(prices));
	model_facts_apply(&f, model, old, strlen(old));
	off = model_cost(&f, js_int(usage, "prompt_tokens", -1),
			 js_int(usage, "completion_tokens", -1),
			 js_int(js_get(usage, "prompt_tokens_details"), "cached_tokens",
				0),
			 js_int(usage, "cache_creation_input_tokens", 0)) -
	      js_number(o, "cost", -5);
	return off < 1e-9 && off > -1e-9;
}

/* Costs that a proxy counted for real responses, with and without a cache. Prices that
 * have changed since are put back. */
static void costs_as_they_were(void)
{
	static const char old[] = "[deepseek-chat]\ninput_price=0.27\noutput_price=1.1\n"
				  "cache_read_price=0.07\n";
	static const char *const dirs[] = { "llm-logs", "nonfncall-llm-logs" };
	const char *top = getenv("top_srcdir"),
		   *path = getenv("MORTISE_CORE_MODEL_TABLE");
	AUTO(free) char *prices = NULL;
	size_t len, found = 0, same = 0;

	if (!top || !path || file_read(path, MODEL_TABLE_MAX, &prices, &len, NULL)) {
		SKIP("no table is named");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		AUTO(free) char *pattern = NULL;
		glob_t files;

		if (asprintf(&pattern,
			     "%s/../shared/vectors/trajectories/v1-sdk/llm_data/"
			     "%s/*.json",
			     top, dirs[i]) < 0 ||
		    glob(pattern, 0, NULL, &files))
			continue;
		for (size_t n = 0; n < files.gl_pathc; n++, found++)
			same += same_cost(files.gl_pathv[n], prices, old);
		globfree(&files);
	}
	if (found)
		CHECK_MSG(same == found, "%zu of %zu recorded costs", same, found);
	else
		SKIP("no recorded answers next to the sources");
}

/* ---- parameters ------------------------------------------------------------- */

static void parameters(void)
{
	struct model_facts plain, reasoning, claude, hidden;
	struct model_params p = { "0", "1", NULL, "high", NULL, "", false };

	model_facts_init(&plain);
	reasoning = claude = hidden = plain;
	reasoning.effort = true;
	reasoning.sampling = false;
	claude.temperature_and_top_p = false;
	claude.default_output = 64000;
	hidden.effort = hidden.no_thinking = true;
	hidden.effort_sent = false;
	model_params_apply(&plain, "x", &p);
	CHECK(p.temperature && p.top_p && !p.reasoning_effort && !p.max_output_tokens);
	p.reasoning_effort = "high";
	model_params_apply(&reasoning, "x", &p);
	CHECK(!p.temperature && !p.top_p && p.reasoning_effort);
	p = (struct model_params){ "0", "1", NULL, NULL, NULL, "", false };
	model_params_apply(&claude, "x", &p);
	CHECK(p.temperature && !p.top_p);
	CHECK_STR(p.max_output_tokens, "64000");
	p = (struct model_params){ NULL, "0.5", "7", NULL, NULL, "", false };
	model_params_apply(&claude, "x", &p);
	CHECK_STR(p.top_p, "0.5");
	CHECK_STR(p.max_output_tokens, "7");
	p = (struct model_params){ NULL, NULL, NULL, "high", NULL, "", false };
	model_params_apply(&hidden, "x", &p);
	CHECK(!p.reasoning_effort);
	CHECK_STR(p.thinking_budget, "0");
	p.thinking_budget = "5000";
	model_params_apply(&hidden, "x", &p);
	CHECK_STR(p.thinking_budget, "5000");
}

/* A level that a model does not know is refused aloud. */
static void refused_effort(void)
{
	struct model_facts plain;
	struct model_params p = { .reasoning_effort = "medium" };

	model_facts_init(&plain);
	model_params_apply(&plain, "x", &p);
	CHECK(!p.reasoning_effort && !p.thinking_budget && p.effort_refused);
	p = (struct model_params){ .reasoning_effort = "medium", .thinking_budget = "5" };
	model_params_apply(&plain, "x", &p);
	CHECK(!p.effort_refused);
	p = (struct model_params){ .reasoning_effort = "none" };
	model_params_apply(&plain, "x", &p);
	CHECK(!p.effort_refused);
}

/* ---- LiteLLM ---------------------------------------------------------------- */

static const char litellm[] =
	"{\"sample_spec\":{\"mode\":\"chat\"},\"last_updated\":\"today\",\"n\":null,"
	"\"p/Large\":{\"mode\":\"chat\",\"max_input_tokens\":200000,"
	"\"max_output_tokens\":8192.0,\"input_cost_per_token\":3e-06,"
	"\"output_cost_per_token\":1.5e-05,\"cache_read_input_token_cost\":3e-07,"
	"\"cache_creation_input_token_cost\":3.75e-06,"
	"\"input_cost_per_token_above_200k_tokens\":6e-06,"
	"\"output_cost_per_token_above_200k_tokens\":2.25e-05,"
	"\"input_cost_per_token_above_500k_tokens\":9e-06,\"supports_vision\":true,"
	"\"supports_sampling_params\":false},"
	"\"large\":{\"mode\":\"chat\",\"max_tokens\":100,\"input_cost_per_token\":1e-06},"
	"\"anthropic.x-v1:0\":{\"mode\":\"chat\",\"litellm_provider\":"
	"\"bedrock_converse\",\"input_cost_per_token\":0},"
	"\"pic\":{\"mode\":\"image_generation\"},\"bad name\":{\"mode\":\"chat\"},"
	"\"bad[*]\":{\"mode\":\"chat\"},\"dear\":{\"mode\":\"chat\","
	"\"input_cost_per_token\":5}}";

static void import(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	struct error err = ERROR_NONE;
	struct model_facts f;
	int count = model_import(litellm, strlen(litellm), &out, &err);

	CHECK_MSG(count == 4, "%d models: %s", count, err.text);
	model_facts_init(&f);
	model_facts_apply(&f, "p/large", out.text, out.len);
	CHECK(f.window == 200000 && f.output == 8192 && f.vision && !f.sampling);
	CHECK(f.price.input > 2.9999999 && f.price.input < 3.0000001);
	CHECK(f.long_from == 200000 && f.long_price.input > 5.9 &&
	      f.long_price.output > 22);
	model_facts_init(&f);
	model_facts_apply(&f, "q/large", out.text, out.len);
	CHECK(f.window == 100 && f.price.input < 1.1);
	model_facts_init(&f);
	model_facts_apply(&f, "bedrock/anthropic.x-v1:0", out.text, out.len);
	CHECK(f.price.input >= 0);
	CHECK(!strstr(out.text, "[pic") && !strstr(out.text, "bad"));
}

static void wrong_files(void)
{
	static const char *const cases[] = { "", "[]", "{}", "{\"a\":1}", "{\"a\":" };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
		struct error err = ERROR_NONE;

		CHECK_MSG(model_import(cases[i], strlen(cases[i]), &out, &err) < 0 &&
				  err.text[0],
			  "`%s`: %s", cases[i], err.text);
	}
	for (size_t n = 1; n < strlen(litellm); n++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

		if (model_import(litellm, n, &out, NULL) >= 0)
			CHECK_MSG(0, "cut at %zu", n);
	}
	AUTO(strbuf) struct strbuf small = STRBUF(64);

	CHECK(model_import(litellm, strlen(litellm), &small, NULL) == MT_ELIMIT);
}

int main(void)
{
	names();
	a_long_name();
	sections();
	the_installed_table();
	promised_rows();
	the_configuration_wins();
	wrong_configuration();
	costs();
	costs_as_they_were();
	parameters();
	refused_effort();
	import();
	wrong_files();
	return tap_done();
}
