/* SPDX-License-Identifier: MIT
 *
 * amortized.c - the condenser that removes the middle when the view is too long, so
 * that it can grow for a while before the next condensation. */
#include "condenser-util.h"

static int amortized_advance(const struct mt_host *host,
			     const struct mt_condenser_out *out, struct mt_ctx *ctx,
			     const struct mt_in *in)
{
	const struct kit k = { host, out, ctx };
	struct condenser_util_range r;

	if (in->what != MT_START || !condenser_util_wanted(&k))
		return MT_OK;
	r = condenser_util_middle(&k, 0);
	return r.from < r.to ? condenser_util_forget(&k, r, TEXT("")) : MT_OK;
}

static const struct mt_condenser amortized = {
	.size = sizeof amortized,
	.advance = amortized_advance,
	.check = condenser_util_check_sizes,
};

MT_CONDENSER(&amortized, "amortized", .name = "amortized",
	     .summary = "Removes the middle of the history when it is too long.",
	     .options = condenser_util_options, .option_count = CONDENSER_SIZE_OPTIONS)
