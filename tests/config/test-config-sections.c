/* SPDX-License-Identifier: MIT
 *
 * test-config-sections.c - the configuration of projects and of plugins, and its secrets. */
#include "config-kit.h"

#include <sys/stat.h>

/* ---- projects ----------------------------------------------------------------- */

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
		{ "[controller]\nuntil = true\n", false },
		{ "[controller]\njudge = default\n", false },
		{ "[controller]\njudge_unknown = yes\n", false },
		{ "[controller]\njudge_deadline = 1s\n", false },
		{ "[controller]\njudge_rounds = 0\n", false },
		{ "[llm]\naws_profile = x\n", false },
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

/* ---- options of plugins ------------------------------------------------------- */

#define OPTION(type_, name_, ...)                                              \
	{ .size = sizeof(struct mt_option), .type = MT_OPTION_##type_,         \
	  .name = name_, .help = "Help.", __VA_ARGS__ }

static const struct mt_option plugin_table[] = {
	OPTION(INT, "depth", .max = 9),
	OPTION(LIST, "paths", .fallback = "a,b "),
	OPTION(PATH, "home"),
	OPTION(TEXT, "token", .flags = MT_OPTION_SECRET),
	OPTION(TEXT, "arg.", .flags = MT_OPTION_PREFIX),
};

static void test_section(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "{\"paths\":\"a, b\"}" },
		{ "[tool.x]\nplugin = y\ndeadline = 3s\n", "{\"paths\":\"a, b\"}" },
		{ "[tool.x]\ndepth = 3\n", "{\"depth\":\"3\",\"paths\":\"a, b\"}" },
		{ "[tool.x]\npaths += c\n", "{\"paths\":\"a, b, c\"}" },
		{ "[tool.x]\narg.a = 1\narg.b = 2\n",
		  "{\"arg.a\":\"1\",\"arg.b\":\"2\",\"paths\":\"a, b\"}" },
		{ "[tool.x]\ndepth = 10\n",
		  ":2: [tool.x] `depth`: 10 is not between 0 and 9" },
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

/* ---- secrets ------------------------------------------------------------------ */

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
					      "sesame-header", "sesame-proxy" };
	struct error err;
	AUTO(mask) struct mask *mask = mask_new();

	setenv("KEY_VARIABLE", "sesame-env", 1);
	setenv("GRANT_VARIABLE", "sesame-grant", 1);
	put("mortise/key", "  sesame-file \nsecond line\n");
	put("mortise/mortise.ini",
	    "[llm]\napi_key_env = KEY_VARIABLE\n"
	    "extra_headers = X-Title: demo, Authorization: Bearer sesame-header\n"
	    "[llm.file]\napi_key_env =\napi_key_file = key\n"
	    "proxy = http://me:sesame-proxy@proxy.example:3128\n"
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

static void test_secret_names(void)
{
	static const struct {
		const char *name;
		bool secret;
	} names[] = {
		{ "Authorization", true },      { "Proxy-Authorization", true },
		{ "HTTP_AUTH", true },          { "SSH_AUTH_SOCK", true },
		{ "AUTHORITY", true },          { "API_KEY", true },
		{ "GIT_AUTHOR_NAME", false },   { "GIT_AUTHOR_EMAIL", false },
		{ "author", false },            { "X-Authors", false },
		{ "AUTHORS_FILE", false },      { "AUTHOR_TOKEN", true },
		{ "AUTHOR_AUTH", true },        { "PATH", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		CHECK_MSG(secret_named(names[i].name, strlen(names[i].name)) ==
				  names[i].secret,
			  "%s: %d", names[i].name, names[i].secret);
	CHECK(!secret_named("GIT_AUTHORITY", 10)); /* only GIT_AUTHOR */
}

int main(void)
{
	set_up();
	test_project();
	test_section();
	test_section_of_project();
	test_secrets();
	test_secret_names();
	return tear_down();
}
