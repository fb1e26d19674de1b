/* SPDX-License-Identifier: MIT
 *
 * test-config.c - the layers of the configuration, in directories of their own. */
#include "config/choices.h"
#include "config/config.h"
#include "events/confirmation.h"
#include "events/confirmation.h"
#include "events/log.h"
#include "hooks/hooks.h"
#include "files.h"
#include "oom.h"
#include "tap.h"
#include <sys/stat.h>

static char root[256]; /* home, etc, project below it */

static void put(const char *name, const char *text)
{
	AUTO(free) char *path = path_join(root, name);
	char *slash = strrchr(path, '/');
	struct error err = ERROR_NONE;

	*slash = '\0';
	dir_make(path, &err);
	*slash = '/';
	if (file_write(path, text, strlen(text), 0600, false, &err))
		printf("Bail out! %s\n", err.text);
}

static void set_up(void)
{
	static const char *const mine[] = { "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME" };
	const char *home = getenv("MORTISE_TEST_HOME");
	AUTO(free) char *real =
		realpath(home ? home : "/tmp", NULL); /* no symbolic link */
	char path[512];

	snprintf(root, sizeof root, "%s/config-XXXXXX", real ? real : "/tmp");
	if (!mkdtemp(root))
		puts("Bail out! no temporary directory");
	clearenv();
	for (size_t i = 0; i < ARRAY_LEN(mine); i++)
		setenv(mine[i], root, 1);
	snprintf(path, sizeof path, "%s/etc", root);
	setenv("MORTISE_SYSTEM_CONFIG", path, 1);
}

static void clean(void)
{
	static const char *const names[] = { "etc", "mortise", "project" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(free) char *path = path_join(root, names[i]);

		dir_remove(path, NULL);
	}
}

/* Load with up to four -o; NULL and `err` on failure. */
static struct config *load(struct error *err, const char *const *overrides)
{
	AUTO(free) char *project = path_join(root, "project");
	struct config_input in = { .overrides = overrides, .workspace = project };
	struct config *c = NULL;

	while (overrides && overrides[in.override_count])
		in.override_count++;
	*err = ERROR_NONE;
	config_load(&in, &c, err);
	return c;
}

static struct config *load_user(const char *text, struct error *err)
{
	put("mortise/mortise.ini", text);
	return load(err, NULL);
}

static const char *or_unset(const char *text)
{
	return text ? text : "(unset)";
}

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
		  "bash, editor, think, finish, skill, memory, mcp, x" },
		{ "[controller]\ntools += bash , y\n", "controller", "tools",
		  "bash, editor, think, finish, skill, memory, mcp, y" },
		{ "[controller]\ntools -= bash, think\n", "controller", "tools",
		  "editor, finish, skill, memory, mcp" },
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
		  "bash, editor, think, finish, skill, memory, mcp, x" },
		{ "controller.tools -= bash", "controller", "tools",
		  "editor, think, finish, skill, memory, mcp" },
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

/* ---- what is refused --------------------------------------------------------------- */

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
		  ":2: [llm] `retries`: 1000 is not within 0 and 100" },
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

/* ---- projects ------------------------------------------------------------------------
 */

static void test_project(void)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "[llm]\nmodel = a/b\n", true },
		{ "[controller]\nagent = dummy\ntools -= bash\n", true },
		{ "[controller.review]\nagent = readonly\n", true },
		{ "[tool.bash]\nno_change_timeout = 5s\n", true },
		{ "[core]\nplugin_path = plugins\n", false },
		{ "[core]\nrunner = /tmp/x\n", false },
		{ "[core]\nprompt_dir = x\n", false },
		{ "[core]\nstate_dir = x\n", false },
		{ "[core]\nsync = none\n", false },
		{ "[llm]\nbase_url = http://evil\n", false },
		{ "[llm.x]\nbase_url = http://evil\n", false },
		{ "[llm]\napi_key_env = AWS_SECRET\n", false },
		{ "[llm]\napi_key_file = /etc/shadow\n", false },
		{ "[llm]\nextra_headers = a: b\n", false },
		{ "[llm]\nproxy = http://evil\n", false },
		{ "[llm]\nca_path = x\n", false },
		{ "[llm]\nscript = x\n", false },
		{ "[controller]\nruntime = x\n", false },
		{ "[controller]\nconfirmation = never\n", false },
		{ "[controller.x]\nanalyzers =\n", false },
		{ "[tool.x]\nplugin = ffi\n", false },
		{ "[agent.x]\nplugin = y\n", false },
		{ "[runtime.docker]\nimage = x\n", false },
		{ "[dialect.x]\n", false },
		{ "[analyzer.x]\n", false },
		{ "[grant.x]\nenv = SECRET\n", false },
	};
	AUTO(free) char *project = path_join(root, "project");
	struct error err = ERROR_NONE;
	int status;

	clean();
	CHECK(config_trust(project, &err) == MT_ENOTFOUND);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config *c;

		put("project/.mortise/mortise.ini", cases[i].text);
		c = load(&err, NULL);
		CHECK_MSG(c && config_untrusted(c), "another content is not trusted");
		config_free(c);
		err = ERROR_NONE;
		status = config_trust(project, &err);
		CHECK_MSG(cases[i].good == (status == MT_OK), "project: %s",
			  status ? err.text : "trusted");
		CHECK(!status ||
		      (err.code == MT_EDENIED && strstr(err.text, "a project cannot")));
		err = ERROR_NONE;
		c = load(&err, NULL);
		CHECK_MSG(c && !config_untrusted(c) == cases[i].good,
			  "what is refused stays untrusted");
		config_free(c);
	}

	AUTO(free) char *store = path_join(root, "mortise/trust.json");
	struct stat st;

	CHECK(stat(store, &st) == 0 && (st.st_mode & 0777) == 0600);
	clean();
}

/* ---- options of plugins
 * ----------------------------------------------------------------- */

#define OPTION(type_, name_, ...)                                              \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = name_, .help = "Help.", __VA_ARGS__ }

static const struct mt_option plugin_table[] = {
	OPTION(INT, "depth", .max = 9),
	OPTION(LIST, "paths", .fallback = "a, b"),
	OPTION(PATH, "home"),
	OPTION(TEXT, "token", .flags = MT_OPTION_SECRET),
	OPTION(TEXT, "arg.", .flags = MT_OPTION_PREFIX),
};

static void test_section(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "{}" },
		{ "[tool.x]\nplugin = y\ndeadline = 3s\n", "{}" },
		{ "[tool.x]\ndepth = 3\n", "{\"depth\":\"3\"}" },
		{ "[tool.x]\npaths += c\n", "{\"paths\":\"a, b, c\"}" },
		{ "[tool.x]\narg.a = 1\narg.b = 2\n",
		  "{\"arg.a\":\"1\",\"arg.b\":\"2\"}" },
		{ "[tool.x]\ndepth = 10\n",
		  ":2: [tool.x] `depth`: 10 is not within 0 and 9" },
		{ "[tool.x]\ndepth += 1\n",
		  ":2: `depth` is not a list; use `depth =`, not "
		  "`depth +=`" },
		{ "[tool.x]\n\ndeth = 1\n",
		  ":3: [tool.x] unknown option `deth`; did you mean "
		  "`depth`?" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err;
		AUTO(config) struct config *c = load_user(cases[i].text, &err);
		AUTO(free) char *path = path_join(root, "mortise/mortise.ini");
		AUTO(json) json_object *set = NULL;

		if (c && config_section(c, "tool.x", plugin_table,
					ARRAY_LEN(plugin_table), &set, &err) == MT_OK)
			CHECK_STR(js_text(set, NULL), cases[i].want);
		else
			CHECK_STR(err.text + strlen(path), cases[i].want);
	}

	static const struct mt_option needed[] = { OPTION(TEXT, "url",
							  .flags = MT_OPTION_REQUIRED) };
	struct error err;
	AUTO(config) struct config *c = load_user("[tool.x]\n", &err);
	json_object *set = NULL;

	CHECK(c && config_section(c, "tool.x", needed, 1, &set, &err) == MT_EINVAL);
	CHECK_STR(err.text, "[tool.x] requires the option `url`: Help.");
	clean();
}

/* A project can set plain options of a plugin, no paths and no secrets. */
static void test_section_of_project(void)
{
	AUTO(free) char *project = path_join(root, "project");
	struct error err = ERROR_NONE;
	json_object *set = NULL;

	put("project/.mortise/mortise.ini", "[tool.x]\ndepth = 2\nhome = /\n");
	config_trust(project, &err);

	AUTO(config) struct config *c = load(&err, NULL);

	CHECK(c && config_section(c, "tool.x", plugin_table, ARRAY_LEN(plugin_table),
				  &set, &err) == MT_EDENIED);
	clean();
}

/* ---- secrets
 * ----------------------------------------------------------------------------- */

static const struct mt_option *give_table(const char *section, size_t *ret_count,
					  void *arg)
{
	(void)arg;
	*ret_count = strcmp(section, "tool.x") == 0 ? ARRAY_LEN(plugin_table) : 0;
	return *ret_count ? plugin_table : NULL;
}

static void test_secrets(void)
{
	static const char *const hidden[] = { "sesame-env", "sesame-file", "sesame-grant",
					      "sesame-header" };
	struct error err;
	AUTO(mask) struct mask *mask = mask_new();

	setenv("KEY_VARIABLE", "sesame-env", 1);
	setenv("GRANT_VARIABLE", "sesame-grant", 1);
	put("mortise/key", "  sesame-file \nsecond line\n");
	put("mortise/mortise.ini",
	    "[llm]\napi_key_env = KEY_VARIABLE\n"
	    "extra_headers = X-Title: demo, Authorization: Bearer sesame-header\n"
	    "[llm.file]\napi_key_env =\napi_key_file = key\n"
	    "[llm.none]\napi_key_env = UNSET_VARIABLE\n[llm.fallback]\napi_key_env =\n"
	    "[grant.x]\nenv = GRANT_VARIABLE\ntools = bash\n"
	    "[tool.x]\ntoken = sesame-token\ndepth = 4\n[tool.y]\nwhat = sesame-what\n");

	AUTO(config) struct config *c = load(&err, NULL);

	if (!c) {
		CHECK_STR(err.text, "");
		return;
	}
	for (size_t i = 0; i < 4; i++) {
		static const char *const sections[] = { "llm", "llm.file", "llm.none",
							"llm.fallback" };
		static const char *const want[] = { "sesame-env", "sesame-file",
						    "(unset)", "sesame-grant" };
		AUTO(free) char *key =
			config_api_key(c, sections[i], "GRANT_VARIABLE", &err);

		CHECK_STR(or_unset(key), want[i]);
		CHECK(err.code == MT_OK);
	}
	CHECK(config_secrets(c, mask, &err) == MT_OK);
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(4096);

		mask_put(mask, &out, hidden[i], strlen(hidden[i]));
		CHECK_MSG(!strstr(out.text, "sesame"), "%s is masked: %s", hidden[i],
			  out.text);
	}
	for (int i = 0; i < 6; i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
		static const char *const keys[] = { "llm.extra_headers", "tool.x.token",
						    "tool.y.what", "tool.x" };

		config_tables(c, i ? give_table : NULL, NULL);
		if (i < 2)
			config_show(c, i, &out);
		else
			config_explain(c, keys[i - 2], &out, &err);
		CHECK_MSG(out.len > 0 && !strstr(out.text, "sesame"),
			  "no secret shown (%d)", i);
	}
	clean();
}

/* ---- shown
 * -------------------------------------------------------------------------------- */

/* What is shown as INI reads back as the same configuration. */
static void test_show(void)
{
	struct error err;
	AUTO(strbuf) struct strbuf first = STRBUF(1 << 20), second = STRBUF(1 << 20);
	AUTO(config) struct config *c =
		load_user("[llm]\nmodel = a/b\n[llm.cheap]\nmodel = c ; d\n"
			  "[controller]\ntools -= bash\n[controller.x]\nagent = dummy\n",
			  &err);
	AUTO(config) struct config *again = NULL;

	CHECK(c && config_show(c, true, &first) == MT_OK);
	CHECK(c && config_show(c, false, &second) == MT_OK);

	AUTO(free) char *text = strbuf_take(&second);
	AUTO(json) json_object *before = js_parse(first.text, first.len, &err),
			       *after = NULL;

	again = load_user(text, &err);
	strbuf_reset(&first);
	CHECK(again && config_show(again, true, &first) == MT_OK);
	after = js_parse(first.text, first.len, &err);
	json_object_object_foreach(before, section, keys) {
		json_object_object_foreach(keys, key, value) {
			json_object *other = js_get(js_get(after, section), key);

			CHECK_MSG(other && strcmp(js_str(value, "value", "?"),
						  js_str(other, "value", "!")) == 0,
				  "%s.%s", section, key);
		}
	}
	clean();
}

static void test_explain(void)
{
	static const struct {
		const char *key, *want; /* part of the text, or of the error */
	} cases[] = {
		{ "llm.model", "llm.model = c/d" },
		{ "llm.model", "over: [llm] model = a/b" },
		{ "llm.x.model", "llm.x.model = c/d" },
		{ "controller.review.agent", "set:  [controller.review] agent = dummy" },
		{ "controller.review.agent", "over: built in: codeact" },
		{ "controller.review.tools", "over: [controller] tools -= bash" },
		{ "llm.temperature", "(unset)" },
		{ "llm", "retries = 5" },
		{ "llm.modle", "did you mean `model`?" },
		{ "nothing.x", "SECTION.KEY" },
		{ "llm.", "unknown option" },
		{ "", "SECTION.KEY" },
	};
	static const char *const overrides[] = { "llm.model=c/d", NULL };
	struct error err;

	put("mortise/mortise.ini", "[llm]\nmodel = a/b\n[controller]\ntools -= bash\n"
				   "[controller.review]\nagent = dummy\ntools += x\n");

	AUTO(config) struct config *c = load(&err, overrides);

	for (size_t i = 0; c && i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

		err = ERROR_NONE;
		config_explain(c, cases[i].key, &out, &err);
		CHECK_MSG(strstr(err.code ? err.text : out.text, cases[i].want), "%s: %s",
			  cases[i].key, cases[i].want);
	}
	clean();
}

/* ---- cut and without memory
 * ------------------------------------------------------------------ */

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

static void choices_have_the_order_of_the_tables(void)
{
	static const struct {
		const char *family, *key, *value;
		int index;
	} choices[] = {
		{ "core", "log_level", "error", LOG_LEVEL_ERROR },
		{ "core", "log_level", "warning", LOG_LEVEL_WARNING },
		{ "core", "log_level", "info", LOG_LEVEL_INFO },
		{ "core", "log_level", "debug", LOG_LEVEL_DEBUG },
		{ "core", "sync", "barrier", SYNC_BARRIER },
		{ "core", "sync", "event", SYNC_EVENT },
		{ "core", "sync", "none", SYNC_NONE },
		{ "llm", "native_tool_calling", "auto", FEATURE_AUTO },
		{ "llm", "native_tool_calling", "yes", FEATURE_YES },
		{ "llm", "native_tool_calling", "no", FEATURE_NO },
		{ "llm", "vision", "auto", FEATURE_AUTO },
		{ "llm", "vision", "yes", FEATURE_YES },
		{ "llm", "prompt_cache", "auto", FEATURE_AUTO },
		{ "llm", "prompt_cache", "yes", FEATURE_YES },
		{ "llm", "stop_words", "auto", FEATURE_AUTO },
		{ "llm", "stop_words", "yes", FEATURE_YES },
		{ "llm", "token_counter", "estimate", TOKEN_COUNTER_ESTIMATE },
		{ "llm", "token_counter", "provider", TOKEN_COUNTER_PROVIDER },
		{ "controller", "analyzer_failure", "unknown", ANALYZER_FAILURE_UNKNOWN },
		{ "controller", "analyzer_failure", "high", ANALYZER_FAILURE_HIGH },
		{ "controller", "confirmation", "auto", CONFIRMATION_AUTO },
		{ "controller", "confirmation", "never", CONFIRMATION_NEVER },
		{ "controller", "confirmation", "always", CONFIRMATION_ALWAYS },
		{ "controller", "confirmation", "risky", CONFIRMATION_RISKY },
		{ "controller", "confirm_risk", "low", RISK_LOW },
		{ "controller", "confirm_risk", "medium", RISK_MEDIUM },
		{ "controller", "confirm_risk", "high", RISK_HIGH },
		{ "controller", "text_only", "auto", TEXT_ONLY_AUTO },
		{ "controller", "text_only", "done", TEXT_ONLY_DONE },
		{ "controller", "text_only", "continue", TEXT_ONLY_CONTINUE },
		{ "controller", "stuck_compare", "normalized", STUCK_COMPARE_NORMALIZED },
		{ "controller", "stuck_compare", "output", STUCK_COMPARE_OUTPUT },
		{ "controller", "stuck_compare", "exit_code", STUCK_COMPARE_EXIT_CODE },
		{ "controller", "setup", "trusted", SETUP_TRUSTED },
		{ "controller", "setup", "always", SETUP_ALWAYS },
		{ "controller", "setup", "never", SETUP_NEVER },
		{ "hook", "event", "before-tool", HOOK_BEFORE_TOOL },
		{ "hook", "event", "after-tool", HOOK_AFTER_TOOL },
		{ "hook", "event", "user-prompt", HOOK_USER_PROMPT },
		{ "hook", "event", "stop", HOOK_STOP },
		{ "hook", "event", "session-start", HOOK_SESSION_START },
		{ "hook", "event", "session-end", HOOK_SESSION_END },
		{ "hook", "on_failure", "deny", ON_FAILURE_DENY },
		{ "hook", "on_failure", "allow", ON_FAILURE_ALLOW },
	};

	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		size_t count = 0;
		const struct mt_option *table = config_table(choices[i].family, &count);
		const struct mt_option *o = option_find(table, count, choices[i].key);

		CHECK_MSG(o && option_choice(o, choices[i].value) == choices[i].index,
			  "[%s] %s = %s", choices[i].family, choices[i].key,
			  choices[i].value);
	}
}

static void a_choice_is_read_as_an_index(void)
{
	const char *const overrides[] = { "controller.x.setup=never", "core.sync=event",
					  "controller.confirmation=risky", NULL };
	struct error err;
	struct config *c;

	c = load(&err, overrides);
	CHECK(c && config_choice(c, "controller.x", "setup") == SETUP_NEVER);
	CHECK(c &&
	      config_choice(c, "controller.x", "confirmation") == CONFIRMATION_RISKY);
	CHECK(c && config_choice(c, "core", "sync") == SYNC_EVENT);
	CHECK(c && config_choice(c, "llm", "reasoning_effort") == -1);
	config_free(c);
}

int main(void)
{
	AUTO(free) char *ours = NULL;

	set_up();
	ours = strdup(root);
	test_values();
	test_typed();
	test_layers();
	test_variables();
	test_overrides();
	test_faults();
	test_unsafe();
	test_project();
	test_section();
	test_section_of_project();
	test_secrets();
	test_show();
	test_explain();
	test_cut();
	test_memory();
	choices_have_the_order_of_the_tables();
	a_choice_is_read_as_an_index();
	dir_remove(ours, NULL);
	return tap_done();
}
