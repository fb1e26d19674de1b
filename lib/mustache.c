/* SPDX-License-Identifier: MIT
 *
 * mustache.c - renders templates directly from their text.
 *
 * The tags are processed in order. A section is processed once for each of its items, or
 * once without output, to find its end, if it has no items. */
#include "mustache.h"
#include <string.h>

enum {
	MAX_DEPTH = 32,         /* depth of nested sections and partials */
	MAX_OUTPUT = 16 << 20,  /* bytes of output of one rendering */
	MAX_TAGS = 1000000,     /* tags processed, counting each repetition */
	MAX_NAME = 200,         /* bytes of the name in a tag */
};

/* The value of a name: looked up in this context, then in the outer ones. */
struct scope {
	const struct scope *outer;
	json_object *value;
};

struct render {
	mustache_partial *partial;
	void *arg;
	struct strbuf *out;
	size_t start; /* length of `out` before */
	long tags;
	int depth;
	int status; /* the first error of the output */
	struct error *err;
};

struct template {
	const char *name, *text, *end;
	const char *indent; /* put before each line: a standalone partial's */
	size_t indent_len;
};

struct tag {
	const char *start, *after; /* with its braces, and its line if standalone */
	const char *indent;        /* indentation of a standalone tag */
	size_t indent_len;
	char kind;                 /* '=' for a plain name, else # ^ / > ! */
	char name[MAX_NAME + 1];
};

static int mustache_fault(struct render *r, const struct template *t, const char *at,
			  int code, const char *what, const char *name)
{
	unsigned line = 1;

	for (const char *p = t->text; p < at; p++)
		line += *p == '\n';
	return fail(r->err, code, "%s:%u: %s%s%s", t->name, line, what, name ? ": " : "",
		    name ? name : "");
}

static int mustache_put(struct render *r, const char *text, size_t len)
{
	if (!r->status && r->out->len - r->start + len > MAX_OUTPUT)
		r->status = fail(r->err, MT_ELIMIT,
				 "the template output is larger than 16 MiB");
	if (!r->status && strbuf_addn(r->out, text, len))
		r->status = fail(r->err, r->out->error, "template output: %s",
				 status_name(r->out->error));
	return r->status;
}

/* Text of the template itself; each line of an indented partial is indented. */
static int mustache_put_text(struct render *r, const struct template *t, const char *from,
			     const char *to)
{
	while (from < to) {
		const char *line_end = memchr(from, '\n', (size_t)(to - from));
		const char *next = line_end ? line_end + 1 : to;

		if (from == t->text || from[-1] == '\n')
			mustache_put(r, t->indent, t->indent_len);
		mustache_put(r, from, (size_t)(next - from));
		from = next;
	}
	return r->status;
}

static bool mustache_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool mustache_is_white(char c)
{
	return mustache_is_blank(c) || c == '\n' || c == '\r';
}

/* A standalone tag removes its line. */
static void mustache_take_line(const struct template *t, struct tag *tag)
{
	const char *start = tag->start, *after = tag->after;

	if (tag->kind == '=')
		return;
	while (start > t->text && mustache_is_blank(start[-1]))
		start--;
	while (after < t->end && mustache_is_blank(*after))
		after++;
	if ((start > t->text && start[-1] != '\n') ||
	    (after < t->end && *after != '\n' && *after != '\r') ||
	    (after < t->end && *after == '\r' &&
	     (after + 1 == t->end || after[1] != '\n')))
		return;
	if (after < t->end)
		after += *after == '\r' ? 2 : 1;
	tag->indent = start;
	tag->indent_len = (size_t)(tag->start - start);
	tag->start = start;
	tag->after = after;
}

/* Find the next tag from `at` on. `ret->start` is NULL if there is none. */
static int next_tag(struct render *r, const struct template *t, const char *at,
		    struct tag *ret)
{
	const char *start = memmem(at, (size_t)(t->end - at), "{{", 2);
	const char *name, *close, *name_end;
	bool triple;

	*ret = (struct tag){ .start = start, .kind = '=' };
	if (!start)
		return MT_OK;
	if (++r->tags > MAX_TAGS)
		return mustache_fault(r, t, start, MT_ELIMIT,
				      "the template requires too many steps", NULL);
	name = start + 2;
	triple = name < t->end && *name == '{';
	name += triple;
	close = memmem(name, (size_t)(t->end - name), triple ? "}}}" : "}}",
		       triple ? 3 : 2);
	if (!close)
		return mustache_fault(r, t, start, MT_EINVAL, "a tag is not closed",
				      NULL);
	ret->after = close + (triple ? 3 : 2);
	if (!triple && name < close && strchr("#^/>!=&", *name))
		ret->kind = *name++;
	if (ret->kind == '=' && name[-1] == '=')
		return mustache_fault(r, t, start, MT_EUNSUPPORTED,
				      "changing the delimiters is not supported", NULL);
	if (ret->kind == '&')
		ret->kind = '=';
	mustache_take_line(t, ret);
	if (ret->kind == '!')
		return MT_OK;
	for (name_end = close; name_end > name && mustache_is_white(name_end[-1]);)
		name_end--;
	while (name < name_end && mustache_is_white(*name))
		name++;
	if (name == name_end || name_end - name > MAX_NAME)
		return mustache_fault(r, t, start, MT_EINVAL,
				      "a tag requires a name of at most 200 bytes", NULL);
	memcpy(ret->name, name, (size_t)(name_end - name));
	return MT_OK;
}

/* The first part of a dotted name is looked up in all contexts, the rest inside its
 * value. */
static json_object *look_up(const struct scope *scope, const char *name)
{
	const char *dot = strchr(name, '.');
	json_object *found = NULL;
	char first[MAX_NAME + 1];

	if (strcmp(name, ".") == 0)
		return scope->value;
	snprintf(first, sizeof first, "%.*s", dot ? (int)(dot - name) : MAX_NAME, name);
	for (; scope; scope = scope->outer)
		if (json_object_is_type(scope->value, json_type_object) &&
		    json_object_object_get_ex(scope->value, first, &found))
			break;
	return dot ? js_path(found, dot + 1) : found;
}

static bool is_shown(json_object *value)
{
	if (json_object_is_type(value, json_type_boolean))
		return json_object_get_boolean(value);
	if (json_object_is_type(value, json_type_array))
		return json_object_array_length(value) > 0;
	if (json_object_is_type(value, json_type_string))
		return json_object_get_string_len(value) > 0;
	return value != NULL;
}

static int mustache_put_value(struct render *r, json_object *value)
{
	size_t len;
	const char *text;

	if (!value)
		return MT_OK;
	if (json_object_is_type(value, json_type_string))
		return mustache_put(r, json_object_get_string(value),
				    (size_t)json_object_get_string_len(value));
	text = js_text(value, &len);
	return text ? mustache_put(r, text, len) : out_of_memory(r->err);
}

static int render_range(struct render *r, const struct template *t, const char *from,
			const char *to, const struct scope *scope);

/* Find the tag that closes a section. */
static int find_close(struct render *r, const struct template *t, const struct tag *open,
		      struct tag *ret)
{
	const char *at = open->after;
	int depth = 0;

	for (;;) {
		int status = next_tag(r, t, at, ret);

		if (status)
			return status;
		if (!ret->start)
			return mustache_fault(r, t, open->start, MT_EINVAL,
					      "the section is not closed", open->name);
		at = ret->after;
		if (ret->kind == '#' || ret->kind == '^')
			depth++;
		if (ret->kind == '/' && depth-- == 0)
			break;
	}
	if (strcmp(ret->name, open->name) != 0)
		return mustache_fault(r, t, ret->start, MT_EINVAL,
				      "closing tag does not match the open section",
				      open->name);
	return MT_OK;
}

static int mustache_section(struct render *r, const struct template *t,
			    const struct scope *scope, struct tag *open)
{
	json_object *value = look_up(scope, open->name);
	struct scope inner = { scope, value };
	const char *from = open->after, *to;
	struct tag close;
	int status = find_close(r, t, open, &close);

	if (status)
		return status;
	to = close.start;
	open->after = close.after;
	if (is_shown(value) == (open->kind == '^'))
		return MT_OK;
	if (open->kind == '^')
		return render_range(r, t, from, to, scope);
	if (!json_object_is_type(value, json_type_array))
		return render_range(r, t, from, to, &inner);
	for (size_t i = 0; i < json_object_array_length(value) && !status; i++) {
		inner.value = json_object_array_get_idx(value, i);
		status = render_range(r, t, from, to, &inner);
	}
	return status;
}

static int include(struct render *r, const struct template *t, const struct scope *scope,
		   const struct tag *tag)
{
	AUTO(strbuf) struct strbuf indent = STRBUF(4096);
	const char *text = r->partial ? r->partial(tag->name, r->arg) : NULL;

	if (!text)
		return MT_OK;
	if (tag->indent) {
		strbuf_addn(&indent, t->indent, t->indent_len);
		strbuf_addn(&indent, tag->indent, tag->indent_len);
	}
	if (indent.error)
		return mustache_fault(r, t, tag->start, indent.error, "the indentation",
				      status_name(indent.error));

	struct template inner = { tag->name, text, text + strlen(text), indent.text,
				  indent.len };

	return render_range(r, &inner, inner.text, inner.end, scope);
}

static int render_tag(struct render *r, const struct template *t,
		      const struct scope *scope, struct tag *tag)
{
	bool first = tag->start == t->text || tag->start[-1] == '\n';
	int status = MT_OK;

	if (first && !tag->indent)
		status = mustache_put(r, t->indent, t->indent_len);
	if (status)
		return status;
	switch (tag->kind) {
	case '#':
	case '^':
		return mustache_section(r, t, scope, tag);
	case '>':
		return include(r, t, scope, tag);
	case '/':
		return mustache_fault(r, t, tag->start, MT_EINVAL,
				      "closing tag without an open section", tag->name);
	case '!':
		return MT_OK;
	}
	return mustache_put_value(r, look_up(scope, tag->name));
}

static int render_range(struct render *r, const struct template *t, const char *from,
			const char *to, const struct scope *scope)
{
	int status = MT_OK;

	if (r->depth >= MAX_DEPTH)
		return mustache_fault(r, t, from, MT_ELIMIT,
				      "sections and partials are nested deeper than 32",
				      NULL);
	r->depth++;
	while (!status && from) {
		struct tag tag;
		const char *text = from;

		status = next_tag(r, t, from, &tag);
		if (status)
			break;
		if (!tag.start || tag.start >= to)
			tag.start = NULL;
		status = mustache_put_text(r, t, text, tag.start ? tag.start : to);
		if (!status && tag.start)
			status = render_tag(r, t, scope, &tag);
		from = tag.start ? tag.after : NULL;
	}
	r->depth--;
	return status;
}

int mustache_render(const char *name, const char *text, json_object *data,
		    mustache_partial *partial, void *arg, struct strbuf *out,
		    struct error *err)
{
	struct render r = { .partial = partial, .arg = arg, .out = out,
			    .start = out->len, .err = err };
	struct template t = { name, text, text + strlen(text), "", 0 };
	struct scope scope = { NULL, data };

	return render_range(&r, &t, t.text, t.end, &scope);
}
