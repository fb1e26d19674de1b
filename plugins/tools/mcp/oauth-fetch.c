/* SPDX-License-Identifier: MIT
 *
 * oauth-fetch.c - small HTTP requests of a login, and the checks of their URLs. */
#include "oauth.h"
#include <config.h>
#include <curl/curl.h>
#include <string.h>

enum { FETCH_MS = 20000 };

static const char ca_dir[] = "/etc/ssl/certs";

static size_t oauth_fetch_on_body(char *bytes, size_t size, size_t n, void *arg)
{
	return strbuf_addn(arg, bytes, size * n) ? 0 : size * n;
}

static int oauth_fetch_add_line(struct curl_slist **list, const char *name,
				const char *value)
{
	AUTO(strbuf) struct strbuf line = STRBUF(OAUTH_URL_MAX);
	struct curl_slist *longer;

	if (strbuf_addf(&line, "%s: %s", name, value) || strpbrk(line.text, "\r\n"))
		return MT_EINVAL;
	longer = curl_slist_append(*list, line.text);
	if (!longer)
		return MT_ENOMEM;
	*list = longer;
	return MT_OK;
}

static int oauth_fetch_perform(const struct oauth *o, CURL *easy, const char *url,
			       const char *body, struct strbuf *answer, struct error *err)
{
	CURLcode code;

	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)FETCH_MS);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "mortise/" PACKAGE_VERSION);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, oauth_fetch_on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer);
	if (o->ca_path || access(ca_dir, R_OK) == 0) {
		curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
		curl_easy_setopt(easy, CURLOPT_CAPATH, o->ca_path ? o->ca_path : ca_dir);
	}
	if (body)
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
	code = curl_easy_perform(easy);
	if (code == CURLE_WRITE_ERROR)
		return fail(err, MT_ELIMIT, "%.200s: the response is larger than %d KiB",
			    url, OAUTH_DOC_MAX >> 10);
	return code ? fail(err, MT_EIO, "%.200s: %s", url, curl_easy_strerror(code))
		    : MT_OK;
}

int oauth_fetch(const struct oauth *o, const char *url, const char *type,
		const char *body, const char *authorization, long *ret_status,
		json_object **ret, struct error *err)
{
	AUTO(strbuf) struct strbuf answer = STRBUF(OAUTH_DOC_MAX);
	struct curl_slist *headers = NULL;
	CURL *easy = curl_easy_init();
	int status = easy ? oauth_fetch_add_line(&headers, "Accept", "application/json")
			  : MT_ENOMEM;

	*ret = NULL;
	*ret_status = 0;
	if (!status && type)
		status = oauth_fetch_add_line(&headers, "Content-Type", type);
	if (!status && authorization)
		status = oauth_fetch_add_line(&headers, "Authorization", authorization);
	if (!status) {
		curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
		status = oauth_fetch_perform(o, easy, url, body, &answer, err);
		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, ret_status);
	} else {
		fail(err, status, "cannot send a request to %.200s", url);
	}
	if (!status)
		*ret = js_parse_object(answer.text, answer.len, NULL);
	if (answer.len)
		explicit_bzero(answer.text, answer.len);
	curl_slist_free_all(headers);
	if (easy)
		curl_easy_cleanup(easy);
	return status;
}

/* ---- URLs ---------------------------------------------------------------------- */

static char *url_part(CURLU *u, CURLUPart part)
{
	char *text = NULL;

	return curl_url_get(u, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static CURLU *url_read(const char *url)
{
	CURLU *u = curl_url();

	if (u && curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK) {
		curl_url_cleanup(u);
		u = NULL;
	}
	return u;
}

bool oauth_url_is_safe(const struct oauth *o, const char *url)
{
	CURLU *u = url_read(url);
	char *scheme = u ? url_part(u, CURLUPART_SCHEME) : NULL;
	char *host = u ? url_part(u, CURLUPART_HOST) : NULL;
	bool here = host && (strcmp(host, "localhost") == 0 ||
			     strcmp(host, "[::1]") == 0 || strncmp(host, "127.", 4) == 0);
	bool safe = scheme && host &&
		    (strcmp(scheme, "https") == 0 ||
		     (strcmp(scheme, "http") == 0 &&
		      (here || strncmp(o->server, "http:", 5) == 0)));

	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(u);
	return safe;
}

char *oauth_url_origin(const char *url)
{
	CURLU *u = url_read(url);
	char *scheme = u ? url_part(u, CURLUPART_SCHEME) : NULL;
	char *host = u ? url_part(u, CURLUPART_HOST) : NULL;
	char *port = u ? url_part(u, CURLUPART_PORT) : NULL;
	AUTO(strbuf) struct strbuf b = STRBUF(OAUTH_URL_MAX);

	if (scheme && host)
		strbuf_addf(&b, "%s://%s%s%s", scheme, host, port ? ":" : "",
			    port ? port : "");
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(u);
	return b.len ? strbuf_take(&b) : NULL;
}

char *oauth_url_path(const char *url)
{
	CURLU *u = url_read(url);
	char *path = u ? url_part(u, CURLUPART_PATH) : NULL;
	size_t len = path ? strlen(path) : 0;
	char *copy;

	while (len && path[len - 1] == '/')
		len--;
	copy = strndup(path ? path : "", len);
	curl_free(path);
	curl_url_cleanup(u);
	return copy;
}

int oauth_form_add(struct strbuf *b, const char *name, const char *value)
{
	char *escaped = curl_easy_escape(NULL, value, (int)strlen(value));
	bool first = b->len == 0 || b->text[b->len - 1] == '?';
	int status = escaped ? strbuf_addf(b, "%s%s=%s", first ? "" : "&", name, escaped)
			     : MT_ENOMEM;

	curl_free(escaped);
	return status;
}
