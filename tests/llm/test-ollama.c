/* SPDX-License-Identifier: MIT
 *
 * test-ollama.c - the answers of Ollama's /api/chat. */
#include "decode-kit.h"

#define LINES "application/x-ndjson"
#define JSON "application/json; charset=utf-8"
#define LINE(message) "{\"model\":\"m\",\"message\":{\"role\":\"assistant\"," message "},"  \
		      "\"done\":false}\n"
#define LAST(reason) \
	"{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"           \
	"\"done_reason\":\"" reason "\",\"prompt_eval_count\":7,\"eval_count\":2}\n"
#define COUNTS " in=7 out=2"

static const struct decode_case cases[] = {
	{ "a text", 200, LINES,
	  LINE("\"content\":\"Hel\"") LINE("\"content\":\"lo\"") LAST("stop"),
	  "Hello|stop" COUNTS, 0 },
	{ "thoughts go back", 200, LINES,
	  LINE("\"content\":\"\",\"thinking\":\"H\"") LINE("\"content\":\"\",\"thinking\":\"m\"")
	  LINE("\"content\":\"So.\"") LAST("stop"),
	  "(Hm)So.|stop" COUNTS " <{\"ollama\":\"Hm\"}>", 0 },
	{ "calls", 200, LINES,
	  LINE("\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"x\",\"arguments\":"
	       "{\"a\":1}}},{\"id\":\"i\",\"function\":{\"name\":\"y\",\"arguments\":\"{}\"}}]")
	  LINE("\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"z\"}}]") LAST("stop"),
	  "|- x {\"a\":1}|i y {}|- z |tool_calls" COUNTS, 0 },
	{ "a last line without its end", 200, LINES,
	  LINE("\"content\":\"a\"") "{\"message\":{\"content\":\"b\"},\"done\":true}",
	  "ab|stop", 0 },
	{ "too long a reply", 200, LINES, LINE("\"content\":\"a\"") LAST("length"),
	  "a|length" COUNTS, 0 },
	{ "an error in the middle", 200, LINES,
	  LINE("\"content\":\"a\"") "{\"error\":\"out of memory\"}\n",
	  "[error 12 out of memory]a|", 0 },
	{ "cut short", 200, LINES, LINE("\"content\":\"a\""),
	  "[error 10 the response was truncated]a|", 0 },
	{ "an answer in one piece", 200, JSON,
	  "{\"message\":{\"content\":\"Hi\",\"thinking\":\"Hm\"},\"done\":true,"
	  "\"prompt_eval_count\":7,\"eval_count\":2}",
	  "(Hm)Hi|stop" COUNTS " <{\"ollama\":\"Hm\"}>", 0 },
	{ "an unknown model", 404, JSON, "{\"error\":\"model 'x' not found\"}",
	  "[error 0 model 'x' not found]|", 0 },
	{ "no message", 200, JSON, "{}", "[error 10 the response has no message]|", 0 },
};

int main(void)
{
	run_cases(cases, ARRAY_LEN(cases));
	return tap_done();
}
