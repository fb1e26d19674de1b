/* SPDX-License-Identifier: MIT
 *
 * test-kept.c - data that a provider wants back with a reply is returned unchanged:
 * an answer, its record in the log, the next request; the request that is made
 * from the record has the same bytes as the one made at once. */
#include "dialogue.h"
#include "server.h"
#include "tap.h"

#define OK(type) "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nConnection: close\r\n\r\n"
#define JSON OK("application/json")
#define SSE OK("text/event-stream")
#define DATA(text) "data: " text "\n\n"
#define CHUNK(delta) DATA("{\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}")
#define END DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}")
#define CHAT(members)                                                           \
	JSON "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":"   \
	     "\"So.\"," members "},\"finish_reason\":\"stop\"}]}"
#define CALL_MEMBER                                                             \
	"\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{"    \
	"\"name\":\"bash\",\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}"

#define DETAILS                                                                 \
	"\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"Hm, \\\"so\\\".\"," \
	"\"signature\":\"c2ln\",\"format\":\"anthropic-claude-v1\",\"index\":0},"       \
	"{\"type\":\"reasoning.encrypted\",\"data\":\"Z2FB\",\"id\":\"rs_1\",\"index\":1}]"
#define THINKING                                                                \
	"{\"type\":\"thinking\",\"thinking\":\"Hm.\",\"signature\":\"c2ln\"},"   \
	"{\"type\":\"redacted_thinking\",\"data\":\"ZGF0YQ==\"}"
#define ENCRYPTED                                                               \
	"{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],"                \
	"\"encrypted_content\":\"Z2FBQUFB\"}"

#define MISTRAL_THOUGHT                                                         \
	"{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"Hm, so.\"}]}"

static const struct {
	const char *name, *model;
	const char *settings[3];
	const char *answer;
	bool stream;
	const char *sent;       /* in the next request */
	const char *not_sent;
} cases[] = {
	{ "reasoning_content of a model that wants it", "deepseek/deepseek-reasoner", { 0 },
	  CHAT("\"reasoning_content\":\"First \\\"this\\\",\\n then\\u00e4 that.\""), false,
	  "\"content\":\"So.\",\"reasoning_content\":\"First \\\"this\\\",\\n then\xc3\xa4 "
	  "that.\"}", NULL },
	{ "reasoning_content in pieces", "moonshot/kimi-k2.6",
	  { "llm.native_tool_calling=yes" },
	  SSE CHUNK("\"reasoning_content\":\"First \"") CHUNK("\"reasoning_content\":\"this.\"")
	  CHUNK("\"content\":\"So.\"") END, true,
	  ",\"reasoning_content\":\"First this.\"}", NULL },
	{ "reasoning_content, with calls as text", "moonshot/kimi-k2-thinking", { 0 },
	  CHAT("\"reasoning_content\":\"First.\""), false,
	  ",\"reasoning_content\":\"First.\"}", NULL },
	{ "reasoning of a model that does not", "groq/qwen3", { 0 },
	  CHAT("\"reasoning\":\"First this.\""), false, "\"content\":\"So.\"}", "First" },
	{ "reasoning_details", "openrouter/anthropic/claude-sonnet-4-5", { 0 },
	  CHAT("\"reasoning\":\"Hm.\"," DETAILS), false, "," DETAILS "}", NULL },
	{ "reasoning_details in pieces", "openrouter/anthropic/claude-sonnet-4-5", { 0 },
	  SSE CHUNK("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"Hm, \","
		    "\"signature\":null,\"format\":\"anthropic-claude-v1\",\"index\":0}]")
	  CHUNK("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"\\\"so\\\".\","
		"\"format\":\"anthropic-claude-v1\",\"index\":0}]")
	  CHUNK("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"signature\":\"c2ln\","
		"\"index\":0}]")
	  CHUNK("\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"Z2FB\","
		"\"id\":\"rs_1\",\"index\":1}]")
	  CHUNK("\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"Z2FC\","
		"\"id\":\"rs_2\",\"index\":2}]")
	  CHUNK("\"content\":\"So.\"") END, true,
	  ",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"Hm, \\\"so\\\".\","
	  "\"signature\":\"c2ln\",\"format\":\"anthropic-claude-v1\",\"index\":0},"
	  "{\"type\":\"reasoning.encrypted\",\"data\":\"Z2FB\",\"id\":\"rs_1\",\"index\":1},"
	  "{\"type\":\"reasoning.encrypted\",\"data\":\"Z2FC\",\"id\":\"rs_2\",\"index\":2}]",
	  NULL },
	{ "thinking blocks of a proxy", "litellm_proxy/claude-sonnet-4-5", { 0 },
	  CHAT("\"thinking_blocks\":[" THINKING "]"), false,
	  ",\"thinking_blocks\":[" THINKING "]", NULL },
	{ "thinking blocks of a proxy in pieces", "litellm_proxy/claude-sonnet-4-5", { 0 },
	  SSE CHUNK("\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":\"H\","
		    "\"signature\":\"\"}]")
	  CHUNK("\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":\"m.\"}]")
	  CHUNK("\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":\"\","
		"\"signature\":\"c2ln\"}]")
	  CHUNK("\"thinking_blocks\":[{\"type\":\"redacted_thinking\",\"data\":\"ZGF0YQ==\"}]")
	  CHUNK("\"content\":\"So.\"") END, true,
	  ",\"thinking_blocks\":[" THINKING "]", NULL },
	{ "the signature of a call", "litellm_proxy/gemini-3-pro", { 0 },
	  CHAT(CALL_MEMBER ",\"extra_content\":{\"google\":{\"thought_signature\":\"c2ln\"}}}]"),
	  false, "},\"extra_content\":{\"google\":{\"thought_signature\":\"c2ln\"}}}]", NULL },
	{ "thoughts in the content", "mistral/magistral-medium-2507", { 0 },
	  JSON "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":[" MISTRAL_THOUGHT
	       ",{\"type\":\"text\",\"text\":\"So.\"}]},\"finish_reason\":\"stop\"}]}", false,
	  "\"content\":[" MISTRAL_THOUGHT ",{\"type\":\"text\",\"text\":\"So.\"}]}", NULL },
	{ "thoughts in the content, in pieces", "mistral/magistral-medium-2507", { 0 },
	  SSE CHUNK("\"role\":\"assistant\",\"content\":\"\"")
	  CHUNK("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
		"\"text\":\"Hm, \"}]}]")
	  CHUNK("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
		"\"text\":\"so.\"}]}]")
	  CHUNK("\"content\":[{\"type\":\"text\",\"text\":\"S\"}]")
	  CHUNK("\"content\":\"o.\"") END, true,
	  "\"content\":[" MISTRAL_THOUGHT ",{\"type\":\"text\",\"text\":\"So.\"}]}", NULL },
	{ "thoughts and a call", "mistral/magistral-medium-2507",
	  { "llm.native_tool_calling=yes" },
	  JSON "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":[" MISTRAL_THOUGHT
	       "]," CALL_MEMBER "}]},\"finish_reason\":\"tool_calls\"}]}", false,
	  "\"content\":[" MISTRAL_THOUGHT "],\"tool_calls\":[{\"id\":\"c1\"", NULL },
	{ "encrypted reasoning", "openai/gpt-5", { "llm.api=responses" },
	  JSON "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":["
	       ENCRYPTED ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":"
	       "\"output_text\",\"text\":\"So.\"}]}]}", false, ENCRYPTED, NULL },
	{ "thinking, signed and redacted", "anthropic/claude-sonnet-4-5",
	  { "llm.thinking_budget=2048" },
	  JSON "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" THINKING
	       ",{\"type\":\"text\",\"text\":\"So.\"}],\"stop_reason\":\"end_turn\"}", false,
	  "[" THINKING ",{\"type\":\"text\",\"text\":\"So.\"}]", NULL },
	{ "thought signatures", "gemini/gemini-3-pro", { 0 },
	  JSON "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"So.\","
	       "\"thoughtSignature\":\"c2ln\"}]},\"finishReason\":\"STOP\"}]}", false,
	  "\"thoughtSignature\":\"c2ln\"", NULL },
	{ "reasoning of Bedrock, signed and redacted", "bedrock/anthropic.claude-sonnet-4-5-v1:0",
	  { "llm.thinking_budget=2048" },
	  JSON "{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":[{"
	       "\"reasoningContent\":{\"reasoningText\":{\"text\":\"Hm\",\"signature\":"
	       "\"c2ln\"}}},{\"reasoningContent\":{\"redactedContent\":\"ZGF0YQ==\"}},"
	       "{\"text\":\"So.\"}]}},\"stopReason\":\"end_turn\"}", false,
	  "[{\"reasoningContent\":{\"reasoningText\":{\"text\":\"Hm\",\"signature\":\"c2ln\"}}},"
	  "{\"reasoningContent\":{\"redactedContent\":\"ZGF0YQ==\"}},{\"text\":\"So.\"}]",
	  NULL },
};

/* The request after this reply. */
static char *next_body(struct bench *b, const struct llm_reply *reply)
{
	AUTO(llm_request) struct llm_request *q = llm_request_new();
	struct llm_part part = { .text = reply->text, .len = reply->text_len };
	struct llm_part user = { .text = "again", .len = 5 };
	struct llm_message said = { .role = MT_ROLE_ASSISTANT, .parts = &part,
				    .part_count = 1, .calls = reply->calls,
				    .call_count = reply->call_count,
				    .opaque = reply->opaque,
				    .opaque_len = reply->opaque ? strlen(reply->opaque) : 0 };

	llm_request_add(q, &(struct llm_message){ .role = MT_ROLE_USER, .parts = &user,
						  .part_count = 1 });
	llm_request_add(q, &said);
	for (size_t i = 0; i < reply->call_count; i++)
		llm_request_add(q, &(struct llm_message){
			.role = MT_ROLE_TOOL, .parts = &user, .part_count = 1,
			.calls = &reply->calls[i], .call_count = 1 });
	llm_request_tool(q, &(struct llm_tool){ .name = "bash", .description = "Runs.",
						.schema = "{\"type\":\"object\"}" });
	return dialogue_body(b, q);
}

/* Through the text of its record. */
static char *next_body_of_log(struct bench *b, const struct llm_reply *reply)
{
	AUTO(json) json_object *record = llm_reply_json(reply), *read = NULL;
	AUTO(llm_reply) struct llm_reply *again = NULL;
	const char *text = js_text(record, NULL);
	struct error err = ERROR_NONE;

	read = js_parse_object(text, strlen(text), &err);
	again = llm_reply_from_json(read, &err);
	return again ? next_body(b, again) : strdup(err.text);
}

static void one(size_t i)
{
	AUTO(llm_request) struct llm_request *q = ask("hi");
	AUTO(free) char *live = NULL, *later = NULL;
	struct answer answers[1] = { { cases[i].answer, 0, CLOSE } };
	struct result r = { .text = STRBUF(16), .reasoning = STRBUF(16) };
	const char *settings[6] = { "llm.retries=1", "llm.api_key_env=KEY" };
	struct server server;
	struct bench b;
	uv_loop_t loop;
	char base[64];
	size_t n = 2;

	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, answers, 1);
	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d/v1", server.port);
	settings[n++] = base;
	for (size_t s = 0; cases[i].settings[s]; s++)
		settings[n++] = cases[i].settings[s];
	q->stream = cases[i].stream;
	if (bench_open(&b, &loop, cases[i].model, settings))
		bench_send(&b, q, 0, NULL, &r);
	CHECK_MSG(r.reply, "%s: %s", cases[i].name,
		  r.reply      ? "a reply"
		  : b.err.code ? b.err.text
			       : r.error.text);
	if (r.reply) {
		live = next_body(&b, r.reply);
		later = next_body_of_log(&b, r.reply);
		CHECK_STR(later, live);
		if (!strstr(live, cases[i].sent))
			printf("# %s\n", live);
		CHECK_MSG(strstr(live, cases[i].sent), "%s: goes back", cases[i].name);
		CHECK(!cases[i].not_sent || !strstr(live, cases[i].not_sent));
	}
	bench_close(&b);
	server_stop(&server);
	result_clear(&r);
	CHECK(uv_loop_close(&loop) == 0);
}

/* The kept data of another provider is not sent to this one. */
static void to_another_provider(void)
{
	static const struct line lines[] = {
		{ .role = MT_ROLE_USER, .text = "hi" },
		{ .role = MT_ROLE_ASSISTANT, .text = "So.",
		  .opaque = "{\"chat\":{\"from\":\"openrouter\",\"reasoning_details\":"
			    "[{\"type\":\"x\"}],\"reasoning_content\":\"Hm.\","
			    "\"calls\":{\"c\":{\"g\":1}}}}" },
		{ .role = MT_ROLE_USER, .text = "again" },
	};
	static const char *const settings[] = { "llm.retries=1", "llm.api_key_env=KEY",
						"llm.base_url=http://127.0.0.1:1", NULL };
	AUTO(llm_request) struct llm_request *q = dialogue(lines, 3, false, false);
	AUTO(free) char *body = NULL;
	struct bench b;
	uv_loop_t loop;

	uv_loop_init(&loop);
	if (bench_open(&b, &loop, "groq/llama", settings))
		body = dialogue_body(&b, q);
	CHECK(body && !strstr(body, "reasoning") && strstr(body, "So."));
	bench_close(&b);
	CHECK(uv_loop_close(&loop) == 0);
}

/* A reply of three calls of which the second has no result, as after a damaged line: the
 * kept form of that call is not sent either, nor what belongs to it alone. */
#define REASON(id)                                                              \
	"{\"type\":\"reasoning\",\"id\":\"" id "\",\"encrypted_content\":\"Z2FB\"},"
#define RESPONSES_CALL(id) "{\"type\":\"function_call\",\"call_id\":\"" id "\"}"
#define ANTHROPIC_CALL(id) "{\"type\":\"tool_use\",\"id\":\"" id "\"}"
#define GEMINI_CALL(id) "{\"call\":\"" id "\",\"thoughtSignature\":\"s_" id "\"}"
#define BEDROCK_CALL(id) "{\"toolUse\":\"" id "\"}"
#define THREE(call) call("c1") "," call("c2") "," call("c3")
static const struct {
	const char *model, *opaque, *setting;
} batches[] = {
	{ "openai/gpt-4.1", NULL, NULL },
	{ "openrouter/x", "{\"chat\":{\"from\":\"openrouter\",\"calls\":{\"c1\":{\"g\":1},"
			  "\"c2\":{\"g\":2}}}}", NULL },
	{ "openai/gpt-5", "{\"responses\":[" REASON("r_c1") RESPONSES_CALL("c1") ","
			  REASON("r_c2") RESPONSES_CALL("c2") "," RESPONSES_CALL("c3") "]}",
	  "llm.api=responses" },
	{ "anthropic/claude-sonnet-4-5", "{\"anthropic\":[" THINKING "," THREE(ANTHROPIC_CALL)
					 "]}", NULL },
	{ "gemini/gemini-3-pro", "{\"gemini\":[" THREE(GEMINI_CALL) "]}", NULL },
	{ "bedrock/anthropic.claude-sonnet-4-5-v1:0", "{\"bedrock\":[" THREE(BEDROCK_CALL)
						      "]}", NULL },
	{ "ollama/qwen3", NULL, NULL },
};

static size_t occurrences(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

static void calls_without_answer(size_t i)
{
	const struct line lines[] = {
		{ .role = MT_ROLE_USER, .text = "hi" },
		{ .role = MT_ROLE_ASSISTANT, .text = "So.",
		  .calls = { CALL("c1", "bash", "{\"command\":\"run_c1\"}"),
			     CALL("c3", "bash", "{\"command\":\"run_c3\"}") },
		  .call_count = 2, .opaque = batches[i].opaque },
		{ .role = MT_ROLE_TOOL, .text = "result_c1",
		  .calls = { CALL("c1", "bash", "{}") }, .call_count = 1 },
		{ .role = MT_ROLE_TOOL, .text = "result_c3",
		  .calls = { CALL("c3", "bash", "{}") }, .call_count = 1 },
		{ .role = MT_ROLE_USER, .text = "again" },
	};
	const char *const settings[] = { "llm.retries=1", "llm.api_key_env=KEY",
					 "llm.native_tool_calling=yes",
					 "llm.base_url=http://127.0.0.1:1",
					 batches[i].setting, NULL };
	AUTO(llm_request) struct llm_request *q =
		dialogue(lines, ARRAY_LEN(lines), true, false);
	AUTO(free) char *body = NULL;
	struct bench b;
	uv_loop_t loop;

	uv_loop_init(&loop);
	if (bench_open(&b, &loop, batches[i].model, settings))
		body = dialogue_body(&b, q);
	CHECK_MSG(body && !strstr(body, "\"c2\"") && !strstr(body, "_c2"),
		  "%s: nothing of the call without a result", batches[i].model);
	CHECK(body && occurrences(body, "run_c1") == 1 &&
	      occurrences(body, "run_c3") == 1);
	CHECK(body && occurrences(body, "result_c1") == 1 &&
	      occurrences(body, "result_c3") == 1);
	bench_close(&b);
	CHECK(uv_loop_close(&loop) == 0);
}

int main(void)
{
	setenv("KEY", "not-so-secret", 1);
	setenv("AWS_REGION", "eu-west-1", 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one(i);
	to_another_provider();
	for (size_t i = 0; i < ARRAY_LEN(batches); i++)
		calls_without_answer(i);
	return tap_done();
}
