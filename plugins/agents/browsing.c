/* SPDX-License-Identifier: MIT
 *
 * browsing.c - an agent that uses a browser and reads the page as text. */
#include "browse.h"

static const struct browse_way way = {
	.system = "browsing",
	.step = "browsing_step",
};

static int browsing_system_text(const struct mt_host *host, struct mt_ctx *ctx,
				struct mt_str *ret_text)
{
	return host->prompt(ctx, way.system, (struct mt_str){ 0 }, ret_text);
}

static int browsing_advance(const struct mt_host *host, const struct mt_agent_out *out,
			    struct mt_ctx *ctx, const struct mt_in *in)
{
	return browse_advance(&way, host, out, ctx, in);
}

static const struct mt_agent agent = {
	.size = sizeof agent,
	.system = browsing_system_text,
	.advance = browsing_advance,
	.tools = "browser",
};

MT_AGENT(&agent, "browsing", .name = "browsing",
	 .summary = "Uses a web browser and reads pages as text.")
