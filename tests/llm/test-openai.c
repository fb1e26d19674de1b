/* SPDX-License-Identifier: MIT
 *
 * test-openai.c - chat completions against a local server of our own. */
#include "bench.h"
#include "server.h"
#include "tap.h"

#define HEAD(type, more) "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\n" more "\r\n"
#define CLOSED(type) HEAD(type, "Connection: close\r\n")

static uv_loop_t loop;
static struct server server;
static struct bench b;
static struct result r;

/* Ask once, over a server that gives these answers. */
static void try(const struct answer *answers, size_t count, bool stream)
{
	static char base[64];
	static const char *settings[] = { base, "llm.retry_min_wait=1ms",
					  "llm.retry_max_wait=2ms",
					  "llm.retry_multiplier=0.001", NULL };
	AUTO(llm_request) struct llm_request *q = ask("hi");

	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, answers, count);
	snprintf(base, sizeof base, "llm.base_url=http://127.0.0.1:%d/v1", server.port);
	q->stream = stream;
	if (bench_open(&b, &loop, "some-model", settings))
		bench_send(&b, q, 0, NULL, &r);
	else
		CHECK_MSG(0, "opened: %s", b.err.text);
}

static void done(void)
{
	bench_close(&b);
	server_stop(&server);
	result_clear(&r);
	CHECK_MSG(uv_loop_close(&loop) == 0, "no handle is left");
}

static const char whole[] =
	CLOSED("application/json")
	"{\"id\":\"r1\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
	"\"content\":\"Hello\",\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
	"\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}}]},"
	"\"finish_reason\":\"tool_calls\"}],"
	"\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}";

static void a_whole_answer(void)
{
	static const struct answer answers[] = { { whole, 0, CLOSE } };

	try(answers, 1, false);
	CHECK_MSG(r.reply, "a reply: %s", r.error.text);
	if (r.reply) {
		CHECK_STR(r.reply->text, "Hello");
		CHECK_STR(r.reply->response_id, "r1");
		CHECK_STR(r.reply->model, "some-model");
		CHECK(r.reply->call_count == 1);
		CHECK_STR(r.reply->calls[0].args, "{\"command\": \"ls\"}");
		CHECK(r.reply->usage.input == 7 && r.reply->usage.output == 2);
	}
	CHECK(strncmp(server.request.text, "POST /v1/chat/completions HTTP/1.1\r\n", 36)
	      == 0);
	CHECK(strstr(server.request.text, "\r\n\r\n{\"model\":\"some-model\",\"messages\":"
					  "[{\"role\":\"user\",\"content\":\"hi\"}]}"));
	done();
}

int main(void)
{
	a_whole_answer();
	return tap_done();
}
