/* SPDX-License-Identifier: MIT
 *
 * pool.c - runs libcurl's multi handle on the loop: sockets are watched with
 * uv_poll, its timer is one uv_timer, and an idle pool causes no wake-ups.
 *
 * libcurl forbids most of its functions inside its own callbacks (`inside`): a
 * call that is cancelled there is only marked, and freed later. */
#include "llm/transport/curl-api.h"
#include "llm/llm-internal.h"
#include "llm/transport/http.h"
#include <dirent.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
	CONNECT_MS = 30000,
	KEPT_CONNECTIONS = 8,
	MAX_HEADER = 1024, /* maximum length of a value that is passed on */
	LINGER_MS = 2000,  /* time for a server to end a response that is complete */
	MAX_LINGER = 65536, /* bytes that may follow such a response */
};

struct socket_watch {
	uv_poll_t poll;
	struct llm_pool *pool;
	curl_socket_t fd;
};

struct http_call {
	struct llm_pool *pool;
	struct http_call *next, **prev;
	CURL *easy;
	struct curl_slist *headers;
	struct http_events events;
	void *arg;
	int status;
	bool dead;    /* cancelled; no further events */
	bool stopped; /* by on_body */
	bool enough;  /* the response is complete; `done` is due */
	bool left;    /* `done` was called: only the connection is still in use */
	size_t header_len;
	size_t body_len, surplus;
	uint64_t linger; /* until this loop time */
	char *bundle; /* certificates to try if those of the directory are not sufficient */
	char why[CURL_ERROR_SIZE];
};

struct llm_pool {
	uv_loop_t *loop;
	uv_timer_t timer, linger;
	const struct curl_api *curl; /* NULL until a call needs it */
	CURLM *multi;
	struct http_call *calls;
	struct llm_exchange *exchanges;
	const char *capath;          /* NULL: not determined yet; "": no such directory */
	unsigned refs;
	bool inside, closing, closed;
};

/* ---- libcurl's callbacks ------------------------------------------------ */

static void pool_act(struct llm_pool *p, curl_socket_t fd, int flags);

static void free_watch(uv_handle_t *h)
{
	free(h->data);
}

static void pool_on_poll(uv_poll_t *poll, int status, int events)
{
	struct socket_watch *w = poll->data;
	int flags = 0;

	if (status < 0)
		flags = CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		flags |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		flags |= CURL_CSELECT_OUT;
	pool_act(w->pool, w->fd, flags);
}

static struct socket_watch *watch_new(struct llm_pool *p, curl_socket_t fd)
{
	struct socket_watch *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->pool = p;
	w->fd = fd;
	if (uv_poll_init_socket(p->loop, &w->poll, fd)) {
		free(w);
		return NULL;
	}
	w->poll.data = w;
	return w;
}

static int curl_on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *data)
{
	struct llm_pool *p = arg;
	struct socket_watch *w = data;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (w) {
			if (!p->closed)
				p->curl->multi_assign(p->multi, fd, NULL);
			uv_poll_stop(&w->poll);
			uv_close((uv_handle_t *)&w->poll, free_watch);
		}
		return 0;
	}
	if (!w) {
		w = watch_new(p, fd);
		if (!w)
			return -1;
		p->curl->multi_assign(p->multi, fd, w);
	}
	if (what & CURL_POLL_IN)
		events |= UV_READABLE;
	if (what & CURL_POLL_OUT)
		events |= UV_WRITABLE;
	return uv_poll_start(&w->poll, events, pool_on_poll) ? -1 : 0;
}

static void pool_on_timer(uv_timer_t *timer)
{
	pool_act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static int curl_on_timeout(CURLM *multi, long ms, void *arg)
{
	struct llm_pool *p = arg;

	(void)multi;
	if (p->closing)
		return 0;
	if (ms < 0)
		uv_timer_stop(&p->timer);
	else
		uv_timer_start(&p->timer, pool_on_timer, (uint64_t)ms, 0);
	return 0;
}

static size_t curl_on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;
	size_t len = size * n;

	if (c->dead)
		return 0;
	if (c->enough || c->left) {
		c->surplus += len;
		return c->surplus > MAX_LINGER ? 0 : len;
	}
	switch (c->events.body(c->arg, bytes, len)) {
	case HTTP_MORE:
		break;
	case HTTP_ENOUGH:
		c->enough = true;
		break;
	default:
		c->stopped = true;
		return 0;
	}
	return c->dead ? 0 : len;
}

/* "Name: value\r\n", not NUL-terminated. */
static void header_line(struct http_call *c, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	char name[64], value[MAX_HEADER];
	size_t name_len = colon ? (size_t)(colon - line) : 0, from, end = len;

	if (!colon || name_len >= sizeof name)
		return;
	for (from = name_len + 1; from < len && strchr(" \t", line[from]); from++)
		;
	while (end > from && strchr(" \t\r\n", line[end - 1]))
		end--;
	if (end - from >= sizeof value)
		end = from + sizeof value - 1;
	memcpy(name, line, name_len);
	name[name_len] = '\0';
	memcpy(value, line + from, end - from);
	value[end - from] = '\0';
	c->events.header(c->arg, c->status, name, value);
}

static size_t curl_on_header(char *bytes, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;
	size_t len = size * n;
	long status = 0;

	c->header_len += len;
	if (c->dead || c->header_len > HTTP_HEADERS_MAX)
		return 0;
	if (len > 5 && strncasecmp(bytes, "HTTP/", 5) == 0) {
		c->pool->curl->easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
		c->status = (int)status;
		c->header_len = 0;
		c->events.header(c->arg, c->status, "", "");
	} else {
		header_line(c, bytes, len);
	}
	return c->dead ? 0 : len;
}

/* ---- one call ----------------------------------------------------------- */

static void http_call_unlink(struct http_call *c)
{
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
}

static void http_call_free(struct http_call *c)
{
	const struct curl_api *curl = c->pool->curl;

	http_call_unlink(c);
	if (c->easy) {
		curl->multi_remove_handle(c->pool->multi, c->easy);
		curl->easy_cleanup(c->easy);
	}
	curl->slist_free_all(c->headers);
	free(c->bundle);
	free(c);
}

static enum http_outcome outcome_of(const struct http_call *c, CURLcode code)
{
	if (c->enough)
		return HTTP_DONE;
	if (c->stopped)
		return HTTP_STOPPED;
	if (c->header_len > HTTP_HEADERS_MAX)
		return HTTP_TOO_LONG;
	switch ((int)code) {
	case CURLE_OK:
		return HTTP_DONE;
	case CURLE_OPERATION_TIMEDOUT:
		return HTTP_TIMEOUT;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
		return HTTP_TLS;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return HTTP_REFUSED;
	default:
		return HTTP_NETWORK;
	}
}

static void http_call_done(struct http_call *c, CURLcode code)
{
	struct http_events events = c->events;
	enum http_outcome outcome = outcome_of(c, code);
	bool dead = c->dead || c->left;
	void *arg = c->arg;
	char why[CURL_ERROR_SIZE];

	snprintf(why, sizeof why, "%s",
		 c->why[0] ? c->why : c->pool->curl->easy_strerror(code));
	http_call_free(c);
	if (!dead)
		events.done(arg, outcome, why);
}

void http_cancel(struct http_call *c)
{
	if (c->pool->inside)
		c->dead = true;
	else
		http_call_free(c);
}

/* The certificate is not in the directory: retries once with the bundle. */
static bool http_call_retry_bundle(struct http_call *c, CURLcode code)
{
	const struct curl_api *curl = c->pool->curl;
	AUTO(free) char *bundle = STEAL(c->bundle);

	if (code != CURLE_PEER_FAILED_VERIFICATION || !bundle || c->dead)
		return false;
	c->why[0] = '\0';
	curl->multi_remove_handle(c->pool->multi, c->easy);
	curl->easy_setopt(c->easy, CURLOPT_CAINFO, bundle);
	return curl->multi_add_handle(c->pool->multi, c->easy) == CURLM_OK;
}

/* ---- complete responses on a busy connection ------------------------------- */

/* libcurl reads the request body from the caller's memory. */
static bool is_sent(const struct http_call *c)
{
	curl_off_t sent = 0;

	c->pool->curl->easy_getinfo(c->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	return (uint64_t)sent >= c->body_len;
}

static void pool_on_linger(uv_timer_t *timer)
{
	struct llm_pool *p = timer->data;
	uint64_t now = uv_now(p->loop), next = 0;

	for (struct http_call *c = p->calls, *after; c; c = after) {
		after = c->next;
		if (!c->left)
			continue;
		if (c->linger <= now)
			http_call_free(c);
		else if (!next || c->linger < next)
			next = c->linger;
	}
	if (next)
		uv_timer_start(timer, pool_on_linger, next - now, 0);
}

/* Notify the caller, and let the server finish its response in the background. */
static void http_call_detach(struct http_call *c)
{
	struct llm_pool *p = c->pool;
	struct http_events events = c->events;
	void *arg = c->arg;

	c->enough = false;
	c->left = true;
	c->linger = uv_now(p->loop) + LINGER_MS;
	if (!is_sent(c))
		http_call_free(c);
	else if (!p->closing && !uv_is_active((uv_handle_t *)&p->linger))
		uv_timer_start(&p->linger, pool_on_linger, LINGER_MS, 0);
	events.done(arg, HTTP_DONE, "");
}

static void pool_leave(struct llm_pool *p)
{
	struct http_call *c = p->calls;

	while (c) {
		if (c->enough && !c->dead) {
			http_call_detach(c);
			c = p->calls; /* the callback may have changed the list */
		} else {
			c = c->next;
		}
	}
}

/* ---- driving it --------------------------------------------------------- */

static void pool_finished(struct llm_pool *p)
{
	struct CURLMsg *m;
	int left;

	while (p->multi && (m = p->curl->multi_info_read(p->multi, &left))) {
		CURLcode code = m->data.result;
		struct http_call *c = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		p->curl->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&c);
		if (!http_call_retry_bundle(c, code))
			http_call_done(c, code);
	}
}

static void pool_sweep(struct llm_pool *p)
{
	for (struct http_call *c = p->calls, *next; c; c = next) {
		next = c->next;
		if (c->dead)
			http_call_free(c);
	}
}

static void pool_close(struct llm_pool *p)
{
	p->closed = true;
	while (p->calls)
		http_call_free(p->calls);
	if (p->multi)
		p->curl->multi_cleanup(p->multi);
	p->multi = NULL;
}

static void pool_act(struct llm_pool *p, curl_socket_t fd, int flags)
{
	int running;

	if (p->closed)
		return;
	llm_pool_ref(p);
	p->inside = true;
	p->curl->multi_socket_action(p->multi, fd, flags, &running);
	p->inside = false;
	pool_finished(p);
	pool_leave(p);
	pool_sweep(p);
	if (p->closing && !p->closed)
		pool_close(p);
	llm_pool_unref(p);
}

/* True if OpenSSL finds certificates in the directory by their hashes, as in
 * /etc/ssl/certs/0a775a30.0: this lookup is fast, while reading a whole bundle takes 30
 * ms. */
static bool has_hashes(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = strlen(e->d_name) == 10 && e->d_name[8] == '.' &&
			strspn(e->d_name, "0123456789abcdef") == 8;
	if (d)
		closedir(d);
	return found;
}

static int pool_open(struct llm_pool *p, struct error *err)
{
	const struct curl_api *curl;

	if (p->closing)
		return fail(err, MT_ECANCELLED, "the program is exiting");
	if (p->multi)
		return MT_OK;
	p->curl = curl = curl_api(err);
	if (!curl)
		return MT_EUNSUPPORTED;
	p->multi = curl->multi_init();
	if (!p->multi)
		return out_of_memory(err);
	curl->multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, curl_on_socket);
	curl->multi_setopt(p->multi, CURLMOPT_SOCKETDATA, p);
	curl->multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, curl_on_timeout);
	curl->multi_setopt(p->multi, CURLMOPT_TIMERDATA, p);
	curl->multi_setopt(p->multi, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS);
	return MT_OK;
}

/* The bundle from the environment variables of curl and OpenSSL, otherwise the default of
 * libcurl. */
static const char *bundle_of(const struct llm_pool *p, CURL *h, bool *ret_by_user)
{
	const char *file = getenv("CURL_CA_BUNDLE");
	char *built_in = NULL;

	if (!file || !*file)
		file = getenv("SSL_CERT_FILE");
	*ret_by_user = file && *file;
	if (*ret_by_user)
		return file;
	p->curl->easy_getinfo(h, CURLINFO_CAINFO, &built_in);
	return built_in;
}

static void use_dir(const struct llm_pool *p, CURL *h, const char *dir)
{
	p->curl->easy_setopt(h, CURLOPT_CAINFO, NULL);
	p->curl->easy_setopt(h, CURLOPT_CAPATH, dir);
}

/* Use only this bundle, or this directory of certificates by their hashes. */
static void use_path(const struct llm_pool *p, CURL *h, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		p->curl->easy_setopt(h, CURLOPT_CAPATH, NULL);
		p->curl->easy_setopt(h, CURLOPT_CAINFO, path);
	} else {
		use_dir(p, h, path);
	}
}

/* Use the certificates of the configuration, otherwise of the environment, otherwise of
 * the system. If the bundle is in the system's directory, the directory is tried first,
 * and then the bundle. */
static void set_certificates(struct http_call *c, const char *wanted)
{
	static const char system_dir[] = "/etc/ssl/certs";
	const char *dir = getenv("SSL_CERT_DIR"), *bundle;
	struct llm_pool *p = c->pool;
	bool by_user;

	if (!p->capath)
		p->capath = has_hashes(system_dir) ? system_dir : "";
	bundle = bundle_of(p, c->easy, &by_user);
	if (!wanted && !by_user && dir && *dir)
		wanted = dir;
	if (wanted) {
		use_path(p, c->easy, wanted);
	} else if (bundle && *p->capath &&
		   strncmp(bundle, p->capath, strlen(p->capath)) == 0) {
		c->bundle = strdup(bundle);
		use_dir(p, c->easy, p->capath);
	} else if (by_user) {
		p->curl->easy_setopt(c->easy, CURLOPT_CAINFO, bundle);
	}
}

static int set_options(struct http_call *c, const struct http_request *r)
{
	const struct curl_api *curl = c->pool->curl;
	CURL *h = c->easy;
	CURLcode bad = 0;

	bad |= curl->easy_setopt(h, CURLOPT_URL, r->url);
	bad |= curl->easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
	bad |= curl->easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
	bad |= curl->easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	bad |= curl->easy_setopt(h, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	if (r->body) {
		bad |= curl->easy_setopt(h, CURLOPT_POST, 1L);
		bad |= curl->easy_setopt(h, CURLOPT_POSTFIELDS, r->body);
		bad |= curl->easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE,
					 (curl_off_t)r->body_len);
	}
	if (r->method)
		bad |= curl->easy_setopt(h, CURLOPT_CUSTOMREQUEST, r->method);
	bad |= curl->easy_setopt(h, CURLOPT_HTTPHEADER, c->headers);
	bad |= curl->easy_setopt(h, CURLOPT_WRITEFUNCTION, curl_on_body);
	bad |= curl->easy_setopt(h, CURLOPT_WRITEDATA, c);
	bad |= curl->easy_setopt(h, CURLOPT_HEADERFUNCTION, curl_on_header);
	bad |= curl->easy_setopt(h, CURLOPT_HEADERDATA, c);
	bad |= curl->easy_setopt(h, CURLOPT_ERRORBUFFER, c->why);
	bad |= curl->easy_setopt(h, CURLOPT_PRIVATE, c);
	bad |= curl->easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	bad |= curl->easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
	/* otherwise cancelling would wait for a hanging resolver */
	curl->easy_setopt(h, CURLOPT_QUICK_EXIT, 1L);
	curl->easy_setopt(h, CURLOPT_TCP_KEEPALIVE, 1L);
	curl->easy_setopt(h, CURLOPT_TCP_KEEPIDLE, 30L);
	curl->easy_setopt(h, CURLOPT_TCP_KEEPINTVL, 15L);
	if (r->proxy)
		bad |= curl->easy_setopt(h, CURLOPT_PROXY, r->proxy);
	if (strncasecmp(r->url, "https:", 6) == 0)
		set_certificates(c, r->ca_path);
	return bad ? MT_ENOMEM : MT_OK;
}

static int http_add_header(struct http_call *c, const char *line)
{
	struct curl_slist *more = c->pool->curl->slist_append(c->headers, line);

	if (!more)
		return MT_ENOMEM;
	c->headers = more;
	return MT_OK;
}

static int set_headers(struct http_call *c, const struct http_request *r)
{
	int status = http_add_header(c, "Expect:"); /* no 100-continue */

	for (size_t i = 0; i < r->header_count && !status; i++)
		status = http_add_header(c, r->headers[i]);
	return status;
}

int http_start(struct llm_pool *p, const struct http_request *r,
	       const struct http_events *events, void *arg, struct http_call **ret,
	       struct error *err)
{
	struct http_call *c;
	int status = pool_open(p, err);

	if (status)
		return status;
	c = calloc(1, sizeof *c);
	if (!c)
		return out_of_memory(err);
	*c = (struct http_call){ .pool = p, .next = p->calls, .prev = &p->calls,
				 .events = *events, .arg = arg,
				 .body_len = r->body_len };
	if (p->calls)
		p->calls->prev = &c->next;
	p->calls = c;
	c->easy = p->curl->easy_init();
	if (!c->easy || set_headers(c, r) || set_options(c, r) ||
	    p->curl->multi_add_handle(p->multi, c->easy)) {
		http_call_free(c);
		return out_of_memory(err);
	}
	*ret = c;
	return MT_OK;
}

/* ---- the pool ----------------------------------------------------------- */

uv_loop_t *llm_pool_loop(struct llm_pool *p)
{
	return p->loop;
}

struct llm_exchange **llm_pool_exchanges(struct llm_pool *p)
{
	return &p->exchanges;
}

struct llm_pool *llm_pool_ref(struct llm_pool *p)
{
	p->refs++;
	return p;
}

void llm_pool_unref(struct llm_pool *p)
{
	if (--p->refs == 0)
		free(p);
}

struct llm_pool *llm_pool_new(uv_loop_t *loop, struct error *err)
{
	struct llm_pool *p = calloc(1, sizeof *p);

	if (!p) {
		out_of_memory(err);
		return NULL;
	}
	uv_timer_init(loop, &p->timer);
	uv_timer_init(loop, &p->linger);
	uv_unref((uv_handle_t *)&p->linger);
	p->loop = loop;
	p->timer.data = p->linger.data = p;
	p->refs = 2; /* the timers */
	return p;
}

static void timer_closed(uv_handle_t *h)
{
	llm_pool_unref(h->data);
}

struct llm_pool *llm_pool_free(struct llm_pool *p)
{
	if (!p || p->closing)
		return NULL;
	while (p->exchanges)
		llm_cancel(p->exchanges);
	p->closing = true;
	if (!p->inside)
		pool_close(p);
	uv_close((uv_handle_t *)&p->timer, timer_closed);
	uv_close((uv_handle_t *)&p->linger, timer_closed);
	return NULL;
}
