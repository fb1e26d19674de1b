/* SPDX-License-Identifier: MIT
 *
 * main.c - the analyzer `policy`: the rules of the user, then rails and
 * signatures of dangerous commands. */
#define MORTISE_PROVISIONAL
#include "builtin.h"
#include "net.h"
#include "options.h"
#include "rules.h"

#include <mortise/analyzer.h>
#include <mortise/tool.h>
#include <string.h>

enum { ARGUMENTS_MAX = CORPUS_PIECES_MAX };

struct policy {
	struct rules *rules;
	struct rules *net; /* those of our own; NULL: without signatures */
	struct builtin *builtin; /* NULL until it is needed */
	bool signatures, rails;
};

static void policy_close(void *instance)
{
	struct policy *p = instance;

	if (!p)
		return;
	rules_free(p->rules);
	rules_free(p->net);
	builtin_free(p->builtin);
	free(p);
}

static int read_rules(const struct mt_host *host, const struct mt_analyzer_out *out,
		      struct mt_ctx *ctx, struct policy *p)
{
	struct error err = ERROR_NONE;
	const char *name, *value;

	for (size_t i = 0; (name = host->option_at(ctx, i, &value)); i++)
		if (strncmp(name, "rule.", 5) == 0 && rules_add(p->rules, name, value, &err))
			return out->refuse(ctx, "%s", err.text);
	return MT_OK;
}

static int policy_open(const struct mt_host *host, const struct mt_analyzer_out *out,
		       struct mt_ctx *ctx, void **ret)
{
	struct policy *p = calloc(1, sizeof *p);
	struct error err = ERROR_NONE;
	int r;

	if (!p)
		return MT_ENOMEM;
	p->rules = rules_new(&err);
	p->signatures = option_to_bool(host->option(ctx, "signatures"));
	p->rails = option_to_bool(host->option(ctx, "rails"));
	p->net = p->signatures ? net_new(&err) : NULL;
	r = !p->rules || err.code ? MT_ENOMEM : read_rules(host, out, ctx, p);
	if (r)
		policy_close(p);
	else
		*ret = p;
	return r;
}

/* ---- an action ------------------------------------------------------------- */

static int collect(const struct mt_analyzer_out *out, struct mt_ctx *ctx, struct corpus *c)
{
	const char *tool = out->tool(ctx);
	struct mt_argument a = { .size = sizeof a };
	struct mt_str said[2];
	int r = corpus_add(c, true, tool, strlen(tool));

	for (size_t i = 0; !r && out->argument(ctx, i, &a) == MT_OK; i++)
		r = corpus_add(c, true, a.text.ptr, a.text.len);
	said[0] = out->thought(ctx);
	said[1] = out->reasoning(ctx);
	for (size_t i = 0; !r && i < 2; i++)
		r = corpus_add(c, false, said[i].ptr, said[i].len);
	return r;
}

static int higher(const struct finding *a, const struct finding *b)
{
	return a->risk > b->risk;
}

static int built_in(struct policy *p, const struct corpus *c, struct finding *ret)
{
	struct error err = ERROR_NONE;
	struct finding rail = { MT_RISK_LOW, false, "", "" }, beyond = rail;
	int r = MT_OK;

	*ret = rail;
	if (!p->builtin)
		p->builtin = builtin_new(&err);
	if (!p->builtin)
		return err.code;
	if (p->rails)
		r = builtin_rails(p->builtin, c, &rail);
	if (!r && p->signatures)
		r = builtin_patterns(p->builtin, c, ret);
	if (!r && p->signatures && ret->risk != MT_RISK_HIGH) {
		r = builtin_beyond(p->builtin, c, &beyond);
		if (!r && beyond.risk == MT_RISK_HIGH)
			*ret = beyond;
	}
	if (!r && rail.risk == MT_RISK_HIGH)
		*ret = rail;
	return r;
}

static int by_rules(const struct rules *rules, const struct mt_analyzer_out *out,
		    struct mt_ctx *ctx, struct finding *ret, bool *covered)
{
	AUTO(free) struct argument *list = calloc(ARGUMENTS_MAX, sizeof *list);
	struct deed deed = {
		.tool = out->tool(ctx), .workspace = out->workspace(ctx), .arguments = list,
	};
	struct mt_argument a = { .size = sizeof a };

	if (!list)
		return MT_ENOMEM;
	while (deed.count < ARGUMENTS_MAX && out->argument(ctx, deed.count, &a) == MT_OK)
		list[deed.count++] = (struct argument){ a.name.ptr, a.text.ptr, a.text.len };
	return rules_judge(rules, &deed, ret, covered);
}

static int judge(struct policy *p, const struct mt_analyzer_out *out, struct mt_ctx *ctx,
		 struct finding *ret)
{
	struct finding own, net, always = { MT_RISK_LOW, false, "", "" };
	bool covered = false, all;
	struct corpus c;
	int r = by_rules(p->rules, out, ctx, &own, &covered);

	if (r)
		return r;
	*ret = own;
	if (covered)
		return MT_OK;
	corpus_init(&c);
	if (!(out->hints(ctx) & MT_TOOL_READ_ONLY)) {
		r = collect(out, ctx, &c);
		if (!r)
			r = built_in(p, &c, &always);
		if (!r && p->net && always.risk != MT_RISK_HIGH) {
			r = by_rules(p->net, out, ctx, &net, &all);
			if (!r && net.risk == MT_RISK_HIGH)
				always = net;
		}
	}
	corpus_clear(&c);
	if (!own.deny && (own.risk == MT_RISK_UNKNOWN || higher(&always, &own)))
		*ret = always;
	return r;
}

static int advance(const struct mt_host *host, const struct mt_analyzer_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	struct finding f;
	int r;

	(void)host;
	if (in->what != MT_START)
		return MT_OK;
	r = judge(out->instance(ctx), out, ctx, &f);
	if (r)
		return r;
	return out->verdict(ctx, f.risk, f.deny, (struct mt_str){ f.rule, strlen(f.rule) },
			    (struct mt_str){ f.reason, strlen(f.reason) });
}

/* ---- the list -------------------------------------------------------------- */

static int tell_rules(const struct mt_host *host, const struct mt_analyzer_out *out,
		      struct mt_ctx *ctx)
{
	const struct policy *p = out->instance(ctx);
	struct finding f;
	const char *text;
	bool rail = true;
	int r = MT_OK;

	(void)host;
	for (size_t i = 0; !r && rules_at(p->rules, i, &f, &text); i++)
		r = out->rule(ctx, f.risk, f.deny, f.rule, text, f.reason);
	for (size_t i = 0; !r && builtin_at(i, &rail, &f, &text); i++)
		if (rail ? p->rails : p->signatures)
			r = out->rule(ctx, f.risk, f.deny, f.rule, text, f.reason);
	for (size_t i = 0; !r && p->net && rules_at(p->net, i, &f, &text); i++)
		r = out->rule(ctx, f.risk, f.deny, f.rule, text, f.reason);
	return r;
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "rule.",
	  .flags = MT_OPTION_PREFIX,
	  .help = "A rule: low, medium, high or deny, then conditions tool=, command=, "
		  "path=, host= with globs or /expressions/, and reason=; the first that "
		  "fits a command decides." },
	{ .size = sizeof options[0], .type = MT_OPTION_BOOL, .name = "rails",
	  .fallback = "yes",
	  .help = "Look for what is dangerous together: downloads handed to a shell, "
		  "writing to devices, deleting system folders." },
	{ .size = sizeof options[0], .type = MT_OPTION_BOOL, .name = "signatures",
	  .fallback = "yes",
	  .help = "Look for dangerous commands and injected instructions." },
};

static const struct mt_analyzer analyzer = {
	.size = sizeof analyzer,
	.advance = advance,
	.open = policy_open,
	.close = policy_close,
	.rules = tell_rules,
};

static const struct mt_component component = {
	.size = sizeof component,
	.kind = MT_KIND_ANALYZER,
	.version_major = MT_ANALYZER_MAJOR,
	.version_minor = MT_ANALYZER_MINOR,
	.name = "policy",
	.summary = "Rules of the user over tool, command, path and host, and signatures of "
		   "dangerous commands.",
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.functions = &analyzer,
};

MT_PLUGIN(.name = "policy", .version = "1.0", .license = "MIT", .components = &component,
	  .component_count = 1)
