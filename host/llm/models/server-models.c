/* SPDX-License-Identifier: MIT
 *
 * server-models.c - lists the models of a server that implements GET /models of
 * OpenAI, as most self-hosted ones do. */
#include "llm/models/server-models.h"
#include "llm/llm-internal.h"
#include <string.h>

enum { MAX_ANSWER = 8 << 20, MAX_MODELS = 500, WAIT_MS = 20000 };

struct question {
	struct strbuf answer;
	int status;
	bool over;
	enum http_outcome outcome;
	char why[256];
};

static void list_on_header(void *arg, int status, const char *name, const char *value)
{
	struct question *q = arg;

	(void)name, (void)value;
	q->status = status;
}

static int list_on_body(void *arg, const char *bytes, size_t len)
{
	struct question *q = arg;

	return strbuf_addn(&q->answer, bytes, len) ? HTTP_STOP : HTTP_MORE;
}

static void list_on_done(void *arg, enum http_outcome outcome, const char *why)
{
	struct question *q = arg;

	q->over = true;
	q->outcome = outcome;
	snprintf(q->why, sizeof q->why, "%s", why ? why : "");
}

/* GET, or POST if there is a body. @return the response; NULL with `err`. */
static json_object *list_request(struct llm *l, const char *url, const char *body,
				 struct error *err)
{
	static const struct http_events events = { list_on_header, list_on_body,
						   list_on_done };
	AUTO(strbuf) struct strbuf key = STRBUF(16384);
	const char *headers[2] = { "Content-Type: application/json", NULL };
	struct question q = { .answer = STRBUF(MAX_ANSWER) };
	struct http_request r = {
		.url = url, .headers = headers, .header_count = 1, .body = body,
		.body_len = body ? strlen(body) : 0, .timeout_ms = WAIT_MS,
		.ca_path = config_get(l->config, l->section, "ca_path"),
		.proxy = config_get(l->config, l->section, "proxy"),
	};
	struct http_call *call;
	json_object *answer = NULL;

	if (l->key && !strpbrk(l->key, "\r\n") &&
	    strbuf_addf(&key, "Authorization: Bearer %s", l->key) == MT_OK)
		headers[r.header_count++] = key.text;
	if (http_start(l->pool, &r, &events, &q, &call, err))
		return NULL;
	while (!q.over && uv_run(llm_pool_loop(l->pool), UV_RUN_ONCE))
		;
	if (q.outcome != HTTP_DONE)
		fail(err, MT_EIO, "cannot query %s: %s", l->provider,
		     q.answer.error ? "the response is too long" : q.why);
	else if (q.status != 200)
		fail(err, MT_EIO, "provider %s does not list its models (HTTP %d)",
		     l->provider, q.status);
	else
		answer = js_parse_object(q.answer.text, q.answer.len, err);
	explicit_bzero(key.text, key.len);
	strbuf_clear(&q.answer);
	return answer;
}

/* ---- context window ------------------------------------------------------------ */

int64_t server_context_window(json_object *model)
{
	static const char *const names[] = { "max_model_len", "max_context_length",
					     "context_length", "context_window",
					     "meta.n_ctx" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		json_object *n = js_path(model, names[i]);

		if (json_object_is_type(n, json_type_int) && json_object_get_int64(n) > 0)
			return json_object_get_int64(n);
	}
	return -1;
}

/* {"model_info": {"llama.context_length": N}} */
int64_t server_context_window_ollama(json_object *answer)
{
	static const char tail[] = ".context_length";
	json_object *info = js_get(answer, "model_info");

	if (!json_object_is_type(info, json_type_object))
		return -1;
	json_object_object_foreach(info, key, value) {
		size_t len = strlen(key), n = strlen(tail);

		if (len > n && strcmp(key + len - n, tail) == 0 &&
		    json_object_is_type(value, json_type_int))
			return json_object_get_int64(value);
	}
	return -1;
}

int64_t server_context_window_llamacpp(json_object *answer)
{
	json_object *n = js_path(answer, "default_generation_settings.n_ctx");

	return json_object_is_type(n, json_type_int) ? json_object_get_int64(n) : -1;
}

static int64_t window_of_ollama(struct llm *l, const char *root, const char *name)
{
	AUTO(strbuf) struct strbuf url = STRBUF(4096), body = STRBUF(4096);
	AUTO(json) json_object *answer = NULL;

	strbuf_addf(&url, "%s/api/show", root);
	strbuf_addc(&body, '{');
	js_key_str(&body, "model", name);
	strbuf_addc(&body, '}');
	if (url.error || body.error)
		return -1;
	answer = list_request(l, url.text, body.text, NULL);
	return server_context_window_ollama(answer);
}

static int64_t window_of_llamacpp(struct llm *l, const char *root)
{
	AUTO(strbuf) struct strbuf url = STRBUF(4096);
	AUTO(json) json_object *answer = NULL;

	if (strbuf_addf(&url, "%s/props", root))
		return -1;
	answer = list_request(l, url.text, NULL, NULL);
	return server_context_window_llamacpp(answer);
}

/* ---- URLs ------------------------------------------------------------------------ */

char *server_root(const struct llm *l)
{
	char *root = strdup(l->base_url);
	size_t len = root ? strlen(root) : 0;

	while (len && root[len - 1] == '/')
		root[--len] = '\0';
	if (len > 3 && strcmp(root + len - 3, "/v1") == 0)
		root[len - 3] = '\0';
	return root;
}

int server_list_url(const struct llm *l, const char *root, struct strbuf *out)
{
	const char *rest = l->base_url + strlen(root);
	bool v1 = strncmp(rest, "/v1", 3) == 0 || strncmp(l->provider, "ollama", 6) == 0;

	return strbuf_addf(out, "%s%s/models", root, v1 ? "/v1" : "");
}

/* ---- the list -------------------------------------------------------------------- */

static int add_model(struct llm *l, const char *root, json_object *model,
		     json_object *list)
{
	AUTO(json) json_object *row = json_object_new_object();
	const char *name = js_str(model, "id", "");
	int64_t window = server_context_window(model);

	if (!*name)
		return MT_OK;
	if (window < 0 && strncmp(l->provider, "ollama", 6) == 0)
		window = window_of_ollama(l, root, name);
	if (window < 0 && strcmp(l->provider, "llamacpp") == 0)
		window = window_of_llamacpp(l, root);
	if (!row || js_set_str(row, "name", name) ||
	    (window > 0 && js_set_int(row, "window", window)))
		return MT_ENOMEM;
	if (js_add(list, row))
		return MT_ENOMEM;
	row = NULL; /* owned by the list now */
	return MT_OK;
}

int llm_server_models(struct llm *l, json_object **ret, struct error *err)
{
	AUTO(free) char *root = server_root(l);
	AUTO(strbuf) struct strbuf url = STRBUF(4096);
	AUTO(json) json_object *answer = NULL, *list = json_object_new_array();
	json_object *data;

	if (!root || !list)
		return out_of_memory(err);
	if (!*root)
		return fail(err, MT_EUNSUPPORTED, "provider %s has no server to query",
			    l->provider);
	if (server_list_url(l, root, &url))
		return fail(err, MT_EINVAL, "base_url is too long");
	answer = list_request(l, url.text, NULL, err);
	if (!answer)
		return err->code;
	data = js_get(answer, "data");
	if (!json_object_is_type(data, json_type_array))
		return fail(err, MT_EUNSUPPORTED,
			    "provider %s lists its models in an unknown format",
			    l->provider);
	for (size_t i = 0; i < json_object_array_length(data) && i < MAX_MODELS; i++)
		if (add_model(l, root, json_object_array_get_idx(data, i), list))
			return out_of_memory(err);
	*ret = STEAL(list);
	return MT_OK;
}
