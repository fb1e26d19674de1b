/* SPDX-License-Identifier: MIT
 *
 * prompts.c - finds and renders prompt templates. */
#include "context/prompts.h"

#include "files.h"
#include "mustache.h"

#include <string.h>

enum { TEMPLATE_MAX = 256 << 10, PROMPT_MAX = 1 << 20, PARTIALS_MAX = 64 };

struct templates {
	const char *dir, *agent;
	char *texts[PARTIALS_MAX]; /* read for this rendering */
	size_t count;
	struct error failed; /* set if an existing partial could not be read */
};

static bool is_prompt_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return n > 0 && n < 64 && name[n] == '\0';
}

static char *template_read(const struct templates *t, const char *name, struct error *err)
{
	AUTO(strbuf) struct strbuf path = STRBUF(4096);
	struct error why = ERROR_NONE;
	char *text = NULL;
	int r = strbuf_addf(&path, "%s/%s/%s.mustache", t->dir, t->agent, name);

	if (!r)
		r = file_read(path.text, TEMPLATE_MAX, &text, NULL, &why);
	if (r == MT_ENOTFOUND) {
		why = ERROR_NONE;
		strbuf_reset(&path);
		r = strbuf_addf(&path, "%s/%s.mustache", t->dir, name);
		if (!r)
			r = file_read(path.text, TEMPLATE_MAX, &text, NULL, &why);
	}
	if (r)
		fail(err, r, "prompt `%s`: %s", name,
		     why.code ? why.text : "path is too long");
	return r ? NULL : text;
}

/* A partial that does not exist is empty. */
static const char *partial(const char *name, void *arg)
{
	struct templates *t = arg;
	struct error why = ERROR_NONE;

	if (!is_prompt_name(name) || t->count == PARTIALS_MAX)
		return NULL;
	t->texts[t->count] = template_read(t, name, &why);
	if (why.code && why.code != MT_ENOTFOUND)
		t->failed = why;
	return t->texts[t->count] ? t->texts[t->count++] : NULL;
}

char *prompt_render(const struct config *c, const char *agent, const char *name,
		    json_object *data, struct error *err)
{
	struct templates t = { .dir = config_get(c, "core", "prompt_dir"),
			       .agent = agent };
	AUTO(strbuf) struct strbuf out = STRBUF(PROMPT_MAX);
	AUTO(free) char *text = NULL;
	char *result = NULL;
	size_t len;
	bool made;

	if (!is_prompt_name(name)) {
		fail(err, MT_EINVAL, "invalid prompt name `%s`", name);
		return NULL;
	}
	if (js_incomplete(data)) {
		out_of_memory(err);
		return NULL;
	}
	text = template_read(&t, name, err);
	made = text && !mustache_render(name, text, data, partial, &t, &out, err);
	if (made && t.failed.code) {
		fail(err, t.failed.code, "%s", t.failed.text);
	} else if (made) {
		len = out.len;
		while (len && (out.text[len - 1] == '\n' || out.text[len - 1] == ' '))
			len--;
		strbuf_cut(&out, len);
		result = strbuf_take(&out);
		if (!result)
			out_of_memory(err);
	}
	for (size_t i = 0; i < t.count; i++)
		free(t.texts[i]);
	return result;
}
