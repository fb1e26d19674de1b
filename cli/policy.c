/* SPDX-License-Identifier: MIT
 *
 * policy.c - `mortise policy`: assesses an action with the enabled analyzers and lists
 * rules. */
#include "policy.h"
#include "unknown-tool.h"

#include "controller/plugins/analyzers.h"
#include "sandbox/roots.h"
#include "tools/catalog.h"

#include <limits.h>
#include <string.h>

struct arguments {
	struct common common;
	const char *tool, *risk, *controller, *in;
	bool json;
};

static const struct flag flags[] = {
	FLAG('t', "tool", "NAME", "tool to test (default: execute_bash)",
	     STORE(FLAG_TEXT, struct arguments, tool)),
	FLAG(0, "risk", "LEVEL", "risk reported by the model: LOW, MEDIUM, HIGH",
	     STORE(FLAG_TEXT, struct arguments, risk)),
	FLAG(0, "controller", "NAME", "use the [controller.NAME] configuration",
	     STORE(FLAG_TEXT, struct arguments, controller)),
	FLAG(0, "in", "ID", "revoke: use conversation ID instead of the project",
	     STORE(FLAG_TEXT, struct arguments, in)),
	FLAG('j', "json", NULL, "print JSON",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

struct loaded {
	struct config *config;
	struct registry *registry;
	struct catalog catalog;
	struct analyzers *analyzers;
};

static void loaded_clear(struct loaded *l)
{
	analyzers_free(l->analyzers);
	catalog_clear(&l->catalog);
	registry_free(l->registry);
	config_free(l->config);
}

static int policy_load(const struct arguments *a, struct loaded *l, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	int r = common_config(&a->common, &l->config, err);

	strbuf_addf(&section, "controller%s%s", a->controller ? "." : "",
		    a->controller ? a->controller : "");
	if (!r && a->controller && !config_has(l->config, section.text))
		r = fail(err, MT_ENOTFOUND, "unknown section [%s]", section.text);
	if (!r)
		r = registry_open(l->config, &l->registry, err);
	if (!r)
		r = analyzers_open(l->config, l->registry, section.text,
				   config_get(l->config, section.text, "analyzers"),
				   &l->analyzers, err);
	if (!r)
		r = catalog_open(l->config, l->registry,
				 config_get(l->config, section.text, "tools"),
				 &l->catalog, err);
	return r;
}

/* ---- test --------------------------------------------------------------------- */

/* A JSON object contains all arguments; any other text is a command. */
static json_object *cli_policy_arguments_of(const char *text, struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *args;

	if (text[strspn(text, " \t\n")] == '{') {
		args = js_parse_object(text, strlen(text), &why);
		if (!args)
			fail(err, why.code, "arguments: %s", why.text);
		return args;
	}
	args = json_object_new_object();
	if (js_set_str(args, "command", text)) {
		out_of_memory(err);
		json_object_put(args);
		return NULL;
	}
	return args;
}

static bool find_risk(const char *name, enum risk *ret)
{
	for (*ret = RISK_LOW; *ret <= RISK_HIGH; ++*ret)
		if (strcmp(risk_name(*ret), name) == 0)
			return true;
	*ret = RISK_UNKNOWN;
	return strcmp(name, "UNKNOWN") == 0;
}

static void print_verdict(const struct verdict *v, bool json)
{
	AUTO(strbuf) struct strbuf out = STRBUF(8192);

	if (json) {
		strbuf_addc(&out, '{');
		js_key_str(&out, "risk", risk_name(v->risk));
		js_key_bool(&out, "deny", v->deny);
		js_key_str(&out, "rule", v->rule);
		js_key_str(&out, "reason", v->reason);
		printf("%s}\n", out.text);
		return;
	}
	strbuf_addf(&out, "%s%s\n", v->deny ? "denied, " : "", risk_name(v->risk));
	if (v->rule[0])
		strbuf_addf(&out, "rule: %s\n", v->rule);
	if (v->reason[0])
		strbuf_addf(&out, "why:  %s\n", v->reason);
	command_write(stdout, out.text, out.len);
}

static int cli_policy_test(const struct arguments *a, struct loaded *l, const char *text,
			   struct error *err)
{
	AUTO(json) json_object *args = cli_policy_arguments_of(text, err);
	AUTO(json) json_object *roots = roots_json(l->config);
	const char *name = a->tool ? a->tool : "execute_bash";
	const struct tool *tool = catalog_find(&l->catalog, name);
	char dir[PATH_MAX];
	struct subject subject = {
		.tool = name, .hints = tool ? tool->hints : 0,
		.trusted = tool && tool->trusted, .args = args,
		.workspace = realpath(a->common.workspace ? a->common.workspace : ".", dir),
		.roots = roots, .said = RISK_UNKNOWN,
	};
	struct verdict verdict;

	if (!args)
		return err->code;
	if (a->tool && !tool)
		return unknown_tool(l->registry, &l->catalog, name, err);
	if (a->risk && !find_risk(a->risk, &subject.said))
		return fail(err, MT_EINVAL,
			    "invalid --risk `%.40s`: use LOW, MEDIUM, "
			    "HIGH or UNKNOWN",
			    a->risk);
	if (!analyzers_count(l->analyzers))
		return fail(err, MT_ENOTFOUND,
			    "no analyzer is enabled: `analyzers` of "
			    "the controller is empty");
	if (analyzers_ask(l->analyzers, &subject, &verdict))
		return fail(err, MT_EINVAL, "%s", verdict.reason);
	print_verdict(&verdict, a->json);
	return MT_OK;
}

/* ---- show --------------------------------------------------------------------- */

struct listing {
	struct strbuf json;
	bool as_json;
};

static void print_rule(void *arg, const char *analyzer, enum risk risk, bool deny,
		       const char *name, const char *text, const char *reason)
{
	AUTO(strbuf) struct strbuf line = STRBUF(4 << 20);
	struct listing *l = arg;

	if (!l->as_json) {
		strbuf_addf(&line, "%-8s %-7s %-28s %s\n", analyzer,
			    deny ? "deny" : risk_name(risk), name, text);
		command_write(stdout, line.text, line.len);
		return;
	}
	strbuf_add(&l->json, l->json.len > 1 ? ",{" : "{");
	js_key_str(&l->json, "analyzer", analyzer);
	js_key_str(&l->json, "risk", risk_name(risk));
	js_key_bool(&l->json, "deny", deny);
	js_key_str(&l->json, "rule", name);
	js_key_str(&l->json, "text", text);
	js_key_str(&l->json, "reason", reason);
	strbuf_addc(&l->json, '}');
}

static int cli_policy_show(const struct arguments *a, struct loaded *l, struct error *err)
{
	struct listing listing = { .json = STRBUF(4 << 20), .as_json = a->json };
	int r;

	strbuf_addc(&listing.json, '[');
	r = analyzers_rules(l->analyzers, print_rule, &listing, err);
	if (!r && a->json)
		printf("%s]\n", listing.json.text);
	strbuf_clear(&listing.json);
	return r;
}

/* ---- the command ---------------------------------------------------------------- */

enum policy_subcommand { POLICY_TEST, POLICY_SHOW, POLICY_APPROVALS, POLICY_REVOKE };
static const struct subcommand subcommands[] = {
	[POLICY_TEST] = { "test", 1, 1, NULL },
	[POLICY_SHOW] = { "show", 0, 0, NULL },
	[POLICY_APPROVALS] = { "approvals", 0, 1, NULL },
	[POLICY_REVOKE] = { "revoke", 1, OPERANDS_MAX, NULL },
	{ 0 },
};

static int cli_policy_act(const struct command *self, const struct arguments *a, int argc,
			  char **argv)
{
	struct loaded l = { 0 };
	struct error err = ERROR_NONE;
	int what = command_choose(self, argc, argv), r;

	if (what < 0)
		return EXIT_USAGE;
	if (what == POLICY_APPROVALS)
		return policy_approvals(&a->common, argc > 1 ? argv[1] : a->in, a->json);
	if (what == POLICY_REVOKE)
		return policy_revoke(&a->common, a->in, argc - 1, argv + 1);
	r = policy_load(a, &l, &err);
	if (!r)
		r = what == POLICY_TEST ? cli_policy_test(a, &l, argv[1], &err)
					: cli_policy_show(a, &l, &err);
	loaded_clear(&l);
	return r ? command_report(EXIT_USAGE, &err) : EXIT_DONE;
}

static int policy_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	int index;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	if (index == argc)
		return command_misused(self, "missing subcommand");
	return cli_policy_act(self, &a, argc - index, argv + index);
}

const struct command command_policy = {
	.name = "policy",
	.args = "test COMMAND|JSON | show | approvals [ID] | revoke [--in ID] N...|all",
	.summary = "Test a command against the policy; manage approvals",
	.details = "test       assess a shell command, or the arguments of a tool as a "
		   "JSON\n           object, and print the rule that decided; nothing is "
		   "run\nshow       list the rules in order\napprovals  list what runs "
		   "without a prompt in this project or conversation\nrevoke     revoke "
		   "approvals by number, also in running conversations",
	.flags = flags,
	.subcommands = subcommands,
	.run = policy_run,
};
