/* SPDX-License-Identifier: MIT
 *
 * profile.c - lists the paths that a profile of the sandbox allows, as
 * doc/sandbox.md describes. */
#include "sandbox/profile.h"

#include "crc32c.h"
#include "files.h"
#include "git-dirs.h"
#include "sandbox/grants.h"
#include "sandbox/network-proxy.h"
#include "sandbox/roots.h"
#include "text/tool-ignore.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char section[] = "sandbox";

enum { MODULES_MAX = 256, MODULE_DEPTH = 4, CACHE_NAME = 200,
       HOME_ENTRIES_MAX = 512, ROOT_ENTRIES_MAX = 512, COVERS_MAX = 256,
       COVER_ENTRIES_MAX = 50000 };

/* Programs, libraries and data that every program may need. */
static const char *const system_read[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix",
	"/gnu", "/snap", "/sys", "/proc", "/var/lib/dpkg", "/var/lib/apt",
	"/var/lib/rpm", "/var/cache/fontconfig", "/etc/alternatives",
};

/* Tool chains and their settings, in the home directory; without files that contain
 * keys. */
static const char *const home_read[] = {
	".cargo/bin", ".cargo/env", ".cargo/config", ".cargo/config.toml",
	".cargo/registry", ".cargo/git", ".rustup", ".pyenv", ".nvm", ".volta",
	".asdf", ".sdkman", ".rbenv", ".nodenv", ".jenv", ".deno/bin", ".bun/bin",
	".ghcup", ".dotnet", ".fnm", ".local/share/mise", ".local/share/fnm",
	".local/share/uv", ".local/share/pipx", ".local/share/virtualenvs", "go",
	".local/bin", ".local/lib", "bin", "miniconda3", "anaconda3", "miniforge3",
	".gitconfig", ".gitignore", ".config/git/config", ".config/git/ignore",
	".config/git/attributes", ".bashrc", ".profile", ".bash_profile",
	".config/mortise/skills", ".local/lib/mortise",
};

/* Directories that show only what is listed, as do all directories of / but those of
 * `system_root`: Landlock does not refuse to connect to a Unix socket that is visible. */
static const char *const system_hide[] = { "/var/lib", "/var/mail", "/var/opt",
					   "/var/spool", "/var/www" };
static const char *const system_root[] = {
	"bin", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt",
	"proc", "sbin", "snap", "sys", "tmp", "usr", "var",
};

/* Environment variables that name directories of tool chains. */
static const char *const tool_chains[] = { "VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME",
					   "GOROOT", "RUSTUP_HOME", "NVM_DIR" };

bool sandbox_wanted(const struct config *c)
{
	return config_choice(c, section, "mode") != SANDBOX_OFF &&
	       config_choice(c, section, "profile") != SANDBOX_PROFILE_FULL;
}

/* ---- lists ------------------------------------------------------------------ */

struct making {
	const struct config *config;
	struct sandbox_rules *rules;
	const char *home; /* without symbolic links; "": unknown */
	int status;
};

/* Adds a path, without symbolic links, if it exists. */
static void add(struct making *m, char ***list, const char *path)
{
	char real[PATH_MAX];

	if (m->status || *path != '/' || !realpath(path, real))
		return;
	for (size_t i = 0; *list && (*list)[i]; i++)
		if (strcmp((*list)[i], real) == 0)
			return;
	m->status = sandbox_path_add(list, real);
}

static void add_in(struct making *m, char ***list, const char *dir, const char *name)
{
	AUTO(free) char *path = path_join(dir, name);

	if (!path)
		m->status = MT_ENOMEM;
	else
		add(m, list, path);
}

static bool is_system_root(const char *path)
{
	return strcmp(path, "/") == 0;
}

/* ---- reading ---------------------------------------------------------------- */

/* A directory of PATH: the installation that it belongs to, X of X/bin, unless that is the
 * home directory or its .local. */
static void add_program_dir(struct making *m, const char *dir)
{
	char real[PATH_MAX];
	size_t home = strlen(m->home);
	char *slash;

	if (*dir != '/' || !realpath(dir, real))
		return;
	add(m, &m->rules->read, real);
	slash = strrchr(real, '/');
	if (!slash || slash == real || strcmp(slash, "/bin") != 0)
		return;
	*slash = '\0';
	if (strcmp(real, m->home) != 0 && !is_system_root(real) &&
	    !(home && strncmp(real, m->home, home) == 0 &&
	      (strcmp(real + home, "/.local") == 0 ||
	       strcmp(real + home, "/.cargo") == 0)))
		add(m, &m->rules->read, real);
}

static void add_path_variable(struct making *m)
{
	AUTO(free) char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
	char *rest = path, *dir;

	if (!path)
		m->status = MT_ENOMEM;
	while (!m->status && (dir = strsep(&rest, ":")))
		add_program_dir(m, dir);
}

static void add_option_list(struct making *m, char ***list, const char *of,
			    const char *key)
{
	const char *text = config_get(m->config, of, key), *item;
	size_t len;

	while (!m->status && text && option_list_next(&text, &item, &len)) {
		AUTO(free) char *path = grant_path(item, len);

		if (!path)
			m->status = MT_ENOMEM;
		else
			add(m, list, path);
	}
}

static void add_readable(struct making *m)
{
	for (size_t i = 0; i < ARRAY_LEN(system_read); i++)
		add(m, &m->rules->read, system_read[i]);
	for (size_t i = 0; *m->home && i < ARRAY_LEN(home_read); i++)
		add_in(m, &m->rules->read, m->home, home_read[i]);
	for (size_t i = 0; i < ARRAY_LEN(tool_chains); i++)
		if (getenv(tool_chains[i]))
			add(m, &m->rules->read, getenv(tool_chains[i]));
	add_path_variable(m);
	add_option_list(m, &m->rules->read, section, "read");
}

/* Whether an entry of / is one of these. */
static bool is_of_system(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(system_root); i++)
		if (strcmp(name, system_root[i]) == 0)
			return true;
	return false;
}

static void hide_root_entries(struct making *m)
{
	DIR *all = opendir("/");
	struct dirent *entry;

	for (size_t n = 0; all && n < ROOT_ENTRIES_MAX && (entry = readdir(all)); n++)
		if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
		    *entry->d_name != '.' && !is_of_system(entry->d_name))
			add_in(m, &m->rules->hide, "/", entry->d_name);
	if (all)
		closedir(all);
}

static void add_hidden(struct making *m)
{
	hide_root_entries(m);
	for (size_t i = 0; i < ARRAY_LEN(system_hide); i++)
		add(m, &m->rules->hide, system_hide[i]);
	if (*m->home && !is_system_root(m->home))
		add(m, &m->rules->hide, m->home);
}

/* ---- the workspace ---------------------------------------------------------- */

/* Files of a repository that name programs, which git runs for the user. */
static void protect_repository(struct making *m, const char *dir)
{
	static const char *const files[] = { "config", "config.worktree", "hooks",
					     "commondir" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		add_in(m, &m->rules->protect, dir, files[i]);
}

/* The repositories of submodules, below .git/modules, whose names may contain slashes. */
static void protect_modules(struct making *m, const char *dir, int depth)
{
	DIR *all = depth < MODULE_DEPTH ? opendir(dir) : NULL;
	struct dirent *entry;

	for (size_t n = 0; all && n < MODULES_MAX && (entry = readdir(all)); n++) {
		AUTO(free) char *path = NULL;
		AUTO(free) char *head = NULL;

		if (*entry->d_name == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		path = path_join(dir, entry->d_name);
		head = path ? path_join(path, "HEAD") : NULL;
		if (!head) {
			m->status = MT_ENOMEM;
			break;
		}
		if (access(head, F_OK) == 0) {
			AUTO(free) char *inner = path_join(path, "modules");

			protect_repository(m, path);
			if (inner)
				protect_modules(m, inner, depth + 1);
		} else {
			protect_modules(m, path, depth + 1);
		}
	}
	if (all)
		closedir(all);
}

/* .git is listed by itself, so that it cannot be moved away and replaced. */
static void profile_add_repository(struct making *m, const struct git_dirs *g)
{
	AUTO(free) char *git = path_join(g->root, ".git");
	AUTO(free) char *modules = path_join(g->common, "modules");
	struct stat st;

	if (!git || !modules) {
		m->status = MT_ENOMEM;
		return;
	}
	add(m, &m->rules->write, g->root);
	if (stat(git, &st) == 0)
		add(m, S_ISDIR(st.st_mode) ? &m->rules->write : &m->rules->protect, git);
	if (!git_dirs_confirmed(g))
		return;
	add(m, &m->rules->write, g->common);
	add(m, &m->rules->write, g->dir);
	protect_repository(m, g->common);
	if (strcmp(g->dir, g->common) != 0)
		protect_repository(m, g->dir);
	protect_modules(m, modules, 0);
}

/* The work tree of git around the workspace, unless that is the whole home directory or
 * file system. */
static void find_repository(struct making *m, const char *workspace, struct git_dirs *ret)
{
	int status = git_dirs_find(workspace, ret, NULL);

	if (status == MT_ENOMEM)
		m->status = status;
	if (!status && (strcmp(ret->root, m->home) == 0 || is_system_root(ret->root)))
		git_dirs_clear(ret);
}

/* The home directory, or one above it. */
static bool contains_home(const struct making *m, const char *path)
{
	return is_system_root(path) || path_is_in(m->home, path);
}

/* In the home directory, tools change what it visibly contains: hidden files are keys,
 * settings and what the user's shell runs. */
static void add_home(struct making *m)
{
	DIR *all = opendir(m->home);
	struct dirent *entry;

	for (size_t n = 0; all && n < HOME_ENTRIES_MAX && (entry = readdir(all)); n++)
		if (*entry->d_name != '.')
			add_in(m, &m->rules->write, m->home, entry->d_name);
	if (all)
		closedir(all);
}

static void add_workspace(struct making *m, const char *workspace,
			  const struct git_dirs *git)
{
	if (contains_home(m, workspace)) {
		if (strcmp(workspace, m->home) == 0)
			add_home(m);
		return;
	}
	if (git->root) {
		profile_add_repository(m, git);
		add_in(m, &m->rules->protect, git->root, ".mortise");
	}
	add(m, &m->rules->write, workspace);
	add_in(m, &m->rules->protect, workspace, ".mortise");
}

/* A directory that belongs to the conversation too. */
static void add_root(struct making *m, const char *root)
{
	struct git_dirs git = { 0 };

	find_repository(m, root, &git);
	add_workspace(m, root, &git);
	git_dirs_clear(&git);
}

static void add_roots(struct making *m, bool writable)
{
	AUTO(roots) char **roots = NULL;

	if (!m->status)
		m->status = roots_list(m->config, &roots);
	for (size_t i = 0; roots && roots[i]; i++) {
		if (writable)
			add_root(m, roots[i]);
		else
			add(m, &m->rules->read, roots[i]);
	}
}

/* ---- caches ----------------------------------------------------------------- */

/* A name for the directory of a path: slashes become percent signs, and a long path
 * keeps its end and gets a checksum. */
static int cache_name(const char *path, struct strbuf *out)
{
	size_t len = strlen(path), skip = len > CACHE_NAME ? len - CACHE_NAME : 0;

	if (skip)
		strbuf_addf(out, "%08x", crc32c_update(0, path, len));
	for (const char *p = path + skip; *p; p++)
		strbuf_addc(out, *p == '/' ? '%' : *p);
	return out->error;
}

/* A directory for each workspace, so that one project cannot change what another one
 * uses. Without a directory to put it in (no HOME, a read-only disk), programs have
 * the private /tmp only. */
static void add_cache(struct making *m, const char *workspace)
{
	AUTO(free) char *base = NULL;
	AUTO(free) char *all = NULL;
	AUTO(free) char *dir = NULL;
	AUTO(strbuf) struct strbuf name = STRBUF(256);

	if (m->status || paths_xdg_dir("CACHE", true, &base, NULL))
		return;
	m->status = cache_name(workspace, &name);
	all = path_join(base, "workspaces");
	dir = all ? path_join(all, name.text) : NULL;
	if (!dir)
		m->status = MT_ENOMEM;
	if (m->status || dir_make(dir, NULL))
		return;
	add(m, &m->rules->write, dir);
	m->rules->cache = STEAL(dir);
}

/* ---- the network ------------------------------------------------------------ */

static void add_host_list(json_object *hosts, const struct config *c, const char *of)
{
	const char *text = config_get(c, of, "hosts"), *item;
	size_t len;

	while (text && option_list_next(&text, &item, &len))
		js_add_new(hosts, json_object_new_string_len(item, (int)len));
}

/* The rules of the proxy, checked here, so that a wrong pattern is reported early. */
static int add_hosts(struct making *m, struct error *err)
{
	struct network_proxy_rules rules = { 0 };
	json_object *hosts = js_new_list();
	struct grant_section grant;
	int status;

	m->rules->proxy = js_new_object();
	add_host_list(hosts, m->config, section);
	for (size_t i = 0; grant_active(m->config, i, &grant); i++)
		add_host_list(hosts, m->config, grant.text);
	js_set(m->rules->proxy, "hosts", hosts);
	if (js_incomplete(m->rules->proxy))
		return MT_ENOMEM;
	status = network_proxy_rules_read(m->rules->proxy, &rules, err);
	network_proxy_rules_clear(&rules);
	return status;
}

/* ---- grants ------------------------------------------------------------------ */

static void add_ports(struct making *m, const char *of)
{
	const char *text = config_get(m->config, of, "ports"), *item;
	uint16_t first, last;
	size_t len;

	if (text && !m->rules->ports)
		m->rules->ports = js_new_list();
	while (text && option_list_next(&text, &item, &len)) {
		json_object *range = js_new_list();

		grant_port_range(item, len, &first, &last);
		js_add_new(range, json_object_new_int(first));
		js_add_new(range, json_object_new_int(last));
		js_add_new(m->rules->ports, range);
	}
	if (m->rules->ports && js_incomplete(m->rules->ports))
		m->status = MT_ENOMEM;
}

static void add_grants(struct making *m)
{
	struct grant_section s;

	for (size_t i = 0; grant_active(m->config, i, &s); i++) {
		add_option_list(m, &m->rules->write, s.text, "write");
		add_option_list(m, &m->rules->read, s.text, "read");
		add_option_list(m, &m->rules->sockets, s.text, "sockets");
		add_ports(m, s.text);
	}
}

/* ---- the rules -------------------------------------------------------------- */

void sandbox_profile_settings(const struct config *c, struct sandbox_rules *ret)
{
	*ret = (struct sandbox_rules){
		.network = (enum sandbox_network)config_choice(c, section, "network"),
		.landlock = (int)config_int(c, section, "landlock"),
		.namespaces = config_bool(c, section, "namespaces"),
		.required = config_choice(c, section, "mode") == SANDBOX_REQUIRED,
	};
}

int sandbox_profile_rules(const struct config *c, const char *workspace,
			  struct sandbox_rules *ret, struct error *err)
{
	char home[PATH_MAX] = "";
	struct making m = { .config = c, .rules = ret, .home = home };
	struct git_dirs git = { 0 };
	const char *own = getenv("HOME");
	bool writable;

	sandbox_profile_settings(c, ret);
	if (grants_check(c, err))
		return err ? err->code : MT_EINVAL;
	if (!own || !realpath(own, home))
		*home = '\0';
	find_repository(&m, workspace, &git);
	add_cache(&m, git.root ? git.root : workspace);
	add_readable(&m);
	add_hidden(&m);
	writable = config_choice(c, section, "profile") != SANDBOX_PROFILE_READ_ONLY;
	if (writable)
		add_workspace(&m, workspace, &git);
	else
		add(&m, &ret->read, workspace);
	git_dirs_clear(&git);
	add_roots(&m, writable);
	add_option_list(&m, &ret->write, section, "write");
	add_grants(&m);
	if (!m.status && ret->network == SANDBOX_NETWORK_ALLOW_LIST)
		m.status = add_hosts(&m, err);
	if (!m.status)
		return MT_OK;
	sandbox_rules_clear(ret);
	if (m.status == MT_ELIMIT)
		return fail(err, m.status, "the sandbox has over %d paths in a list",
			    SANDBOX_PATHS_MAX);
	return err && err->code ? err->code : out_of_memory(err);
}

/* ---- files that tools may not use -------------------------------------------- */

static int profile_cover(void *arg, const char *path)
{
	struct making *m = arg;
	size_t count = 0;

	while (m->rules->cover && m->rules->cover[count])
		count++;
	if (count == COVERS_MAX)
		return MT_ELIMIT;
	add(m, &m->rules->cover, path);
	return m->status;
}

static void profile_cover_in(struct making *m, const char *directory)
{
	if (!m->status && directory)
		m->status =
			tool_ignore_each(directory, COVER_ENTRIES_MAX, profile_cover, m);
}

int sandbox_profile_covers(const struct config *c, const char *workspace,
			   struct sandbox_rules *ret, struct error *err)
{
	struct making m = { .config = c, .rules = ret, .home = "" };
	AUTO(roots) char **roots = NULL;
	struct git_dirs git = { 0 };

	find_repository(&m, workspace, &git);
	profile_cover_in(&m, git.root ? git.root : workspace);
	git_dirs_clear(&git);
	if (!m.status)
		m.status = roots_list(c, &roots);
	for (size_t i = 0; roots && roots[i]; i++)
		profile_cover_in(&m, roots[i]);
	if (m.status == MT_ELIMIT)
		return fail(err, m.status,
			    "`.mortise/ignore` matches over %d files, or the directories "
			    "have over %d files: the sandbox does not keep all of them "
			    "from commands",
			    COVERS_MAX, COVER_ENTRIES_MAX);
	return m.status ? out_of_memory(err) : MT_OK;
}
