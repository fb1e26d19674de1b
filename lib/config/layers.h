/* SPDX-License-Identifier: MIT
 *
 * layers.h - internal to lib/config. */
#ifndef LIB_CONFIG_LAYERS_H
#define LIB_CONFIG_LAYERS_H

#include "config/config.h"

enum layer {
	LAYER_BUILTIN,
	LAYER_SYSTEM,
	LAYER_USER,
	LAYER_PROJECT,
	LAYER_ENV,
	LAYER_COMMAND,
	LAYER_ENFORCED
};

enum { NAME_MAX_LEN = 63, GLOB_MAX_LEN = 120, SETTINGS_MAX = 8192, FAULTS_MAX = 100 };

/** Sections of one type: [llm] and [llm.NAME] are the family "llm". */
struct family {
	const char *name;
	bool plain, named;      /* [x] and [x.NAME] are allowed */
	bool plugin;            /* configures a plugin: its table is known later */
	bool project;           /* a project may have such sections */
	bool glob;              /* its names are globs that match models */
	bool current;           /* a resumed conversation uses the current settings, not
				   those with which it was started */
	const struct mt_option *table;
	size_t count;
};

/** One assignment in a layer. */
struct setting {
	char *section, *key, *value, *origin;
	char op; /* '=', '+' or '-' */
	enum layer layer;
};

/** The effective value of a key that was set. */
struct value {
	const char *section, *key; /* borrowed from a setting */
	char *text;
	const struct setting *last;
};

struct config {
	struct setting *settings;
	size_t setting_count, setting_room;
	struct value *values;
	size_t value_count;
	char **sections; /* sections of all layers, each once */
	size_t section_count, section_room;
	char *untrusted;
	bool pinned; /* files and environment do not define agents */
	const struct config_input *in; /* while it is loaded; else NULL */
	size_t fault_count;
	config_tables_fn *tables;
	void *tables_arg;
};

/* tables.c */
const struct family *config_family_of(const char *section, const char **ret_name);
const struct family *config_family_at(size_t n);
bool config_project_may_set(const struct family *f, const char *key);
bool config_name_valid(const char *name, size_t len, bool dots);
bool config_glob_valid(const char *name, size_t len);
/** The text after which a value of this option is a path; NULL: none. */
const char *config_path_prefix(const struct family *f, const char *key);

/* settings.c */

/** Check the name of a section, and create it unless it exists. */
int config_open_section(struct config *c, const char *section, const char *origin,
			enum layer layer, struct error *err);
/** Check an assignment and add it. Paths in `value` are relative to the directory of
 *  `file`; NULL: to the current directory. */
int config_add_setting(struct config *c, const char *section, const char *key, char op,
		       const char *value, const char *file, const char *origin,
		       enum layer layer, struct error *err);
/** Add a copy of a setting of another configuration. */
int config_copy_setting(struct config *c, const struct setting *from, struct error *err);
/** An error that does not keep the rest from being checked.
 *  @return MT_OK if it was reported to `on_fault` of the input, else `why` as `err`. */
int config_fault(struct config *c, const struct error *why, struct error *err);

/* layers.c */

/** Apply the text of a file; `path` is used in messages and origins. */
int config_apply_text(struct config *c, const char *path, const char *text, size_t len,
		      enum layer layer, struct error *err);

/** Apply "section.key=value" or "section.key+=value". */
int config_apply_override(struct config *c, const char *text, struct error *err);

/* values.c */
int values_resolve(struct config *c, struct error *err);
const struct value *value_find(const struct config *c, const char *section,
			       const char *key);
/** The section that `section` inherits from, or NULL. */
const char *config_section_parent(const struct config *c, const char *section);
/** The text of a list after `op` is applied with the items of `change`. NULL: out of
 *  memory. */
char *config_list_change(const char *list, char op, const char *change);

/* trust.c */
int trust_check(const char *path, const char *text, size_t len, bool *ret_trusted,
		struct error *err);

#endif
