/* SPDX-License-Identifier: MIT
 *
 * test-text-calls.c - effects of the model table, over a local server: round trips of
 * calls as text, parameters, cost. */
#include "bench.h"
#include "server.h"
#include "tap.h"

#define HEAD(type) \
	"HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nConnection: close\r\n\r\n"
#define DATA(text) "data: " text "\n\n"
#define CHUNK(text) \
	DATA("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}")
#define END \
	DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}") \
	DATA("[DONE]")
#define WHOLE(message, usage) \
	HEAD("application/json") "{\"id\":\"r\",\"choices\":[{\"index\":0,\"message\":" \
	message ",\"finish_reason\":\"stop\"}],\"usage\":" usage "}"

static uv_loop_t loop;
static struct server server;
static struct bench b;
static struct result r;

enum { MAX_SETTINGS = 8 };

static void open_bench(const char *model, const char *answer, const char *const *more)
{
	static struct answer answers[1];
	static char base[64];
	static const char *settings[MAX_SETTINGS];
	size_t n = 0;

	uv_loop_init(&loop);
	server_start(&server, &loop);
	answers[0] = (struct answer){ answer, 3, CLOSE };
	server_say(&server, answers, 1);
	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d/v1", server.port);
	settings[n++] = base;
	for (size_t i = 0; more && more[i] && n < MAX_SETTINGS - 1; i++)
		settings[n++] = more[i];
	settings[n] = NULL;
	if (!bench_open(&b, &loop, model, settings)) {
		CHECK_MSG(0, "opened: %s", b.err.text);
		exit(tap_done());
	}
}

static void close_bench(void)
{
	bench_close(&b);
	server_stop(&server);
	result_clear(&r);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
}

static struct llm_request *ask_with_tool(bool stream)
{
	struct llm_request *q = ask("look");

	llm_request_tool(q, &(struct llm_tool){
			"execute_bash", "Runs.",
			"{\"type\":\"object\",\"properties\":{\"command\":{\"type\":"
			"\"string\"},\"timeout\":{\"type\":\"number\"}}}", NULL, NULL });
	q->stream = stream;
	return q;
}

static bool sent(const char *text)
{
	return strstr(server.request.text, text) != NULL;
}

/* ---- calls as text ---------------------------------------------------------- */

static const char *const as_text[] = { "llm.native_tool_calling=no", NULL };

static void a_call_in_a_stream(void)
{
	AUTO(llm_request) struct llm_request *q = ask_with_tool(true);

	open_bench("some-model",
		   HEAD("text/event-stream") CHUNK("I lo") CHUNK("ok.\\n\\n<fun")
			   CHUNK("ction=execute_bash>\\n<parameter=command>ls</para")
				   CHUNK("meter>\\n<parameter=timeout>5</parameter>\\n")
					   END,
		   as_text);
	bench_send(&b, q, 7, NULL, &r);
	CHECK_STR(r.reply ? r.reply->text : r.error.text, "I look.");
	CHECK_STR(r.text.text, "I look.\n\n");
	CHECK_STR(r.reply ? r.reply->stop_reason : "", "tool_calls");
	CHECK(r.reply && r.reply->call_count == 1);
	if (r.reply && r.reply->call_count == 1) {
		CHECK_STR(r.reply->calls[0].name, "execute_bash");
		CHECK_STR(r.reply->calls[0].args, "{\"command\":\"ls\",\"timeout\":5}");
		CHECK_STR(r.reply->calls[0].id, "call_7_0");
	}
	CHECK(!sent("\"tools\"") && sent("\"stop\":[\"</function\"]"));
	CHECK(sent("---- BEGIN FUNCTION #1: execute_bash ----"));
	CHECK(sent("START OF EXAMPLE") && sent("\"role\":\"system\""));
	close_bench();
}

static void words_alone(void)
{
	AUTO(llm_request) struct llm_request *q = ask_with_tool(true);

	open_bench("some-model",
		   HEAD("text/event-stream") CHUNK("See <function= and <") CHUNK("func")
			   END,
		   as_text);
	bench_send(&b, q, 0, NULL, &r);
	CHECK_STR(r.reply ? r.reply->text : r.error.text, "See <function= and <func");
	CHECK_STR(r.text.text, "See <function= and <func");
	CHECK(r.reply && r.reply->call_count == 0);
	close_bench();
}

static void a_native_call_all_the_same(void)
{
	AUTO(llm_request) struct llm_request *q = ask_with_tool(false);

	open_bench("some-model",
		   WHOLE("{\"content\":\"x\",\"tool_calls\":[{\"id\":\"c\",\"type\":"
			 "\"function\",\"function\":{\"name\":\"execute_bash\","
			 "\"arguments\":\"{}\"}}]}",
			 "{}"),
		   as_text);
	bench_send(&b, q, 0, NULL, &r);
	CHECK(r.reply && r.reply->call_count == 1);
	CHECK_STR(r.reply && r.reply->call_count ? r.reply->calls[0].id : "", "c");
	close_bench();
}

/* The next request begins with the bytes of the one before. */
static void the_prefix_is_stable(void)
{
	static const struct llm_call call = { "c", "execute_bash",
					      "{\"command\":\"ls\"}", 16 };
	static const struct llm_part words = { .text = "I look.", .len = 7 };
	static const struct llm_part result = { .text = "a.c", .len = 3 };
	AUTO(llm_request) struct llm_request *q = ask_with_tool(false);
	AUTO(strbuf) struct strbuf first = STRBUF(1 << 20), second = STRBUF(1 << 20);
	size_t same;

	open_bench("some-model", WHOLE("{\"content\":\"x\"}", "{}"), as_text);
	bench_send(&b, q, 0, &first, &r);
	llm_request_add(q, &(struct llm_message){
			.role = MT_ROLE_ASSISTANT, .parts = &words, .part_count = 1,
			.calls = &call, .call_count = 1 });
	llm_request_add(q, &(struct llm_message){
			.role = MT_ROLE_TOOL, .parts = &result, .part_count = 1,
			.calls = &call, .call_count = 1 });
	bench_send(&b, q, 1, &second, &r);
	same = (size_t)(strstr(first.text, "}],\"stop\"") - first.text);
	CHECK(same < first.len && strncmp(first.text, second.text, same) == 0);
	CHECK(strstr(second.text,
		     "{\"role\":\"assistant\",\"content\":\"I look.\\n\\n"
		     "<function=execute_bash>\\n<parameter=command>ls</parameter>\\n"
		     "</function>\"},{\"role\":\"user\",\"content\":\"EXECUTION RESULT "
		     "of [execute_bash]:\\na.c\"}]"));
	close_bench();
}

/* ---- effects of the table --------------------------------------------------- */

static const struct {
	const char *model;
	const char *settings[5];
	const char *has[4], *has_not[4];
	double cost;       /* of 1000 tokens in, 400 of them cached, and 100 out */
} models[] = {
	{ "openai/gpt-4.1", { "llm.temperature=0", "llm.top_p=0.5" },
	  { "\"tools\":[", "\"temperature\":0", "\"top_p\":0.5" }, { "\"stop\"" },
	  0.0022 },
	{ "openai/gpt-5", { "llm.temperature=0", "llm.reasoning_effort=low",
	    "llm.max_output_tokens=99", "llm.api=chat" },
	  { "\"reasoning_effort\":\"low\"", "\"max_completion_tokens\":99" },
	  { "\"temperature\"", "\"max_tokens\"" }, 0.0018 },
	{ "openrouter/anthropic/claude-sonnet-4",
	  { "llm.temperature=0", "llm.top_p=0.5" },
	  { "\"tools\":[", "\"temperature\":0", "\"max_tokens\":64000" }, { "\"top_p\"" },
	  0.00342 },
	{ "openai/devstral-small-2505", { NULL },
	  { "BEGIN FUNCTION", "\"stop\":[\"</function\"]" },
	  { "\"tools\":[", "START OF EXAMPLE" }, 0.00013 },
	{ "some-model", { NULL }, { "\"tools\":[" }, { "BEGIN FUNCTION" }, -1 },
	{ "some-model", { "llm.canonical_name=deepseek-r1-0528" },
	  { "BEGIN FUNCTION" }, { "\"stop\"" }, -1 },
	{ "some-model", { "model.some-*.tools=no", "model.some-*.stop=no",
	    "model.some-*.input_price=10", "model.some-*.output_price=20" },
	  { "BEGIN FUNCTION" }, { "\"stop\"" }, 0.012 },
	{ "ollama/some-model", { "llm.native_tool_calling=yes" }, { "\"tools\":[" },
	  { "BEGIN FUNCTION" }, 0 },
};

static void what_the_table_decides(void)
{
	static const char answer[] =
		WHOLE("{\"content\":\"x\"}",
		      "{\"prompt_tokens\":1000,\"completion_tokens\":100,"
		      "\"prompt_tokens_details\":{\"cached_tokens\":400}}");

	setenv("OPENAI_API_KEY", "k", 1);
	setenv("OPENROUTER_API_KEY", "k", 1);
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		AUTO(llm_request) struct llm_request *q = ask_with_tool(false);
		double off;

		open_bench(models[i].model, answer, models[i].settings);
		bench_send(&b, q, 0, NULL, &r);
		CHECK_MSG(r.reply, "%s: %s", models[i].model, r.error.text);
		for (size_t n = 0; n < 4 && models[i].has[n]; n++)
			CHECK_MSG(sent(models[i].has[n]), "%s (%zu): %s", models[i].model,
				  i, models[i].has[n]);
		for (size_t n = 0; n < 4 && models[i].has_not[n]; n++)
			CHECK_MSG(!sent(models[i].has_not[n]), "%s (%zu): no %s",
				  models[i].model, i, models[i].has_not[n]);
		off = r.reply ? r.reply->usage.cost - models[i].cost : 1;
		CHECK_MSG(off < 1e-9 && off > -1e-9, "%s (%zu) costs %g", models[i].model,
			  i, r.reply ? r.reply->usage.cost : 0);
		CHECK(llm_metrics(b.llm)->cost_known == (models[i].cost >= 0));
		close_bench();
	}
}

static void a_request_has_less_to_say(void)
{
	AUTO(llm_request) struct llm_request *q = ask("hi");

	open_bench("openai/o3", WHOLE("{\"content\":\"x\"}", "{}"), NULL);
	q->params = json_object_new_object();
	js_set(q->params, "temperature", json_object_new_int(0));
	js_set(q->params, "max_tokens", json_object_new_int(5));
	bench_send(&b, q, 0, NULL, &r);
	CHECK(!sent("temperature") && sent("\"max_completion_tokens\":5"));
	CHECK(llm_context_window(b.llm) == 200000 && !llm_feature(b.llm, "responses"));
	CHECK(llm_feature(b.llm, "vision") &&
	      llm_feature(b.llm, "max_completion_tokens"));
	close_bench();
}

int main(void)
{
	a_call_in_a_stream();
	words_alone();
	a_native_call_all_the_same();
	the_prefix_is_stable();
	what_the_table_decides();
	a_request_has_less_to_say();
	return tap_done();
}
