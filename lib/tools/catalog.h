/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the tools of a controller: the instances of its toolsets, and the names and
 * order of the offered tools.
 *
 * All data is from the discovery cache; no tool plugin is loaded here. A list that a
 * toolset provides only at run time is read from its last run until it runs again. */
#ifndef LIB_TOOLS_CATALOG_H
#define LIB_TOOLS_CATALOG_H

#include "registry/registry.h"
#include "runner-client/runner-connection.h"
#include "tools/tool-instance.h"

/** An offered tool. Strings are borrowed from the registry. */
struct tool {
	const char *name, *description, *schema; /* schema as JSON text */
	const char *title;       /* for display; "" if there is none */
	int64_t deadline_ms;     /* declared by the tool; 0: none */
	bool previews;           /* can preview the effect of a call */
	const char *real;        /* its name in its toolset, usually the same */
	const char *brief;       /* short description; "" if there is none */
	json_object *schema_json, *output_schema; /* the latter may be NULL */
	json_object *events;     /* array of mappings, or NULL */
	unsigned hints;          /* MT_TOOL_READ_ONLY ... */
	bool trusted;            /* the hints are trusted: see tool_instance */
	size_t instance;         /* index in the catalog's instances */
};

/** True if the tool is read-only. Its own declaration counts only if it is trusted. */
bool tool_only_reads(const struct tool *t);
/** True for a trusted tool that has read-only calls, such as an editor. */
bool tool_may_read(const struct tool *t);

struct catalog {
	struct tool *tools;
	size_t count, static_count;
	char **own_names;        /* created for tools with equal names */
	size_t own_count, static_own;
	struct tool_instance *instances;
	size_t instance_count;
	bool reads_risk;         /* calls state their `security_risk` */
	bool read_only;          /* of listed tools, offers only the read-only ones */
	/* True for a tool that is not offered now. NULL: all tools are offered. */
	bool (*hides)(const void *arg, const struct tool *tool);
	const void *hides_arg;
};

/** Resolve a list ("bash, editor, think"). An item is a section [tool.X], a toolset of
 *  that name, a section [mcp.X], or one tool of an installed toolset. `mcp` selects all
 *  configured MCP servers; `mcp.X` selects the server X even if a toolset has its name.
 *  Two tools with one name are an error that names both, except for tools that a toolset
 *  listed at run time or of another instance of the same toolset: their names get the
 *  name of their instance as a prefix. */
int catalog_open(const struct config *c, const struct registry *r, const char *list,
		 struct catalog *ret, struct error *err);
void catalog_clear(struct catalog *catalog);
/** Record the tools that an instance has listed, for catalog_renew and for the next run.
 *  NULL: listing failed, and the known tools stay. */
void catalog_arrived(const struct catalog *catalog, const char *instance,
		     json_object *tools);
/** True if the tools of an instance are unknown because it has never listed them. */
bool catalog_is_awaited(const struct catalog *catalog);
/** Add the tool that searches for others, if it is installed: MCP servers can provide
 *  many tools. */
int catalog_add_finder(struct catalog *catalog, const struct config *c,
		       const struct registry *r, struct error *err);
/** Record the last error message of a server. */
void catalog_said(const struct catalog *catalog, const char *instance, const char *text);
/** Restrict the catalog to a read-only agent. */
void catalog_read_only(struct catalog *catalog);
/** Offer the listed tools. This invalidates every struct tool. @return true if the
 *  offered tools changed. */
bool catalog_renew(struct catalog *catalog);
const struct tool *catalog_find(const struct catalog *catalog, const char *name);
/** True if the tool is not offered now. */
bool catalog_hides(const struct catalog *catalog, const struct tool *t);
/** Unknown tool: put a sentence for the model that lists the offered tools. */
int catalog_unknown(const struct catalog *catalog, const char *name, const char *args,
		    struct error *err);

#endif
