/* SPDX-License-Identifier: MIT
 *
 * http-requests.c - the HTTP requests of tools (http/send): counts them, and passes each
 * response to the runner. */
#include "llm/transport/http-requests.h"
#include "llm/llm.h"

#include "base64.h"
#include "llm/transport/http-exchange.h"
#include "utf8.h"

#include <string.h>

enum {
	REQUESTS_OPEN = 8,   /* concurrent requests of one call */
	REQUESTS_MAX = 256,  /* of one call */
};

struct tool_request {
	struct tool_request *next;
	struct http_requests *requests;
	struct http_exchange *exchange;
	struct runner *runner; /* which gets the response */
	uint64_t id;           /* of the runner's request */
};

static void http_requests_refuse(struct runner *runner, uint64_t id,
				 const struct error *err)
{
	runner_refuse(runner, id, err->code, err->text);
}

static void http_requests_over(struct tool_request *q)
{
	struct tool_request **p = &q->requests->open;

	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	q->requests->open_count--;
	free(q);
}

void http_requests_cancel(struct http_requests *r)
{
	r->count = 0;
	while (r->open) {
		http_exchange_cancel(r->open->exchange);
		http_requests_over(r->open);
	}
}

void http_requests_clear(struct http_requests *r)
{
	http_requests_cancel(r);
	r->pool = llm_pool_free(r->pool);
}

static int put_response(const struct http_answer *answer, struct strbuf *out)
{
	strbuf_addc(out, '{');
	js_key_int(out, "status", answer->status);
	js_key(out, "headers");
	js_put(out, answer->headers);
	if (utf8_valid(answer->body.ptr, answer->body.len)) {
		js_key_strn(out, "body", answer->body.ptr, answer->body.len);
	} else {
		js_key(out, "base64");
		strbuf_addc(out, '"');
		base64_put(out, answer->body.ptr, answer->body.len);
		strbuf_addc(out, '"');
	}
	return strbuf_addc(out, '}');
}

static void http_requests_on_answer(void *arg, const struct http_answer *answer,
				    const struct error *error)
{
	AUTO(strbuf) struct strbuf text = STRBUF(14 << 20);
	struct error err = *error;
	struct tool_request *q = arg;

	if (answer && put_response(answer, &text))
		out_of_memory(&err);
	if (err.code)
		http_requests_refuse(q->runner, q->id, &err);
	else
		runner_answer(q->runner, q->id, MT_OK, text.text, text.len);
	http_requests_over(q);
}

static int check_count(const struct http_requests *r, struct error *err)
{
	if (r->open_count >= REQUESTS_OPEN)
		return fail(err, MT_ELIMIT,
			    "a call can have at most %d pending HTTP requests",
			    REQUESTS_OPEN);
	if (r->count >= REQUESTS_MAX)
		return fail(err, MT_ELIMIT, "a call can send at most %d HTTP requests",
			    REQUESTS_MAX);
	return MT_OK;
}

static int http_requests_start(struct tool_request *q, const struct http_caller *caller,
			       json_object *params, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const struct http_sender sender = {
		.loop = caller->loop, .config = caller->config,
		.component = caller->instance->component, .noun = "the tool",
		.section = strbuf_addf(&section, "tool.%s", caller->instance->name)
				   ? ""
				   : section.text,
	};

	return http_exchange_start(&q->requests->pool, &sender, params, HTTP_BODY_MAX,
				   http_requests_on_answer, q, &q->exchange, err);
}

void http_requests_send(struct http_requests *r, const struct http_caller *caller,
			uint64_t request, json_object *params)
{
	struct error err = ERROR_NONE;
	struct tool_request *q = check_count(r, &err) ? NULL : calloc(1, sizeof *q);

	if (!q) {
		if (!err.code)
			out_of_memory(&err);
		http_requests_refuse(caller->runner, request, &err);
		return;
	}
	*q = (struct tool_request){ .next = r->open, .requests = r,
				    .runner = caller->runner, .id = request };
	r->open = q;
	r->open_count++;
	r->count++;
	if (http_requests_start(q, caller, params, &err)) {
		http_requests_refuse(caller->runner, request, &err);
		http_requests_over(q);
	}
}
