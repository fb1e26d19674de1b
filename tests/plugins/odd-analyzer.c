/* SPDX-License-Identifier: MIT
 *
 * odd-analyzer.c - analyzers for tests that misbehave: they fail, return nothing, or
 * return an invalid risk. Never installed. */
#define MORTISE_PROVISIONAL
#include <mortise/analyzer.h>

static const struct mt_str rule = MT_STR("odd");

static int fails(const struct mt_host *host, const struct mt_analyzer_out *out,
		 struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)host, (void)out, (void)ctx, (void)in;
	return MT_EIO;
}

static int says_nothing(const struct mt_host *host, const struct mt_analyzer_out *out,
			struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)host, (void)out, (void)ctx, (void)in;
	return MT_OK;
}

static int says_99(const struct mt_host *host, const struct mt_analyzer_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)host, (void)in;
	out->verdict(ctx, 99, 0, rule, rule);
	return MT_OK;
}

/* A verdict, and then a failure: the verdict does not count. */
static int says_low_and_fails(const struct mt_host *host,
			      const struct mt_analyzer_out *out, struct mt_ctx *ctx,
			      const struct mt_in *in)
{
	(void)host, (void)in;
	out->verdict(ctx, MT_RISK_LOW, 0, rule, rule);
	return MT_EIO;
}

#define ANALYZER(function) \
	static const struct mt_analyzer function##_functions = { \
		.size = sizeof(struct mt_analyzer), .advance = function }
#define COMPONENT(title, function) { \
		.size = sizeof(struct mt_component), .kind = MT_KIND_ANALYZER, \
		.version_major = MT_ANALYZER_MAJOR, .version_minor = MT_ANALYZER_MINOR, \
		.name = title, .summary = "An analyzer that misbehaves.", \
		.functions = &function##_functions }

ANALYZER(fails);
ANALYZER(says_nothing);
ANALYZER(says_99);
ANALYZER(says_low_and_fails);

static const struct mt_component components[] = {
	COMPONENT("odd-fails", fails),
	COMPONENT("odd-silent", says_nothing),
	COMPONENT("odd-99", says_99),
	COMPONENT("odd-low", says_low_and_fails),
};

MT_PLUGIN(.name = "odd-analyzer", .version = "1.0", .license = "MIT",
	  .components = components,
	  .component_count = sizeof components / sizeof *components)
