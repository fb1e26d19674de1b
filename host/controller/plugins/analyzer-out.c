/* SPDX-License-Identifier: MIT
 *
 * analyzer-out.c - the interface of analyzers: access to an action, the verdict and
 * the rules. */
#include "controller/plugins/analyzer-out.h"

#include "utf8.h"

#include <string.h>

enum { LEAVES_MAX = 8192, DEPTH_MAX = 64 };

static struct mt_str analyzer_out_str(const char *text)
{
	return (struct mt_str){ text ? text : "", text ? strlen(text) : 0 };
}

static const struct mt_event *analyzer_out_action(struct mt_ctx *x)
{
	x->trial->action.event = (struct event *)x->trial->subject->event;
	return x->trial->action.event ? &x->trial->action : NULL;
}

static const char *out_tool(struct mt_ctx *x)
{
	return x->trial->subject->tool;
}

static uint32_t out_hints(struct mt_ctx *x)
{
	return x->trial->subject->hints;
}

static int out_trusted(struct mt_ctx *x)
{
	return x->trial->subject->trusted;
}

static struct mt_str out_arguments(struct mt_ctx *x)
{
	struct mt_str s = { "{}", 2 };

	size_t len;
	const char *text =
		x->trial->subject->args ? js_text(x->trial->subject->args, &len) : NULL;

	if (text)
		s = (struct mt_str){ text, len };
	else if (x->trial->subject->args)
		x->trial->unread = true;
	return s;
}

static int out_argument(struct mt_ctx *x, size_t n, struct mt_argument *ret)
{
	const struct leaf *leaf;

	if (n >= x->trial->leaf_count)
		return MT_ENOTFOUND;
	leaf = &x->trial->leaves[n];
	ret->name = analyzer_out_str(leaf->name);
	ret->text.ptr = json_object_get_string(leaf->text);
	ret->text.len = (size_t)json_object_get_string_len(leaf->text);
	return MT_OK;
}

static struct mt_str out_thought(struct mt_ctx *x)
{
	return analyzer_out_str(x->trial->subject->thought);
}

static struct mt_str out_reasoning(struct mt_ctx *x)
{
	return analyzer_out_str(x->trial->subject->reasoning);
}

static int out_said(struct mt_ctx *x)
{
	return x->trial->subject->said;
}

static const char *analyzer_out_workspace(struct mt_ctx *x)
{
	return x->trial->subject->workspace ? x->trial->subject->workspace : "";
}

static const char *out_directory(struct mt_ctx *x)
{
	return x->trial->subject->directory ? x->trial->subject->directory : "";
}

static const char *analyzer_out_root(struct mt_ctx *x, size_t n)
{
	json_object *roots = x->trial->subject->roots;

	return n < js_length(roots)
		       ? json_object_get_string(json_object_array_get_idx(roots, n))
		       : NULL;
}

/* `room` is less than the size of `ret`. */
static int copy_clean(char *ret, size_t room, struct mt_str text)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(4096);
	size_t len;

	utf8_add_clean(&clean, text.ptr, utf8_cut(text.ptr, text.len, room));
	len = utf8_cut(clean.text, clean.len, room);
	memcpy(ret, clean.text, len);
	ret[len] = '\0';
	return clean.error;
}

static int out_verdict(struct mt_ctx *x, int risk, int deny, struct mt_str rule,
		       struct mt_str reason)
{
	struct verdict *v = &x->trial->verdict;

	if (risk < RISK_UNKNOWN || risk > RISK_HIGH)
		return fail(&x->error, MT_EINVAL, "%d is not a risk", risk);
	v->risk = risk;
	v->deny = deny != 0;
	return copy_clean(v->rule, 120, rule) || copy_clean(v->reason, 250, reason)
		       ? MT_ENOMEM
		       : MT_OK;
}

static int out_refuse(struct mt_ctx *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_va(&x->error, MT_EINVAL, fmt, ap);
	va_end(ap);
	return MT_EINVAL;
}

static int out_refuse_text(struct mt_ctx *x, struct mt_str text)
{
	return fail(&x->error, MT_EINVAL, "%.*s",
		    (int)utf8_cut(text.ptr, text.len, sizeof x->error.text),
		    text.ptr ? text.ptr : "");
}

static int out_rule(struct mt_ctx *x, int risk, int deny, const char *name,
		    const char *text, const char *reason)
{
	if (x->trial->rule)
		x->trial->rule(x->trial->rule_arg, x->part->component->name, risk,
			       deny != 0, name, text, reason);
	return MT_OK;
}

static void *out_instance(struct mt_ctx *x)
{
	return x->trial->instance;
}

const struct mt_analyzer_out *plugin_analyzer_out(void)
{
	static const struct mt_analyzer_out table = {
		.size = sizeof table,
		.action = analyzer_out_action,
		.tool = out_tool,
		.hints = out_hints,
		.arguments = out_arguments,
		.argument = out_argument,
		.thought = out_thought,
		.reasoning = out_reasoning,
		.said = out_said,
		.workspace = analyzer_out_workspace,
		.verdict = out_verdict,
		.refuse = out_refuse,
		.rule = out_rule,
		.instance = out_instance,
		.trusted = out_trusted,
		.directory = out_directory,
		.root = analyzer_out_root,
		.refuse_text = out_refuse_text,
	};

	return &table;
}

static int analyzer_out_collect(struct trial *t, const char *name, json_object *o,
				unsigned depth)
{
	int r = MT_OK;

	if (depth > DEPTH_MAX || t->leaf_count == LEAVES_MAX)
		return MT_ELIMIT;
	if (json_object_is_type(o, json_type_string)) {
		t->leaves[t->leaf_count++] = (struct leaf){ name, o };
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, value)
			r = r ? r
			      : analyzer_out_collect(t, depth ? name : key, value,
						     depth + 1);
	} else if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; !r && i < json_object_array_length(o); i++)
			r = analyzer_out_collect(t, name, json_object_array_get_idx(o, i),
						 depth + 1);
	}
	return r;
}

int analyzer_collect_leaves(struct trial *t)
{
	t->leaves = malloc(LEAVES_MAX * sizeof *t->leaves);
	return t->leaves ? analyzer_out_collect(t, "", t->subject->args, 0) : MT_ENOMEM;
}
