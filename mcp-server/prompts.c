/* SPDX-License-Identifier: MIT
 *
 * prompts.c - offers the skills that a user can call as prompts. */
#include "internal.h"

#include <string.h>

#define FORM_KEY "arguments" /* of the request for missing values */

enum { LINKS_MAX = 16, LINK_BYTES_MAX = 4 << 20 };

/* ---- selection ------------------------------------------------------------------ */

static bool has_command(const struct skill *s)
{
	for (size_t i = 0; i < s->trigger_count; i++)
		if (*s->triggers[i] == '/')
			return true;
	return false;
}

static bool is_prompt(const struct skill *s)
{
	return s->listed || s->trigger == TRIGGER_TASK ||
	       (s->trigger == TRIGGER_KEYWORD && has_command(s));
}

struct skill *mcp_prompt_find(const struct mcp_server *s, const char *name)
{
	struct skill *found = s->skills ? skills_find(s->skills, name) : NULL;

	return found && is_prompt(found) ? found : NULL;
}

/* ---- prompts/list --------------------------------------------------------------- */

static void mcp_prompts_put_argument(struct strbuf *b, json_object *input)
{
	const char *description = js_str(input, "description", NULL);

	strbuf_addc(b, '{');
	js_key_str(b, "name", js_str(input, "name", ""));
	if (description)
		js_key_str(b, "description", description);
	js_key_bool(b, "required", skill_input_required(input));
	strbuf_addc(b, '}');
}

static void put_prompt(struct strbuf *b, struct skill *s)
{
	json_object *inputs = skill_inputs(s);

	strbuf_addc(b, '{');
	js_key_str(b, "name", s->name);
	if (!skill_describe(s) && s->description)
		js_key_str(b, "description", s->description);
	if (js_length(inputs)) {
		js_key(b, "arguments");
		strbuf_addc(b, '[');
		for (size_t i = 0; i < js_length(inputs); i++) {
			strbuf_add(b, i ? "," : "");
			mcp_prompts_put_argument(b, json_object_array_get_idx(inputs, i));
		}
		strbuf_addc(b, ']');
	}
	strbuf_addc(b, '}');
}

void mcp_prompts_list(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	bool first = true;
	struct skill *s;

	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "prompts");
	strbuf_addc(&b, '[');
	for (size_t i = 0; (s = skills_at(q->server->skills, i)); i++) {
		/* The variables of a skill in an archive are read with its text. */
		if (!is_prompt(s) ||
		    (s->trigger == TRIGGER_TASK && skills_content(s, NULL)))
			continue;
		strbuf_add(&b, first ? "" : ",");
		put_prompt(&b, s);
		first = false;
	}
	strbuf_addc(&b, ']');
	mcp_send_result(q, &b, true);
}

/* ---- prompts/get ---------------------------------------------------------------- */

/* The values of the request, and those that the user of the client entered since.
 * @return NULL: they were refused. */
static json_object *mcp_prompts_collect(const struct mcp_request *q)
{
	json_object *given = js_get(q->params, "arguments"), *values = NULL;
	json_object *form = js_path(q->params, "inputResponses." FORM_KEY);

	if (given && !json_object_is_type(given, json_type_object)) {
		mcp_refuse_params(q, "`arguments` must be an object");
		return NULL;
	}
	if (q->modern && form && strcmp(js_str(form, "action", ""), "accept") != 0) {
		mcp_refuse_params(q, "the user declined to answer");
		return NULL;
	}
	values = js_new_object();
	if (given) {
		json_object_object_foreach(given, key, value)
			js_set(values, key, json_object_get(value));
	}
	form = q->modern ? js_get(form, "content") : NULL;
	if (json_object_is_type(form, json_type_object)) {
		json_object_object_foreach(form, key, value)
			js_set(values, key, json_object_get(value));
	}
	return values;
}

/* @return false: the arguments were refused. */
static bool check_types(const struct mcp_request *q, const struct skill *s,
			json_object *values)
{
	json_object *inputs = skill_inputs(s);

	for (size_t i = 0; i < js_length(inputs); i++) {
		const char *name =
			js_str(json_object_array_get_idx(inputs, i), "name", "");
		json_object *value = js_get(values, name);

		if (!value || json_object_is_type(value, json_type_string))
			continue;
		mcp_refuse_params(q, "argument `%.80s` must be a string", name);
		return false;
	}
	return true;
}

/* The first variable at or after `*at` that lacks a required value; NULL: none. */
static json_object *next_missing(const struct skill *s, json_object *values, size_t *at)
{
	json_object *inputs = skill_inputs(s);

	while (*at < js_length(inputs)) {
		json_object *input = json_object_array_get_idx(inputs, (*at)++);

		if (skill_input_required(input) &&
		    !js_get(values, js_str(input, "name", "")))
			return input;
	}
	return NULL;
}

static void mcp_prompts_put_field(struct strbuf *b, json_object *input)
{
	const char *description = js_str(input, "description", NULL);

	js_key(b, js_str(input, "name", ""));
	strbuf_addc(b, '{');
	js_key_str(b, "type", "string");
	if (description)
		js_key_str(b, "description", description);
	if (js_length(js_get(input, "enum"))) {
		js_key(b, "enum");
		js_put(b, js_get(input, "enum"));
	}
	strbuf_addc(b, '}');
}

/* Send a form: the client asks its user for the missing values, and repeats the
 * request. */
static void send_form(const struct mcp_request *q, const struct skill *s,
		      json_object *values)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX), required = STRBUF(1 << 20);
	json_object *input;
	size_t at = 0;

	mcp_begin_reply(&b, q->id, "result");
	js_key_str(&b, "resultType", "input_required");
	strbuf_add(&b, ",\"inputRequests\":{\"" FORM_KEY
		       "\":{\"method\":\"elicitation/create\",\"params\":{");
	js_key_str(&b, "message", s->description ? s->description : s->name);
	strbuf_add(&b, ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{");
	while ((input = next_missing(s, values, &at))) {
		const char *name = js_str(input, "name", "");

		mcp_prompts_put_field(&b, input);
		strbuf_add(&required, required.len ? "," : "");
		js_put_str(&required, name, strlen(name));
	}
	strbuf_addf(&b, "},\"required\":[%s]}}}}}}", required.text);
	mcp_send(q->peer, &b);
}

static void mcp_prompts_put_message(struct strbuf *b, bool first)
{
	strbuf_add(b, first ? "{" : ",{");
	js_key_str(b, "role", "user");
	js_key(b, "content");
}

/* The next relative path of a Markdown link, owned; NULL: none, or out of memory. */
static char *next_link(const char **at)
{
	const char *start;

	while ((start = strstr(*at, "]("))) {
		size_t n = strcspn(start + 2, ") \t\n#");

		*at = start + 2 + n;
		if (n && start[2] != '/' && !memmem(start + 2, n, ":", 1))
			return strndup(start + 2, n);
	}
	return NULL;
}

/* Append the files that the skill links to, because the client cannot read them. */
static void mcp_prompts_put_files(struct strbuf *b, const struct skill *s)
{
	AUTO(json) json_object *seen = js_new_object();
	const char *at = s->content;
	size_t total = 0;

	for (;;) {
		AUTO(free) char *path = next_link(&at), *bytes = NULL;
		AUTO(strbuf) struct strbuf uri = STRBUF(1 << 14);
		size_t len = 0;

		if (!path)
			break;
		if (js_get(seen, path) || json_object_object_length(seen) >= LINKS_MAX ||
		    skills_file(s, path, &bytes, &len, NULL) ||
		    (total += len) > LINK_BYTES_MAX)
			continue;
		js_set_bool(seen, path, true);
		strbuf_addf(&uri, "skill://%s/%s", s->name, path);
		mcp_prompts_put_message(b, false);
		mcp_put_content(b, uri.text, bytes, len);
		strbuf_addc(b, '}');
	}
}

static void send_prompt(const struct mcp_request *q, struct skill *s, json_object *values)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX), text = STRBUF(ANSWER_MAX);

	if (skill_fill(s, values, &text)) {
		mcp_refuse_params(q, "the prompt is too long");
		return;
	}
	mcp_begin_reply(&b, q->id, "result");
	if (s->description)
		js_key_str(&b, "description", s->description);
	js_key(&b, "messages");
	strbuf_addc(&b, '[');
	mcp_prompts_put_message(&b, true);
	strbuf_addc(&b, '{');
	js_key_str(&b, "type", "text");
	js_key_strn(&b, "text", text.text, text.len);
	strbuf_add(&b, "}}");
	mcp_prompts_put_files(&b, s);
	strbuf_addc(&b, ']');
	mcp_send_result(q, &b, false);
}

static void get_prompt(const struct mcp_request *q, struct skill *s, json_object *values)
{
	size_t at = 0;
	json_object *missing = next_missing(s, values, &at);

	if (!missing)
		send_prompt(q, s, values);
	else if (q->modern && mcp_client_can(mcp_capabilities(q), "elicitation"))
		send_form(q, s, values);
	else
		mcp_refuse_params(q, "missing argument `%.80s`",
				  js_str(missing, "name", ""));
}

void mcp_prompts_get(const struct mcp_request *q)
{
	const char *name = js_str(q->params, "name", "");
	struct skill *s = mcp_prompt_find(q->server, name);
	AUTO(json) json_object *values = NULL;
	struct error err = ERROR_NONE;

	if (!s) {
		mcp_refuse_params(q, "unknown prompt `%.80s`", name);
	} else if (skills_content(s, &err)) {
		mcp_send_error(q->peer, q->id, RPC_INTERNAL, err.text, NULL);
	} else {
		values = mcp_prompts_collect(q);
		if (values && check_types(q, s, values))
			get_prompt(q, s, values);
	}
}
