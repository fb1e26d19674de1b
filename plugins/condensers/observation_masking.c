/* SPDX-License-Identifier: MIT
 *
 * observation_masking.c - the condenser that shows the observations of only the newest
 * events. */
#include "masking.h"

static const char masked[] = "<MASKED>";

static int masking_advance(const struct mt_host *host, const struct mt_condenser_out *out,
			   struct mt_ctx *ctx, const struct mt_in *in)
{
	size_t count = host->view_count(ctx);
	size_t window = (size_t)host->option_int(ctx, "attention_window");
	int r = MT_OK;

	if (in->what != MT_START)
		return MT_OK;
	for (size_t i = 0; !r && i + window < count; i++)
		if (masking_own_observation(host, out, ctx, i))
			r = out->mask(ctx, i,
				      (struct mt_str){ masked, sizeof masked - 1 });
	return r;
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "attention_window",
	  .fallback = "100", .min = 1, .max = 1000000,
	  .help = "Number of most recent events whose observations to keep." },
};

static const struct mt_condenser observation_masking = {
	.size = sizeof observation_masking,
	.advance = masking_advance,
};

MT_CONDENSER(&observation_masking, "observation_masking", .name = "observation_masking",
	     .summary = "Masks the observations of all but the most recent events.",
	     .options = options, .option_count = 1)
