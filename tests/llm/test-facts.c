/* SPDX-License-Identifier: MIT
 *
 * test-facts.c - the effect of the model table on a request: parameters,
 * limits, thinking, cache marks, short descriptions of tools. */
#include "dialogue.h"
#include "files.h"
#include "llm/llm-internal.h"
#include "tap.h"

#define MARK "\"cache_control\":{\"type\":\"ephemeral\"}"
#define MARKED(text) "[{\"type\":\"text\",\"text\":\"" text "\"," MARK "}]"

static const struct {
	const char *model, *settings[4];
	const char *sent;        /* NULL: nothing is looked for */
	const char *not_sent;
} cases[] = {
	{ "openai/o3", { "llm.max_output_tokens=9" }, "\"max_completion_tokens\":9", NULL },
	{ "azure/gpt-4.1", { "llm.max_output_tokens=9" }, "\"max_tokens\":9",
	  "max_completion_tokens" },
	/* of an o3 no more than it can */
	{ "openai/o3", { "llm.max_output_tokens=200000" }, "\"max_completion_tokens\":100000",
	  NULL },
	{ "openai/o3-pro", { "llm.max_output_tokens=200000", "llm.api=chat" },
	  "\"max_completion_tokens\":100000", NULL },
	{ "openai/o4-mini", { "llm.max_output_tokens=200000" },
	  "\"max_completion_tokens\":200000", NULL },
	{ "groq/llama", { "llm.max_output_tokens=9" }, "\"max_tokens\":9", NULL },
	{ "groq/llama", { "llm.seed=7" }, ",\"seed\":7", NULL },
	{ "mistral/mistral-large", { "llm.seed=7" }, ",\"random_seed\":7", "\"seed\"" },
	{ "gemini/gemini-2.0-flash", { "llm.seed=7" }, ",\"seed\":7", NULL },
	{ "anthropic/claude-3-5-sonnet", { "llm.seed=7" }, NULL, "seed" },
	{ "openai/gpt-5", { "llm.seed=7", "llm.api=responses" }, NULL, "seed" },
	/* reasoning models take neither temperature nor top_p */
	{ "openai/o3", { "llm.temperature=0.5", "llm.top_p=0.5" }, NULL, "temperature" },
	{ "openai/o3", { "llm.top_p=0.5" }, NULL, "top_p" },
	{ "openai/o3", { "llm.reasoning_effort=low" }, "\"reasoning_effort\":\"low\"", NULL },
	{ "openai/gpt-4.1", { "llm.reasoning_effort=low" }, NULL, "reasoning_effort" },
	{ "openai/gpt-4.1", { "llm.temperature=0.5", "llm.top_p=0.25" },
	  "\"temperature\":0.5,\"top_p\":0.25", NULL },
	/* of any Claude temperature beats top_p */
	{ "anthropic/claude-3-5-sonnet", { "llm.temperature=0.5", "llm.top_p=0.25" },
	  "\"temperature\":0.5", "top_p" },
	{ "openrouter/anthropic/claude-sonnet-4", { "llm.temperature=0.5", "llm.top_p=0.25" },
	  "\"temperature\":0.5", "top_p" },
	{ "anthropic/claude-3-5-sonnet", { "llm.top_p=0.25" }, "\"top_p\":0.25", NULL },
	{ "anthropic/claude-opus-4-8", { "llm.temperature=0.5" }, NULL, "temperature" },
	/* thinking */
	{ "anthropic/claude-opus-4-1", { 0 }, "\"thinking\":{\"type\":\"disabled\"}", NULL },
	{ "anthropic/claude-sonnet-4-5", { "llm.thinking_budget=200000" },
	  "\"max_tokens\":64000,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":63999}",
	  "temperature" },
	{ "anthropic/claude-sonnet-4-5",
	  { "llm.thinking_budget=4000", "llm.temperature=0.5", "llm.top_p=0.5" },
	  "\"budget_tokens\":4000", "temperature" },
	{ "anthropic/claude-sonnet-4-5", { "llm.thinking_budget=200000",
					   "llm.max_output_tokens=5000" },
	  "\"budget_tokens\":4999", NULL },
	{ "anthropic/claude-opus-4-7", { "llm.reasoning_effort=high" },
	  "\"thinking\":{\"type\":\"adaptive\"}", "budget_tokens" },
	{ "anthropic/claude-sonnet-4-5", { "llm.reasoning_effort=high" }, NULL, "effort" },
	{ "gemini/gemini-2.5-pro", { 0 }, "\"thinkingBudget\":128", NULL },
	{ "gemini/gemini-2.5-pro", { "llm.reasoning_effort=low" }, "\"thinkingBudget\":128",
	  NULL },
	{ "gemini/gemini-2.5-pro", { "llm.reasoning_effort=none" }, "\"thinkingBudget\":128",
	  NULL },
	{ "gemini/gemini-2.5-pro", { "llm.reasoning_effort=high" },
	  "\"thinkingBudget\":24576", NULL },
	{ "gemini/gemini-3-pro", { "llm.reasoning_effort=low" }, "\"thinkingLevel\":\"low\"",
	  "thinkingBudget" },
	/* these servers do not accept a top_p of 1 */
	{ "huggingface/some", { "llm.top_p=1" }, "\"top_p\":0.9", NULL },
	{ "huggingface/some", { "llm.top_p=0.5" }, "\"top_p\":0.5", NULL },
	/* limits of replies */
	{ "anthropic/claude-sonnet-4", { 0 }, "\"max_tokens\":64000", NULL },
	{ "anthropic/claude-3-7-sonnet-latest", { 0 }, "\"max_tokens\":64000", NULL },
	{ "anthropic/claude-3-5-sonnet", { 0 }, "\"max_tokens\":8192", NULL },
	{ "anthropic/odd-one", { "model.odd-one.window=8000", "model.odd-one.output=8000" },
	  "\"max_tokens\":4000", NULL },
	/* input and output have to fit */
	{ "bedrock/anthropic.claude-sonnet-4-5-v1:0",
	  { "model.bedrock/*.window=3000" }, "\"maxTokens\":27", NULL },
	{ "bedrock/anthropic.claude-sonnet-4-5-v1:0",
	  { "model.bedrock/*.window=500", "llm.thinking_budget=9000" },
	  "\"maxTokens\":1024", "budget_tokens" },
	{ "bedrock/anthropic.claude-sonnet-4-5-v1:0",
	  { "llm.max_output_tokens=77" }, "\"maxTokens\":77", NULL },
	/* marks for the cache: where a gateway passes them on to a model that takes them */
	{ "openrouter/anthropic/claude-sonnet-4.5", { 0 }, "\"content\":" MARKED("hi"), NULL },
	{ "litellm_proxy/claude-sonnet-4", { 0 }, "\"content\":" MARKED("hi"), NULL },
	{ "openrouter/moonshotai/kimi-k2.5", { 0 }, MARK, NULL },
	{ "openrouter/moonshotai/kimi-k2.5", { "model.kimi-k2.5.cache=no" }, NULL, MARK },
	{ "moonshot/kimi-k2.5", { 0 }, NULL, MARK },
	{ "openrouter/openai/gpt-5", { 0 }, "\"content\":\"hi\"", MARK },
	{ "openai/claude-sonnet-4", { 0 }, "\"content\":\"hi\"", MARK },
	/* short descriptions where the window is small, whatever the name is */
	{ "openai/gpt-4.1", { 0 }, "\"description\":\"Runs a command", NULL },
	{ "openai/o3", { "llm.api=chat" }, "\"description\":\"Runs a command", NULL },
	{ "openai/gpt-4", { 0 }, "\"description\":\"Runs.\"", "Runs a command" },
	{ "openai/gpt-4.1", { "llm.max_input_tokens=16384" },
	  "\"description\":\"Runs.\"", NULL },
	{ "openai/gpt-4.1", { "llm.native_tool_calling=no", "llm.max_input_tokens=16384" },
	  "Description: Runs.\\n", "Runs a command" },
	{ "openai/gpt-5", { "llm.api=chat" }, "\"description\":\"Runs a command", NULL },
	{ "anthropic/claude-sonnet-4", { 0 }, "\"description\":\"Runs a command", NULL },
	{ "anthropic/claude-sonnet-4", { "model.claude-*.short_tools=yes" },
	  "\"description\":\"Runs.\"", NULL },
};

static char data_home[] = "/tmp/test-facts.XXXXXX";

static struct llm_request *a_request(void)
{
	struct llm_request *q = ask("hi");

	llm_request_tool(q, &(struct llm_tool){
		.name = "bash", .description = "Runs a command, at length.",
		.brief = "Runs.", .schema = "{\"type\":\"object\"}" });
	llm_request_tool(q, &(struct llm_tool){
		.name = "look", .description = "Looks.", .schema = "{\"type\":\"object\"}" });
	return q;
}

static void one(size_t i)
{
	AUTO(llm_request) struct llm_request *q = a_request();
	AUTO(free) char *body = NULL, *again = NULL;
	const char *settings[8] = { "llm.retries=1", "llm.api_key_env=KEY",
				    "llm.base_url=http://127.0.0.1:1/v1" };
	struct bench b;
	uv_loop_t loop;

	for (size_t s = 0; cases[i].settings[s] && s < 4; s++)
		settings[3 + s] = cases[i].settings[s];
	uv_loop_init(&loop);
	CHECK_MSG(bench_open(&b, &loop, cases[i].model, settings), "%s: %s",
		  cases[i].model, b.err.text);
	if (b.llm) {
		body = dialogue_body(&b, q);
		again = dialogue_body(&b, q);
		CHECK_MSG(strcmp(body, again) == 0, "%s: the same bytes", cases[i].model);
		CHECK_MSG(!cases[i].sent || strstr(body, cases[i].sent), "%s: %s in %s",
			  cases[i].model, cases[i].sent, body);
		CHECK_MSG(!cases[i].not_sent || !strstr(body, cases[i].not_sent),
			  "%s: no %s in %s", cases[i].model, cases[i].not_sent, body);
	}
	bench_close(&b);
	CHECK(uv_loop_close(&loop) == 0);
}

/* The system text and the ends of the last two turns have marks, results and texts with
 * images too. */
static void cache_marks(void)
{
	static const struct line lines[] = {
		{ .role = MT_ROLE_SYSTEM, .text = "You help." },
		{ .role = MT_ROLE_USER, .text = "hello" },
		{ .role = MT_ROLE_ASSISTANT, .text = "Yes?" },
		{ .role = MT_ROLE_USER, .text = "what is this?", .mime = "image/png" },
		{ .role = MT_ROLE_ASSISTANT,
		  .calls = { CALL("a", "bash", "{}"), CALL("b", "bash", "{}") },
		  .call_count = 2 },
		{ .role = MT_ROLE_TOOL, .text = "one", .calls = { CALL("a", "bash", "") },
		  .call_count = 1 },
		{ .role = MT_ROLE_TOOL, .text = "two", .calls = { CALL("b", "bash", "") },
		  .call_count = 1 },
	};
	static const char *const sent[] = {
		"\"system\",\"content\":" MARKED("You help."),
		"\"content\":\"hello\"",
		"\"what is this?\"," MARK "},{\"type\":\"image_url\"",
		"\"content\":\"one\"",
		"\"content\":" MARKED("two"),
	};
	static const char *const settings[] = { "llm.api_key_env=KEY", NULL };
	AUTO(llm_request) struct llm_request *q =
		dialogue(lines, ARRAY_LEN(lines), true, false);
	AUTO(free) char *body = NULL;
	struct bench b;
	uv_loop_t loop;

	uv_loop_init(&loop);
	CHECK(bench_open(&b, &loop, "openrouter/anthropic/claude-sonnet-4", settings));
	body = b.llm ? dialogue_body(&b, q) : NULL;
	for (size_t i = 0; body && i < ARRAY_LEN(sent); i++)
		CHECK_MSG(strstr(body, sent[i]), "%s in %s", sent[i], body);
	bench_close(&b);
	CHECK(uv_loop_close(&loop) == 0);
}

/* The cap of a model holds over what `mortise models import` wrote. */
static void after_import(void)
{
	static const char table[] =
		"[o3]\nwindow = 1000000\noutput = 200000\n"
		"[openai/o3]\noutput = 300000\n[o5]\noutput = 200000\n";
	static const struct {
		const char *model, *limit;
	} limits[] = { { "openai/o3", "100000" }, { "openai/o5", "200000" } };
	static const char *const settings[] = { "llm.api_key_env=KEY", NULL };
	AUTO(free) char *dir = NULL, *path = NULL;
	uv_loop_t loop;
	struct bench b;

	setenv("XDG_DATA_HOME", mkdtemp(data_home), 1);
	dir = path_join(data_home, "mortise");
	path = dir ? path_join(dir, "models.ini") : NULL;
	CHECK(path && !dir_make(dir, NULL) &&
	      !file_write(path, table, strlen(table), 0600, false, NULL));
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		const char *limit = NULL;

		uv_loop_init(&loop);
		CHECK_MSG(bench_open(&b, &loop, limits[i].model, settings), "%s",
			  b.err.text);
		CHECK(b.llm && llm_option(b.llm, "output_limit", &limit));
		CHECK_STR(limit, limits[i].limit);
		bench_close(&b);
		CHECK(uv_loop_close(&loop) == 0);
	}
	unlink(path);
	rmdir(dir);
	rmdir(data_home);
}

int main(void)
{
	setenv("KEY", "not-so-secret", 1);
	setenv("AWS_REGION", "eu-west-1", 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one(i);
	cache_marks();
	after_import();
	return tap_done();
}
