/* SPDX-License-Identifier: MIT
 *
 * plugin-ctx.c - stores and frees the data of a work. */
#include "controller/plugins/plugin-ctx.h"

#include "array.h"
#include "controller/feature-api.h"
#include "request/request.h"

static void drop_handle(struct mt_event *e)
{
	event_unref(e->event);
	free(e);
}

void plugin_ctx_clear(struct mt_ctx *x)
{
	if (x->sent && x->request && x->part->end_wait)
		x->part->end_wait(x->part->stand_in);
	for (size_t i = 0; i < x->event_count; i++)
		drop_handle(x->events[i]);
	free(x->events);
	for (size_t i = 0; i < x->text_count; i++)
		free(x->texts[i]);
	free(x->texts);
	for (size_t i = 0; i < x->argc; i++)
		free(x->argv[i]);
	free(x->argv);
	for (size_t i = 0; i < x->envc; i++)
		free(x->env[i]);
	free(x->env);
	free(x->workspace);
	free(x->view);
	free(x->cuts);
	free(x->pinned);
	free(x->shown);
	free(x->kept);
	llm_request_free(x->request);
	json_object_put(x->http);
	json_object_put(x->http_made);
	*x = (struct mt_ctx){ 0 };
}

bool plugin_ctx_converses(struct mt_ctx *x)
{
	if (x->c && conversation_agent(x->c)->memory)
		return true;
	fail(&x->error, MT_EUNSUPPORTED,
	     "this function runs outside a conversation: it cannot query a model, render a "
	     "prompt or store state");
	return false;
}

const char *plugin_hold_text(struct mt_ctx *x, char *text)
{
	if (!text || ARRAY_ADD(x->texts, x->text_count, ARRAY_MAX)) {
		free(text);
		return NULL;
	}
	x->texts[x->text_count++] = text;
	return text;
}

const struct mt_event *plugin_hold_event(struct mt_ctx *x, int64_t id)
{
	struct mt_event *e;

	if (ARRAY_GROW(x->events, &x->event_room, x->event_count + 1, ARRAY_MAX))
		return NULL;
	e = malloc(sizeof *e);
	if (!e)
		return NULL;
	*e = (struct mt_event){ .log = conversation_log(x->c), .id = id };
	x->events[x->event_count++] = e;
	return e;
}
