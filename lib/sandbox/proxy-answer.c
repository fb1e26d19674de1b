/* SPDX-License-Identifier: MIT
 *
 * proxy-answer.c - answers of the network proxy itself: refusals and errors. */
#include "sandbox/proxy-connection.h"

#include "clock.h"

#include <string.h>
#include <unistd.h>

enum { LINGER_MS = 2000 }; /* for the client to read an answer and close */

void proxy_enter(struct proxy_connection *c, enum proxy_state state, int ms)
{
	c->state = state;
	c->deadline = clock_ms() + ms;
}

static const char *proxy_status_words(int status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 431:
		return "Request Header Fields Too Large";
	case 504:
		return "Gateway Timeout";
	default:
		return "Bad Gateway";
	}
}

void proxy_linger(struct proxy_connection *c)
{
	strbuf_reset(&c->up.in);
	strbuf_reset(&c->up.out);
	strbuf_reset(&c->down.in);
	proxy_lookup_end(&c->lookup);
	if (c->server >= 0)
		close(c->server);
	c->server = -1;
	proxy_enter(c, PROXY_LINGER, LINGER_MS);
}

void proxy_answer(struct proxy_connection *c, int status, const char *text)
{
	strbuf_reset(&c->down.out);
	strbuf_addf(&c->down.out,
		    "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n"
		    "Content-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
		    status, proxy_status_words(status), strlen(text) + 1, text);
	proxy_linger(c);
}

const char *proxy_shown_host(const struct proxy_connection *c, char room[300])
{
	uint16_t port = c->request.port;

	snprintf(room, 300, port == HTTP_PORT || port == HTTPS_PORT ? "%s" : "%s port %u",
		 c->request.host.text, port);
	return room;
}

const char *proxy_pattern(const char *host, uint16_t port, char room[300])
{
	bool six = strchr(host, ':') != NULL;

	if (!port)
		snprintf(room, 300, "%s", host);
	else
		snprintf(room, 300, "%s%s%s:%u", six ? "[" : "", host, six ? "]" : "",
			 port);
	return room;
}

static void proxy_report_refusal(struct proxy_connection *c, struct error *ret,
				 const char *format, va_list ap)
{
	fail_va(ret, MT_EDENIED, format, ap);
	proxy_report(c->proxy, &c->request.host, c->request.port, ret->text);
}

void proxy_refuse(struct proxy_connection *c, int status, const char *format, ...)
{
	struct error err = ERROR_NONE;
	va_list ap;

	va_start(ap, format);
	proxy_report_refusal(c, &err, format, ap);
	va_end(ap);
	proxy_answer(c, status, err.text);
}

void proxy_refuse_tunnel(struct proxy_connection *c, bool is_tls, const char *format, ...)
{
	static const char unrecognized_name[] = { 21, 3, 3, 0, 2, 2, 112 };
	struct error err = ERROR_NONE;
	va_list ap;

	va_start(ap, format);
	proxy_report_refusal(c, &err, format, ap);
	va_end(ap);
	if (is_tls)
		strbuf_addn(&c->down.out, unrecognized_name, sizeof unrecognized_name);
	proxy_linger(c);
}
