/* SPDX-License-Identifier: MIT
 *
 * test-bedrock.c - the answers of Amazon Bedrock's Converse, and the event
 * streams of AWS. */
#include "decode-kit.h"
#include "frames.h"

#define JSON "application/json"
#define FRAMES "application/vnd.amazon.eventstream"

/* ---- streams: events as name, payload, ...; NULL at the end -------------------- */

#define TEXT(n, text) \
	"contentBlockDelta", "{\"contentBlockIndex\":" n ",\"delta\":{\"text\":\"" text  \
			     "\"},\"p\":\"abcdef\"}"
#define START "messageStart", "{\"role\":\"assistant\",\"p\":\"a\"}"
#define CALL(n, id)                                                             \
	"contentBlockStart", "{\"contentBlockIndex\":" n ",\"start\":{\"toolUse\":{"     \
			     "\"toolUseId\":\"" id "\",\"name\":\"bash\"}}}",    \
	"contentBlockDelta", "{\"contentBlockIndex\":" n ",\"delta\":{\"toolUse\":{"     \
			     "\"input\":\"{\\\"a\\\":\"}}}",                     \
	"contentBlockDelta", "{\"contentBlockIndex\":" n ",\"delta\":{\"toolUse\":{"     \
			     "\"input\":\" 1}\"}}}",                             \
	"contentBlockStop", "{\"contentBlockIndex\":" n "}"
#define REASON(n, member) \
	"contentBlockDelta", "{\"contentBlockIndex\":" n ",\"delta\":{"                   \
			     "\"reasoningContent\":{" member "}}}"
#define STOP(reason) "messageStop", "{\"stopReason\":\"" reason "\"}"
#define COUNTED \
	"metadata", "{\"usage\":{\"inputTokens\":3,\"outputTokens\":4,"                  \
		    "\"cacheReadInputTokens\":5,\"cacheWriteInputTokens\":6}}"
#define COUNTS " in=14 out=4 read=5 write=6"

static const struct {
	const char *name;
	const char *events[32];
	const char *out;
} streams[] = {
	{ "a text", { START, TEXT("0", "Hel"), TEXT("0", "lo"), STOP("end_turn"), COUNTED },
	  "Hello|stop" COUNTS },
	{ "a text and calls",
	  { START, TEXT("0", "I look."), CALL("1", "c1"), CALL("2", "c2"),
	    STOP("tool_use"), COUNTED },
	  "I look.|c1 bash {\"a\": 1}|c2 bash {\"a\": 1}|tool_calls" COUNTS },
	{ "reasoning goes back as it came",
	  { START, REASON("0", "\"text\":\"H\""), REASON("0", "\"text\":\"m\""),
	    REASON("0", "\"signature\":\"c2ln\""), TEXT("1", "So."), CALL("2", "c1"),
	    STOP("tool_use"), COUNTED },
	  "(Hm)So.|c1 bash {\"a\": 1}|tool_calls" COUNTS
	  " <{\"bedrock\":[{\"reasoningContent\":{\"reasoningText\":{\"text\":\"Hm\","
	  "\"signature\":\"c2ln\"}}},{\"text\":null},{\"toolUse\":\"c1\"}]}>" },
	{ "redacted reasoning",
	  { START, REASON("0", "\"redactedContent\":\"ZGF0YQ==\""), TEXT("1", "a"),
	    TEXT("2", "b"), STOP("end_turn"), COUNTED },
	  "ab|stop" COUNTS
	  " <{\"bedrock\":[{\"reasoningContent\":{\"redactedContent\":\"ZGF0YQ==\"}},"
	  "{\"text\":\"a\"},{\"text\":\"b\"}]}>" },
	{ "the counts before the end", { START, TEXT("0", "a"), COUNTED, STOP("end_turn") },
	  "a|stop" COUNTS },
	{ "no counts", { START, TEXT("0", "a"), STOP("max_tokens") }, "a|length" },
	{ "unknown events", { START, "news", "{}", TEXT("0", "a"), STOP("end_turn"), COUNTED },
	  "a|stop" COUNTS },
	{ "an odd start",
	  { START, "contentBlockStart", "{\"contentBlockIndex\":0,\"start\":{}}",
	    TEXT("0", "a"), STOP("stop_sequence"), COUNTED },
	  "a|stop" COUNTS },
	{ "a guardrail", { START, STOP("guardrail_intervened"), COUNTED },
	  "|refusal" COUNTS },
	{ "no room left in the window",
	  { START, TEXT("0", "a"), STOP("model_context_window_exceeded"), COUNTED },
	  "[error 5 the response exceeded the context window]a|" },
	{ "a call that is none", { START, STOP("malformed_tool_use"), COUNTED },
	  "[error 10 the model produced an invalid tool call]|" },
	{ "cut short", { START, TEXT("0", "a") }, "[error 10 the response was truncated]a|" },
	{ "broken JSON", { START, "contentBlockDelta", "{\"contentBlockIndex\":" }, NULL },
	{ "an overload in the middle",
	  { START, TEXT("0", "a"), "!serviceUnavailableException", "{\"message\":\"busy\"}",
	    TEXT("0", "b") },
	  "[error 4 busy]a|" },
	{ "throttled in the middle",
	  { START, "!throttlingException", "{\"message\":\"slow\"}" },
	  "[error 2 slow]|" },
	{ "an exception that is not known", { START, "!oddException", "{}" }, NULL },
};

static void put_stream(struct strbuf *b, const char *const *events)
{
	for (; *events; events += 2) {
		if (events[0][0] == '!')
			frames_exception(b, events[0] + 1, events[1]);
		else
			frames_event(b, events[0], events[1]);
	}
}

static void run_streams(void)
{
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
		struct decode_case c = { streams[i].name, 200, FRAMES, NULL,
					 streams[i].out, 0 };

		put_stream(&b, streams[i].events);
		c.in = b.text;
		c.len = b.len;
		run_cases(&c, 1);
		/* told by its first byte */
		c.type = "";
		every_cut(&c);
	}
}

/* A byte that is wrong anywhere is noticed. */
static void damage(void)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	size_t missed = 0;

	put_stream(&b, streams[0].events);
	for (size_t i = 0; i < b.len; i++) {
		AUTO(strbuf) struct strbuf got = STRBUF(1 << 20);

		b.text[i] ^= 0x20;
		decode_in_pieces(the_dialect(), 200, FRAMES, b.text, b.len, 0, b.len,
				 &got);
		b.text[i] ^= 0x20;
		missed += !strstr(got.text, "[failed]") && !strstr(got.text, "[error");
	}
	CHECK_MSG(!missed, "%zu wrong bytes of %zu unnoticed", missed, b.len);
}

static int count_message(const struct eventstream_message *m, void *arg)
{
	(void)m;
	(*(size_t *)arg)++;
	return MT_OK;
}

static void limits(void)
{
	static const char payload[40000] = "{";
	const char *const headers[] = { "a", "b", NULL };
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	struct eventstream s;
	size_t count = 0;

	frames_put(&b, headers, payload, 10000);
	frames_put(&b, headers, payload, 10000);
	frames_put(&b, headers, payload, 10000);
	eventstream_init(&s, 16384, count_message, &count);
	CHECK(eventstream_feed(&s, b.text, b.len) == MT_OK && count == 3);
	strbuf_reset(&b);
	frames_put(&b, headers, payload, 40000);
	CHECK(eventstream_feed(&s, b.text, b.len) == MT_ELIMIT);
	CHECK(eventstream_feed(&s, b.text, b.len) == MT_ELIMIT);
	eventstream_done(&s);
	CHECK(eventstream_crc(0, "123456789", 9) == 0xcbf43926);
	CHECK(eventstream_crc(eventstream_crc(0, "1234", 4), "56789", 5) == 0xcbf43926);
}

/* ---- answers in one piece ------------------------------------------------------- */

static const struct decode_case wholes[] = {
	{ "an answer in one piece", 200, JSON,
	  "{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":[{\"reasoningContent\":"
	  "{\"reasoningText\":{\"text\":\"Hm\",\"signature\":\"s\"}}},{\"text\":\"So.\"},"
	  "{\"toolUse\":{\"toolUseId\":\"c\",\"name\":\"x\",\"input\":{\"a\":1}}}]}},"
	  "\"stopReason\":\"tool_use\",\"usage\":{\"inputTokens\":1,\"outputTokens\":2}}",
	  "(Hm)So.|c x {\"a\":1}|tool_calls in=1 out=2 <{\"bedrock\":[{\"reasoningContent\":"
	  "{\"reasoningText\":{\"text\":\"Hm\",\"signature\":\"s\"}}},{\"text\":null},"
	  "{\"toolUse\":\"c\"}]}>", 0 },
	{ "no message", 200, JSON, "{\"output\":{}}", "[error 10 the response has no message]|", 0 },
	{ "not JSON", 200, JSON, "{\"out", NULL, 0 },
	{ "an error by its member", 400, JSON,
	  "{\"__type\":\"com.amazon.coral.service#ThrottlingException\",\"message\":\"slow\"}",
	  "[error 2 slow]|", 0 },
	{ "an error of unknown kind", 418, JSON, "{\"message\":\"tea\"}", "[error 0 tea]|", 0 },
};

static void errors_by_header(void)
{
	static const struct {
		const char *type, *body;
		int kind;
	} errors[] = {
		{ "ValidationException:http://internal.amazon.com/", "{\"message\":\"Input is too "
		  "long for requested model.\"}", MT_ERROR_BAD_REQUEST },
		{ "AccessDeniedException", "{\"Message\":\"no\"}", MT_ERROR_AUTHENTICATION },
		{ "ThrottlingException", "{\"message\":\"Too many tokens per day\"}",
		  MT_ERROR_QUOTA },
		{ "ModelNotReadyException", "{}", MT_ERROR_OVERLOADED },
	};

	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct decode d;

		decode_begin(&d);
		d.errortype = errors[i].type;
		decode_feed(&d, the_dialect(), 400, JSON, errors[i].body,
			    strlen(errors[i].body));
		decode_finish(&d, the_dialect(), 400);
		CHECK_MSG(d.kind == errors[i].kind, "%s: %d", errors[i].type, d.kind);
		decode_clear(&d);
	}
}

int main(void)
{
	run_streams();
	damage();
	limits();
	run_cases(wholes, ARRAY_LEN(wholes));
	errors_by_header();
	return tap_done();
}
