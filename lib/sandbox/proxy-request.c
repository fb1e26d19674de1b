/* SPDX-License-Identifier: MIT
 *
 * proxy-request.c - parses requests to the proxy strictly and rewrites them. */
#include "sandbox/proxy-request.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum {
	HEADERS_MAX = 256,
	LENGTH_DIGITS = 18,
	CHUNK_DIGITS = 15,
};

struct slice {
	const char *text;
	size_t len;
};

struct head {
	struct slice method, target, version;
	struct slice names[HEADERS_MAX], values[HEADERS_MAX];
	size_t count;
};

static bool slice_is(struct slice s, const char *text)
{
	return s.len == strlen(text) && strncasecmp(s.text, text, s.len) == 0;
}

static bool slice_is_token(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!isascii((unsigned char)s.text[i]) ||
		    (!isalnum((unsigned char)s.text[i]) &&
		     !strchr("!#$%&'*+-.^_`|~", s.text[i])))
			return false;
	return s.len > 0 && !memchr(s.text, '\0', s.len);
}

/* No control characters, and without `spaces` no spaces. */
static bool slice_is_text(struct slice s, bool spaces)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.text[i];

		if (c == 0x7f || (c < 0x20 && !(spaces && c == '\t')) ||
		    (c == ' ' && !spaces))
			return false;
	}
	return true;
}

static struct slice slice_trim(struct slice s)
{
	while (s.len && (*s.text == ' ' || *s.text == '\t')) {
		s.text++;
		s.len--;
	}
	while (s.len && (s.text[s.len - 1] == ' ' || s.text[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* Cut off what precedes the first `c`. @return false if there is none. */
static bool slice_cut(struct slice *s, char c, struct slice *ret)
{
	const char *at = memchr(s->text, c, s->len);

	if (!at)
		return false;
	*ret = (struct slice){ s->text, (size_t)(at - s->text) };
	s->len -= ret->len + 1;
	s->text = at + 1;
	return true;
}

/* A line that ends in CR LF, without them. */
static bool head_line(struct slice *rest, struct slice *ret)
{
	if (!slice_cut(rest, '\n', ret) || !ret->len || ret->text[ret->len - 1] != '\r')
		return false;
	ret->len--;
	return true;
}

size_t proxy_head_length(const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		at++;
		if (end - at >= 1 && at[0] == '\n')
			return (size_t)(at + 1 - bytes);
		if (end - at >= 2 && at[0] == '\r' && at[1] == '\n')
			return (size_t)(at + 2 - bytes);
	}
	return 0;
}

/* ---- reading ------------------------------------------------------------------- */

static int head_read(struct slice rest, struct head *h, struct error *err)
{
	struct slice line;
	bool whole;

	if (!head_line(&rest, &line) || !slice_cut(&line, ' ', &h->method) ||
	    !slice_cut(&line, ' ', &h->target) || !slice_is_token(h->method) ||
	    !h->target.len || !slice_is_text(h->target, false) ||
	    (!slice_is(line, "HTTP/1.1") && !slice_is(line, "HTTP/1.0")))
		return fail(err, MT_EINVAL, "The request line is not valid HTTP/1.1.");
	h->version = line;
	while ((whole = head_line(&rest, &line)) && line.len) {
		struct slice name;

		if (h->count == HEADERS_MAX)
			return fail(err, MT_EINVAL,
				    "The request has more than %d header lines.",
				    HEADERS_MAX);
		if (!slice_cut(&line, ':', &name) || !slice_is_token(name) ||
		    !slice_is_text(line, true))
			return fail(err, MT_EINVAL,
				    "A header line of the request is malformed.");
		h->names[h->count] = name;
		h->values[h->count++] = slice_trim(line);
	}
	return whole && !rest.len
		       ? MT_OK
		       : fail(err, MT_EINVAL,
			      "A header line of the request does not end in CR LF.");
}

/* A header that must not be repeated. @return its number, -1: none, -2: repeated */
static int head_find(const struct head *h, const char *name)
{
	int found = -1;

	for (size_t i = 0; i < h->count; i++)
		if (slice_is(h->names[i], name)) {
			if (found >= 0)
				return -2;
			found = (int)i;
		}
	return found;
}

/* http://HOST[:PORT][/PATH][?QUERY]. `ret_path` begins with `/`, `?`, or is empty. */
static int head_target(const struct head *h, struct proxy_request *ret,
		       struct slice *ret_path, struct error *err)
{
	struct slice url = h->target;
	size_t host;

	if (ret->is_connect) {
		if (host_parse(url.text, url.len, &ret->host, &ret->port) || !ret->port)
			return fail(err, MT_EINVAL,
				    "The target of CONNECT is not a valid HOST:PORT.");
		return MT_OK;
	}
	if (url.len < 7 || strncasecmp(url.text, "http://", 7) != 0)
		return fail(err, MT_EINVAL,
			    "This is a proxy: requests need a URL with http://, or the "
			    "method CONNECT.");
	url.text += 7;
	url.len -= 7;
	for (host = 0; host < url.len && !strchr("/?#", url.text[host]); host++)
		;
	*ret_path = (struct slice){ url.text + host, url.len - host };
	if (host_parse(url.text, host, &ret->host, &ret->port) ||
	    memchr(url.text, '#', url.len))
		return fail(err, MT_EINVAL, "The URL of the request is not valid.");
	if (!ret->port)
		ret->port = HTTP_PORT;
	return MT_OK;
}

static int head_check_host(const struct head *h, const struct proxy_request *r,
			   struct error *err)
{
	int at = head_find(h, "host");
	struct host host;
	uint16_t port;

	if (at == -1 && slice_is(h->version, "HTTP/1.0"))
		return MT_OK;
	if (at < 0 || host_parse(h->values[at].text, h->values[at].len, &host, &port))
		return fail(err, MT_EINVAL, "The request needs one valid header Host.");
	if (strcmp(host.text, r->host.text) != 0 || (port ? port : HTTP_PORT) != r->port)
		return fail(err, MT_EINVAL,
			    "The header Host names %s, but the URL %s port %u.",
			    host.text, r->host.text, r->port);
	return MT_OK;
}

static int head_read_body(const struct head *h, struct proxy_body *b, struct error *err)
{
	int length = head_find(h, "content-length"),
	    coding = head_find(h, "transfer-encoding");
	struct slice digits = length >= 0 ? h->values[length] : (struct slice){ "0", 1 };

	if (length == -2 || coding == -2 || (length >= 0 && coding >= 0))
		return fail(err, MT_EINVAL,
			    "The request has more than one of Content-Length and "
			    "Transfer-Encoding.");
	if (coding >= 0 &&
	    (!slice_is(h->values[coding], "chunked") || slice_is(h->version, "HTTP/1.0")))
		return fail(err, MT_EINVAL,
			    "The Transfer-Encoding of the request is not supported.");
	for (size_t i = 0; i < digits.len; i++) {
		if (!isdigit((unsigned char)digits.text[i]))
			digits.len = 0;
		else
			b->left = b->left * 10 + (uint64_t)(digits.text[i] - '0');
		if (i >= LENGTH_DIGITS)
			digits.len = 0;
	}
	if (!digits.len)
		return fail(err, MT_EINVAL,
			    "The Content-Length of the request is not a number.");
	b->chunked = coding >= 0;
	b->done = !b->chunked && !b->left;
	return MT_OK;
}

/* ---- forwarding ---------------------------------------------------------------- */

/* The proxy writes these headers itself, or they concern one connection only. */
static bool head_is_own(struct slice name)
{
	static const char *const own[] = {
		"host", "content-length", "transfer-encoding", "connection", "keep-alive",
		"proxy-connection", "proxy-authorization", "proxy-authenticate", "te",
		"trailer", "upgrade",
	};

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (slice_is(name, own[i]))
			return true;
	return false;
}

/* Does a header Connection name it? */
static bool head_is_of_connection(const struct head *h, struct slice name)
{
	for (size_t i = 0; i < h->count; i++) {
		struct slice list = h->values[i], item;

		if (!slice_is(h->names[i], "connection"))
			continue;
		while (slice_cut(&list, ',', &item)) {
			item = slice_trim(item);
			if (item.len == name.len &&
			    strncasecmp(item.text, name.text, name.len) == 0)
				return true;
		}
		list = slice_trim(list);
		if (list.len == name.len &&
		    strncasecmp(list.text, name.text, name.len) == 0)
			return true;
	}
	return false;
}

static void head_put_host(const struct proxy_request *r, struct strbuf *out)
{
	bool six = strchr(r->host.text, ':') != NULL;

	strbuf_addf(out, "%s%s%s", six ? "[" : "", r->host.text, six ? "]" : "");
	if (r->port != HTTP_PORT)
		strbuf_addf(out, ":%u", r->port);
}

static void head_write(const struct head *h, struct slice path, const char *upstream,
		       struct proxy_request *r)
{
	struct strbuf *out = &r->head;

	strbuf_addn(out, h->method.text, h->method.len);
	strbuf_add(out, upstream ? " http://" : " ");
	if (upstream)
		head_put_host(r, out);
	if (!path.len || *path.text != '/')
		strbuf_addc(out, '/');
	strbuf_addn(out, path.text, path.len);
	strbuf_addc(out, ' ');
	strbuf_addn(out, h->version.text, h->version.len);
	strbuf_add(out, "\r\nHost: ");
	head_put_host(r, out);
	strbuf_add(out, "\r\n");
	for (size_t i = 0; i < h->count; i++) {
		if (head_is_own(h->names[i]) || head_is_of_connection(h, h->names[i]))
			continue;
		strbuf_addn(out, h->names[i].text, h->names[i].len);
		strbuf_add(out, ": ");
		strbuf_addn(out, h->values[i].text, h->values[i].len);
		strbuf_add(out, "\r\n");
	}
	if (r->body.chunked)
		strbuf_add(out, "Transfer-Encoding: chunked\r\n");
	else if (head_find(h, "content-length") >= 0)
		strbuf_addf(out, "Content-Length: %" PRIu64 "\r\n", r->body.left);
	strbuf_addf(out, "%sConnection: close\r\n\r\n", upstream ? upstream : "");
}

int proxy_request_parse(const char *head, size_t len, const char *upstream,
			struct proxy_request *ret, struct error *err)
{
	AUTO(free) struct head *h = calloc(1, sizeof *h);
	struct slice path = { "", 0 };
	int status;

	*ret = (struct proxy_request){ .head = STRBUF(2 * PROXY_HEAD_MAX) };
	if (!h)
		return out_of_memory(err);
	status = head_read((struct slice){ head, len }, h, err);
	if (status)
		return status;
	ret->is_connect = slice_is(h->method, "CONNECT");
	status = head_target(h, ret, &path, err);
	if (status || ret->is_connect)
		return status;
	status = head_check_host(h, ret, err);
	if (!status)
		status = head_read_body(h, &ret->body, err);
	if (!status)
		head_write(h, path, upstream, ret);
	return status ? status : ret->head.error ? out_of_memory(err) : MT_OK;
}

/* ---- bodies -------------------------------------------------------------------- */

enum {
	CHUNK_SIZE,
	CHUNK_SIZE_LF,
	CHUNK_DATA,
	CHUNK_CR,
	CHUNK_LF,
	CHUNK_END_CR,
	CHUNK_END_LF,
};

/* One byte of the framing of chunks. Extensions and trailers are refused. */
static bool chunk_step(struct proxy_body *b, char c)
{
	static const char hex[] = "0123456789abcdef";
	const char *digit;

	switch (b->state) {
	case CHUNK_SIZE:
		if (c == '\r') {
			b->state = CHUNK_SIZE_LF;
			return b->digits > 0;
		}
		digit = c ? strchr(hex, tolower((unsigned char)c)) : NULL;
		b->left = b->left << 4 | (digit ? (uint64_t)(digit - hex) : 0);
		return digit && ++b->digits <= CHUNK_DIGITS;
	case CHUNK_SIZE_LF:
		b->state = b->left ? CHUNK_DATA : CHUNK_END_CR;
		return c == '\n';
	case CHUNK_CR:
		b->state = CHUNK_LF;
		return c == '\r';
	case CHUNK_LF:
		b->state = CHUNK_SIZE;
		b->digits = 0;
		return c == '\n';
	case CHUNK_END_CR:
		b->state = CHUNK_END_LF;
		return c == '\r';
	default:
		b->done = true;
		return c == '\n';
	}
}

ssize_t proxy_body_take(struct proxy_body *b, const char *bytes, size_t n)
{
	size_t at = 0;

	while (at < n && !b->done) {
		size_t data = b->left < n - at ? (size_t)b->left : n - at;

		if (b->chunked && b->state != CHUNK_DATA) {
			if (!chunk_step(b, bytes[at++]))
				return -1;
			continue;
		}
		at += data;
		b->left -= data;
		if (b->left)
			continue;
		b->state = CHUNK_CR;
		b->done = !b->chunked;
	}
	return (ssize_t)at;
}

/* ---- responses ----------------------------------------------------------------- */

int proxy_response_head(const char *head, size_t len, struct strbuf *out)
{
	struct slice rest = { head, len }, line, name;
	bool keeps = true; /* the line before */
	int status;

	if (!slice_cut(&rest, '\n', &line) || line.len < 12 ||
	    strncmp(line.text, "HTTP/1.", 7) != 0 || line.text[8] != ' ')
		return -1;
	status = 0;
	for (int i = 9; i < 12; i++) {
		if (!isdigit((unsigned char)line.text[i]))
			return -1;
		status = status * 10 + (line.text[i] - '0');
	}
	do {
		struct slice field = line;

		if (line.len && line.text[line.len - 1] == '\r')
			line.len--;
		if (!line.len)
			break;
		/* a line that begins with a space continues the one before */
		if (*line.text != ' ' && *line.text != '\t')
			keeps = !slice_cut(&field, ':', &name) ||
				!(slice_is(name, "connection") ||
				  slice_is(name, "keep-alive") ||
				  slice_is(name, "proxy-connection"));
		if (keeps) {
			strbuf_addn(out, line.text, line.len);
			strbuf_add(out, "\r\n");
		}
	} while (slice_cut(&rest, '\n', &line));
	strbuf_add(out, status < 200 ? "\r\n" : "Connection: close\r\n\r\n");
	return status;
}
