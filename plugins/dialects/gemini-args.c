/* SPDX-License-Identifier: MIT
 *
 * gemini-args.c - joins the arguments of a call that arrive in pieces, each with its
 * path: "$.items[0].name", "$['odd name']". */
#include "gemini.h"
#include <string.h>

enum { MAX_TEXT = 32 << 20, MAX_PATH = 4096, MAX_STEPS = 64, MAX_INDEX = 100000 };

void args_begin(struct gemini_args *g)
{
	args_clear(g);
	g->value = json_object_new_object();
	g->text = STRBUF(MAX_TEXT);
}

void args_clear(struct gemini_args *g)
{
	json_object_put(g->value);
	free(g->path);
	strbuf_clear(&g->text);
	g->value = NULL;
	g->path = NULL;
}

/* ---- paths ------------------------------------------------------------------- */

struct step {
	char name[256];
	long index;       /* -1: a member of that name */
};

/* Read one step; NULL: invalid path. */
static const char *read_step(const char *p, struct step *s)
{
	const char *end;
	size_t len;

	s->index = -1;
	if (*p == '[' && (p[1] == '\'' || p[1] == '"')) {
		end = strchr(p + 2, p[1]);
		len = end ? (size_t)(end - p) - 2 : sizeof s->name;
		if (len >= sizeof s->name || end[1] != ']')
			return NULL;
		memcpy(s->name, p + 2, len);
		s->name[len] = '\0';
		return end + 2;
	}
	if (*p == '[') {
		char *stop;

		s->index = strtol(p + 1, &stop, 10);
		if (stop == p + 1 || *stop != ']' || s->index < 0 || s->index > MAX_INDEX)
			return NULL;
		return stop + 1;
	}
	if (*p != '.')
		return NULL;
	len = strcspn(p + 1, ".[");
	if (!len || len >= sizeof s->name)
		return NULL;
	memcpy(s->name, p + 1, len);
	s->name[len] = '\0';
	return p + 1 + len;
}

static json_object *child_of(json_object *o, const struct step *s)
{
	if (s->index >= 0)
		return json_object_is_type(o, json_type_array) &&
				       (size_t)s->index < json_object_array_length(o)
			       ? json_object_array_get_idx(o, (size_t)s->index)
			       : NULL;
	return js_get(o, s->name);
}

/* Take the value. */
static int put_child(json_object *o, const struct step *s, json_object *value)
{
	if (s->index < 0 && json_object_is_type(o, json_type_object))
		return js_set(o, s->name, value);
	if (s->index >= 0 && json_object_is_type(o, json_type_array) &&
	    !json_object_array_put_idx(o, (size_t)s->index, value))
		return MT_OK;
	json_object_put(value);
	return MT_EINVAL;
}

/* Put a value at a path, creating its parents. Takes the value. */
static int put_at(json_object *root, const char *path, json_object *value)
{
	struct step steps[MAX_STEPS];
	size_t count = 0;
	const char *p = path;

	for (p += *p == '$'; p && *p && count < MAX_STEPS; count += p != NULL)
		p = read_step(p, &steps[count]);
	if (!p || *p || !count) {
		json_object_put(value);
		return MT_EINVAL;
	}
	for (size_t i = 0; i + 1 < count; i++) {
		json_object *next = child_of(root, &steps[i]);

		if (!next) {
			next = steps[i + 1].index >= 0 ? json_object_new_array()
						       : json_object_new_object();
			if (!next || put_child(root, &steps[i], next)) {
				json_object_put(value);
				return next ? MT_EINVAL : MT_ENOMEM;
			}
		}
		root = next;
	}
	return put_child(root, &steps[count - 1], value);
}

/* ---- pieces ------------------------------------------------------------------ */

static int put_open_text(struct gemini_args *g)
{
	AUTO(free) char *path = STEAL(g->path);
	json_object *text;
	int status = g->text.error;

	if (!path)
		return MT_OK;
	if (!status) {
		text = json_object_new_string_len(g->text.text, (int)g->text.len);
		status = text ? put_at(g->value, path, text) : MT_ENOMEM;
	}
	strbuf_reset(&g->text);
	return status;
}

static int gemini_args_add_text(struct gemini_args *g, const char *path,
				json_object *text, bool more)
{
	int status = MT_OK;

	if (!g->path || strcmp(g->path, path) != 0) {
		status = put_open_text(g);
		g->path = strdup(path);
		if (!g->path)
			return MT_ENOMEM;
	}
	if (!status)
		status = strbuf_addn(&g->text, json_object_get_string(text),
				     (size_t)json_object_get_string_len(text));
	return status || more ? status : put_open_text(g);
}

int args_add(struct gemini_args *g, json_object *piece)
{
	static const char *const names[] = { "numberValue", "boolValue" };
	const char *path = js_str(piece, "jsonPath", "");
	json_object *text = js_get(piece, "stringValue");
	int status;

	if (!g->value)
		return MT_ENOMEM;
	if (strlen(path) > MAX_PATH)
		return MT_ELIMIT;
	if (json_object_is_type(text, json_type_string))
		return gemini_args_add_text(g, path, text,
					    js_bool(piece, "willContinue", false));
	status = put_open_text(g);
	for (size_t i = 0; i < ARRAY_LEN(names) && !status; i++)
		if (js_get(piece, names[i]))
			return put_at(g->value, path,
				      json_object_get(js_get(piece, names[i])));
	if (!status && json_object_object_get_ex(piece, "nullValue", NULL))
		return put_at(g->value, path, NULL);
	return status;
}

json_object *args_end(struct gemini_args *g)
{
	return put_open_text(g) ? NULL : g->value;
}
