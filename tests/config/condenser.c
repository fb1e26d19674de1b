/* SPDX-License-Identifier: MIT
 *
 * condenser.c - a plugin of two kinds for test-registry. */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>
#include <mortise/tool.h>

static int advance(const struct mt_host *host, const struct mt_condenser_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)host;
	(void)out;
	(void)ctx;
	(void)in;
	return 42;
}

static int call(const struct mt_tool_host *host, void *self, struct mt_call *c)
{
	(void)host;
	(void)self;
	(void)c;
	return MT_OK;
}

static const struct mt_option options[] = {
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_INT, .name = "keep",
	  .fallback = "10", .help = "How many events stay.", .min = 1, .max = 100 },
};

static const struct mt_condenser condenser = { .size = sizeof condenser,
					       .advance = advance };

/* A tool as a newer plugin would have it: with more members. */
static const struct {
	struct mt_tool tool;
	const char *more;
} tools[] = {
	{ { .size = sizeof tools[0],
	    .name = "first",
	    .description = "One.",
	    .schema = "{\"type\":\"object\"}",
	    .events = "[{\"action\":\"run\",\"observation\":\"run\"}]" },
	  "more" },
	{ { .size = sizeof tools[0],
	    .name = "second",
	    .description = "Two.",
	    .schema = "{}",
	    .hints = MT_TOOL_READ_ONLY },
	  "more" },
};
static const struct mt_toolset toolset = { .size = sizeof toolset, .tool_count = 2,
					   .tools = &tools[0].tool, .call = call };

static const struct mt_component parts[] = {
	{ .size = sizeof(struct mt_component), .kind = MT_KIND_CONDENSER,
	  .version_major = MT_CONDENSER_MAJOR, .version_minor = MT_CONDENSER_MINOR,
	  .name = "test-condenser", .summary = "For a test.", .functions = &condenser,
	  .options = options, .option_count = 1 },
	{ .size = sizeof(struct mt_component), .kind = MT_KIND_TOOL,
	  .version_major = MT_TOOL_MAJOR, .version_minor = MT_NEEDS_TOOL_MINOR,
	  .name = "test-tools", .summary = "For a test.", .functions = &toolset },
};

MT_PLUGIN(.name = "both", .version = "2.1", .license = "MIT", .components = parts,
	  .component_count = 2, .flags = 1u << 31)
