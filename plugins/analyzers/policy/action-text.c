/* SPDX-License-Identifier: MIT
 *
 * action-text.c - collects and normalizes the text of an action to analyze. */
#include "action-text.h"

#include "array.h"
#include "normalize.h"
#include "utf8.h"

#include <string.h>

enum { NORMALIZED_MAX = 20 * CORPUS_MAX }; /* one character may become 18 */

void action_text_init(struct action_text *c)
{
	*c = (struct action_text){ .exec = STRBUF(NORMALIZED_MAX),
				   .all = STRBUF(NORMALIZED_MAX) };
}

static int action_text_add_piece(struct action_text *c, const char *text, size_t len)
{
	struct strbuf *piece, *script;

	if (c->count == CORPUS_PIECES_MAX) {
		c->cut = true;
		return MT_OK;
	}
	if (ARRAY_ADD(c->pieces, c->count, CORPUS_PIECES_MAX) ||
	    ARRAY_ADD(c->scripts, c->count, CORPUS_PIECES_MAX))
		return MT_ENOMEM;
	piece = &c->pieces[c->count];
	script = &c->scripts[c->count++];
	*piece = STRBUF(NORMALIZED_MAX);
	*script = STRBUF(NORMALIZED_MAX);
	if (normalize_text(text, len, false, piece))
		return piece->error ? piece->error : MT_ENOMEM;
	if (!memchr(text, '\n', len) && !memchr(text, '\r', len))
		return MT_OK; /* the same as the piece */
	return normalize_text(text, len, true, script);
}

static int add_joined(struct strbuf *to, const struct strbuf *piece)
{
	const char *from = piece->text;

	if (to->len && to->text[to->len - 1] != ' ' && *from != ' ')
		strbuf_addc(to, ' ');
	else if (to->len && to->text[to->len - 1] == ' ' && *from == ' ')
		from++;
	return strbuf_addn(to, from, piece->len - (size_t)(from - piece->text));
}

/* Add text that is not executed. */
static int add_said(struct action_text *c, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf piece = STRBUF(NORMALIZED_MAX);
	int r = normalize_text(text, len, false, &piece);

	return r ? r : add_joined(&c->all, &piece);
}

int action_text_add(struct action_text *c, bool exec, const char *text, size_t len)
{
	size_t left = CORPUS_MAX - c->bytes;
	size_t count = c->count;
	int r;

	if (len > left) {
		c->cut = true;
		len = utf8_cut(text, len, left);
	}
	c->bytes += len;
	if (!len)
		return MT_OK;
	if (!exec)
		return add_said(c, text, len);
	r = action_text_add_piece(c, text, len);
	if (r || c->count == count)
		return r;
	r = add_joined(&c->exec, &c->pieces[count]);
	return r ? r : add_joined(&c->all, &c->pieces[count]);
}

void action_text_clear(struct action_text *c)
{
	for (size_t i = 0; i < c->count; i++) {
		strbuf_clear(&c->pieces[i]);
		strbuf_clear(&c->scripts[i]);
	}
	free(c->pieces);
	free(c->scripts);
	strbuf_clear(&c->exec);
	strbuf_clear(&c->all);
	action_text_init(c);
}
