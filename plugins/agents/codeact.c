/* SPDX-License-Identifier: MIT
 *
 * codeact.c - the general agent: sends the whole view and all tools to the model,
 * executes its calls, and passes text without a call to the user. */
#include "turn.h"

#include <string.h>

/* Data of the template for each profile. */
static const char *const profile_data[] = {
	[PROFILE_AUTO] = "",
	[PROFILE_FULL] = "{\"small\":false}",
	[PROFILE_SMALL] = "{\"small\":true}",
};

static int codeact_system_text(const struct mt_host *host, struct mt_ctx *ctx,
			       struct mt_str *ret_text)
{
	const char *data = profile_data[turn_profile(host, ctx)];

	return host->prompt(ctx, host->option(ctx, "prompt"),
			    (struct mt_str){ data, strlen(data) }, ret_text);
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "prompt",
	  .fallback = "system",
	  .help = "Template of the system prompt: system, system_interactive, "
		  "system_technical, system_long_horizon, or your own in prompt_dir." },
	{ .size = sizeof options[0], .type = MT_OPTION_CHOICE, .name = "profile",
	  .fallback = "auto", .choices = TURN_PROFILES,
	  .help = "Length of the system prompt and the tool descriptions; auto is "
		  "small for models with a small context window." },
};

static const struct mt_agent codeact = {
	.size = sizeof codeact,
	.system = codeact_system_text,
	.advance = turn_advance,
};

MT_AGENT(&codeact, "codeact", .name = "codeact",
	 .summary = "Plans, runs commands and edits files until the task is done.",
	 .options = options, .option_count = sizeof options / sizeof options[0])
