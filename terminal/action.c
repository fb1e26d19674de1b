/* SPDX-License-Identifier: MIT
 *
 * action.c - formats an action as rows next to a bar, wrapped without cutting anything
 * off. */
#include "action.h"

#include "text.h"
#include "visible.h"

#include <string.h>

enum { TAB = 8, LABEL_MAX = 4 << 20, NARROWEST = 8 };

#define ESCAPE_ON "\033[7m"
#define ESCAPE_OFF "\033[27m"
#define ESCAPE_BEGIN "\xe2\x80\xb9" /* as visible.h has it */

const char *action_text(json_object *o, const char *name, size_t *ret_len)
{
	json_object *value = js_get(o, name);
	bool is_text = json_object_is_type(value, json_type_string);

	*ret_len = is_text ? (size_t)json_object_get_string_len(value) : 0;
	return is_text ? json_object_get_string(value) : "";
}

/* ---- rows -------------------------------------------------------------- */

static void action_view_put_row(struct block *b, enum paint p, bool first,
				const char *lead, const char *text, size_t len)
{
	const char *bar = b->style->attributes ? "│ " : "| ";
	const char *broken = b->style->attributes ? "┆ " : "| ";

	strbuf_add(b->out, first       ? b->bar ? b->bar : bar
			   : b->broken ? b->broken
				       : broken);
	style_begin(b->out, b->style, p);
	strbuf_add(b->out, lead);
	strbuf_addn(b->out, text, len);
	if (memchr(text, '\033', len)) /* an escaped form may be cut */
		strbuf_add(b->out, "\033[0m");
	else
		style_end(b->out, b->style, p);
	strbuf_addc(b->out, '\n');
	b->rows++;
}

/* Bytes that fit; an escaped form is kept whole if it fits into a row at all. */
static size_t fit_row(const char *text, size_t len, size_t columns)
{
	size_t fit = text_fit(text, len, columns), at = fit;
	const char *on = ESCAPE_ON ESCAPE_BEGIN;
	size_t mark = strlen(on);

	if (fit == len)
		return len;
	if (fit == 0)
		return text_cluster(text, len);
	while (at > 0 && fit - at < 64 && text[at] != '\033')
		at--;
	/* The last sequence before the cut: does a form begin in it and continue after
	 * the cut? */
	if (at > 0 && at + mark <= len && memcmp(text + at, on, mark) == 0)
		return at;
	return fit;
}

/* The same for prose: the row ends between words if one of them does. */
static size_t fit_words(const char *text, size_t len, size_t columns)
{
	size_t n = text_fit_words(text, len, columns);

	return n < len && text[n] == ' ' ? n : fit_row(text, len, columns);
}

static size_t indent_tabs(struct strbuf *out, const char *text, size_t len)
{
	size_t n = strspn(text, " \t"), column = 0;

	for (size_t i = 0; i < n && i < len; i++)
		column += text[i] == '\t' ? TAB - column % TAB : 1;
	strbuf_addf(out, "%*s", (int)column, "");
	return n < len ? n : len;
}

/* One line in its visible form. */
static void action_view_put_line(struct block *b, enum paint p, const char *lead,
				 const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf line = STRBUF(BLOCK_MAX), blank = STRBUF(1024);
	size_t indent = indent_tabs(&line, text, len),
	       wide = text_width(lead, strlen(lead));
	size_t columns = b->style->attributes ? b->style->columns : SIZE_MAX;
	size_t bar = 3 + wide; /* and the last column stays free */

	strbuf_addn(&line, text + indent, len - indent);
	strbuf_addf(&blank, "%*s", (int)wide, "");
	if (line.error)
		b->out->error = line.error;
	columns = columns > bar + NARROWEST ? columns - bar : NARROWEST;
	for (size_t at = 0, n; at < line.len || at == 0; at += n) {
		n = (b->words ? fit_words : fit_row)(line.text + at, line.len - at,
						     columns);
		action_view_put_row(b, p, at == 0, at == 0 ? lead : blank.text,
				    line.text + at, n);
		if (line.len == 0)
			break;
		n += b->words && at + n < line.len && line.text[at + n] == ' ';
	}
}

static void show_text(struct block *b, enum paint p, enum visible_form form,
		      const char *lead, bool each, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf seen = STRBUF(BLOCK_MAX), blank = STRBUF(1024);
	bool attributes = b->style->attributes;

	visible_add(&seen, form, text, len, attributes ? ESCAPE_ON : NULL,
		    attributes ? ESCAPE_OFF : NULL);
	strbuf_addf(&blank, "%*s", (int)text_width(lead, strlen(lead)), "");
	if (seen.error)
		b->out->error = seen.error;
	for (size_t at = 0; at < seen.len || at == 0;) {
		const char *end = memchr(seen.text + at, '\n', seen.len - at);
		size_t n = end ? (size_t)(end - seen.text) - at : seen.len - at;

		action_view_put_line(b, p, at == 0 || each ? lead : blank.text,
				     seen.text + at, n);
		at += n + 1;
	}
}

void action_block_text(struct block *b, enum paint p, const char *lead, bool each,
		       const char *text, size_t len)
{
	show_text(b, p, VISIBLE_LINES, lead, each, text, len);
}

void action_block_line(struct block *b, enum paint p, const char *lead, const char *text,
		       size_t len)
{
	show_text(b, p, VISIBLE_ONE_LINE, lead, false, text, len);
}

/* ---- arguments --------------------------------------------------------- */

/* Fields without effect on the action, or with their default value. */
static bool is_usual(const char *name, json_object *value)
{
	static const struct {
		const char *name, *value; /* NULL: any */
	} usual[] = {
		{ "thought", NULL },       { "security_risk", NULL },
		{ "confirmation_state", NULL }, { "impl_source", NULL },
		{ "start", "0" },          { "start", "1" },
		{ "end", "-1" },           { "include_extra", "true" },
	};
	size_t len;
	const char *text = js_text(value, &len);

	if (!value || !text || strcmp(text, "false") == 0 || strcmp(text, "[]") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		if (strcmp(name, usual[i].name) == 0 &&
		    (!usual[i].value || strcmp(text, usual[i].value) == 0))
			return true;
	return false;
}

/* A short one follows its name. */
static void show_argument(struct block *b, const char *name, json_object *value)
{
	enum { SHORT = 400, NAME = 24 };
	AUTO(strbuf) struct strbuf lead = STRBUF(BLOCK_MAX);
	bool is_text = json_object_is_type(value, json_type_string);
	size_t len;
	const char *text = js_text(value, &len);

	if (is_text) {
		text = json_object_get_string(value);
		len = (size_t)json_object_get_string_len(value);
	}
	visible_add(&lead, VISIBLE_ONE_LINE, name, strlen(name), NULL, NULL);
	strbuf_addc(&lead, ':');
	if (lead.len <= NAME && len < SHORT && !memchr(text, '\n', len)) {
		strbuf_addc(&lead, ' ');
		action_block_line(b, PLAIN, lead.text, text, len);
	} else {
		action_block_line(b, PLAIN, "", name, strlen(name));
		action_block_text(b, PLAIN, "  ", true, text, len);
	}
}

/* Those that were not shown yet. */
static void show_arguments(struct block *b, json_object *args, const char *const *shown,
			   size_t count)
{
	if (!json_object_is_type(args, json_type_object))
		return;
	json_object_object_foreach(args, name, value) {
		bool skip = is_usual(name, value);

		for (size_t i = 0; i < count; i++)
			skip |= strcmp(name, shown[i]) == 0;
		if (!skip)
			show_argument(b, name, value);
	}
}

/* ---- actions ----------------------------------------------------------- */

static void action_view_show_run(struct block *b, json_object *args)
{
	static const char *const shown[] = { "command", "is_input" };
	size_t len;
	const char *text = action_text(args, "command", &len);

	action_block_text(b, BOLD, js_bool(args, "is_input", false) ? "> " : "$ ", false,
			  text, len);
	show_arguments(b, args, shown, ARRAY_LEN(shown));
}

static void action_view_show_cell(struct block *b, json_object *args)
{
	static const char *const shown[] = { "code" };
	size_t len;
	const char *text = action_text(args, "code", &len);

	action_block_text(b, BOLD, ">>> ", false, text, len);
	show_arguments(b, args, shown, ARRAY_LEN(shown));
}

/* Each line with its sign. */
static void show_side(struct block *b, enum paint p, const char *sign, const char *text,
		      size_t len)
{
	bool ends = len > 0 && text[len - 1] == '\n';

	if (len == 0)
		return;
	action_block_text(b, p, sign, true, text, ends ? len - 1 : len);
}

/* The replacements of one call. */
static void show_edits(struct block *b, json_object *edits)
{
	for (size_t i = 0; i < js_length(edits); i++) {
		json_object *one = json_object_array_get_idx(edits, i);
		size_t len;
		const char *text = action_text(one, "old_str", &len);

		show_side(b, RED, "-", text, len);
		text = action_text(one, "new_str", &len);
		show_side(b, GREEN, "+", text, len);
		if (js_bool(one, "replace_all", false))
			action_block_line(b, PLAIN, "", "(everywhere)", 12);
	}
}

static void show_file(struct block *b, const char *type, json_object *args)
{
	static const char *const shown[] = { "command", "path",    "old_str",
					     "new_str", "content", "file_text", "edits" };
	static const char *const added[] = { "new_str", "content", "file_text" };
	AUTO(strbuf) struct strbuf title = STRBUF(BLOCK_MAX);
	size_t len;
	const char *text = action_text(args, "command", &len);

	strbuf_addn(&title, len ? text : type, len ? len : strlen(type));
	strbuf_addc(&title, ' ');
	text = action_text(args, "path", &len);
	strbuf_addn(&title, text, len);
	action_block_line(b, BOLD, "", title.text, title.len);
	show_arguments(b, args, shown, ARRAY_LEN(shown));
	text = action_text(args, "old_str", &len);
	show_side(b, RED, "-", text, len);
	for (size_t i = 0; i < ARRAY_LEN(added); i++) {
		text = action_text(args, added[i], &len);
		show_side(b, GREEN, "+", text, len);
	}
	show_edits(b, js_get(args, "edits"));
}

static void action_view_show_call(struct block *b, json_object *args)
{
	static const char *const shown[] = { "name", "arguments" };
	json_object *given = js_get(args, "arguments");
	size_t len;
	const char *text = action_text(args, "name", &len);

	action_block_line(b, BOLD, "", text, len);
	if (json_object_is_type(given, json_type_object)) {
		json_object_object_foreach(given, name, value)
			show_argument(b, name, value);
	} else if (given) {
		show_argument(b, "arguments", given);
	}
	show_arguments(b, args, shown, ARRAY_LEN(shown));
}

size_t action_show(struct strbuf *out, const struct style *s, json_object *event)
{
	struct block b = { .out = out, .style = s };
	json_object *args = js_get(event, "args");
	const char *type = js_str(event, "action", "");

	if (strcmp(type, "run") == 0) {
		action_view_show_run(&b, args);
	} else if (strcmp(type, "run_ipython") == 0) {
		action_view_show_cell(&b, args);
	} else if (js_get(args, "path")) {
		show_file(&b, type, args);
	} else if (js_get(args, "name")) {
		action_view_show_call(&b, args);
	} else {
		action_block_line(&b, BOLD, "", type, strlen(type));
		show_arguments(&b, args, NULL, 0);
	}
	return b.rows;
}

/* ---- long ones --------------------------------------------------------- */

static size_t after_rows(const char *text, size_t len, size_t rows)
{
	size_t at = 0;

	while (rows-- > 0 && at < len) {
		const char *end = memchr(text + at, '\n', len - at);

		at = end ? (size_t)(end - text) + 1 : len;
	}
	return at;
}

size_t action_cut(struct strbuf *rows, const struct style *s, size_t count, size_t most)
{
	AUTO(strbuf) struct strbuf out = STRBUF(BLOCK_MAX);
	size_t head, tail, hidden = count > most ? count - (most - 1) : 0;

	if (!hidden || rows->error)
		return 0;
	head = after_rows(rows->text, rows->len, most / 2);
	tail = after_rows(rows->text, rows->len, most / 2 + hidden);
	strbuf_addn(&out, rows->text, head);
	style_line(&out, s, REVERSE, "%zu of %zu lines are hidden; press v to view all.",
		   hidden, count);
	strbuf_addn(&out, rows->text + tail, rows->len - tail);
	if (out.error)
		return 0;
	strbuf_clear(rows);
	*rows = out;
	out = STRBUF(0);
	return hidden;
}

/* ---- on one line ------------------------------------------------------- */

static const struct {
	const char *type, *member, *lead;
} whole[] = {
	{ "run", "command", "$ " },
	{ "run_ipython", "code", "python: " },
	{ "browse", "url", "browse " },
	{ "browse_interactive", "browser_actions", "browser: " },
};

const char *action_editable(json_object *event)
{
	const char *type = js_str(event, "action", "");

	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		if (strcmp(whole[i].type, type) == 0)
			return whole[i].member;
	return NULL;
}

static void add_member(struct strbuf *out, json_object *args, const char *name)
{
	size_t len;
	const char *text = action_text(args, name, &len);

	if (len && out->len)
		strbuf_addc(out, ' ');
	strbuf_addn(out, text, len);
}

void action_label(struct strbuf *out, json_object *event)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LABEL_MAX);
	json_object *args = js_get(event, "args"), *given = js_get(args, "arguments");
	const char *type = js_str(event, "action", "");
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		if (strcmp(whole[i].type, type) == 0) {
			const char *value = action_text(args, whole[i].member, &len);

			strbuf_add(&text, js_bool(args, "is_input", false)
						  ? "> "
						  : whole[i].lead);
			strbuf_addn(&text, value, len);
			visible_add(out, VISIBLE_ONE_LINE, text.text, text.len, NULL,
				    NULL);
			return;
		}
	if (js_get(args, "path")) {
		add_member(&text, args, "command");
		if (!text.len)
			strbuf_add(&text, type);
		add_member(&text, args, "path");
	} else if (js_get(args, "name")) {
		add_member(&text, args, "name");
		strbuf_addf(&text, " %s", given ? js_shown(given) : "");
	} else {
		strbuf_add(&text, type);
		add_member(&text, args, "agent");
	}
	visible_add(out, VISIBLE_ONE_LINE, text.text, text.len, NULL, NULL);
}
