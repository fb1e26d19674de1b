/* SPDX-License-Identifier: MIT
 *
 * dummy.c - an agent without a model: it runs one command, waits for it and finishes.
 * For tests of everything around an agent. */
#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <string.h>

static int dummy_system_text(const struct mt_host *host, struct mt_ctx *ctx,
			     struct mt_str *ret_text)
{
	(void)host, (void)ctx;
	*ret_text = (struct mt_str)MT_STR("This conversation has no model.");
	return MT_OK;
}

/* True if the view contains the output of a command. */
static int has_run(const struct mt_host *host, struct mt_ctx *ctx)
{
	for (size_t i = host->view_count(ctx); i-- > 0;) {
		const struct mt_event *e = host->view_at(ctx, i);

		if (!host->event_is_action(e) && strcmp(host->event_type(e), "run") == 0)
			return 1;
	}
	return 0;
}

static int dummy_advance(const struct mt_host *host, const struct mt_agent_out *out,
			 struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct mt_str run = MT_STR("{\"command\":\"echo hello\"}");
	static const struct mt_str done = MT_STR("{\"final_thought\":\"done\"}");

	if (in->what != MT_START)
		return MT_EUNSUPPORTED;
	return has_run(host, ctx) ? out->action(ctx, "finish", done)
				  : out->action(ctx, "run", run);
}

static const struct mt_agent dummy = {
	.size = sizeof dummy,
	.flags = MT_AGENT_NO_MODEL,
	.system = dummy_system_text,
	.advance = dummy_advance,
};

MT_AGENT(&dummy, "dummy", .name = "dummy",
	 .summary = "Runs one command and finishes, without a model.")
