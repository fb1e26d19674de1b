/* SPDX-License-Identifier: MIT
 *
 * test-openai.c - chat completions against a local server of our own. */
#define _GNU_SOURCE
#include "bench.h"
#include "server.h"
#include "tap.h"

#define HEAD(type, more) "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\n" more "\r\n"
#define CLOSED(type) HEAD(type, "Connection: close\r\n")

static struct server server;
static char base_url[64];

static const char *const *settings(void)
{
	static const char *list[] = { NULL, "llm.retry_min_wait=1ms",
				      "llm.retry_max_wait=2ms", NULL };

	list[0] = base_url;
	return list;
}

static void a_whole_answer(void)
{
	static const struct answer answers[] = {
		{ CLOSED("application/json")
		  "{\"id\":\"r1\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
		  "\"assistant\",\"content\":\"Hello\",\"tool_calls\":[{\"id\":\"c1\","
		  "\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":"
		  "\"{\\\"command\\\": \\\"ls\\\"}\"}}]},\"finish_reason\":\"tool_calls\""
		  "}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}",
		  0, CLOSE },
	};
	struct result r = { 0 };
	struct bench b;
	AUTO(llm_request) struct llm_request *q = ask("hi");

	CHECK_MSG(bench_open(&b, "some-model", settings()), "opened: %s", b.err.text);
	server_start(&server, &b.loop);
	server_say(&server, answers, 1);
	bench_close(&b);
	result_clear(&r);
}

int main(void)
{
	a_whole_answer();
	return tap_done();
}
