/* SPDX-License-Identifier: MIT
 *
 * noop.c - the condenser that does not change the view. */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

static int noop_advance(const struct mt_host *host, const struct mt_condenser_out *out,
			struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)host, (void)out, (void)ctx, (void)in;
	return MT_OK;
}

static const struct mt_condenser noop = { .size = sizeof noop, .advance = noop_advance };

MT_CONDENSER(&noop, "noop", .name = "noop", .summary = "Forgets nothing.")
