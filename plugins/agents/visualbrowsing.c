/* SPDX-License-Identifier: MIT
 *
 * visualbrowsing.c - an agent that uses a browser and also sees the page, with marks
 * on elements that accept actions. */
#include "browse.h"

static const struct browse_way way = {
	.system = "visualbrowsing",
	.step = "visualbrowsing_step",
	.sees = true,
};

static int visualbrowsing_system_text(const struct mt_host *host, struct mt_ctx *ctx,
				      struct mt_str *ret_text)
{
	return host->prompt(ctx, way.system, (struct mt_str){ 0 }, ret_text);
}

static int visualbrowsing_advance(const struct mt_host *host,
				  const struct mt_agent_out *out, struct mt_ctx *ctx,
				  const struct mt_in *in)
{
	return browse_advance(&way, host, out, ctx, in);
}

static const struct mt_agent agent = {
	.size = sizeof agent,
	.system = visualbrowsing_system_text,
	.advance = visualbrowsing_advance,
	.tools = "browser",
};

MT_AGENT(&agent, "visualbrowsing", .name = "visualbrowsing",
	 .summary = "Uses a web browser and sees pages as screenshots, for models with "
		    "vision.")
