/* SPDX-License-Identifier: MIT
 *
 * registry.h - what plugins are there, and loading the ones that are wired.
 *
 * Discovery runs the plugins' code in a confined child only and is cached by
 * path, size, mtime, inode and ABI, with the reason of every refusal. Nothing
 * is ever unloaded. */
#ifndef LIB_REGISTRY_REGISTRY_H
#define LIB_REGISTRY_REGISTRY_H

#include "config/config.h"
#include <mortise/plugin.h>

struct registry;

/** A component as discovery saw it: everything without loading the plugin. */
struct component {
	int kind;                   /* enum mt_kind */
	const char *name, *summary;
	const char *plugin;         /* name of its plugin */
	const char *path;           /* of the .so */
	const char *version, *license;
	const char *id, *vendor, *url; /* of its plugin; "": none */
	const char *about;          /* text of its plugin for the user; "": none */
	json_object *permissions;   /* [{kind, what, why}], or NULL */
	uint16_t version_major, version_minor; /* of the kind */
	char *unique;               /* id of its plugin, or else the path; of a plugin with
	                               several components with /NAME after it */
	char *key;                  /* of the file when it was looked at */
	int8_t own;                 /* of component_is_own: 1, -1, or 0: not asked yet */
	/* The cache stores these two as text, most of which is never asked for: */
	json_object *options_described, *data_described;
	struct mt_option *options;  /* once component_options was asked for. Owned */
	size_t option_count;
	json_object *data;          /* of the text, once component_data was asked. Owned */
};

/** The table of its options, parsed when it is first asked for. Borrowed.
 *  NULL, with a count of 0: it has none, or memory ran out. */
const struct mt_option *component_options(const struct component *c, size_t *ret_count);
/** config_section with the table of this component. */
int component_section(const struct config *config, const char *section,
		      const struct component *c, json_object **ret, struct error *err);

/** What the description says by kind. Borrowed.
 *      tool: {"tools": [{name, description, brief, schema (object), events (array or
 *          null), hints, title, output_schema, deadline_ms}], "dynamic": bool}
 *      dialect: {"providers": {...}}
 *      agent: {"flags": N, "tools": text or absent}
 *      condenser: {"check": bool}
 *      analyzer: {"flags": N, "open": bool, "rules": bool}
 *  It is parsed when it is first asked for. @return NULL only if memory ran out */
json_object *component_data(const struct component *c);

struct refusal {
	const char *path;
	const char *reason;         /* one sentence */
};

/** Look at every plugin directory: [core] plugin_path, ~/.local/lib/mortise/plugins,
 *  /usr/local/lib/mortise/plugins, PLUGIN_DIR (the last three not if the
 *  variable MORTISE_BUILTIN_PLUGINS is "no"). Only files that
 *  the cache does not know are run, in a child. What only files of removed packages
 *  wire is removed from `c` (config_drop_leftovers). */
int registry_open(struct config *c, struct registry **ret, struct error *err);
struct registry *registry_free(struct registry *r);
AUTO_DEFINE(registry, struct registry *, registry_free)

/** Add the components of a file that is not in the plugin path, after a look at it in a
 *  child. They are found by registry_any, and by `unique`. */
int registry_add_file(struct registry *r, const char *path, struct error *err);

/** The component of a short name, or of the id or path of its plugin, with /NAME after
 *  that where the plugin has several. Of components with one short name the name means
 *  one that comes with Mortise, or else the first. */
const struct component *registry_find(const struct registry *r, int kind,
				      const char *name);
/** The first toolset that has a tool of this name. NULL: none. */
const struct component *registry_find_toolset(const struct registry *r, const char *tool);
/** What to write into a configuration to get this component: its name, or `unique` where
 *  the name means another one. */
const char *component_reference(const struct registry *r, const struct component *c);
/** The refusal of the first file NAME.so that was refused. NULL: none. */
const struct refusal *registry_refused(const struct registry *r, const char *name);
/** As registry_find, but failing with a sentence: unknown (with a suggestion),
 *  or refused and why. */
const struct component *registry_need(const struct registry *r, int kind,
				      const char *name, struct error *err);
/** Does it come with this installation, or with the tree that this program, a test or
 *  a bench was built in? */
bool component_is_own(const struct component *c);
/** Effective option of a component with these settings, {key: "value"}; NULL: unset. */
const char *component_option(const struct component *c, json_object *set,
			     const char *name);
int64_t component_option_int(const struct component *c, json_object *set,
			     const char *name);
/** The option itself, or NULL. Borrowed. */
const struct mt_option *component_find_option(const struct component *c,
					      const char *name);
/** The components that are found by their short names, in the order of the path. */
const struct component *registry_at(const struct registry *r, size_t n);
/** The same, and after them those whose short names mean others. */
const struct component *registry_any(const struct registry *r, size_t n);
const struct refusal *registry_refusal(const struct registry *r, size_t n);
/** Load the plugin into this process and return the functions of the component
 *  (struct mt_agent, ...). Never for tools. */
const void *registry_load(struct registry *r, const struct component *c,
			  struct error *err);

const char *kind_name(int kind); /* "tool" */
int kind_find(const char *name); /* 0: none */

/** Look at one file in a child, as discovery does; the description as JSON.
 *  @return MT_OK, or the status and reason of the refusal. */
int registry_probe(const char *path, json_object **ret, struct error *err);
/** Preload a library in every child from now on: the runtime of a sanitizer that plugins
 *  are built with. @return MT_ENOMEM */
int registry_probe_preload(const char *library);
/** The child itself: writes the description to descriptor `out`; used by the
 *  hidden command `mortise plugin-probe FILE`. */
int registry_probe_child(const char *path, int out);

#endif
