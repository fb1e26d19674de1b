/* SPDX-License-Identifier: MIT
 *
 * reader.c - an agent, a condenser and an analyzer that read events, as most do, to
 * measure the cost in a forked copy. Never installed. */
#define MORTISE_PROVISIONAL
#include <mortise/agent.h>
#include <mortise/analyzer.h>
#include <mortise/condenser.h>
#include <string.h>

enum { NEWEST = 4 };

/* The type of each event, and the content of the newest. */
static size_t read_view(const struct mt_host *host, struct mt_ctx *ctx)
{
	size_t count = host->view_count(ctx), bytes = 0;

	for (size_t i = 0; i < count; i++) {
		const struct mt_event *e = host->view_at(ctx, i);

		bytes += strlen(host->event_type(e));
		if (i + NEWEST >= count)
			bytes += host->event_field(e, "content").len;
	}
	return bytes;
}

/* ---- agent -------------------------------------------------------------------- */

static int reader_system(const struct mt_host *host, struct mt_ctx *ctx,
			 struct mt_str *ret_text)
{
	return host->prompt(ctx, "system", (struct mt_str){ 0 }, ret_text);
}

static int reader_advance(const struct mt_host *host, const struct mt_agent_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	struct mt_request *r;

	if (in->what == MT_REPLIED) {
		for (size_t i = 0; i < host->reply_calls(in->reply); i++)
			out->call(ctx, i);
		return MT_OK;
	}
	r = host->request(ctx);
	if (!r || !read_view(host, ctx) || host->request_history(r) ||
	    host->request_tool(r, NULL))
		return MT_EINVAL;
	return host->send(ctx, r) > 0 ? MT_OK : MT_EUNSUPPORTED;
}

static const struct mt_agent agent = { .size = sizeof agent, .system = reader_system,
				       .advance = reader_advance };

/* ---- condenser and analyzer ---------------------------------------------------- */

static int reader_condense(const struct mt_host *host, const struct mt_condenser_out *out,
			   struct mt_ctx *ctx, const struct mt_in *in)
{
	(void)out, (void)in;
	return read_view(host, ctx) ? MT_OK : MT_EINVAL;
}

static const struct mt_condenser condenser = { .size = sizeof condenser,
					       .advance = reader_condense };

static int reader_analyze(const struct mt_host *host, const struct mt_analyzer_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	static const struct mt_str rule = MT_STR("reader"),
				   reason = MT_STR("It was read.");

	(void)host, (void)in;
	return out->verdict(ctx, out->arguments(ctx).len ? MT_RISK_LOW : MT_RISK_HIGH, 0,
			    rule, reason);
}

static const struct mt_analyzer analyzer = { .size = sizeof analyzer,
					     .advance = reader_analyze };

/* ---- the plugin ------------------------------------------------------------------ */

#define COMPONENT(kind_, functions_)                                                     \
	{ .size = sizeof(struct mt_component), .kind = MT_KIND_##kind_,                  \
	  .version_major = MT_##kind_##_MAJOR, .version_minor = MT_##kind_##_MINOR,      \
	  .name = "reader", .summary = "Looks at events.", .functions = functions_ }

static const struct mt_component components[] = {
	COMPONENT(AGENT, &agent),
	COMPONENT(CONDENSER, &condenser),
	COMPONENT(ANALYZER, &analyzer),
};

MT_PLUGIN(.name = "reader", .version = "1.0", .license = "MIT", .components = components,
	  .component_count = sizeof components / sizeof *components)
