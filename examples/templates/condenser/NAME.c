/* SPDX-License-Identifier: MIT
 *
 * @name@ - a condenser that hides the output of all but the newest observations. */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

static int advance(const struct mt_host *host, const struct mt_condenser_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct mt_str hidden = MT_STR("(old output hidden by @name@)");
	size_t count = host->view_count(ctx);
	int64_t keep = host->option_int(ctx, "keep");
	int status = MT_OK;

	if (in->what != MT_START)
		return MT_OK;
	for (size_t place = count; place-- > 0 && !status;) {
		const struct mt_event *event = host->view_at(ctx, place);

		/* an observation has a cause; a summary is not an event */
		if (event && host->event_cause(event) >= 0 && keep-- <= 0)
			status = out->mask(ctx, place, hidden);
	}
	return status;
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "keep",
	  .fallback = "1", .min = 0, .max = 1000,
	  .help = "Number of observations to leave unchanged." },
};

static const struct mt_condenser condenser = {
	.size = sizeof condenser,
	.advance = advance,
};

MT_CONDENSER(&condenser, "@name@", .name = "@name@",
	     .summary = "Hides the output of old observations.", .options = options,
	     .option_count = sizeof options / sizeof options[0])
