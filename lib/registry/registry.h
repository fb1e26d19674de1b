/* SPDX-License-Identifier: MIT
 *
 * registry.h - finds the installed plugins and loads the enabled ones.
 *
 * Discovery runs the code of plugins only in a confined child process. Results are cached
 * by path, size, mtime, inode, and ABI, with the reason of each refusal. Plugins are
 * never unloaded. */
#ifndef LIB_REGISTRY_REGISTRY_H
#define LIB_REGISTRY_REGISTRY_H

#include "config/config.h"
#include <mortise/plugin.h>

struct registry;

/** A component as described by discovery, without loading its plugin. */
struct component {
	int kind;                   /* enum mt_kind */
	const char *name, *summary;
	const char *plugin;         /* name of its plugin */
	const char *path;           /* of the .so */
	const char *version, *license;
	const char *id, *vendor, *url; /* of its plugin; "": none */
	const char *about;          /* text of its plugin for the user; "": none */
	json_object *permissions;   /* [{kind, what, why}], or NULL */
	json_object *libraries;     /* paths of those that its plugin loads, or NULL */
	uint16_t version_major, version_minor; /* of the kind */
	char *unique;               /* id of its plugin, or else the path; of a plugin with
	                               several components with /NAME after it */
	char *key;                  /* of the file when it was probed */
	int8_t own;                 /* of component_is_own: 1, -1, or 0: not known */
	/* The cache stores these two as text, most of which is never used: */
	json_object *options_described, *data_described;
	struct mt_option *options;  /* set by component_options. Owned */
	size_t option_count;
	json_object *data;          /* parsed by component_data. Owned */
};

/** Parse the options and the data of a component.
 *  @return MT_OK, MT_ENOMEM, or MT_EINVAL if its description in the cache is damaged */
int component_load(const struct component *c, struct error *err);
/** The table of its options, parsed on first use. Borrowed. NULL, with a count of 0:
 *  none, or it cannot be parsed. */
const struct mt_option *component_options(const struct component *c, size_t *ret_count);
/** config_section with the table of this component. */
int component_section(const struct config *config, const char *section,
		      const struct component *c, json_object **ret, struct error *err);

/** The part of the description that depends on the kind. Borrowed.
 *      tool: {"tools": [{name, description, brief, schema (object), events (array or
 *          null), hints, title, output_schema, deadline_ms}], "dynamic": bool}
 *      dialect: {"providers": {...}}
 *      agent: {"flags": N, "tools": text or absent}
 *      condenser: {"check": bool}
 *      analyzer: {"flags": N, "open": bool, "rules": bool}
 *  It is parsed on first use. @return NULL if it cannot be parsed: out of memory, or the
 *  cache is damaged */
json_object *component_data(const struct component *c);

struct refusal {
	const char *path;
	const char *reason;         /* one sentence */
	const char *name;           /* of the component; NULL: the whole file */
	int kind;                   /* of the component; 0: unknown */
};

/** Scan all plugin directories: [core] plugin_path, ~/.local/lib/mortise/plugins,
 *  /usr/local/lib/mortise/plugins, PLUGIN_DIR (without the last three if the variable
 *  MORTISE_BUILTIN_PLUGINS is "no"). Only files that are not in the cache are run, in a
 *  child. Items that only files of removed packages enable are removed from `c`
 *  (config_drop_leftovers). */
int registry_open(struct config *c, struct registry **ret, struct error *err);
struct registry *registry_free(struct registry *r);
AUTO_DEFINE(registry, struct registry *, registry_free)

/** Probe a file outside the plugin path in a child and add its components. They are found
 *  by registry_any and by `unique`. */
int registry_add_file(struct registry *r, const char *path, struct error *err);

/** Find a component by its short name, or by the ID or path of its plugin, with /NAME
 *  appended if the plugin has several. If several components have a short name, it refers
 *  to one that is part of Mortise, or else to the first. */
const struct component *registry_find(const struct registry *r, int kind,
				      const char *name);
/** The toolset that has a tool of this name: one that is part of Mortise, or else the
 *  first. NULL: none. */
const struct component *registry_find_toolset(const struct registry *r, const char *tool);
/** The entry of a model provider, and the dialect that serves it unless the configuration
 *  names another: one that is part of Mortise, or else the first. NULL: none. */
json_object *registry_find_provider(const struct registry *r, const char *name,
				    const struct component **ret_dialect);
/** The providers of the next dialect, starting at *n; NULL past the last. */
json_object *registry_next_providers(const struct registry *r, size_t *n,
				     const struct component **ret_dialect);
/** The reference to this component in a configuration: its name, or `unique` if the name
 *  refers to another one. */
const char *component_reference(const struct registry *r, const struct component *c);
/** The first refusal of a component of this name and kind (0: any kind), or of the file
 *  NAME.so. NULL: none. */
const struct refusal *registry_refused(const struct registry *r, int kind,
				       const char *name);
/** Like registry_find, but fails with a sentence: unknown (with a suggestion), or refused
 *  and why. */
const struct component *registry_need(const struct registry *r, int kind,
				      const char *name, struct error *err);
/** True if the component is part of this installation, or of the tree in which this
 *  program, a test, or a benchmark was built. */
bool component_is_own(const struct component *c);
/** Effective option of a component with the given settings, {key: "value"}; NULL:
 *  unset. */
const char *component_option(const struct component *c, json_object *set,
			     const char *name);
int64_t component_option_int(const struct component *c, json_object *set,
			     const char *name);
/** The description of the option, or NULL. Borrowed. */
const struct mt_option *component_find_option(const struct component *c,
					      const char *name);
/** The components that short names refer to, in the order of the path. */
const struct component *registry_at(const struct registry *r, size_t n);
/** The same, followed by those whose short names refer to others. */
const struct component *registry_any(const struct registry *r, size_t n);
const struct refusal *registry_refusal(const struct registry *r, size_t n);
/** Load the plugin into this process and return the functions of the component (struct
 *  mt_agent, ...). Not for tools. */
const void *registry_load(struct registry *r, const struct component *c,
			  struct error *err);

const char *kind_name(int kind); /* "tool" */
int kind_find(const char *name); /* 0: none */

/** Probe one file in a child, as discovery does; returns the description as JSON.
 *  @return MT_OK, or the status and reason of the refusal. */
int registry_probe(const char *path, json_object **ret, struct error *err);
/** Preload a library in all later children: the runtime of the sanitizer with which
 *  plugins are built. @return MT_ENOMEM */
int registry_probe_preload(const char *library);
/** Run in the child: writes the description to descriptor `out`; used by the hidden
 *  command `mortise plugin-probe FILE`. */
int registry_probe_child(const char *path, int out);

#endif
