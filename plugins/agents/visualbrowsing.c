/* SPDX-License-Identifier: MIT
 *
 * visualbrowsing.c - an agent that works in a browser and sees the
 * page too, with marks on what can be acted on. */
#include "browse.h"

static const struct browse_way way = {
	.system = "visualbrowsing",
	.step = "visualbrowsing_step",
	.sees = true,
};

static int system_text(const struct mt_host *host, struct mt_ctx *ctx,
		       struct mt_str *ret_text)
{
	return host->prompt(ctx, way.system, (struct mt_str){ 0 }, ret_text);
}

static int advance(const struct mt_host *host, const struct mt_agent_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	return browse_advance(&way, host, out, ctx, in);
}

static const struct mt_agent agent = {
	.size = sizeof agent,
	.system = system_text,
	.advance = advance,
	.tools = "browser",
};

static const struct mt_component component = {
	.size = sizeof component,
	.kind = MT_KIND_AGENT,
	.version_major = MT_AGENT_MAJOR,
	.version_minor = MT_AGENT_MINOR,
	.name = "visualbrowsing",
	.summary = "Works in a web browser and sees its pages, for models that take images.",
	.functions = &agent,
};

MT_PLUGIN(.name = "visualbrowsing", .version = "1.0", .license = "MIT", .components = &component,
	  .component_count = 1)
