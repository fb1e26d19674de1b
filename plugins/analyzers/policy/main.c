/* SPDX-License-Identifier: MIT
 *
 * main.c - the analyzers `policy` and `pattern`. */
#define MORTISE_PROVISIONAL
#include "danger.h"
#include "js.h"
#include "judge.h"
#include "match.h"
#include "options.h"

#include <mortise/analyzer.h>
#include <mortise/tool.h>
#include <string.h>

enum { ARGUMENTS_MAX = CORPUS_PIECES_MAX, ROOTS_MAX = 64 };

/* ---- policy ------------------------------------------------------------------- */

static void policy_close(void *instance)
{
	struct policy *p = instance;

	if (!p)
		return;
	rules_free(p->rules);
	patterns_free(p->patterns);
	free(p);
}

static int policy_main_read_rules(const struct mt_host *host,
				  const struct mt_analyzer_out *out, struct mt_ctx *ctx,
				  struct policy *p)
{
	struct error err = ERROR_NONE;
	const char *name, *value;

	for (size_t i = 0; (name = host->option_at(ctx, i, &value)); i++)
		if (strncmp(name, "rule.", 5) == 0 &&
		    rules_add(p->rules, name, value, &err))
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
	r = p->rules ? policy_main_read_rules(host, out, ctx, p) : MT_ENOMEM;
	if (r)
		policy_close(p);
	else
		*ret = p;
	return r;
}

static bool is_input(const struct mt_analyzer_out *out, struct mt_ctx *ctx)
{
	struct mt_str text = out->arguments(ctx);
	AUTO(json) json_object *args = NULL;
	json_object *value;

	if (!strstr(text.ptr, "\"is_input\""))
		return false;
	args = js_parse(text.ptr, text.len, NULL);
	value = js_get(args, "is_input");
	if (json_object_is_type(value, json_type_string))
		return strcasecmp(json_object_get_string(value), "false") != 0;
	return !args || (value && json_object_get_boolean(value));
}

static int policy_main_action_of(const struct mt_analyzer_out *out, struct mt_ctx *ctx,
				 struct action *ret, struct argument **ret_list)
{
	struct argument *list = malloc(ARGUMENTS_MAX * sizeof *list);
	struct mt_argument a = { .size = sizeof a };
	uint32_t hints = out->hints(ctx);

	*ret_list = list;
	if (!list)
		return MT_ENOMEM;
	*ret = (struct action){
		.tool = out->tool(ctx), .workspace = out->workspace(ctx),
		.directory = out->directory(ctx), .hints = hints, .ours = out->trusted(ctx),
		.open_world = hints & MT_TOOL_OPEN_WORLD, .is_input = is_input(out, ctx),
		.arguments = list,
		.said = { out->thought(ctx).ptr, out->reasoning(ctx).ptr },
	};
	ret->reads_only = ret->ours && (hints & MT_TOOL_READ_ONLY);
	while (ret->count < ARGUMENTS_MAX && out->argument(ctx, ret->count, &a) == MT_OK)
		list[ret->count++] =
			(struct argument){ a.name.ptr, a.text.ptr, a.text.len };
	return MT_OK;
}

static struct mt_str policy_main_str(const char *text)
{
	return (struct mt_str){ text, strlen(text) };
}

static int policy_advance(const struct mt_host *host, const struct mt_analyzer_out *out,
			  struct mt_ctx *ctx, const struct mt_in *in)
{
	AUTO(free) struct argument *list = NULL;
	const char *roots[ROOTS_MAX + 1] = { NULL };
	struct action action;
	struct finding f;
	int r;

	(void)host;
	if (in->what != MT_START)
		return MT_OK;
	r = policy_main_action_of(out, ctx, &action, &list);
	for (size_t n = 0; n < ROOTS_MAX && (roots[n] = out->root(ctx, n)); n++)
		;
	action.roots = roots;
	if (!r)
		r = judge_action(out->instance(ctx), &action, &f);
	return r ? r
		 : out->verdict(ctx, f.risk, f.deny, policy_main_str(f.rule),
				policy_main_str(f.reason));
}

static int policy_rules(const struct mt_host *host, const struct mt_analyzer_out *out,
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
	for (size_t i = 0; !r && p->signatures && danger_at(i, &f, &text); i++)
		r = out->rule(ctx, f.risk, f.deny, f.rule, text, f.reason);
	for (size_t i = 0; !r && patterns_at(i, &rail, &f, &text); i++)
		if (rail ? p->rails : p->signatures)
			r = out->rule(ctx, f.risk, f.deny, f.rule, text, f.reason);
	return r;
}

/* ---- pattern: OpenHands V1's pattern analyzer --------------------------------- */

static void pattern_close(void *instance)
{
	patterns_free(instance);
}

static int pattern_open(const struct mt_host *host, const struct mt_analyzer_out *out,
			struct mt_ctx *ctx, void **ret)
{
	struct error err = ERROR_NONE;

	(void)host;
	(void)out;
	(void)ctx;
	*ret = patterns_new(&err);
	return *ret ? MT_OK : err.code;
}

static int policy_collect(const struct mt_analyzer_out *out, struct mt_ctx *ctx,
			  struct action_text *c)
{
	const char *tool = out->tool(ctx);
	struct mt_argument a = { .size = sizeof a };
	const struct mt_str said[] = { out->thought(ctx), out->reasoning(ctx) };
	int r = action_text_add(c, true, tool, strlen(tool));

	for (size_t i = 0; !r && out->argument(ctx, i, &a) == MT_OK; i++)
		r = action_text_add(c, true, a.text.ptr, a.text.len);
	for (size_t i = 0; !r && i < 2; i++)
		r = action_text_add(c, false, said[i].ptr, said[i].len);
	return r;
}

static int pattern_advance(const struct mt_host *host, const struct mt_analyzer_out *out,
			   struct mt_ctx *ctx, const struct mt_in *in)
{
	struct finding f;
	struct action_text c;
	int r;

	(void)host;
	if (in->what != MT_START)
		return MT_OK;
	action_text_init(&c);
	match_begin();
	r = policy_collect(out, ctx, &c);
	if (!r)
		r = patterns_find(out->instance(ctx), &c, false, NULL, &f);
	action_text_clear(&c);
	return r ? r
		 : out->verdict(ctx, f.risk, 0, policy_main_str(f.rule),
				policy_main_str(f.reason));
}

/* ---- the plugin --------------------------------------------------------------- */

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "rule.",
	  .flags = MT_OPTION_PREFIX,
	  .help = "Rule: allow, ask, deny, low, medium or high, then conditions tool=, "
		  "command=, path=, host= with globs or /regular expressions/, and "
		  "reason=. The first matching rule decides." },
	{ .size = sizeof options[0], .type = MT_OPTION_BOOL, .name = "rails",
	  .fallback = "yes",
	  .help = "Detect dangerous combinations: downloads passed to a shell, writes to "
		  "devices, deletion of system directories." },
	{ .size = sizeof options[0], .type = MT_OPTION_BOOL, .name = "signatures",
	  .fallback = "yes",
	  .help = "Detect dangerous commands and files, and injected instructions." },
};

static const struct mt_analyzer policy = {
	.size = sizeof policy,
	.flags = MT_ANALYZER_CLASSIFIES,
	.advance = policy_advance,
	.open = policy_open,
	.close = policy_close,
	.rules = policy_rules,
};

static const struct mt_analyzer pattern = {
	.size = sizeof pattern,
	.advance = pattern_advance,
	.open = pattern_open,
	.close = pattern_close,
};

static const struct mt_component components[] = {
	{
		.size = sizeof components[0],
		.kind = MT_KIND_ANALYZER,
		.version_major = MT_ANALYZER_MAJOR,
		.version_minor = MT_ANALYZER_MINOR,
		.name = "policy",
		.summary = "Rates calls by user rules (tool, command, path, host) and "
			   "by known dangerous and harmless commands; anything else is "
			   "UNKNOWN.",
		.options = options,
		.option_count = sizeof options / sizeof options[0],
		.functions = &policy,
	},
	{
		.size = sizeof components[0],
		.kind = MT_KIND_ANALYZER,
		.version_major = MT_ANALYZER_MAJOR,
		.version_minor = MT_ANALYZER_MINOR,
		.name = "pattern",
		.summary = "Matches the regular expressions of OpenHands V1 against the call and "
			   "its text.",
		.functions = &pattern,
	},
};

MT_PLUGIN(.name = "policy", .id = MT_PLUGIN_ID("policy"), .version = "2.0",
	  .license = "MIT", .components = components, .component_count = 2)
