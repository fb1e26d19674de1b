/* SPDX-License-Identifier: MIT
 *
 * get.c - fetches one page over HTTP. Redirects are followed here, so that each host is
 * checked; addresses are checked when connecting, to prevent DNS rebinding. */
#include "get.h"
#include "clock.h"

#include "address.h"

#include <ctype.h>
#include <curl/curl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

AUTO_DEFINE(curlu, CURLU *, curl_url_cleanup)
AUTO_DEFINE(curl, CURL *, curl_easy_cleanup)

static size_t on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct get *g = arg;
	size_t len = size * n, room = g->most - g->body.len;

	g->cut = len > room;
	if (strbuf_addn(&g->body, bytes, g->cut ? room : len))
		return 0;
	return g->cut ? 0 : len;
}

static int get_on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c,
			   curl_off_t d)
{
	struct get *g = arg;

	(void)a, (void)b, (void)c, (void)d;
	return g->cancelled && g->cancelled(g->arg);
}

static curl_socket_t on_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct get *g = arg;

	(void)purpose;
	if (!g->private_too && !g->proxy && !address_is_public(&a->addr)) {
		g->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static int fetch_get_deny(struct error *err, const char *host, const char *why)
{
	return fail(err, MT_EDENIED, "Fetching from %s is not allowed: %s", host, why);
}

/* May this URL be requested? */
static int fetch_get_check_url(const struct get *g, const char *url, struct error *err)
{
	AUTO(curlu) CURLU *u = curl_url();
	char *host = NULL, *scheme = NULL;
	int r = MT_OK;

	if (!u || strlen(url) > 8000 ||
	    curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) ||
	    curl_url_get(u, CURLUPART_SCHEME, &scheme, 0))
		r = fail(err, MT_EINVAL,
			 "%.200s is not a valid URL; write it in full, with "
			 "https://",
			 url);
	else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
		r = fail(err, MT_EINVAL, "Unsupported scheme %.20s; use http or https",
			 scheme);
	else if (curl_url_get(u, CURLUPART_HOST, &host, 0))
		r = fail(err, MT_EINVAL, "%.200s has no host", url);
	else if (!address_host_is_listed(host, g->hosts))
		r = fetch_get_deny(err, host, "it is not in the `hosts` of the tool");
	else if (!g->private_too && !address_host_is_public(host))
		r = fetch_get_deny(err, host, "it is not on the public internet");
	curl_free(host);
	curl_free(scheme);
	return r;
}

static void fetch_get_set_up(CURL *h, struct get *g, const char *url)
{
	struct stat st;
	int64_t left = g->until_ms - clock_ms();

	curl_easy_setopt(h, CURLOPT_URL, url);
	curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h, CURLOPT_PROXY, g->proxy ? g->proxy : "");
	curl_easy_setopt(h, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(h, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(h, CURLOPT_USERAGENT, g->agent ? g->agent : "mortise");
	curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)(left > 1 ? left : 1));
	curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(h, CURLOPT_WRITEDATA, g);
	curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, get_on_progress);
	curl_easy_setopt(h, CURLOPT_XFERINFODATA, g);
	curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, on_socket);
	curl_easy_setopt(h, CURLOPT_OPENSOCKETDATA, g);
	if (stat("/etc/ssl/certs", &st) == 0 && !getenv("SSL_CERT_FILE")) {
		/* a directory is read on demand; the bundle costs 30 ms */
		curl_easy_setopt(h, CURLOPT_CAINFO, NULL);
		curl_easy_setopt(h, CURLOPT_CAPATH, "/etc/ssl/certs");
	}
}

static int fetch_get_explain(const struct get *g, CURLcode code, const char *url,
			     const char *detail, struct error *err)
{
	if (g->refused)
		return fail(err, MT_EDENIED,
			    "fetching %.300s is not allowed: its address is not on the "
			    "public internet",
			    url);
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return fail(err, MT_ECANCELLED, "the call was cancelled");
	if (code == CURLE_OPERATION_TIMEDOUT)
		return fail(err, MT_ETIMEOUT, "%.300s did not respond in time", url);
	return fail(err, code == CURLE_OUT_OF_MEMORY ? MT_ENOMEM : MT_EIO,
		    "cannot fetch %.300s: %.120s", url,
		    *detail ? detail : curl_easy_strerror(code));
}

static void read_type(struct get *g, const char *type)
{
	size_t n = 0;
	const char *charset = type ? strcasestr(type, "charset=") : NULL;

	for (; type && n < sizeof g->type - 1 && type[n] && !strchr("; \t", type[n]); n++)
		g->type[n] = (char)tolower((unsigned char)type[n]);
	g->type[n] = '\0';
	n = 0;
	if (charset)
		for (charset += 8 + (charset[8] == '"');
		     n < sizeof g->charset - 1 && charset[n] &&
		     !strchr("\"; \t", charset[n]);
		     n++)
			g->charset[n] = charset[n];
	g->charset[n] = '\0';
}

/* One request. @return MT_OK; *ret_next is the redirect URL, or NULL */
static int fetch_get_one_hop(struct get *g, const char *url, char **ret_next,
			     struct error *err)
{
	AUTO(curl) CURL *h = curl_easy_init();
	char detail[CURL_ERROR_SIZE] = "", *text = NULL;
	CURLcode code;

	*ret_next = NULL;
	if (!h)
		return out_of_memory(err);
	curl_easy_setopt(h, CURLOPT_ERRORBUFFER, detail);
	strbuf_reset(&g->body);
	g->cut = g->refused = false;
	fetch_get_set_up(h, g, url);
	code = curl_easy_perform(h);
	if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && g->cut))
		return fetch_get_explain(g, code, url, detail, err);
	curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &g->code);
	curl_easy_getinfo(h, CURLINFO_CONTENT_TYPE, &text);
	read_type(g, text);
	text = NULL;
	curl_easy_getinfo(h, CURLINFO_REDIRECT_URL, &text);
	if (text && g->code >= 300 && g->code < 400) {
		*ret_next = strdup(text);
		return *ret_next ? MT_OK : out_of_memory(err);
	}
	return MT_OK;
}

int get_page(struct get *g, struct error *err)
{
	int r = MT_OK;

	g->last = strdup(g->url);
	for (int64_t hops = 0; !r; hops++) {
		char *next = NULL;

		if (!g->last)
			return out_of_memory(err);
		r = fetch_get_check_url(g, g->last, err);
		if (!r)
			r = fetch_get_one_hop(g, g->last, &next, err);
		if (r || !next)
			break;
		if (hops == g->redirects) {
			free(next);
			return fail(err, MT_ELIMIT,
				    "%.200s redirects more than %lld times", g->url,
				    (long long)g->redirects);
		}
		free(g->last);
		g->last = next;
	}
	return r;
}

void get_clear(struct get *g)
{
	strbuf_clear(&g->body);
	free(g->last);
	g->last = NULL;
}

char *get_resolve(const char *page, const char *link)
{
	AUTO(curlu) CURLU *u = curl_url();
	char *text = NULL, *scheme = NULL, *copy = NULL;

	if (u && !curl_url_set(u, CURLUPART_URL, page, 0) &&
	    !curl_url_set(u, CURLUPART_URL, link, CURLU_URLENCODE) &&
	    !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
	    strncmp(scheme, "http", 4) == 0 && !curl_url_get(u, CURLUPART_URL, &text, 0))
		copy = strdup(text);
	curl_free(text);
	curl_free(scheme);
	return copy;
}
