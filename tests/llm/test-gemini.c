/* SPDX-License-Identifier: MIT
 *
 * test-gemini.c - the answers of Google's generateContent. */
#include "decode-kit.h"

#define SSE "text/event-stream"
#define JSON "application/json; charset=UTF-8"
#define ANSWER(parts, more) \
	"{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts "]}" more   \
	"}],\"usageMetadata\":{\"promptTokenCount\":5,\"candidatesTokenCount\":2,"       \
	"\"thoughtsTokenCount\":3,\"cachedContentTokenCount\":1},\"responseId\":\"r\"}"
#define DATA(text) "data: " text "\r\n\r\n"
#define CHUNK(parts) DATA(ANSWER(parts, ""))
#define STOP ",\"finishReason\":\"STOP\",\"index\":0"
#define LAST(parts) DATA(ANSWER(parts, STOP))
#define COUNTS " in=5 out=5 read=1 think=3"
#define PIECES(pieces) \
	CHUNK("{\"functionCall\":{\"partialArgs\":[" pieces "],\"willContinue\":true}}")
#define PIECE(path, value) "{\"jsonPath\":\"" path "\"," value "}"
#define ERROR(status, message, details) \
	"{\"error\":{\"code\":429,\"message\":\"" message "\",\"status\":\"" status "\","  \
	"\"details\":[" details "]}}"

static const struct decode_case cases[] = {
	{ "a text", 200, SSE, CHUNK("{\"text\":\"Hel\"}") LAST("{\"text\":\"lo\"}"),
	  "Hello|stop" COUNTS, 0 },
	{ "thoughts", 200, SSE,
	  CHUNK("{\"text\":\"Hm\",\"thought\":true}") LAST("{\"text\":\"So.\"}"),
	  "(Hm)So.|stop" COUNTS, 0 },
	{ "a signature behind the text", 200, SSE,
	  CHUNK("{\"text\":\"So\"}") CHUNK("{\"text\":\".\"}")
	  LAST("{\"text\":\"\",\"thoughtSignature\":\"c2ln\"}"),
	  "So.|stop" COUNTS
	  " <{\"gemini\":[{\"text\":null},{\"text\":\"\",\"thoughtSignature\":\"c2ln\"}]}>",
	  0 },
	{ "a signature at the text", 200, SSE,
	  LAST("{\"text\":\"So.\",\"thoughtSignature\":\"c2ln\"}"),
	  "So.|stop" COUNTS " <{\"gemini\":[{\"text\":null,\"thoughtSignature\":\"c2ln\"}]}>",
	  0 },
	{ "calls, the first one signed", 200, SSE,
	  CHUNK("{\"functionCall\":{\"id\":\"i1\",\"name\":\"bash\",\"args\":{\"a\":1}},"
		"\"thoughtSignature\":\"c2ln\"}")
	  LAST("{\"functionCall\":{\"name\":\"bash\",\"args\":{}}}"),
	  "|i1 bash {\"a\":1}|- bash {}|tool_calls" COUNTS
	  " <{\"gemini\":[{\"call\":\"i1\",\"thoughtSignature\":\"c2ln\"},{\"call\":1}]}>",
	  0 },
	{ "a call without arguments", 200, SSE,
	  LAST("{\"functionCall\":{\"name\":\"x\"}}"), "|- x |tool_calls" COUNTS, 0 },
	{ "a call in pieces", 200, SSE,
	  CHUNK("{\"functionCall\":{\"name\":\"x\",\"willContinue\":true}}")
	  PIECES(PIECE("$.a[0].b", "\"stringValue\":\"on\",\"willContinue\":true"))
	  PIECES(PIECE("$.a[0].b", "\"stringValue\":\"e\""))
	  PIECES(PIECE("$.a[1]['c d']", "\"numberValue\":1.5") ","
		 PIECE("$.n", "\"nullValue\":null") "," PIECE("$.t", "\"boolValue\":true"))
	  LAST("{\"functionCall\":{}}"),
	  "|- x {\"a\":[{\"b\":\"one\"},{\"c d\":1.5}],\"n\":null,\"t\":true}|tool_calls"
	  COUNTS, 0 },
	{ "pieces that do not end", 200, SSE,
	  CHUNK("{\"functionCall\":{\"name\":\"x\",\"willContinue\":true}}")
	  PIECES(PIECE("$.a", "\"stringValue\":\"b\",\"willContinue\":true")) LAST(""),
	  "|- x {\"a\":\"b\"}|tool_calls" COUNTS, 0 },
	{ "pieces that do not fit", 200, SSE,
	  CHUNK("{\"functionCall\":{\"name\":\"x\",\"willContinue\":true}}")
	  PIECES(PIECE("$.a[99999999]", "\"numberValue\":1")) LAST(""), NULL, 0 },
	{ "too long a reply", 200, SSE,
	  DATA(ANSWER("{\"text\":\"a\"}", ",\"finishReason\":\"MAX_TOKENS\"")),
	  "a|length" COUNTS, 0 },
	{ "unsafe", 200, SSE, DATA(ANSWER("", ",\"finishReason\":\"SAFETY\"")),
	  "|refusal" COUNTS, 0 },
	{ "a call that is none", 200, SSE,
	  DATA(ANSWER("", ",\"finishReason\":\"MALFORMED_FUNCTION_CALL\","
			  "\"finishMessage\":\"Malformed call: x(\"")),
	  "[error 10 Malformed call: x(]|" COUNTS, 0 },
	{ "a prompt that is blocked", 200, JSON,
	  "{\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"}}",
	  "[error 6 PROHIBITED_CONTENT]|", 0 },
	{ "other candidates do not count", 200, SSE,
	  LAST("{\"text\":\"a\"}")
	  DATA("{\"candidates\":[{\"index\":1,\"content\":{\"parts\":[{\"text\":\"b\"}]}}]}"),
	  "a|stop" COUNTS, 0 },
	{ "cut short", 200, SSE, CHUNK("{\"text\":\"a\"}"),
	  "[error 10 the response was truncated]a|" COUNTS, 0 },
	{ "no candidates", 200, JSON, "{}", "|", 0 },
	{ "an answer in one piece", 200, JSON,
	  ANSWER("{\"text\":\"a\"},{\"functionCall\":{\"name\":\"x\",\"args\":{\"a\":[]}}}",
		 STOP),
	  "a|- x {\"a\":[]}|tool_calls" COUNTS, 0 },
	{ "a stream as a list", 200, JSON,
	  "[" ANSWER("{\"text\":\"a\"}", "") ",\n" ANSWER("{\"text\":\"b\"}", STOP) "]",
	  "ab|stop" COUNTS, 0 },
	{ "too many requests, and when to come back", 429, JSON,
	  ERROR("RESOURCE_EXHAUSTED", "slow",
		"{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":"
		"[{\"quotaId\":\"GenerateRequestsPerMinutePerProject\"}]},"
		"{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":"
		"\"34.4s\"}"),
	  "[error 2 slow]|", 0 },
	{ "the quota of the day", 429, JSON,
	  ERROR("RESOURCE_EXHAUSTED", "enough",
		"{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":"
		"[{\"quotaId\":\"GenerateRequestsPerDayPerProject-FreeTier\"}]}"),
	  "[error 3 enough]|", 0 },
	{ "a wrong key", 400, JSON,
	  ERROR("INVALID_ARGUMENT", "API key not valid",
		"{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":"
		"\"API_KEY_INVALID\"}"),
	  "[error 1 API key not valid]|", 0 },
	{ "an error in a list", 503, JSON,
	  "[" ERROR("UNAVAILABLE", "busy", "") "]", "[error 4 busy]|", 0 },
	{ "an error in a stream", 200, SSE,
	  CHUNK("{\"text\":\"a\"}") DATA(ERROR("UNAVAILABLE", "busy", "")),
	  "[error 4 busy]a|" COUNTS, 0 },
};

static void when_to_come_back(void)
{
	const struct decode_case *c = NULL;
	struct decode d;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (strstr(cases[i].in, "34.4s"))
			c = &cases[i];
	decode_begin(&d);
	decode_feed(&d, the_dialect(), c->status, c->type, c->in, strlen(c->in));
	decode_finish(&d, the_dialect(), c->status);
	CHECK_MSG(d.retry_ms == 34400, "%lld ms", (long long)d.retry_ms);
	decode_clear(&d);
}

int main(void)
{
	run_cases(cases, ARRAY_LEN(cases));
	when_to_come_back();
	return tap_done();
}
