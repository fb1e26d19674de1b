/* SPDX-License-Identifier: MIT
 *
 * requests.c - the requests of a model for conversations of all kinds, one JSON
 * object a line, for a judge of schemas: requests MODEL SECTION.KEY=VALUE... */
#include "dialogue.h"

/* The data that each dialect keeps of a reply with reasoning. */
static const char kept[] =
	"{\"anthropic\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"},"
	"{\"type\":\"redacted_thinking\",\"data\":\"ZGF0YQ==\"},{\"type\":\"text\"},"
	"{\"type\":\"tool_use\",\"id\":\"call_a\"},"
	"{\"type\":\"tool_use\",\"id\":\"call_b\"}],"
	"\"responses\":[{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":"
	"\"summary_text\",\"text\":\"hm\"}],\"encrypted_content\":\"Z2FB\"},"
	"{\"type\":\"message\",\"phase\":\"commentary\"},"
	"{\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[],"
	"\"encrypted_content\":\"Z2FC\"},"
	"{\"type\":\"function_call\",\"call_id\":\"call_a\"},"
	"{\"type\":\"function_call\",\"call_id\":\"call_b\"}],"
	"\"gemini\":[{\"text\":null,\"thoughtSignature\":\"c2ln\"},{\"call\":\"call_a\","
	"\"thoughtSignature\":\"c2lnMg==\"},{\"call\":\"call_b\"}],"
	"\"bedrock\":[{\"reasoningContent\":{\"reasoningText\":{\"text\":\"hm\","
	"\"signature\":\"c2ln\"}}},{\"reasoningContent\":{\"redactedContent\":"
	"\"ZGF0YQ==\"}},{\"text\":null},{\"toolUse\":\"call_a\"},"
	"{\"toolUse\":\"call_b\"}],"
	"\"ollama\":\"hm\","
	"\"chat\":{\"reasoning_content\":\"hm\"}}";

#define SYSTEM_LINE { .role = MT_ROLE_SYSTEM, .text = "You help." }
#define USER(text_) { .role = MT_ROLE_USER, .text = (text_) }
#define RESULT(id_, name_, text_, mime_)                                        \
	{ .role = MT_ROLE_TOOL, .text = (text_), .mime = (mime_),               \
	  .calls = { CALL(id_, name_, "") }, .call_count = 1 }
#define TWO_CALLS                                                               \
	{ .role = MT_ROLE_ASSISTANT, .text = "I look.",                         \
	  .calls = { CALL("call_a", "bash", "{\"command\": \"ls\"}"),           \
		     CALL("call_b", "look", "{}") },                            \
	  .call_count = 2, .opaque = kept }

static const struct line simple[] = { SYSTEM_LINE, USER("hello") };

static const struct line whole[] = {
	SYSTEM_LINE,
	{ .role = MT_ROLE_USER, .text = "what is this?", .mime = "image/png" },
	TWO_CALLS,
	{ .role = MT_ROLE_TOOL, .text = "no such file", .failed = true,
	  .calls = { CALL("call_a", "bash", "") }, .call_count = 1 },
	RESULT("call_b", "look", "a picture", "image/jpeg"),
	USER("and now?"),
	{ .role = MT_ROLE_ASSISTANT, .text = "Done." },
	USER("thanks"),
};

/* Images of the user and of tools, parallel calls, reasoning and errors of tools,
 * as often as a conversation continues. */
static const struct line long_one[] = {
	SYSTEM_LINE,
	{ .role = MT_ROLE_USER, .text = "what is this?", .mime = "image/png",
	  .url = "https://example.org/a.png" },
	TWO_CALLS,
	{ .role = MT_ROLE_TOOL, .text = "a broken picture", .failed = true,
	  .mime = "image/webp", .calls = { CALL("call_a", "bash", "") }, .call_count = 1 },
	RESULT("call_b", "look", "a picture", "image/jpeg"),
	{ .role = MT_ROLE_USER, .mime = "image/gif" },
	TWO_CALLS,
	RESULT("call_a", "bash", "", "image/png"),
	{ .role = MT_ROLE_TOOL, .text = "no such file", .failed = true,
	  .calls = { CALL("call_b", "look", "") }, .call_count = 1 },
	{ .role = MT_ROLE_ASSISTANT, .text = "Done.", .opaque = kept },
	{ .role = MT_ROLE_USER, .text = "these too", .mime = "image/jpeg" },
};

/* A model of another provider wrote this, and not well. */
static const struct line odd[] = {
	{ .role = MT_ROLE_ASSISTANT, .text = "  \n" },
	USER(""),
	{ .role = MT_ROLE_ASSISTANT,
	  .calls = { CALL("functions.bash:0", "functions.bash", "{\"command\": "),
		     CALL("", "", "") },
	  .call_count = 2, .opaque = "{\"someone\":[1]}" },
	RESULT("functions.bash:0", "functions.bash", "", NULL),
	RESULT("", "", " ", "application/x-odd"),
	{ .role = MT_ROLE_SYSTEM, .text = "a word in between" },
	{ .role = MT_ROLE_ASSISTANT, .text = "Yes." },
	{ .role = MT_ROLE_ASSISTANT, .text = "And yes again." },
};

/* A user message precedes the results of the tools. */
static const struct line late[] = {
	SYSTEM_LINE, USER("go"), TWO_CALLS, USER("wait!"),
	RESULT("call_a", "bash", "x", NULL), RESULT("call_b", "look", "y", NULL),
};

static void show(struct bench *b, const struct line *lines, size_t count, bool tools,
		 bool stream, const char *params)
{
	AUTO(llm_request) struct llm_request *q = dialogue(lines, count, tools, stream);
	AUTO(free) char *body = NULL;

	q->params = params ? js_parse_object(params, strlen(params), NULL) : NULL;
	body = dialogue_body(b, q);
	puts(body);
}

#define SHOW(lines, tools, stream, params) \
	show(&b, lines, ARRAY_LEN(lines), tools, stream, params)

int main(int argc, char **argv)
{
	struct bench b;

	if (argc < 2) {
		fputs("usage: requests MODEL SECTION.KEY=VALUE...\n", stderr);
		return 2;
	}
	if (!bench_open(&b, uv_default_loop(), argv[1], (const char *const *)argv + 2)) {
		fprintf(stderr, "requests: %s\n", b.err.text);
		return 2;
	}
	SHOW(simple, true, true, NULL);
	SHOW(whole, true, true, NULL);
	SHOW(whole, true, false, "{\"temperature\":0.5,\"max_tokens\":4000}");
	SHOW(whole, false, false,
	     "{\"stop\":[\"</function\"],\"response_schema\":{\"type\":\"object\","
	     "\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"],"
	     "\"additionalProperties\":false}}");
	SHOW(odd, true, true, NULL);
	SHOW(late, true, true, NULL);
	show(&b, simple, 1, true, true, NULL);
	for (size_t n = 2; n <= ARRAY_LEN(long_one); n++)
		if (long_one[n - 1].role != MT_ROLE_ASSISTANT &&
		    (n == ARRAY_LEN(long_one) || long_one[n].role != MT_ROLE_TOOL))
			show(&b, long_one, n, true, true, NULL);
	bench_close(&b);
	return 0;
}
