/* SPDX-License-Identifier: MIT
 *
 * advance.c - calls the plugin of the active agent, with a view or with a reply. */
#include "controller/plugins/advance.h"

#include "controller/feature-api.h"
#include "controller/turn.h"
#include "log.h"

#include <string.h>

int advance_agent(struct mt_ctx *x, struct mt_in *in, struct error *err)
{
	struct agent_frame *frame = conversation_agent(x->c);
	const struct mt_agent *agent = frame->plugin.functions;
	const struct component *component = frame->plugin.component;
	struct guard_call outer;
	int r;

	in->size = sizeof *in;
	in->state.ptr = frame->state_text;
	in->state.len = frame->state_text ? strlen(frame->state_text) : 0;
	x->part = &frame->plugin;
	x->is_agent = true;
	log_context(component->plugin, component->name, NULL);
	outer = plugin_component_enter(x->part, "advance");
	r = agent->advance(plugin_host(), plugin_agent_out(), x, in);
	r = plugin_component_leave(x->part, "advance", outer, r, &x->error);
	log_context(NULL, NULL, NULL);
	x->plugin_failed = r != MT_OK;
	return r ? fail(err, r, "agent %s: %s", component->name,
			x->error.code ? x->error.text : status_name(r))
		 : MT_OK;
}

int advance_reply(struct conversation *c, struct llm_reply *reply, size_t done,
		  struct error *err)
{
	struct mt_in in = { .what = MT_REPLIED,
				  .effect = 1,
				  .reply = (const struct mt_reply *)reply };
	struct mt_ctx x = { .c = c, .replied = true };
	int r = turn_set_reply(c, reply, err);

	if (r)
		return r;
	r = advance_agent(&x, &in, err);
	plugin_ctx_clear(&x);
	turn_skip_planned(c, r ? 0 : done);
	return r;
}
