/* SPDX-License-Identifier: MIT
 *
 * condense-preview.c - runs the condensers of a conversation without its agent. */
#include "features/condense-preview.h"

#include "context/history.h"
#include "context/request-messages.h"
#include "controller/feature-api.h"
#include "controller/plugins/plugin-host.h"
#include "features/condense.h"

#include <string.h>

enum { TRIM_ROUNDS_MAX = 8 };

struct condense_preview {
	void (*over)(void *arg, struct condensed_view *t, const struct error *err);
	void *arg;
	unsigned rounds;
};

void condense_view_clear(struct condensed_view *t)
{
	free(t->ids);
	free(t->summary);
	*t = (struct condensed_view){ 0 };
}

static int condense_preview_measure(struct mt_ctx *x, struct condensed_view *ret,
				    struct error *err)
{
	*ret = (struct condensed_view){ .ids = calloc(x->view_count + 1,
						      sizeof *ret->ids) };
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
	ret->tokens = plugin_view_tokens(x);
	return MT_OK;
}

int conversation_view(struct conversation *c, struct condensed_view *ret,
		      struct error *err)
{
	struct mt_ctx x = { .c = c, .part = &conversation_agent(c)->plugin };
	int r = history_view(conversation_agent(c)->history, &x.view, &x.view_count, err);

	if (!r)
		r = condense_preview_measure(&x, ret, err);
	plugin_ctx_clear(&x);
	return r;
}

/* Its state in a conversation is the pointer to the preview; NULL: none. */
static struct condense_preview *preview_of(const struct conversation *c)
{
	return *(struct condense_preview **)feature_state(c, &condense_preview_feature);
}

static void condense_preview_end(struct conversation *c, struct condensed_view *t,
				 const struct error *err)
{
	struct condense_preview **state = feature_state(c, &condense_preview_feature);
	struct condense_preview *now = *state;

	*state = NULL;
	condense_set_client(c, NULL);
	now->over(now->arg, err->code ? NULL : t, err);
	condense_view_clear(t);
	free(now);
}

static void condense_preview_finish(struct conversation *c, struct mt_ctx *x,
				    struct error *err)
{
	struct condensed_view t = { 0 };

	if (!err->code)
		condense_preview_measure(x, &t, err);
	condense_preview_end(c, &t, err);
}

static void condense_preview_restart(struct conversation *c)
{
	enum condensing what = CONDENSE_AGAIN;
	struct error err = ERROR_NONE;

	while (what == CONDENSE_AGAIN && !err.code) {
		struct mt_ctx x = { .c = c, .part = &conversation_agent(c)->plugin };

		if (++preview_of(c)->rounds > TRIM_ROUNDS_MAX)
			fail(&err, MT_ELIMIT, "condensers did not converge");
		else if (!history_view(conversation_agent(c)->history, &x.view,
				       &x.view_count, &err) &&
			 condense_view(&x, &what, &err) && !err.code)
			err = x.error;
		if (err.code || what == CONDENSE_DONE)
			condense_preview_finish(c, &x, &err);
		plugin_ctx_clear(&x);
	}
}

void conversation_condense_preview(struct conversation *c,
				   void (*over)(void *arg, struct condensed_view *t,
						const struct error *err),
				   void *arg)
{
	static const struct condense_client client = {
		.finish = condense_preview_finish, .restart = condense_preview_restart };
	struct condense_preview **state = feature_state(c, &condense_preview_feature);
	struct error err = ERROR_NONE;

	*state = calloc(1, sizeof **state);
	if (!*state) {
		out_of_memory(&err);
		over(arg, NULL, &err);
		return;
	}
	(*state)->over = over;
	(*state)->arg = arg;
	condense_set_client(c, &client);
	condense_request(c);
	condense_preview_restart(c);
}

const struct feature condense_preview_feature = {
	.name = "condense preview",
	.state_size = sizeof(struct condense_preview *),
};
