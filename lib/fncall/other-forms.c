/* SPDX-License-Identifier: MIT
 *
 * other-forms.c - finds calls in forms that models have learned elsewhere: JSON, the tags
 * of other products, YAML, the syntax of a programming language, a block of shell code,
 * prose. Each has a finder. */
#include "fncall/meant-call.h"
#include "literal.h"
#include "space.h"
#include <string.h>

enum {
	OBJECTS_MAX = 32, /* maximum number of JSON objects to try */
	TAG_MAX = 300,    /* maximum bytes of a tag after its name */
	NEAR = 100,       /* maximum bytes between the name of a tool and its arguments */
};

/* ---- JSON ------------------------------------------------------------------ */

static const char *const name_members[] = { "name",   "tool",   "tool_name",
					    "action", "function", "function_name",
					    "recipient_name" };
static const char *const args_members[] = { "arguments", "args",         "parameters",
					    "params",    "input",        "kwargs",
					    "tool_args", "action_input", "tool_input" };

static bool set_from_args(struct meant *m, json_object *args)
{
	AUTO(json) json_object *parsed = NULL;
	const char *text = json_object_is_type(args, json_type_string)
				   ? json_object_get_string(args)
				   : NULL;
	size_t len = text ? (size_t)json_object_get_string_len(args) : 0;

	if (text)
		parsed = js_parse_object(text, len, NULL);
	if (text && !parsed)
		return meant_set_main(m, (struct span){ text, text + len });
	if (text)
		args = parsed;
	if (!json_object_is_type(args, json_type_object))
		return false;
	meant_set_members(m, args, NULL);
	return true;
}

/* {"name": TOOL, "arguments": {...}}, or an object with such a member. */
static bool other_forms_read_object(struct meant *m, json_object *object)
{
	for (size_t i = 0; i < ARRAY_LEN(name_members); i++) {
		json_object *value = js_get(object, name_members[i]);
		const char *name = js_str(object, name_members[i], NULL);

		if (json_object_is_type(value, json_type_object) &&
		    other_forms_read_object(m, value))
			return true;
		if (!name ||
		    !meant_choose_tool(m, (struct span){ name, name + strlen(name) }))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(args_members); k++)
			if (js_get(object, args_members[k]))
				return set_from_args(m, js_get(object, args_members[k]));
		meant_set_members(m, object, name_members[i]);
		return true;
	}
	return false;
}

/* Choose the last tool name shortly before `at`. */
static bool choose_before(struct meant *m, struct span text, const char *at)
{
	const char *from = at - text.at > NEAR ? at - NEAR : text.at, *tool;
	json_object *schema;

	m->call.name = NULL;
	for (const char *p = from; p < at; p++) {
		struct span name = span_name(p, at);

		if (name.at == name.end)
			continue;
		p = name.end - 1;
		tool = meant_tool_named(m->tools, name, &schema);
		if (!tool)
			continue;
		m->call.name = tool;
		m->schema = schema;
	}
	return m->call.name;
}

static bool find_objects(struct meant *m, struct span text)
{
	size_t tried = 0;

	for (const char *p = text.at; p < text.end && tried < OBJECTS_MAX; p++) {
		AUTO(json) json_object *object = NULL;
		const char *end;

		if (*p != '{')
			continue;
		tried++;
		object = meant_object_at((struct span){ p, text.end }, &end);
		if (!object)
			continue;
		m->end = end;
		if (other_forms_read_object(m, object))
			return true;
		if (choose_before(m, text, p) && meant_has_parameter(m->schema, object)) {
			meant_set_members(m, object, NULL);
			return true;
		}
		m->call.name = NULL;
	}
	return false;
}

/* The quotes that a word processor makes of " and '. */
static const struct {
	const char *is, *was;
} typographic[] = {
	{ "\u201c", "\"" }, { "\u201d", "\"" }, { "\u201e", "\"" },
	{ "\u2018", "'" },  { "\u2019", "'" },
};

static bool add_plain_quote(struct strbuf *out, struct span *text)
{
	for (size_t i = 0; i < ARRAY_LEN(typographic); i++)
		if (span_starts(*text, typographic[i].is)) {
			strbuf_add(out, typographic[i].was);
			text->at += strlen(typographic[i].is);
			return true;
		}
	return false;
}

static bool find_json(struct meant *m, struct span text)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(span_len(text) + 1);
	bool any = false;

	if (find_objects(m, text))
		return true;
	while (text.at < text.end)
		if (add_plain_quote(&plain, &text))
			any = true;
		else
			strbuf_addc(&plain, *text.at++);
	if (plain.error)
		js_fail(m->call.args);
	any = any && !plain.error &&
	      find_objects(m, (struct span){ plain.text, plain.text + plain.len });
	m->end = NULL; /* in the copy */
	return any;
}

/* ---- tags ------------------------------------------------------------------ */

/* The value of the attribute `name` of a tag. */
static bool name_attribute(struct span tag, struct span *ret)
{
	const char *at = span_find(tag, " name=");
	const char *end;

	if (!at || at + 7 >= tag.end || !strchr("\"'", at[6]))
		return false;
	end = memchr(at + 7, at[6], (size_t)(tag.end - at - 7));
	*ret = (struct span){ at + 7, end ? end : tag.end };
	return end;
}

/* From the end of a tag to where it closes, or to the end. */
static struct span other_forms_body_of(struct span text, struct span name,
				       const char *from)
{
	AUTO(strbuf) struct strbuf close = STRBUF(1024);
	struct span rest = { from, text.end };
	const char *end;

	strbuf_add(&close, "</");
	strbuf_addn(&close, name.at, span_len(name));
	end = close.error ? NULL : span_find(rest, close.text);
	return (struct span){ from, end ? end : text.end };
}

static bool set_tag_body(struct meant *m, struct span text, struct span name,
			 const char *from)
{
	struct span body = other_forms_body_of(text, name, from);

	m->end = body.end;
	return meant_set_body(m, body);
}

/* <tool_call>NAME and arguments, <tool_name>NAME</tool_name> and arguments */
static bool read_named_body(struct meant *m, struct span text, struct span name,
			    const char *after)
{
	static const char *const tags[] = { "tool_call", "function_call", "tool_use",
					    "tool_name", "tool", "name" };
	struct span word = span_trimmed((struct span){ after, text.end });

	word = span_name(word.at, text.end);
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (span_len(name) == strlen(tags[i]) && span_starts(name, tags[i]))
			return meant_choose_tool(m, word) &&
			       meant_set_body(m, (struct span){ word.end, text.end });
	return false;
}

/* <function=NAME without its >, up to the end of the line or the next tag */
static bool read_unclosed(struct meant *m, struct span text, struct span name)
{
	struct span tool = { name.end, text.end };

	if (name.end == text.end || *name.end != '=')
		return false;
	tool = span_skip(tool, "=\"'");
	tool = span_name(tool.at, text.end);
	return tool.end < text.end && strchr("\"' \t\r\n<", *tool.end) &&
	       meant_choose_tool(m, tool) && set_tag_body(m, text, name, tool.end);
}

/* <NAME PARAMETER="value" ...>: the values of a tool in its own tag */
static bool read_own_attributes(struct meant *m, struct span text, struct span name)
{
	struct span rest = { name.end, text.end }, word;
	const char *close;

	if (rest.at == rest.end || !strchr(" \t\r\n", *rest.at) ||
	    !meant_choose_tool(m, name))
		return false;
	for (;;) {
		rest = span_skip(rest, " \t\r\n");
		word = span_name(rest.at, rest.end);
		if (word.at == word.end || rest.end - word.end < 3 || *word.end != '=' ||
		    !strchr("\"'", word.end[1]))
			break;
		close = memchr(word.end + 2, word.end[1],
			       (size_t)(rest.end - word.end - 2));
		if (!close)
			break;
		meant_set_parameter(m, word, (struct span){ word.end + 2, close });
		rest.at = close + 1;
	}
	m->end = rest.at;
	return rest.at < rest.end && strchr("/>", *rest.at) &&
	       json_object_object_length(m->call.args) > 0;
}

/* The tag that starts at `at`. */
static bool other_forms_read_tag(struct meant *m, struct span text, const char *at)
{
	struct span name = span_name(at + 1, text.end), attribute;
	const char *after, *end;

	if (name.end < text.end && *name.end == ':') /* of an XML namespace */
		name = span_name(name.end + 1, text.end);
	if (name.at < name.end &&
	    (read_unclosed(m, text, name) || read_own_attributes(m, text, name)))
		return true;
	end = text.end - name.end > TAG_MAX ? name.end + TAG_MAX : text.end;
	after = memchr(name.end, '>', (size_t)(end - name.end));
	if (name.at == name.end || !after ||
	    (span_len(name) == 5 && span_starts(name, "think")))
		return false;
	if (name_attribute((struct span){ name.end, after }, &attribute) &&
	    meant_choose_tool(m, attribute))
		return set_tag_body(m, text, name, after + 1);
	if (after == name.end && meant_choose_tool(m, name))
		return set_tag_body(m, text, name, after + 1);
	return read_named_body(m, text, name, after + 1);
}

static bool other_forms_find_tag(struct meant *m, struct span text)
{
	for (const char *p = text.at; p < text.end; p++) {
		if (*p != '<')
			continue;
		if (other_forms_read_tag(m, text, p))
			return true;
		meant_forget(m);
	}
	return false;
}

/* ---- lines ----------------------------------------------------------------- */

/* Step to the next line. @return false: there is none. */
static bool other_forms_next_line(const char **at, const char *end, struct span *ret)
{
	const char *stop;

	if (*at >= end)
		return false;
	stop = memchr(*at, '\n', (size_t)(end - *at));
	*ret = span_trimmed((struct span){ *at, stop ? stop : end });
	*at = stop ? stop + 1 : end;
	return true;
}

/* Action: NAME, then Action Input: value */
static bool find_action(struct meant *m, struct span text)
{
	static const char action[] = "Action:", input[] = "Action Input:";
	const char *at = text.at;
	struct span line;

	while (other_forms_next_line(&at, text.end, &line))
		if (span_starts(line, input) && m->call.name)
			return meant_set_body(m, (struct span){ line.at + strlen(input),
							  text.end });
		else if (span_starts(line, action))
			meant_choose_tool(m, span_trimmed((struct span){ line.at + strlen(action),
							      line.end }));
	return false;
}

/* The lines from `at` on whose indent is larger than `indent`, without the indent of the
 * first of them. */
static void put_block(struct span text, const char *at, size_t indent, struct strbuf *out)
{
	const char *from = at;
	size_t first = 0, own;

	for (struct span line; other_forms_next_line(&at, text.end, &line); from = at) {
		if (line.at == line.end) {
			strbuf_addc(out, '\n');
			continue;
		}
		own = (size_t)(line.at - from);
		if (own <= indent)
			break;
		first = first ? first : own;
		line.at = from + (own < first ? own : first);
		strbuf_addn(out, line.at, span_len(line));
		strbuf_addc(out, '\n');
	}
	out->len = space_trim_end(out->text, out->len);
}

/* A value after `NAME:`; after |, >, or the like, it is in the lines below. */
static void put_yaml_value(struct span value, const char *next, struct span text,
			   size_t indent, struct strbuf *out)
{
	value = span_trimmed(value);
	if (value.at < value.end && strchr("|>", *value.at)) {
		put_block(text, next, indent, out);
		return;
	}
	if (span_len(value) > 1 && strchr("\"'", *value.at) && value.end[-1] == *value.at)
		value = (struct span){ value.at + 1, value.end - 1 };
	strbuf_addn(out, value.at, span_len(value));
}

static bool names_tool(struct span key)
{
	for (size_t i = 0; i < ARRAY_LEN(name_members); i++)
		if (span_len(key) == strlen(name_members[i]) &&
		    span_starts(key, name_members[i]))
			return true;
	return false;
}

/* A line `KEY: value` of YAML, which starts at `from` and ends before `next`. */
static void read_yaml_line(struct meant *m, struct span text, struct span line,
			   const char *from, const char *next)
{
	AUTO(strbuf) struct strbuf out = STRBUF(span_len(text) + 1);
	struct span key, value;

	line = span_skip(line, "- ");
	key = span_name(line.at, line.end);
	if (key.at == key.end || key.end >= line.end || *key.end != ':')
		return;
	put_yaml_value((struct span){ key.end + 1, line.end }, next, text,
		       (size_t)(key.at - from), &out);
	if (out.error || !out.len)
		return;
	value = (struct span){ out.text, out.text + out.len };
	if (m->call.name && meant_set_parameter(m, key, value))
		return;
	if (names_tool(key) && !json_object_object_length(m->call.args))
		meant_choose_tool(m, value);
}

/* YAML: `name: NAME`, then lines `PARAMETER: value` */
static bool find_yaml(struct meant *m, struct span text)
{
	const char *at = text.at, *from = at;

	for (struct span line; other_forms_next_line(&at, text.end, &line); from = at)
		read_yaml_line(m, text, line, from, at);
	return m->call.name && json_object_object_length(m->call.args) > 0;
}

/* One argument: NAME=literal, or a literal for the main parameter. */
static bool read_argument(struct meant *m, struct cursor *c)
{
	size_t n = cursor_name(c);
	const char *name = meant_main_parameter(m->schema);
	AUTO(free) char *own = NULL;
	json_object *value = NULL;

	if (n && c->at + n < c->end && c->at[n] == '=') {
		name = own = strndup(c->at, n);
		c->at += n + 1;
	}
	return name && literal_read(c, &value, NULL) == MT_OK &&
	       js_set(m->call.args, name, value) == MT_OK;
}

/* NAME(argument, ...), up to the end of its line; a parenthesis around it may close */
static bool read_syntax(struct meant *m, const char *at, const char *end)
{
	struct cursor c = { at, at, end };

	cursor_blanks(&c);
	while (!cursor_takes(&c, ')')) {
		if (!read_argument(m, &c))
			return false;
		cursor_blanks(&c);
		cursor_takes(&c, ',');
		cursor_blanks(&c);
	}
	c.at = span_skip((struct span){ c.at, end }, "`;) \t\r").at;
	m->end = c.at;
	return c.at == end || *c.at == '\n';
}

/* The name before a parenthesis: `NAME`, `module.NAME`, `print(NAME`, `NAME.call`.
 * `*ret_open`: what follows it. */
static struct span called_name(struct span line, const char **ret_open)
{
	static const char *const before[] = { "<|python_tag|>", "print(" };
	struct span name, last;

	line = span_skip(line, "`>$ \t");
	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		if (span_starts(line, before[i]))
			line.at += strlen(before[i]);
	name = last = span_name(line.at, line.end);
	while (last.end < line.end && *last.end == '.') {
		last = span_name(last.end + 1, line.end);
		if (span_len(last) != 4 || !span_starts(last, "call"))
			name = last;
	}
	*ret_open = last.end;
	return name;
}

static bool find_syntax(struct meant *m, struct span text)
{
	const char *at = text.at, *open;
	struct span line, name;

	while (other_forms_next_line(&at, text.end, &line)) {
		name = called_name(line, &open);
		if (name.at == name.end || open >= line.end || *open != '(' ||
		    !meant_choose_tool(m, name))
			continue;
		if (read_syntax(m, open + 1, text.end) &&
		    json_object_object_length(m->call.args))
			return true;
		meant_forget(m);
	}
	return false;
}

/* ---- guesses --------------------------------------------------------------- */

static size_t other_forms_count_of(struct span text, const char *word)
{
	size_t count = 0;

	for (const char *p; (p = span_find(text, word)); count++)
		text.at = p + strlen(word);
	return count;
}

/* Find a block of shell code at the end, if the text has no other block. */
static bool find_fence(struct meant *m, struct span text)
{
	static const char fence[] = "```";
	const char *open = span_find(text, fence), *close, *body;
	size_t count = other_forms_count_of(text, fence);
	struct span language;

	if (!open || count > 2)
		return false;
	language = span_name(open + strlen(fence), text.end);
	body = memchr(language.end, '\n', (size_t)(text.end - language.end));
	if (!body || !meant_choose_tool(m, language))
		return false;
	text = span_trimmed(text);
	close = count == 2 ? text.end - strlen(fence) : text.end;
	if (close < body || (count == 2 && memcmp(close, fence, strlen(fence)) != 0))
		return false;
	return meant_set_main(m, span_skip((struct span){ body, close }, "$ \t\n"));
}

static bool announces(struct span s)
{
	static const char *const words[] = { "I will ", "I'll ", "I am going to ",
					     "I'm going to ", "Let me ", "let me ",
					     "Let's ",  "let's ", "I need to ", "I call ",
					     "I use ",  "I run ", "Calling ", "Running ",
					     "Next, " };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (span_find(s, words[i]))
			return true;
	return false;
}

/* The text in the first pair of backticks that is not the name of the tool. */
static struct span quoted_value(const struct meant *m, struct span s)
{
	const char *open, *close;

	while ((open = memchr(s.at, '`', span_len(s)))) {
		close = memchr(open + 1, '`', (size_t)(s.end - open - 1));
		if (!close)
			break;
		s.at = close + 1;
		if ((size_t)(close - open - 1) != strlen(m->call.name) ||
		    memcmp(open + 1, m->call.name, strlen(m->call.name)) != 0)
			return (struct span){ open + 1, close };
	}
	return (struct span){ s.end, s.end };
}

/* The last paragraph announces the use of a tool, by a name that is not a word of
 * English. */
static bool find_prose(struct meant *m, struct span text)
{
	const char *blank;

	text = span_trimmed(text);
	while ((blank = span_find(text, "\n\n")))
		text.at = blank + 2;
	if (!announces(text))
		return false;
	for (const char *p = text.at; p < text.end; p++) {
		struct span name = span_name(p, text.end);

		if (name.at == name.end)
			continue;
		if ((memchr(name.at, '_', span_len(name)) ||
		     (p > text.at && p[-1] == '`')) &&
		    meant_choose_tool(m, name)) {
			meant_set_main(m, quoted_value(m, text));
			return true;
		}
		p = name.end - 1;
	}
	return false;
}

/* ---- all of them ------------------------------------------------------------ */

static const struct {
	const char *form;
	bool (*find)(struct meant *m, struct span text);
	bool guess;
} finders[] = {
	{ "a call as JSON", find_json, false },
	{ "a call in other tags", other_forms_find_tag, false },
	{ "a call as an `Action:` line", find_action, false },
	{ "a call in the syntax of a programming language", find_syntax, false },
	{ "a call as YAML", find_yaml, true },
	{ "a command in a code block", find_fence, true },
	{ "a call in prose", find_prose, true },
};

bool other_forms_find(struct meant *m, struct span text)
{
	for (size_t i = 0; i < ARRAY_LEN(finders); i++) {
		meant_reset(m);
		m->form = finders[i].form;
		m->guess = finders[i].guess;
		if (finders[i].find(m, text))
			return true;
	}
	return false;
}
