/* SPDX-License-Identifier: MIT
 *
 * completion.c - completes arguments of prompts, and paths of resources. */
#include "resources.h"

#include <string.h>
#include <strings.h>

enum { VALUES_MAX = 100 };

struct values {
	struct strbuf *out;
	const char *start; /* prefix of the requested values */
	size_t count;
};

static void mcp_completion_add_value(struct values *v, const char *value)
{
	if (strncasecmp(value, v->start, strlen(v->start)) != 0)
		return;
	if (v->count++ < VALUES_MAX) {
		strbuf_add(v->out, v->count > 1 ? "," : "");
		js_put_str(v->out, value, strlen(value));
	}
}

/* @return false if the request was refused. */
static bool complete_prompt(const struct mcp_request *q, json_object *ref,
			    const char *argument, struct values *v)
{
	const char *name = js_str(ref, "name", "");
	struct skill *s = mcp_prompt_find(q->server, name);
	json_object *allowed;

	if (!s || skills_content(s, NULL)) {
		mcp_refuse_params(q, "unknown prompt `%.80s`", name);
		return false;
	}
	if (!skill_input(s, argument)) {
		mcp_refuse_params(q, "prompt %.80s has no argument `%.80s`", name,
				  argument);
		return false;
	}
	allowed = js_get(skill_input(s, argument), "enum");
	for (size_t i = 0; i < js_length(allowed); i++)
		mcp_completion_add_value(v,
					 json_object_get_string(
						 json_object_array_get_idx(allowed, i)));
	return true;
}

static bool complete_path(const struct mcp_request *q, json_object *ref,
			  const char *argument, struct values *v)
{
	AUTO(mcp_paths) struct mcp_paths paths = { 0 };
	AUTO(strbuf) struct strbuf template = STRBUF(1 << 16);

	if (q->server->uri)
		mcp_resource_template(q->server, &template);
	if (!q->server->uri || strcmp(js_str(ref, "uri", ""), template.text) != 0 ||
	    strcmp(argument, "path") != 0) {
		mcp_refuse_params(q, "unknown resource template or variable");
		return false;
	}
	if (mcp_paths_list(q->server, &paths)) {
		mcp_send_error(q->peer, q->id, RPC_INTERNAL, status_name(MT_ENOMEM),
			       NULL);
		return false;
	}
	for (size_t i = 0; i < paths.count; i++)
		mcp_completion_add_value(v, paths.list[i]);
	return true;
}

static const struct {
	const char *type;
	bool (*complete)(const struct mcp_request *q, json_object *ref,
			 const char *argument, struct values *v);
} refs[] = {
	{ "ref/prompt", complete_prompt },
	{ "ref/resource", complete_path },
};

void mcp_complete(const struct mcp_request *q)
{
	AUTO(strbuf) struct strbuf b = STRBUF(ANSWER_MAX);
	json_object *ref = js_get(q->params, "ref"),
		    *argument = js_get(q->params, "argument");
	struct values v = { &b, js_str(argument, "value", ""), 0 };
	const char *type = js_str(ref, "type", "");
	size_t i = 0;

	while (i < ARRAY_LEN(refs) && strcmp(refs[i].type, type) != 0)
		i++;
	if (i == ARRAY_LEN(refs)) {
		mcp_refuse_params(q, "unknown reference type `%.80s`", type);
		return;
	}
	mcp_begin_reply(&b, q->id, "result");
	js_key(&b, "completion");
	strbuf_add(&b, "{\"values\":[");
	if (!refs[i].complete(q, ref, js_str(argument, "name", ""), &v))
		return;
	strbuf_addc(&b, ']');
	js_key_int(&b, "total", (int64_t)v.count);
	js_key_bool(&b, "hasMore", v.count > VALUES_MAX);
	strbuf_addc(&b, '}');
	mcp_send_result(q, &b, false);
}
