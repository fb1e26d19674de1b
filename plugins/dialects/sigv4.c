/* SPDX-License-Identifier: MIT
 *
 * sigv4.c - AWS signature version 4: canonical request, string to sign,
 * signature. */
#include "digest.h"
#include "hex.h"
#include "sigv4.h"
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MAX_CANONICAL = 1 << 20, MAX_PARAMS = 64, HASH = 32 };

static const char algorithm[] = "AWS4-HMAC-SHA256";

/* ---- hashes -------------------------------------------------------------- */

int sigv4_hash(const char *bytes, size_t len, char ret[SIGV4_HEX])
{
	return digest_sha256_hex(bytes, len, ret);
}

static int hmac(const void *key, size_t key_len, const char *text,
		unsigned char ret[HASH])
{
	return digest_hmac_sha256(key, key_len, text, strlen(text), ret);
}

/* ---- percent encoding ----------------------------------------------------- */

static int sigv4_put_encoded(struct strbuf *b, const char *bytes, size_t len,
			     bool slashes)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~";

	for (size_t i = 0; i < len; i++) {
		if (bytes[i] && (strchr(plain, bytes[i]) || (slashes && bytes[i] == '/')))
			strbuf_addc(b, bytes[i]);
		else
			strbuf_addf(b, "%%%02X", (unsigned char)bytes[i]);
	}
	return b->error;
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

	return p ? (int)(p - digits) : -1;
}

static int sigv4_put_decoded(struct strbuf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		int high = i + 2 < len && text[i] == '%' ? digit(text[i + 1]) : -1;
		int low = high >= 0 ? digit(text[i + 2]) : -1;

		strbuf_addc(b, low >= 0 ? (char)(high * 16 + low) : text[i]);
		i += low >= 0 ? 2 : 0;
	}
	return b->error;
}

/* ---- the path -------------------------------------------------------------- */

/* Resolve "." and "..", and remove empty segments. */
static int put_resolved(struct strbuf *b, const char *path, size_t len)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		const char *part = path + at, *slash = memchr(part, '/', len - at);

		n = slash ? (size_t)(slash - part) : len - at;
		if (n == 0 || (n == 1 && part[0] == '.'))
			continue;
		if (n == 2 && part[0] == '.' && part[1] == '.') {
			while (b->len && b->text[b->len - 1] != '/')
				strbuf_cut(b, b->len - 1);
			if (b->len)
				strbuf_cut(b, b->len - 1);
			continue;
		}
		strbuf_addc(b, '/');
		strbuf_addn(b, part, n);
	}
	if (!b->len || (len && path[len - 1] == '/'))
		strbuf_addc(b, '/');
	return b->error;
}

static int sigv4_put_path(struct strbuf *b, const char *path, size_t len, bool raw)
{
	AUTO(strbuf) struct strbuf resolved = STRBUF(MAX_CANONICAL);

	if (raw && len)
		return sigv4_put_encoded(b, path, len, true);
	if (put_resolved(&resolved, path, len))
		return resolved.error;
	return sigv4_put_encoded(b, resolved.text, resolved.len, true);
}

/* ---- the query -------------------------------------------------------------- */

struct query {
	char *params[MAX_PARAMS]; /* "name=value", encoded */
	size_t count;
};

static void clear_query(struct query *q)
{
	for (size_t i = 0; i < q->count; i++)
		free(q->params[i]);
}

/* Decode a parameter and encode it as the signature requires. */
static int add_param(struct query *q, const char *name, size_t name_len,
		     const char *value, size_t value_len)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(MAX_CANONICAL);
	AUTO(strbuf) struct strbuf param = STRBUF(MAX_CANONICAL);

	if (q->count == MAX_PARAMS)
		return MT_ELIMIT;
	sigv4_put_decoded(&plain, name, name_len);
	sigv4_put_encoded(&param, plain.text, plain.len, false);
	strbuf_addc(&param, '=');
	strbuf_reset(&plain);
	sigv4_put_decoded(&plain, value, value_len);
	if (plain.error || sigv4_put_encoded(&param, plain.text, plain.len, false))
		return MT_ENOMEM;
	q->params[q->count] = strbuf_take(&param);
	return q->params[q->count++] ? MT_OK : MT_ENOMEM;
}

/* '=' sorts before some characters of names: compare names first. */
static int compare_params(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t nx = strcspn(x, "="), ny = strcspn(y, "=");
	int order = memcmp(x, y, nx < ny ? nx : ny);

	if (order || nx != ny)
		return order ? order : nx < ny ? -1 : 1;
	return strcmp(x + nx, y + ny);
}

static int read_query(struct query *q, const char *text)
{
	int status = MT_OK;

	while (*text && !status) {
		size_t len = strcspn(text, "&"), name = strcspn(text, "=&");
		size_t from = name < len ? name + 1 : len;

		if (len)
			status = add_param(q, text, name, text + from, len - from);
		text += len + (text[len] == '&');
	}
	return status;
}

static int add_own_params(struct query *q, const struct sigv4_scope *s,
			  const struct sigv4_result *r, const char *time)
{
	char credential[512], expires[32];
	const struct {
		const char *name, *value;
	} own[] = {
		{ "X-Amz-Algorithm", algorithm },
		{ "X-Amz-Credential", credential },
		{ "X-Amz-Date", time },
		{ "X-Amz-Security-Token", s->token },
		{ "X-Amz-SignedHeaders", r->signed_headers },
		{ "X-Amz-Expires", expires },
	};
	int status = MT_OK;

	snprintf(expires, sizeof expires, "%lld", (long long)s->expires);
	snprintf(credential, sizeof credential, "%s/%.8s/%s/%s/aws4_request", s->key_id,
		 time, s->region, s->service);
	for (size_t i = 0; i < ARRAY_LEN(own) && !status; i++)
		if (own[i].value)
			status = add_param(q, own[i].name, strlen(own[i].name),
					   own[i].value, strlen(own[i].value));
	return status;
}

static int put_query(struct strbuf *b, const char *text, const struct sigv4_scope *s,
		     const struct sigv4_result *r, const char *time)
{
	struct query q = { .count = 0 };
	int status = read_query(&q, text);

	if (!status && s->expires > 0)
		status = add_own_params(&q, s, r, time);
	qsort(q.params, q.count, sizeof *q.params, compare_params);
	for (size_t i = 0; i < q.count && !status; i++) {
		if (i)
			strbuf_addc(b, '&');
		status = strbuf_add(b, q.params[i]);
	}
	clear_query(&q);
	return status;
}

/* ---- headers ---------------------------------------------------------------- */

/* Trim the value, and collapse runs of white space. */
static void sigv4_put_value(struct strbuf *b, const char *value)
{
	static const char space[] = " \t\r\n";
	const char *p = value + strspn(value, space);

	while (*p) {
		size_t n = strcspn(p, space), gap = strspn(p + n, space);

		strbuf_addn(b, p, n);
		p += n + gap;
		if (gap && *p)
			strbuf_addc(b, ' ');
	}
}

static void sigv4_put_name(struct strbuf *b, const char *name)
{
	for (; *name; name++)
		strbuf_addc(b, *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name);
}

/* Sort the headers by name; headers of the same name keep their order. */
static size_t sort_headers(const struct sigv4_request *r, size_t *order)
{
	size_t count = 0;

	for (; count < r->header_count; count++) {
		size_t at = count;

		for (; at > 0 && strcasecmp(r->headers[order[at - 1]].name,
					    r->headers[count].name) > 0;
		     at--)
			order[at] = order[at - 1];
		order[at] = count;
	}
	return count;
}

static int sigv4_put_headers(struct strbuf *b, struct strbuf *names,
			     const struct sigv4_request *r)
{
	size_t order[SIGV4_MAX_HEADERS], count = sort_headers(r, order);

	for (size_t i = 0; i < count; i++) {
		const struct sigv4_header *h = &r->headers[order[i]];
		bool again = i && strcasecmp(r->headers[order[i - 1]].name, h->name) == 0;

		if (again) {
			strbuf_cut(b, b->len - 1);
			strbuf_addc(b, ',');
		} else {
			sigv4_put_name(b, h->name);
			strbuf_addc(b, ':');
			if (names->len)
				strbuf_addc(names, ';');
			sigv4_put_name(names, h->name);
		}
		sigv4_put_value(b, h->value);
		strbuf_addc(b, '\n');
	}
	return b->error ? b->error : names->error;
}

/* ---- the signature ---------------------------------------------------------- */

void sigv4_time(int64_t seconds, char ret[SIGV4_TIME])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(ret, SIGV4_TIME, "%Y%m%dT%H%M%SZ", &tm))
		snprintf(ret, SIGV4_TIME, "19700101T000000Z");
}

static int sigv4_put_canonical(const struct sigv4_scope *s, const struct sigv4_request *r,
			       const char *time, struct sigv4_result *ret)
{
	AUTO(strbuf) struct strbuf headers = STRBUF(MAX_CANONICAL);
	AUTO(strbuf) struct strbuf names = STRBUF(sizeof ret->signed_headers);
	size_t path = strcspn(r->target, "?");
	struct strbuf *b = &ret->canonical;
	char hash[SIGV4_HEX];
	int status = sigv4_put_headers(&headers, &names, r);

	if (status)
		return status;
	snprintf(ret->signed_headers, sizeof ret->signed_headers, "%s", names.text);
	strbuf_addf(b, "%s\n", r->method);
	status = sigv4_put_path(b, r->target, path, s->raw_path);
	strbuf_addc(b, '\n');
	if (!status)
		status = put_query(b, r->target + path + (r->target[path] == '?'), s, ret,
				   time);
	if (!status)
		status = sigv4_hash(r->body, r->body_len, hash);
	if (status)
		return status;
	strbuf_addf(b, "\n%s\n%s\n%s", headers.text, names.text, hash);
	return b->error;
}

static int sigv4_put_signature(const struct sigv4_scope *s, const char *time,
			       struct sigv4_result *ret)
{
	AUTO(strbuf) struct strbuf secret = STRBUF(4096);
	unsigned char key[HASH], next[HASH];
	char date[9];
	const char *const steps[] = { s->region, s->service, "aws4_request",
				      ret->to_sign.text };
	int status;

	snprintf(date, sizeof date, "%.8s", time);
	status = strbuf_addf(&secret, "AWS4%s", s->secret);
	if (!status)
		status = hmac(secret.text, secret.len, date, key);
	for (size_t i = 0; i < ARRAY_LEN(steps) && !status; i++) {
		status = hmac(key, HASH, steps[i], next);
		memcpy(key, next, sizeof key);
	}
	if (!status)
		hex_write(key, HASH, ret->signature);
	explicit_bzero(key, sizeof key);
	explicit_bzero(next, sizeof next);
	explicit_bzero(secret.text, secret.len);
	return status;
}

int sigv4_sign(const struct sigv4_scope *s, const struct sigv4_request *r,
	       struct sigv4_result *ret, struct error *err)
{
	char time[SIGV4_TIME], hash[SIGV4_HEX];
	int status;

	*ret = (struct sigv4_result){ .canonical = STRBUF(MAX_CANONICAL),
				      .to_sign = STRBUF(MAX_CANONICAL) };
	if (r->header_count > SIGV4_MAX_HEADERS)
		return fail(err, MT_ELIMIT, "cannot sign a request with so many headers");
	sigv4_time(s->time, time);
	status = sigv4_put_canonical(s, r, time, ret);
	if (!status)
		status = sigv4_hash(ret->canonical.text, ret->canonical.len, hash);
	if (!status)
		status = strbuf_addf(&ret->to_sign, "%s\n%s\n%.8s/%s/%s/aws4_request\n%s",
				     algorithm, time, time, s->region, s->service, hash);
	if (!status)
		status = sigv4_put_signature(s, time, ret);
	return status ? fail(err, status, "cannot sign the request for AWS (%s)",
			     status_name(status))
		      : MT_OK;
}

void sigv4_clear(struct sigv4_result *r)
{
	strbuf_clear(&r->canonical);
	strbuf_clear(&r->to_sign);
}
