/* SPDX-License-Identifier: MIT
 *
 * server-context.c - context window of a self-hosted model. It is queried once, by a
 * command, or in parallel with the first request, which does not wait for it. A server
 * that does not report it is not queried again. */
#include "llm/llm-internal.h"
#include "llm/models/server-models.h"
#include "log.h"
#include <inttypes.h>
#include <string.h>

enum { MAX_ANSWER = 8 << 20, WAIT_MS = 20000 };

/* The queries, sent in order until one is answered. */
enum question { ASK_OLLAMA, ASK_LIST, ASK_LLAMACPP, ASK_NOTHING };

struct context_query {
	struct llm *llm;
	enum question question;
	struct http_call *http;
	struct strbuf url, body, answer;
	int status;
};

static void query_next(struct context_query *w);

void llm_context_query_end(struct llm *l)
{
	struct context_query *w = l->context_query;

	l->context_query = NULL;
	if (!w)
		return;
	if (w->http)
		http_cancel(w->http);
	strbuf_clear(&w->url);
	strbuf_clear(&w->body);
	strbuf_clear(&w->answer);
	free(w);
}

/* ---- the response ------------------------------------------------------------- */

static int64_t window_in_list(const struct llm *l, json_object *answer)
{
	json_object *data = js_get(answer, "data");
	size_t count = js_length(data);

	for (size_t i = 0; i < count; i++) {
		json_object *model = json_object_array_get_idx(data, i);

		if (strcmp(js_str(model, "id", ""), l->model) == 0)
			return server_context_window(model);
	}
	return -1;
}

static int64_t window_in(const struct context_query *w)
{
	AUTO(json) json_object *answer =
		w->status == 200 && w->answer.len && !w->answer.error
			? js_parse_object(w->answer.text, w->answer.len, NULL)
			: NULL;

	switch (w->question) {
	case ASK_OLLAMA:
		return server_context_window_ollama(answer);
	case ASK_LIST:
		return window_in_list(w->llm, answer);
	case ASK_LLAMACPP:
		return server_context_window_llamacpp(answer);
	case ASK_NOTHING:
		break;
	}
	return -1;
}

static void query_on_header(void *arg, int status, const char *name, const char *value)
{
	struct context_query *w = arg;

	(void)name, (void)value;
	w->status = status;
}

static int query_on_body(void *arg, const char *bytes, size_t len)
{
	struct context_query *w = arg;

	return strbuf_addn(&w->answer, bytes, len) ? HTTP_STOP : HTTP_MORE;
}

static void query_on_done(void *arg, enum http_outcome outcome, const char *why)
{
	struct context_query *w = arg;
	struct llm *l = w->llm;
	int64_t window = outcome == HTTP_DONE ? window_in(w) : -1;

	(void)why;
	w->http = NULL;
	if (window > 0) {
		l->window = window;
		log_line(MT_LOG_INFO, "llm",
			 "server of %s reports a context window of %" PRId64 " tokens",
			 l->name, window);
	}
	w->question =
		window > 0 || w->question == ASK_OLLAMA ? ASK_NOTHING : w->question + 1;
	query_next(w);
}

/* ---- the query ---------------------------------------------------------------- */

static int write_question(struct context_query *w)
{
	AUTO(free) char *root = server_root(w->llm);

	strbuf_reset(&w->url);
	strbuf_reset(&w->answer);
	w->status = 0;
	if (!root)
		return MT_ENOMEM;
	if (w->question == ASK_LIST)
		return server_list_url(w->llm, root, &w->url);
	if (w->question == ASK_LLAMACPP)
		return strbuf_addf(&w->url, "%s/props", root);
	strbuf_addc(&w->body, '{');
	js_key_str(&w->body, "model", w->llm->model);
	strbuf_addc(&w->body, '}');
	return w->body.error ? w->body.error : strbuf_addf(&w->url, "%s/api/show", root);
}

static int server_context_send_question(struct context_query *w)
{
	static const struct http_events events = { query_on_header, query_on_body,
						   query_on_done };
	AUTO(strbuf) struct strbuf key = STRBUF(16384);
	const char *headers[2] = { "Content-Type: application/json" };
	const struct llm *l = w->llm;
	struct error err = ERROR_NONE;
	struct http_request r = {
		.headers = headers, .header_count = 1, .timeout_ms = WAIT_MS,
		.ca_path = config_get(l->config, l->section, "ca_path"),
		.proxy = config_get(l->config, l->section, "proxy"),
	};
	int status = write_question(w);

	if (status)
		return status;
	r.url = w->url.text;
	if (w->body.len) {
		r.body = w->body.text;
		r.body_len = w->body.len;
	}
	if (l->key && strbuf_addf(&key, "Authorization: Bearer %s", l->key) == MT_OK)
		headers[r.header_count++] = key.text;
	status = http_start(l->pool, &r, &events, w, &w->http, &err);
	if (key.len)
		explicit_bzero(key.text, key.len);
	return status;
}

static void query_next(struct context_query *w)
{
	if (w->question == ASK_NOTHING || server_context_send_question(w))
		llm_context_query_end(w->llm);
}

static void query_begin(struct llm *l)
{
	struct context_query *w = calloc(1, sizeof *w);

	if (!w)
		return;
	*w = (struct context_query){
		.llm = l,
		.question = strncmp(l->provider, "ollama", 6) == 0 ? ASK_OLLAMA : ASK_LIST,
		.url = STRBUF(4096), .body = STRBUF(4096), .answer = STRBUF(MAX_ANSWER),
	};
	l->context_query = w;
	query_next(w);
}

void llm_query_context_window(struct llm *l)
{
	if (l->window_asked || l->window > 0 || !l->self_hosted || !l->base_url[0])
		return;
	l->window_asked = true;
	query_begin(l);
}

int64_t llm_server_context_window(struct llm *l)
{
	int64_t known = l->window, told;

	if (!l->base_url[0])
		return -1;
	llm_context_query_end(l);
	l->window = -1;
	query_begin(l);
	while (l->context_query && uv_run(llm_pool_loop(l->pool), UV_RUN_ONCE))
		;
	told = l->window;
	l->window = known;
	return told;
}
