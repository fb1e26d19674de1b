/* SPDX-License-Identifier: MIT
 *
 * settings.c - checks and stores one assignment of a layer. */
#include "config/layers.h"
#include "array.h"
#include "files.h"
#include <string.h>

struct config *config_free(struct config *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->setting_count; i++) {
		free(c->settings[i].section);
		free(c->settings[i].key);
		free(c->settings[i].value);
		free(c->settings[i].origin);
	}
	for (size_t i = 0; i < c->value_count; i++)
		free(c->values[i].text);
	for (size_t i = 0; i < c->section_count; i++)
		free(c->sections[i]);
	free(c->settings);
	free(c->values);
	free(c->sections);
	free(c->untrusted);
	free(c);
	return NULL;
}

int config_fault(struct config *c, const struct error *why, struct error *err)
{
	if (why->code == MT_ENOMEM || !c->in || !c->in->on_fault)
		return fail(err, why->code, "%s", why->text);
	if (c->fault_count == FAULTS_MAX)
		return fail(
			err, MT_ELIMIT,
			"more than %d errors in the configuration; the others are not "
			"shown",
			FAULTS_MAX);
	c->fault_count++;
	c->in->on_fault(c->in->on_fault_arg, why);
	return MT_OK;
}

static int unknown_section(const char *section, const char *origin, struct error *err)
{
	const char *names[32], *near, *rest = strchr(section, '.');
	char word[NAME_MAX_LEN + 1];
	size_t count = 0;

	snprintf(word, sizeof word, "%.*s", (int)strcspn(section, "."), section);
	for (; config_family_at(count) && count < ARRAY_LEN(names); count++)
		names[count] = config_family_at(count)->name;
	near = option_suggest(word, names, count);
	if (near)
		return fail(err, MT_EINVAL,
			    "%s: unknown section [%.80s]; did you mean [%s%.80s]?",
			    origin, section, near, rest ? rest : "");
	return fail(err, MT_EINVAL, "%s: unknown section [%.80s]", origin, section);
}

int config_open_section(struct config *c, const char *section, const char *origin,
			enum layer layer, struct error *err)
{
	const char *name = NULL;
	const struct family *f = config_family_of(section, &name);
	int status;

	if (!f)
		return unknown_section(section, origin, err);
	if (!name && !f->plain)
		return fail(err, MT_EINVAL, "%s: [%s] requires a name: use [%s.NAME]",
			    origin, f->name, f->name);
	if (name && !f->named)
		return fail(err, MT_EINVAL, "%s: [%s] cannot have a name: use [%s]",
			    origin, f->name, f->name);
	if (name && f->glob && !config_glob_valid(name, strlen(name)))
		return fail(err, MT_EINVAL,
			    "%s: invalid model glob `%.80s`: use at most %d characters, "
			    "without spaces and `,=;#`",
			    origin, name, GLOB_MAX_LEN);
	if (name && !f->glob && !config_name_valid(name, strlen(name), false))
		return fail(
			err, MT_EINVAL,
			"%s: invalid section name `%.80s`: use a lowercase letter, then "
			"at most 62 of a-z, 0-9, `-` and `_`",
			origin, name);
	if (layer == LAYER_PROJECT && !f->project)
		return fail(err, MT_EDENIED,
			    "%s: a project cannot contain a section "
			    "[%s]; move it to your own configuration",
			    origin, section);
	for (size_t i = 0; i < c->section_count; i++)
		if (strcmp(c->sections[i], section) == 0)
			return MT_OK;
	status = ARRAY_GROW(c->sections, &c->section_room, c->section_count + 1,
			    SETTINGS_MAX);
	if (status == MT_ELIMIT)
		return fail(err, MT_ELIMIT, "%s: too many sections", origin);
	if (status)
		return out_of_memory(err);
	c->sections[c->section_count] = strdup(section);
	if (!c->sections[c->section_count])
		return out_of_memory(err);
	c->section_count++;
	return MT_OK;
}

static int check_setting(const struct family *f, const char *section, const char *key,
			 char op, const char *value, const char *origin, enum layer layer,
			 struct error *err)
{
	const struct mt_option *option = option_find(f->table, f->count, key);
	struct error why = ERROR_NONE;
	int status = MT_OK;

	if (!config_name_valid(key, strlen(key), true))
		return fail(err, MT_EINVAL,
			    "%s: invalid key `%.80s`: use a-z, 0-9, `_`, `-` and `.`",
			    origin, key);
	if (layer == LAYER_PROJECT && !config_project_may_set(f, key))
		return fail(err, MT_EDENIED,
			    "%s: a project cannot set `%s` of [%s]; move it to your own "
			    "configuration",
			    origin, key, section);
	if (!option && f->plugin)
		return MT_OK;
	if (!option && strcmp(f->name, "llm") == 0 && strcmp(key, "api_key") == 0)
		return fail(err, MT_EINVAL,
			    "%s: [%s] API keys are not allowed in configuration files; "
			    "use api_key_env = VARIABLE, api_key_file = FILE or "
			    "api_key_command = COMMAND",
			    origin, section);
	if (!option)
		status = option_unknown(f->table, f->count, key, &why);
	else if (op != '=' && option->type != MT_OPTION_LIST)
		return fail(err, MT_EINVAL,
			    "%s: `%s` is not a list; use `%s =`, not `%s %c=`", origin,
			    key, key, key, op);
	else if (op == '=' && !*value && !(option->flags & MT_OPTION_REQUIRED))
		return MT_OK; /* resets the option */
	else
		status = option_check(option, key, value, &why);
	if (status)
		return fail(err, status, "%s: [%s] %s", origin, section, why.text);
	return MT_OK;
}

/* Relative paths in options of the host are resolved when read: from the directory of
 * their file, or from the current directory. */
static char *place_path(const char *value, const char *file)
{
	AUTO(free) char *path = path_expand(value);
	AUTO(free) char *dir = NULL;
	char *slash;

	if (!path)
		return NULL;
	if (*path == '/' || !*path)
		return STEAL(path);
	dir = file ? realpath(file, NULL) : realpath(".", NULL);
	if (!dir)
		return STEAL(path);
	slash = file ? strrchr(dir, '/') : NULL;
	if (slash)
		slash[slash == dir] = '\0';
	return path_join(dir, path);
}

/* The path after a prefix in a file is also relative to that file. */
static char *place_prefixed(const char *prefix, const char *value, const char *file)
{
	const char *path = value + strlen(prefix);
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	AUTO(free) char *placed = NULL;

	if (!file || strncmp(value, prefix, strlen(prefix)) != 0 || !*path)
		return strdup(value);
	placed = place_path(path, file);
	if (!placed || strbuf_addf(&text, "%s%s", prefix, placed))
		return NULL;
	return strbuf_take(&text);
}

static char *place_value(const struct family *f, const struct mt_option *option,
			 const char *key, const char *value, const char *file)
{
	const char *prefix = config_path_prefix(f, key);

	if (option && option->type == MT_OPTION_PATH)
		return place_path(value, file);
	return prefix ? place_prefixed(prefix, value, file) : strdup(value);
}

static int settings_append(struct config *c, struct setting s, struct error *err)
{
	int status = ARRAY_GROW(c->settings, &c->setting_room, c->setting_count + 1,
				SETTINGS_MAX);

	if (status == MT_ELIMIT)
		return fail(err, MT_ELIMIT, "%s: more than %d settings",
			    s.origin ? s.origin : "", SETTINGS_MAX);
	if (status)
		return out_of_memory(err);
	c->settings[c->setting_count] = s;
	return MT_OK;
}

/* Takes the texts of the setting, which are NULL if memory ran out. */
static int settings_take(struct config *c, struct setting s, struct error *err)
{
	int status = s.section && s.key && s.value && s.origin
			     ? settings_append(c, s, err)
			     : out_of_memory(err);

	if (!status) {
		c->setting_count++;
		return MT_OK;
	}
	free(s.section);
	free(s.key);
	free(s.value);
	free(s.origin);
	return status;
}

/* True if a setting from a file or the environment is ignored, because a conversation is
 * resumed with its original settings. */
static bool is_pinned(const struct config *c, const struct family *f, enum layer layer)
{
	return c->pinned && layer != LAYER_BUILTIN && layer < LAYER_COMMAND &&
	       !f->current;
}

int config_add_setting(struct config *c, const char *section, const char *key, char op,
		       const char *value, const char *file, const char *origin,
		       enum layer layer, struct error *err)
{
	const char *name;
	const struct family *f;
	const struct mt_option *option;
	struct setting s = { .op = op, .layer = layer };
	int status = config_open_section(c, section, origin, layer, err);

	if (status)
		return status;
	f = config_family_of(section, &name);
	key = config_current_key(f->name, key);
	status = check_setting(f, section, key, op, value, origin, layer, err);
	if (status)
		return status;
	if (is_pinned(c, f, layer))
		return MT_OK;
	option = option_find(f->table, f->count, key);
	s.section = strdup(section);
	s.key = strdup(key);
	s.origin = strdup(origin);
	s.value = place_value(f, option, key, value, file);
	return settings_take(c, s, err);
}

int config_copy_setting(struct config *c, const struct setting *from, struct error *err)
{
	const struct setting s = {
		.section = strdup(from->section), .key = strdup(from->key),
		.value = strdup(from->value), .origin = strdup(from->origin),
		.op = from->op, .layer = from->layer,
	};

	return settings_take(c, s, err);
}
