/* SPDX-License-Identifier: MIT
 *
 * sse.c - parses server-sent events, following the steps of the HTML standard.
 *
 * One limit, `max`, holds for a line and for the data of an event. */
#include "sse.h"
#include <string.h>

enum { SSE_ID_MAX = 1024 };

void sse_init(struct sse *s, size_t max_event,
	      int (*on_event)(const char *name, const char *data, size_t len, void *arg),
	      void *arg)
{
	*s = (struct sse){
		.line = STRBUF(max_event + 1),
		.event = STRBUF(max_event + 1),
		.data = STRBUF(max_event + 1),
		.id = STRBUF(SSE_ID_MAX),
		.retry_ms = -1,
		.max = max_event,
		.on_event = on_event,
		.arg = arg,
	};
}

void sse_done(struct sse *s)
{
	strbuf_clear(&s->line);
	strbuf_clear(&s->event);
	strbuf_clear(&s->data);
	strbuf_clear(&s->id);
}

static int sse_dispatch(struct sse *s)
{
	int status = MT_OK;

	if (s->data_lines > 0)
		status = s->on_event(s->event.len ? s->event.text : "message",
				     s->data.text, s->data.len, s->arg);
	strbuf_reset(&s->event);
	strbuf_reset(&s->data);
	s->data_lines = 0;
	return status;
}

static int add_data(struct sse *s, const char *value, size_t len)
{
	if (s->data_lines++ > 0)
		strbuf_addc(&s->data, '\n');
	return strbuf_addn(&s->data, value, len);
}

static int set_event(struct sse *s, const char *value, size_t len)
{
	strbuf_reset(&s->event);
	return strbuf_addn(&s->event, value, len);
}

/* One that is too long, or contains NUL, is ignored. */
static int set_id(struct sse *s, const char *value, size_t len)
{
	if (len < SSE_ID_MAX && !memchr(value, 0, len)) {
		strbuf_reset(&s->id);
		return strbuf_addn(&s->id, value, len);
	}
	return MT_OK;
}

static int set_retry(struct sse *s, const char *value, size_t len)
{
	int64_t ms = 0;

	if (len == 0 || len > 9)
		return MT_OK;
	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return MT_OK;
		ms = ms * 10 + value[i] - '0';
	}
	s->retry_ms = ms;
	return MT_OK;
}

static int sse_field(struct sse *s, const char *line, size_t len)
{
	static const struct {
		const char *name;
		int (*set)(struct sse *s, const char *value, size_t len);
	} fields[] = {
		{ "data", add_data },
		{ "event", set_event },
		{ "id", set_id },
		{ "retry", set_retry },
	};
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? (size_t)(colon - line) : len;
	const char *value = colon ? colon + 1 : line + len;

	if (value < line + len && *value == ' ')
		value++;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (strlen(fields[i].name) == name &&
		    memcmp(line, fields[i].name, name) == 0)
			return fields[i].set(s, value, (size_t)(line + len - value));
	return MT_OK;
}

static int sse_end_line(struct sse *s)
{
	int status = s->line.len > 0 ? sse_field(s, s->line.text, s->line.len)
				     : sse_dispatch(s);

	strbuf_reset(&s->line);
	return status;
}

/* Pass over a byte-order mark. What only looked like the start of one is text.
 * @return how many bytes were dealt with. */
static size_t pass_bom(struct sse *s, const char *bytes, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n = 0;

	while (s->bom < 3 && n < len && bytes[n] == mark[s->bom]) {
		s->bom++;
		n++;
	}
	if (s->bom < 3 && n < len) {
		s->error = strbuf_addn(&s->line, mark, s->bom);
		s->bom = 3;
	}
	return n;
}

/* Length of the text before the next line ending, or `len`. */
static size_t until_end(const char *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && bytes[n] != '\n' && bytes[n] != '\r')
		n++;
	return n;
}

int sse_feed(struct sse *s, const char *bytes, size_t len)
{
	size_t i = s->error ? 0 : pass_bom(s, bytes, len);

	while (i < len && !s->error) {
		size_t n = until_end(bytes + i, len - i);

		if (n > 0) {
			s->error = strbuf_addn(&s->line, bytes + i, n);
			s->last = 'x';
			i += n;
			continue;
		}
		/* The \n of \r\n ends nothing: the \r did. */
		if (bytes[i] == '\r' || s->last != '\r')
			s->error = sse_end_line(s);
		s->last = bytes[i++];
	}
	return s->error;
}
