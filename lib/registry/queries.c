/* SPDX-License-Identifier: MIT
 *
 * queries.c - finds components in a registry, and reports those that it lacks. */
#include "registry/internal.h"

#include <string.h>

const struct component *registry_any(const struct registry *r, size_t n)
{
	return n < r->component_count ? &r->components[n] : NULL;
}

static bool queries_has_tool(const struct component *c, const char *name)
{
	json_object *tools;

	/* The text is parsed only if it contains the name, which needs no escapes. */
	if (json_object_is_type(c->data_described, json_type_string) &&
	    !strstr(json_object_get_string(c->data_described), name))
		return false;
	tools = js_get(component_data(c), "tools");
	for (size_t i = 0; tools && i < json_object_array_length(tools); i++)
		if (strcmp(js_str(json_object_array_get_idx(tools, i), "name", ""),
			   name) == 0)
			return true;
	return false;
}

const struct component *registry_find_toolset(const struct registry *r, const char *tool)
{
	const struct component *found = NULL;

	for (size_t i = 0; i < r->named_count; i++) {
		const struct component *c = &r->components[i];

		if (c->kind != MT_KIND_TOOL || !queries_has_tool(c, tool))
			continue;
		if (component_is_own(c))
			return c;
		found = found ? found : c;
	}
	return found;
}

const struct component *registry_at(const struct registry *r, size_t n)
{
	return n < r->named_count ? &r->components[n] : NULL;
}

const struct refusal *registry_refusal(const struct registry *r, size_t n)
{
	return n < r->refusal_count ? &r->refusals[n] : NULL;
}

/* The refusal of a directory that may contain the component. */
static const struct refusal *refused_dir(const struct registry *r)
{
	for (size_t i = 0; i < r->refusal_count; i++) {
		size_t len = strlen(r->refusals[i].path);

		if (len < 3 || strcmp(r->refusals[i].path + len - 3, ".so") != 0)
			return &r->refusals[i];
	}
	return NULL;
}

/* The names of a kind, in order; `*ret_count`: their number. NULL: out of memory. */
static const char **names_of_kind(const struct registry *r, int kind, size_t *ret_count)
{
	const char **names = calloc(r->component_count + 1, sizeof *names);

	*ret_count = 0;
	for (size_t i = 0; names && i < r->component_count; i++)
		if (r->components[i].kind == kind)
			names[(*ret_count)++] = r->components[i].name;
	return names;
}

/* Name the component that was probably meant, or all that there are if they are few. */
static void fail_unknown(const struct registry *r, int kind, const char *name,
			 struct error *err)
{
	enum { FEW = 12 };
	size_t count;
	AUTO(free) const char **names = names_of_kind(r, kind, &count);
	AUTO(strbuf) struct strbuf list = STRBUF(4096);
	const struct refusal *refusal = refused_dir(r);
	const char *near = names ? option_suggest(name, names, count) : NULL;

	for (size_t i = 0; count <= FEW && i < count; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	if (near)
		fail(err, MT_ENOTFOUND, "unknown %s `%.80s`; did you mean `%s`?",
		     kind_name(kind), name, near);
	else if (refusal)
		fail(err, MT_ENOTFOUND, "unknown %s `%.80s` (%s was not loaded: %s)",
		     kind_name(kind), name, refusal->path, refusal->reason);
	else if (list.len && !list.error)
		fail(err, MT_ENOTFOUND, "unknown %s `%.80s`; use %s%s", kind_name(kind),
		     name, count > 1 ? "one of " : "", list.text);
	else
		fail(err, MT_ENOTFOUND,
		     "unknown %s `%.80s`; `mortise plugins` lists the installed ones",
		     kind_name(kind), name);
}

const struct component *registry_need(const struct registry *r, int kind,
				      const char *name, struct error *err)
{
	const struct component *c = registry_find(r, kind, name);
	const struct refusal *refusal = c ? NULL : registry_refused(r, kind, name);

	if (refusal)
		fail(err, MT_EINVAL, "%s `%s` was rejected: %s: %s", kind_name(kind),
		     name, refusal->path, refusal->reason);
	else if (!c)
		fail_unknown(r, kind, name, err);
	return c;
}
