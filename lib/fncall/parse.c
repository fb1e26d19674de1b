/* SPDX-License-Identifier: MIT
 *
 * parse.c - parses the calls in a reply.
 *
 * Each byte is scanned a fixed number of times, so that no text is slow. A value ends at
 * the first </parameter>; a </function> before that is part of the value unless another
 * call starts in between. */
#include "fncall/fncall.h"
#include "array.h"
#include "space.h"
#include <ctype.h>
#include <string.h>

#define OPEN "<function="
#define CLOSE "</function>"
#define PARAMETER "<parameter="
#define PARAMETER_END "</parameter>"
#define THINK "<think>"
#define THINK_END "</think>"
#define LEN(literal) (sizeof(literal) - 1)

enum { MAX_CALLS = 64, MAX_NAME = 128 };

/* ---- tools ---------------------------------------------------------------- */

struct fncall_tools {
	size_t count;
	struct {
		char *name;
		json_object *schema;
	} tools[];
};

struct fncall_tools *fncall_tools_new(const struct llm_tool *tools, size_t count)
{
	AUTO(fncall_tools) struct fncall_tools *t =
		calloc(1, sizeof *t + count * sizeof t->tools[0]);

	for (size_t i = 0; t && i < count; i++) {
		const char *schema = tools[i].schema ? tools[i].schema : "";

		t->tools[i].name = strdup(tools[i].name);
		if (!t->tools[i].name)
			return NULL;
		t->count = i + 1;
		t->tools[i].schema = js_parse_object(schema, strlen(schema), NULL);
	}
	return STEAL(t);
}

struct fncall_tools *fncall_tools_free(struct fncall_tools *t)
{
	for (size_t i = 0; t && i < t->count; i++) {
		free(t->tools[i].name);
		json_object_put(t->tools[i].schema);
	}
	free(t);
	return NULL;
}

/* Names by which models know the same tool. */
static const char *const same[][5] = {
	{ "execute_bash", "bash", "terminal", "shell" },
	{ "str_replace_editor", "file_editor", "str_replace", "editor" },
};

static bool is_tag_name(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && memcmp(name, text, len) == 0;
}

static size_t find_tool(const struct fncall_tools *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->count; i++)
		if (is_tag_name(t->tools[i].name, name, len))
			return i;
	return t->count;
}

static size_t find_alias(const struct fncall_tools *t, const char *name, size_t len)
{
	for (size_t g = 0; g < ARRAY_LEN(same); g++) {
		bool in = false;

		for (size_t n = 0; same[g][n]; n++)
			in |= is_tag_name(same[g][n], name, len);
		for (size_t n = 0; in && same[g][n]; n++) {
			size_t i = find_tool(t, same[g][n], strlen(same[g][n]));

			if (i < t->count)
				return i;
		}
	}
	return t->count;
}

json_object *fncall_schema(const struct fncall_tools *t, const char *name, size_t len,
			   const char **ret_name)
{
	size_t i = find_tool(t, name, len);

	if (i == t->count)
		i = find_alias(t, name, len);
	*ret_name = i < t->count ? t->tools[i].name : NULL;
	return i < t->count ? t->tools[i].schema : NULL;
}

static void fncall_report_unknown(struct fncall *call, const struct fncall_tools *t)
{
	AUTO(strbuf) struct strbuf names = STRBUF(180);

	for (size_t i = 0; i < t->count; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", t->tools[i].name);
	fncall_fail(call, FNCALL_UNKNOWN_FUNCTION,
		    "unknown function '%.40s'; available: %s", call->name, names.text);
}

/* ---- finding -------------------------------------------------------------- */

/* Positions of one word in a text, each found once: queried positions only increase. */
struct finder {
	const char *word;
	size_t len;
	const char *found; /* next position found, or `end` */
	bool started;
};

static const char *fncall_parse_find_tag(struct finder *f, const char *at,
					 const char *end)
{
	if (f->started && f->found >= at)
		return f->found;
	f->started = true;
	f->found = memmem(at, (size_t)(end - at), f->word, f->len);
	if (!f->found)
		f->found = end;
	return f->found;
}

struct reader {
	const char *end;
	struct finder open, close, parameter, parameter_end, bracket;
};

#define FINDER(text) { .word = (text), .len = LEN(text) }

static void reader_init(struct reader *r, const char *end)
{
	*r = (struct reader){
		.end = end, .open = FINDER(OPEN), .close = FINDER(CLOSE),
		.parameter = FINDER(PARAMETER), .parameter_end = FINDER(PARAMETER_END),
		.bracket = FINDER(">"),
	};
}

/* "name=value</parameter>", where the second = should be >. */
static bool is_malformed(const char *at, const char *end, const char **ret_equals,
			 const char **ret_value_end)
{
	const char *p = at, *less;

	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	if (p == at || p == end || *p != '=')
		return false;
	less = memchr(p + 1, '<', (size_t)(end - p - 1));
	if (!less || (size_t)(end - less) < LEN(PARAMETER_END) ||
	    memcmp(less, PARAMETER_END, LEN(PARAMETER_END)) != 0)
		return false;
	*ret_equals = p;
	*ret_value_end = less;
	return true;
}

static bool has_control(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return true;
	return false;
}

struct param {
	const char *name, *value;
	size_t name_len, len;
	const char *after;
};

/* Read the parameter that opens at `at`, if it is closed in this call. */
static bool read_param(struct reader *r, const char *at, struct param *p)
{
	const char *name = at + LEN(PARAMETER), *stop, *function_end;

	p->name = name;
	if (is_malformed(name, r->end, &p->value, &stop)) {
		p->name_len = (size_t)(p->value - name);
		p->value++;
	} else {
		const char *bracket = fncall_parse_find_tag(&r->bracket, name, r->end);

		if (bracket == r->end || bracket == name)
			return false;
		p->name_len = (size_t)(bracket - name);
		p->value = bracket + 1;
		if (p->name_len > MAX_NAME || has_control(name, p->name_len))
			return false;
		stop = fncall_parse_find_tag(&r->parameter_end, p->value, r->end);
		if (stop == r->end)
			return false;
		function_end = fncall_parse_find_tag(&r->close, name, r->end);
		if (function_end < stop &&
		    fncall_parse_find_tag(&r->open, function_end, r->end) < stop)
			return false;
	}
	p->len = (size_t)(stop - p->value);
	p->after = stop + LEN(PARAMETER_END);
	return true;
}

/* ---- one call ------------------------------------------------------------- */

static void fncall_clear(struct fncall *call)
{
	free(call->own_name);
	json_object_put(call->args);
	strbuf_clear(&call->noise);
}

static struct fncall *fncall_parse_add_call(struct fncalls *c, const char *name,
					    size_t len)
{
	if (ARRAY_GROW(c->calls, &c->room, c->count + 1, ARRAY_MAX))
		return NULL;
	c->calls[c->count] =
		(struct fncall){ .own_name = fncall_clean_utf8(name, len, &len),
				 .noise = STRBUF(SIZE_MAX / 2),
				 .args = json_object_new_object() };
	c->count++;
	return &c->calls[c->count - 1];
}

static void fncall_parse_add_piece(struct strbuf *b, const char *from, const char *to)
{
	size_t len = (size_t)(to - from);

	space_trim(&from, &len);
	if (len) {
		strbuf_add(b, b->len ? "\n" : "");
		strbuf_addn(b, from, len);
	}
}

/* Read the call whose parameters start at `body`. *ret_after: its end; NULL: not a
 * call. */
static int read_call(struct reader *r, const char *name, size_t len, const char *body,
		     const struct fncall_tools *tools, struct fncalls *ret,
		     const char **ret_after)
{
	const char *at = body, *close;
	struct fncall *call = fncall_parse_add_call(ret, name, len);
	json_object *schema;
	int status = MT_OK;

	*ret_after = NULL;
	if (!call || !call->own_name || !call->args)
		return MT_ENOMEM;
	schema = fncall_schema(tools, name, len, &call->name);
	if (!call->name) {
		call->name = call->own_name;
		fncall_report_unknown(call, tools);
	}
	for (;;) {
		const char *open = fncall_parse_find_tag(&r->parameter, at, r->end);
		struct param p;

		close = fncall_parse_find_tag(&r->close, at, r->end);
		if (open >= close || status)
			break;
		if (read_param(r, open, &p)) {
			status = fncall_set_arg(call, schema, p.name, p.name_len, p.value,
						p.len);
			fncall_parse_add_piece(&call->noise, body, open);
			at = body = p.after;
		} else {
			at = open + LEN(PARAMETER);
		}
	}
	if (!status && close < r->end) {
		fncall_parse_add_piece(&call->noise, body, close);
		fncall_check_required(call, schema);
		*ret_after = close + LEN(CLOSE);
	}
	return status;
}

/* Read a name, which must end on its line. */
static bool read_name(struct reader *r, const char *at, const char **ret_name,
		      size_t *ret_len, const char **ret_body)
{
	const char *name = at, *bracket = fncall_parse_find_tag(&r->bracket, at, r->end);
	size_t len = (size_t)(bracket - name);

	if (bracket == r->end || len > MAX_NAME || memchr(name, '<', len) ||
	    has_control(name, len))
		return false;
	space_trim(&name, &len);
	*ret_name = name;
	*ret_len = len;
	*ret_body = bracket + 1;
	return len > 0;
}

/* ---- the words before ----------------------------------------------------- */

static bool fncall_parse_ends_with(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(text + len - n, end, n) == 0;
}

static const char *fncall_parse_last_of(const char *text, size_t len, const char *word)
{
	const char *found = NULL, *at = text;
	size_t n = strlen(word);

	while ((at = memmem(at, len - (size_t)(at - text), word, n))) {
		found = at;
		at += n;
	}
	return found;
}

/* True if the thought that starts at `open` (if any) ends before `end`. */
static bool thought_ends(const char *open, const char *end)
{
	return !open || open >= end ||
	       memmem(open, (size_t)(end - open), THINK_END, LEN(THINK_END));
}

/* Set the text before a call, without the tags that some models put around it. The end of
 * a thought stays if its start does. */
static void set_words(struct fncalls *ret, const char *text, size_t len)
{
	static const char wrap[] = "<tool_call>";
	const char *open = fncall_parse_last_of(text, len, THINK), *start = text;

	for (;;) {
		len = space_trim_end(text, len);
		if (fncall_parse_ends_with(text, len, wrap))
			len -= LEN(wrap);
		else if (fncall_parse_ends_with(text, len, THINK_END) &&
			 thought_ends(open, text + len - LEN(THINK_END)))
			len -= LEN(THINK_END);
		else
			break;
	}
	ret->text_len = len;
	space_trim_start(&start, &ret->text_len);
	ret->text_start = len - ret->text_len;
	ret->in_thought = !thought_ends(open, text + len);
}

/* Append the text after a call, without these tags. */
static void fncall_parse_add_rest(struct fncalls *ret, const char *from, const char *to)
{
	static const char wrap[] = "</tool_call>", next[] = "<tool_call>";
	size_t len = (size_t)(to - from);

	space_trim(&from, &len);
	if (len >= LEN(wrap) && memcmp(from, wrap, LEN(wrap)) == 0) {
		from += LEN(wrap);
		len -= LEN(wrap);
	}
	if (fncall_parse_ends_with(from, len, next))
		len -= LEN(next);
	fncall_parse_add_piece(&ret->rest, from, from + len);
}

/* ---- the whole ------------------------------------------------------------ */

const char *fncall_missing_end(const char *text, size_t len)
{
	const char *open = memmem(text, len, OPEN, LEN(OPEN)), *next;
	size_t rest = len;

	if (!open)
		return "";
	next = open + LEN(OPEN);
	if (memmem(next, len - (size_t)(next - text), OPEN, LEN(OPEN)))
		return "";
	if (fncall_parse_ends_with(text, len, "</"))
		return "function>";
	rest = space_trim_end(text, rest);
	return fncall_parse_ends_with(text, rest, CLOSE) ? "" : "\n" CLOSE;
}

/* `own`: length of the text without the end that was appended to it. */
static int parse_calls(const char *text, size_t len, size_t own,
		       const struct fncall_tools *tools, struct fncalls *ret)
{
	const char *at = text, *left = text, *end = text + len;
	struct reader r;

	reader_init(&r, end);
	ret->rest = STRBUF(len + MAX_CALLS);
	ret->text_len = len;
	while (ret->count < MAX_CALLS) {
		const char *open = fncall_parse_find_tag(&r.open, at, end), *name, *body,
			   *after;
		size_t name_len;
		int status;

		if (open == end)
			break;
		at = open + LEN(OPEN);
		if (!read_name(&r, at, &name, &name_len, &body))
			continue;
		status = read_call(&r, name, name_len, body, tools, ret, &after);
		if (status)
			return status;
		if (!after) { /* never closed: neither this nor any later one is a call */
			fncall_clear(&ret->calls[--ret->count]);
			break;
		}
		if (ret->count == 1)
			set_words(ret, text, (size_t)(open - text));
		else
			fncall_parse_add_rest(ret, left, open);
		at = left = after;
	}
	if (ret->count && left < text + own) /* otherwise a call uses the appended end */
		fncall_parse_add_rest(ret, left, text + own);
	return ret->rest.error;
}

int fncall_parse(const char *text, size_t len, const struct fncall_tools *tools,
		 struct fncalls *ret, struct error *err)
{
	const char *missing = fncall_missing_end(text, len);
	AUTO(strbuf) struct strbuf whole = STRBUF(len + 64);
	int status;

	*ret = (struct fncalls){ 0 };
	if (*missing) {
		strbuf_addn(&whole, text, len);
		strbuf_add(&whole, missing);
		status = whole.error
				 ? whole.error
				 : parse_calls(whole.text, whole.len, len, tools, ret);
	} else {
		status = parse_calls(text, len, len, tools, ret);
	}
	if (!ret->count) {
		ret->text_len = len;
		ret->in_thought =
			!thought_ends(fncall_parse_last_of(text, len, THINK), text + len);
	}
	if (status) {
		fncalls_clear(ret);
		return fail_code(err, status);
	}
	return MT_OK;
}

void fncalls_clear(struct fncalls *c)
{
	for (size_t i = 0; i < c->count; i++)
		fncall_clear(&c->calls[i]);
	free(c->calls);
	strbuf_clear(&c->rest);
	*c = (struct fncalls){ 0 };
}
