/* SPDX-License-Identifier: MIT
 *
 * ipython-kit.h - ipython.so loaded by a host that plays one call at a time. */
#ifndef TESTS_IPYTHON_KIT_H
#define TESTS_IPYTHON_KIT_H

#include "files.h"
#include "js.h"
#include "tap.h"
#include <dlfcn.h>
#include <mortise/tool.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>

struct mt_instance {
	char directory[64];
	const char *kernel, *imports, *transport;
	int64_t timeout, start_timeout, input_timeout;
	void *self;
};

struct mt_call {
	struct mt_instance *instance;
	json_object *args;
	struct strbuf text, sentence, live;
	size_t spooled, images, image_len;
	bool failed;            /* the field is_error */
	char mime[64];
	int cancel_fd;
	const char *shell_dir;  /* directory of the shell, from the host; NULL: unknown */
	const char *answer;     /* of the user; NULL: there is none */
	int asked;
	void (*on_live)(struct mt_call *call); /* when live output has come */
};

static const struct mt_toolset *kit_set;

static const char *kit_arg_str(struct mt_call *c, const char *name, size_t *ret_len)
{
	json_object *o = js_get(c->args, name);

	if (!json_object_is_type(o, json_type_string))
		return NULL;
	*ret_len = (size_t)json_object_get_string_len(o);
	return json_object_get_string(o);
}

static int kit_arg_number(struct mt_call *c, const char *name, double *ret)
{
	json_object *o = js_get(c->args, name);

	if (!o)
		return MT_ENOTFOUND;
	if (json_object_is_type(o, json_type_string))
		return MT_EINVAL;
	*ret = json_object_get_double(o);
	return MT_OK;
}

static int kit_field(struct mt_call *c, const char *name, const char *json, size_t len)
{
	c->failed |= strcmp(name, "is_error") == 0 && len == 4 &&
		     memcmp(json, "true", len) == 0;
	return MT_OK;
}

static int kit_reply_text(struct mt_call *c, const char *text, size_t len)
{
	return strbuf_addn(&c->text, text, len);
}

static int kit_reply_media(struct mt_call *c, const char *mime, const void *bytes,
			   size_t len)
{
	(void)bytes;
	c->images++;
	c->image_len = len;
	snprintf(c->mime, sizeof c->mime, "%s", mime);
	return MT_OK;
}

static int kit_fail(struct mt_call *c, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&c->sentence, fmt, ap);
	va_end(ap);
	return status;
}

static int kit_output(struct mt_call *c, const char *bytes, size_t len)
{
	if (c->live.len + len < c->live.max)
		strbuf_addn(&c->live, bytes, len);
	if (c->on_live)
		c->on_live(c);
	return MT_OK;
}

static int kit_spool(struct mt_call *c, const char *bytes, size_t len)
{
	(void)bytes;
	c->spooled += len;
	return MT_OK;
}

static const char *kit_spool_path(struct mt_call *c)
{
	(void)c;
	return "/spool/1";
}

static int kit_cancel_fd(struct mt_call *c)
{
	return c->cancel_fd;
}

static int64_t kit_time_left(struct mt_call *c)
{
	(void)c;
	return -1;
}

static int kit_request(struct mt_call *c, const char *method, struct mt_str params,
		       struct mt_str *ret)
{
	static char text[4096];
	const char *value = c->shell_dir, *name = "directory";

	(void)params;
	if (strcmp(method, "user/ask") == 0) {
		value = c->answer;
		name = "answer";
		c->asked++;
	}
	if (!value)
		return MT_EUNSUPPORTED;
	snprintf(text, sizeof text, "{\"%s\":\"%s\"}", name, value);
	*ret = (struct mt_str){ text, strlen(text) };
	return MT_OK;
}

static const char *kit_option(struct mt_instance *i, const char *name)
{
	if (strcmp(name, "kernel") == 0)
		return i->kernel ? i->kernel : "python3";
	if (strcmp(name, "imports") == 0)
		return i->imports ? i->imports : "agentskills";
	return i->transport ? i->transport : "ipc";
}

static int64_t kit_option_int(struct mt_instance *i, const char *name)
{
	if (strcmp(name, "start_timeout") == 0)
		return i->start_timeout ? i->start_timeout : 60000;
	if (strcmp(name, "code_mode") == 0)
		return 0;
	if (strcmp(name, "input_timeout") == 0)
		return i->input_timeout;
	return i->timeout ? i->timeout : 60000;
}

static const char *kit_dir(struct mt_instance *i)
{
	return i->directory;
}

static void kit_log(struct mt_instance *i, int level, const char *fmt, ...)
{
	(void)i, (void)level, (void)fmt;
}

static const struct mt_tool_host kit_host = {
	.size = sizeof kit_host, .arg_str = kit_arg_str, .arg_number = kit_arg_number,
	.field = kit_field, .reply_text = kit_reply_text, .reply_media = kit_reply_media, .fail = kit_fail,
	.output = kit_output, .spool = kit_spool, .spool_path = kit_spool_path,
	.cancel_fd = kit_cancel_fd, .time_left_ms = kit_time_left, .request = kit_request,
	.option = kit_option, .option_int = kit_option_int, .workspace = kit_dir,
	.private_dir = kit_dir, .log = kit_log,
};

static inline const struct mt_component *kit_load(void)
{
	const struct mt_plugin *(*entry)(void);
	const char *build = getenv("top_builddir");
	char path[4096];

	snprintf(path, sizeof path, "%s/plugins/tools/ipython.so", build ? build : ".");
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!so) {
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
	*(void **)&entry = dlsym(so, MT_PLUGIN_SYMBOL);
	kit_set = entry()->components->functions;
	return entry()->components;
}

static inline bool kit_open(struct mt_instance *i)
{
	snprintf(i->directory, sizeof i->directory, "/tmp/mortise-ipython-XXXXXX");
	return mkdtemp(i->directory) && kit_set->open(&kit_host, i, &i->self) == MT_OK;
}

static inline void kit_close(struct mt_instance *i)
{
	kit_set->close(&kit_host, i, i->self);
	dir_remove(i->directory, NULL);
}

static inline void call_clear(struct mt_call *c)
{
	json_object_put(c->args);
	c->args = NULL;
	strbuf_clear(&c->text);
	strbuf_clear(&c->sentence);
	strbuf_clear(&c->live);
}

/* Run `code`; what else `c` holds is kept from call to call. */
static inline int kit_run(struct mt_instance *i, struct mt_call *c, const char *code,
			  double timeout)
{
	call_clear(c);
	c->instance = i;
	c->args = json_object_new_object();
	js_set_str(c->args, "code", code);
	if (timeout >= 0)
		js_set(c->args, "timeout", js_new_number(timeout));
	c->text = STRBUF(1 << 20);
	c->sentence = STRBUF(1 << 20);
	c->live = STRBUF(1 << 20);
	c->spooled = c->images = 0;
	c->failed = false;
	return kit_set->call(&kit_host, i->self, c);
}

/* The result of a cell, without the lines on directory and interpreter. */
static inline const char *cell(struct mt_instance *i, struct mt_call *c, const char *code)
{
	int status = kit_run(i, c, code, -1);
	const char *end = strstr(c->text.text, "[Jupyter current working directory: ");

	if (status != MT_OK)
		printf("# %s\n", c->sentence.text);
	if (end)
		strbuf_cut(&c->text, (size_t)(end - c->text.text));
	while (c->text.len && c->text.text[c->text.len - 1] == '\n')
		strbuf_cut(&c->text, c->text.len - 1);
	return c->text.text;
}

#endif
