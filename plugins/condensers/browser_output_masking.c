/* SPDX-License-Identifier: MIT
 *
 * browser_output_masking.c - the condenser that shows only the newest browser pages;
 * of the others the URL remains. */
#include "masking.h"

#include <stdio.h>
#include <string.h>

enum { URL_SHOWN_MAX = 2000 };

static int mask_page(const struct mt_host *host, const struct mt_condenser_out *out,
		     struct mt_ctx *ctx, size_t place, const struct mt_event *e)
{
	struct mt_str url = host->event_field(e, "extras.url");
	char text[URL_SHOWN_MAX + 64];
	int len = snprintf(text, sizeof text, "Visited URL %.*s\nContent omitted",
			   (int)(url.len < URL_SHOWN_MAX ? url.len : URL_SHOWN_MAX),
			   url.ptr ? url.ptr : "");

	return out->mask(ctx, place, (struct mt_str){ text, (size_t)len });
}

static int browser_masking_advance(const struct mt_host *host,
				   const struct mt_condenser_out *out, struct mt_ctx *ctx,
				   const struct mt_in *in)
{
	int64_t left = host->option_int(ctx, "attention_window");
	int r = MT_OK;

	if (in->what != MT_START)
		return MT_OK;
	for (size_t i = host->view_count(ctx); !r && i-- > 0;) {
		const struct mt_event *e = masking_own_observation(host, out, ctx, i);

		if (e && strcmp(host->event_type(e), "browse") == 0 && left-- <= 0)
			r = mask_page(host, out, ctx, i, e);
	}
	return r;
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "attention_window",
	  .fallback = "1", .min = 1, .max = 1000000,
	  .help = "Number of most recent pages to keep in full." },
};

static const struct mt_condenser browser_output_masking = {
	.size = sizeof browser_output_masking,
	.advance = browser_masking_advance,
};

MT_CONDENSER(&browser_output_masking, "browser_output_masking",
	     .name = "browser_output_masking",
	     .summary = "Masks all but the most recent browser pages.",
	     .options = options, .option_count = 1)
