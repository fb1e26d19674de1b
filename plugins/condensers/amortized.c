/* SPDX-License-Identifier: MIT
 *
 * amortized.c - the condenser that forgets the middle when the view has grown
 * too long, so that it grows for a while before the next time. */
#include "kit.h"

static int advance(const struct mt_host *host, const struct mt_condenser_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	const struct kit k = { host, out, ctx };
	struct kit_range r;

	if (in->what != MT_START || !kit_wanted(&k))
		return MT_OK;
	r = kit_middle(&k, 0);
	return r.from < r.to ? kit_forget(&k, r, TEXT("")) : MT_OK;
}

static const struct mt_condenser amortized = {
	.size = sizeof amortized,
	.advance = advance,
	.check = kit_check_sizes,
};

MT_CONDENSER(&amortized, "amortized", .name = "amortized",
	     .summary = "Forgets the middle when the view is too long.",
	     .options = kit_size_options, .option_count = 2)
