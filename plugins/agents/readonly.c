/* SPDX-License-Identifier: MIT
 *
 * readonly.c - an agent that reads and answers. It lists its tools, so that the host
 * does not enable any that write. */
#include "turn.h"

static int readonly_system_text(const struct mt_host *host, struct mt_ctx *ctx,
				struct mt_str *ret_text)
{
	return host->prompt(ctx, "readonly", (struct mt_str){ 0 }, ret_text);
}

static const struct mt_agent readonly = {
	.size = sizeof readonly,
	.flags = MT_AGENT_READ_ONLY,
	.system = readonly_system_text,
	.advance = turn_advance,
	.tools = "think, finish, search, view, recall",
};

MT_AGENT(&readonly, "readonly", .name = "readonly",
	 .summary = "Searches and reads files to answer questions; cannot change "
		    "anything.")
