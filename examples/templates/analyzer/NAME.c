/* SPDX-License-Identifier: MIT
 *
 * @name@ - an analyzer that denies calls in which an argument contains a given text. */
#define MORTISE_PROVISIONAL
#include <mortise/analyzer.h>
#include <string.h>

static int advance(const struct mt_host *host, const struct mt_analyzer_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct mt_str rule = MT_STR("forbidden-text");
	static const struct mt_str denied =
		MT_STR("An argument contains a forbidden text.");
	static const struct mt_str allowed =
		MT_STR("No argument contains a forbidden text.");
	const char *text = host->option(ctx, "forbid");
	struct mt_argument argument = { .size = sizeof argument };

	if (in->what != MT_START)
		return MT_OK;
	for (size_t n = 0; out->argument(ctx, n, &argument) == MT_OK; n++)
		if (strstr(argument.text.ptr, text))
			return out->verdict(ctx, MT_RISK_HIGH, 1, rule, denied);
	return out->verdict(ctx, MT_RISK_LOW, 0, rule, allowed);
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "forbid",
	  .fallback = "rm -rf", .help = "Text that no argument may contain." },
};

static const struct mt_analyzer analyzer = {
	.size = sizeof analyzer,
	.advance = advance,
};

MT_ANALYZER(&analyzer, "@name@", .name = "@name@",
	    .summary = "Denies calls that contain a forbidden text.", .options = options,
	    .option_count = sizeof options / sizeof options[0])
