/* SPDX-License-Identifier: MIT
 *
 * test-proxy-request.c - the proxy reads requests, bodies, responses and TLS, cut at every
 * byte, and without memory. */
#include "sandbox/proxy-request.h"
#include "sandbox/tls-hello.h"
#include "hello.h"
#include "oom.h"
#include "tap.h"

/* ---- requests ------------------------------------------------------------------ */

static int parse(const char *head, const char *upstream, struct proxy_request *r,
		 struct error *err)
{
	return proxy_request_parse(head, strlen(head), upstream, r, err);
}

static void forwarded(void)
{
	static const struct {
		const char *in, *upstream, *out;
	} cases[] = {
		{ "GET http://A.example./x?y=1 HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n",
		  NULL,
		  "GET /x?y=1 HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n"
		  "Connection: close\r\n\r\n" },
		{ "GET HTTP://a.example HTTP/1.1\r\nHost: a.example:80\r\n\r\n", NULL,
		  "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n" },
		{ "GET http://a.example?q HTTP/1.0\r\n\r\n", NULL,
		  "GET /?q HTTP/1.0\r\nHost: a.example\r\nConnection: close\r\n\r\n" },
		{ "GET http://[::1]:81/ HTTP/1.1\r\nhost:[0::1]:81\r\n\r\n", NULL,
		  "GET / HTTP/1.1\r\nHost: [::1]:81\r\nConnection: close\r\n\r\n" },
		{ "PUT http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 012 \r\n"
		  "X-Y:\tz \r\n\r\n",
		  NULL,
		  "PUT / HTTP/1.1\r\nHost: a.example\r\nX-Y: z\r\nContent-Length: 12\r\n"
		  "Connection: close\r\n\r\n" },
		/* what concerns one connection only is not forwarded, and Connection cannot
		 * remove what frames the body */
		{ "PUT http://a.example/ HTTP/1.1\r\nHost: a.example\r\nKeep-Alive: 1\r\n"
		  "Connection: x-a, X-B , content-length,host\r\nX-A: 1\r\nx-b: 2\r\nX-C: 3\r\n"
		  "Proxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nTE: x\r\n"
		  "Upgrade: websocket\r\nTrailer: x\r\nContent-Length: 2\r\n\r\n",
		  NULL,
		  "PUT / HTTP/1.1\r\nHost: a.example\r\nX-C: 3\r\nContent-Length: 2\r\n"
		  "Connection: close\r\n\r\n" },
		{ "PUT http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
		  "Transfer-Encoding: Chunked\r\n\r\n",
		  NULL,
		  "PUT / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n"
		  "Connection: close\r\n\r\n" },
		{ "GET http://a.example:8080?x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n",
		  "Proxy-Authorization: Basic eA==\r\n",
		  "GET http://a.example:8080/?x HTTP/1.1\r\nHost: a.example:8080\r\n"
		  "Proxy-Authorization: Basic eA==\r\nConnection: close\r\n\r\n" },
	};
	struct proxy_request r;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CHECK(parse(cases[i].in, cases[i].upstream, &r, NULL) == MT_OK &&
		      !r.is_connect);
		CHECK_STR(r.head.text, cases[i].out);
		strbuf_clear(&r.head);
	}
	CHECK(parse("CONNECT A.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", NULL, &r,
		    NULL) == MT_OK &&
	      r.is_connect && r.port == 443 && !r.head.len);
	CHECK_STR(r.host.text, "a.example");
	strbuf_clear(&r.head);
}

/* A request with this header line, or this instead of its first line */
static void refused(void)
{
	static const char *const headers[] = {
		"Host: b.example", "Host : a.example", " folded: x", "\tfolded: x", "no colon",
		": x", "X\xc3\xa4: y", "X: a\rb", "X: a\x01z", "X: \x7f", "X@: y", "X: y\n",
		"Content-Length: 1\r\nContent-Length: 1", "Content-Length: ",
		"Content-Length: -1", "Content-Length: +1", "Content-Length: 1,1",
		"Content-Length: 0x1", "Content-Length: 1 1",
		"Content-Length: 9999999999999999999",
		"Content-Length: 1\r\nTransfer-Encoding: chunked",
		"Transfer-Encoding: gzip", "Transfer-Encoding: chunked, chunked",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
		("Transfer-Encoding: \x0b" "chunked"), "Transfer-Encoding: identity",
	};
	static const char *const lines[] = {
		"GET / HTTP/1.1", "GET https://a.example/ HTTP/1.1",
		"GET ftp://a.example/ HTTP/1.1", "GET http://u@a.example/ HTTP/1.1",
		"GET http://a.example:0/ HTTP/1.1", "GET http://a.example/#x HTTP/1.1",
		"GET http:///x HTTP/1.1", "GET http://a.example/ HTTP/2.0",
		"GET http://a.example/", "GET  http://a.example/ HTTP/1.1",
		"GET http://a.example/ HTTP/1.1 ", "GET http://a.example/ x HTTP/1.1",
		" GET http://a.example/ HTTP/1.1", "G@T http://a.example/ HTTP/1.1",
		"GET http://a.example/\x01 HTTP/1.1", "GET http://b.example/ HTTP/1.1",
		"GET http://a.example:81/ HTTP/1.1", "GET http://127.1/ HTTP/1.1", "",
		"CONNECT a.example HTTP/1.1", "CONNECT http://a.example:443 HTTP/1.1",
		"CONNECT a.example:443/ HTTP/1.1", "CONNECT u@a.example:443 HTTP/1.1",
	};
	struct proxy_request r;
	char text[512];

	for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
		struct error err = ERROR_NONE;

		snprintf(
			text, sizeof text,
			"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n%s\r\n\r\n",
			headers[i]);
		CHECK_MSG(parse(text, NULL, &r, &err) == MT_EINVAL && *err.text,
			  "header %zu is refused: %s", i, err.text);
		strbuf_clear(&r.head);
	}
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct error err = ERROR_NONE;

		snprintf(text, sizeof text, "%s\r\nHost: a.example\r\n\r\n", lines[i]);
		CHECK_MSG(parse(text, NULL, &r, &err) == MT_EINVAL && *err.text,
			  "line %zu is refused: %s", i, err.text);
		strbuf_clear(&r.head);
	}
	CHECK(parse("GET http://a.example/ HTTP/1.1\r\n\r\n", NULL, &r, NULL) ==
	      MT_EINVAL);
	strbuf_clear(&r.head);
	CHECK(parse("GET http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
		    NULL, &r, NULL) == MT_EINVAL);
	strbuf_clear(&r.head);
	CHECK(parse("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\n", NULL, &r,
		    NULL) == MT_EINVAL);
	strbuf_clear(&r.head);
	CHECK(parse("GET http://a.example/ HTTP/1.1\nHost: a.example\n\n", NULL, &r,
		    NULL) == MT_EINVAL);
	strbuf_clear(&r.head);
	CHECK(proxy_request_parse("GET http://a\0b/ HTTP/1.1\r\n\r\n", 28, NULL, &r,
				  NULL) == MT_EINVAL);
	strbuf_clear(&r.head);
}

static void cut(void)
{
	static const char head[] = "PUT http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
				   "Content-Length: 3\r\nConnection: a\r\n\r\n";
	size_t len = sizeof head - 1, early = 0, bad = 0;
	struct proxy_request r;

	for (size_t n = 0; n < len; n++) {
		char *part = malloc(n + 1); /* so that a read after its end is found */

		memcpy(part, head, n);
		part[n] = '\0';
		early += proxy_head_length(part, n) != 0;
		bad += proxy_request_parse(part, n, NULL, &r, NULL) != MT_EINVAL;
		strbuf_clear(&r.head);
		free(part);
	}
	CHECK_MSG(early == 0 && bad == 0, "a part of a head is not a head");
	CHECK(proxy_head_length(head, len) == len);
	CHECK(proxy_head_length("a\r\n\r\nb", 6) == 5 &&
	      proxy_head_length("a\n\nb", 4) == 3);
	OOM_EACH({
		int status = parse(head, NULL, &r, NULL);

		strbuf_clear(&r.head);
		if (status && status != MT_ENOMEM)
			CHECK(status == MT_ENOMEM);
	});
	CHECK_OOM();
}

static void too_many_lines(void)
{
	AUTO(strbuf) struct strbuf b = STRBUF(1 << 20);
	struct proxy_request r;

	strbuf_add(&b, "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n");
	for (int i = 0; i < 300; i++)
		strbuf_add(&b, "a: b\r\n");
	strbuf_add(&b, "\r\n");
	CHECK(parse(b.text, NULL, &r, NULL) == MT_EINVAL);
	strbuf_clear(&r.head);
}

/* ---- bodies -------------------------------------------------------------------- */

/* Fed in pieces of `step`. @return bytes of the body; -1: invalid, -2: not complete */
static ssize_t body(const char *text, bool chunked, uint64_t length, size_t step)
{
	struct proxy_body b = { .chunked = chunked, .left = length };
	size_t len = strlen(text), at = 0;

	while (at < len && !b.done) {
		size_t n = step < len - at ? step : len - at;
		ssize_t took = proxy_body_take(&b, text + at, n);

		if (took < 0)
			return -1;
		at += (size_t)took;
	}
	return b.done ? (ssize_t)at : -2;
}

static void bodies(void)
{
	static const struct {
		const char *text;
		ssize_t want;
	} cases[] = {
		{ "0\r\n\r\nGET /", 5 }, { "3\r\nabc\r\n0\r\n\r\nGET /", 13 },
		{ "A\r\n0123456789\r\n000\r\n\r\n", 22 }, { "3\r\nabc\r\n0\r\n", -2 },
		{ "3\r\nab", -2 }, { "", -2 }, { "\r\n\r\n", -1 }, { "3\nabc\r\n", -1 },
		{ "3\r\nabcd\r\n0\r\n\r\n", -1 }, { "3 \r\nabc\r\n", -1 }, { "-3\r\n", -1 },
		{ "3;x=y\r\nabc\r\n0\r\n\r\n", -1 }, { "0\r\nX: y\r\n\r\n", -1 },
		{ "0x3\r\nabc\r\n", -1 }, { "fffffffffffffffff\r\n", -1 },
		{ "3\r\nabc\n0\r\n\r\n", -1 }, { "0\r\n\n", -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t step = 1; step < 8; step += 6)
			CHECK_MSG(body(cases[i].text, true, 0, step) == cases[i].want,
				  "chunks %zu by %zu", i, step);
	CHECK(body("abcdef", false, 3, 1) == 3 && body("abcdef", false, 3, 9) == 3);
	CHECK(body("ab", false, 3, 9) == -2);
}

/* ---- responses ----------------------------------------------------------------- */

static void responses(void)
{
	static const struct {
		const char *in, *out; /* out NULL: not HTTP/1 */
		int status;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\nA: b\r\nConnection: keep-alive\r\n\tx\r\nKeep-Alive: 5\r\n"
		  "C: d\r\n e\r\n\r\n",
		  "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n e\r\nConnection: close\r\n\r\n", 200 },
		{ "HTTP/1.0 404 \nA: b\n\n", "HTTP/1.0 404 \r\nA: b\r\nConnection: close\r\n\r\n",
		  404 },
		{ "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", 100 },
		{ "HTTP/2 200 OK..\r\n\r\n", NULL, -1 }, { "HTTP/1.1 2x0\r\n\r\n", NULL, -1 },
		{ "SSH-2.0-OpenSSH\r\n\r\n", NULL, -1 }, { "\r\n\r\n", NULL, -1 },
		{ "\n\n", NULL, -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(4096);
		int status = proxy_response_head(cases[i].in, strlen(cases[i].in), &out);

		CHECK_MSG(status == cases[i].status, "status of response %zu", i);
		if (cases[i].out)
			CHECK_STR(out.text, cases[i].out);
	}
}

/* ---- TLS ----------------------------------------------------------------------- */

#define NAMED "\0\0\0\x0e\0\x0c\0\0\x09" "a.example"
#define OTHER "\0\x17\0\0\xff\x01\0\x01\0"

static void server_names(void)
{
	static const struct {
		const char *extensions;
		size_t len;
		enum tls_hello want;
		const char *name;
	} cases[] = {
		{ OTHER NAMED OTHER, sizeof OTHER NAMED OTHER - 1, TLS_READ, "a.example" },
		{ OTHER, sizeof OTHER - 1, TLS_READ, "" }, { "", 0, TLS_READ, "" },
		{ NAMED NAMED, sizeof NAMED NAMED - 1, TLS_INVALID, "" },
		{ "\0\0\0\0", 4, TLS_INVALID, "" },
		{ "\0\0\0\5\0\3\0\0\0", 9, TLS_INVALID, "" },
		{ "\0\0\0\6\0\4\0\0\1\0", 10, TLS_INVALID, "" },
		{ "\0\0\0\6\0\4\1\0\1a", 10, TLS_INVALID, "" },
		{ "\0\0\0\x0a\0\x08\0\0\1a\0\0\1b", 14, TLS_INVALID, "" },
		{ "\0\0\0\x0b\0\4\0\0\1axxxxx", 15, TLS_INVALID, "" },
		{ "\0\0\0\x40\0\4\0\0\1a", 10, TLS_INVALID, "" },
		{ "\0\x17\0\5\0", 5, TLS_INVALID, "" },
	};
	char message[1024], bytes[8192], name[HOST_ROOM];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t size = 1; size < 1000; size *= 9) {
			size_t n = hello_records(bytes, message,
						 hello_make(message, cases[i].extensions,
							    cases[i].len),
						 size);

			CHECK_MSG(tls_hello_read(bytes, n, name) == cases[i].want &&
					  strcmp(name, cases[i].name) == 0,
				  "ClientHello %zu in records of %zu", i, size);
		}
}

static void hostile_hellos(void)
{
	char message[1024], bytes[8192], name[HOST_ROOM];
	size_t len = hello_make(message, NAMED, sizeof NAMED - 1), n, bad = 0;

	n = hello_records(bytes, message, len, 16);
	for (size_t i = 0; i < n; i++) {
		char *part = malloc(i + 1);

		memcpy(part, bytes, i);
		bad += tls_hello_read(part, i, name) != TLS_MORE || *name;
		free(part);
	}
	CHECK_MSG(bad == 0, "a part of a ClientHello is not one");
	CHECK(tls_hello_read("GET / HTTP/1.1\r\n", 16, name) == TLS_NONE);
	CHECK(tls_hello_read("\x80\x2e\x01\0\2", 5, name) == TLS_NONE);
	CHECK(tls_hello_read("\x16\x02\1\0\5", 5, name) == TLS_INVALID);
	CHECK(tls_hello_read("\x16\x03\1\0\0", 5, name) == TLS_INVALID);
	CHECK(tls_hello_read("\x16\x03\1\x40\1", 5, name) == TLS_INVALID);
	bytes[5] = 2; /* a ServerHello */
	CHECK(tls_hello_read(bytes, n, name) == TLS_INVALID);
	bytes[5] = 1;
	bytes[6] = 1; /* 64 KiB more */
	CHECK(tls_hello_read(bytes, n, name) == TLS_INVALID);
	bytes[6] = 0;
	bytes[5 + 16] = 23; /* the second record is not a handshake */
	CHECK(tls_hello_read(bytes, n, name) == TLS_INVALID);
}

int main(void)
{
	forwarded();
	refused();
	cut();
	too_many_lines();
	bodies();
	responses();
	server_names();
	hostile_hellos();
	return tap_done();
}
