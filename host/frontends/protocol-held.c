/* SPDX-License-Identifier: MIT
 *
 * protocol-held.c - buffers streamed text for slow clients and merges adjacent chunks. */
#include "frontends/protocol-internal.h"

enum {
	PIECE_MAX = 32 << 10, /* text of one line */
	HELD_MAX = 64 << 20,  /* total text: larger than any reply */
};

struct held {
	struct held *next;
	int64_t at;        /* number of events to send first */
	bool is_line;      /* a whole line; otherwise the text of a delta */
	bool reasoning;
	struct strbuf text;
};

static struct held *protocol_held_add(struct session *s)
{
	struct held *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->at = evlog_count(conversation_log(s->c));
	h->text = STRBUF(PIECE_MAX + HELD_MAX);
	if (s->held_last)
		s->held_last->next = h;
	else
		s->held = h;
	s->held_last = h;
	return h;
}

static bool continues(const struct session *s, bool reasoning)
{
	const struct held *h = s->held_last;

	return h && !h->is_line && h->reasoning == reasoning && h->text.len < PIECE_MAX &&
	       h->at == evlog_count(conversation_log(s->c));
}

bool held_delta(struct session *s, bool reasoning, const char *text, size_t len)
{
	struct held *h = s->held_last;

	if (s->held_bytes + len > HELD_MAX)
		return false;
	if (!continues(s, reasoning)) {
		h = protocol_held_add(s);
		if (!h)
			return false;
		h->reasoning = reasoning;
	}
	s->held_bytes += len;
	return strbuf_addn(&h->text, text, len) == MT_OK;
}

bool held_line(struct session *s, size_t start)
{
	struct held *h = s->out.error ? NULL : protocol_held_add(s);

	if (h) {
		h->is_line = true;
		s->held_bytes += s->out.len - start;
		strbuf_addn(&h->text, s->out.text + start, s->out.len - start);
	}
	strbuf_cut(&s->out, start);
	return h && !h->text.error;
}

static void drop_first(struct session *s)
{
	struct held *h = s->held;

	s->held = h->next;
	if (!s->held)
		s->held_last = NULL;
	s->held_bytes -= h->text.len;
	strbuf_clear(&h->text);
	free(h);
}

bool held_put(struct session *s)
{
	const struct held *h = s->held;

	if (!h || (s->next >= 0 && s->next < h->at))
		return false;
	if (h->is_line) {
		strbuf_addn(&s->out, h->text.text, h->text.len);
	} else {
		session_begin_line(s, "delta");
		js_key_strn(&s->out, "text", h->text.text, h->text.len);
		js_key_bool(&s->out, "reasoning", h->reasoning);
		session_end_line(s);
	}
	drop_first(s);
	return true;
}

void held_clear(struct session *s)
{
	while (s->held)
		drop_first(s);
}
