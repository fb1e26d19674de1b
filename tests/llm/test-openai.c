/* SPDX-License-Identifier: MIT
 *
 * test-openai.c - chat completions against a local server of our own: answers,
 * streams, failures and what is tried again. */
#include "bench.h"
#include "server.h"
#include "tap.h"

#define HEAD(status, type, more) \
	"HTTP/1.1 " status "\r\nContent-Type: " type "\r\n" more "\r\n"
#define CLOSED(type) HEAD("200 OK", type, "Connection: close\r\n")
#define FAIL(status, more, body) \
	HEAD(status, "application/json", "Connection: close\r\n" more) body
#define SSE "text/event-stream"
#define DATA(text) "data: " text "\n\n"
#define CHUNK(delta) DATA("{\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}")
#define END(reason)                                                                      \
	DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason       \
	     "\"}]}")                                                                    \
	DATA("[DONE]")

enum { MAX_SETTINGS = 16 };

static uv_loop_t loop;
static struct server server;
static struct bench b;
static struct result r;
static const char *extra[MAX_SETTINGS]; /* settings of the next case */

static void open_bench(const struct answer *answers, size_t count)
{
	static char base[64];
	static const char *settings[MAX_SETTINGS + 4];
	size_t n = 0;

	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, answers, count);
	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d/v1/", server.port);
	settings[n++] = base;
	settings[n++] = "llm.retry_min_wait=1ms";
	settings[n++] = "llm.retry_max_wait=2ms";
	for (size_t i = 0; extra[i]; i++)
		settings[n++] = extra[i];
	settings[n] = NULL;
	if (!bench_open(&b, &loop, "some-model", settings))
		CHECK_MSG(0, "opened: %s", b.err.text);
}

/* Ask once, over a server that gives these answers. */
static void try(const struct answer *answers, size_t count, bool stream)
{
	AUTO(llm_request) struct llm_request *q = ask("hi");

	open_bench(answers, count);
	q->stream = stream;
	if (b.llm)
		bench_send(&b, q, 0, NULL, &r);
}

static void done(void)
{
	bench_close(&b);
	server_stop(&server);
	result_clear(&r);
	memset(extra, 0, sizeof extra);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
}

#define TRY(answers, stream) try((answers), sizeof(answers) / sizeof *(answers), stream)

static const char whole[] = CLOSED(
	"application/json") "{\"id\":\"r1\",\"choices\":[{\"index\":0,\"message\":{"
			    "\"role\":\"assistant\","
			    "\"content\":\"Hello\",\"tool_calls\":[{\"id\":\"c1\","
			    "\"type\":\"function\","
			    "\"function\":{\"name\":\"bash\",\"arguments\":\"{"
			    "\\\"command\\\": \\\"ls\\\"}\"}}]},"
			    "\"finish_reason\":\"tool_calls\"}],"
			    "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}";

static const char streamed[] = CLOSED(SSE) CHUNK("\"reasoning_content\":\"Hm.\"") CHUNK(
	"\"content\":\"Hel\"") CHUNK("\"content\":\"lo\"")
	CHUNK("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"bash\"}}]") CHUNK(
		"\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]")
		END("tool_calls");

static void a_whole_answer(void)
{
	static const struct answer answers[] = { { whole, 0, CLOSE } };

	extra[0] = "llm.input_cost_per_token=0.5";
	extra[1] = "llm.output_cost_per_token=0.25";
	TRY(answers, false);
	CHECK_MSG(r.reply, "a reply: %s", r.error.text);
	if (r.reply) {
		CHECK_STR(r.reply->text, "Hello");
		CHECK_STR(r.reply->response_id, "r1");
		CHECK_STR(r.reply->model, "some-model");
		CHECK(r.reply->call_count == 1);
		CHECK_STR(r.reply->calls[0].args, "{\"command\": \"ls\"}");
		CHECK(r.reply->usage.input == 7 && r.reply->usage.output == 2);
	}
	CHECK(llm_metrics(b.llm)->calls == 1 && llm_metrics(b.llm)->input == 7);
	CHECK(llm_metrics(b.llm)->cost == 4.0 && llm_metrics(b.llm)->cost_known);
	CHECK(strncmp(server.request.text, "POST /v1/chat/completions HTTP/1.1\r\n",
		      36) == 0);
	CHECK(strstr(server.request.text,
		     "\r\n\r\n{\"model\":\"some-model\",\"messages\":"
		     "[{\"role\":\"user\",\"content\":\"hi\"}]}"));
	CHECK(!strcasestr(server.request.text, "expect:") &&
	      !strcasestr(server.request.text, "authorization:"));
	done();
}

/* Costs as the answer tells them, and those that are none. */
static void what_it_costs(void)
{
#define PRICED(header, usage)                                                   \
	HEAD("200 OK", "application/json", "Connection: close\r\n" header)      \
	"{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]," \
	"\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":4" usage "}}"
#define BY_HEADER(text) "x-litellm-response-cost: " text "\r\n"
	static const struct {
		const char *answer;
		double cost;
	} priced[] = {
		{ PRICED("", ",\"cost\":0.25"), 0.25 },
		{ PRICED(BY_HEADER("0.5"), ""), 0.5 },
		{ PRICED(BY_HEADER("0.5"), ",\"cost\":0.25"), 0.25 },
		{ PRICED(BY_HEADER("-0.5"), ",\"cost\":-1"), 5 },
		{ PRICED(BY_HEADER("inf"), ",\"cost\":1e300"), 5 },
		{ PRICED(BY_HEADER("nan"), ",\"cost\":\"0.25\""), 5 },
		{ PRICED(BY_HEADER("much"), ",\"cost\":null"), 5 },
		{ PRICED("", ""), 5 },
	};

	for (size_t i = 0; i < sizeof priced / sizeof *priced; i++) {
		const struct answer answers[] = { { priced[i].answer, 0, CLOSE } };

		extra[0] = "llm.input_cost_per_token=0.5";
		extra[1] = "llm.output_cost_per_token=0.25";
		TRY(answers, false);
		CHECK_MSG(llm_metrics(b.llm)->cost == priced[i].cost &&
				  llm_metrics(b.llm)->cost_known,
			  "cost %zu: %g", i, llm_metrics(b.llm)->cost);
		done();
	}
}

static void a_stream_in_pieces(void)
{
	static const size_t pieces[] = { 0, 1, 7, 100 };

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		const struct answer answers[] = { { streamed, pieces[i], CLOSE } };

		TRY(answers, true);
		CHECK_STR(r.reply ? r.reply->text : r.error.text, "Hello");
		CHECK_STR(r.text.text, "Hello");
		CHECK_STR(r.reasoning.text, "Hm.");
		CHECK_STR(r.reply ? r.reply->reasoning : "", "Hm.");
		CHECK(r.reply && r.reply->call_count == 1);
		CHECK_STR(r.reply ? r.reply->calls[0].id : "", "call_0_0");
		CHECK(!llm_metrics(b.llm)->cost_known);
		CHECK(strstr(server.request.text, ",\"stream\":true,\"stream_options\":"
						  "{\"include_usage\":true}}"));
		done();
	}
}

static void connections_are_kept(void)
{
	static const char body[] = "{\"choices\":[{\"message\":{\"content\":\"x\"},"
				   "\"finish_reason\":\"stop\"}]}";
	char text[512];
	struct answer answers[1] = { { text, 0, KEEP } };
	AUTO(llm_request) struct llm_request *q = ask("hi");

	snprintf(text, sizeof text,
		 HEAD("200 OK", "application/json", "Content-Length: %zu\r\n") "%s",
		 strlen(body), body);
	open_bench(answers, 1);
	for (int i = 0; i < 3; i++) {
		bench_send(&b, q, i, NULL, &r);
		CHECK_STR(r.reply ? r.reply->text : r.error.text, "x");
	}
	CHECK_MSG(server.connections == 1, "3 requests, %zu connection",
		  server.connections);
	done();
}

/* The reply, the number of attempts, and the kind of error. */
static const struct {
	const char *name;
	struct answer answers[3];
	size_t count;
	size_t retries;
	int kind;               /* MT_ERROR_NONE: a reply in the end */
	const char *says;
} failures[] = {
	{ "a wrong key",
	  { { FAIL("401 No", "", "{\"error\":{\"message\":\"bad key\"}}"), 0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_AUTHENTICATION,
	  "(HTTP 401): bad key; set api_key_env" },
	{ "no credit",
	  { { FAIL("429 No", "",
		   "{\"error\":{\"message\":\"pay\",\"code\":"
		   "\"insufficient_quota\"}}"),
	      0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_QUOTA,
	  "pay" },
	{ "an unknown model",
	  { { FAIL("404 No", "", "{\"error\":\"no such model\"}"), 0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_NOT_FOUND,
	  "no such model; check model and base_url" },
	{ "a bad request",
	  { { FAIL("400 No", "", "{\"error\":{\"message\":\"odd\"}}"), 0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_BAD_REQUEST,
	  "odd" },
	{ "too long, by code",
	  { { FAIL("400 No", "",
		   "{\"error\":{\"message\":\"big\","
		   "\"code\":\"context_length_exceeded\"}}"),
	      0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_CONTEXT_WINDOW,
	  "big" },
	{ "too long, in words",
	  { { FAIL("400 No", "",
		   "{\"error\":{\"message\":\"the request "
		   "exceeds the available context size\"}}"),
	      0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_CONTEXT_WINDOW,
	  "context" },
	{ "a redirect",
	  { { HEAD("302 Found", "text/html",
		   "Location: http://127.0.0.1:1/\r\n"
		   "Connection: close\r\n"),
	      0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_NOT_FOUND,
	  "another address" },
	{ "a web page",
	  { { CLOSED("text/html") "<html>", 0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_NOT_FOUND,
	  "web page" },
	{ "rate limit, then an answer",
	  { { FAIL("429 No", "retry-after-ms: 1\r\n", "{}"), 0, CLOSE },
	    { whole, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "500 twice, then an answer",
	  { { FAIL("500 No", "", "oops"), 0, CLOSE },
	    { FAIL("503 No", "", ""), 0, CLOSE },
	    { whole, 0, CLOSE } },
	  3,
	  2,
	  MT_ERROR_NONE,
	  NULL },
	{ "409 and 408, then an answer",
	  { { FAIL("409 No", "", "{}"), 0, CLOSE },
	    { FAIL("408 No", "", "{}"), 0, CLOSE },
	    { whole, 0, CLOSE } },
	  3,
	  2,
	  MT_ERROR_NONE,
	  NULL },
	{ "500 for ever",
	  { { FAIL("500 No", "", "oops"), 0, CLOSE } },
	  1,
	  4,
	  MT_ERROR_INTERNAL,
	  "oops" },
	{ "500 that says not to retry",
	  { { FAIL("500 No", "x-should-retry: false\r\n", ""), 0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_INTERNAL,
	  "" },
	{ "400 that says to retry",
	  { { FAIL("400 No", "x-should-retry: true\r\n", ""), 0, CLOSE },
	    { whole, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "a connection that is dropped",
	  { { "", 0, CLOSE }, { whole, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "a stream cut short",
	  { { CLOSED(SSE) CHUNK("\"content\":\"lost\""), 0, CLOSE },
	    { streamed, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "a body shorter than its length",
	  { { HEAD("200 OK", SSE, "Content-Length: 999\r\n")
		      CHUNK("\"content\":\"lost\""),
	      0, CLOSE },
	    { streamed, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "a whole stream, then a hang-up",
	  { { HEAD("200 OK", SSE, "Content-Length: 9999\r\n")
		      CHUNK("\"content\":\"Hello\"") END("stop"),
	      0, CLOSE } },
	  1,
	  0,
	  MT_ERROR_NONE,
	  NULL },
	{ "a whole stream, and a connection that stays open",
	  { { HEAD("200 OK", SSE, "") CHUNK("\"content\":\"Hello\"") END("stop"), 0,
	      HANG } },
	  1,
	  0,
	  MT_ERROR_NONE,
	  NULL },
	{ "overload in a stream",
	  { { CLOSED(SSE) CHUNK("\"content\":\"lost\"") DATA(
		      "{\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}"),
	      0, HANG },
	    { streamed, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "no choices, then an answer",
	  { { CLOSED("application/json") "{\"choices\":[]}", 0, CLOSE },
	    { whole, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
	{ "broken JSON, then an answer",
	  { { CLOSED("application/json") "{\"choices\":[", 0, CLOSE },
	    { whole, 0, CLOSE } },
	  2,
	  1,
	  MT_ERROR_NONE,
	  NULL },
};

static void failures_and_retries(void)
{
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		try(failures[i].answers, failures[i].count, true);
		CHECK_MSG(r.retries == failures[i].retries, "%s: %zu retries, wanted %zu",
			  failures[i].name, r.retries, failures[i].retries);
		if (failures[i].kind == MT_ERROR_NONE) {
			CHECK_STR(r.reply ? r.reply->text : r.error.text, "Hello");
		} else {
			CHECK_MSG(!r.reply && r.error.kind == failures[i].kind,
				  "kind %d: %s", r.error.kind, r.error.text);
			CHECK(strstr(r.error.text, failures[i].says));
			CHECK(r.error.attempts == (int)failures[i].retries + 1);
		}
		done();
	}
}

static void an_endless_error(void)
{
	static char bytes[200000];
	const struct answer answers[] = { { bytes, 0, HANG } };

	snprintf(bytes, sizeof bytes, HEAD("400 No", "text/plain", ""));
	memset(bytes + strlen(bytes), 'x', sizeof bytes - strlen(bytes) - 1);
	TRY(answers, true);
	CHECK_MSG(r.error.kind == MT_ERROR_BAD_REQUEST && strstr(r.error.text, "xxx"),
		  "%.60s", r.error.text);
	done();
}

static void without_listener(void)
{
	static const struct answer answers[] = { { whole, 0, CLOSE } };
	AUTO(llm_request) struct llm_request *q = ask("hi");

	extra[0] = "llm.retries=2";
	open_bench(answers, 1);
	uv_close((uv_handle_t *)&server.tcp, NULL);
	uv_run(&loop, UV_RUN_NOWAIT);
	bench_send(&b, q, 0, NULL, &r);
	CHECK_MSG(r.error.kind == MT_ERROR_NETWORK && r.retries == 1, "%s", r.error.text);
	done();
}

static void silence_has_an_end(void)
{
	static const struct answer nothing[] = { { "", 0, HANG } };
	static const struct answer half[] = {
		{ CLOSED(SSE) CHUNK("\"content\":\"x\""), 0, HANG }
	};

	extra[0] = "llm.retries=1";
	extra[1] = "llm.timeout=30ms";
	TRY(nothing, true);
	CHECK_MSG(r.error.kind == MT_ERROR_TIMEOUT, "no answer: %s", r.error.text);
	done();
	extra[0] = "llm.retries=1";
	extra[1] = "llm.stall_timeout=30ms";
	TRY(nothing, true);
	CHECK_MSG(r.error.kind == MT_ERROR_TIMEOUT &&
			  strstr(r.error.text, "no response within"),
		  "not a byte: %s", r.error.text);
	done();
	extra[0] = "llm.retries=1";
	extra[1] = "llm.stall_timeout=1s";
	TRY(half, true);
	CHECK_MSG(r.error.kind == MT_ERROR_TIMEOUT && strstr(r.error.text, "stalled"),
		  "half an answer: %s", r.error.text);
	done();
}

/* ---- cancelling -------------------------------------------------------------- */

static struct llm_exchange *running;

static void cancel_on_delta(void *arg, bool reasoning, const char *text, size_t len)
{
	struct result *result = arg;

	(void)reasoning, (void)text, (void)len;
	result->deltas++;
	llm_cancel(running);
}

static void cancel_on_timer(uv_timer_t *t)
{
	llm_cancel(running);
	uv_close((uv_handle_t *)t, NULL);
}

static void stop_the_pool(uv_timer_t *t)
{
	b.pool = llm_pool_free(b.pool);
	uv_close((uv_handle_t *)t, NULL);
}

static void cancelled(const struct answer *answers, const struct llm_events *events,
		      uv_timer_cb stop)
{
	AUTO(llm_request) struct llm_request *q = ask("hi");
	uv_timer_t timer;

	open_bench(answers, 1);
	q->stream = true;
	result_clear(&r);
	CHECK(!llm_send(b.llm, q, 0, events, &r, NULL, &running, NULL));
	if (stop) {
		uv_timer_init(&loop, &timer);
		uv_timer_start(&timer, stop, 5, 0);
	}
	uv_run(&loop, UV_RUN_DEFAULT);
	CHECK_MSG(!r.over, "nothing is reported after it");
	done();
}

static void cancelling(void)
{
	static const struct answer stream[] = { { streamed, 0, CLOSE } };
	static const struct answer nothing[] = { { "", 0, HANG } };
	static const struct answer broken[] = { { FAIL("500 No", "", ""), 0, CLOSE } };
	static const struct llm_events from_inside = {
		.delta = cancel_on_delta, .done = on_reply, .failed = on_failed
	};

	cancelled(stream, &from_inside, NULL);
	cancelled(nothing, &bench_events, cancel_on_timer);
	cancelled(nothing, &bench_events, stop_the_pool);
	extra[0] = "llm.retry_min_wait=60s";
	extra[1] = "llm.retry_max_wait=60s";
	cancelled(broken, &bench_events, cancel_on_timer);
}

/* ---- the request ------------------------------------------------------------- */

static void a_key_travels_in_its_header_alone(void)
{
	static const struct answer refuses[] = {
		{ FAIL("401 No", "",
		       "{\"error\":{\"message\":\"sk-secret-123 is wrong\"}}"),
		  0, CLOSE }
	};

	setenv("TEST_LLM_KEY", "sk-secret-123", 1);
	extra[0] = "llm.api_key_env=TEST_LLM_KEY";
	extra[1] = "llm.extra_headers=X-Team: blue";
	TRY(refuses, true);
	CHECK(strstr(server.request.text, "\r\nAuthorization: Bearer sk-secret-123\r\n"));
	CHECK(strstr(server.request.text, "\r\nX-Team: blue\r\n"));
	CHECK(strstr(r.error.text, "TEST_LLM_KEY"));
	CHECK_MSG(!strstr(r.error.text, "sk-secret"), "%s", r.error.text);
	done();
	unsetenv("TEST_LLM_KEY");
}

static const char conversation[] =
	"{\"model\":\"some-model\",\"tools\":[{\"type\":\"function\",\"function\":{"
	"\"name\":"
	"\"bash\",\"description\":\"Runs "
	"\\\"it\\\".\",\"parameters\":{\"type\":\"object\"}}}],"
	"\"messages\":[{\"role\":\"system\",\"content\":\"Be "
	"brief.\"},{\"role\":\"user\","
	"\"content\":[{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"image_url\","
	"\"image_url\":{\"url\":\"data:image/"
	"png;base64,AAECAw==\"}}]},{\"role\":\"assistant\","
	"\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
	"\"function\":{"
	"\"name\":\"bash\",\"arguments\":\"{\\\"a\\\": 1}\"}},{\"id\":\"c2\",\"type\":"
	"\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{}\"}}]},{\"role\":"
	"\"tool\","
	"\"tool_call_id\":\"c1\",\"content\":\"a\\nb\"},{\"role\":\"tool\",\"tool_call_"
	"id\":"
	"\"c2\",\"content\":\"\"},{\"role\":\"user\",\"content\":[{\"type\":\"image_"
	"url\","
	"\"image_url\":{\"url\":\"data:image/"
	"png;base64,AAEC\"}}]},{\"role\":\"assistant\","
	"\"content\":\"Done.\"}],\"temperature\":0.5,\"max_tokens\":100}";

static void a_conversation_on_the_wire(void)
{
	static const struct answer answers[] = { { whole, 0, CLOSE } };
	const struct llm_part system = { .text = "Be brief.", .len = 9 };
	const struct llm_part user[] = { { .text = "look", .len = 4 },
					 { .mime = "image/png", .text = "\0\1\2\3",
					   .len = 4 } };
	const struct llm_call calls[] = { { "c1", "bash", "{\"a\": 1}", 8 },
					  { "c2", "bash", "", 0 } };
	const struct llm_part first[] = { { .text = "a", .len = 1 },
					  { .text = "b", .len = 1 } };
	const struct llm_part second = { .mime = "image/png", .text = "\0\1\2",
					 .len = 3 };
	const struct llm_part last = { .text = "Done.", .len = 5 };
	const struct llm_message messages[] = {
		{ .role = MT_ROLE_SYSTEM, .parts = &system, .part_count = 1 },
		{ .role = MT_ROLE_USER, .parts = user, .part_count = 2 },
		{ .role = MT_ROLE_ASSISTANT, .calls = calls, .call_count = 2 },
		{ .role = MT_ROLE_TOOL, .parts = first, .part_count = 2, .calls = calls,
		  .call_count = 1 },
		{ .role = MT_ROLE_TOOL, .parts = &second, .part_count = 1,
		  .calls = calls + 1, .call_count = 1 },
		{ .role = MT_ROLE_ASSISTANT, .parts = &last, .part_count = 1 },
	};
	const struct llm_tool tool = { "bash", "Runs \"it\".", "{\"type\":\"object\"}",
				       NULL, NULL };
	AUTO(strbuf) struct strbuf body = STRBUF(1 << 16), again = STRBUF(1 << 16);
	AUTO(llm_request) struct llm_request *q = llm_request_new();

	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
		llm_request_add(q, &messages[i]);
	llm_request_tool(q, &tool);
	extra[0] = "llm.temperature=0.5";
	extra[1] = "llm.max_output_tokens=100";
	extra[2] = "llm.vision=yes";
	open_bench(answers, 1);
	bench_send(&b, q, 0, &body, &r);
	CHECK_STR(body.text, conversation);
	bench_send(&b, q, 1, &again, &r);
	CHECK_STR(again.text, body.text);
	done();
	extra[0] = "llm.vision=no";
	open_bench(answers, 1);
	strbuf_cut(&body, 0);
	bench_send(&b, q, 0, &body, &r);
	CHECK(!strstr(body.text, "base64") && !strstr(body.text, "image_url"));
	CHECK(strstr(body.text, "\"look\\n[An image was omitted here: this model does"));
	done();
}

/* ---- names ------------------------------------------------------------------- */

static const struct {
	const char *model, *setting, *says;
} names[] = {
	{ NULL, NULL, "no model is set" },
	{ "gpt-4.1", NULL, "use provider/name" },
	{ "opneai/gpt-4.1", NULL, "did you mean `openai`" },
	{ "unknown/model", NULL, "unknown provider `unknown`" },
	{ "azure/x", NULL, "azure requires base_url" },
	{ "groq/x", NULL, "no API key for groq: set GROQ_API_KEY" },
	{ "x", "llm.base_url=ftp://x", "must start with https:// or http://" },
	{ "ollama/llama3", NULL, NULL },
	{ "vendor/x", "llm.base_url=http://127.0.0.1:1/v1", NULL },
	{ "openhands/x", "llm.base_url=http://127.0.0.1:1/v1", NULL },
};

static void names_of_models(void)
{
	unsetenv("GROQ_API_KEY");
	uv_loop_init(&loop);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *const settings[] = { names[i].setting, NULL };
		bool opened = bench_open(&b, &loop, names[i].model, settings);

		if (names[i].says)
			CHECK_MSG(!opened && strstr(b.err.text, names[i].says), "%s",
				  b.err.text);
		else
			CHECK_MSG(opened, "%s: %s", names[i].model, b.err.text);
		bench_close(&b);
	}
	CHECK(uv_loop_close(&loop) == 0);
}

int main(void)
{
	a_whole_answer();
	what_it_costs();
	a_stream_in_pieces();
	connections_are_kept();
	failures_and_retries();
	an_endless_error();
	without_listener();
	silence_has_an_end();
	cancelling();
	a_key_travels_in_its_header_alone();
	a_conversation_on_the_wire();
	names_of_models();
	return tap_done();
}
