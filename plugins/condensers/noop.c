/* SPDX-License-Identifier: MIT
 *
 * noop.c - the condenser that leaves the view as it is. */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

static int advance(const struct mt_host *host, const struct mt_condenser_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)host, (void)out, (void)ctx, (void)in;
	return MT_OK;
}

static const struct mt_condenser noop = { .size = sizeof noop, .advance = advance };

static const struct mt_component component = {
	.size = sizeof component,
	.kind = MT_KIND_CONDENSER,
	.version_major = MT_CONDENSER_MAJOR,
	.version_minor = MT_CONDENSER_MINOR,
	.name = "noop",
	.summary = "Forgets nothing.",
	.functions = &noop,
};

MT_PLUGIN(.name = "noop", .version = "1.0", .license = "MIT", .components = &component,
	  .component_count = 1)
