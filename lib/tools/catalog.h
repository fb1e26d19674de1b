/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the tools that a controller wires: which instances of which
 * toolsets, which tools are offered under which name, in which order.
 *
 * Everything comes from the discovery cache; no tool plugin is loaded here. What
 * a toolset says only when it runs is taken from its last run, until it runs. */
#ifndef LIB_TOOLS_CATALOG_H
#define LIB_TOOLS_CATALOG_H

#include "registry/registry.h"
#include "runner-client/runner-connection.h"

/** An offered tool. Texts borrowed from the registry. */
struct tool {
	const char *name, *description, *schema; /* schema as JSON text */
	const char *title;       /* for people; "" if there is none */
	int64_t deadline_ms;     /* by its own word; 0: it says nothing */
	bool previews;           /* can say what a call would do */
	const char *real;        /* its name in its toolset, mostly the same */
	const char *brief;       /* the description, short; "" if there is none */
	json_object *schema_json, *output_schema; /* the latter may be NULL */
	json_object *events;     /* array of mappings, or NULL */
	unsigned hints;          /* MT_TOOL_READ_ONLY ... */
	bool trusted;            /* they can be relied on: see tool_instance */
	size_t instance;         /* place in the catalog's instances */
};

/** Is it read-only? Its own declaration is used only if it is trusted. */
bool tool_only_reads(const struct tool *t);
/** True for a trusted tool some of whose calls only read a file, such as an editor. */
bool tool_may_read(const struct tool *t);

struct tool_instance {
	char *name;              /* unique; of a server whose name a toolset has: mcp.NAME */
	const char *title;       /* as the user named it; points into `name` */
	const struct component *component;
	json_object *options;    /* {key: "value"} as set by the user */
	char **secrets;          /* granted names, NULL-terminated */
	int64_t deadline_ms;     /* of a call that names no time-out */
	bool deadline_set;       /* by the user, so that it overrides the tool's own */
	bool dynamic;            /* makes (more of) its list when it runs */
	bool server;             /* is [mcp.NAME] */
	bool trusted;            /* it comes with Mortise, or the user trusts its hints */
	bool alone;              /* in a worker of its own */
	json_object *listed;     /* what it listed, now or the last time; or NULL */
	json_object *arrived;    /* what it lists now, not yet offered; or NULL */
	bool lists;              /* it has listed, since the catalog was opened */
	bool answered;           /* it has listed, or failed to */
	char *said;              /* what it complained of since; or NULL */
};

struct catalog {
	struct tool *tools;
	size_t count, static_count;
	char **own_names;        /* that were made for tools of the same name */
	size_t own_count, static_own;
	struct tool_instance *instances;
	size_t instance_count;
	bool reads_risk;         /* calls state their `security_risk` */
	bool read_only;          /* offers only the read-only ones of listed tools */
	/* Tools that are not offered now. NULL: all are. */
	bool (*hides)(const void *arg, const struct tool *tool);
	const void *hides_arg;
};

/** Resolve a list ("bash, editor, think"). An item is a section [tool.X], or a
 *  toolset of that name, a section [mcp.X], or one tool of an installed toolset;
 *  `mcp` is every MCP server that is configured, `mcp.X` the server X whatever
 *  toolset has its name. Two tools of one name are an
 *  error that names both; a tool that a running toolset listed, or of a further
 *  instance of the same toolset, has the name of its instance before its own then. */
int catalog_open(const struct config *c, const struct registry *r, const char *list,
		 struct catalog *ret, struct error *err);
void catalog_clear(struct catalog *catalog);
/** An instance has listed its tools. They are stored for the next run, and take effect
 *  with catalog_renew. NULL: it failed, and the known tools stay. */
void catalog_arrived(const struct catalog *catalog, const char *instance,
		     json_object *tools);
/** Does any instance have unknown tools, because it has never listed them? */
bool catalog_is_awaited(const struct catalog *catalog);
/** Add the tool that searches for others, if it is installed: with MCP servers there may
 *  be many tools. */
int catalog_add_finder(struct catalog *catalog, const struct config *c,
		       const struct registry *r, struct error *err);
/** An instance complained of something. */
void catalog_said(const struct catalog *catalog, const char *instance, const char *text);
/** Restrict it to a read-only agent. */
void catalog_read_only(struct catalog *catalog);
/** Offer the listed tools. This invalidates every struct tool.
 *  @return true if something changed. */
bool catalog_renew(struct catalog *catalog);
const struct tool *catalog_find(const struct catalog *catalog, const char *name);
/** Is the tool not offered now? */
bool catalog_hides(const struct catalog *catalog, const struct tool *t);
/** Unknown tool: a sentence for the model that lists the ones that are offered. */
int catalog_unknown(const struct catalog *catalog, const char *name, const char *args,
		    struct error *err);

#endif
