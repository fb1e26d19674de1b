/* SPDX-License-Identifier: MIT
 *
 * layers.c - reads the configuration layers and checks each assignment. */
#include "config/layers.h"
#include "array.h"
#include "files.h"
#include "ini.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

extern char **environ;

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

/* ---- one section, one assignment ---------------------------------------- */

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

static int config_open_section(struct config *c, const char *section, const char *origin,
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
			    "without spaces and ,=;#",
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

/* The path in `model = script:FILE` of a file is also relative to that file. */
static char *place_script(const char *model, const char *file)
{
	static const char prefix[] = "script:";
	const char *path = model + sizeof prefix - 1;
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 16);
	AUTO(free) char *placed = NULL;

	if (!file || strncmp(model, prefix, sizeof prefix - 1) != 0 || !*path)
		return strdup(model);
	placed = place_path(path, file);
	if (!placed || strbuf_addf(&text, "%s%s", prefix, placed))
		return NULL;
	return strbuf_take(&text);
}

static char *place_value(const struct family *f, const struct mt_option *option,
			 const char *key, const char *value, const char *file)
{
	if (option && option->type == MT_OPTION_PATH)
		return place_path(value, file);
	if (strcmp(f->name, "llm") == 0 && strcmp(key, "model") == 0)
		return place_script(value, file);
	return strdup(value);
}

static int layers_append(struct config *c, struct setting s, struct error *err)
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

/* True if a setting from a file or the environment is ignored, because a conversation is
 * resumed with its original settings. */
static bool is_pinned(const struct config *c, const struct family *f, enum layer layer)
{
	return c->pinned && layer != LAYER_BUILTIN && layer < LAYER_COMMAND &&
	       strcmp(f->name, "core") != 0 && strcmp(f->name, "grant") != 0 &&
	       strcmp(f->name, "mcp") != 0;
}

static int layers_add(struct config *c, const char *section, const char *key, char op,
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
	if (!s.section || !s.key || !s.origin || !s.value)
		status = out_of_memory(err);
	if (!status)
		status = layers_append(c, s, err);
	if (status) {
		free(s.section);
		free(s.key);
		free(s.value);
		free(s.origin);
		return status;
	}
	c->setting_count++;
	return MT_OK;
}

static int config_add(struct config *c, const char *section, const char *key, char op,
		      const char *value, const char *origin, enum layer layer,
		      struct error *err)
{
	return layers_add(c, section, key, op, value, NULL, origin, layer, err);
}

/* ---- files -------------------------------------------------------------- */

static int check_repeated(const struct ini *ini, size_t n, const char *path,
			  struct error *err)
{
	const struct ini_entry *e = &ini->entries[n];

	if (e->op != '=')
		return MT_OK;
	for (size_t i = 0; i < n; i++)
		if (strcmp(ini->entries[i].key, e->key) == 0 &&
		    strcmp(ini->entries[i].section, e->section) == 0)
			return fail(err, MT_EINVAL,
				    "%s:%u: `%s` is already set in line %u", path,
				    e->line, e->key, ini->entries[i].line);
	return MT_OK;
}

static int apply_entry(struct config *c, const struct ini *ini, size_t n,
		       const char *path, const char *origin, enum layer layer,
		       struct error *err)
{
	const struct ini_entry *e = &ini->entries[n];
	int status;

	if (!*e->section)
		return fail(err, MT_EINVAL,
			    "%s: `%s` appears before the first section; add [core], "
			    "[llm] or another section above it",
			    origin, e->key);
	if (!config_has(c, e->section))
		return MT_OK; /* the section was reported */
	status = check_repeated(ini, n, path, err);
	return status ? status
		      : layers_add(c, e->section, e->key, e->op, e->value, path, origin,
				   layer, err);
}

static int apply_ini(struct config *c, const struct ini *ini, const char *path,
		     enum layer layer, struct error *err)
{
	AUTO(strbuf) struct strbuf origin = STRBUF(8192);
	int status = MT_OK;

	if (ini->count > SETTINGS_MAX || ini->section_count > SETTINGS_MAX)
		return fail(err, MT_ELIMIT, "%s: more than %d settings", path,
			    SETTINGS_MAX);
	for (size_t i = 0; i < ini->section_count && !status; i++) {
		struct error why = ERROR_NONE;

		strbuf_reset(&origin);
		if (strbuf_addf(&origin, "%s:%u", path, ini->section_lines[i]))
			return fail(err, origin.error, "%s: path is too long", path);
		if (config_open_section(c, ini->sections[i], origin.text, layer, &why))
			status = config_fault(c, &why, err);
	}
	for (size_t i = 0; i < ini->count && !status; i++) {
		struct error why = ERROR_NONE;

		strbuf_reset(&origin);
		if (strbuf_addf(&origin, "%s:%u", path, ini->entries[i].line))
			return fail(err, origin.error, "%s: path is too long", path);
		if (apply_entry(c, ini, i, path, origin.text, layer, &why))
			status = config_fault(c, &why, err);
	}
	return status;
}

int config_apply_text(struct config *c, const char *path, const char *text, size_t len,
		      enum layer layer, struct error *err)
{
	struct error why = ERROR_NONE;
	struct ini ini;
	int status;

	if (ini_parse_text(path, text, len, &ini, &why))
		return config_fault(c, &why, err);
	status = apply_ini(c, &ini, path, layer, err);
	ini_clear(&ini);
	return status;
}

/* True for a link to a missing file or directory: settings were expected there. */
static bool leads_nowhere(const char *path)
{
	AUTO(free) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	struct stat st;

	if (lstat(path, &st) == 0)
		return S_ISLNK(st.st_mode);
	if (!slash)
		return false;
	*slash = '\0';
	return lstat(dir, &st) == 0 && S_ISLNK(st.st_mode) && stat(dir, &st) != 0;
}

static int layers_read_file(struct config *c, const char *path, bool needed,
			    enum layer layer, struct error *err)
{
	AUTO(free) char *text = NULL;
	size_t len;
	struct error why = ERROR_NONE;
	int status = file_read(path, INI_MAX_FILE, &text, &len, &why);

	if (status == MT_ENOTFOUND && leads_nowhere(path))
		return fail(
			err, status,
			"%s: a symbolic link on this path leads to nothing; correct or "
			"remove it",
			path);
	if (status == MT_ENOTFOUND && !needed)
		return MT_OK;
	if (status)
		return fail(err, status, "%s", why.text);
	if (!path_is_safe(path, err))
		return err ? err->code : MT_EDENIED;
	return config_apply_text(c, path, text, len, layer, err);
}

static int is_ini(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 &&
	       strcmp(entry->d_name + len - 4, ".ini") == 0;
}

static int layers_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_dir(struct config *c, const char *dir, enum layer layer,
		    struct error *err)
{
	struct dirent **entries = NULL;
	int status = MT_OK, n = scandir(dir, &entries, is_ini, layers_by_name);

	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? MT_OK
			       : fail(err, MT_EIO, "%s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		AUTO(free) char *path = path_join(dir, entries[i]->d_name);

		if (!status)
			status = path ? layers_read_file(c, path, true, layer, err)
				      : out_of_memory(err);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int read_system(struct config *c, struct error *err)
{
	const char *set = getenv("MORTISE_SYSTEM_CONFIG");
	const char *dir = set && *set ? set : SYSCONF_DIR "/mortise";
	AUTO(free) char *file = path_join(dir, "mortise.ini");
	AUTO(free) char *more = path_join(dir, "conf.d");
	int status;

	if (!file || !more)
		return out_of_memory(err);
	status = layers_read_file(c, file, false, LAYER_SYSTEM, err);
	return status ? status : read_dir(c, more, LAYER_SYSTEM, err);
}

/* Read the settings that the administrator enforces. Those of the system are always read,
 * so that no variable bypasses them; a test directory adds to them. */
static int read_enforced(struct config *c, struct error *err)
{
	const char *set = getenv("MORTISE_SYSTEM_CONFIG");
	AUTO(free) char *file = set && *set ? path_join(set, "enforced.ini") : NULL;
	int status = layers_read_file(c, SYSCONF_DIR "/mortise/enforced.ini", false,
				      LAYER_ENFORCED, err);

	if (status || !set || !*set)
		return status;
	return file ? layers_read_file(c, file, false, LAYER_ENFORCED, err)
		    : out_of_memory(err);
}

static int read_user(struct config *c, const char *file, struct error *err)
{
	AUTO(free) char *dir = NULL, *path = NULL;
	struct error why = ERROR_NONE;

	if (file)
		return layers_read_file(c, file, true, LAYER_USER, err);
	if (paths_xdg_dir("CONFIG", false, &dir, &why))
		return why.code == MT_ENOMEM ? out_of_memory(err) : MT_OK; /* no home */
	path = path_join(dir, "mortise.ini");
	return path ? layers_read_file(c, path, false, LAYER_USER, err)
		    : out_of_memory(err);
}

static int read_project(struct config *c, const char *workspace, bool trusted,
			struct error *err)
{
	AUTO(free) char *path =
		path_join(workspace ? workspace : ".", ".mortise/mortise.ini");
	AUTO(free) char *real = NULL, *text = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int status;

	if (!path)
		return out_of_memory(err);
	real = realpath(path, NULL);
	if (!real)
		return errno == ENOMEM ? out_of_memory(err) : MT_OK;
	status = file_read(real, INI_MAX_FILE, &text, &len, &why);
	if (status && status != MT_ENOMEM) {
		trusted = false; /* a directory, a device, too large */
		status = MT_OK;
	} else if (!status && !trusted) {
		status = trust_check(real, text, len, &trusted, err);
	}
	if (status)
		return status;
	if (!trusted) {
		c->untrusted = STEAL(real);
		return MT_OK;
	}
	if (!path_is_safe(real, err))
		return err ? err->code : MT_EDENIED;
	return config_apply_text(c, real, text, len, LAYER_PROJECT, err);
}

/* ---- environment and command line ---------------------------------------- */

/* Find the section with this name in a variable, where - becomes _. */
static void find_written(const struct config *c, char *section)
{
	for (size_t i = 0; i < c->section_count; i++) {
		const char *s = c->sections[i];
		size_t at = 0;

		while (s[at] &&
		       (s[at] == section[at] || (s[at] == '-' && section[at] == '_')))
			at++;
		if (!s[at] && !section[at]) {
			memcpy(section, s, at);
			return;
		}
	}
}

/* MORTISE_FAMILY_KEY, or MORTISE_FAMILY__NAME__KEY. Variables that do not start with a
 * known family belong to other programs. */
static int apply_variable(struct config *c, const char *variable, struct error *err)
{
	enum { PREFIX = sizeof "MORTISE_" - 1 };
	AUTO(free) char *origin = strndup(variable, strcspn(variable, "="));
	AUTO(free) char *word = origin ? strdup(origin) : NULL;
	const char *name, *value = strchr(variable, '=') + 1;
	char *key, *end;

	if (!word)
		return out_of_memory(err);
	for (char *p = word; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	word[PREFIX - 1] = '\0';
	key = strchr(word + PREFIX, '_');
	if (!key)
		return MT_OK;
	*key++ = '\0';
	if (!config_family_of(word + PREFIX, &name))
		return MT_OK;
	if (*key == '_') {
		end = strstr(key + 1, "__");
		for (char *next = end; next; next = strstr(end + 1, "__"))
			end = next;
		if (!end)
			return fail(err, MT_EINVAL,
				    "%s: no key after the section name; use "
				    "MORTISE_SECTION__NAME__KEY",
				    origin);
		key[-1] = '.';
		memmove(key, key + 1, (size_t)(end - key));
		end[-1] = '\0';
		find_written(c, word + PREFIX);
		key = end + 2;
	}
	return config_add(c, word + PREFIX, key, '=', value, origin, LAYER_ENV, err);
}

/* Apply a variable of OpenHands, unless that of Mortise is set. */
static int apply_foreign(struct config *c, struct error *err)
{
	const char *value = getenv("OH_MAX_ITERATIONS");

	if (!value || !*value || getenv("MORTISE_CONTROLLER_MAX_ITERATIONS"))
		return MT_OK;
	return config_add(c, "controller", "max_iterations", '=', value,
			  "OH_MAX_ITERATIONS", LAYER_ENV, err);
}

static int read_environment(struct config *c, struct error *err)
{
	static const char prefix[] = "MORTISE_";
	int status = MT_OK;

	for (char **e = environ; e && *e && !status; e++) {
		struct error why = ERROR_NONE;

		if (strncmp(*e, prefix, sizeof prefix - 1) == 0 && strchr(*e, '=') &&
		    apply_variable(c, *e, &why))
			status = config_fault(c, &why, err);
	}
	return status ? status : apply_foreign(c, err);
}

/* section.key=value, section.key+=value. If the family has named sections and the text
 * has more than one dot, the section includes the name. */
static int apply_override(struct config *c, const char *text, struct error *err)
{
	AUTO(free) char *left = strndup(text, strcspn(text, "="));
	const char *value = strchr(text, '='), *name;
	const struct family *f;
	char *dot, *second, op = '=';
	size_t len;

	if (!left)
		return out_of_memory(err);
	len = strlen(left);
	while (len > 0 && left[len - 1] == ' ')
		left[--len] = '\0';
	if (value && len > 0 && (left[len - 1] == '+' || left[len - 1] == '-')) {
		op = left[--len];
		while (len > 0 && left[len - 1] == ' ')
			len--;
		left[len] = '\0';
	}
	dot = strchr(left, '.');
	if (!value || !dot)
		return fail(err, MT_EINVAL,
			    "invalid option -o %.80s: use -o "
			    "section.key=value",
			    value ? left : text);
	f = config_family_of(left, &name);
	second = f && f->glob ? strrchr(dot + 1, '.') : strchr(dot + 1, '.');
	if (f && f->named && second)
		dot = second;
	*dot = '\0';
	for (value++; *value == ' '; value++)
		;
	return config_add(c, left, dot + 1, op, value, "-o", LAYER_COMMAND, err);
}

/* ---- loading -------------------------------------------------------------- */

static char *default_runner(void)
{
	AUTO(free) char *self = realpath("/proc/self/exe", NULL);
	char *slash = self ? strrchr(self, '/') : NULL;

	if (slash) {
		AUTO(free) char *sibling = NULL;

		*slash = '\0';
		sibling = path_join(self, "mortise-runner");
		if (!sibling || access(sibling, X_OK) == 0)
			return STEAL(sibling);
	}
	return strdup(HELPER_DIR "/mortise-runner");
}

/* The agents to which others can delegate without configuration. */
static const struct {
	const char *section, *key, *value;
} ready_agents[] = {
	{ "controller.explore", "agent", "readonly" },
	{ "controller.explore", "description",
	  "finds code and answers questions about it; searches and reads, cannot run or "
	  "change anything" },
	{ "controller.review", "agent", "review" },
	{ "controller.review", "description",
	  "reviews a change and reports defects, most severe first; runs commands and "
	  "tests, changes no files" },
	{ "controller.review", "tools", "bash, search, think, finish" },
	{ "agent.review", "plugin", "codeact" },
	{ "agent.review", "prompt", "review" },
};

static int add_builtin(struct config *c, struct error *err)
{
	AUTO(free) char *runner = default_runner(), *state = NULL;
	struct error why = ERROR_NONE;
	int status = MT_OK;

	if (!runner)
		return out_of_memory(err);
	for (size_t i = 0; i < ARRAY_LEN(ready_agents) && !status; i++)
		status =
			config_add(c, ready_agents[i].section, ready_agents[i].key, '=',
				   ready_agents[i].value, "built in", LAYER_BUILTIN, err);
	if (!status)
		status = config_add(c, "core", "runner", '=', runner, "built in",
				    LAYER_BUILTIN, err);
	if (status)
		return status;
	if (paths_xdg_dir("STATE", false, &state, &why))
		return why.code == MT_ENOMEM ? out_of_memory(err) : MT_OK; /* no home */
	return config_add(c, "core", "state_dir", '=', state, "built in", LAYER_BUILTIN,
			  err);
}

static int read_layers(struct config *c, const struct config_input *in, struct error *err)
{
	int status = add_builtin(c, err);

	if (!status)
		status = read_system(c, err);
	if (!status)
		status = read_user(c, in->file, err);
	if (!status)
		status = read_project(c, in->workspace, in->trust, err);
	if (!status)
		status = read_environment(c, err);
	for (size_t i = 0; i < in->override_count && !status; i++) {
		struct error why = ERROR_NONE;

		if (apply_override(c, in->overrides[i], &why))
			status = config_fault(c, &why, err);
	}
	return status ? status : read_enforced(c, err);
}

int config_load(const struct config_input *in, struct config **ret, struct error *err)
{
	AUTO(config) struct config *c = calloc(1, sizeof *c);
	struct error own = ERROR_NONE;
	int status;

	if (!c)
		return out_of_memory(err);
	c->pinned = in->pinned;
	c->in = in;
	status = read_layers(c, in, &own);
	if (!status && !c->fault_count) /* further errors could be their consequences */
		status = values_resolve(c, &own);
	if (!status && c->fault_count)
		status = fail(&own, MT_EINVAL, "the configuration is not valid");
	c->in = NULL;
	if (status)
		return fail(err, status, "%s", own.text);
	*ret = STEAL(c);
	return MT_OK;
}
