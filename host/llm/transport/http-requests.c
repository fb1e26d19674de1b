/* SPDX-License-Identifier: MIT
 *
 * http-requests.c - sends the HTTP requests of tools (http/send) to hosts that their
 * plugin declares or their configuration names, with the proxy and the certificates of
 * the host. */
#include "llm/transport/http-requests.h"

#include "base64.h"
#include "options.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
	EXCHANGES_OPEN = 8,       /* of one call at once */
	EXCHANGES_MAX = 256,      /* of one call */
	URL_LEN_MAX = 8 << 10,
	HEADERS_LEN_MAX = 64 << 10, /* of a request */
	HEADERS_COUNT_MAX = 64,
	HTTP_BODY_MAX = 2 << 20,  /* of a request, and of a response */
	HTTP_TIMEOUT_MS = 60 * 1000,
	HTTP_TIMEOUT_MAX_MS = 600 * 1000,
};

struct http_exchange {
	struct http_exchange *next;
	struct http_requests *requests;
	struct http_call *http;
	struct runner *runner;   /* which gets the response */
	uint64_t id;             /* of the runner's request */
	int status;
	json_object *params;     /* has the body that is sent */
	json_object *headers;    /* of the response */
	struct strbuf body;      /* of the response */
};

static void refuse(struct runner *runner, uint64_t id, const struct error *err)
{
	runner_answer(runner, id, err->code, err->text, strlen(err->text));
}

static void over(struct http_exchange *x)
{
	struct http_exchange **p = &x->requests->open;

	while (*p != x)
		p = &(*p)->next;
	*p = x->next;
	x->requests->open_count--;
	json_object_put(x->params);
	json_object_put(x->headers);
	strbuf_clear(&x->body);
	free(x);
}

void http_requests_cancel(struct http_requests *r)
{
	r->count = 0;
	while (r->open) {
		if (r->open->http)
			http_cancel(r->open->http);
		over(r->open);
	}
}

void http_requests_clear(struct http_requests *r)
{
	http_requests_cancel(r);
	r->pool = llm_pool_free(r->pool);
}

/* ---- which hosts ----------------------------------------------------------- */

/* The name of the host in a URL. Only URLs that every parser reads alike: no user, no
 * escapes and no numbers in brackets. */
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

/* A name, or "*." and what the name ends with. */
static bool matches(const char *pattern, size_t len, const char *host, size_t host_len)
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
		    matches(what, strlen(what), host, len))
			return true;
	}
	return false;
}

static bool is_allowed(const struct http_caller *caller, const char *host,
		       size_t host_len)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const char *list = NULL, *item;
	size_t len;

	if (strbuf_addf(&section, "tool.%s", caller->instance->name))
		return false;
	if (config_has(caller->config, section.text))
		list = config_get(caller->config, section.text, "http_hosts");
	if (!list)
		return declares(caller->instance->component, host, host_len);
	while (list_next(&list, &item, &len))
		if (matches(item, len, host, host_len))
			return true;
	return false;
}

static int check_url(const struct http_caller *caller, const char *url, struct error *err)
{
	const char *host;
	size_t len;

	if (strlen(url) > URL_LEN_MAX || !host_of(url, &host, &len))
		return fail(err, MT_EINVAL,
			    "`url` is not an http or https URL with the name of a host");
	if (!is_allowed(caller, host, len))
		return fail(
			err, MT_EDENIED,
			"the tool may not connect to %.*s: its plugin does not declare "
			"this host; `http_hosts` in [tool.%s] allows it",
			(int)(len < 200 ? len : 200), host, caller->instance->name);
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

/* Headers on which the request and its connection depend: Mortise sets them. Servers that
 * pass headers as environment variables read `_` as `-`. */
static bool is_reserved(const char *name)
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

/* "Name: value" for each, in one text with a NUL after each. */
static int put_headers(json_object *headers, struct strbuf *out, const char **list,
		       size_t *ret_count, struct error *err)
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
			if (is_reserved(name))
				return fail(err, MT_EINVAL,
					    "a tool cannot set the header `%s`", name);
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

static int64_t timeout_of(json_object *params)
{
	int64_t ms = js_int(params, "timeout_ms", HTTP_TIMEOUT_MS);

	return ms < 1 || ms > HTTP_TIMEOUT_MAX_MS ? HTTP_TIMEOUT_MAX_MS : ms;
}

/* ---- the response ------------------------------------------------------------ */

static void on_header(void *arg, int status, const char *name, const char *value)
{
	struct http_exchange *x = arg;
	char lower[128];
	size_t len = strlen(name);

	if (len == 0) { /* the next response begins */
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

static int on_body(void *arg, const char *bytes, size_t len)
{
	struct http_exchange *x = arg;

	return strbuf_addn(&x->body, bytes, len) ? HTTP_STOP : HTTP_MORE;
}

static int put_response(const struct http_exchange *x, struct strbuf *out)
{
	strbuf_addc(out, '{');
	js_key_int(out, "status", x->status);
	js_key(out, "headers");
	js_put(out, x->headers);
	if (utf8_valid(x->body.text, x->body.len)) {
		js_key_strn(out, "body", x->body.text, x->body.len);
	} else {
		js_key(out, "base64");
		strbuf_addc(out, '"');
		base64_put(out, x->body.text, x->body.len);
		strbuf_addc(out, '"');
	}
	return strbuf_addc(out, '}');
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
				      "the response is larger than %d bytes",
				      HTTP_BODY_MAX);
	case HTTP_NETWORK:
	case HTTP_TLS:
	case HTTP_REFUSED:
		break;
	}
	return fail(err, MT_EIO, "cannot send the request: %s", why ? why : "");
}

static void on_done(void *arg, enum http_outcome outcome, const char *why)
{
	AUTO(strbuf) struct strbuf text = STRBUF(14 << 20);
	struct error err = ERROR_NONE;
	struct http_exchange *x = arg;

	x->http = NULL;
	if (!failure(x, outcome, why, &err) && put_response(x, &text))
		out_of_memory(&err);
	if (err.code)
		refuse(x->runner, x->id, &err);
	else
		runner_answer(x->runner, x->id, MT_OK, text.text, text.len);
	over(x);
}

/* ---- from the tool to the network -------------------------------------------- */

static int send_it(const struct http_caller *caller, struct http_exchange *x,
		   struct error *err)
{
	static const struct http_events events = { .header = on_header, .body = on_body,
						   .done = on_done };
	json_object *body = js_get(x->params, "body");
	bool has_body = json_object_is_type(body, json_type_string);
	AUTO(strbuf) struct strbuf lines = STRBUF(HEADERS_LEN_MAX);
	const char *headers[HEADERS_COUNT_MAX];
	struct llm_pool **pool = &x->requests->pool;
	struct http_request r = {
		.url = js_str(x->params, "url", ""),
		.method = js_str(x->params, "method", has_body ? "POST" : "GET"),
		.headers = headers,
		.body = has_body ? json_object_get_string(body) : NULL,
		.body_len = has_body ? (size_t)json_object_get_string_len(body) : 0,
		.timeout_ms = timeout_of(x->params),
		.ca_path = config_get(caller->config, "llm", "ca_path"),
		.proxy = config_get(caller->config, "llm", "proxy"),
	};

	if (r.body_len > HTTP_BODY_MAX)
		return fail(err, MT_ELIMIT, "`body` has more than %d bytes",
			    HTTP_BODY_MAX);
	if (check_url(caller, r.url, err) || check_method(r.method, has_body, err) ||
	    put_headers(js_get(x->params, "headers"), &lines, headers, &r.header_count,
			err))
		return err->code;
	if (!*pool)
		*pool = llm_pool_new(caller->loop, err);
	if (!*pool)
		return err->code;
	return http_start(*pool, &r, &events, x, &x->http, err);
}

static int check_count(const struct http_requests *r, struct error *err)
{
	if (r->open_count >= EXCHANGES_OPEN)
		return fail(err, MT_ELIMIT,
			    "a call can have at most %d pending HTTP requests",
			    EXCHANGES_OPEN);
	if (r->count >= EXCHANGES_MAX)
		return fail(err, MT_ELIMIT, "a call can send at most %d HTTP requests",
			    EXCHANGES_MAX);
	return MT_OK;
}

void http_requests_send(struct http_requests *r, const struct http_caller *caller,
			uint64_t request, json_object *params)
{
	struct error err = ERROR_NONE;
	struct http_exchange *x = check_count(r, &err) ? NULL : calloc(1, sizeof *x);

	if (!x) {
		if (!err.code)
			out_of_memory(&err);
		refuse(caller->runner, request, &err);
		return;
	}
	*x = (struct http_exchange){ .next = r->open, .requests = r,
				     .runner = caller->runner, .id = request,
				     .params = json_object_get(params),
				     .body = STRBUF(HTTP_BODY_MAX + 1) };
	r->open = x;
	r->open_count++;
	r->count++;
	if (send_it(caller, x, &err)) {
		refuse(caller->runner, request, &err);
		over(x);
	}
}
