/* SPDX-License-Identifier: MIT
 *
 * layers.c - reads the configuration layers: files, environment and command line. */
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

/* Add a setting that is not from a file. */
static int config_add(struct config *c, const char *section, const char *key, char op,
		      const char *value, const char *origin, enum layer layer,
		      struct error *err)
{
	return config_add_setting(c, section, key, op, value, NULL, origin, layer, err);
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
		      : config_add_setting(c, e->section, e->key, e->op, e->value, path,
					   origin, layer, err);
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

static int on_line_fault(void *arg, const struct error *why, struct error *err)
{
	return config_fault(arg, why, err);
}

int config_apply_text(struct config *c, const char *path, const char *text, size_t len,
		      enum layer layer, struct error *err)
{
	struct error why = ERROR_NONE;
	struct ini ini;
	int status;

	if (ini_parse_each(path, text, len, on_line_fault, c, &ini, &why))
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
int config_apply_override(struct config *c, const char *text, struct error *err)
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

/* The agents to which others can delegate without configuration, and the grants that can
 * be turned on. */
static const struct {
	const char *section, *key, *value;
} ready_sections[] = {
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
	{ "grant.ssh", "description",
	  "ssh and git with the keys of your ssh-agent: tools can log in wherever you can" },
	{ "grant.ssh", "sockets", "$SSH_AUTH_SOCK" },
	{ "grant.ssh", "variables", "SSH_AUTH_SOCK" },
	{ "grant.ssh", "read",
	  "~/.ssh/config, ~/.ssh/config.d, ~/.ssh/known_hosts, ~/.ssh/allowed_signers, "
	  "~/.ssh/id_rsa.pub, ~/.ssh/id_ecdsa.pub, ~/.ssh/id_ed25519.pub, "
	  "~/.ssh/id_ed25519_sk.pub" },
	{ "grant.ssh", "hosts",
	  "github.com:22, ssh.github.com:443, gitlab.com:22, bitbucket.org:22, "
	  "codeberg.org:22, git.sr.ht:22" },
	{ "grant.gpg", "description",
	  "gpg with your gpg-agent: tools can sign, and decrypt what you can" },
	{ "grant.gpg", "sockets",
	  "$XDG_RUNTIME_DIR/gnupg, ~/.gnupg/S.gpg-agent, ~/.gnupg/S.keyboxd" },
	{ "grant.gpg", "variables", "GPG_TTY" },
	{ "grant.gpg", "read",
	  "~/.gnupg/pubring.kbx, ~/.gnupg/pubring.gpg, ~/.gnupg/public-keys.d, "
	  "~/.gnupg/trustdb.gpg, ~/.gnupg/gpg.conf, ~/.gnupg/common.conf" },
	{ "grant.docker", "description",
	  "the Docker daemon: equal to root on this machine, because a container can mount "
	  "every file" },
	{ "grant.docker", "sockets", "/var/run/docker.sock, $DOCKER_HOST" },
	{ "grant.docker", "variables", "DOCKER_HOST, DOCKER_CONTEXT" },
	{ "grant.docker", "read", "~/.docker/contexts, ~/.docker/cli-plugins" },
	{ "grant.x11", "description",
	  "windows on your display: tools can read the screen and type into other windows" },
	{ "grant.x11", "sockets", "/tmp/.X11-unix" },
	{ "grant.x11", "variables", "DISPLAY, XAUTHORITY" },
	{ "grant.x11", "read", "$XAUTHORITY, ~/.Xauthority" },
	{ "grant.local-ports", "description",
	  "TCP on common ports of servers, where no namespace separates the network: on "
	  "any host" },
	{ "grant.local-ports", "ports",
	  "0, 3000-3999, 5000-5999, 8000-8999" },
};

static int add_builtin(struct config *c, struct error *err)
{
	AUTO(free) char *runner = default_runner(), *state = NULL;
	struct error why = ERROR_NONE;
	int status = MT_OK;

	if (!runner)
		return out_of_memory(err);
	for (size_t i = 0; i < ARRAY_LEN(ready_sections) && !status; i++)
		status = config_add(c, ready_sections[i].section, ready_sections[i].key,
				    '=', ready_sections[i].value, "built in",
				    LAYER_BUILTIN, err);
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

		if (config_apply_override(c, in->overrides[i], &why))
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
