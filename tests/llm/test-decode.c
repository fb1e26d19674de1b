/* SPDX-License-Identifier: MIT
 *
 * test-decode.c - answers of chat completions as servers of many makes give
 * them, cut at every byte. With files as arguments it prints what each means:
 * of a .chunks.txt each line is the data of an event. */
#include "decode.h"
#include "files.h"
#include "tap.h"

#define SSE "text/event-stream; charset=utf-8"
#define JSON "application/json"
#define DATA(text) "data: " text "\n\n"
#define CHUNK(delta) DATA("{\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}")
#define END(reason)                                                                      \
	DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason       \
	     "\"}]}")
#define DONE DATA("[DONE]")
#define CALL(rest) CHUNK("\"tool_calls\":[{" rest "}]")

static const struct {
	const char *name;
	int status;
	const char *type, *in, *out;
} cases[] = {
	{ "text", 200, SSE,
	  CHUNK("\"role\":\"assistant\",\"content\":\"\"") CHUNK("\"content\":\"Hel\"")
		  CHUNK("\"content\":\"lo \\u00e4\"") END("stop") DONE,
	  "Hello ä|stop" },
	{ "usage that is null until the end", 200, SSE,
	  DATA("{\"id\":\"a\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}],"
	       "\"usage\":null}") END("stop")
		  DATA("{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_"
		       "tokens\":4,"
		       "\"prompt_tokens_details\":{\"cached_tokens\":8},"
		       "\"completion_tokens_details\":{\"reasoning_tokens\":1}}}") DONE,
	  "x|stop in=9 out=4 read=8 think=1" },
	{ "a call in pieces", 200, SSE,
	  CALL("\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":"
	       "\"bash\",\"arguments\":\"\"}")
		  CALL("\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\"\"}")
			  CALL("\"index\":0,\"function\":{\"arguments\":\":1}\"}")
				  END("tool_calls") DONE,
	  "|c1 bash {\"a\":1}|tool_calls" },
	{ "two calls, the first with index 1", 200, SSE,
	  CALL("\"index\":1,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{"
	       "\"}") CALL("\"index\":2,\"id\":\"b\",\"function\":{\"name\":\"y\","
			   "\"arguments\":\"[\"}")
		  CALL("\"index\":1,\"function\":{\"arguments\":\"}\"}")
			  CALL("\"index\":2,\"function\":{\"arguments\":\"]\"}")
				  END("tool_calls"),
	  "|a x {}|b y []|tool_calls" },
	{ "whole calls without an index", 200, SSE,
	  CHUNK("\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":"
		"\"x\","
		"\"arguments\":\"{}\"}},{\"id\":\"b\",\"function\":{\"name\":\"x\","
		"\"arguments\":\"{}\"}}]") END("tool_calls") DONE,
	  "|a x {}|b x {}|tool_calls" },
	{ "whole calls that share index 0", 200, SSE,
	  CALL("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{}"
	       "\"}") CALL("\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"y\","
			   "\"arguments\":\"{}\"}") END("tool_calls"),
	  "|a x {}|b y {}|tool_calls" },
	{ "an id in each piece, and no name after the first", 200, SSE,
	  CALL("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{"
	       "\"}") CALL("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"\","
			   "\"arguments\":\"}\"}") END("tool_calls"),
	  "|a x {}|tool_calls" },
	{ "calls without ids or indexes", 200, SSE,
	  CALL("\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}")
		  CALL("\"function\":{\"name\":\"y\",\"arguments\":\"{\"}")
			  CALL("\"function\":{\"arguments\":\"}\"}") END("stop"),
	  "|- x {}|- y {}|stop" },
	{ "arguments that are an object", 200, SSE,
	  CALL("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":"
	       "{\"a\":1}}") END("stop"),
	  "|a x {\"a\":1}|stop" },
	{ "reasoning of two spellings", 200, SSE,
	  CHUNK("\"reasoning_content\":\"a\"")
		  CHUNK("\"reasoning\":\"b\",\"content\":\"c\"") END("stop"),
	  "(ab)c|stop <{\"chat\":{\"from\":\"someone\",\"reasoning_content\":\"ab\"}}>" },
	{ "content as parts", 200, SSE,
	  CHUNK("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
		"\"text\":\"hm\"}]},{\"type\":\"text\",\"text\":\"4\"}]") END("stop"),
	  "(hm)4|stop <{\"chat\":{\"from\":\"someone\",\"content\":[{\"type\":"
	  "\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"hm\"}]},{\"type\":"
	  "\"text\"}]}}>" },
	{ "comments, odd line ends, a mark at the start", 200, SSE,
	  "\xef\xbb\xbf: OPENROUTER PROCESSING\r\n\r\ndata:{\"choices\":[{\"index\":0,"
	  "\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\r\r",
	  "x|stop" },
	{ "no [DONE], a length", 200, SSE, CHUNK("\"content\":\"x\"") END("length"),
	  "x|length" },
	{ "[DONE] without a reason", 200, SSE, CHUNK("\"content\":\"x\"") DONE, "x|" },
	{ "a refusal", 200, SSE, CHUNK("\"refusal\":\"No.\"") END("stop"),
	  "No.|refusal" },
	{ "filtered", 200, SSE, CHUNK("\"content\":\"x\"") END("content_filter"),
	  "x|refusal" },
	{ "other choices do not count", 200, SSE,
	  CHUNK("\"content\":\"x\"")
		  DATA("{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"y\"}}]}")
			  END("stop"),
	  "x|stop" },
	{ "cost of the provider", 200, SSE,
	  CHUNK("\"content\":\"x\"") END("stop")
		  DATA("{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_"
		       "tokens\":1,"
		       "\"cost\":0.25}}"),
	  "x|stop in=3 out=1 $0.25" },
	{ "reasoning counted next to the completion", 200, SSE,
	  DATA("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_"
	       "reason\":"
	       "\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,"
	       "\"total_tokens\":17,\"completion_tokens_details\":{\"reasoning_tokens\":"
	       "5},"
	       "\"cost_in_usd_ticks\":20000000000}}"),
	  "x|stop in=10 out=7 think=5 $2" },
	{ "cut short", 200, SSE, CHUNK("\"content\":\"x\""),
	  "[error 10 the response was truncated]x|" },
	{ "cut in the middle of an event", 200, SSE,
	  CHUNK("\"content\":\"x\"") "data: {\"choices\":[{\"ind",
	  "[error 10 the response was truncated]x|" },
	{ "nothing at all", 200, SSE, "", "[error 10 the response is empty]|" },
	{ "no choices", 200, SSE, DONE, "[error 10 the response has no choices]|" },
	{ "overload in the middle", 200, SSE,
	  CHUNK("\"content\":\"x\"")
		  DATA("{\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}")
			  CHUNK("\"content\":\"never\""),
	  "[error 4 busy]x|" },
	{ "an error event with a number", 200, SSE,
	  "event: error\n" DATA("{\"error\":{\"code\":502,\"message\":\"down\"}}"),
	  "[error 4 down]|" },
	{ "an error in a choice", 200, SSE,
	  DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"error\":{\"code\":429,"
	       "\"message\":"
	       "\"slow\"}}]}"),
	  "[error 2 slow]|" },
	{ "broken JSON in a stream", 200, SSE, DATA("{\"choices\":"), NULL },
	{ "a stream without a content type", 200, "",
	  CHUNK("\"content\":\"x\"") END("stop"), "x|stop" },
	{ "a whole answer to a stream request", 200, JSON,
	  " {\"id\":\"z\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"x\"},"
	  "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,"
	  "\"completion_tokens\":2}}",
	  "x|stop in=1 out=2" },
	{ "a whole answer without a content type", 200, "text/plain",
	  "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}",
	  "x|stop" },
	{ "no choices in a whole answer", 200, JSON, "{\"id\":\"x\",\"choices\":[]}",
	  "|" },
	{ "too long a conversation", 400, JSON,
	  "{\"error\":{\"message\":\"too big\",\"type\":\"invalid_request_error\","
	  "\"code\":\"context_length_exceeded\"}}",
	  "[error 5 too big]|" },
	{ "no credit", 429, JSON,
	  "{\"error\":{\"message\":\"pay\",\"type\":\"insufficient_quota\",\"code\":"
	  "\"insufficient_quota\"}}",
	  "[error 3 pay]|" },
	{ "an error that is a string", 404, JSON, "{\"error\":\"no such model\"}",
	  "[error 0 no such model]|" },
	{ "an error in a field named detail", 422, JSON,
	  "{\"detail\":[{\"msg\":\"no\"}]}", "[error 0 [{\"msg\":\"no\"}]]|" },
	{ "an error that is not JSON", 502, "text/plain", "Bad Gateway",
	  "[error 0 Bad Gateway]|" },
	{ "a web page", 200, "text/html", "<!doctype html>",
	  "[error 11 a web page was returned instead of an API response]|" },
	{ "a web page as an error", 503, "text/html", "<html>",
	  "[error 0 a web page was returned instead of an API response]|" },
};

static const struct mt_dialect *openai(void)
{
	return mortise_plugin_v1()->components[0].functions;
}

static void every_cut(size_t n)
{
	size_t len = strlen(cases[n].in), bad = 0;
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 20);

	decode_in_pieces(openai(), cases[n].status, cases[n].type, cases[n].in, len, 0,
			 len + 1, &whole);
	if (cases[n].out)
		CHECK_STR(whole.text, cases[n].out);
	for (size_t cut = 0; cut <= len; cut++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);

		decode_in_pieces(openai(), cases[n].status, cases[n].type, cases[n].in,
				 len, cut, cut ? len : 1, &got);
		if (strcmp(got.text, whole.text) != 0 && !bad++)
			printf("# cut at %zu: %s\n", cut, got.text);
	}
	CHECK_MSG(!bad, "%s, cut everywhere", cases[n].name);
}

/* Recorded streams: one JSON text a line. */
static void print_file(const char *path)
{
	AUTO(strbuf) struct strbuf in = STRBUF(64 << 20), out = STRBUF(64 << 20);
	AUTO(strbuf) struct strbuf bytes = STRBUF(64 << 20);
	AUTO(free) char *text = NULL;
	const char *type = SSE;
	size_t len;

	if (file_read(path, 64 << 20, &text, &len, NULL))
		return;
	if (strstr(path, ".chunks.txt")) {
		for (char *line = text, *nl; *line; line = nl + (*nl != '\0')) {
			nl = strchrnul(line, '\n');
			strbuf_addf(&in, "data: %.*s\n\n", (int)(nl - line), line);
		}
	} else {
		type = strstr(path, ".sse") ? SSE : JSON;
		strbuf_addn(&in, text, len);
	}
	decode_in_pieces(openai(), 200, type, in.text, in.len, 0, in.len + 1, &out);
	decode_in_pieces(openai(), 200, type, in.text, in.len, 0, 1, &bytes);
	printf("%s: %s\n%s\n", path, strcmp(out.text, bytes.text) ? "DIFFERS" : "same",
	       out.text);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		print_file(argv[i]);
	if (argc > 1)
		return 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		every_cut(i);
	return tap_done();
}
