/* SPDX-License-Identifier: MIT
 *
 * recent.c - the condenser that keeps the first events and the newest ones. */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

static int recent_advance(const struct mt_host *host, const struct mt_condenser_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	size_t count = host->view_count(ctx);
	size_t first = (size_t)host->option_int(ctx, "keep_first");
	size_t most = (size_t)host->option_int(ctx, "max_events");
	size_t tail = most > first ? most - first : 0;

	if (in->what != MT_START || count <= most || count <= first + tail)
		return MT_OK;
	return out->drop(ctx, first, count - tail - first);
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "keep_first",
	  .fallback = "1", .min = 0, .max = 1000000,
	  .help = "Number of events at the start to keep." },
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "max_events",
	  .fallback = "100", .min = 1, .max = 1000000,
	  .help = "Maximum number of events to keep." },
};

static const struct mt_condenser recent = { .size = sizeof recent,
					    .advance = recent_advance };

MT_CONDENSER(&recent, "recent", .name = "recent",
	     .summary = "Keeps the first and the most recent events.", .options = options,
	     .option_count = sizeof options / sizeof options[0])
