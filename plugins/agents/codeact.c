/* SPDX-License-Identifier: MIT
 *
 * codeact.c - the general agent: the whole view and all tools go to the model;
 * what it calls is done, what it only says is a message to the user. */
#include "turn.h"

#include <string.h>

static const char small[] = "{\"small\":true}", full[] = "{\"small\":false}";

static int codeact_system_text(const struct mt_host *host, struct mt_ctx *ctx,
			       struct mt_str *ret_text)
{
	const char *profile = host->option(ctx, "profile");
	struct mt_str data = { 0 };

	if (strcmp(profile, "small") == 0)
		data = (struct mt_str){ small, sizeof small - 1 };
	else if (strcmp(profile, "full") == 0)
		data = (struct mt_str){ full, sizeof full - 1 };
	return host->prompt(ctx, host->option(ctx, "prompt"), data, ret_text);
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "prompt",
	  .fallback = "system",
	  .help = "Template of the system text: system, system_interactive, "
		  "system_technical, system_long_horizon, or one of your own in prompt_dir." },
	{ .size = sizeof options[0], .type = MT_OPTION_CHOICE, .name = "profile",
	  .fallback = "auto", .choices = "auto|full|small",
	  .help = "How long system text and descriptions of tools are; auto is small for "
		  "a model whose window is known to be small." },
};

static const struct mt_agent codeact = {
	.size = sizeof codeact,
	.system = codeact_system_text,
	.advance = turn_advance,
};

MT_AGENT(&codeact, "codeact", .name = "codeact",
	 .summary = "Plans, runs commands and edits files until the task is done.",
	 .options = options, .option_count = sizeof options / sizeof options[0])
