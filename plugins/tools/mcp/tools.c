/* SPDX-License-Identifier: MIT
 *
 * tools.c - converts the features of a server to tools. */
#include "tools.h"
#include "array.h"
#include "http-headers.h"
#include "schema.h"
#include "utf8.h"
#include <mortise/tool.h>
#include <string.h>

enum {
	NAME_ROOM = 65, PAGES_MAX = 100, DESCRIPTION_MAX = 16 << 10, SCHEMA_MAX = 256 << 10,
};

static void offer_clear(struct offer *f)
{
	free(f->name);
	free(f->real);
	free(f->description);
	free(f->schema);
	free(f->events);
	json_object_put(f->input);
	json_object_put(f->output);
}

void tools_clear(struct offers *o)
{
	for (size_t i = 0; i < o->count; i++)
		offer_clear(&o->list[i]);
	free(o->list);
	*o = (struct offers){ 0 };
}

const struct offer *tools_find(const struct offers *o, const char *name)
{
	for (size_t i = 0; i < o->count; i++)
		if (strcmp(o->list[i].name, name) == 0)
			return &o->list[i];
	return NULL;
}

static unsigned mcp_tools_hash(const char *text)
{
	unsigned h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

static bool mcp_tools_is_letter(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

void mcp_clean_name(const char *name, char *ret, size_t room)
{
	size_t n = 0;

	if (!mcp_tools_is_letter(*name))
		ret[n++] = 't';
	if (!mcp_tools_is_letter(*name) && *name)
		ret[n++] = '_';
	for (; *name && n < room - 1; name++)
		ret[n++] = mcp_tools_is_letter(*name) || strchr("0123456789_-", *name)
				   ? *name
				   : '_';
	ret[n] = '\0';
	if (*name) /* truncated: keep it unique */
		snprintf(ret + room - 9, 9, "%08x", mcp_tools_hash(name));
}

/* ---- one tool ---------------------------------------------------------- */

static unsigned hints_of(json_object *tool, const struct offer_options *o,
			 bool *ret_again)
{
	json_object *a = o->trust_hints ? js_get(tool, "annotations") : NULL;
	unsigned hints = 0;

	*ret_again = false;
	if (js_bool(a, "openWorldHint", true))
		hints |= MT_TOOL_OPEN_WORLD;
	if (js_bool(a, "readOnlyHint", false)) {
		*ret_again = true;
		return hints | MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT | MT_TOOL_PARALLEL;
	}
	if (js_bool(a, "destructiveHint", true))
		hints |= MT_TOOL_DESTRUCTIVE;
	if (js_bool(a, "idempotentHint", false)) {
		*ret_again = true;
		hints |= MT_TOOL_IDEMPOTENT;
	}
	return hints;
}

/* How calls appear in the log: with the server's tool name and all arguments. */
static char *events_of(const char *name)
{
	struct strbuf b = STRBUF(4096);

	strbuf_add(&b,
		   "[{\"action\":\"call_tool_mcp\",\"observation\":\"mcp\",\"args\":{");
	js_key_str(&b, "name", name);
	strbuf_add(&b, ",\"arguments\":\"$*\"}}]");
	return strbuf_take(&b);
}

static char *description_of(json_object *tool, const char *name)
{
	const char *text = js_str(tool, "description", "");
	size_t len;

	if (!*text)
		text = js_str(tool, "title",
			      js_str(js_get(tool, "annotations"), "title", name));
	len = strlen(text);
	return strndup(text, utf8_cut(text, len, DESCRIPTION_MAX));
}

/* If the schema is not supported here, the server validates the arguments. NULL: out of
 * memory. */
static json_object *input_of(struct client *c, json_object *tool, const char *name)
{
	json_object *schema = js_get(tool, "inputSchema");
	struct error why = ERROR_NONE;
	size_t len = 0;
	json_object *open;

	if (json_object_is_type(schema, json_type_object) && js_text(schema, &len) &&
	    len <= SCHEMA_MAX && !schema_valid(schema, &why))
		return json_object_get(schema);
	client_log(c, MT_LOG_WARNING, "the schema of tool %.60s is ignored: %s", name,
		   why.code ? why.text : "it is not an object, or is too long");
	open = json_object_new_object();
	if (js_set_str(open, "type", "object"))
		json_object_put(STEAL(open));
	return open;
}

static struct offer *mcp_tools_room(struct offers *o)
{
	if (ARRAY_ADD(o->list, o->count, ARRAY_MAX))
		return NULL;
	o->list[o->count] = (struct offer){ 0 };
	return &o->list[o->count];
}

static int tools_finish(struct offers *o, struct offer *f, struct error *err)
{
	if (f->name && f->real && f->description && f->schema && f->events) {
		o->count++;
		return MT_OK;
	}
	offer_clear(f);
	return out_of_memory(err);
}

static char *schema_text(json_object *schema)
{
	const char *text = schema ? js_text(schema, NULL) : NULL;

	return text ? strdup(text) : NULL;
}

static int mcp_tools_add_tool(struct client *c, const struct offer_options *options,
			      json_object *tool, struct offers *o, struct error *err)
{
	const char *real = js_str(tool, "name", "");
	json_object *output = js_get(tool, "outputSchema");
	char name[NAME_ROOM];
	struct offer *f;

	mcp_clean_name(real, name, sizeof name);
	if (!*real || strlen(real) > 1000 || tools_find(o, name) ||
	    !json_object_is_type(js_get(tool, "inputSchema"), json_type_object) ||
	    !header_tool_is_valid(tool)) {
		client_log(c, MT_LOG_WARNING,
			   "tool `%.60s` is omitted: its name is already used, or its "
			   "description is invalid",
			   real);
		return MT_OK;
	}
	if (o->count >= TOOLS_MAX)
		return MT_OK;
	f = mcp_tools_room(o);
	if (!f)
		return out_of_memory(err);
	f->name = strdup(name);
	f->real = strdup(real);
	f->description = description_of(tool, real);
	f->input = input_of(c, tool, real);
	f->schema = schema_text(f->input);
	f->events = events_of(real);
	f->hints = hints_of(tool, options, &f->again);
	f->as_task = strcmp(js_str(js_get(tool, "execution"), "taskSupport", ""),
			    "required") == 0;
	if (json_object_is_type(output, json_type_object))
		f->output = json_object_get(output);
	return tools_finish(o, f, err);
}

/* ---- pages --------------------------------------------------------------- */

static int fetch_page(struct client *c, const char *method, const char *cursor,
		      const struct waiter *w, json_object **ret, struct error *err)
{
	AUTO(json) json_object *params = json_object_new_object();

	if (cursor && js_set_str(params, "cursor", cursor))
		return out_of_memory(err);
	return mcp_client_request(c, method, params, w, ret, NULL, err);
}

/* ---- resources and prompts, each one tool --------------------------------- */

static const char resources_schema[] =
	"{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":\"string\",\"description\":"
	"\"URI of the resource to read (default: list all).\"}}"
	",\"additionalProperties\":false}";
static const char prompts_schema[] =
	"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"description\":"
	"\"Name of the prompt to fetch (default: list all).\"},\"arguments\":{\"type\":"
	"\"object\",\"description\":\"Arguments of the prompt, as "
	"strings.\",\"additionalProperties\":"
	"{\"type\":\"string\"}}}"
	",\"additionalProperties\":false}";

static int mcp_tools_add_own(struct client *c, enum offer_kind kind, struct offers *o,
			     struct error *err)
{
	bool resources = kind == OFFER_RESOURCES;
	char name[NAME_ROOM], whole[128];
	struct offer *f;

	snprintf(whole, sizeof whole, "%.40s_%s", c->config.name,
		 resources ? "resources" : "prompts");
	mcp_clean_name(whole, name, sizeof name);
	if (tools_find(o, name))
		return MT_OK;
	f = mcp_tools_room(o);
	if (!f)
		return out_of_memory(err);
	f->kind = kind;
	f->name = strdup(name);
	f->real = strdup(name);
	f->schema = strdup(resources ? resources_schema : prompts_schema);
	f->input = f->schema ? js_parse(f->schema, strlen(f->schema), NULL) : NULL;
	f->events = events_of(name);
	f->hints = MT_TOOL_READ_ONLY | MT_TOOL_IDEMPOTENT | MT_TOOL_OPEN_WORLD;
	f->again = true;
	if (asprintf(&f->description,
		     resources ? "List the resources of the server `%s`, or read one."
			       : "List the prompts of the server `%s`, or fetch one.",
		     c->config.name) < 0)
		f->description = NULL;
	return tools_finish(o, f, err);
}

int tools_fetch(struct client *c, const struct offer_options *options,
		const struct waiter *w, struct offers *ret, struct error *err)
{
	struct offers o = { 0 };
	AUTO(free) char *cursor = NULL;
	bool more = client_has(c, "tools");
	int status = MT_OK;

	for (int page = 0; more && !status && page < PAGES_MAX; page++) {
		AUTO(json) json_object *result = NULL;
		json_object *tools;
		const char *next;

		status = fetch_page(c, "tools/list", cursor, w, &result, err);
		tools = js_get(result, "tools");
		for (size_t i = 0;
		     !status && json_object_is_type(tools, json_type_array) &&
		     i < json_object_array_length(tools);
		     i++)
			status = mcp_tools_add_tool(c, options,
						    json_object_array_get_idx(tools, i),
						    &o, err);
		next = js_str(result, "nextCursor", NULL);
		more = next && o.count < TOOLS_MAX &&
		       !(cursor && strcmp(cursor, next) == 0);
		free(cursor);
		cursor = more ? strdup(next) : NULL;
		more = cursor != NULL;
	}
	if (!status && options->resources && client_has(c, "resources"))
		status = mcp_tools_add_own(c, OFFER_RESOURCES, &o, err);
	if (!status && options->prompts && client_has(c, "prompts"))
		status = mcp_tools_add_own(c, OFFER_PROMPTS, &o, err);
	if (status)
		tools_clear(&o);
	else
		*ret = o;
	return status;
}
