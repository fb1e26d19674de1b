/* SPDX-License-Identifier: MIT
 *
 * readonly.c - an agent that looks and answers. It names the tools that it works
 * with, so that the host wires nothing that writes. */
#include "turn.h"

static int system_text(const struct mt_host *host, struct mt_ctx *ctx,
		       struct mt_str *ret_text)
{
	return host->prompt(ctx, "readonly", (struct mt_str){ 0 }, ret_text);
}

static const struct mt_agent readonly = {
	.size = sizeof readonly,
	.flags = MT_AGENT_READ_ONLY,
	.system = system_text,
	.advance = turn_advance,
	.tools = "think, finish, search",
};

static const struct mt_component component = {
	.size = sizeof component,
	.kind = MT_KIND_AGENT,
	.version_major = MT_AGENT_MAJOR,
	.version_minor = MT_AGENT_MINOR,
	.name = "readonly",
	.summary = "Searches and reads files to answer questions; cannot change anything.",
	.functions = &readonly,
};

MT_PLUGIN(.name = "readonly", .version = "1.0", .license = "MIT",
	  .components = &component, .component_count = 1)
