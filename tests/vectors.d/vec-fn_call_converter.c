/* SPDX-License-Identifier: MIT
 *
 * vec-fn_call_converter.c - recorded cases of tool calls as text.
 *
 * <<SUFFIX>> and <<EXAMPLE_...>> stand for our own words. Values are compared
 * under our rules: exactly one newline at each end is taken off, where the
 * original took all white space; numbers, booleans and objects are converted by
 * the schema; several calls of one reply are accepted. */
#include "tests/llm/decode-history.h"
#include "vec.h"
#define MORTISE_PROVISIONAL
#include <ctype.h>
#include <mortise/advance.h>

enum { MAX_TOOLS = 16, MAX_TEXT = 1 << 20 };

struct toolset {
	struct llm_tool tools[MAX_TOOLS];
	size_t count;
};

static void tools_of(struct vec *v, const char *version, const char *name,
		     struct toolset *t)
{
	json_object *sets = js_get(v->file, "tool_sets"), *list = NULL;

	*t = (struct toolset){ 0 };
	for (size_t i = 0; i < json_object_array_length(sets); i++) {
		json_object *set = json_object_array_get_idx(sets, i);

		if (strcmp(js_str(set, "version", ""), version) == 0)
			list = js_get(set, name);
	}
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		json_object *f = js_get(json_object_array_get_idx(list, i), "function");

		if (t->count == MAX_TOOLS)
			return;
		t->tools[t->count++] = (struct llm_tool){
			js_str(f, "name", ""), js_str(f, "description", NULL),
			js_text(js_get(f, "parameters"), NULL), NULL, NULL,
		};
	}
}

/* ---- words of our own ------------------------------------------------------- */

static void replace(struct strbuf *b, const char *from, const char *to)
{
	const char *at = *from ? strstr(b->text, from) : NULL;
	AUTO(strbuf) struct strbuf rest = STRBUF(MAX_TEXT);

	if (!at)
		return;
	strbuf_add(&rest, at + strlen(from));
	strbuf_cut(b, (size_t)(at - b->text));
	strbuf_add(b, to);
	strbuf_add(b, rest.text);
}

/* Put marks where our words stand, or the other way round. */
static void mark(struct strbuf *b, const struct toolset *t, bool ours)
{
	AUTO(strbuf) struct strbuf example = STRBUF(MAX_TEXT);
	const char *pairs[][2] = {
		{ fncall_suffix_head, "\n<<SUFFIX>>\n" },
		{ fncall_suffix_tail, "\n<</SUFFIX>>\n" },
		{ NULL, "<<EXAMPLE_PREFIX>>\n" },
		{ fncall_example_tail, "\n<<EXAMPLE_SUFFIX>>\n" },
	};

	fncall_example(t->tools, t->count, &example);
	pairs[2][0] = example.text;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		replace(b, pairs[i][ours], pairs[i][!ours]);
}

/* Decided: nested schemas are described, as in V1. What V0 says is the same
 * without the lines below a parameter and the kind of its items. */
static void flatten(struct strbuf *b)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MAX_TEXT);

	for (const char *p = b->text; *p;) {
		size_t len = strcspn(p, "\n") + (strchr(p, '\n') != NULL);
		const char *items = memmem(p, len, "(array[", 7);

		if (strncmp(p, "      ", 6) == 0) {
			p += len;
			continue;
		}
		if (items) {
			const char *close = strchr(items, ']');

			strbuf_addn(&out, p, (size_t)(items + 6 - p));
			strbuf_addn(&out, close + 1, (size_t)(p + len - close - 1));
		} else {
			strbuf_addn(&out, p, len);
		}
		p += len;
	}
	strbuf_reset(b);
	strbuf_addn(b, out.text, out.len);
}

/* ---- JSON to messages ------------------------------------------------------- */

static void *keep(struct llm_request *r, void *p)
{
	llm_request_own(r, p);
	return p;
}

static void read_part(struct llm_request *r, json_object *item, struct llm_part *part,
		      const struct toolset *t)
{
	const char *url = js_str(js_get(item, "image_url"), "url", NULL);
	AUTO(strbuf) struct strbuf text = STRBUF(MAX_TEXT);

	if (url) {
		*part = (struct llm_part){ .mime = "image/png", .text = url,
					   .len = strlen(url) };
		return;
	}
	strbuf_add(&text, json_object_is_type(item, json_type_string)
				  ? json_object_get_string(item)
				  : js_str(item, "text", ""));
	mark(&text, t, true);
	part->len = text.len;
	part->text = text.len ? keep(r, strbuf_take(&text)) : "";
}

static void read_call(json_object *call, struct llm_call *ret)
{
	json_object *f = js_get(call, "function");

	*ret = (struct llm_call){ js_str(call, "id", NULL), js_str(f, "name", NULL),
				  js_str(f, "arguments", ""),
				  strlen(js_str(f, "arguments", "")) };
}

static int role_of(const char *role)
{
	static const char *const names[] = {
		[MT_ROLE_SYSTEM] = "system", [MT_ROLE_USER] = "user",
		[MT_ROLE_ASSISTANT] = "assistant", [MT_ROLE_TOOL] = "tool",
	};

	for (int i = 1; i < (int)ARRAY_LEN(names); i++)
		if (strcmp(names[i], role) == 0)
			return i;
	return 99;
}

static bool has_mark(json_object *m)
{
	json_object *content = js_get(m, "content");

	if (js_get(m, "cache_control"))
		return true;
	if (json_object_is_type(content, json_type_array))
		for (size_t i = 0; i < json_object_array_length(content); i++)
			if (js_get(json_object_array_get_idx(content, i),
				   "cache_control"))
				return true;
	return false;
}

static void read_message(struct llm_request *r, json_object *m, const struct toolset *t)
{
	json_object *content = js_get(m, "content"), *calls = js_get(m, "tool_calls");
	bool list = json_object_is_type(content, json_type_array);
	size_t n = list ? json_object_array_length(content) : content ? 1 : 0;
	size_t count = calls ? json_object_array_length(calls) : 0;
	struct llm_part *parts = keep(r, calloc(n + 1, sizeof *parts));
	struct llm_call *made = keep(r, calloc(count + 1, sizeof *made));

	for (size_t i = 0; i < n; i++)
		read_part(r, list ? json_object_array_get_idx(content, i) : content,
			  &parts[i], t);
	for (size_t i = 0; i < count; i++)
		read_call(json_object_array_get_idx(calls, i), &made[i]);
	if (js_get(m, "tool_call_id"))
		made[count++] = (struct llm_call){ js_str(m, "tool_call_id", NULL),
						   js_str(m, "name", NULL), "", 0 };
	llm_request_add(r, &(struct llm_message){
			.role = role_of(js_str(m, "role", "")), .parts = parts,
			.part_count = n, .calls = made, .call_count = count,
			.cache = has_mark(m) });
}

static struct llm_request *read_messages(json_object *list, const struct toolset *t)
{
	struct llm_request *r = llm_request_new();

	for (size_t i = 0; i < json_object_array_length(list); i++)
		read_message(r, json_object_array_get_idx(list, i), t);
	for (size_t i = 0; i < t->count; i++)
		llm_request_tool(r, &t->tools[i]);
	return r;
}

/* ---- messages against JSON -------------------------------------------------- */

/* The original takes all white space off a text. */
static bool is_stripped(const char *want, const char *got)
{
	size_t len = strlen(got);

	while (len && isspace((unsigned char)*got))
		got++, len--;
	while (len && isspace((unsigned char)got[len - 1]))
		len--;
	return strlen(want) == len && memcmp(want, got, len) == 0;
}

static json_object *schema_of(const struct toolset *t, const char *tool, const char *name)
{
	json_object *schema = NULL, *property;

	for (size_t i = 0; i < t->count; i++)
		if (t->tools[i].schema && strcmp(t->tools[i].name, tool) == 0)
			schema = js_parse_object(t->tools[i].schema,
						 strlen(t->tools[i].schema), NULL);
	property = json_object_get(js_get(js_get(schema, "properties"), name));
	json_object_put(schema);
	return property;
}

/* A type of a schema whose values the original leaves as texts. */
static bool is_left_as_text(json_object *schema)
{
	const char *type = js_str(schema, "type", "");

	return strcmp(type, "number") == 0 || strcmp(type, "boolean") == 0 ||
	       strcmp(type, "object") == 0;
}

/* A text as the value that the schema's type makes of it; NULL: it is not one. */
static json_object *typed(json_object *schema, const char *text)
{
	const char *type = js_str(schema, "type", "");
	json_object *value = js_parse(text, strlen(text), NULL);
	bool fits = strcmp(type, "number") == 0
			    ? json_object_is_type(value, json_type_int) ||
				      json_object_is_type(value, json_type_double)
		    : strcmp(type, "object") == 0
			    ? json_object_is_type(value, json_type_object)
			    : false;

	if (strcmp(type, "boolean") == 0) {
		json_object_put(value);
		return strcasecmp(text, "true") == 0    ? json_object_new_boolean(true)
		       : strcasecmp(text, "false") == 0 ? json_object_new_boolean(false)
							: NULL;
	}
	if (!fits) {
		json_object_put(value);
		value = NULL;
	}
	return value;
}

static bool is_value(json_object *want, json_object *got, json_object *schema)
{
	AUTO(json) json_object *value = NULL;

	if (js_equal(want, got))
		return true;
	if (!json_object_is_type(want, json_type_string))
		return false;
	if (json_object_is_type(got, json_type_string))
		return is_stripped(json_object_get_string(want),
				   json_object_get_string(got));
	value = typed(schema, json_object_get_string(want));
	return value && js_equal(value, got);
}

static void want_args(struct vec *v, const char *tool, const char *want, const char *got,
		      const struct toolset *t)
{
	AUTO(json) json_object *a = js_parse_object(want, strlen(want), NULL);
	AUTO(json) json_object *b = js_parse_object(got, strlen(got), NULL);
	bool same =
		a && b && json_object_object_length(a) == json_object_object_length(b);

	if (same) {
		json_object_object_foreach(a, name, value) {
			AUTO(json) json_object *schema = schema_of(t, tool, name);

			same = same && is_value(value, js_get(b, name), schema);
		}
	}
	if (!same)
		vec_fault(v, "arguments", want, got);
}

static void want_content(struct vec *v, json_object *want, const struct llm_message *m,
			 const struct toolset *t, bool flat)
{
	bool list = json_object_is_type(want, json_type_array);
	size_t n = list ? json_object_array_length(want) : want ? 1 : 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		json_object *item = list ? json_object_array_get_idx(want, i) : want;
		const char *url = js_str(js_get(item, "image_url"), "url", NULL);
		const char *text = url    ? url
				   : list ? js_str(item, "text", "")
					  : json_object_get_string(item);
		AUTO(strbuf) struct strbuf got = STRBUF(MAX_TEXT);

		while (at < m->part_count && !m->parts[at].len)
			at++;
		if (!*text)
			continue;
		if (at < m->part_count)
			strbuf_addn(&got, m->parts[at].text, m->parts[at].len);
		mark(&got, t, false);
		if (flat)
			flatten(&got);
		if (at >= m->part_count || strcmp(text, got.text) != 0 ||
		    !url != !m->parts[at].mime)
			vec_fault(v, "content", text, got.text);
		at++;
	}
	while (at < m->part_count && !m->parts[at].len)
		at++;
	if (at < m->part_count)
		vec_fault(v, "one part more", NULL, m->parts[at].text);
}

/* Calls that a text holds, as it stands. */
static size_t calls_in(json_object *message)
{
	static const char tag[] = "<function=";
	const char *text = message ? js_text(js_get(message, "content"), NULL) : "";
	size_t n = 0;

	for (; (text = strstr(text, tag)); text += strlen(tag))
		n++;
	return n;
}

/* `text`: what the calls were read from, if they were. */
static void want_calls(struct vec *v, json_object *want, const struct llm_message *m,
		       json_object *text, const struct toolset *t)
{
	json_object *calls = js_get(want, "tool_calls");
	size_t n = calls ? json_object_array_length(calls) : 0;

	if (m->role == MT_ROLE_TOOL) {
		const char *id = js_str(want, "tool_call_id", "");

		if (strcmp(m->calls[0].id, id) != 0)
			vec_fault(v, "id", id, m->calls[0].id);
		if (strcmp(m->calls[0].name, js_str(want, "name", "")) != 0)
			vec_fault(v, "name", js_str(want, "name", ""), m->calls[0].name);
		return;
	}
	/* decided: several calls of one reply are accepted */
	if (m->call_count != n && (!n || m->call_count != calls_in(text))) {
		vec_fault(v, "number of calls", js_text(calls, NULL), "another");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct llm_call c;

		read_call(json_object_array_get_idx(calls, i), &c);
		if (strcmp(c.id, m->calls[i].id) != 0)
			vec_fault(v, "id", c.id, m->calls[i].id);
		if (strcmp(c.name, m->calls[i].name) != 0)
			vec_fault(v, "name", c.name, m->calls[i].name);
		want_args(v, c.name, c.args, m->calls[i].args, t);
	}
}

/* `texts`: the messages that calls were read from, if they were. */
static void want_messages(struct vec *v, json_object *want, const struct llm_request *got,
			  json_object *texts, const struct toolset *t, bool flat)
{
	size_t n = json_object_array_length(want);

	if (n != got->message_count) {
		vec_fault(v, "number of messages", js_text(want, NULL), "another");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		json_object *m = json_object_array_get_idx(want, i);

		if (got->messages[i].role != role_of(js_str(m, "role", "")))
			vec_fault(v, "role", js_str(m, "role", ""), "another");
		want_content(v, js_get(m, "content"), &got->messages[i], t, flat);
		want_calls(v, m, &got->messages[i],
			   texts ? json_object_array_get_idx(texts, i) : NULL, t);
		if (got->messages[i].cache != has_mark(m))
			vec_fault(v, "cache mark", "", "another");
	}
}

/* Does our sentence hold each word that theirs quotes? Lists are sets for Python. */
static const char *missing_word(const char *text, const char *why, char *space,
				size_t size)
{
	for (const char *p = text; (p = strchr(p, '\''));) {
		size_t n = strcspn(p + 1, "'");

		snprintf(space, size, "%.*s", (int)n, p + 1);
		if (!strstr(why, space))
			return space;
		p += n + 1 + (p[n + 1] != '\0');
	}
	return NULL;
}

/* An error of the same kind, that names the same things. */
static void want_error(struct vec *v, json_object *want, int status,
		       enum fncall_fault fault, const char *why)
{
	const char *kind = js_str(want, "type", ""), *text = js_str(want, "message", "");
	const char *got = !status              ? "none"
			  : fault != FNCALL_OK ? "FunctionCallValidationError"
					       : "FunctionCallConversionError";
	char space[256];

	if (strcmp(kind, got) != 0)
		vec_fault(v, text, kind, got);
	else if (!*why)
		vec_fault(v, "sentence", text, why);
	else if (fault != FNCALL_OK && missing_word(text, why, space, sizeof space))
		vec_fault(v, space, text, why);
}

/* ---- functions -------------------------------------------------------------- */

struct given {
	json_object *in, *want, *error;
	struct toolset tools;
};

static void want_text(struct vec *v, const struct given *g, const char *got)
{
	const char *want = json_object_get_string(g->want);

	if (!want || strcmp(want, got) != 0)
		vec_fault(v, "text", want, got);
}

static void tool_call_to_text(struct vec *v, const struct given *g)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MAX_TEXT);
	struct error err = ERROR_NONE;
	struct llm_call call;
	int status;

	read_call(js_get(g->in, "tool_call"), &call);
	status = fncall_format_call(&call, &out, &err);
	if (g->error)
		want_error(v, g->error, status, FNCALL_OK, err.text);
	else
		want_text(v, g, out.text);
}

static void calls_to_text(struct vec *v, const struct given *g)
{
	AUTO(llm_request) struct llm_request *in = NULL, *out = NULL;
	struct error err = ERROR_NONE;
	int status;

	in = read_messages(js_get(g->in, "messages"), &g->tools);
	status = fncall_encode_request(in, true, &out, &err);
	if (g->error)
		want_error(v, g->error, status, FNCALL_OK, err.text);
	else if (status)
		vec_fault(v, "converted", "yes", err.text);
	else
		want_messages(v, g->want, out, NULL, &g->tools, true);
}

static void split_multi_calls(struct vec *v, const struct given *g)
{
	AUTO(llm_request) struct llm_request *in = NULL, *out = NULL;
	struct error err = ERROR_NONE;
	int status;

	in = read_messages(js_get(g->in, "messages"), &g->tools);
	status = fncall_split_calls(in, js_bool(g->in, "ignore_final_tool_result", false),
				    &out, &err);
	if (g->error)
		want_error(v, g->error, status, FNCALL_OK, err.text);
	else if (status)
		vec_fault(v, "split", "yes", err.text);
	else
		want_messages(v, g->want, out, NULL, &g->tools, false);
}

static void fix_stop_word(struct vec *v, const struct given *g)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MAX_TEXT);

	strbuf_add(&out, js_str(g->in, "content", ""));
	strbuf_add(&out, fncall_missing_end(out.text, out.len));
	want_text(v, g, out.text);
}

static void tools_to_description(struct vec *v, const struct given *g)
{
	AUTO(strbuf) struct strbuf out = STRBUF(MAX_TEXT);

	fncall_describe_tools(g->tools.tools, g->tools.count, &out);
	want_text(v, g, out.text);
}

/* Decided: a text that is not of its schema's type is an error, where the original
 * leaves it. Is there one in the calls of these messages? */
static bool has_refused_value(json_object *messages, const struct toolset *t)
{
	for (size_t i = 0; i < json_object_array_length(messages); i++) {
		json_object *calls =
			js_get(json_object_array_get_idx(messages, i), "tool_calls");

		for (size_t k = 0; calls && k < json_object_array_length(calls); k++) {
			struct llm_call call;
			AUTO(json) json_object *args = NULL;

			read_call(json_object_array_get_idx(calls, k), &call);
			args = js_parse_object(call.args, call.args_len, NULL);
			json_object_object_foreach(args, name, value) {
				AUTO(json)
				json_object *schema = schema_of(t, call.name, name);
				AUTO(json) json_object *made = NULL;

				if (!json_object_is_type(value, json_type_string) ||
				    !is_left_as_text(schema))
					continue;
				made = typed(schema, json_object_get_string(value));
				if (!made)
					return true;
			}
		}
	}
	return false;
}

static void read_back(struct vec *v, const struct given *g, json_object *messages)
{
	AUTO(llm_request) struct llm_request *in = read_messages(messages, &g->tools);
	AUTO(llm_request) struct llm_request *out = NULL;
	AUTO(fncall_tools) struct fncall_tools *tools =
		fncall_tools_new(g->tools.tools, g->tools.count);
	enum fncall_fault fault;
	struct error err = ERROR_NONE;
	int status = decode_history(in, tools, g->tools.tools, g->tools.count, &out,
				    &fault, &err);

	if (g->error)
		want_error(v, g->error, status, fault, err.text);
	else if (status &&
		 !(fault == FNCALL_WRONG_TYPE && has_refused_value(g->want, &g->tools)))
		vec_fault(v, "converted", js_text(g->want, NULL), err.text);
	else if (!status && has_refused_value(g->want, &g->tools))
		vec_fault(v, "a value of another type", "refused",
			  js_text(g->want, NULL));
	else if (!status)
		want_messages(v, g->want, out, messages, &g->tools, false);
}

static void text_to_call(struct vec *v, const struct given *g)
{
	AUTO(json) json_object *messages = json_object_new_array();
	json_object *m = json_object_new_object();

	js_set_str(m, "role", "assistant");
	js_set(m, "content", json_object_get(js_get(g->in, "assistant_content")));
	json_object_array_add(messages, m);
	read_back(v, g, messages);
}

static void text_to_calls(struct vec *v, const struct given *g)
{
	read_back(v, g, js_get(g->in, "messages"));
}

static const struct {
	const char *version, *name;
	void (*run)(struct vec *v, const struct given *g);
} ours[] = {
	{ "v0", "tool_call_to_text", tool_call_to_text },
	{ "v0", "calls_to_text", calls_to_text },
	{ "v0", "split_multi_calls", split_multi_calls },
	{ "v1", "fix_stop_word", fix_stop_word },
	{ "v1", "tools_to_description", tools_to_description },
	{ "v1", "text_to_call", text_to_call },
	{ "v1", "text_to_calls", text_to_calls },
};

static bool one_case(struct vec *v, json_object *c)
{
	static const char newer[] = "V1's function of this name is ours";
	static const char parsed[] = "the parser accepts malformed tags as they are";
	static const char older[] = "V0's function of this name is ours";
	static const struct vec_decision decided[] = {
		{ "v0", "fix_stop_word", newer }, { "v0", "normalize_parameter_tags", parsed },
		{ "v1", "normalize_parameter_tags", parsed },
		{ "v0", "tools_to_description", newer }, { "v0", "text_to_call", newer },
		{ "v0", "text_to_calls", newer }, { "v1", "tool_call_to_text", older },
		{ "v1", "calls_to_text", older }, { "v1", "split_multi_calls", older },
	};
	const char *version = js_str(c, "version", ""), *name = js_str(c, "fn", "");
	struct given g = { js_get(c, "in"), js_get(c, "output"), js_get(c, "error"),
			   { .count = 0 } };

	tools_of(v, version, js_str(g.in, "tools", ""), &g.tools);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (strcmp(version, ours[i].version) == 0 &&
		    strcmp(name, ours[i].name) == 0) {
			ours[i].run(v, &g);
			return true;
		}
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	vec_each(&v, one_case);
	return vec_done(&v);
}
