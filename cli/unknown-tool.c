/* SPDX-License-Identifier: MIT
 *
 * unknown-tool.c - explains why a tool that the user named is not available. */
#include "unknown-tool.h"

#include "auto.h"
#include "js.h"
#include "options.h"

#include <mortise/tool.h>
#include <stdlib.h>
#include <string.h>

/* The item to add to `tools`: the name of the tool if it is offered only on request. */
static const char *unknown_tool_item(const struct component *toolset, const char *name)
{
	json_object *tools = js_get(component_data(toolset), "tools");

	for (size_t i = 0; i < js_length(tools); i++) {
		json_object *tool = json_object_array_get_idx(tools, i);

		if (strcmp(js_str(tool, "name", ""), name) == 0 &&
		    js_int(tool, "hints", 0) & MT_TOOL_ON_REQUEST)
			return name;
	}
	return toolset->name;
}

static int unknown_tool_names(const struct catalog *catalog, const char *name,
			      struct error *err)
{
	AUTO(free) const char **names = calloc(catalog->count + 1, sizeof *names);
	AUTO(strbuf) struct strbuf known = STRBUF(64 << 10);
	const char *near;

	if (!names)
		return out_of_memory(err);
	for (size_t i = 0; i < catalog->count; i++) {
		names[i] = catalog->tools[i].name;
		strbuf_addf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	near = option_suggest(name, names, catalog->count);
	if (near)
		return fail(err, MT_ENOTFOUND, "unknown tool `%.80s`; did you mean `%s`?",
			    name, near);
	return fail(err, MT_ENOTFOUND, "unknown tool `%.80s`; use one of %s", name,
		    known.len ? known.text : "those that `tools` enables");
}

int unknown_tool(const struct registry *r, const struct catalog *catalog,
		 const char *name, struct error *err)
{
	const struct component *toolset = registry_find_toolset(r, name);

	if (!toolset)
		return unknown_tool_names(catalog, name, err);
	return fail(err, MT_ENOTFOUND,
		    "tool %s of `%s` is not enabled; use `-o "
		    "controller.tools+=%s` or --all",
		    name, toolset->name, unknown_tool_item(toolset, name));
}
