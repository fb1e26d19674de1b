/* SPDX-License-Identifier: MIT
 *
 * test-config.c - values and layers of the configuration, and their errors. */
#include "config-kit.h"
#include "oom.h"

#include <sys/stat.h>

/* ---- values ---------------------------------------------------------------------- */

static void test_values(void)
{
	static const struct {
		const char *text, *section, *key, *want;
	} cases[] = {
		{ "", "core", "sync", "barrier" },
		{ "", "llm", "model", "(unset)" },
		{ "[llm]\nmodel = a/b\n", "llm", "model", "a/b" },
		{ "[llm]\nmodel = a ; b # c\n", "llm", "model", "a ; b # c" },
		{ "[llm]\ntemperature = 1\n[llm.x]\n", "llm.x", "temperature", "1" },
		{ "[llm]\ntemperature = 1\n[llm.x]\ntemperature = 0\n", "llm.x",
		  "temperature", "0" },
		{ "[llm]\ntemperature = 1\n[llm.x]\ntemperature =\n", "llm.x",
		  "temperature", "(unset)" },
		{ "[llm]\ntemperature = 1\n", "llm.none", "temperature", "1" },
		{ "[controller]\ntools += x\n", "controller", "tools",
		  "bash, editor, search, tasks, think, finish, skill, memory, mcp, x" },
		{ "[controller]\ntools += bash , y\n", "controller", "tools",
		  "bash, editor, search, tasks, think, finish, skill, memory, mcp, y" },
		{ "[controller]\ntools -= bash, think\n", "controller", "tools",
		  "editor, search, tasks, finish, skill, memory, mcp" },
		{ "[controller]\ntools = a,b\ntools += c\ntools -= a\n", "controller",
		  "tools", "b, c" },
		{ "[controller]\ntools =\n", "controller", "tools", "(unset)" },
		{ "[controller]\ntools = a,\n  b,\n  c\n", "controller", "tools",
		  "a, b, c" },
		{ "[controller]\ntools = a\n[controller.x]\ntools += b\n", "controller.x",
		  "tools", "a, b" },
		{ "[controller.y]\nbase = x\n[controller.x]\nagent = dummy\n",
		  "controller.y", "agent", "dummy" },
		{ "[controller.y]\nbase = x\ntools += c\n[controller.x]\ntools = b\n",
		  "controller.y", "tools", "b, c" },
		{ "[controller.y]\nbase = default\n[controller]\nagent = dummy\n",
		  "controller.y", "agent", "dummy" },
		{ "[tool.zlib]\nplugin = ffi\n", "tool.zlib", "plugin", "ffi" },
		{ "[tool.zlib]\narg.x = double\n", "tool.zlib", "arg.x", "double" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err;
		AUTO(config) struct config *c = load_user(cases[i].text, &err);

		if (!c) {
			CHECK_STR(err.text, "");
			continue;
		}
		CHECK_STR(or_unset(config_get(c, cases[i].section, cases[i].key)),
			  cases[i].want);
	}
}

static void test_typed(void)
{
	struct error err;
	AUTO(config) struct config *c =
		load_user("[llm]\ntimeout = 2m\nstream = off\n"
			  "[llm.a]\n[llm.b]\n[tool.x]\nplugin = y\n"
			  "[core]\nprompt_dir = p\n",
			  &err);
	AUTO(free) char *want = path_join(root, "mortise/p");

	CHECK(c && config_int(c, "llm", "timeout") == 120000);
	CHECK(c && config_int(c, "llm", "retries") == 5);
	CHECK(c && !config_bool(c, "llm", "stream") &&
	      !config_bool(c, "core", "log_all_events"));
	CHECK(c && config_has(c, "llm.a") && !config_has(c, "llm.c"));
	CHECK_STR(c ? config_named(c, "llm", 1) : "", "b");
	CHECK(c && !config_named(c, "llm", 2));
	CHECK_STR(c ? config_plugin(c, "tool.x") : "", "y");
	CHECK_STR(c ? config_plugin(c, "tool.z") : "", "z");
	CHECK_STR(c ? config_get(c, "core", "prompt_dir") : "", want);
	CHECK(c && *config_get(c, "core", "runner") == '/');
}

/* ---- layers ------------------------------------------------------------------------ */

static void test_layers(void)
{
	static const char *const files[] = { "etc/mortise.ini", "etc/conf.d/10-a.ini",
					     "etc/conf.d/20-b.ini",
					     "mortise/mortise.ini" };
	static const char *const overrides[] = { "controller.max_iterations=7", NULL };
	AUTO(free) char *project = path_join(root, "project");
	struct error err;
	char text[128];

	clean();
	for (int i = 0; i < 4; i++) {
		AUTO(config) struct config *c = NULL;
		AUTO(free) char *path = path_join(root, files[i]);
		char want[512];

		snprintf(text, sizeof text, "# x\n[controller]\nmax_iterations = %d\n",
			 i + 1);
		put(files[i], text);
		c = load(&err, NULL);
		CHECK(c && config_int(c, "controller", "max_iterations") == i + 1);
		snprintf(want, sizeof want, "%s:3", path);
		CHECK_STR(c ? config_origin(c, "controller", "max_iterations") : err.text,
			  want);
	}
	put("project/.mortise/mortise.ini", "[controller]\nmax_iterations = 5\n");
	struct config *c = load(&err, NULL);

	CHECK(c && config_int(c, "controller", "max_iterations") == 4);
	CHECK(c && config_untrusted(c) &&
	      strstr(config_untrusted(c), "project/.mortise"));
	config_free(c);
	CHECK(config_trust(project, &err) == MT_OK);
	c = load(&err, NULL);
	CHECK(c && config_int(c, "controller", "max_iterations") == 5);
	CHECK(c && !config_untrusted(c));
	config_free(c);
	setenv("MORTISE_CONTROLLER_MAX_ITERATIONS", "6", 1);
	c = load(&err, NULL);
	CHECK(c && config_int(c, "controller", "max_iterations") == 6);
	CHECK_STR(c ? config_origin(c, "controller", "max_iterations") : "",
		  "MORTISE_CONTROLLER_MAX_ITERATIONS");
	config_free(c);
	c = load(&err, overrides);
	CHECK(c && config_int(c, "controller", "max_iterations") == 7);
	CHECK_STR(c ? config_origin(c, "controller", "max_iterations") : "", "-o");
	config_free(c);
	unsetenv("MORTISE_CONTROLLER_MAX_ITERATIONS");
	clean();
}

static void test_variables(void)
{
	static const struct {
		const char *name, *section, *key, *error;
	} cases[] = {
		{ "MORTISE_LLM_MODEL", "llm", "model", NULL },
		{ "MORTISE_LLM__CHEAP__MODEL", "llm.cheap", "model", NULL },
		{ "MORTISE_LLM__A_B__BASE_URL", "llm.a-b", "base_url", NULL },
		{ "MORTISE_LLM__C_D__BASE_URL", "llm.c_d", "base_url", NULL },
		{ "MORTISE_TOOL__BASH__SHELL", "tool.bash", "shell", NULL },
		{ "MORTISE_TEST_HOME", NULL, NULL, NULL },
		{ "MORTISE_OTHER", NULL, NULL, NULL },
		{ "MORTISE_LLM_MODLE", NULL, NULL,
		  "MORTISE_LLM_MODLE: [llm] unknown option "
		  "`modle`; did you mean `model`?" },
		{ "MORTISE_LLM__MODEL", NULL, NULL, "no key after the section name" },
		{ "MORTISE_TOOL_BASH", NULL, NULL, "[tool] requires a name" },
	};

	put("mortise/mortise.ini", "[llm.a-b]\n");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err;
		AUTO(config) struct config *c = NULL;

		setenv(cases[i].name, "value", 1);
		c = load(&err, NULL);
		unsetenv(cases[i].name);
		if (cases[i].error)
			CHECK_MSG(!c && strstr(err.text, cases[i].error), "%s", err.text);
		else if (cases[i].key)
			CHECK_STR(c ? or_unset(config_get(c, cases[i].section,
							  cases[i].key))
				    : err.text,
				  "value");
		else
			CHECK_MSG(c != NULL, "%s has an owner", cases[i].name);
	}
	clean();
}

static void test_overrides(void)
{
	static const struct {
		const char *text, *section, *key, *want;
	} cases[] = {
		{ "llm.model=x=y", "llm", "model", "x=y" },
		{ "llm.model = x", "llm", "model", "x" },
		{ "llm.cheap.model=x", "llm.cheap", "model", "x" },
		{ "controller.review.agent=x", "controller.review", "agent", "x" },
		{ "controller.tools+=x", "controller", "tools",
		  "bash, editor, search, tasks, think, finish, skill, memory, mcp, x" },
		{ "controller.tools -= bash", "controller", "tools",
		  "editor, search, tasks, think, finish, skill, memory, mcp" },
		{ "tool.z.arg.x=double", "tool.z", "arg.x", "double" },
		{ "llm.temperature=", "llm", "temperature", "(unset)" },
		{ "llm.model", NULL, NULL, "invalid option -o llm.model: use -o section.key=value" },
		{ "model=x", NULL, NULL, "invalid option -o model: use -o section.key=value" },
		{ "tool.x=y", NULL, NULL, "-o: [tool] requires a name: use [tool.NAME]" },
		{ "core.x.y=z", NULL, NULL, "-o: [core] unknown option `x.y`" },
		{ "", NULL, NULL, "invalid option -o : use -o section.key=value" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *const overrides[] = { cases[i].text, NULL };
		struct error err;
		AUTO(config) struct config *c = load(&err, overrides);

		CHECK_STR(c ? or_unset(
				      config_get(c,
						 cases[i].section ? cases[i].section : "",
						 cases[i].key ? cases[i].key : ""))
			    : err.text,
			  cases[i].want);
	}
}

/* ---- invalid text ------------------------------------------------------------------ */

static void test_faults(void)
{
	static const struct {
		const char *text, *want; /* after the path */
	} cases[] = {
		{ "[llm]\nmodle = x\n", ":2: [llm] unknown option `modle`; did you mean "
					"`model`?" },
		{ "[lmm]\n", ":1: unknown section [lmm]; did you mean [llm]?" },
		{ "\n[contoller.x]\n", ":2: unknown section [contoller.x]; did you mean "
				       "[controller.x]?" },
		{ "[zzz]\n", ":1: unknown section [zzz]" },
		{ "[tool]\n", ":1: [tool] requires a name: use [tool.NAME]" },
		{ "[core.x]\n", ":1: [core] cannot have a name: use [core]" },
		{ "[llm.X]\n",
		  ":1: invalid section name `X`: use a lowercase letter, then at most 62 of "
		  "a-z, 0-9, `-` and `_`" },
		{ "model = x\n",
		  ":1: `model` appears before the first section; add [core], [llm] or "
		  "another section above it" },
		{ "[llm]\nretries = many\n",
		  ":2: [llm] `retries`: many is not an integer" },
		{ "[llm]\nretries = 1000\n",
		  ":2: [llm] `retries`: 1000 is not between 0 and 100" },
		{ "[llm]\nstream = maybe\n",
		  ":2: [llm] `stream`: maybe is not yes or no" },
		{ "[llm]\ntimeout = 5x\n",
		  ":2: [llm] `timeout`: 5x is not a duration (use 500ms, 30s, 5m or 1h)" },
		{ "[core]\nsync = often\n", ":2: [core] `sync`: often is not one of "
					    "barrier|event|none" },
		{ "[llm]\nmodel += x\n",
		  ":2: `model` is not a list; use `model =`, not "
		  "`model +=`" },
		{ "[llm]\nmodel = x\n\nmodel = y\n",
		  ":4: `model` is already set in line 2" },
		{ "[controller.x]\nbase = y\n",
		  ":2: unknown section [controller.y]" },
		{ "[controller.x]\nbase = x\n",
		  ":2: the chain of `base` sections is too long or contains a cycle" },
		{ "[controller.x]\nbase = y\n[controller.y]\nbase = x\n",
		  ":2: the chain of `base` sections is too long or contains a cycle" },
		{ "[controller]\nbase = x\n[controller.x]\n",
		  ":2: [controller] cannot have a base; set `base` in [controller.NAME]" },
		{ "[controller]\nllm = cheap\n", ":2: unknown section [llm.cheap]" },
		{ "[llm]\nmodel\n", ":2: " },
		{ "[llm]\nmodel = x\n[llm\n", ":3: " },
		{ "[llm]\nmodel = \x01\n", ":2: " },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *path = path_join(root, "mortise/mortise.ini");
		struct error err;
		AUTO(config) struct config *c = load_user(cases[i].text, &err);
		size_t len = strlen(path), want = strlen(cases[i].want);
		bool whole = cases[i].want[want - 1] != ' ';

		CHECK_MSG(!c && strncmp(err.text, path, len) == 0 &&
				  strncmp(err.text + len, cases[i].want, want) == 0 &&
				  (!whole || !err.text[len + want]),
			  "%s",
			  strncmp(err.text, path, len) == 0 ? err.text + len : err.text);
	}
}

static void test_unsafe(void)
{
	AUTO(free) char *file = path_join(root, "mortise/mortise.ini");
	AUTO(free) char *dir = path_join(root, "mortise");
	struct config_input in = { .file = "/nonexistent/x.ini", .workspace = root };
	struct error err;
	struct config *c = load_user("[llm]\n", &err);

	CHECK(c != NULL);
	config_free(c);
	chmod(file, 0622);
	c = load(&err, NULL);
	CHECK(!c && err.code == MT_EDENIED &&
	      strstr(err.text, "writable by other users"));
	chmod(file, 0600);
	chmod(dir, 0777);
	c = load(&err, NULL);
	CHECK(!c && err.code == MT_EDENIED);
	chmod(dir, 0700);
	err = ERROR_NONE;
	CHECK(config_load(&in, &c, &err) == MT_ENOTFOUND && !c);
	clean();
}

/* ---- cut and without memory --------------------------------------------------- */

static const char sample[] = "# comment\n[core]\nsync = none\n\n[llm]\nmodel = "
			     "a/b\nextra_headers = x: y,\n  z: w\n"
			     "[llm.cheap]\nretries = 2\n[controller]\ntools += a, "
			     "b\n[controller.x]\nbase = default\n"
			     "[tool.x]\nplugin = y\narg.a = 1\n";

static void test_cut(void)
{
	unsigned good = 0, explained = 0;

	for (size_t n = 0; n < sizeof sample; n++) {
		AUTO(free) char *text = strndup(sample, n);
		struct error err;
		AUTO(config) struct config *c = load_user(text, &err);

		good += c != NULL;
		explained += !c && err.code && strstr(err.text, "mortise.ini:");
	}
	CHECK(good > 0 && good + explained == sizeof sample);
	clean();
}

static void test_memory(void)
{
	static const char *const overrides[] = { "llm.cheap.model=c",
						 "controller.tools+=d", NULL };
	AUTO(free) char *project = path_join(root, "project");
	struct config_input in = { .overrides = overrides, .override_count = 2,
				   .workspace = project };
	struct error err = ERROR_NONE;
	unsigned wrong = 0;

	put("etc/mortise.ini", "[llm]\nretries = 1\n");
	put("mortise/mortise.ini", sample);
	put("project/.mortise/mortise.ini", "[llm]\nmodel = p\n");
	config_trust(project, &err);
	OOM_EACH({
		struct config *c = NULL;

		err = ERROR_NONE;
		config_load(&in, &c, &err);
		wrong += c ? err.code != MT_OK : err.code != MT_ENOMEM || !oom_hit;
		if (c && !oom_hit)
			wrong += strcmp(config_get(c, "llm", "model"), "p") != 0;
		config_free(c);
	});
	CHECK(wrong == 0);
	clean();
}

int main(void)
{
	set_up();
	test_values();
	test_typed();
	test_layers();
	test_variables();
	test_overrides();
	test_faults();
	test_unsafe();
	test_cut();
	test_memory();
	return tear_down();
}
