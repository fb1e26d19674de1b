/* SPDX-License-Identifier: MIT
 *
 * turn-budget.c - shortens the longest results of a reply whose total exceeds the
 * limit. */
#include "context/turn-budget.h"

#include "line-cut.h"
#include "utf8.h"

#include <stdint.h>
#include <stdlib.h>

enum { TEXT_MAX = 64 << 20 };

static int by_length(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return the length to which the longest of `count` texts must be cut, so that their
 * total is at most `max` characters. SIZE_MAX: they fit. Sorts `lens`. */
static size_t turn_budget_share(size_t *lens, size_t count, size_t max)
{
	qsort(lens, count, sizeof *lens, by_length);
	for (size_t i = 0; i < count; i++) {
		size_t share = max / (count - i);

		if (lens[i] > share)
			return share ? share : 1;
		max -= lens[i];
	}
	return SIZE_MAX;
}

/* ---- one result ------------------------------------------------------------- */

struct source {
	const struct request_messages_options *options;
	int64_t event;
	char *path; /* requested once */
};

static const char *turn_budget_full_result(void *arg)
{
	struct source *s = arg;

	if (!s->path && s->options->full_result)
		s->path = s->options->full_result(s->event, s->options->arg);
	return s->path;
}

static int make_short(struct message_part *p, size_t chars,
		      const struct request_messages_options *o)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);
	struct source source = { .options = o, .event = p->event };
	const struct line_cut cut = { .text = p->text, .len = p->len, .chars_max = chars,
				      .line_max = chars / 2 + 1, .full = turn_budget_full_result,
				      .arg = &source };
	size_t parts = p->own_count * sizeof *p->own_parts;
	int r = line_cut(&cut, &text, NULL);
	struct llm_part *made = r ? NULL : malloc(parts + text.len + 1);
	char *at;

	free(source.path);
	if (!made)
		return MT_ENOMEM;
	memcpy(made, p->own_parts, parts);
	at = (char *)made + parts;
	made[0].text = message_block_put(&at, text.text, text.len);
	made[0].len = text.len;
	free(p->short_parts);
	p->short_parts = made;
	p->short_chars = chars;
	p->short_stamp = llm_message_stamp();
	return MT_OK;
}

static int shorten(struct message_part *p, size_t chars,
		   const struct request_messages_options *o)
{
	if ((!p->short_parts || p->short_chars != chars) && make_short(p, chars, o))
		return MT_ENOMEM;
	p->parts = p->short_parts;
	p->shown_stamp = p->short_stamp;
	return MT_OK;
}

/* ---- all results ------------------------------------------------------------ */

/* Characters of the text; masked results are short already. */
static size_t length(const struct message_part *p)
{
	return p && p->parts == p->own_parts ? utf8_count(p->text, p->len) : 0;
}

int turn_budget_apply(struct message_turn *t, const struct request_messages_options *o)
{
	AUTO(free) size_t *lens = NULL;
	size_t total = 0, share;
	int r = MT_OK;

	for (size_t i = 0; i < t->count; i++)
		total += t->results[i] ? t->results[i]->len : 0;
	if (!o->max_turn_chars || total <= o->max_turn_chars)
		return MT_OK;
	lens = calloc(t->count, sizeof *lens);
	if (!lens)
		return MT_ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		lens[i] = length(t->results[i]);
	share = turn_budget_share(lens, t->count, o->max_turn_chars);
	for (size_t i = 0; !r && i < t->count; i++)
		if (length(t->results[i]) > share)
			r = shorten(t->results[i], share, o);
	return r;
}
