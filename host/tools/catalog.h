/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the tools that a controller wires: which instances of which
 * toolsets, which tools are offered under which name, in which order.
 *
 * Everything comes from the discovery cache; no tool plugin is loaded here. */
#ifndef HOST_TOOLS_CATALOG_H
#define HOST_TOOLS_CATALOG_H

#include "registry/registry.h"
#include "tools/link.h"

/** A tool as it is offered. Texts borrowed from the registry. */
struct tool {
	const char *name, *description, *schema; /* schema as JSON text */
	const char *brief;       /* the description, short; "" if there is none */
	json_object *schema_json;
	json_object *events;     /* array of mappings, or NULL */
	const char *resources;   /* or NULL */
	unsigned hints;          /* MT_TOOL_READ_ONLY ... */
	size_t instance;         /* place in the catalog's instances */
};

struct tool_instance {
	char *name;
	const struct component *component;
	json_object *options;    /* {key: "value"} as set by the user */
	char **secrets;          /* granted names, NULL-terminated */
	int64_t deadline_ms;     /* of a call that names no time-out */
};

struct catalog {
	struct tool *tools;
	size_t count;
	struct tool_instance *instances;
	size_t instance_count;
	bool reads_risk;         /* calls state their `security_risk` */
};

/** Resolve a list ("bash, editor, think"). An item is a section [tool.X], or a
 *  toolset of that name, or one tool of an installed toolset. Two tools of one
 *  name are an error that names both. */
int catalog_open(const struct config *c, const struct registry *r, const char *list,
		 struct catalog *ret, struct error *err);
void catalog_clear(struct catalog *catalog);
const struct tool *catalog_find(const struct catalog *catalog, const char *name);
/** Unknown tool: a sentence for the model that lists what is there. */
int catalog_unknown(const struct catalog *catalog, const char *name, const char *args,
		    struct error *err);

#endif
