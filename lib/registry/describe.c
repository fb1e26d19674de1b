/* SPDX-License-Identifier: MIT
 *
 * describe.c - checks the description of a plugin and converts it to JSON. Runs in the
 * child process of the discovery, where an invalid pointer may crash. */
#define MORTISE_PROVISIONAL
#include "function-schema.h"
#include "params.h"
#include "registry/internal.h"
#include "schema.h"
#include "utf8.h"
#include <mortise/agent.h>
#include <mortise/analyzer.h>
#include <mortise/condenser.h>
#include <mortise/dialect.h>
#include <mortise/extensions.h>
#include <mortise/function.h>
#include <mortise/runtime.h>
#include <math.h>
#include <mortise/tool.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------ */

static bool option_name_good(const struct mt_option *o)
{
	size_t len = o->name ? strnlen(o->name, 65) : 0;
	bool prefix = o->flags & MT_OPTION_PREFIX;

	if (len == 0 || len == 65 || o->name[0] < 'a' || o->name[0] > 'z' ||
	    prefix != (o->name[len - 1] == '.'))
		return false;
	for (size_t i = 0; i < len - prefix; i++) {
		char ch = o->name[i];

		if (!(ch >= 'a' && ch <= 'z') && !(ch >= '0' && ch <= '9') && ch != '_')
			return false;
	}
	return strcmp(o->name, "plugin") != 0;
}

static int check_option(const struct mt_component *c, const struct mt_option *o,
			struct error *err)
{
	struct error why = ERROR_NONE;

	if (!option_name_good(o))
		return fail(err, MT_EINVAL,
			    "`%s`: invalid option name `%.80s`: use a lowercase letter, "
			    "then a-z, 0-9 and _, but not `plugin`",
			    c->name, o->name ? o->name : "");
	if (o->type < MT_OPTION_TEXT || o->type > MT_OPTION_PATH)
		return fail(err, MT_EUNSUPPORTED,
			    "`%s`: option `%s` has unknown type %u; update mortise",
			    c->name, o->name, o->type);
	if (o->reserved || o->flags & ~(uint32_t)(MT_OPTION_REQUIRED | MT_OPTION_SECRET |
						  MT_OPTION_PREFIX))
		return fail(err, MT_EUNSUPPORTED,
			    "`%s`: option `%s` has an unknown flag, or a reserved member "
			    "that is not 0; update mortise",
			    c->name, o->name);
	if (o->type == MT_OPTION_CHOICE && (!o->choices || !*o->choices))
		return fail(err, MT_EINVAL, "`%s`: option `%s` has no choices", c->name,
			    o->name);
	if (!isfinite(o->min) || !isfinite(o->max))
		return fail(err, MT_EINVAL,
			    "`%s`: `min` and `max` of option `%s` must be finite",
			    c->name, o->name);
	if (o->fallback && o->flags & MT_OPTION_REQUIRED)
		return fail(err, MT_EINVAL,
			    "`%s`: option `%s` is required and has a default", c->name,
			    o->name);
	if (o->fallback && option_check(o, o->name, o->fallback, &why))
		return fail(err, MT_EINVAL, "`%s`: invalid default of an option: %s",
			    c->name, why.text);
	return MT_OK;
}

static const struct mt_option *describe_option_at(const struct mt_component *c, size_t n)
{
	return (const struct mt_option *)((const char *)c->options +
					  n * c->options->size);
}

static int describe_options(const struct mt_component *c, struct strbuf *out,
			    struct error *err)
{
	char who[96];
	int status;

	if (c->option_count == 0) {
		strbuf_add(out, "[]");
		return MT_OK;
	}
	snprintf(who, sizeof who, "options of `%.64s` declare", c->name);
	status = registry_check_size(who, c->options->size, MT_OPTION_SIZE_1_0,
				     _Alignof(struct mt_option), err);
	if (status)
		return status;
	for (size_t i = 0; i < c->option_count; i++) {
		status = check_option(c, describe_option_at(c, i), err);

		for (size_t j = 0; j < i && !status; j++)
			if (strcmp(describe_option_at(c, i)->name,
				   describe_option_at(c, j)->name) == 0)
				status = fail(err, MT_EINVAL,
					      "`%s`: duplicate option `%s`", c->name,
					      describe_option_at(c, i)->name);
		if (status)
			return status;
	}
	if (options_json(c->options, c->option_count, out))
		return fail(err, MT_ELIMIT, "`%s`: options are too many or too long",
			    c->name);
	return MT_OK;
}

/* ---- tools ----------------------------------------------------------------------- */

static bool tool_name_good(const char *name)
{
	size_t len = name ? strnlen(name, 65) : 0;

	if (len == 0 || len == 65)
		return false;
	for (size_t i = 0; i < len; i++) {
		char ch = name[i];
		bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');

		if (!letter &&
		    (i == 0 || !((ch >= '0' && ch <= '9') || ch == '_' || ch == '-')))
			return false;
	}
	return true;
}

static int describe_check_text(const struct mt_tool *t, const char *text,
			       const char *what, struct error *err)
{
	size_t len = text ? strnlen(text, PLUGIN_TEXT_MAX) : 0;

	if (len == PLUGIN_TEXT_MAX || !utf8_valid(text ? text : "", len))
		return fail(err, MT_EINVAL,
			    "%s of tool `%s` is not UTF-8 or is longer than %d bytes",
			    what, t->name, PLUGIN_TEXT_MAX);
	return MT_OK;
}

/* A string of the tool that must be a schema. */
static int put_schema_text(const struct mt_tool *t, const char *text, const char *what,
			   struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *schema = NULL;
	struct error why = ERROR_NONE;
	int status = describe_check_text(t, text, what, err);

	if (status)
		return status;
	schema = js_parse_object(text, strlen(text), &why);
	if (schema)
		schema_valid(schema, &why);
	if (why.code)
		return fail(err, MT_EINVAL, "invalid %s of tool `%s`: %s", what, t->name,
			    why.text);
	js_put(out, schema);
	return MT_OK;
}

static int put_output_schema(const struct mt_tool *t, struct strbuf *out,
			     struct error *err)
{
	js_key(out, "output_schema");
	return put_schema_text(t, t->output_schema, "output schema", out, err);
}

/* An output string must be followed by its size, so that the function cannot overrun the
 * buffer. */
static int check_sizes(const struct mt_function *f, struct error *err)
{
	for (size_t n = 0; n < f->arg_count; n++) {
		const struct mt_arg *a = function_arg(f, n);
		const struct mt_arg *size =
			n + 1 < f->arg_count ? function_arg(f, n + 1) : NULL;
		uint64_t room = a->capacity ? a->capacity : FUNCTION_CAPACITY;

		if (a->type != MT_TYPE_STRING || !(a->flags & MT_ARG_OUT))
			continue;
		if (!size || !(size->flags & MT_ARG_FIXED) ||
		    size->type == MT_TYPE_HANDLE || size->capacity > room)
			return fail(err, MT_EINVAL,
				    "argument `%s`: an output string needs its size "
				    "after it (MT_ARG_FIXED, at most %llu)",
				    a->name, (unsigned long long)room);
	}
	return MT_OK;
}

/* Check that a call could give the default of each parameter. */
static int check_defaults(const char *text, size_t len, struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(json) json_object *schema = js_parse_object(text, len, &why);
	json_object *properties = js_get(schema, "properties");

	if (!properties)
		return fail(err, why.code, "%s", why.text);
	json_object_object_foreach(properties, name, property) {
		json_object *value = js_get(property, "default");

		if (value && schema_check(property, value, &why))
			return fail(err, why.code,
				    "the default of parameter `%s` is not allowed: %s",
				    name, why.text);
	}
	return MT_OK;
}

static int describe_put_schema(const struct mt_tool *t, struct strbuf *out,
			       struct error *err)
{
	struct error why = ERROR_NONE;
	size_t start = out->len;

	if (t->function &&
	    (function_check(t->function, &why) || check_sizes(t->function, &why) ||
	     (!t->schema && function_schema(t->function, out, &why))))
		return fail(err, MT_EINVAL, "invalid function of tool `%s`: %s", t->name,
			    why.text);
	if (t->schema)
		return put_schema_text(t, t->schema, "schema", out, err);
	if (!t->function && (params_schema(t, out, &why) ||
			     check_defaults(out->text + start, out->len - start, &why)))
		return fail(err, why.code, "invalid parameters of tool `%s`: %s", t->name,
			    why.text);
	return MT_OK;
}

static int check_events(const struct mt_tool *t, json_object *events, struct error *err)
{
	if (!json_object_is_type(events, json_type_array) ||
	    json_object_array_length(events) == 0)
		return fail(err, MT_EINVAL,
			    "events of tool `%s` must be an array of "
			    "objects",
			    t->name);
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		json_object *e = json_object_array_get_idx(events, i);
		json_object *when = js_get(e, "when"), *args = js_get(e, "args");

		if (!*js_str(e, "action", ""))
			return fail(err, MT_EINVAL,
				    "event %zu of tool `%s` has no `action`", i + 1,
				    t->name);
		if ((when && !json_object_is_type(when, json_type_object)) ||
		    (args && !json_object_is_type(args, json_type_object)))
			return fail(err, MT_EINVAL,
				    "event %zu of tool `%s`: `when` and `args` must be "
				    "objects",
				    i + 1, t->name);
	}
	return MT_OK;
}

static int put_events(const struct mt_tool *t, struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *events = NULL;
	struct error why = ERROR_NONE;
	int status = describe_check_text(t, t->events, "text of events", err);

	if (status)
		return status;
	if (t->events) {
		events = js_parse(t->events, strlen(t->events), &why);
		if (why.code)
			return fail(err, MT_EINVAL, "invalid events of tool `%s`: %s",
				    t->name, why.text);
		status = check_events(t, events, err);
	}
	js_put(out, events);
	return status;
}

static void put_optional(struct strbuf *out, const char *name, const char *text)
{
	if (text)
		js_key_str(out, name, text);
}

/* Values without a meaning are reserved for later versions. */
static int check_numbers(const struct mt_tool *t, struct error *err)
{
	if (t->reserved)
		return fail(err, MT_EUNSUPPORTED,
			    "tool `%s` has a reserved member that is not 0; update "
			    "mortise",
			    t->name);
	if (t->deadline_ms < -1 || t->result_max < 0)
		return fail(err, MT_EINVAL,
			    "tool `%s`: `deadline_ms` is less than -1, or `result_max` "
			    "is negative",
			    t->name);
	return MT_OK;
}

static int describe_tool(const struct mt_toolset *set, const struct mt_tool *t,
			 struct strbuf *out, struct error *err)
{
	int status = MT_OK;

	if (!tool_name_good(t->name))
		return fail(err, MT_EINVAL,
			    "invalid tool name `%.80s`: use a letter, then at most 63 "
			    "letters, digits, - and _",
			    t->name ? t->name : "");
	if (!t->description || !*t->description)
		return fail(err, MT_EINVAL, "tool `%s` has no description", t->name);
	if (!t->call && !t->function && !set->call && !(t->hints & MT_TOOL_CONTROL))
		return fail(err, MT_EINVAL, "tool `%s` has no function to call", t->name);
	status = check_numbers(t, err);
	if (!status)
		status = params_check_sources(t, err);
	if (!status)
		status = describe_check_text(t, t->description, "description", err);
	if (!status)
		status = describe_check_text(t, t->brief, "brief description", err);
	if (!status)
		status = describe_check_text(t, t->title, "title", err);
	if (status)
		return status;
	strbuf_addc(out, '{');
	js_key_str(out, "name", t->name);
	js_key_str(out, "description", t->description);
	put_optional(out, "title", t->title);
	put_optional(out, "brief", t->brief);
	js_key(out, "schema");
	status = describe_put_schema(t, out, err);
	if (!status && t->output_schema)
		status = put_output_schema(t, out, err);
	if (status)
		return status;
	if (t->deadline_ms)
		js_key_int(out, "deadline_ms", t->deadline_ms);
	if (MT_HAS(t, preview) && t->preview)
		js_key_bool(out, "preview", true);
	js_key(out, "events");
	status = put_events(t, out, err);
	js_key_int(out, "hints", t->hints);
	strbuf_addc(out, '}');
	return status;
}

static const struct mt_tool *tool_at(const struct mt_toolset *set, size_t n)
{
	return (const struct mt_tool *)((const char *)set->tools + n * set->tools->size);
}

static int describe_toolset(const struct mt_component *c, struct strbuf *out,
			    struct error *err)
{
	const struct mt_toolset *set = c->functions;
	char who[96];
	int status;

	if (set->reserved)
		return fail(err, MT_EUNSUPPORTED,
			    "`%s` has a reserved member that is not 0; update mortise",
			    c->name);
	if (set->tool_count > TOOLS_MAX || (set->tool_count && !set->tools))
		return fail(err, MT_EINVAL,
			    "`%s` provides %u tools, but at most %d are allowed", c->name,
			    set->tool_count, TOOLS_MAX);
	if (set->tool_count == 0 && !set->list)
		return fail(err, MT_EINVAL, "`%s` provides no tool", c->name);
	snprintf(who, sizeof who, "tools of `%.64s` declare", c->name);
	status = set->tool_count
			 ? registry_check_size(who, set->tools->size, MT_TOOL_SIZE_1_0,
					       _Alignof(struct mt_tool), err)
			 : MT_OK;
	if (status)
		return status;
	strbuf_add(out, "{\"tools\":[");
	for (size_t i = 0; i < set->tool_count; i++) {
		if (i > 0)
			strbuf_addc(out, ',');
		status = describe_tool(set, tool_at(set, i), out, err);
		if (status)
			return status;
		for (size_t j = 0; j < i; j++)
			if (strcmp(tool_at(set, i)->name, tool_at(set, j)->name) == 0)
				return fail(err, MT_EINVAL,
					    "`%s` has two tools named `%s`", c->name,
					    tool_at(set, i)->name);
	}
	strbuf_addc(out, ']');
	js_key_bool(out, "dynamic", set->list != NULL);
	strbuf_addc(out, '}');
	return MT_OK;
}

/* ---- the other kinds ----------------------------------------------------------------
 */

/* A model is named PROVIDER/MODEL or PROVIDER:MODEL. */
static bool is_provider_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-.");

	return len > 0 && len < 64 && !name[len];
}

static int describe_dialect(const struct mt_component *c, struct strbuf *out,
			    struct error *err)
{
	const struct mt_dialect *d = c->functions;
	AUTO(json) json_object *providers = NULL;
	struct error why = ERROR_NONE;

	if (!d->providers || strnlen(d->providers, PLUGIN_TEXT_MAX) == PLUGIN_TEXT_MAX)
		return fail(err, MT_EINVAL, "dialect `%s` has no providers", c->name);
	providers = js_parse_object(d->providers, strlen(d->providers), &why);
	if (!providers)
		return fail(err, MT_EINVAL, "invalid providers of dialect `%s`: %s",
			    c->name, why.text);
	if (json_object_object_length(providers) == 0)
		return fail(err, MT_EINVAL, "dialect `%s` has no providers", c->name);
	json_object_object_foreach(providers, name, entry) {
		if (!is_provider_name(name) ||
		    !json_object_is_type(entry, json_type_object))
			return fail(
				err, MT_EINVAL,
				"invalid provider `%.80s` of dialect `%s`: a name of up "
				"to 63 of a-z, A-Z, 0-9, `_`, `-` and `.`, with an object",
				name, c->name);
	}
	strbuf_add(out, "{\"providers\":");
	js_put(out, providers);
	strbuf_addc(out, '}');
	return MT_OK;
}

static int describe_agent(const struct mt_component *c, struct strbuf *out,
			  struct error *err)
{
	const struct mt_agent *f = c->functions;
	const char *tools = MT_HAS(f, tools) ? f->tools : NULL;
	size_t len = tools ? strnlen(tools, PLUGIN_TEXT_MAX) : 0;

	if (len == PLUGIN_TEXT_MAX || !utf8_valid(tools ? tools : "", len))
		return fail(err, MT_EINVAL,
			    "tools of agent `%s` are not UTF-8 or longer than %d bytes",
			    c->name, PLUGIN_TEXT_MAX);
	strbuf_addc(out, '{');
	js_key_int(out, "flags", f->flags);
	if (tools)
		js_key_str(out, "tools", tools);
	strbuf_addc(out, '}');
	return MT_OK;
}

static void describe_condenser(const struct mt_condenser *f, struct strbuf *out)
{
	js_key_bool(out, "check", MT_HAS(f, check) && f->check);
}

static void describe_analyzer(const struct mt_analyzer *f, struct strbuf *out)
{
	js_key_int(out, "flags", f->flags);
	js_key_bool(out, "open", f->open != NULL);
	js_key_bool(out, "rules", f->rules != NULL);
}

/* @return the first function that the kind requires and the component lacks; NULL: none */
static const char *missing_function(const struct mt_component *c)
{
	const struct mt_agent *agent = c->functions;
	const struct mt_dialect *dialect = c->functions;

	switch ((enum mt_kind)c->kind) {
	case MT_KIND_TOOL:
		return NULL;
	case MT_KIND_AGENT:
		return !agent->system ? "system" : !agent->advance ? "advance" : NULL;
	case MT_KIND_CONDENSER:
		return ((const struct mt_condenser *)c->functions)->advance ? NULL
									    : "advance";
	case MT_KIND_DIALECT:
		return !dialect->encode ? "encode"
		       : !dialect->feed ? "feed"
		       : !dialect->end  ? "end"
					: NULL;
	case MT_KIND_RUNTIME:
		return ((const struct mt_runtime *)c->functions)->launch ? NULL
									 : "launch";
	case MT_KIND_ANALYZER:
		return ((const struct mt_analyzer *)c->functions)->advance ? NULL
									   : "advance";
	}
	return NULL;
}

static int describe_data(const struct mt_component *c, struct strbuf *out,
			 struct error *err)
{
	const char *missing = missing_function(c);

	if (missing)
		return fail(err, MT_EINVAL, "%s `%s` lacks the function `%s`",
			    kind_name(c->kind), c->name, missing);
	if (c->kind == MT_KIND_TOOL)
		return describe_toolset(c, out, err);
	if (c->kind == MT_KIND_DIALECT)
		return describe_dialect(c, out, err);
	if (c->kind == MT_KIND_AGENT)
		return describe_agent(c, out, err);
	strbuf_addc(out, '{');
	if (c->kind == MT_KIND_ANALYZER)
		describe_analyzer(c->functions, out);
	if (c->kind == MT_KIND_CONDENSER)
		describe_condenser(c->functions, out);
	strbuf_addc(out, '}');
	return MT_OK;
}

static int describe_component(const struct mt_component *c, struct strbuf *out,
			      struct error *err)
{
	const char *summary = c->summary ? c->summary : "";
	int status;

	if (strnlen(summary, 1024) == 1024)
		return fail(err, MT_EINVAL, "summary of `%s` is longer than 1023 bytes",
			    c->name);
	strbuf_addc(out, '{');
	js_key_str(out, "kind", kind_name(c->kind));
	js_key_str(out, "name", c->name);
	js_key_str(out, "summary", summary);
	js_key_int(out, "major", c->version_major);
	js_key_int(out, "minor", c->version_minor);
	js_key(out, "options");
	status = describe_options(c, out, err);
	if (status)
		return status;
	js_key(out, "data");
	status = describe_data(c, out, err);
	strbuf_addc(out, '}');
	return status;
}

/* Add a component that requires an older or newer mortise to the refused ones. */
static void put_refused(const struct mt_component *c, const struct error *why,
			struct strbuf *refused)
{
	strbuf_add(refused, refused->len ? ",{" : "{");
	js_key_str(refused, "kind", kind_name(c->kind));
	js_key_str(refused, "name", c->name);
	js_key_str(refused, "reason", why->text);
	strbuf_addc(refused, '}');
}

static int check_unique(const struct mt_plugin *p, size_t n, struct error *err)
{
	const struct mt_component *c = component_at(p, n);

	for (size_t i = 0; i < n; i++)
		if (component_at(p, i)->kind == c->kind &&
		    strcmp(component_at(p, i)->name, c->name) == 0)
			return fail(err, MT_EINVAL, "provides the %s `%s` twice",
				    kind_name(c->kind), c->name);
	return MT_OK;
}

/* Add each component to `out` or `refused`. A plugin without usable components is refused
 * with the reason of its first component. */
static int describe_components(const struct mt_plugin *p, struct strbuf *out,
			       struct strbuf *refused, struct error *err)
{
	struct error first = ERROR_NONE;
	size_t good = 0;

	for (size_t i = 0; i < p->component_count; i++) {
		const struct mt_component *c = component_at(p, i);
		struct error why = ERROR_NONE;
		int status = component_check(c, &why);

		if (status == MT_EUNSUPPORTED) {
			put_refused(c, &why, refused);
			fail(&first, status, "%s", why.text);
			continue;
		}
		if (!status && good++)
			strbuf_addc(out, ',');
		if (!status)
			status = describe_component(c, out, &why);
		if (!status)
			status = check_unique(p, i, &why);
		if (status)
			return fail(err, status, "%s", why.text);
	}
	return good ? MT_OK : fail(err, first.code, "%s", first.text);
}

/* The plugin's text for the user; only this draft extension is requested from plugins. */
static int put_about(const struct mt_plugin *p, struct strbuf *out, struct error *err)
{
	const struct mt_about_draft_1 *about =
		p->extension ? p->extension(MT_ABOUT_DRAFT_1) : NULL;

	if (!about)
		return MT_OK;
	if (!MT_HAS(about, text) || !about->text ||
	    strnlen(about->text, ABOUT_MAX) == ABOUT_MAX ||
	    !utf8_valid(about->text, strlen(about->text)))
		return fail(err, MT_EINVAL,
			    "the text of " MT_ABOUT_DRAFT_1
			    " is missing, not UTF-8 or longer than %d bytes",
			    ABOUT_MAX - 1);
	js_key_str(out, "about", about->text);
	return MT_OK;
}

int registry_describe(const struct mt_plugin *p, struct strbuf *out, struct error *err)
{
	AUTO(strbuf) struct strbuf refused = STRBUF(DESCRIPTION_MAX);
	int status;

	strbuf_addc(out, '{');
	js_key_str(out, "name", p->name);
	js_key_str(out, "version", p->version);
	js_key_str(out, "license", p->license);
	put_optional(out, "id", p->id);
	put_optional(out, "vendor", p->vendor);
	put_optional(out, "url", p->url);
	status = put_about(p, out, err);
	if (!status)
		status = registry_describe_permissions(p, out, err);
	if (status)
		return status;
	js_key(out, "components");
	strbuf_addc(out, '[');
	status = describe_components(p, out, &refused, err);
	if (status)
		return status;
	strbuf_addc(out, ']');
	if (refused.len)
		strbuf_addf(out, ",\"refusals\":[%s]", refused.text);
	strbuf_addc(out, '}');
	if (out->error)
		return fail(err, out->error, "its description is larger than %d bytes",
			    DESCRIPTION_MAX);
	return MT_OK;
}
