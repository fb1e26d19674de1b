/* SPDX-License-Identifier: MIT
 *
 * trim.c - the condensers of a conversation at work without its agent. */
#include "controller/internal.h"

#include "controller/trim.h"

#include <string.h>

enum { TRIM_ROUNDS_MAX = 8 };

struct trimming {
	void (*over)(void *arg, struct trimmed *t, const struct error *err);
	void *arg;
	unsigned rounds;
};

void trimmed_clear(struct trimmed *t)
{
	free(t->ids);
	free(t->summary);
	*t = (struct trimmed){ 0 };
}

static int measure(struct mt_ctx *x, struct trimmed *ret, struct error *err)
{
	*ret = (struct trimmed){ .ids = calloc(x->view_count + 1, sizeof *ret->ids) };
	if (!ret->ids)
		return out_of_memory(err);
	for (size_t i = 0; i < x->view_count; i++) {
		const struct view_item *item = &x->view[i];

		if (item->event >= 0) {
			ret->ids[ret->count++] = item->event;
			ret->masked += item->text != NULL;
			continue;
		}
		ret->summaries++;
		free(ret->summary);
		ret->summary = strndup(item->text ? item->text : "", item->len);
	}
	ret->tokens = view_tokens(x);
	return MT_OK;
}

int conversation_view(struct conversation *c, struct trimmed *ret, struct error *err)
{
	struct mt_ctx x = { .c = c, .part = &c->agent };
	int r = history_view(c->history, &x.view, &x.view_count, err);

	if (!r)
		r = measure(&x, ret, err);
	ctx_clear(&x);
	return r;
}

static void end(struct conversation *c, struct trimmed *t, const struct error *err)
{
	struct trimming *now = c->trimming;

	c->trimming = NULL;
	now->over(now->arg, err->code ? NULL : t, err);
	trimmed_clear(t);
	free(now);
}

void trim_over(struct conversation *c, struct mt_ctx *x, struct error *err)
{
	struct trimmed t = { 0 };

	if (!err->code)
		measure(x, &t, err);
	end(c, &t, err);
}

void trim_again(struct conversation *c)
{
	enum condensing what = CONDENSE_AGAIN;
	struct error err = ERROR_NONE;

	while (what == CONDENSE_AGAIN && !err.code) {
		struct mt_ctx x = { .c = c, .part = &c->agent };

		if (++c->trimming->rounds > TRIM_ROUNDS_MAX)
			fail(&err, MT_ELIMIT, "the condensers come to no end");
		else if (!history_view(c->history, &x.view, &x.view_count, &err)
			 && condense(&x, &what, &err) && !err.code)
			err = x.error;
		if (err.code || what == CONDENSE_DONE)
			trim_over(c, &x, &err);
		ctx_clear(&x);
	}
}

void conversation_trim(struct conversation *c,
		       void (*over)(void *arg, struct trimmed *t, const struct error *err),
		       void *arg)
{
	struct error err = ERROR_NONE;

	c->trimming = calloc(1, sizeof *c->trimming);
	if (!c->trimming) {
		out_of_memory(&err);
		over(arg, NULL, &err);
		return;
	}
	c->trimming->over = over;
	c->trimming->arg = arg;
	c->condense = true;
	trim_again(c);
}
