/* SPDX-License-Identifier: MIT
 *
 * http-transfer.c - one exchange over HTTP, with monitoring. */
#include "http.h"
#include "clock.h"
#include <config.h>
#include <string.h>
#include <strings.h>

enum { POLL_MS = 60000 };

static const char ca_dir[] = "/etc/ssl/certs";

/* ---- received data --------------------------------------------------------- */

static int http_transfer_on_event(const char *name, const char *data, size_t len,
				  void *arg)
{
	struct transfer *t = arg;
	struct http *h = t->http;

	if (t->is_stream && strcmp(name, "endpoint") == 0) {
		pthread_mutex_lock(&h->lock);
		free(h->endpoint);
		h->endpoint = strndup(data, len);
		pthread_mutex_unlock(&h->lock);
		client_wake(t->client);
	} else if (len) {
		mcp_client_deliver(t->client, data, len);
	}
	return MT_OK;
}

static void http_transfer_begin(struct transfer *t)
{
	const char *type = NULL;

	t->begun = true;
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->status);
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
	t->is_sse = t->status < 300 && type &&
		    strncasecmp(type, "text/event-stream", 17) == 0;
}

static size_t http_transfer_on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	if (!t->begun)
		http_transfer_begin(t);
	n *= size;
	if (t->is_sse)
		return sse_feed(&t->sse, bytes, n) ? 0 : n;
	return strbuf_addn(&t->body, bytes, n) ? 0 : n;
}

static void keep_header(char **to, const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (len <= n || strncasecmp(line, name, n) != 0)
		return;
	for (line += n, len -= n; len && (*line == ' ' || *line == '\t'); line++)
		len--;
	while (len && strchr("\r\n \t", line[len - 1]))
		len--;
	if (len > 4096)
		return;
	free(*to);
	*to = strndup(line, len);
}

static size_t http_transfer_on_header(char *line, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	keep_header(&t->session, line, size * n, "Mcp-Session-Id:");
	keep_header(&t->challenge, line, size * n, "WWW-Authenticate:");
	if (size * n <= 2 && t->listens)
		listener_heard(t->http);
	return size * n;
}

/* ---- lanes: persistent connections --------------------------------------------- */

static CURLM *take_lane(struct http *h)
{
	CURLM *lane = NULL;

	pthread_mutex_lock(&h->lock);
	if (h->lane_count)
		lane = h->lanes[--h->lane_count];
	pthread_mutex_unlock(&h->lock);
	return lane ? lane : curl_multi_init();
}

static void give_lane(struct http *h, CURLM *lane)
{
	bool kept = false;

	pthread_mutex_lock(&h->lock);
	if (h->lane_count < LANES_MAX) {
		h->lanes[h->lane_count++] = lane;
		kept = true;
	}
	pthread_mutex_unlock(&h->lock);
	if (!kept)
		curl_multi_cleanup(lane);
}

/* ---- open, run, close ------------------------------------------------------------ */

int transfer_header(struct transfer *t, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf line = STRBUF(128 << 10);
	struct curl_slist *longer;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	/* libcurl's syntax for a header without a value */
	if (line.len > 2 && strcmp(line.text + line.len - 2, ": ") == 0) {
		strbuf_cut(&line, line.len - 2);
		strbuf_addc(&line, ';');
	}
	longer = line.error || strpbrk(line.text, "\r\n")
			 ? NULL
			 : curl_slist_append(t->headers, line.text);
	if (!longer)
		return line.error ? line.error : MT_EINVAL;
	t->headers = longer;
	return MT_OK;
}

static int own_headers(struct transfer *t)
{
	struct client *c = t->client;
	struct http *h = t->http;
	int status = MT_OK;

	for (char *const *line = c->config.headers; line && *line && !status; line++)
		status = transfer_header(t, "%s", *line);
	pthread_mutex_lock(&h->lock);
	if (!status && h->token)
		status = transfer_header(t, "Authorization: Bearer %s", h->token);
	if (!status && h->session)
		status = transfer_header(t, "Mcp-Session-Id: %s", h->session);
	pthread_mutex_unlock(&h->lock);
	if (!status && *c->protocol)
		status = transfer_header(t, "MCP-Protocol-Version: %s", c->protocol);
	return status;
}

int transfer_open(struct transfer *t, struct http *h, const char *url, struct error *err)
{
	struct client *c = h->client;

	*t = (struct transfer){ .http = h, .client = c, .easy = curl_easy_init(),
				.multi = take_lane(h), .body = STRBUF(MCP_MESSAGE_MAX) };
	sse_init(&t->sse, MCP_MESSAGE_MAX, http_transfer_on_event, t);
	if (!t->easy || !t->multi || own_headers(t))
		return out_of_memory(err);
	curl_easy_setopt(t->easy, CURLOPT_URL, url);
	curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)c->config.connect_ms);
	curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "mortise/" PACKAGE_VERSION);
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, http_transfer_on_body);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, http_transfer_on_header);
	curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
	if (c->config.ca_path || access(ca_dir, R_OK) == 0) {
		curl_easy_setopt(t->easy, CURLOPT_CAINFO, NULL);
		curl_easy_setopt(t->easy, CURLOPT_CAPATH,
				 c->config.ca_path ? c->config.ca_path : ca_dir);
	}
	return MT_OK;
}

/* @return 1 while the transfer runs. */
static int ended(struct transfer *t, struct error *err)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(t->multi, &left))) {
		if (m->msg != CURLMSG_DONE)
			continue;
		if (!t->begun)
			http_transfer_begin(t);
		if (m->data.result == CURLE_OK ||
		    (t->is_sse && m->data.result != CURLE_WRITE_ERROR))
			return MT_OK; /* the waiting call detects an interrupted stream */
		if (m->data.result == CURLE_WRITE_ERROR)
			return fail(err, MT_ELIMIT,
				    "the server sent a message of more than "
				    "%d MiB",
				    MCP_MESSAGE_MAX >> 20);
		return fail(err, MT_EIO, "cannot reach the server: %s",
			    curl_easy_strerror(m->data.result));
	}
	return 1;
}

static void sleep_in(struct transfer *t, int64_t until)
{
	int64_t left = until - clock_ms();

	curl_multi_poll(t->multi, NULL, 0,
			left < 0         ? 0
			: left < POLL_MS ? (int)left
					 : POLL_MS,
			NULL);
}

int transfer_run(struct transfer *t,
		 int (*look)(struct transfer *t, int64_t *ret_until, struct error *err),
		 struct error *err)
{
	int running, status = 1;

	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	if (curl_multi_add_handle(t->multi, t->easy))
		return out_of_memory(err);
	while (status == 1) {
		int64_t until = clock_ms() + POLL_MS;

		curl_multi_perform(t->multi, &running);
		status = ended(t, err);
		if (status == 1 && look) {
			int seen = look(t, &until, err);

			if (seen != 1) {
				status = seen;
				break;
			}
		}
		if (status == 1)
			sleep_in(t, until);
	}
	curl_multi_remove_handle(t->multi, t->easy);
	return status;
}

void transfer_close(struct transfer *t)
{
	if (t->easy)
		curl_easy_cleanup(t->easy);
	if (t->multi)
		give_lane(t->http, t->multi);
	curl_slist_free_all(t->headers);
	strbuf_clear(&t->body);
	sse_done(&t->sse);
	free(t->session);
	free(t->challenge);
}
