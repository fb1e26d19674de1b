/* SPDX-License-Identifier: MIT
 *
 * test-guard.c - a request that exceeds the context window: not sent if that is
 * known, and counted by the provider if the user wants it. */
#include "llm/llm-internal.h"

#include "bench.h"
#include "log.h"
#include "server.h"
#include "tap.h"

#define HEAD(status) \
	"HTTP/1.1 " status "\r\nContent-Type: application/json\r\n" \
	"Connection: close\r\n\r\n"
#define SAYS(json) { HEAD("200 OK") json, 0, CLOSE }
#define CHAT SAYS("{\"choices\":[{\"message\":{\"content\":\"Hello\"}," \
		  "\"finish_reason\":\"stop\"}]}")
#define CLAUDE SAYS("{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\"," \
		    "\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}]," \
		    "\"stop_reason\":\"end_turn\"}")
#define NO { HEAD("404 Not Found") "{\"error\":\"no such page\"}", 0, CLOSE }

#define ANTHROPIC "llm.model=anthropic/claude-sonnet-4-5"
#define ASK "llm.token_counter=provider"

enum { BYTES = 2000 }; /* 501 tokens and a bit, as we guess */

static uv_loop_t loop;
static struct server server;
static struct bench b;
static struct result r;
static char text[BYTES + 1];

static bool begin(const char *const *extra, const struct answer *answers, size_t count)
{
	static char base[64];
	const char *settings[12] = { base, "llm.retries=1", "llm.native_tool_calling=yes",
				     "core.state_dir=/dev/null/nowhere" };

	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, answers, count);
	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d", server.port);
	for (size_t n = 4; extra[n - 4]; n++)
		settings[n] = extra[n - 4];
	if (bench_open(&b, &loop, NULL, settings))
		return true;
	CHECK_MSG(0, "%s", b.err.text);
	return false;
}

static void end(void)
{
	bench_close(&b);
	server_stop(&server);
	result_clear(&r);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
}

static const struct {
	const char *name, *settings[5];
	struct answer answers[3];
	size_t count, asked; /* requests that the server saw */
	bool sent;
	const char *last[3]; /* contents of the last of them */
} cases[] = {
	{ "no window is known", { "llm.model=some" }, { CHAT }, 1, 1, true, { "/chat/" } },
	{ "it fits", { "llm.model=some", "llm.max_input_tokens=600" }, { CHAT }, 1, 1,
	  true, { "/chat/" } },
	{ "a guess that may be wrong", { "llm.model=some", "llm.max_input_tokens=400" },
	  { CHAT }, 1, 1, true, { "/chat/" } },
	{ "far too long", { "llm.model=some", "llm.max_input_tokens=200" }, { CHAT }, 1, 0,
	  false, { NULL } },
	{ "who cannot count", { "llm.model=some", ASK, "llm.max_input_tokens=400" },
	  { CHAT }, 1, 1, true, { "/chat/" } },
	{ "who cannot count, and it is too long",
	  { "llm.model=some", ASK, "llm.max_input_tokens=200" }, { CHAT }, 1, 0, false,
	  { NULL } },
	{ "far from the window", { ANTHROPIC, ASK }, { CLAUDE }, 1, 1, true,
	  { "/v1/messages HTTP" } },
	{ "counted, fits", { ANTHROPIC, ASK, "llm.max_input_tokens=200" },
	  { SAYS("{\"input_tokens\":199}"), CLAUDE }, 2, 2, true, { "/v1/messages HTTP" } },
	{ "counted, does not fit", { ANTHROPIC, ASK, "llm.max_input_tokens=600" },
	  { SAYS("{\"input_tokens\":601}") }, 1, 1, false,
	  { "/v1/messages/count_tokens HTTP", "{\"model\":\"claude-sonnet-4-5\"",
	    "\"messages\":[{" } },
	{ "no page", { ANTHROPIC, ASK, "llm.max_input_tokens=600" }, { NO, CLAUDE }, 2, 2,
	  true, { "/v1/messages HTTP" } },
	{ "no number", { ANTHROPIC, ASK, "llm.max_input_tokens=600" },
	  { SAYS("[1]"), CLAUDE }, 2, 2, true, { "/v1/messages HTTP" } },
	{ "no number, far too long", { ANTHROPIC, ASK, "llm.max_input_tokens=200" },
	  { SAYS("{\"input_tokens\":\"many\"}") }, 1, 1, false, { "count_tokens" } },
	{ "gemini", { "llm.model=gemini/gemini-2.5-pro", ASK, "llm.max_input_tokens=600" },
	  { SAYS("{\"totalTokens\":700}") }, 1, 1, false,
	  { "/models/gemini-2.5-pro:countTokens HTTP",
	    "{\"generateContentRequest\":{\"model\":\"models/gemini-2.5-pro\",",
	    "\"contents\":[{" } },
	{ "responses",
	  { "llm.model=openai/gpt-5", "llm.api=responses", ASK,
	    "llm.max_input_tokens=600" },
	  { SAYS("{\"object\":\"response.input_tokens\",\"input_tokens\":700}") }, 1, 1,
	  false, { "/responses/input_tokens HTTP", "{\"model\":\"gpt-5\",\"input\":[{" } },
	{ "bedrock",
	  { "llm.model=bedrock/anthropic.claude-sonnet-4-5-v1:0", ASK,
	    "llm.max_input_tokens=600" },
	  { SAYS("{\"inputTokens\":700}") }, 1, 1, false,
	  { "/model/anthropic.claude-sonnet-4-5-v1%3A0/count-tokens HTTP",
	    "{\"input\":{\"converse\":{", "\"messages\":[{" } },
};

static void guarded(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(llm_request) struct llm_request *q = ask(text);

		if (!begin(cases[i].settings, cases[i].answers, cases[i].count))
			continue;
		bench_send(&b, q, 0, NULL, &r);
		CHECK_MSG(cases[i].sent
				  ? r.reply != NULL
				  : !r.reply && r.error.kind == MT_ERROR_CONTEXT_WINDOW &&
					    strstr(r.error.text, "request not sent"),
			  "%s: %s", cases[i].name,
			  r.reply ? r.reply->text : r.error.text);
		CHECK_MSG(server.next == cases[i].asked, "%s: asked %zu times",
			  cases[i].name, server.next);
		for (size_t n = 0; n < 3 && cases[i].last[n]; n++)
			CHECK_MSG(server.request.text &&
					  strstr(server.request.text, cases[i].last[n]),
				  "%s: has %s: %s", cases[i].name, cases[i].last[n],
				  server.request.text);
		end();
	}
}

/* A provider that failed to count is not asked again; counts are learned. */
static void asked_once(void)
{
	static const char *const settings[] = { ANTHROPIC, ASK, "llm.max_input_tokens=600",
						NULL };
	static const struct answer wrong[] = { NO, CLAUDE },
				   right[] = { SAYS("{\"input_tokens\":450}"), CLAUDE };
	AUTO(llm_request) struct llm_request *q = ask(text);

	if (begin(settings, wrong, 2)) {
		bench_send(&b, q, 0, NULL, &r);
		bench_send(&b, q, 1, NULL, &r);
		CHECK_MSG(server.next == 3, "asked %zu times", server.next);
	}
	end();
	if (begin(settings, right, 2)) {
		bench_send(&b, q, 0, NULL, &r);
		CHECK_MSG(r.reply && server.next == 2, "%s", r.error.text);
		CHECK(llm_estimate_tokens(b.llm, q) > 440 &&
		      llm_estimate_tokens(b.llm, q) < 460);
	}
	end();
}

/* An estimate based on counts is trusted. */
static void learned(void)
{
	static const char *const settings[] = { "llm.model=some",
						"llm.max_input_tokens=400", NULL };
	static const struct answer answer[] = {
		SAYS("{\"choices\":[{\"message\":{\"content\":\"Hello\"},"
		     "\"finish_reason\":\"stop\"}],"
		     "\"usage\":{\"prompt_tokens\":500,\"completion_tokens\":2}}")
	};
	AUTO(llm_request) struct llm_request *q = ask(text);

	if (begin(settings, answer, 1)) {
		bench_send(&b, q, 0, NULL, &r);
		CHECK(r.reply != NULL);
		bench_send(&b, q, 1, NULL, &r);
		CHECK_MSG(!r.reply && server.next == 1 &&
				  r.error.kind == MT_ERROR_CONTEXT_WINDOW,
			  "not sent again: %s", r.error.text);
	}
	end();
}

static void cancelled(void)
{
	static const char *const settings[] = { ANTHROPIC, ASK, "llm.max_input_tokens=600",
						NULL };
	static const struct answer hangs[] = { { "", 0, HANG } };
	AUTO(llm_request) struct llm_request *q = ask(text);
	struct llm_exchange *x = NULL;
	struct error err = ERROR_NONE;

	for (int turns = 0; turns < 2; turns++) {
		if (begin(settings, hangs, 1)) {
			CHECK(!llm_send(b.llm, q, 0, &bench_events, &r, NULL, &x, &err));
			while (turns && !server.next && uv_run(&loop, UV_RUN_ONCE))
				;
			llm_cancel(x);
			CHECK(!r.over);
		}
		end();
	}
}

/* ---- unknown prices ---------------------------------------------------------------- */

static size_t times(FILE *f, const char *words)
{
	char line[1024];
	size_t n = 0;

	rewind(f);
	while (fgets(line, sizeof line, f))
		n += strstr(line, words) != NULL;
	return n;
}

static void warned_once(void)
{
	static const char *const settings[] = { "llm.model=some", NULL };
	static const struct answer answer[] = {
		SAYS("{\"choices\":[{\"message\":{\"content\":\"Hello\"},"
		     "\"finish_reason\":\"stop\"}],"
		     "\"usage\":{\"prompt_tokens\":500,\"completion_tokens\":2}}")
	};
	AUTO(llm_request) struct llm_request *q = ask(text);
	FILE *f = tmpfile();

	if (!f)
		return;
	log_setup(fileno(f), MT_LOG_WARNING, NULL);
	if (begin(settings, answer, 1)) {
		for (int i = 0; i < 3; i++)
			bench_send(&b, q, i, NULL, &r);
		CHECK(llm_metrics(b.llm)->calls == 3 && !llm_metrics(b.llm)->cost_known);
	}
	CHECK_MSG(times(f, "no price is known for some") == 1, "one warning: %zu",
		  times(f, "no price is known for some"));
	end();
	log_setup(2, MT_LOG_WARNING, NULL);
	fclose(f);
}

/* ---- a server that the user runs ------------------------------------------------ */

#define LIST SAYS("{\"data\":[{\"id\":\"other\",\"max_model_len\":5}," \
		  "{\"id\":\"some\",\"max_model_len\":777}]}")
#define SHOW SAYS("{\"model_info\":{\"llama.context_length\":888}}")
#define PROPS SAYS("{\"default_generation_settings\":{\"n_ctx\":999}}")

static const struct {
	const char *name, *settings[4];
	struct answer answers[2];
	size_t count, asked;
	int64_t window;
	const char *last;
} servers[] = {
	{ "vLLM", { "llm.model=vllm/some" }, { LIST }, 1, 1, 777, "GET /models HTTP" },
	{ "any", { "llm.model=some" }, { LIST }, 1, 1, 777, "GET /models HTTP" },
	{ "llama.cpp", { "llm.model=llamacpp/x" }, { LIST, PROPS }, 2, 2, 999,
	  "GET /props HTTP" },
	{ "Ollama", { "llm.model=ollama/some" }, { SHOW }, 1, 1, 888,
	  "POST /api/show HTTP" },
	{ "Ollama does not say", { "llm.model=ollama/some" }, { NO }, 1, 1, -1, NULL },
	{ "unknown size", { "llm.model=some" }, { NO, SAYS("[]") }, 2, 2, -1, NULL },
	{ "the user says", { "llm.model=some", "llm.max_input_tokens=400" }, { LIST }, 1, 0,
	  400, NULL },
};

static void asked_of_the_server(void)
{
	for (size_t i = 0; i < ARRAY_LEN(servers); i++) {
		if (!begin(servers[i].settings, servers[i].answers, servers[i].count))
			continue;
		llm_query_context_window(b.llm);
		llm_query_context_window(b.llm);
		while (b.llm->context_query && uv_run(&loop, UV_RUN_ONCE))
			;
		llm_query_context_window(b.llm);
		CHECK_MSG(llm_context_window(b.llm) == servers[i].window, "%s: %lld",
			  servers[i].name, (long long)llm_context_window(b.llm));
		CHECK_MSG(server.next == servers[i].asked && !b.llm->context_query,
			  "%s: asked %zu times", servers[i].name, server.next);
		CHECK_MSG(!servers[i].last ||
				  strstr(server.request.text, servers[i].last),
			  "%s: %s", servers[i].name, server.request.text);
		end();
	}
}

static void server_that_hangs(void)
{
	static const char *const settings[] = { "llm.model=some", NULL };
	static const struct answer hangs[] = { { "", 0, HANG } };

	if (begin(settings, hangs, 1)) {
		llm_query_context_window(b.llm);
		while (!server.next && uv_run(&loop, UV_RUN_ONCE))
			;
		CHECK(b.llm->context_query != NULL);
	}
	end();
}

int main(void)
{
	memset(text, 'x', BYTES);
	setenv("ANTHROPIC_API_KEY", "key-of-a-test", 1);
	setenv("GEMINI_API_KEY", "key-of-a-test", 1);
	setenv("OPENAI_API_KEY", "key-of-a-test", 1);
	setenv("AWS_BEARER_TOKEN_BEDROCK", "key-of-a-test", 1);
	setenv("AWS_REGION", "us-east-1", 1);
	guarded();
	asked_once();
	learned();
	cancelled();
	warned_once();
	asked_of_the_server();
	server_that_hangs();
	return tap_done();
}
