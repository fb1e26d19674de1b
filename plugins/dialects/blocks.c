/* SPDX-License-Identifier: MIT
 *
 * blocks.c - implements blocks.h. */
#include "blocks.h"
#include "space.h"

#include <string.h>

void blocks_next(struct blocks *b)
{
	if (b->count++)
		PUT(b->w, ",");
	b->open = false;
}

void blocks_text(struct blocks *b, void (*each)(struct writer *w, struct mt_str text))
{
	struct mt_str text = { "", 0 };

	for (size_t p = 0; p < b->w->host->part_count(b->w->r, b->m); p++) {
		if (writer_part(b->w, b->m, p, &text) || space_is_blank(text))
			continue;
		blocks_next(b);
		each(b->w, text);
	}
}

static void put_word(struct writer *w, const char *word)
{
	writer_put(w, word, strlen(word));
}

static void blocks_put_call(struct blocks *b, size_t c)
{
	const struct call_form *words = &b->form->words;
	struct writer *w = b->w;
	struct mt_str id, name, args;

	w->host->call(w->r, b->m, c, &id, &name, &args);
	put_word(w, words->id);
	writer_put_name(w, id);
	put_word(w, words->name);
	writer_put_name(w, name);
	put_word(w, words->input);
	writer_put_args(w, args);
	put_word(w, words->end);
}

void blocks_call(struct blocks *b, size_t c, json_object *kept)
{
	if (c >= BLOCKS_CALLS_MAX || b->sent[c])
		return;
	b->sent[c] = true;
	blocks_next(b);
	if (b->form->call)
		b->form->call(b, c, kept);
	else
		blocks_put_call(b, c);
}

void blocks_call_of(struct blocks *b, const char *id, json_object *kept)
{
	for (size_t c = 0; c < b->calls; c++) {
		struct mt_str own;

		b->w->host->call(b->w->r, b->m, c, &own, NULL, NULL);
		if (own.len == strlen(id) && memcmp(own.ptr, id, own.len) == 0)
			blocks_call(b, c, kept);
	}
}

void blocks_put(struct writer *w, size_t m, const struct blocks_form *form)
{
	struct blocks b = { .w = w, .form = form, .m = m,
			    .calls = w->host->call_count(w->r, m) };
	AUTO(json) json_object *kept = writer_kept(w, m, form->kept);
	bool list = json_object_is_type(kept, json_type_array);

	for (size_t i = 0; list && i < json_object_array_length(kept); i++)
		form->item(&b, json_object_array_get_idx(kept, i));
	if (!list)
		form->text(&b, NULL);
	for (size_t c = 0; c < b.calls; c++)
		blocks_call(&b, c, list ? kept : NULL);
	if (!b.count || b.open) {
		blocks_next(&b);
		put_word(w, form->empty);
	}
}
