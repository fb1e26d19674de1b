/* SPDX-License-Identifier: MIT
 *
 * test-registry.c - discovery, cache and loading, on a plugin of two kinds.
 * The child that probes it is the mortise of the build tree. */
#define MORTISE_PROVISIONAL
#include "files.h"
#include "oom.h"
#include "registry/registry.h"
#include "tap.h"
#include <mortise/condenser.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static char root[256];

static void copy(const char *from, const char *to)
{
	AUTO(free) char *text = NULL;
	struct error err = ERROR_NONE;
	size_t len;

	if (file_read(from, 64 << 20, &text, &len, &err) ||
	    file_write(to, text, len, 0755, false, &err))
		printf("Bail out! %s\n", err.text);
}

static void set_up(void)
{
	const char *home = getenv("MORTISE_TEST_HOME"), *build = getenv("top_builddir");
	AUTO(free) char *plugin =
		path_join(build ? build : ".", "tests/config/condenser.so");
	char path[512];

	snprintf(root, sizeof root, "%s/registry-XXXXXX", home ? home : "/tmp");
	if (!mkdtemp(root))
		puts("Bail out! no temporary directory");
	snprintf(path, sizeof path, "%s/both.so", root);
	copy(plugin, path);
	setenv("XDG_CACHE_HOME", root, 1);
	setenv("XDG_CONFIG_HOME", root, 1);
	setenv("MORTISE_CORE_PLUGIN_PATH", root, 1);
	setenv("MORTISE_BUILTIN_PLUGINS", "no", 1);
}

static struct registry *open_registry(struct error *err)
{
	struct config_input in = { .workspace = root };
	AUTO(config) struct config *c = NULL;
	struct registry *r = NULL;

	*err = ERROR_NONE;
	if (config_load(&in, &c, err) == MT_OK)
		registry_open(c, &r, err);
	return r;
}

static void check_components(const struct registry *r)
{
	const struct component *c = registry_find(r, MT_KIND_CONDENSER, "test-condenser");
	const struct component *t = registry_find(r, MT_KIND_TOOL, "test-tools");
	json_object *tools = t ? js_get(component_data(t), "tools") : NULL;
	const struct mt_option *options;
	size_t count;

	CHECK(c && t && !registry_at(r, 2) && !registry_refusal(r, 0));
	CHECK(!registry_find(r, MT_KIND_TOOL, "test-condenser"));
	if (!c || !t)
		return;
	CHECK_STR(c->plugin, "both");
	CHECK_STR(c->version, "2.1");
	CHECK_STR(c->license, "MIT");
	CHECK_STR(c->summary, "For a test.");
	CHECK(c->version_major == MT_CONDENSER_MAJOR &&
	      c->version_minor == MT_CONDENSER_MINOR);
	CHECK_STR(js_text(component_data(c), NULL), "{\"check\":false}");
	CHECK(!component_is_own(c));
	options = component_options(c, &count);
	CHECK(count == 1 && options->max == 100);
	CHECK_STR(count ? options->fallback : "", "10");
	CHECK_STR(
		js_text(tools, NULL),
		"[{\"name\":\"first\",\"description\":\"One.\","
		"\"schema\":{\"type\":\"object\"},"
		"\"events\":[{\"action\":\"run\",\"observation\":\"run\"}],\"hints\":0},"
		"{\"name\":\"second\",\"description\":\"Two.\",\"schema\":{},"
		"\"events\":null,\"hints\":1}]");
	CHECK(js_get(t->data, "dynamic") && !js_bool(t->data, "dynamic", true));
}

static void test_open(void)
{
	for (int i = 0; i < 2; i++) { /* probed, then from the cache */
		struct error err;
		AUTO(registry) struct registry *r = open_registry(&err);

		CHECK_STR(err.text, "");
		if (r)
			check_components(r);
	}
}

static void test_need(void)
{
	static const struct {
		int kind;
		const char *name, *want;
	} cases[] = {
		{ MT_KIND_TOOL, "test-tool",
		  "unknown tool `test-tool`; did you mean "
		  "`test-tools`?" },
		{ MT_KIND_TOOL, "zzz", "unknown tool `zzz`; use test-tools" },
		{ MT_KIND_AGENT, "test-tools",
		  "unknown agent `test-tools`; `mortise plugins` lists the installed "
		  "ones" },
		{ MT_KIND_AGENT, "broken", "not a shared library (it appears to be text)" },
	};
	AUTO(free) char *broken = path_join(root, "broken.so");
	struct error err;

	file_write(broken, "hello", 5, 0600, false, NULL);

	AUTO(registry) struct registry *r = open_registry(&err);

	for (size_t i = 0; r && i < ARRAY_LEN(cases); i++) {
		err = ERROR_NONE;
		CHECK(!registry_need(r, cases[i].kind, cases[i].name, &err));
		CHECK_MSG(strstr(err.text, cases[i].want), "%s", err.text);
	}
	unlink(broken);
	CHECK(kind_find("tool") == MT_KIND_TOOL && kind_find("spoon") == 0);
}

static void test_load(void)
{
	struct error err;
	AUTO(registry) struct registry *r = open_registry(&err);
	const struct component *c =
		r ? registry_find(r, MT_KIND_CONDENSER, "test-condenser") : NULL;
	const struct component *t =
		r ? registry_find(r, MT_KIND_TOOL, "test-tools") : NULL;
	const struct mt_condenser *f;

	if (!c || !t) {
		CHECK(!"found");
		return;
	}
	CHECK(!registry_load(r, t, &err) && strstr(err.text, "worker"));
	err = ERROR_NONE;
	f = registry_load(r, c, &err);
	CHECK(f && f->advance(NULL, NULL, NULL, NULL) == 42);
	CHECK(registry_load(r, c, &err) == f && err.code == MT_OK);
}

/* A file that changes between discovery and loading is not loaded. */
static void test_changed(void)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct error err;
	AUTO(registry) struct registry *r = open_registry(&err);
	const struct component *c =
		r ? registry_find(r, MT_KIND_CONDENSER, "test-condenser") : NULL;
	AUTO(free) char *path = path_join(root, "both.so");

	utimensat(AT_FDCWD, path, times, 0);
	CHECK(c && !registry_load(r, c, &err) && strstr(err.text, "changed since"));
}

static void test_probe(void)
{
	AUTO(free) char *path = path_join(root, "both.so");
	AUTO(free) char *text = path_join(root, "text.txt");
	AUTO(json) json_object *plugin = NULL, *none = NULL;
	struct error err = ERROR_NONE;

	CHECK(registry_probe(path, &plugin, &err) == MT_OK);
	CHECK_STR(js_str(plugin, "name", ""), "both");
	file_write(text, "hello", 5, 0600, false, NULL);
	CHECK(registry_probe(text, &none, &err) == MT_EINVAL && !none);
	err = ERROR_NONE;
	CHECK(registry_probe("/nonexistent.so", &none, &err) == MT_ENOTFOUND && !none);
}

/* The cache cut at every byte: whatever it contains, the result is correct. */
static void test_cache_cut(void)
{
	AUTO(free) char *path = path_join(root, "mortise/plugins.json"), *text = NULL;
	struct error err;
	unsigned wrong = 0;
	size_t len = 0;

	registry_free(open_registry(&err));
	CHECK(file_read(path, 1 << 20, &text, &len, &err) == MT_OK);
	for (size_t n = 0; n < len; n += 1 + len / 24) {
		struct registry *r;

		file_write(path, text, n, 0600, false, &err);
		r = open_registry(&err);
		wrong += !r || !registry_at(r, 1) || registry_refusal(r, 0);
		registry_free(r);
	}
	CHECK(wrong == 0);
}

static void test_memory(void)
{
	struct config_input in = { .workspace = root };
	AUTO(config) struct config *c = NULL;
	struct error err = ERROR_NONE;
	unsigned wrong = 0;

	config_load(&in, &c, &err);
	registry_free(open_registry(&err)); /* the cache is filled */
	OOM_EACH({
		struct registry *r = NULL;

		err = ERROR_NONE;
		registry_open(c, &r, &err);
		wrong += !r && err.code != MT_ENOMEM;
		wrong += r && !oom_hit && !registry_at(r, 1);
		registry_free(r);
	});
	CHECK(wrong == 0);
}

/* The agents and analyzers of the build tree, with the data to describe them without
 * loading them. */
static void test_own(void)
{
	static const struct {
		int kind;
		const char *directory, *name, *data;
	} cases[] = {
		{ MT_KIND_AGENT, "agents", "dummy", "{\"flags\":1}" },
		{ MT_KIND_AGENT, "agents", "readonly",
		  "{\"flags\":2,\"tools\":\"think, finish, search, view, recall\"}" },
		{ MT_KIND_ANALYZER, "analyzers", "llm",
		  "{\"flags\":1,\"open\":false,\"rules\":false}" },
		{ MT_KIND_ANALYZER, "analyzers", "policy",
		  "{\"flags\":2,\"open\":true,\"rules\":true}" },
	};
	const char *build = getenv("top_builddir");

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(strbuf) struct strbuf path = STRBUF(4096);
		struct error err;

		strbuf_addf(&path, "%s/plugins/%s", build ? build : ".",
			    cases[i].directory);
		setenv("MORTISE_CORE_PLUGIN_PATH", path.text, 1);

		AUTO(registry) struct registry *r = open_registry(&err);
		const struct component *c =
			r ? registry_find(r, cases[i].kind, cases[i].name) : NULL;

		CHECK_MSG(c && component_is_own(c), "%s is our own", cases[i].name);
		CHECK_STR(c ? js_text(component_data(c), NULL) : "", cases[i].data);
	}
	setenv("MORTISE_CORE_PLUGIN_PATH", root, 1);
}

int main(void)
{
	set_up();
	test_open();
	test_need();
	test_load();
	test_changed();
	test_probe();
	test_own();
	test_cache_cut();
	test_memory();
	dir_remove(root, NULL);
	return tap_done();
}
