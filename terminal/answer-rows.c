/* SPDX-License-Identifier: MIT
 *
 * answer-rows.c - rows of an approval prompt: hidden lines, scopes, keys. */
#include "chat.h"

#include <string.h>

enum { ROWS_MAX = 64 << 10 };

const char *answer_lead(const struct chat *c)
{
	if (c->term.plain)
		return "y/n/a/e/v: ";
	return c->asks.editing ? "edit> " : "answer> ";
}

/* Add the keys, with as many labels as fit. */
static void add_keys(const struct chat *c, struct strbuf *out)
{
	const struct question *q = &c->asks;
	bool always = answer_scopes(q) > 0, cut = q->hidden > 0;
	bool edit = action_editable(q->event) != NULL;
	const char *then = answer_is_high(q) ? "then Enter; or type a reason"
					     : "or type a reason, Enter";

	if (q->editing)
		strbuf_add(out, "Enter: run as shown   Escape: back");
	else if (!answer_ready(c))
		strbuf_add(out, "...");
	else if (c->term.columns >= 66)
		strbuf_addf(out, "%s   n no%s%s   %s", cut ? "v view all" : "y yes",
			    always ? "   a always" : "", edit ? "   e edit" : "", then);
	else
		strbuf_addf(out, "%s n no%s%s, %s", cut ? "v view" : "y yes",
			    always ? " a always" : "", edit ? " e edit" : "",
			    answer_is_high(q) ? "Enter" : "or a reason");
}

static void add_row(struct strbuf *out, const struct style *s, enum paint p,
		    const char *text, size_t len)
{
	style_begin(out, s, p);
	strbuf_addn(out, text, len);
	style_end(out, s, p);
	strbuf_addc(out, '\n');
}

static void add_scopes(const struct chat *c, struct strbuf *out)
{
	const struct question *q = &c->asks;
	bool project;
	size_t scope, count = answer_scopes(q);

	if (q->editing || !answer_always(q, c->line.text.text, &scope, &project))
		return;
	if (!q->listed)
		answer_scope_rows(c, out, scope);
	if (count) {
		AUTO(strbuf) struct strbuf how = STRBUF(ROWS_MAX);
		const char *keys = "Up, Down: scope   Tab: duration   Enter";

		strbuf_addf(&how, "always %zu, for this %s", scope + 1,
			    project ? "project" : "conversation");
		add_row(out, &c->show.style, BOLD, how.text, how.len);
		add_row(out, &c->show.style, DIM, keys, strlen(keys));
	}
}

/* Report the lines of the action that are not on the screen. */
static void answer_rows_add_rest(const struct chat *c, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(ROWS_MAX);
	const struct question *q = &c->asks;

	if (q->editing || q->rows + OTHER_ROWS / 2 <= c->term.rows)
		return;
	if (q->hidden)
		strbuf_addf(&text, "%zu line%s hidden; press v to view all", q->hidden,
			    q->hidden == 1 ? " is" : "s are");
	else
		strbuf_addf(&text, "%zu lines; scroll up to see the first", q->rows);
	add_row(out, &c->show.style, YELLOW, text.text, text.len);
}

void answer_rows(const struct chat *c, struct strbuf *out)
{
	const struct question *q = &c->asks;
	AUTO(strbuf) struct strbuf keys = STRBUF(ROWS_MAX);

	answer_rows_add_rest(c, out);
	add_scopes(c, out);
	if (q->hint)
		add_row(out, &c->show.style, YELLOW, q->hint, strlen(q->hint));
	add_keys(c, &keys);
	add_row(out, &c->show.style, REVERSE, keys.text, keys.len);
}
