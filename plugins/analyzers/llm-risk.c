/* SPDX-License-Identifier: MIT
 *
 * llm-risk.c - the analyzer that uses the model's own rating: `security_risk` of its
 * call. */
#define MORTISE_PROVISIONAL
#include <mortise/analyzer.h>

static int llm_risk_advance(const struct mt_host *host, const struct mt_analyzer_out *out,
			    struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct mt_str rule = MT_STR("security_risk");
	static const struct mt_str said = MT_STR("the model reported this risk");
	static const struct mt_str silent = MT_STR("the model did not report a risk");
	int risk = out->said(ctx);

	(void)host;
	if (in->what != MT_START)
		return MT_OK;
	return out->verdict(ctx, risk, 0, rule, risk == MT_RISK_UNKNOWN ? silent : said);
}

static const struct mt_analyzer analyzer = {
	.size = sizeof analyzer,
	.flags = MT_ANALYZER_READS_RISK,
	.advance = llm_risk_advance,
};

MT_ANALYZER(&analyzer, "llm-risk", .name = "llm",
	    .summary = "Uses the risk that the model reports with each call.")
