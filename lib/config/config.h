/* SPDX-License-Identifier: MIT
 *
 * config.h (lib/config) - effective settings from the INI layers, and the origin of each.
 *
 * Later layers override earlier ones: built-in defaults, /etc/mortise/mortise.ini,
 * /etc/mortise/conf.d/ *.ini, $XDG_CONFIG_HOME/mortise/mortise.ini,
 * .mortise/mortise.ini of a trusted project, MORTISE_SECTION_KEY (of a named section
 * MORTISE_SECTION__NAME__KEY), -o section.key=value, and /etc/mortise/enforced.ini.
 * tables.c lists the sections; most may be named ([llm.cheap]). */
#ifndef LIB_CONFIG_CONFIG_H
#define LIB_CONFIG_CONFIG_H

#include "error.h"
#include "mask.h"
#include "options.h"

struct config;

struct config_input {
	const char *const *overrides;  /* "section.key=value" of -o, in order */
	size_t override_count;
	const char *workspace;         /* its .mortise/mortise.ini is read if trusted */
	bool trust;                    /* read it even if untrusted, to check it */
	const char *file;              /* --config: replaces the user's file; or NULL */
	bool pinned;                   /* the overrides define agents completely: files
					  and environment apply to [core] and [grant.*]
					  only */
	/* Called for each error; then loading continues and fails at the end. NULL: the
	 * first error ends it. */
	void (*on_fault)(void *arg, const struct error *fault);
	void *on_fault_arg;
};

/** Read all layers. config_section checks plugin options later, when their table is
 *  known; everything else is checked here. */
int config_load(const struct config_input *in, struct config **ret, struct error *err);
struct config *config_free(struct config *c);
AUTO_DEFINE(config, struct config *, config_free)

/** A copy with more settings of the command line ("section.key=value"), for which the
 *  settings of enforced.ini still come last. */
int config_with(const struct config *c, const char *const *overrides, size_t count,
		struct config **ret, struct error *err);

/** Effective value as the user wrote it, or the built-in default; NULL: unset. `section`
 *  is a full name: "core", "llm", "controller.review". A named section inherits: [llm.x]
 *  from [llm], [controller.x] from its `base` or from [controller]. Lists are joined by
 *  ", ", with += and -= applied. Borrowed. */
const char *config_get(const struct config *c, const char *section, const char *key);
/** Current name of a key in sections of a family ("llm"): the successor of a former
 *  name, otherwise `key` itself. */
const char *config_current_key(const char *family, const char *key);
int64_t config_int(const struct config *c, const char *section, const char *key);
bool config_bool(const struct config *c, const char *section, const char *key);
/** Index of the value of an option of type choice (choices.h); -1: unset. */
int config_choice(const struct config *c, const char *section, const char *key);
/** True if a line is printed for each event: [core] log_all_events or, as in OpenHands,
 *  LOG_ALL_EVENTS in the environment. */
bool config_logs_events(const struct config *c);
/** The file and line if enforced.ini sets this key for the section; otherwise NULL. */
const char *config_enforced(const struct config *c, const char *section, const char *key);
/** True if the overrides define agents completely (config_input.pinned). */
bool config_is_pinned(const struct config *c);
/** True if any layer has this section. */
bool config_has(const struct config *c, const char *section);
/** Names of named sections of a family: config_named(c, "llm", 0) -> "cheap". */
const char *config_named(const struct config *c, const char *family, size_t n);
/** The plugin of a section: its key `plugin`, or its name. */
const char *config_plugin(const struct config *c, const char *section);
/** The origin of a value: "FILE:LINE", "MORTISE_LLM_MODEL", "-o", "built in". */
const char *config_origin(const struct config *c, const char *section, const char *key);

/** True if `item` of the list `key` (tools, condensers, analyzers) is installed. */
typedef bool config_known_fn(const char *key, const char *item, void *arg);
/** Remove uninstalled items that only files of /etc/mortise/conf.d add to the lists of
 *  controllers, because their package was removed. Each causes a warning that names the
 *  file. */
void config_drop_leftovers(struct config *c, config_known_fn *known, void *arg);

/** Check a section against the option table of its plugin and collect its settings: {key:
 *  "value"}, and the defaults of lists in the form of a value. Errors name file and line.
 *  Keys of the host, which all plugins of a kind have (`plugin`, `run`, ...), are omitted
 *  unless they are in the table, too. */
int config_section(const struct config *c, const char *section,
		   const struct mt_option *table, size_t count, json_object **ret,
		   struct error *err);

/** Add the secret values of the configuration (API keys by api_key_env or api_key_file,
 *  [grant.*]) to the mask. */
int config_secrets(const struct config *c, struct mask *m, struct error *err);
/** The value of [grant.NAME], owned; NULL with a sentence if there is none. */
char *config_grant(const struct config *c, const char *name, struct error *err);
/** Has the user granted a permission that the plugin of [tool.NAME] declares, such as
 *  "read" of "~/.netrc"? */
bool config_grants_permission(const struct config *c, const char *tool, const char *kind,
			      const char *what);
/** The value of an environment variable that may hold a secret; NULL: not set. */
const char *secret_env(const char *name);
/** True if the name of a header or variable suggests a secret value. */
bool secret_named(const char *name, size_t len);
/** Add a value to the mask. If it is too short to be masked, or a placeholder
 *  (mask_add), this is logged once, under `name`. @return MT_OK or MT_ENOMEM. */
int secret_hide(struct mask *m, const char *name, const char *value, size_t len,
		struct error *err);
/** The key of a model section: from api_key_env, api_key_file, api_key_command, or the
 *  variable that `fallback_env` names. Owned; NULL: none (`err` unchanged), or failed. */
char *config_api_key(const struct config *c, const char *section,
		     const char *fallback_env, struct error *err);

/** True if a file of a project is trusted at its current content. */
int config_trusted(const char *path, const char *text, size_t len, bool *ret,
		   struct error *err);
/** Trust a project's files (.mortise/mortise.ini, .openhands/hooks.json) by path and
 *  hash. */
int config_trust(const char *workspace, struct error *err);
/** Path of the project file if it exists but is not trusted; otherwise NULL. */
const char *config_untrusted(const struct config *c);
/** The report of an untrusted project file; its argument is the path. */
#define CONFIG_UNTRUSTED                                                       \
	"%s was ignored because it is not trusted; run `mortise config trust` to " \
	"trust it"

/** Return the option table of the plugin that a section configures, which provides
 *  defaults and marks secrets for config_show and config_explain; NULL: unknown. Values
 *  of plugin sections without a table are not shown. */
typedef const struct mt_option *config_tables_fn(const char *section, size_t *ret_count,
						 void *arg);
void config_tables(struct config *c, config_tables_fn *tables, void *arg);

/** All settings, including secrets, as overrides for another process of this user:
 *  ["section.key=value"]; owned. NULL: out of memory. */
json_object *config_settings(const struct config *c);

/* For `mortise config`: */
int config_show(const struct config *c, bool json, struct strbuf *out);
int config_explain(const struct config *c, const char *key, struct strbuf *out,
		   struct error *err);
/** Table of the host's sections, for help and manual pages. */
/** Name of the n-th family of sections; NULL past the last. */
const char *config_family(size_t n);
const struct mt_option *config_table(const char *family, size_t *ret_count);

#endif
