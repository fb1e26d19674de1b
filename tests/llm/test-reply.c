/* SPDX-License-Identifier: MIT
 *
 * test-reply.c - requests, replies and their records; how long retries wait. */
#include "auto.h"
#include "llm/llm.h"
#include "request/request.h"
#include "llm/transport/backoff.h"
#include "oom.h"
#include "tap.h"

static const char *const records[] = {
	"{\"record\":\"llm_reply\",\"response_id\":\"r\",\"model\":\"openai/"
	"x\",\"text\":\"\","
	"\"calls\":[],\"stop_reason\":\"stop\",\"usage\":{},\"latency_ms\":0}",
	"{\"record\":\"llm_reply\",\"response_id\":\"r\",\"model\":\"openai/x\",\"text\":"
	"\"a\\u0000b "
	"\xc3\xa4\",\"reasoning\":\"hm\",\"calls\":[{\"id\":\"c\",\"name\":\"bash\","
	"\"arguments\":\"{ \\\"a\\\":  1}\"},{\"id\":\"d\",\"name\":\"\",\"arguments\":"
	"\"not json\"}],\"opaque\":\"[1]\",\"stop_reason\":\"tool_calls\",\"usage\":{"
	"\"input\":1,\"output\":0,\"cache_read\":3,\"cache_write\":4,\"reasoning\":5,"
	"\"cost\":0.1},\"latency_ms\":12}",
};

static void records_come_back(void)
{
	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		struct error err = ERROR_NONE;
		AUTO(json)
		json_object *in = js_parse(records[i], strlen(records[i]), &err);
		AUTO(llm_reply) struct llm_reply *r = llm_reply_from_json(in, &err);
		AUTO(json) json_object *out = r ? llm_reply_json(r) : NULL;

		CHECK_STR(out ? js_text(out, NULL) : err.text, records[i]);
	}
}

static void odd_records(void)
{
	static const char *const odd[] = {
		"null",
		"[]",
		"{}",
		"{\"record\":\"other\"}",
		("{\"record\":\"llm_reply\",\"calls\":[1,{},\"x\"],\"text\":5,"
		 "\"usage\":[]}"),
	};

	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		AUTO(json) json_object *in = js_parse(odd[i], strlen(odd[i]), NULL);
		struct error err = ERROR_NONE;
		AUTO(llm_reply) struct llm_reply *r = llm_reply_from_json(in, &err);

		CHECK_MSG(i < 4 ? !r && err.code == MT_EINVAL : r && r->call_count == 3,
			  "odd record %zu", i);
	}
}

static struct llm_request *build(void)
{
	struct llm_request *q = llm_request_new();

	for (int i = 0; q && i < 40; i++) {
		char *text = malloc(8);

		if (!text || llm_request_own(q, text) ||
		    llm_request_add(q, &(struct llm_message){ .role = 1 }) ||
		    llm_request_tool(q, &(struct llm_tool){ .name = "t" }))
			return llm_request_free(q);
	}
	return q;
}

static void no_memory(void)
{
	AUTO(json) json_object *in = js_parse(records[1], strlen(records[1]), NULL);

	OOM_EACH({
		struct llm_request *q = build();

		llm_request_free(q);
	});
	OOM_EACH({
		struct error err = ERROR_NONE;
		struct llm_reply *r = llm_reply_from_json(in, &err);
		json_object *out = r ? llm_reply_json(r) : NULL;

		json_object_put(out);
		llm_reply_free(r);
	});
	CHECK_OOM();
}

static const struct {
	const char *name, *value;
	int64_t wait;
	int should;
} headers[] = {
	{ "Retry-After", "3", 3000, -1 },
	{ "retry-after", "0.5", 500, -1 },
	{ "retry-after", "", -1, -1 },
	{ "retry-after", "soon", -1, -1 },
	{ "retry-after", "-3", -1, -1 },
	{ "retry-after", "nan", -1, -1 },
	{ "retry-after", "1e99", INT32_MAX, -1 },
	{ "retry-after", "Thu, 01 Jan 1970 00:16:45 GMT", 5000, -1 },
	{ "retry-after", "Thu, 01 Jan 1970 00:00:00 GMT", 0, -1 },
	{ "retry-after-ms", "250", 250, -1 },
	{ "X-Should-Retry", "true", -1, 1 },
	{ "x-should-retry", "false", -1, 0 },
	{ "x-should-retry", "maybe", -1, -1 },
	{ "content-type", "3", -1, -1 },
};

static void hints(void)
{
	struct backoff_hint h = BACKOFF_NO_HINT;

	for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
		h = (struct backoff_hint)BACKOFF_NO_HINT;
		backoff_read_header(&h, headers[i].name, headers[i].value, 1000);
		CHECK_MSG(h.wait_ms == headers[i].wait && h.should == headers[i].should,
			  "%s: %s", headers[i].name, headers[i].value);
	}
	h = (struct backoff_hint)BACKOFF_NO_HINT;
	backoff_read_header(&h, "retry-after-ms", "250", 0);
	backoff_read_header(&h, "retry-after", "3", 0);
	CHECK_MSG(h.wait_ms == 250, "the finer one wins");
}

static void waits(void)
{
	static const int64_t wanted[] = { 8000, 16000, 32000, 64000, 64000, 64000 };
	const struct backoff_rule rule = { 5, 8000, 64000, 8 };
	const struct backoff_rule quick = { 5, 1, 2, 8 };
	const struct backoff_hint none = BACKOFF_NO_HINT,
				  told = { .wait_ms = 1000, .should = -1 },
				  long_ = { .wait_ms = 1 << 30, .should = -1 };

	for (int i = 0; i < 6; i++) {
		CHECK(backoff_wait(&rule, &none, i + 1, 0) == wanted[i]);
		CHECK(backoff_wait(&rule, &none, i + 1, UINT32_MAX) == wanted[i] * 5 / 4);
	}
	CHECK(backoff_wait(&quick, &none, 50, 0) == 2);
	CHECK(backoff_wait(&rule, &told, 3, 0) == 1000);
	CHECK(backoff_wait(&rule, &told, 3, UINT32_MAX) == 1100);
	CHECK(backoff_wait(&rule, &long_, 1, 0) == BACKOFF_MAX_HINT_MS);
}

static void limits_of_a_rate(void)
{
	static const struct {
		const char *left, *reset; /* of the requests */
		int64_t wait;
	} cases[] = {
		{ "0", "2s", 2000 },      { "0", "6ms", 6 },     { "0", "1m2.5s", 62500 },
		{ "0", "8h3m", 64000 },   { "7", "2s", 8000 },   { NULL, "2s", 8000 },
		{ "0", "soon", 8000 },    { "0", "", 8000 },     { "0", "-3s", 8000 },
		{ "0", "12", 8000 },      { "0", "9e99s", 64000 }, { "0", "1.2.3s", 8000 },
	};
	const struct backoff_rule rule = { 5, 8000, 64000, 8 };
	struct backoff_hint h;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		h = (struct backoff_hint)BACKOFF_NO_HINT;
		backoff_read_header(&h, "X-RateLimit-Reset-Requests", cases[i].reset, 0);
		backoff_read_header(&h, "x-ratelimit-reset-tokens", "50s", 0);
		backoff_read_header(&h, "x-ratelimit-remaining-tokens", "12", 0);
		if (cases[i].left)
			backoff_read_header(&h, "x-ratelimit-remaining-requests",
					    cases[i].left, 0);
		CHECK_MSG(backoff_wait(&rule, &h, 1, 0) == cases[i].wait, "%s left, %s",
			  cases[i].left ? cases[i].left : "?", cases[i].reset);
	}
	h = (struct backoff_hint){ .wait_ms = 5, .should = -1, .reset_ms = { 9, 9 },
				 .used_up = { true, true } };
	CHECK_MSG(backoff_wait(&rule, &h, 1, 0) == 5, "what it asks for counts first");
}

/* Limits as Anthropic and OpenRouter tell them. */
static void other_limits(void)
{
	static const struct {
		const char *left, *left_value, *reset, *reset_value;
		int64_t wait;
	} cases[] = {
		{ "anthropic-ratelimit-requests-remaining", "0",
		  "anthropic-ratelimit-requests-reset", "1970-01-01T00:16:43Z", 3000 },
		{ "Anthropic-Ratelimit-Input-Tokens-Remaining", "0",
		  "anthropic-ratelimit-input-tokens-reset", "1970-01-01T00:16:50.5Z",
		  10000 },
		{ "anthropic-ratelimit-output-tokens-remaining", "0",
		  "anthropic-ratelimit-tokens-reset", "1970-01-01T00:16:50Z", 8000 },
		{ "anthropic-ratelimit-tokens-remaining", "5",
		  "anthropic-ratelimit-tokens-reset", "1970-01-01T00:16:50Z", 8000 },
		{ "anthropic-ratelimit-tokens-remaining", "0",
		  "anthropic-ratelimit-tokens-reset", "1969-01-01T00:16:50Z", 8000 },
		{ "anthropic-ratelimit-tokens-remaining", "0",
		  "anthropic-ratelimit-tokens-reset", "soon", 8000 },
		{ "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1741305600000",
		  8000 },
		{ "X-RateLimit-Remainings", "0", "X-RateLimit-Reset", "2s", 8000 },
	};
	const struct backoff_rule rule = { 5, 8000, 64000, 8 };
	struct backoff_hint h;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		h = (struct backoff_hint)BACKOFF_NO_HINT;
		backoff_read_header(&h, cases[i].left, cases[i].left_value, 1000);
		backoff_read_header(&h, cases[i].reset, cases[i].reset_value, 1000);
		CHECK_MSG(backoff_wait(&rule, &h, 1, 0) == cases[i].wait, "%s: %s",
			  cases[i].reset, cases[i].reset_value);
	}
	h = (struct backoff_hint)BACKOFF_NO_HINT;
	backoff_read_header(&h, "X-RateLimit-Remaining", "0", 1741305588);
	backoff_read_header(&h, "X-RateLimit-Reset", "1741305600000", 1741305588);
	CHECK_MSG(backoff_wait(&rule, &h, 1, 0) == 12000, "a time in milliseconds");
}

static void sums_do_not_overflow(void)
{
	const struct llm_usage most = { .input = INT64_MAX, .output = 5, .cache_read = -1,
					.cache_write = -1, .reasoning = -1, .cost = 0.5 };
	struct llm_metrics m = { .cost_known = true };

	for (int i = 0; i < 3; i++)
		llm_metrics_add(&m, &most, INT64_MAX);
	CHECK(m.calls == 3 && m.input == INT64_MAX && m.output == 15);
	CHECK(m.cache_read == 0 && m.latency_ms == INT64_MAX);
	CHECK(m.cost_known && m.cost == 1.5);
}

int main(void)
{
	records_come_back();
	odd_records();
	no_memory();
	hints();
	waits();
	limits_of_a_rate();
	other_limits();
	sums_do_not_overflow();
	return tap_done();
}
