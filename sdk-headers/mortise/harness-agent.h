/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-agent.h - tests an agent in the process of the test, without Mortise; see
 * harness-advance.h. Not part of the ABI. C only.
 *
 *   #define MORTISE_PROVISIONAL
 *   #include <mortise/harness-agent.h>
 *
 *   int main(void)
 *   {
 *           struct mt_ctx *h = mt_agent_open(mortise_plugin_v1(), NULL);
 *
 *           mt_advance_start(h);
 *           printf("%s", h->done);
 *           mt_advance_reply(h, "Yes.");
 *           mt_advance_replied(h);
 *           printf("%s", h->done);
 *           return mt_advance_close(h);
 *   }
 */
#ifndef MORTISE_HARNESS_AGENT_H
#define MORTISE_HARNESS_AGENT_H

#include <mortise/agent.h>
#include <mortise/harness-advance.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

static inline int mt_advance_out_call(struct mt_ctx *h, size_t n)
{
	if (!mt_advance_nth_call(&h->reply, n))
		return MT_EINVAL;
	mt_harness_put(&h->done, "call %zu\n", n);
	return MT_OK;
}

static inline int mt_advance_out_action(struct mt_ctx *h, const char *type,
					struct mt_str args)
{
	mt_harness_put(&h->done, "action %s %.*s\n", type, (int)args.len, args.ptr);
	return MT_OK;
}

static inline int mt_advance_out_message(struct mt_ctx *h, struct mt_str text, int wait)
{
	mt_harness_put(&h->done, "%s %.*s\n", wait ? "ask" : "say", (int)text.len,
		       text.ptr ? text.ptr : "");
	return MT_OK;
}

static inline int mt_advance_out_report(struct mt_ctx *h, struct mt_str text)
{
	mt_harness_put(&h->done, "report %.*s\n", (int)text.len,
		       text.ptr ? text.ptr : "");
	return MT_OK;
}

static inline const struct mt_agent_out *mt_advance_agent_out(void)
{
	static const struct mt_agent_out out = {
		.size = sizeof out,
		.call = mt_advance_out_call,
		.action = mt_advance_out_action,
		.message = mt_advance_out_message,
		.report_error = mt_advance_out_report,
	};

	return &out;
}

static inline int mt_agent_run(struct mt_ctx *h, const struct mt_in *in)
{
	const struct mt_agent *f = (const struct mt_agent *)h->component->functions;

	return f->advance(mt_advance_host(), mt_advance_agent_out(), h, in);
}

/** Start to test an agent of a plugin. `name`: of the component; NULL: the first one. */
static inline struct mt_ctx *mt_agent_open(const struct mt_plugin *plugin,
					   const char *name)
{
	return mt_advance_open(plugin, MT_KIND_AGENT, name, mt_agent_run);
}

/** Call `system`. */
static inline int mt_agent_system(struct mt_ctx *h, struct mt_str *ret_text)
{
	const struct mt_agent *f = (const struct mt_agent *)h->component->functions;

	mt_advance_forget_result(h);
	return f->system(mt_advance_host(), h, ret_text);
}

#pragma GCC diagnostic pop

#endif
