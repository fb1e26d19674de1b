/* SPDX-License-Identifier: MIT
 *
 * test-anthropic.c - the answers of Anthropic's Messages. */
#include "decode-kit.h"

#define SSE "text/event-stream; charset=utf-8"
#define JSON "application/json"
#define EVENT(name, members) \
	"event: " name "\ndata: {\"type\":\"" name "\"" members "}\n\n"
#define START \
	EVENT("message_start", ",\"message\":{\"id\":\"m1\",\"content\":[],\"usage\":{"  \
			       "\"input_tokens\":3,\"cache_creation_input_tokens\":5,"   \
			       "\"cache_read_input_tokens\":7,\"output_tokens\":1}}")
#define BLOCK(n, block) \
	EVENT("content_block_start", ",\"index\":" n ",\"content_block\":{" block "}")
#define DELTA(n, delta) \
	EVENT("content_block_delta", ",\"index\":" n ",\"delta\":{" delta "}")
#define OVER(n) EVENT("content_block_stop", ",\"index\":" n)
#define TEXT(n, text)                                                           \
	BLOCK(n, "\"type\":\"text\",\"text\":\"\"")                              \
	DELTA(n, "\"type\":\"text_delta\",\"text\":\"" text "\"") OVER(n)
#define STOP(reason)                                                            \
	EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason "\"},"    \
			       "\"usage\":{\"output_tokens\":9}")                \
	EVENT("message_stop", "")
#define COUNTS " in=15 out=9 read=7 write=5"
#define THOUGHT                                                                 \
	BLOCK("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"") \
	DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"Hm\"")            \
	DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\" hm\"")           \
	DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"c2ln\"") OVER("0")
#define CALL(n, id)                                                             \
	BLOCK(n, "\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"bash\","    \
		 "\"input\":{}")                                                 \
	DELTA(n, "\"type\":\"input_json_delta\",\"partial_json\":\"\"")          \
	DELTA(n, "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\": \"") \
	DELTA(n, "\"type\":\"input_json_delta\",\"partial_json\":\"1}\"") OVER(n)

static const struct decode_case cases[] = {
	{ "a text", 200, SSE,
	  START EVENT("ping", "") TEXT("0", "Hello") STOP("end_turn"),
	  "Hello|stop" COUNTS, 0 },
	{ "two calls after a text", 200, SSE,
	  START TEXT("0", "I look.") CALL("1", "t1") CALL("2", "t2") STOP("tool_use"),
	  "I look.|t1 bash {\"a\": 1}|t2 bash {\"a\": 1}|tool_calls" COUNTS, 0 },
	{ "thinking goes back as it came, the rest by name", 200, SSE,
	  START THOUGHT TEXT("1", "So.") CALL("2", "t1") STOP("tool_use"),
	  "(Hm hm)So.|t1 bash {\"a\": 1}|tool_calls" COUNTS
	  " <{\"anthropic\":[{\"type\":\"thinking\",\"thinking\":\"Hm hm\","
	  "\"signature\":\"c2ln\"},{\"type\":\"text\"},{\"type\":\"tool_use\",\"id\":"
	  "\"t1\"}]}>", 0 },
	{ "redacted thinking, and texts between", 200, SSE,
	  START BLOCK("0", "\"type\":\"redacted_thinking\",\"data\":\"ZGF0YQ==\"") OVER("0")
	  TEXT("1", "a") BLOCK("2", "\"type\":\"redacted_thinking\",\"data\":\"eA==\"")
	  OVER("2") TEXT("3", "b") STOP("end_turn"),
	  "ab|stop" COUNTS
	  " <{\"anthropic\":[{\"type\":\"redacted_thinking\",\"data\":\"ZGF0YQ==\"},"
	  "{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"redacted_thinking\",\"data\":"
	  "\"eA==\"},{\"type\":\"text\",\"text\":\"b\"}]}>", 0 },
	{ "what a server did goes back too", 200, SSE,
	  START BLOCK("0", "\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\","
		       "\"input\":{}")
	  DELTA("0", "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"q\\\":1}\"")
	  OVER("0") BLOCK("1", "\"type\":\"odd\",\"x\":[1]") OVER("1")
	  BLOCK("2", "\"type\":\"text\",\"text\":\"t\"")
	  DELTA("2", "\"type\":\"citations_delta\",\"citation\":{\"c\":1}") OVER("2")
	  STOP("end_turn"),
	  "t|stop" COUNTS
	  " <{\"anthropic\":[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\","
	  "\"input\":{\"q\":1}},{\"type\":\"odd\",\"x\":[1]},{\"type\":\"text\"}]}>", 0 },
	{ "unknown events and deltas", 200, SSE,
	  START EVENT("news", ",\"x\":1") TEXT("0", "a")
	  DELTA("0", "\"type\":\"odd_delta\",\"text\":\"no\"")
	  DELTA("9", "\"type\":\"text_delta\",\"text\":\"no block\"") STOP("end_turn"),
	  "a|stop" COUNTS, 0 },
	{ "totals of the end replace those of the start", 200, SSE,
	  START TEXT("0", "a")
	  EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
		"\"input_tokens\":4,\"cache_read_input_tokens\":0,\"output_tokens\":2,"
		"\"output_tokens_details\":{\"thinking_tokens\":1}}")
	  EVENT("message_stop", ""),
	  "a|stop in=9 out=2 read=0 write=5 think=1", 0 },
	{ "the same start twice", 200, SSE, START START TEXT("0", "a") STOP("end_turn"),
	  "a|stop" COUNTS, 0 },
	{ "a proxy that starts again", 200, SSE,
	  START TEXT("0", "lost") BLOCK("1", "\"type\":\"tool_use\",\"id\":\"lost\","
					"\"name\":\"bash\",\"input\":{}")
	  EVENT("message_start", ",\"message\":{\"id\":\"m2\",\"content\":[]}")
	  TEXT("0", "found") CALL("1", "t") STOP("tool_use"),
	  "found|t bash {\"a\": 1}|tool_calls out=9", 0 },
	{ "too long a reply", 200, SSE,
	  START TEXT("0", "a") STOP("max_tokens"), "a|length" COUNTS, 0 },
	{ "a refusal without words", 200, SSE, START STOP("refusal"),
	  "|refusal" COUNTS, 0 },
	{ "no room left in the window", 200, SSE,
	  START TEXT("0", "a") STOP("model_context_window_exceeded"),
	  "[error 5 the response exceeded the context window]a|" COUNTS, 0 },
	{ "overload in the middle", 200, SSE,
	  START TEXT("0", "a") EVENT("error", ",\"error\":{\"type\":\"overloaded_error\","
						"\"message\":\"Overloaded\"}"),
	  "[error 4 Overloaded]a| in=15 out=1 read=7 write=5", 0 },
	{ "cut before the end", 200, SSE, START TEXT("0", "a"),
	  "[error 10 the response was truncated]a| in=15 out=1 read=7 write=5", 0 },
	{ "cut in the last event", 200, SSE,
	  START TEXT("0", "a")
	  EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")
	  "event: message_stop\ndata: {\"type\":\"message_stop\"}",
	  "a|stop in=15 out=1 read=7 write=5", 0 },
	{ "broken JSON", 200, SSE, START "data: {\"type\":\n\n", NULL, 0 },
	{ "an answer in one piece", 200, JSON,
	  "{\"id\":\"m\",\"type\":\"message\",\"content\":[{\"type\":\"thinking\","
	  "\"thinking\":\"hm\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"a\"},"
	  "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"bash\",\"input\":{\"a\":1.50}}],"
	  "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}",
	  "(hm)a|t bash {\"a\":1.50}|tool_calls in=3 out=2 <{\"anthropic\":[{\"type\":"
	  "\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},{\"type\":\"text\"},"
	  "{\"type\":\"tool_use\",\"id\":\"t\"}]}>", 0 },
	{ "a call without arguments", 200, JSON,
	  "{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"x\",\"input\":{}}],"
	  "\"stop_reason\":\"tool_use\"}",
	  "|t x |tool_calls", 0 },
	{ "no content", 200, JSON, "{\"id\":\"m\"}",
	  "[error 10 the response has no content]|", 0 },
	{ "a wrong key", 401, JSON,
	  "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":"
	  "\"invalid x-api-key\"}}",
	  "[error 1 invalid x-api-key]|", 0 },
	{ "a bad request is for the host to look at", 400, JSON,
	  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
	  "\"prompt is too long: 210000 tokens > 200000 maximum\"}}",
	  "[error 7 prompt is too long: 210000 tokens > 200000 maximum]|", 0 },
	{ "no credit", 400, JSON,
	  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
	  "\"Your credit balance is too low\"}}",
	  "[error 3 Your credit balance is too low]|", 0 },
	{ "overload", 529, JSON,
	  "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}",
	  "[error 4 x]|", 0 },
	{ "an error that is a web page", 502, "text/html", "<html>Bad Gateway</html>",
	  "[error 0 a web page was returned instead of an API response]|", 0 },
};

int main(void)
{
	run_cases(cases, ARRAY_LEN(cases));
	return tap_done();
}
