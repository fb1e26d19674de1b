/* SPDX-License-Identifier: MIT
 *
 * codeact.c - the general agent: the whole view and all tools go to the model;
 * what it calls is done, what it only says is a message to the user. */
#include "turn.h"

static int system_text(const struct mt_host *host, struct mt_ctx *ctx,
		       struct mt_str *ret_text)
{
	return host->prompt(ctx, "system", (struct mt_str){ 0 }, ret_text);
}

static const struct mt_agent codeact = {
	.size = sizeof codeact,
	.system = system_text,
	.advance = turn_advance,
};

static const struct mt_component component = {
	.size = sizeof component,
	.kind = MT_KIND_AGENT,
	.version_major = MT_AGENT_MAJOR,
	.version_minor = MT_AGENT_MINOR,
	.name = "codeact",
	.summary = "Plans, runs commands and edits files until the task is done.",
	.functions = &codeact,
};

MT_PLUGIN(.name = "codeact", .version = "1.0", .license = "MIT", .components = &component,
	  .component_count = 1)
