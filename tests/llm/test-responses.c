/* SPDX-License-Identifier: MIT
 *
 * test-responses.c - the answers of OpenAI's Responses API. */
#include "decode-kit.h"

#define SSE "text/event-stream"
#define JSON "application/json"
#define EVENT(name, members) \
	"event: response." name "\ndata: {\"type\":\"response." name "\"" members "}\n\n"
#define CREATED EVENT("created", ",\"response\":{\"id\":\"r1\"}")
#define ADDED(n, item) \
	EVENT("output_item.added", ",\"output_index\":" n ",\"item\":{" item "}")
#define DONE(n, item) \
	EVENT("output_item.done", ",\"output_index\":" n ",\"item\":{" item "}")
#define MESSAGE(text) \
	"\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":"            \
	"\"output_text\",\"text\":\"" text "\"}]"
#define TEXT(n, text)                                                           \
	ADDED(n, "\"type\":\"message\",\"content\":[]")                          \
	EVENT("output_text.delta", ",\"output_index\":" n ",\"delta\":\"" text "\"") \
	DONE(n, MESSAGE(text))
#define CALL_ITEM(id, args) \
	"\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":\"" id "\",\"name\":"       \
	"\"bash\",\"arguments\":\"" args "\""
#define CALL(n, id)                                                             \
	ADDED(n, CALL_ITEM(id, ""))                                              \
	EVENT("function_call_arguments.delta", ",\"output_index\":" n ",\"delta\":\"{\"") \
	EVENT("function_call_arguments.delta", ",\"output_index\":" n ",\"delta\":\"}\"") \
	EVENT("function_call_arguments.done", ",\"output_index\":" n ",\"arguments\":\"{}\"") \
	DONE(n, CALL_ITEM(id, "{}"))
#define REASONING(secret) \
	"\"type\":\"reasoning\",\"id\":\"rs\",\"status\":null,\"summary\":[{\"type\":"    \
	"\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":" secret
#define USAGE \
	"\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":4},"  \
	"\"output_tokens\":3,\"output_tokens_details\":{\"reasoning_tokens\":2}}"
#define COMPLETED \
	EVENT("completed", ",\"response\":{\"id\":\"r1\",\"status\":\"completed\"," USAGE "}")
#define COUNTS " in=9 out=3 read=4 think=2"

static const struct decode_case cases[] = {
	{ "a text", 200, SSE, CREATED TEXT("0", "Hello") COMPLETED,
	  "Hello|stop" COUNTS, 0 },
	{ "a text and two calls", 200, SSE,
	  CREATED TEXT("0", "I look.") CALL("1", "c1") CALL("2", "c2") COMPLETED,
	  "I look.|c1 bash {}|c2 bash {}|tool_calls" COUNTS, 0 },
	{ "items without pieces", 200, SSE,
	  CREATED ADDED("0", "\"type\":\"message\"") DONE("0", MESSAGE("Hi"))
	  DONE("1", CALL_ITEM("c1", "{\\\"a\\\":1}")) COMPLETED,
	  "Hi|c1 bash {\"a\":1}|tool_calls" COUNTS, 0 },
	{ "encrypted reasoning goes back as it came", 200, SSE,
	  CREATED ADDED("0", REASONING("\"x\""))
	  EVENT("reasoning_summary_part.added", ",\"output_index\":0,\"summary_index\":0")
	  EVENT("reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"Hm\"")
	  DONE("0", REASONING("\"gAAA\"")) TEXT("1", "So.") CALL("2", "c1") COMPLETED,
	  "(Hm)So.|c1 bash {}|tool_calls" COUNTS
	  " <{\"responses\":[{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[{\"type\":"
	  "\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":\"gAAA\"},"
	  "{\"type\":\"message\"},{\"type\":\"function_call\",\"call_id\":\"c1\"}]}>", 0 },
	{ "reasoning that cannot go back", 200, SSE,
	  CREATED DONE("0", REASONING("null")) TEXT("1", "So.") COMPLETED,
	  "(Hm)So.|stop" COUNTS, 0 },
	{ "parts of a summary", 200, SSE,
	  CREATED ADDED("0", "\"type\":\"reasoning\"")
	  EVENT("reasoning_summary_part.added", ",\"output_index\":0")
	  EVENT("reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"a\"")
	  EVENT("reasoning_summary_part.added", ",\"output_index\":0")
	  EVENT("reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"b\"")
	  TEXT("1", "c") COMPLETED,
	  "(a\n\nb)c|stop" COUNTS, 0 },
	{ "phases of a message", 200, SSE,
	  CREATED DONE("0", MESSAGE("a") ",\"phase\":\"commentary\"")
	  DONE("1", MESSAGE("b") ",\"phase\":\"final_answer\"") COMPLETED,
	  "ab|stop" COUNTS
	  " <{\"responses\":[{\"type\":\"message\",\"text\":\"a\",\"phase\":\"commentary\"},"
	  "{\"type\":\"message\",\"text\":\"b\",\"phase\":\"final_answer\"}]}>", 0 },
	{ "tools of the provider", 200, SSE,
	  CREATED ADDED("0", "\"type\":\"web_search_call\",\"id\":\"w\"")
	  EVENT("web_search_call.searching", ",\"output_index\":0")
	  DONE("0", "\"type\":\"web_search_call\"") TEXT("1", "found") COMPLETED,
	  "found|stop" COUNTS, 0 },
	{ "a refusal", 200, SSE,
	  CREATED ADDED("0", "\"type\":\"message\"")
	  EVENT("refusal.delta", ",\"output_index\":0,\"delta\":\"No.\"")
	  EVENT("incomplete", ",\"response\":{\"status\":\"incomplete\","
		"\"incomplete_details\":{\"reason\":\"content_filter\"}}"),
	  "No.|refusal", 0 },
	{ "too long a reply", 200, SSE,
	  CREATED TEXT("0", "a")
	  EVENT("incomplete", ",\"response\":{\"status\":\"incomplete\","
		"\"incomplete_details\":{\"reason\":\"max_output_tokens\"}," USAGE "}"),
	  "a|length" COUNTS, 0 },
	{ "an error event", 200, SSE,
	  CREATED "data: {\"type\":\"error\",\"sequence_number\":2,\"error\":{\"code\":"
	  "\"insufficient_quota\",\"message\":\"pay\"}}\n\n",
	  "[error 3 pay]|", 0 },
	{ "an error event of the flat form", 200, SSE,
	  CREATED "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\","
	  "\"message\":\"oops\"}\n\n",
	  "[error 12 oops]|", 0 },
	{ "a failure", 200, SSE,
	  CREATED EVENT("failed", ",\"response\":{\"status\":\"failed\",\"error\":{"
			"\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}}"),
	  "[error 2 slow]|", 0 },
	{ "a failure for now", 200, SSE,
	  CREATED EVENT("failed", ",\"response\":{\"status\":\"failed\",\"error\":{"
			"\"code\":\"server_is_overloaded\",\"message\":\"busy\"}}"),
	  "[error 4 busy]|", 0 },
	{ "cut short", 200, SSE, CREATED TEXT("0", "a"),
	  "[error 10 the response was truncated]a|", 0 },
	{ "an answer in one piece", 200, JSON,
	  "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{"
	  REASONING("\"g\"") "},{" MESSAGE("Hi") "},{" CALL_ITEM("c", "{}") "}]," USAGE "}",
	  "(Hm)Hi|c bash {}|tool_calls" COUNTS
	  " <{\"responses\":[{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[{\"type\":"
	  "\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":\"g\"},"
	  "{\"type\":\"message\"},{\"type\":\"function_call\",\"call_id\":\"c\"}]}>", 0 },
	{ "a whole failure", 200, JSON,
	  "{\"object\":\"response\",\"status\":\"failed\",\"output\":[],\"error\":{"
	  "\"code\":\"server_error\",\"message\":\"oops\"}}",
	  "[error 12 oops]|", 0 },
	{ "an unknown model", 400, JSON,
	  "{\"error\":{\"message\":\"no such model\",\"type\":\"invalid_request_error\","
	  "\"code\":\"model_not_found\"}}",
	  "[error 11 no such model]|", 0 },
};

int main(void)
{
	run_cases(cases, ARRAY_LEN(cases));
	return tap_done();
}
