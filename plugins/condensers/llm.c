/* SPDX-License-Identifier: MIT
 *
 * llm.c - the condenser that summarizes the middle of a view that is too long. */
#include "summary.h"

static int llm_condenser_read_text(const struct kit *k, const struct mt_reply *reply,
				   struct strbuf *ret_summary)
{
	struct mt_str text = k->host->reply_text(reply);

	return strbuf_addn(ret_summary, text.ptr ? text.ptr : "", text.len);
}

static int llm_advance(const struct mt_host *host, const struct mt_condenser_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct summary_way way = { .prompt = "condense",
						.read = llm_condenser_read_text };
	const struct kit k = { host, out, ctx };

	return summary_advance(&k, in, &way);
}

static const struct mt_condenser llm = {
	.size = sizeof llm,
	.advance = llm_advance,
	.check = condenser_util_check_sizes,
};

MT_CONDENSER(&llm, "llm", .name = "llm",
	     .summary = "Summarizes the middle of the history with a model when it is "
			"too long.",
	     .options = condenser_util_options, .option_count = CONDENSER_SUMMARY_OPTIONS)
