/* SPDX-License-Identifier: MIT
 *
 * vec-security.c - recorded cases of the analyzers, of combining and
 * comparing risks. A failing member counts as HIGH in them, which is
 * `analyzer_failure = high`. */
#include "config/config.h"
#include "controller/plugins/analyzers.h"
#include "features/approval/approval.h"
#include "plugins/analyzers/policy/match.h"
#include "plugins/analyzers/policy/normalize.h"
#include "plugins/analyzers/policy/patterns.h"
#include "vec.h"

static struct patterns *tables;

static const char *const names[] = { "UNKNOWN", "LOW", "MEDIUM", "HIGH" };

static const char *name_of(int risk)
{
	return names[risk + 1];
}

static int risk_of(const char *name)
{
	for (int i = 0; i < 4; i++)
		if (strcmp(name, names[i]) == 0)
			return i - 1;
	if (strcmp(name, "RAISE") != 0)
		fprintf(stderr, "# %s is not a risk\n", name);
	return RISK_FAILED;
}

static void expect(struct vec *v, json_object *c, const char *got)
{
	const char *expected = js_str(c, "output", "(an error)");

	if (strcmp(expected, got) != 0)
		vec_fault(v, "risk", expected, got);
}

/* ---- what is looked at -------------------------------------------------------- */

static void add_leaves(struct action_text *c, json_object *o)
{
	if (json_object_is_type(o, json_type_string)) {
		action_text_add(c, true, json_object_get_string(o),
				(size_t)json_object_get_string_len(o));
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, value) {
			(void)key;
			add_leaves(c, value);
		}
	} else if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			add_leaves(c, json_object_array_get_idx(o, i));
	}
}

static void add_said(struct action_text *c, json_object *o)
{
	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			add_said(c, json_object_array_get_idx(o, i));
	} else if (json_object_is_type(o, json_type_string)) {
		action_text_add(c, false, json_object_get_string(o),
				(size_t)json_object_get_string_len(o));
	}
}

static void add_text(struct action_text *c, bool exec, const char *text)
{
	action_text_add(c, exec, text, strlen(text));
}

/* An action: as a call, as a command, or as a text said somewhere. */
static void fill(struct action_text *c, json_object *in)
{
	json_object *action = js_get(in, "action");
	const char *where = js_str(in, "where", NULL);

	action_text_init(c);
	if (action) {
		const char *text = js_str(action, "arguments", "");
		json_object *args = js_parse(text, strlen(text), NULL);

		add_text(c, true, js_str(action, "tool_name", ""));
		if (args)
			add_leaves(c, args);
		else
			add_text(c, true, text);
		json_object_put(args);
		add_said(c, js_get(action, "thought"));
		add_said(c, js_get(action, "reasoning_content"));
		add_said(c, js_get(action, "summary"));
		return;
	}
	add_text(c, true, js_str(in, "tool_name", "terminal"));
	add_leaves(c, js_get(in, "arguments"));
	add_text(c, true, js_str(in, "command", ""));
	if (where)
		add_text(c, false, js_str(in, "text", ""));
}

static void judge(json_object *in, struct finding *rail, struct finding *pattern)
{
	struct action_text c;

	fill(&c, in);
	match_begin();
	patterns_rails(tables, &c, rail);
	patterns_find(tables, &c, false, NULL, pattern);
	action_text_clear(&c);
}

/* ---- the functions ------------------------------------------------------------- */

static bool on_pattern(struct vec *v, json_object *c)
{
	struct finding rail, pattern;

	judge(js_get(c, "in"), &rail, &pattern);
	expect(v, c, name_of(pattern.risk));
	return true;
}

static bool on_rail(struct vec *v, json_object *c)
{
	json_object *out = js_get(c, "output");
	struct finding rail, pattern;

	judge(js_get(c, "in"), &rail, &pattern);
	if (!json_object_is_type(out, json_type_object)) {
		expect(v, c, name_of(rail.risk));
		return true;
	}
	if (strcmp(js_str(out, "outcome", ""), name_of(rail.risk)) != 0)
		vec_fault(v, "outcome", js_str(out, "outcome", ""), name_of(rail.risk));
	if (strcmp(js_str(out, "risk", ""), name_of(rail.risk)) != 0)
		vec_fault(v, "risk", js_str(out, "risk", ""), name_of(rail.risk));
	if (strcmp(js_str(out, "rule", js_str(out, "rule_name", "")), rail.rule) != 0)
		vec_fault(v, "rule", js_str(out, "rule", ""), rail.rule);
	return true;
}

static const char *first_arg(json_object *in)
{
	json_object *args = js_get(in, "args");

	return args ? json_object_get_string(json_object_array_get_idx(args, 0)) : NULL;
}

static bool on_evaluate(struct vec *v, json_object *c)
{
	const char *text = first_arg(js_get(c, "in"));
	json_object *out = js_get(c, "output");
	struct finding rail;
	struct action_text corpus;

	action_text_init(&corpus);
	add_text(&corpus, true, text ? text : "");
	match_begin();
	patterns_rails(tables, &corpus, &rail);
	action_text_clear(&corpus);
	if (strcmp(js_str(out, "outcome", ""), name_of(rail.risk)) != 0)
		vec_fault(v, "outcome", js_str(out, "outcome", ""), name_of(rail.risk));
	if (strcmp(js_str(out, "rule_name", ""), rail.rule) != 0)
		vec_fault(v, "rule", js_str(out, "rule_name", ""), rail.rule);
	return true;
}

static bool on_normalize(struct vec *v, json_object *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	json_object *in = js_get(c, "in"), *args = js_get(in, "args");
	json_object *text =
		args ? json_object_array_get_idx(args, 0) : js_get(in, "text");

	normalize_text(json_object_get_string(text),
		       (size_t)json_object_get_string_len(text), false, &out);
	if (strcmp(js_str(c, "output", ""), out.text) != 0)
		vec_fault(v, "normalized", js_str(c, "output", ""), out.text);
	return true;
}

/* The analyzers of the original that are ours, by the names of their classes. */
static bool member_risk(json_object *in, const char *name, int *ret)
{
	struct finding rail, pattern;

	if (strcmp(name, "LLMSecurityAnalyzer") == 0) {
		*ret = risk_of(js_str(js_get(in, "action"), "llm_risk", "UNKNOWN"));
		return true;
	}
	judge(in, &rail, &pattern);
	*ret = strcmp(name, "PolicyRailSecurityAnalyzer") == 0 ? (int)rail.risk
							       : (int)pattern.risk;
	return strcmp(name, "PolicyRailSecurityAnalyzer") == 0 ||
	       strcmp(name, "PatternSecurityAnalyzer") == 0;
}

/* Members are analyzers that assess an action, or the answer of each. */
static bool on_ensemble(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in"), *members = js_get(in, "members");
	size_t n = json_object_array_length(members);
	int risks[16];

	if (n > ARRAY_LEN(risks)) {
		vec_fault(v, "members", "16 at most", js_text(members, NULL));
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(members, i));

		if (!js_get(in, "action")) {
			risks[i] = risk_of(name);
		} else if (!member_risk(in, name, &risks[i])) {
			vec_skip(v, "ensemble of members made for a test",
				 "the case does not say what its members answer");
			return false;
		}
	}
	expect(v, c,
	       name_of((int)analyzers_join_risks(risks, n,
						 js_bool(in, "propagate_unknown", false),
						 RISK_HIGH)));
	return true;
}

static void expect_bool(struct vec *v, json_object *c, int got)
{
	const char *expected = js_get(c, "output")
				       ? (js_bool(c, "output", false) ? "true" : "false")
				       : "an error";
	const char *shown = got < 0 ? "an error" : got ? "true" : "false";

	if (strcmp(expected, shown) != 0)
		vec_fault(v, "comparison", expected, shown);
}

static bool on_compare(struct vec *v, json_object *c)
{
	json_object *in = js_get(c, "in");
	int order, a = risk_of(js_str(in, "a", "")), b = risk_of(js_str(in, "b", ""));
	const char *op = js_str(in, "op", "");

	if (strcmp(js_str(c, "fn", ""), "is_riskier") == 0)
		op = js_bool(in, "reflexive", true) ? "ge" : "gt";
	if (!analyzers_compare_risks(a, b, &order))
		expect_bool(v, c, -1);
	else if (op[0] == 'l')
		expect_bool(v, c, order < 0 || (op[1] == 'e' && order == 0));
	else
		expect_bool(v, c, order > 0 || (op[1] == 'e' && order == 0));
	return true;
}

/* A setting in lowercase, as ours are. */
static const char *setting(char *space, size_t size, const char *key, const char *value)
{
	int n = snprintf(space, size, "controller.%s=", key);

	for (; *value && (size_t)n + 1 < size; value++)
		space[n++] = (char)(*value | 0x20);
	space[n] = '\0';
	return space;
}

/* The policy as a user of ours sets it. */
static bool on_confirm(struct vec *v, json_object *c)
{
	static const char *const policies[][2] = {
		{ "NeverConfirm", "never" },
		{ "AlwaysConfirm", "always" },
		{ "ConfirmRisky", "risky" },
	};
	json_object *in = js_get(c, "in");
	const char *policy = js_str(in, "policy", ""), *when = NULL;
	char space[3][64];
	const char *overrides[3];
	const struct config_input input = { .overrides = overrides, .override_count = 3 };
	struct config *config = NULL;
	struct approval_policy p;
	struct error err = ERROR_NONE;

	for (size_t i = 0; i < ARRAY_LEN(policies); i++)
		if (strcmp(policy, policies[i][0]) == 0)
			when = policies[i][1];
	if (!when) {
		vec_fault(v, "policy", "one that is known", policy);
		return true;
	}
	overrides[0] = setting(space[0], sizeof space[0], "confirmation", when);
	overrides[1] = setting(space[1], sizeof space[1], "confirm_risk",
			       js_str(in, "threshold", "HIGH"));
	overrides[2] = setting(space[2], sizeof space[2], "confirm_unknown",
			       js_bool(in, "confirm_unknown", true) ? "yes" : "no");
	if (config_load(&input, &config, &err) ||
	    approval_policy_read(config, "controller", &p, &err))
		expect_bool(v, c, -1);
	else
		expect_bool(v, c,
			    approval_needed(&p, (enum risk)risk_of(
							js_str(in, "risk", "UNKNOWN"))));
	config_free(config);
	return true;
}

static bool one(struct vec *v, json_object *c)
{
	static const struct {
		const char *fn;
		bool (*run)(struct vec *v, json_object *c);
	} functions[] = {
		{ "pattern", on_pattern }, { "pattern_risk", on_pattern },
		{ "pattern_risk_args", on_pattern }, { "pattern_risk_elsewhere", on_pattern },
		{ "policy_rail", on_rail }, { "evaluate_rail", on_evaluate },
		{ "normalize", on_normalize }, { "ensemble", on_ensemble },
		{ "compare", on_compare }, { "is_riskier", on_compare },
		{ "should_confirm", on_confirm },
	};
	const char *fn = js_str(c, "fn", "");
	bool v1 = strcmp(js_str(c, "version", ""), "v1") == 0;

	for (size_t i = 0; v1 && i < ARRAY_LEN(functions); i++)
		if (strcmp(functions[i].fn, fn) == 0)
			return functions[i].run(v, c);
	return vec_decide(v, c, NULL, 0);
}

int main(int argc, char **argv)
{
	struct error err = ERROR_NONE;
	struct vec v;

	setenv("HOME", "/nonexistent", 1); /* no settings but those of a case */
	unsetenv("XDG_CONFIG_HOME");
	tables = patterns_new(&err);
	if (!tables || !vec_open(&v, argc, argv)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	vec_each(&v, one);
	patterns_free(tables);
	return vec_done(&v);
}
