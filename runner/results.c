/* SPDX-License-Identifier: MIT
 *
 * results.c - encodes results as lines; large parts are sent before, in chunks. */
#include "base64.h"
#include "supervisor.h"
#include "utf8.h"
#include <string.h>

enum { INLINE_MAX = 16 * 1024, MEDIA_CHUNK = CHUNK / 4 * 3 };

static bool text_is_bulk(const struct call *c)
{
	return c->text.len > INLINE_MAX;
}

static void chunk_open(struct supervisor *s, const struct call *c)
{
	strbuf_addf(&s->out,
		    "{\"method\":\"notifications/chunk\",\"params\":"
		    "{\"requestId\":%s,\"part\":%zu,\"data\":",
		    c->id, c->part);
}

static void text_chunk(struct supervisor *s, struct call *c)
{
	const char *at = c->text.text + c->part_at;
	size_t n = utf8_cut(at, c->text.len - c->part_at, CHUNK);

	chunk_open(s, c);
	js_put_str(&s->out, at, n);
	strbuf_add(&s->out, "}}\n");
	c->part_at += n;
	s->window -= (int64_t)n;
}

static void media_chunk(struct supervisor *s, struct call *c, const struct medium *m)
{
	size_t left = m->len - c->part_at;
	size_t n = left < MEDIA_CHUNK ? left : MEDIA_CHUNK;

	chunk_open(s, c);
	strbuf_addc(&s->out, '"');
	base64_put(&s->out, m->bytes + c->part_at, n);
	strbuf_add(&s->out, "\"}}\n");
	c->part_at += n;
	s->window -= (int64_t)((n + 2) / 3 * 4);
}

/* Bytes of a part that are sent in chunks. */
static size_t part_size(const struct call *c)
{
	if (c->part > 0)
		return c->media[c->part - 1].len;
	return text_is_bulk(c) ? c->text.len : 0;
}

/* Send bulk data of the call. @return true when all of it was sent. */
static bool send_chunks(struct supervisor *s, struct call *c)
{
	while (c->part <= c->media_count) {
		if (c->part_at >= part_size(c)) {
			c->part++;
			c->part_at = 0;
			continue;
		}
		if (s->out.len > OUT_HIGH_WATER || s->window < CHUNK)
			return false;
		if (c->part == 0)
			text_chunk(s, c);
		else
			media_chunk(s, c, &c->media[c->part - 1]);
	}
	return true;
}

static void runner_results_put_content(struct strbuf *b, const struct call *c)
{
	js_key(b, "content");
	strbuf_add(b, "[{");
	js_key_str(b, "type", "text");
	if (text_is_bulk(c)) {
		js_key_int(b, "part", 0);
		js_key_int(b, "size", (int64_t)c->text.len);
	} else {
		js_key_strn(b, "text", c->text.text, c->text.len);
	}
	strbuf_addc(b, '}');
	for (size_t n = 0; n < c->media_count; n++) {
		const struct medium *m = &c->media[n];

		strbuf_add(b, ",{");
		js_key_str(b, "type",
			   strncmp(m->mime, "audio/", 6) == 0   ? "audio"
			   : strncmp(m->mime, "image/", 6) == 0 ? "image"
								: "blob");
		js_key_str(b, "mimeType", m->mime);
		js_key_int(b, "part", (int64_t)n + 1);
		js_key_int(b, "size", (int64_t)m->len);
		strbuf_addc(b, '}');
	}
	strbuf_addc(b, ']');
}

static void send_result(struct supervisor *s, struct call *c)
{
	struct strbuf *b = &s->out;

	strbuf_addf(b, "{\"id\":%s,\"result\":{", c->id);
	runner_results_put_content(b, c);
	js_key_bool(b, "isError", c->status != MT_OK);
	js_key_int(b, "status", c->status);
	if (c->status)
		js_key_str(b, "error", c->error ? c->error : status_name(c->status));
	if (c->limit && c->limit_text) {
		js_key(b, "limit");
		strbuf_addc(b, '{');
		js_key_str(b, "name", c->limit);
		js_key_str(b, "text", c->limit_text);
		strbuf_addc(b, '}');
	}
	if (c->crashed) {
		js_key_bool(b, "crashed", true);
		js_key_int(b, "signal", c->signal);
	}
	if (c->fields) {
		js_key(b, "structuredContent");
		strbuf_add(b, c->fields);
	}
	if (c->spooled)
		js_key_str(b, "spool", c->spool);
	if (c->spool_full)
		js_key_bool(b, "spoolFull", true);
	if (c->text_cut)
		js_key_bool(b, "cut", true);
	if (c->refused.len)
		js_key_str(b, "refused", c->refused.text);
	strbuf_add(b, "}}\n");
	c->sent = true;
}

static void send_listing(struct supervisor *s, struct call *c)
{
	if (c->status) {
		host_error(s, c->id, c->status,
			   c->error ? c->error : status_name(c->status));
	} else {
		strbuf_addf(&s->out, "{\"id\":%s,\"result\":{\"tools\":", c->id);
		strbuf_add(&s->out, c->fields ? c->fields : "[]");
		strbuf_add(&s->out, "}}\n");
	}
	c->sent = true;
}

void results_pump(struct supervisor *s)
{
	struct call *c, *next;

	if (s->out_fd < 0 || !s->greeted)
		return;
	for (c = s->calls; c; c = next) {
		next = c->next;
		if (!c->done || c->sent || s->out.len > OUT_HIGH_WATER)
			continue;
		if (c->listing)
			send_listing(s, c);
		else if (send_chunks(s, c))
			send_result(s, c);
		/* Only a host that may reconnect acknowledges results. */
		if (c->sent && s->spec.linger_ms == 0)
			call_drop(s, c);
	}
}

void results_again(struct supervisor *s)
{
	for (struct call *c = s->calls; c; c = c->next) {
		c->sent = false;
		c->part = c->part_at = 0;
	}
}
