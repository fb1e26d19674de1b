/* SPDX-License-Identifier: MIT
 *
 * plain.c - removes terminal control sequences from text. */
#include "plain.h"
#include <string.h>

void plain_init(struct plain *p, struct output *out)
{
	*p = (struct plain){ .line = STRBUF(PLAIN_LINE + 2), .out = out };
	output_reset(out);
}

void plain_clear(struct plain *p)
{
	strbuf_clear(&p->line);
}

void plain_reset(struct plain *p)
{
	p->state = PLAIN_TEXT;
	p->again = false;
	strbuf_reset(&p->line);
	output_reset(p->out);
}

void plain_end(struct plain *p)
{
	output_add(p->out, p->line.text, p->line.len);
	strbuf_reset(&p->line);
	p->again = false;
}

bool plain_at_start(const struct plain *p)
{
	size_t tail = p->out->tail_len, head = p->out->head_len;

	if (p->line.len)
		return false;
	if (tail)
		return p->out->tail[(p->out->tail_start + tail - 1) % OUTPUT_TAIL] ==
		       '\n';
	return !head || p->out->head[head - 1] == '\n';
}

/* Length of the text before the next special character. */
static size_t run_of_text(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && ((unsigned char)text[n] >= ' ' || text[n] == '\t') &&
	       text[n] != '\177')
		n++;
	return n;
}

static void plain_put(struct plain *p, const char *text, size_t len)
{
	if (p->again)
		strbuf_reset(&p->line);
	p->again = false;
	if (p->line.len + len > PLAIN_LINE)
		plain_end(p);
	if (len > PLAIN_LINE)
		output_add(p->out, text, len);
	else
		strbuf_addn(&p->line, text, len);
}

static void back(struct plain *p)
{
	size_t len = p->line.len;

	while (len && ((unsigned char)p->line.text[len - 1] & 0xc0) == 0x80)
		len--;
	strbuf_cut(&p->line, len ? len - 1 : 0);
}

static void plain_control(struct plain *p, char c)
{
	switch (c) {
	case '\n':
		p->again = false;
		strbuf_addc(&p->line, '\n');
		plain_end(p);
		break;
	case '\r':
		p->again = true;
		break;
	case '\b':
		back(p);
		break;
	default:
		break;
	}
}

/* Process one byte of a sequence. */
static void plain_step(struct plain *p, char c)
{
	switch (p->state) {
	case PLAIN_ESCAPE:
		p->state = c == '['                  ? PLAIN_CSI
			   : strchr("]PX^_", c) && c ? PLAIN_STRING
			   : c >= ' ' && c < '0'     ? PLAIN_ESCAPE
						     : PLAIN_TEXT;
		break;
	case PLAIN_CSI:
		if (c < ' ' || c >= '@')
			p->state = PLAIN_TEXT;
		break;
	case PLAIN_STRING_ESCAPE:
		p->state = c == '\\' ? PLAIN_TEXT : PLAIN_STRING;
		break;
	case PLAIN_STRING:
		p->state = c == '\a' || c == '\n' ? PLAIN_TEXT
			   : c == '\033'          ? PLAIN_STRING_ESCAPE
						  : PLAIN_STRING;
		break;
	case PLAIN_TEXT:
		break;
	}
}

void plain_add(struct plain *p, const char *text, size_t len, struct strbuf *live)
{
	for (size_t i = 0; i < len;) {
		size_t n = p->state == PLAIN_TEXT ? run_of_text(text + i, len - i) : 0;

		if (n) {
			plain_put(p, text + i, n);
			strbuf_addn(live, text + i, n);
		} else if (p->state != PLAIN_TEXT) {
			plain_step(p, text[i]);
			n = 1;
		} else if (text[i] == '\033') {
			p->state = PLAIN_ESCAPE;
			n = 1;
		} else {
			plain_control(p, text[i]);
			n = 1;
			if (strchr("\n\r\b", text[i]) && text[i])
				strbuf_addc(live, text[i]);
		}
		i += n;
	}
}
