/* SPDX-License-Identifier: MIT
 *
 * vec-tool_calls.c - recorded cases of tool calls: calls as actions (V0), and
 * the repair of names and arguments (V1).
 *
 * Shell, editor and control tools are those of the plugins; tools without a
 * plugin yet stand in tests/fixtures/tools.json. */
#include "argument-repair.h"
#include "events/event.h"
#include "schema.h"
#include "tests/tools/calls-kit.h"
#include "tools/calls.h"
#include "tools/tool-name-repair.h"
#include "vec.h"

#include <libgen.h>

enum { OFFERED_MAX = 64 };

static struct kit kit;
static json_object *fixture;

static const char repaired[] =
	"names and arguments are repaired as V1 does (README: tool "
	"calls), so the call is good";

/* ---- the offered tools ------------------------------------------------- */

struct offer {
	struct tool tools[OFFERED_MAX];
	struct catalog catalog;
	json_object *owned;
};

static void offer_clear(struct offer *o)
{
	json_object_put(o->owned);
}

static void offer_tool(struct offer *o, const struct tool *tool)
{
	if (tool && o->catalog.count < OFFERED_MAX)
		o->tools[o->catalog.count++] = *tool;
	o->catalog.tools = o->tools;
}

/* A tool of an MCP server: any arguments, V0's action for such tools. */
static void offer_mcp(struct offer *o, const char *name)
{
	struct tool tool = { .name = name };
	json_object *m = json_object_new_object(), *args = json_object_new_object();
	json_object *list = json_object_new_array();

	js_set_str(args, "name", name);
	js_set_str(args, "arguments", "$*");
	js_set_str(m, "action", "call_tool_mcp");
	js_set(m, "args", args);
	json_object_array_add(list, m);
	json_object_array_add(o->owned, list);
	tool.events = list;
	tool.schema_json = js_path(fixture, "mcp_schema");
	offer_tool(o, &tool);
}

static bool offer_open(struct offer *o, json_object *in)
{
	json_object *names = js_get(js_get(fixture, "agents"), js_str(in, "agent", ""));
	json_object *mcp = js_get(in, "mcp_tools");

	*o = (struct offer){ .owned = json_object_new_array() };
	for (size_t i = 0; names && i < json_object_array_length(names); i++)
		offer_tool(o,
			   kit_find(&kit, json_object_get_string(
						  json_object_array_get_idx(names, i))));
	for (size_t i = 0; mcp && i < json_object_array_length(mcp); i++)
		offer_mcp(o, json_object_get_string(json_object_array_get_idx(mcp, i)));
	return names;
}

static json_object *at(json_object *list, size_t i)
{
	return json_object_is_type(list, json_type_array) &&
			       i < json_object_array_length(list)
		       ? json_object_array_get_idx(list, i)
		       : NULL;
}

/* ---- comparing --------------------------------------------------------- */

/* May a value of this schema be other than a text? */
static bool takes_typed(json_object *schema)
{
	json_object *type = js_get(schema, "type");
	bool text = false;

	if (json_object_is_type(type, json_type_array))
		for (size_t i = 0; i < json_object_array_length(type); i++)
			text = text ||
			       strcmp(json_object_get_string(at(type, i)), "string") == 0;
	else
		text = !type || strcmp(json_object_get_string(type), "string") == 0;
	return !text;
}

/* Equal; or what V1 left as text is the value of the type that the schema names. */
static bool same(json_object *expected, json_object *got, json_object *schema)
{
	if (js_equal(expected, got))
		return true;
	if (json_object_is_type(expected, json_type_string))
		return got && takes_typed(schema) &&
		       !json_object_is_type(got, json_type_string) &&
		       strcasecmp(json_object_get_string(expected), js_text(got, NULL)) ==
			       0;
	if (json_object_is_type(expected, json_type_array) &&
	    json_object_is_type(got, json_type_array)) {
		size_t n = json_object_array_length(expected);

		for (size_t i = 0; i < n; i++)
			if (!same(at(expected, i), at(got, i), js_get(schema, "items")))
				return false;
		return n == json_object_array_length(got);
	}
	if (!json_object_is_type(expected, json_type_object) ||
	    !json_object_is_type(got, json_type_object) ||
	    json_object_object_length(expected) != json_object_object_length(got))
		return false;
	json_object_object_foreach(expected, name, value)
		if (!same(value, js_get(got, name),
			  js_get(js_get(schema, "properties"), name)))
			return false;
	return true;
}

static void compare(struct vec *v, const char *what, json_object *expected,
		    json_object *got, json_object *schema)
{
	if (!same(expected, got, schema))
		vec_fault(v, what, js_text(expected, NULL), js_text(got, NULL));
}

/* Is each of Python's quoted words ('a', 'b') in our list, and nothing else? */
static bool same_words(const char *python, const char *list)
{
	size_t words = 0, items = *list != '\0';

	for (const char *p = list; (p = strstr(p, ", ")); p += 2)
		items++;
	for (const char *p = python; (p = strchr(p, '\'')); words++) {
		size_t n = strcspn(p + 1, "'");
		bool found = false;

		for (const char *q = list; q && !found;
		     q = strstr(q, ", ") ? strstr(q, ", ") + 2 : NULL)
			found = strcspn(q, ",") == n && strncmp(q, p + 1, n) == 0;
		if (!found)
			return false;
		p += n + 1 + (p[n + 1] != '\0');
	}
	return words == items;
}

/* Ours ends with the names of the tools, where the original ends the sentence. */
static bool same_unknown(const char *expected, size_t len, const char *got,
			 const struct catalog *catalog)
{
	AUTO(strbuf) struct strbuf want = STRBUF(1 << 16);

	strbuf_addn(&want, expected, len);
	for (size_t i = 0; i < catalog->count; i++)
		strbuf_addf(&want, "%s%s", i ? ", " : ": ", catalog->tools[i].name);
	strbuf_add(&want, ".");
	return strcmp(expected + len, ".") == 0 && strcmp(want.text, got) == 0;
}

/* Python's names of types are our words; the names of arguments have no order. */
static bool same_error(const char *expected, const char *got,
		       const struct catalog *catalog)
{
	static const char *const types[][2] = {
		{ "<class 'str'>", "a string" },   { "<class 'dict'>", "an object" },
		{ "<class 'list'>", "a list" },    { "<class 'int'>", "a number" },
		{ "<class 'float'>", "a number" }, { "<class 'bool'>", "a boolean" },
	};
	static const char tools[] = "with an existing tool",
			  allowed[] = "Allowed arguments are: ";
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	const char *end = strstr(expected, tools), *list = strstr(expected, allowed);

	if (end)
		return same_unknown(expected, (size_t)(end - expected) + strlen(tools),
				    got, catalog);
	if (list) {
		size_t n = (size_t)(list - expected) + strlen(allowed);

		return strncmp(expected, got, n) == 0 &&
		       same_words(expected + n, got + n);
	}
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const char *place = strstr(expected, types[i][0]);

		if (!place)
			continue;
		strbuf_addn(&text, expected, (size_t)(place - expected));
		strbuf_addf(&text, "%s%s", types[i][1], place + strlen(types[i][0]));
		return strcmp(text.text, got) == 0;
	}
	return strcmp(expected, got) == 0;
}

/* ---- v0: tool_call_to_action ------------------------------------------- */

static char *text_of(json_object *args)
{
	return strdup(json_object_is_type(args, json_type_string)
			      ? json_object_get_string(args)
			      : js_text(args, NULL));
}

/* Text that came with the reply. */
static void put_content(json_object *in, struct strbuf *out)
{
	json_object *content = js_get(in, "content");

	if (json_object_is_type(content, json_type_string))
		strbuf_add(out, json_object_get_string(content));
	if (!json_object_is_type(content, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(content); i++) {
		json_object *part = at(content, i);

		if (strcmp(js_str(part, "type", ""), "text") == 0)
			strbuf_add(out, js_str(part, "text", ""));
	}
}

/* Would the call as recorded pass without any repair? */
static bool is_plain(const struct catalog *catalog, const char *name, json_object *args)
{
	const struct tool *tool = catalog_find(catalog, name);

	return tool && json_object_is_type(args, json_type_object) &&
	       !schema_check(tool->schema_json, args, NULL);
}

static void compare_event(struct vec *v, json_object *expected, const struct event *e)
{
	json_object *tool = js_get(expected, "tool"), *meta = event_tool_meta(e);

	json_object_object_foreach(expected, name, value)
		if (strcmp(name, "tool") != 0 && !js_equal(value, js_get(e->json, name)))
			vec_fault(v, name, js_text(value, NULL),
				  js_text(js_get(e->json, name), NULL));
	if (!tool)
		return;
	if (strcmp(js_str(meta, "function_name", ""),
		   json_object_get_string(at(tool, 0))) != 0 ||
	    strcmp(js_str(meta, "tool_call_id", ""),
		   json_object_get_string(at(tool, 1))) != 0 ||
	    js_int(meta, "total_calls_in_response", 0) !=
		    json_object_get_int64(at(tool, 2)))
		vec_fault(v, "tool metadata", js_text(tool, NULL), js_text(meta, NULL));
}

/* @return why the case is not ours, or NULL. */
static const char *not_ours(json_object *c, const struct catalog *catalog,
			    const char *name, json_object *args, const struct event *e)
{
	json_object *expected = at(js_get(c, "output"), 0);
	const struct tool *tool = catalog_find(catalog, name);

	if (tool && !tool->events && strcmp(js_str(expected, "action", ""), "run") == 0)
		return "search: arguments never reach a shell";
	if (js_get(c, "error") && e && !is_plain(catalog, name, args))
		return repaired;
	if (expected && !e && !is_plain(catalog, name, args))
		return "arguments are checked against the tool's schema before the gate";
	if (expected && json_object_is_type(js_get(args, "is_input"), json_type_boolean))
		return "shell: is_input as boolean or text";
	return NULL;
}

static bool calls_of(struct vec *v, json_object *c, const struct catalog *catalog,
		     json_object *calls, const char *thought)
{
	json_object *output = js_get(c, "output"), *error = js_get(c, "error");
	size_t n = json_object_array_length(calls);

	for (size_t i = 0; i < n; i++) {
		json_object *call = at(calls, i);
		const char *name = js_str(call, "name", ""), *why;
		AUTO(free) char *text = text_of(js_get(call, "arguments"));
		struct error err = ERROR_NONE;
		const struct tool *tool;
		AUTO(event) struct event *e =
			call_event(catalog, name, text, strlen(text), i ? "" : thought,
				   &tool, &err);
		char id[32];

		why = not_ours(c, catalog, name, js_get(call, "arguments"), e);
		if (why) {
			vec_skip(v, "v0 tool_call_to_action", why);
			return false;
		}
		snprintf(id, sizeof id, "call_%zu", i + 1);
		if (e && event_set_tool_meta(e, tool->name, id, "reply", (int)n))
			return false;
		if (e && !error)
			compare_event(v, at(output, i), e);
		else if (e || !error ||
			 !same_error(js_str(error, "message", ""), err.text, catalog))
			vec_fault(v, "result",
				  error ? js_str(error, "message", "")
					: js_text(output, NULL),
				  e ? js_text(e->json, NULL) : err.text);
	}
	return true;
}

static json_object *make_call(const char *name, json_object *args)
{
	json_object *call = json_object_new_object();

	js_set_str(call, "name", name);
	js_set(call, "arguments", json_object_get(args));
	return call;
}

/* A case names one call with arguments, or several by their names. */
static json_object *list_calls(json_object *in)
{
	json_object *list = json_object_new_array(), *names = js_get(in, "calls");

	if (js_get(in, "name"))
		json_object_array_add(list, make_call(js_str(in, "name", ""),
						      js_get(in, "arguments")));
	for (size_t i = 0; names && i < json_object_array_length(names); i++) {
		const char *name = json_object_get_string(at(names, i));

		json_object_array_add(list,
				      make_call(name, js_get(js_get(fixture, "samples"),
							     name)));
	}
	return list;
}

static bool tool_call_to_action(struct vec *v, json_object *c, json_object *in)
{
	AUTO(strbuf) struct strbuf thought = STRBUF(1 << 20);
	AUTO(json) json_object *calls = list_calls(in);
	struct offer offer;
	bool ran = true;

	put_content(in, &thought);
	if (!offer_open(&offer, in)) {
		vec_skip(v, "v0 tool_call_to_action", "an agent that is not there yet");
		ran = false;
	} else if (json_object_array_length(calls) == 0) {
		struct error err = ERROR_NONE;
		AUTO(event) struct event *e =
			call_message_event(thought.text, thought.len, true, &err);

		compare_event(v, at(js_get(c, "output"), 0), e);
	} else {
		ran = calls_of(v, c, &offer.catalog, calls, thought.text);
	}
	offer_clear(&offer);
	return ran;
}

/* ---- v1: repair -------------------------------------------------------- */

static bool fix_arguments(struct vec *v, json_object *c, json_object *in)
{
	const struct catalog all = { .tools = kit.tools, .count = kit.count };
	AUTO(free) char *text = text_of(js_get(in, "arguments"));
	AUTO(json) json_object *args = js_parse_object(text, strlen(text), NULL);
	AUTO(json) json_object *scratch = json_object_new_object();
	const struct tool *tool = NULL;

	tool_name_resolve(&all, js_str(in, "tool", ""), scratch, &tool);
	if (!tool || !args || repair_arguments(tool->schema_json, args))
		vec_fault(v, "no such tool", js_str(in, "tool", ""), NULL);
	else
		compare(v, "arguments", js_get(c, "output"), args, tool->schema_json);
	return true;
}

static bool normalize_tool_call(struct vec *v, json_object *c, json_object *in)
{
	json_object *names = js_get(in, "available"), *output = js_get(c, "output");
	AUTO(free) char *text = text_of(js_get(in, "arguments"));
	AUTO(json) json_object *args = js_parse_object(text, strlen(text), NULL);
	const char *given = js_str(in, "name", "");
	struct tool tools[OFFERED_MAX] = { 0 };
	struct catalog catalog = { .tools = tools };
	const struct tool *tool;
	json_object *name;

	for (size_t i = 0; i < json_object_array_length(names) && i < OFFERED_MAX; i++)
		tools[catalog.count++].name = json_object_get_string(at(names, i));
	if (tool_name_resolve(&catalog, given, args, &tool)) {
		vec_fault(v, "no memory", NULL, NULL);
		return true;
	}
	if (!output) { /* an editor without any argument that names its command */
		if (tool && js_get(args, "command"))
			vec_fault(v, "an error was expected", "", js_text(args, NULL));
		return true;
	}
	name = json_object_new_string(tool ? tool->name : given);
	compare(v, "name", at(output, 0), name, NULL);
	compare(v, "arguments", at(output, 1), args, NULL);
	json_object_put(name);
	return true;
}

static bool parse_arguments(struct vec *v, json_object *c, json_object *in)
{
	json_object *raw = js_get(in, "raw");
	struct error err = ERROR_NONE;
	AUTO(json) json_object *args =
		repair_parse(json_object_get_string(raw),
			     (size_t)json_object_get_string_len(raw), &err);

	if (args)
		repair_arguments(NULL, args);
	if (js_get(c, "error") && args)
		vec_fault(v, "an error was expected", js_text(js_get(c, "error"), NULL),
			  js_text(args, NULL));
	else if (!js_get(c, "error"))
		compare(v, "arguments", js_get(c, "output"), args, NULL);
	return true;
}

static bool sanitize_control_chars(struct vec *v, json_object *c, json_object *in)
{
	json_object *raw = js_get(in, "raw");
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);

	repair_control_chars(json_object_get_string(raw),
			     (size_t)json_object_get_string_len(raw), &out);
	for (size_t i = 0; i < out.len; i++)
		if ((unsigned char)out.text[i] < ' ') {
			vec_skip(v, "v1 sanitize_control_chars",
				 "outside of strings control characters are white space");
			return false;
		}
	if (strcmp(json_object_get_string(js_get(c, "output")), out.text) != 0)
		vec_fault(v, "text", json_object_get_string(js_get(c, "output")),
			  out.text);
	return true;
}

/* ---- all --------------------------------------------------------------- */

static bool one_case(struct vec *v, json_object *c)
{
	static const struct {
		const char *version, *fn;
		bool (*run)(struct vec *v, json_object *c, json_object *in);
	} functions[] = {
		{ "v0", "tool_call_to_action", tool_call_to_action },
		{ "v1", "fix_arguments", fix_arguments },
		{ "v1", "normalize_tool_call", normalize_tool_call },
		{ "v1", "parse_arguments", parse_arguments },
		{ "v1", "sanitize_control_chars", sanitize_control_chars },
	};
	static const struct vec_decision decided[] = {
		{ "v1", "simplify_schema", "schemas go to the model as tools give them" },
		{ "v1", "tool_name", "tools are named by their plugin, not by a class" },
	};
	const char *fn = js_str(c, "fn", ""), *version = js_str(c, "version", "");

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (strcmp(functions[i].fn, fn) == 0 &&
		    strcmp(functions[i].version, version) == 0)
			return functions[i].run(v, c, js_get(c, "in"));
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	AUTO(strbuf) struct strbuf root = STRBUF(8192);
	char self[4096] = "";
	struct vec v;
	int r;

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 2;
	strbuf_addf(&root, "%s/../..", dirname(self));
	if (!kit_build_tree(&kit, root.text) ||
	    !(fixture = kit_json(&kit, SOURCES "/tests/fixtures/tools.json")) ||
	    !vec_open(&v, argc, argv))
		return 2;
	vec_each(&v, one_case);
	r = vec_done(&v);
	kit_clear(&kit);
	return r;
}
