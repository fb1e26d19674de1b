/* SPDX-License-Identifier: MIT
 *
 * test-editor-plugin.c - editor.so and control.so as a host sees them. */
#include "tap.h"

#include "js.h"
#include "params.h"
#include <dlfcn.h>
#include <mortise/tool.h>
#include <stdarg.h>

/* A host that plays one call. */
struct mt_call {
	json_object *args, *fields;
	struct strbuf text, sentence;
	char json[8][4096];
	size_t json_count;
	char mime[32];
	size_t media_len;
};

static const char *arg_str(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *o = js_get(c->args, name);

	if (!json_object_is_type(o, json_type_string))
		return NULL;
	*ret_len = (size_t)json_object_get_string_len(o);
	return json_object_get_string(o);
}

static const char *arg_json(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *o = js_get(c->args, name);
	char *text = c->json[c->json_count++ % 8];

	if (!o)
		return NULL;
	snprintf(text, sizeof c->json[0], "%s", js_text(o, NULL));
	*ret_len = strlen(text);
	return text;
}

static int reply(struct mt_call *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&c->text, fmt, ap);
	va_end(ap);
	return MT_OK;
}

static int reply_text(struct mt_call *c, const char *text, size_t len)
{
	return strbuf_addn(&c->text, text, len);
}

static int reply_media(struct mt_call *c, const char *mime, const void *bytes, size_t len)
{
	snprintf(c->mime, sizeof c->mime, "%s", mime);
	c->media_len = bytes ? len : 0;
	return MT_OK;
}

static int field(struct mt_call *c, const char *name, const char *json, size_t len)
{
	return js_set(c->fields, name, js_parse(json, len, NULL));
}

static int fail_call(struct mt_call *c, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&c->sentence, fmt, ap);
	va_end(ap);
	return status;
}

static const char *workspace(struct mt_instance *i)
{
	(void)i;
	return "/tmp";
}

static int arg_bool(struct mt_call *call, const char *name, int *ret)
{
	size_t len;
	const char *text = arg_json(call, name, &len);

	if (text)
		*ret = strcmp(text, "true") == 0;
	return text ? MT_OK : MT_ENOTFOUND;
}

static const char *option(struct mt_instance *instance, const char *name)
{
	(void)instance, (void)name;
	return NULL;
}

static int request(struct mt_call *call, const char *method, struct mt_str params,
		   struct mt_str *ret_result)
{
	(void)call, (void)method, (void)params, (void)ret_result;
	return MT_EUNSUPPORTED;
}

static const struct mt_tool_host host = {
	.size = sizeof host,
	.arg_str = arg_str,
	.arg_bool = arg_bool,
	.option = option,
	.request = request,
	.arg_json = arg_json,
	.reply = reply,
	.reply_text = reply_text,
	.reply_media = reply_media,
	.field = field,
	.fail = fail_call,
	.workspace = workspace,
};

static const struct mt_plugin *load(const char *name)
{
	char path[4096];
	const char *build = getenv("top_builddir");
	const struct mt_plugin *(*entry)(void);
	void *lib;

	snprintf(path, sizeof path, "%s/plugins/tools/%s.so", build ? build : ".", name);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		printf("# %s\n", dlerror());
		return NULL;
	}
	entry = (const struct mt_plugin *(*)(void))dlsym(lib, MT_PLUGIN_SYMBOL);
	return entry ? entry() : NULL;
}

/* The definition of a tool for the model, and that its JSON is valid. */
static void check_tool(const struct mt_tool *t, size_t most)
{
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	int r = t->schema ? strbuf_add(&text, t->schema) : params_schema(t, &text, &err);
	AUTO(json) json_object *schema =
		r ? NULL : js_parse_object(text.text, text.len, &err);
	AUTO(json) json_object *events = js_parse(t->events, strlen(t->events), &err);
	size_t size = strlen(t->name) + strlen(t->description) + text.len;

	CHECK_MSG(schema && json_object_is_type(events, json_type_array),
		  "%s: valid JSON", t->name);
	CHECK_MSG(size < most && strlen(t->brief) < strlen(t->description),
		  "%s: %zu bytes for the model", t->name, size);
}

static int call(const struct mt_toolset *set, void *self, struct mt_call *c,
		const char *args)
{
	json_object_put(c->args);
	json_object_put(c->fields);
	strbuf_clear(&c->text);
	strbuf_clear(&c->sentence);
	*c = (struct mt_call){ .args = js_parse_object(args, strlen(args), NULL),
			       .fields = json_object_new_object(),
			       .text = STRBUF(1 << 20),
			       .sentence = STRBUF(1 << 20) };
	return set->call(&host, self, c);
}

static void calls(const struct mt_toolset *set, void *self, const char *dir)
{
	static const char *const png = "\x89PNG\r\n\x1a\n";
	struct mt_call c = { .text = STRBUF(1), .sentence = STRBUF(1) };
	char args[500], path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/f", dir);
	snprintf(args, sizeof args,
		 "{\"command\":\"create\",\"path\":\"%s\","
		 "\"file_text\":\"a\\n\"}",
		 path);
	CHECK(call(set, self, &c, args) == MT_OK);
	CHECK_STR(js_str(c.fields, "path", NULL), path);
	CHECK_STR(js_str(c.fields, "impl_source", NULL), "oh_aci");
	CHECK_STR(js_str(c.fields, "new_content", NULL), "a\n");
	CHECK(!js_get(c.fields, "old_content") && !js_bool(c.fields, "prev_exist", true));
	snprintf(args, sizeof args,
		 "{\"command\":\"insert\",\"path\":\"%s\","
		 "\"insert_line\":\"1\",\"new_str\":\"b\"}",
		 path);
	CHECK(call(set, self, &c, args) == MT_OK &&
	      js_bool(c.fields, "prev_exist", false));
	CHECK(strstr(js_str(c.fields, "diff", ""), "@@ -1 +1,2 @@\n a\n+b\n") != NULL);
	snprintf(args, sizeof args,
		 "{\"command\":\"view\",\"path\":\"%s\","
		 "\"view_range\":[2,2]}",
		 path);
	CHECK(call(set, self, &c, args) == MT_OK && strstr(c.text.text, "     2\tb\n"));
	CHECK(!js_get(c.fields, "diff") && js_get(c.fields, "path"));
	CHECK(call(set, self, &c, "{\"command\":\"view\",\"path\":\"/no/such\"}") ==
	      MT_ENOTFOUND);
	CHECK_STR(c.text.text, "ERROR:\n");
	CHECK(strstr(c.sentence.text, "does not exist") != NULL);
	snprintf(args, sizeof args,
		 "{\"command\":\"str_replace\",\"path\":\"%s\","
		 "\"old_str\":\"a\\nc\",\"new_str\":\"x\"}",
		 path);
	CHECK(call(set, self, &c, args) == MT_ENOTFOUND &&
	      strncmp(c.text.text, "ERROR:\nNo replacement was performed", 34) == 0 &&
	      !strchr(c.sentence.text, '\n'));
	snprintf(path, sizeof path, "%s/i.png", dir);
	f = fopen(path, "w");
	if (f) {
		fputs(png, f);
		fclose(f);
	}
	snprintf(args, sizeof args, "{\"command\":\"view\",\"path\":\"%s\"}", path);
	CHECK(call(set, self, &c, args) == MT_OK && c.media_len == 8);
	CHECK_STR(c.mime, "image/png");
	call(set, self, &c, "{}");
	CHECK(strstr(c.sentence.text, "`command` is required") != NULL);
	json_object_put(c.args);
	json_object_put(c.fields);
	strbuf_clear(&c.text);
	strbuf_clear(&c.sentence);
	unlink(path);
	snprintf(path, sizeof path, "%s/f", dir);
	unlink(path);
}

int main(void)
{
	const struct mt_plugin *editor = load("editor"), *control = load("control");
	char dir[] = "/tmp/mortise-plugin-XXXXXX";
	const struct mt_toolset *set;
	void *self = NULL;

	CHECK(editor && control);
	if (!editor || !control || !mkdtemp(dir))
		return tap_done();
	set = editor->components[0].functions;
	CHECK(editor->component_count == 1 && set->tool_count == 1);
	CHECK_STR(editor->components[0].name, "editor");
	check_tool(&set->tools[0], 1600);
	CHECK(set->open(&host, NULL, &self) == MT_OK);
	calls(set, self, dir);
	set->close(&host, NULL, self);
	rmdir(dir);

	set = control->components[0].functions;
	CHECK_STR(control->components[0].name, "control");
	CHECK(set->tool_count == 2 && !set->call);
	for (size_t i = 0; i < set->tool_count; i++) {
		check_tool(&set->tools[i], 400);
		CHECK(set->tools[i].hints & MT_TOOL_CONTROL && !set->tools[i].call);
	}
	return tap_done();
}
