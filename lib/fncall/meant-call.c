/* SPDX-License-Identifier: MIT
 *
 * meant-call.c - determines the intended tool and arguments of a call in another
 * format. */
#include "fncall/meant-call.h"
#include "literal.h"
#include "space.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { NAME_LONGEST = 128 };

struct span span_trimmed(struct span s)
{
	size_t len = span_len(s);

	space_trim(&s.at, &len);
	s.end = s.at + len;
	return s;
}

const char *span_find(struct span s, const char *word)
{
	return memmem(s.at, span_len(s), word, strlen(word));
}

bool span_starts(struct span s, const char *word)
{
	size_t n = strlen(word);

	return span_len(s) >= n && strncasecmp(s.at, word, n) == 0;
}

struct span span_skip(struct span s, const char *characters)
{
	while (s.at < s.end && strchr(characters, *s.at))
		s.at++;
	return s;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

struct span span_name(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && is_name_char(*p))
		p++;
	return (struct span){ at, p };
}

/* ---- which tool ------------------------------------------------------------ */

/* Names in other products. */
static const struct {
	const char *name, *tool;
} others[] = {
	{ "run_command", "execute_bash" },
	{ "execute_command", "execute_bash" },
	{ "run_shell_command", "execute_bash" },
	{ "run_terminal_cmd", "execute_bash" },
	{ "bash", "execute_bash" },
	{ "shell", "execute_bash" },
	{ "sh", "execute_bash" },
	{ "zsh", "execute_bash" },
	{ "console", "execute_bash" },
	{ "execute_ipython", "execute_ipython_cell" },
	{ "ipython", "execute_ipython_cell" },
	{ "python", "execute_ipython_cell" },
	{ "py", "execute_ipython_cell" },
};

const char *meant_tool_named(const struct fncall_tools *tools, struct span name,
			     json_object **ret_schema)
{
	const char *found;

	if (span_starts(name, "functions."))
		name.at += strlen("functions.");
	if (name.at == name.end || span_len(name) > NAME_LONGEST)
		return NULL;
	*ret_schema = fncall_schema(tools, name.at, span_len(name), &found);
	for (size_t i = 0; !found && i < ARRAY_LEN(others); i++)
		if (strlen(others[i].name) == span_len(name) &&
		    span_starts(name, others[i].name))
			*ret_schema = fncall_schema(tools, others[i].tool,
						    strlen(others[i].tool), &found);
	return found;
}

bool meant_choose_tool(struct meant *m, struct span name)
{
	m->call.name = meant_tool_named(m->tools, name, &m->schema);
	return m->call.name;
}

/* ---- arguments ------------------------------------------------------------- */

const char *meant_main_parameter(json_object *schema)
{
	json_object *properties = js_get(schema, "properties"),
		    *required = js_get(schema, "required");
	const char *only = NULL;
	size_t count = 0;

	for (size_t i = 0; i < js_length(required); i++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(required, i));

		if (name && strcmp(name, "security_risk") != 0) {
			only = name;
			count++;
		}
	}
	if (!count && json_object_is_type(properties, json_type_object) &&
	    json_object_object_length(properties) == 1) {
		json_object_object_foreach(properties, name, value) {
			(void)value;
			only = name;
			count++;
		}
	}
	return count == 1 ? only : NULL;
}

static bool is_parameter(json_object *schema, const char *name)
{
	return json_object_object_get_ex(js_get(schema, "properties"), name, NULL);
}

static void meant_call_set_text(struct meant *m, const char *name, struct span value)
{
	if (fncall_set_arg(&m->call, m->schema, name, strlen(name), value.at,
			   span_len(value)))
		js_fail(m->call.args);
}

bool meant_set_main(struct meant *m, struct span value)
{
	const char *name = meant_main_parameter(m->schema);

	value = span_trimmed(value);
	if (!name || value.at == value.end)
		return false;
	meant_call_set_text(m, name, value);
	return true;
}

bool meant_set_parameter(struct meant *m, struct span name, struct span value)
{
	AUTO(free) char *own = strndup(name.at, span_len(name));

	if (!own)
		js_fail(m->call.args);
	if (!own || !is_parameter(m->schema, own))
		return false;
	meant_call_set_text(m, own, value);
	return true;
}

void meant_set_members(struct meant *m, json_object *from, const char *except)
{
	json_object_object_foreach(from, name, value) {
		if (!except || strcmp(name, except) != 0)
			js_set(m->call.args, name, json_object_get(value));
	}
}

json_object *meant_object_at(struct span s, const char **ret_end)
{
	struct cursor c = { s.at, s.at, s.end };
	json_object *value = NULL;
	bool quoted = false;
	size_t depth = 0;

	for (const char *p = s.at; p < s.end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '{')
			depth++;
		else if (!quoted && *p == '}' && --depth == 0) {
			*ret_end = p + 1;
			value = js_parse_object(s.at, (size_t)(*ret_end - s.at), NULL);
			break;
		}
	}
	if (!value && literal_read(&c, &value, NULL) == MT_OK)
		*ret_end = c.at;
	if (json_object_is_type(value, json_type_object))
		return value;
	json_object_put(value);
	return NULL;
}

/* <P>value</P>, <parameter name="P">value</parameter>, ... */
static const struct {
	const char *before, *after, *then, *close;
} children[] = {
	{ "<", ">", "", "</" },
	{ "<parameter=", ">", "", "</parameter" },
	{ " name=\"", "\"", ">", "</" },
	{ " name='", "'", ">", "</" },
	{ "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>" },
};

static bool child_value(struct span body, const char *name, size_t form, struct span *ret)
{
	AUTO(strbuf) struct strbuf open = STRBUF(1024), close = STRBUF(1024);
	const char *at, *end;

	strbuf_addf(&open, "%s%s%s", children[form].before, name, children[form].after);
	strbuf_addf(&close, "%s%s", children[form].close, form == 0 ? name : "");
	at = open.error || close.error ? NULL : span_find(body, open.text);
	if (!at)
		return false;
	at += open.len;
	if (*children[form].then) {
		at = span_find((struct span){ at, body.end }, children[form].then);
		if (!at)
			return false;
		at += strlen(children[form].then);
	}
	end = span_find((struct span){ at, body.end }, close.text);
	*ret = (struct span){ at, end ? end : body.end };
	return true;
}

static bool set_children(struct meant *m, struct span body)
{
	json_object *properties = js_get(m->schema, "properties");
	struct span value;

	if (!json_object_is_type(properties, json_type_object))
		return false;
	json_object_object_foreach(properties, name, schema) {
		(void)schema;
		for (size_t form = 0; form < ARRAY_LEN(children); form++)
			if (child_value(body, name, form, &value)) {
				meant_call_set_text(m, name, value);
				break;
			}
	}
	return json_object_object_length(m->call.args) > 0;
}

bool meant_has_parameter(json_object *schema, json_object *object)
{
	json_object_object_foreach(object, name, value) {
		(void)value;
		if (is_parameter(schema, name))
			return true;
	}
	return false;
}

bool meant_set_body(struct meant *m, struct span body)
{
	AUTO(json) json_object *object = NULL;
	const char *brace = span_find(body, "{"), *end;

	if (set_children(m, body))
		return true;
	if (brace)
		object = meant_object_at((struct span){ brace, body.end }, &end);
	if (!object || !meant_has_parameter(m->schema, object))
		return meant_set_main(m, body);
	meant_set_members(m, object, NULL);
	return true;
}

void meant_reset(struct meant *m)
{
	json_object_put(m->call.args);
	m->call = (struct fncall){ .args = js_new_object() };
	m->end = NULL;
}

void meant_forget(struct meant *m)
{
	if (m->call.name ||
	    (!js_incomplete(m->call.args) && json_object_object_length(m->call.args)))
		meant_reset(m);
}
