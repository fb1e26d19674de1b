/* SPDX-License-Identifier: MIT
 *
 * http-exchange.c - sends an HTTP request of a plugin to a host that the plugin declares or
 * its configuration names, with the proxy and the certificates of the host. */
#include "llm/transport/http-exchange.h"
#include "llm/llm.h"

#include "options.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
	URL_LEN_MAX = 8 << 10,
	HEADERS_LEN_MAX = 64 << 10, /* of a request */
	HEADERS_COUNT_MAX = 64,
	HTTP_TIMEOUT_MS = 60 * 1000,
	HTTP_TIMEOUT_MAX_MS = 600 * 1000,
};

struct http_exchange {
	http_answered_fn *answered;
	void *arg;
	struct http_call *http;
	int status;
	json_object *params;     /* owns the request body */
	json_object *headers;    /* of the response */
	size_t max;
	struct strbuf body;      /* of the response */
};

static void exchange_free(struct http_exchange *x)
{
	json_object_put(x->params);
	json_object_put(x->headers);
	strbuf_clear(&x->body);
	free(x);
}

void http_exchange_cancel(struct http_exchange *x)
{
	http_cancel(x->http);
	exchange_free(x);
}

/* ---- allowed hosts --------------------------------------------------------- */

/* Find the host name in a URL. Rejects URLs that parsers interpret differently: with a
 * user, escapes or a bracketed address. */
static bool host_of(const char *url, const char **ret, size_t *ret_len)
{
	static const char *const schemes[] = { "https://", "http://" };
	size_t scheme = 0, len, port;

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
		if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0)
			scheme = strlen(schemes[i]);
	for (const char *p = url; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == '\\' || *p == 0x7f)
			return false;
	url += scheme;
	len = strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			  "0123456789-.");
	port = url[len] == ':' ? 1 + strspn(url + len + 1, "0123456789") : 0;
	*ret = url;
	*ret_len = len;
	return scheme && len && (!url[len + port] || strchr("/?#", url[len + port]));
}

/* The pattern is a host name, or "*." and a suffix. */
static bool http_exchange_matches(const char *pattern, size_t len, const char *host,
				  size_t host_len)
{
	if (len > 2 && strncmp(pattern, "*.", 2) == 0 && host_len >= len) {
		pattern++;
		host += host_len - --len;
		host_len = len;
	}
	return len == host_len && strncasecmp(pattern, host, len) == 0;
}

static bool declares(const struct component *component, const char *host, size_t len)
{
	size_t count = component->permissions
			       ? json_object_array_length(component->permissions)
			       : 0;

	for (size_t i = 0; i < count; i++) {
		json_object *one = json_object_array_get_idx(component->permissions, i);
		const char *what = js_str(one, "what", "");

		if (strcmp(js_str(one, "kind", ""), "host") == 0 &&
		    http_exchange_matches(what, strlen(what), host, len))
			return true;
	}
	return false;
}

static bool http_exchange_is_allowed(const struct http_sender *sender, const char *host,
				     size_t host_len)
{
	const char *list = NULL, *item;
	size_t len;

	if (config_has(sender->config, sender->section))
		list = config_get(sender->config, sender->section, "http_hosts");
	if (!list)
		return declares(sender->component, host, host_len);
	while (option_list_next(&list, &item, &len))
		if (http_exchange_matches(item, len, host, host_len))
			return true;
	return false;
}

static int http_exchange_check_url(const struct http_sender *sender, const char *url,
				   struct error *err)
{
	const char *host;
	size_t len;

	if (strlen(url) > URL_LEN_MAX || !host_of(url, &host, &len))
		return fail(err, MT_EINVAL,
			    "`url` is not an http or https URL with the name of a host");
	if (!http_exchange_is_allowed(sender, host, len))
		return fail(err, MT_EDENIED,
			    "%s may not connect to %.*s: its plugin does not declare "
			    "this host; `http_hosts` in [%s] allows it",
			    sender->noun, (int)(len < 200 ? len : 200), host,
			    sender->section);
	return MT_OK;
}

/* ---- the request ------------------------------------------------------------- */

static bool is_header(const char *name, const char *value)
{
	size_t len = strlen(name);

	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_", *p))
			return false;
	return len && len < 128 && !strpbrk(value, "\r\n");
}

/* True for headers that only Mortise sets, because the request and its connection depend
 * on them. Servers that pass headers as environment variables treat `_` as `-`. */
static bool http_exchange_is_reserved(const char *name)
{
	static const char *const names[] = {
		"connection", "content-length", "expect", "host", "keep-alive",
		"proxy-authorization", "proxy-connection", "te", "trailer",
		"transfer-encoding", "upgrade",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *a = name, *b = names[i];

		while (*b &&
		       (tolower((unsigned char)*a) == *b || (*a == '_' && *b == '-')))
			a++, b++;
		if (!*a && !*b)
			return true;
	}
	return false;
}

/* Append "Name: value" and a NUL for each header. */
static int http_exchange_put_headers(json_object *headers, struct strbuf *out,
				     const char **list, size_t *ret_count,
				     struct error *err)
{
	size_t offsets[HEADERS_COUNT_MAX], count = 0;

	if (headers && !json_object_is_type(headers, json_type_object))
		return fail(err, MT_EINVAL, "`headers` is not an object");
	if (headers) {
		json_object_object_foreach(headers, name, value) {
			const char *text = json_object_is_type(value, json_type_string)
						   ? json_object_get_string(value)
						   : "\n";

			if (count == HEADERS_COUNT_MAX || !is_header(name, text))
				return fail(err, MT_EINVAL,
					    "invalid header `%.80s`: at most %d, each a "
					    "name and a text of one line",
					    name, HEADERS_COUNT_MAX);
			if (http_exchange_is_reserved(name))
				return fail(err, MT_EINVAL,
					    "a plugin cannot set the header `%s`", name);
			offsets[count++] = out->len;
			strbuf_addf(out, "%s: %s", name, text);
			strbuf_addc(out, '\0');
		}
	}
	for (size_t i = 0; !out->error && i < count; i++)
		list[i] = out->text + offsets[i];
	*ret_count = count;
	return out->error ? fail(err, out->error, "the headers are too long") : MT_OK;
}

static int check_method(const char *method, bool body, struct error *err)
{
	static const char *const names[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], method) == 0 && (i > 0 || !body))
			return MT_OK;
	return fail(err, MT_EINVAL,
		    "`method` is GET without a body, POST, PUT, PATCH or DELETE");
}

static int64_t http_exchange_timeout_of(json_object *params)
{
	int64_t ms = js_int(params, "timeout_ms", HTTP_TIMEOUT_MS);

	return ms < 1 || ms > HTTP_TIMEOUT_MAX_MS ? HTTP_TIMEOUT_MAX_MS : ms;
}

/* ---- the response ------------------------------------------------------------ */

static void http_exchange_on_header(void *arg, int status, const char *name,
				    const char *value)
{
	struct http_exchange *x = arg;
	char lower[128];
	size_t len = strlen(name);

	if (len == 0) { /* the next response starts */
		x->status = status;
		json_object_put(x->headers);
		x->headers = json_object_new_object();
		strbuf_reset(&x->body);
		return;
	}
	if (len >= sizeof lower || !utf8_valid(value, strlen(value)))
		return;
	for (size_t i = 0; i <= len; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	if (utf8_valid(lower, len))
		js_set_str(x->headers, lower, value);
}

static int http_exchange_on_body(void *arg, const char *bytes, size_t len)
{
	struct http_exchange *x = arg;

	return strbuf_addn(&x->body, bytes, len) ? HTTP_STOP : HTTP_MORE;
}

static int failure(const struct http_exchange *x, enum http_outcome outcome,
		   const char *why, struct error *err)
{
	switch (outcome) {
	case HTTP_DONE:
		return MT_OK;
	case HTTP_TIMEOUT:
		return fail(err, MT_ETIMEOUT, "the server did not respond in time");
	case HTTP_STOPPED:
		return x->body.error == MT_ENOMEM
			       ? out_of_memory(err)
			       : fail(err, MT_ELIMIT,
				      "the response is larger than %zu bytes", x->max);
	case HTTP_TOO_LONG:
		return fail(err, MT_ELIMIT,
			    "the headers of the response are larger than %d bytes",
			    HTTP_HEADERS_MAX);
	case HTTP_NETWORK:
	case HTTP_TLS:
	case HTTP_REFUSED:
		break;
	}
	return fail(err, MT_EIO, "cannot send the request: %s", why ? why : "");
}

static void http_exchange_on_done(void *arg, enum http_outcome outcome, const char *why)
{
	struct http_exchange *x = arg;
	const struct http_answer answer = { .status = x->status, .headers = x->headers,
					    .body = { x->body.text, x->body.len } };
	struct error err = ERROR_NONE;

	failure(x, outcome, why, &err);
	x->answered(x->arg, err.code ? NULL : &answer, &err);
	exchange_free(x);
}

/* ---- sending ----------------------------------------------------------------- */

static json_object *http_exchange_body_of(json_object *params)
{
	json_object *body = js_get(params, "body");

	return json_object_is_type(body, json_type_string) ? body : NULL;
}

static const char *method_of(json_object *params)
{
	return js_str(params, "method", http_exchange_body_of(params) ? "POST" : "GET");
}

static int http_exchange_put_request(const struct http_sender *sender,
				     json_object *params, struct strbuf *lines,
				     struct http_request *ret, struct error *err)
{
	json_object *body = http_exchange_body_of(params);

	ret->url = js_str(params, "url", "");
	ret->method = method_of(params);
	ret->body = body ? json_object_get_string(body) : NULL;
	ret->body_len = body ? (size_t)json_object_get_string_len(body) : 0;
	if (ret->body_len > HTTP_BODY_MAX)
		return fail(err, MT_ELIMIT, "`body` has more than %d bytes",
			    HTTP_BODY_MAX);
	if (http_exchange_check_url(sender, ret->url, err) ||
	    check_method(ret->method, body, err))
		return err->code;
	return http_exchange_put_headers(js_get(params, "headers"), lines,
					 (const char **)ret->headers, &ret->header_count,
					 err);
}

int http_exchange_check(const struct http_sender *sender, json_object *params,
			struct error *err)
{
	AUTO(strbuf) struct strbuf lines = STRBUF(HEADERS_LEN_MAX);
	const char *headers[HEADERS_COUNT_MAX];
	struct http_request r = { .headers = headers };

	return http_exchange_put_request(sender, params, &lines, &r, err);
}

static int http_exchange_send_it(struct llm_pool **pool, const struct http_sender *sender,
				 struct http_exchange *x, struct error *err)
{
	static const struct http_events events = {
		.header = http_exchange_on_header, .body = http_exchange_on_body,
						   .done = http_exchange_on_done };
	AUTO(strbuf) struct strbuf lines = STRBUF(HEADERS_LEN_MAX);
	const char *headers[HEADERS_COUNT_MAX];
	struct http_request r = {
		.headers = headers,
		.timeout_ms = http_exchange_timeout_of(x->params),
		.ca_path = config_get(sender->config, "llm", "ca_path"),
		.proxy = config_get(sender->config, "llm", "proxy"),
	};

	if (http_exchange_put_request(sender, x->params, &lines, &r, err))
		return err->code;
	if (!*pool)
		*pool = llm_pool_new(sender->loop, err);
	if (!*pool)
		return err->code;
	return http_start(*pool, &r, &events, x, &x->http, err);
}

int http_exchange_start(struct llm_pool **pool, const struct http_sender *sender,
			json_object *params, size_t max, http_answered_fn *answered,
			void *arg, struct http_exchange **ret, struct error *err)
{
	struct http_exchange *x = calloc(1, sizeof *x);
	int r;

	if (!x)
		return out_of_memory(err);
	*x = (struct http_exchange){ .answered = answered, .arg = arg, .max = max,
				     .params = json_object_get(params),
				     .body = STRBUF(max + 1) };
	r = http_exchange_send_it(pool, sender, x, err);
	if (r)
		exchange_free(x);
	else
		*ret = x;
	return r;
}
