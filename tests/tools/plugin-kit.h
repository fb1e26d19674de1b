/* SPDX-License-Identifier: MIT
 *
 * plugin-kit.h - a host that loads a tool plugin of the build tree and plays one
 * call of it at a time. */
#ifndef TESTS_PLUGIN_KIT_H
#define TESTS_PLUGIN_KIT_H

#include "tap.h"

#include "files.h"
#include "js.h"
#include <dlfcn.h>
#include <mortise/tool.h>
#include <stdarg.h>

struct mt_call {
	const char *tool;
	json_object *args, *fields;
	struct strbuf text, sentence, spooled;
	char json[4][4096];
	char mime[32];
	size_t media_len;
	int cancel[2];
	int status;
};

/* Options that were set: name, value, ...; the others have their default. */
struct mt_instance {
	const struct mt_component *component;
	const char *workspace;
	const char *const *set;
};

static const char *kit_call_tool(struct mt_call *c)
{
	return c->tool;
}

static const char *kit_arg_str(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *o = js_get(c->args, name);

	if (!json_object_is_type(o, json_type_string))
		return NULL;
	if (ret_len)
		*ret_len = (size_t)json_object_get_string_len(o);
	return json_object_get_string(o);
}

static int kit_arg_int(struct mt_call *c, const char *name, int64_t *ret)
{
	json_object *o = js_get(c->args, name);

	if (o)
		*ret = json_object_get_int64(o);
	return o ? MT_OK : MT_ENOTFOUND;
}

static int kit_arg_bool(struct mt_call *c, const char *name, int *ret)
{
	json_object *o = js_get(c->args, name);

	if (o)
		*ret = json_object_get_boolean(o);
	return o ? MT_OK : MT_ENOTFOUND;
}

static const char *kit_arg_json(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *o = js_get(c->args, name);

	return o ? js_text(o, ret_len) : NULL;
}

static int kit_reply(struct mt_call *c, const char *fmt, ...) MT_PRINTF(2, 3);
static int kit_reply(struct mt_call *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&c->text, fmt, ap);
	va_end(ap);
	return MT_OK;
}

static int kit_reply_text(struct mt_call *c, const char *text, size_t len)
{
	return strbuf_addn(&c->text, text, len);
}

static int kit_reply_media(struct mt_call *c, const char *mime, const void *bytes,
			   size_t len)
{
	snprintf(c->mime, sizeof c->mime, "%s", mime);
	c->media_len = bytes ? len : 0;
	return MT_OK;
}

static int kit_field(struct mt_call *c, const char *name, const char *json, size_t len)
{
	return js_set(c->fields, name, js_parse(json, len, NULL));
}

static int kit_fail(struct mt_call *c, int status, const char *fmt, ...) MT_PRINTF(3, 4);
static int kit_fail(struct mt_call *c, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&c->sentence, fmt, ap);
	va_end(ap);
	return status;
}

static int kit_spool(struct mt_call *c, const char *bytes, size_t len)
{
	return strbuf_addn(&c->spooled, bytes, len);
}

static const char *kit_spool_path(struct mt_call *c)
{
	return c->spooled.len ? "/spool/7" : "";
}

static int kit_cancelled(struct mt_call *c)
{
	return c->cancel[1] < 0;
}

static int kit_cancel_fd(struct mt_call *c)
{
	return c->cancel[0];
}

static int64_t kit_time_left(struct mt_call *c)
{
	(void)c;
	return -1;
}

static const struct mt_option *kit_option_of(struct mt_instance *i, const char *name)
{
	for (uint32_t n = 0; n < i->component->option_count; n++)
		if (strcmp(i->component->options[n].name, name) == 0)
			return &i->component->options[n];
	return NULL;
}

static const char *kit_option(struct mt_instance *i, const char *name)
{
	const struct mt_option *o = kit_option_of(i, name);

	for (const char *const *s = i->set; s && *s; s += 2)
		if (strcmp(s[0], name) == 0)
			return s[1];
	return o ? o->fallback : NULL;
}

static int64_t kit_option_int(struct mt_instance *i, const char *name)
{
	const struct mt_option *o = kit_option_of(i, name);
	const char *text = kit_option(i, name);
	struct option_number {
		char *end;
		double n;
	} v = { NULL, 0 };

	if (!o || !text)
		return 0;
	if (o->type == MT_OPTION_BOOL)
		return strcmp(text, "yes") == 0;
	v.n = strtod(text, &v.end);
	if (o->type == MT_OPTION_DURATION)
		return (int64_t)(v.n * (strcmp(v.end, "s") == 0 ? 1000 : 1));
	return (int64_t)v.n * (*v.end == 'K' ? 1 << 10 : *v.end == 'M' ? 1 << 20 : 1);
}

static int kit_option_at(struct mt_instance *i, const char *prefix, size_t n,
			 const char **ret_key, const char **ret_value)
{
	for (const char *const *s = i->set; s && *s; s += 2) {
		if (strncmp(s[0], prefix, strlen(prefix)) != 0 || n--)
			continue;
		*ret_key = s[0];
		*ret_value = s[1];
		return MT_OK;
	}
	return MT_ENOTFOUND;
}

static const char *kit_workspace(struct mt_instance *i)
{
	return i->workspace;
}

static void kit_log(struct mt_instance *i, int level, const char *fmt, ...)
	MT_PRINTF(3, 4);
static void kit_log(struct mt_instance *i, int level, const char *fmt, ...)
{
	va_list ap;

	(void)i;
	printf("# log %d: ", level);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

static const struct mt_tool_host kit_host = {
	.size = sizeof kit_host,
	.call_tool = kit_call_tool,
	.arg_str = kit_arg_str,
	.arg_int = kit_arg_int,
	.arg_bool = kit_arg_bool,
	.arg_json = kit_arg_json,
	.reply = kit_reply,
	.reply_text = kit_reply_text,
	.reply_media = kit_reply_media,
	.field = kit_field,
	.fail = kit_fail,
	.spool = kit_spool,
	.spool_path = kit_spool_path,
	.cancelled = kit_cancelled,
	.cancel_fd = kit_cancel_fd,
	.time_left_ms = kit_time_left,
	.option = kit_option,
	.option_int = kit_option_int,
	.option_at = kit_option_at,
	.workspace = kit_workspace,
	.log = kit_log,
};

static inline const struct mt_plugin *kit_load(const char *name)
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

static inline void kit_end(struct mt_call *c)
{
	json_object_put(c->args);
	json_object_put(c->fields);
	strbuf_clear(&c->text);
	strbuf_clear(&c->sentence);
	strbuf_clear(&c->spooled);
	if (c->cancel[0] >= 0)
		close(c->cancel[0]);
	if (c->cancel[1] >= 0)
		close(c->cancel[1]);
	*c = (struct mt_call){ .cancel = { -1, -1 } };
}

/* A call whose result stays in `c`, for which kit_end is due. */
static inline void kit_begin(struct mt_call *c, const char *args)
{
	*c = (struct mt_call){ .args = js_parse_object(args, strlen(args), NULL),
			       .fields = json_object_new_object(),
			       .text = STRBUF(4 << 20), .sentence = STRBUF(1 << 20),
			       .spooled = STRBUF(4 << 20), .cancel = { -1, -1 } };
	CHECK_MSG(c->args, "arguments: %s", args);
	if (pipe(c->cancel))
		CHECK(!"a pipe");
}

static inline int kit_call(const struct mt_toolset *set, void *self, const char *name,
			   struct mt_call *c, const char *args)
{
	kit_begin(c, args);
	c->tool = name;
	return c->status = set->call(&kit_host, self, c);
}

/* Checks the definition of each tool for the model, and that its JSON is valid. */
static inline void kit_check_tools(const struct mt_toolset *set, size_t most)
{
	for (uint32_t i = 0; i < set->tool_count; i++) {
		const struct mt_tool *t = &set->tools[i];
		AUTO(json) json_object *schema =
			js_parse_object(t->schema, strlen(t->schema), NULL);
		AUTO(json) json_object *events =
			t->events ? js_parse(t->events, strlen(t->events), NULL) : NULL;
		size_t size =
			strlen(t->name) + strlen(t->description) + strlen(t->schema);

		CHECK_MSG(schema && (!t->events ||
				     json_object_is_type(events, json_type_array)),
			  "%s: valid JSON", t->name);
		CHECK_MSG(size < most && strlen(t->brief) < strlen(t->description),
			  "%s: %zu bytes for the model", t->name, size);
	}
}

/* Make a file with its directories below `dir`. */
static inline void kit_file(const char *dir, const char *name, const char *text)
{
	AUTO(free) char *path = path_join(dir, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	CHECK(dir_make(path, NULL) == MT_OK);
	*slash = '/';
	CHECK_MSG(file_write(path, text, strlen(text), 0600, false, NULL) == MT_OK,
		  "%s is written", name);
}

#endif
