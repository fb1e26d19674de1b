/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-analyzer.h - tests an analyzer in the process of the test, without Mortise; see
 * harness-advance.h. Not part of the ABI. C only.
 *
 *   #define MORTISE_PROVISIONAL
 *   #include <mortise/harness-analyzer.h>
 *
 *   int main(void)
 *   {
 *           struct mt_ctx *h = mt_analyzer_open(mortise_plugin_v1(), NULL);
 *
 *           h->tool = "execute_bash";
 *           mt_advance_argument(h, "command", "rm -rf /");
 *           mt_advance_start(h);
 *           printf("%s", h->done);
 *           return mt_advance_close(h);
 *   }
 */
#ifndef MORTISE_HARNESS_ANALYZER_H
#define MORTISE_HARNESS_ANALYZER_H

#include <mortise/analyzer.h>
#include <mortise/harness-advance.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

/** Append a text among the arguments of the action. To test another action, close the
 *  component and open it again. */
static inline void mt_advance_argument(struct mt_ctx *h, const char *name,
				       const char *text)
{
	mt_harness_add(&h->texts, name, MT_OK, text, strlen(text));
}

static inline const struct mt_event *mt_advance_get_action(struct mt_ctx *h)
{
	return h->action;
}

static inline uint32_t mt_advance_hints(struct mt_ctx *h)
{
	return h->hints;
}

static inline int mt_advance_get_argument(struct mt_ctx *h, size_t n,
					  struct mt_argument *ret)
{
	const struct mt_harness_pair *pair = h->texts;

	while (pair && n-- > 0)
		pair = pair->next;
	if (!pair)
		return MT_ENOTFOUND;
	ret->name = mt_harness_str(pair->name);
	ret->text = mt_harness_str(pair->text);
	return MT_OK;
}

static inline const char *mt_advance_tool(struct mt_ctx *h)
{
	return h->tool;
}

static inline struct mt_str mt_advance_arguments(struct mt_ctx *h)
{
	return mt_harness_str(h->arguments);
}

static inline struct mt_str mt_advance_thought(struct mt_ctx *h)
{
	return mt_harness_str(h->thought);
}

static inline struct mt_str mt_advance_reasoning(struct mt_ctx *h)
{
	return mt_harness_str(h->reasoning);
}

static inline int mt_advance_said(struct mt_ctx *h)
{
	return h->said;
}

static inline const char *mt_advance_workspace(struct mt_ctx *h)
{
	return mt_harness_str(h->workspace).ptr;
}

static inline int mt_advance_verdict(struct mt_ctx *h, int risk, int deny,
				     struct mt_str rule, struct mt_str reason)
{
	if (risk < MT_RISK_UNKNOWN || risk > MT_RISK_HIGH)
		return MT_EINVAL;
	h->risk = risk;
	h->deny = deny != 0;
	mt_harness_put(&h->done, "verdict %d %d %.*s: %.*s\n", risk, h->deny,
		       (int)rule.len, rule.ptr ? rule.ptr : "", (int)reason.len,
		       reason.ptr ? reason.ptr : "");
	return MT_OK;
}

MT_PRINTF(2, 3)
static inline int mt_advance_refuse_open(struct mt_ctx *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	mt_advance_set_error(h, fmt, ap);
	va_end(ap);
	return MT_EINVAL;
}

static inline int mt_advance_refuse_open_text(struct mt_ctx *h, struct mt_str text)
{
	mt_advance_refuse_text(h, text);
	return MT_EINVAL;
}

static inline int mt_advance_rule(struct mt_ctx *h, int risk, int deny, const char *name,
				  const char *text, const char *reason)
{
	mt_harness_put(&h->done, "rule %d %d %s %s: %s\n", risk, deny, name, text,
		       reason);
	return MT_OK;
}

static inline void *mt_advance_instance(struct mt_ctx *h)
{
	return h->instance;
}

static inline int mt_advance_trusted(struct mt_ctx *h)
{
	return h->trusted;
}

static inline const char *mt_advance_directory(struct mt_ctx *h)
{
	return mt_harness_str(h->directory).ptr;
}

static inline const char *mt_advance_root(struct mt_ctx *h, size_t n)
{
	for (size_t i = 0; h->roots && h->roots[i]; i++)
		if (i == n)
			return h->roots[i];
	return NULL;
}

static inline const struct mt_analyzer_out *mt_advance_analyzer_out(void)
{
	static const struct mt_analyzer_out out = {
		.size = sizeof out,
		.action = mt_advance_get_action,
		.tool = mt_advance_tool,
		.hints = mt_advance_hints,
		.arguments = mt_advance_arguments,
		.argument = mt_advance_get_argument,
		.thought = mt_advance_thought,
		.reasoning = mt_advance_reasoning,
		.said = mt_advance_said,
		.workspace = mt_advance_workspace,
		.verdict = mt_advance_verdict,
		.refuse = mt_advance_refuse_open,
		.rule = mt_advance_rule,
		.instance = mt_advance_instance,
		.trusted = mt_advance_trusted,
		.directory = mt_advance_directory,
		.root = mt_advance_root,
		.refuse_text = mt_advance_refuse_open_text,
	};

	return &out;
}

static inline int mt_analyzer_run(struct mt_ctx *h, const struct mt_in *in)
{
	const struct mt_analyzer *f = (const struct mt_analyzer *)h->component->functions;
	const struct mt_host *host = mt_advance_host();
	const struct mt_analyzer_out *out = mt_advance_analyzer_out();
	int status = MT_OK;

	if (!h->opened && f->open)
		status = f->open(host, out, h, &h->instance);
	h->opened = status == MT_OK;
	return status ? status : f->advance(host, out, h, in);
}

static inline void mt_analyzer_end(struct mt_ctx *h)
{
	const struct mt_analyzer *f = (const struct mt_analyzer *)h->component->functions;

	if (h->opened && f->close)
		f->close(h->instance);
}

/** Start to test an analyzer of a plugin. `name`: of the component; NULL: the first
 *  one. The first `advance` opens it. */
static inline struct mt_ctx *mt_analyzer_open(const struct mt_plugin *plugin,
					      const char *name)
{
	struct mt_ctx *h =
		mt_advance_open(plugin, MT_KIND_ANALYZER, name, mt_analyzer_run);

	h->close = mt_analyzer_end;
	return h;
}

#pragma GCC diagnostic pop

#endif
