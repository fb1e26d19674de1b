/* SPDX-License-Identifier: MIT
 *
 * servers.c - the table of language servers. */
#include "servers.h"
#include "auto.h"
#include "files.h"
#include "options.h"

#include <string.h>

static const struct server built_in[] = {
	{ "clangd", "clangd --log=error", "c,h,cc,hh,cpp,hpp,cxx,hxx,m,mm",
	  "compile_commands.json,compile_flags.txt,.clangd,.git", "the package clangd" },
	{ "basedpyright", "basedpyright-langserver --stdio", "py,pyi",
	  "pyproject.toml,setup.py,setup.cfg,requirements.txt,.git", NULL },
	{ "pyright", "pyright-langserver --stdio", "py,pyi",
	  "pyproject.toml,setup.py,setup.cfg,requirements.txt,.git", NULL },
	{ "pylsp", "pylsp", "py,pyi",
	  "pyproject.toml,setup.py,setup.cfg,requirements.txt,.git",
	  "the package python3-pylsp, or basedpyright from PyPI" },
	{ "gopls", "gopls", "go", "go.work,go.mod,.git", "the package gopls" },
	{ "rust-analyzer", "rust-analyzer", "rs", "Cargo.toml,.git",
	  "the component rust-analyzer with rustup" },
	{ "typescript-language-server", "typescript-language-server --stdio",
	  "ts,tsx,mts,cts,js,jsx,mjs,cjs", "tsconfig.json,jsconfig.json,package.json,.git",
	  "the npm packages typescript-language-server and typescript" },
};

static struct server *find_name(struct servers *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->list[i].name, name) == 0)
			return &s->list[i];
	return NULL;
}

/* Set `*value` to the option PREFIX.NAME if it is configured. */
static void override(const struct mt_tool_host *host, struct mt_instance *instance,
		     const char *prefix, const char *name, const char **value)
{
	const char *key, *text;

	for (size_t n = 0; !host->option_at(instance, prefix, n, &key, &text); n++)
		if (strcmp(key + strlen(prefix), name) == 0)
			*value = text;
}

static int lsp_servers_add(struct servers *s, const struct server *one, struct error *err)
{
	if (s->count == SERVERS_MAX)
		return fail(err, MT_ELIMIT, "more than %d language servers", SERVERS_MAX);
	s->list[s->count++] = *one;
	return MT_OK;
}

static int add_users(const struct mt_tool_host *host, struct mt_instance *instance,
		     struct servers *s, struct error *err)
{
	const char *key, *value;
	int r = MT_OK;

	for (size_t n = 0; !r && !host->option_at(instance, "server.", n, &key, &value);
	     n++)
		r = lsp_servers_add(s,
				    &(struct server){ .name = key + strlen("server."),
						      .command = value,
						      .roots = ".git" },
				    err);
	return r;
}

/* A server defined by the user inherits the table's values for the same name. */
static int add_built_in(struct servers *s, struct error *err)
{
	int r = MT_OK;

	for (size_t i = 0; !r && i < ARRAY_LEN(built_in); i++) {
		struct server *own = find_name(s, built_in[i].name);

		if (!own) {
			r = lsp_servers_add(s, &built_in[i], err);
			continue;
		}
		own->extensions = built_in[i].extensions;
		own->roots = built_in[i].roots;
	}
	return r;
}

int servers_read(const struct mt_tool_host *host, struct mt_instance *instance,
		 struct servers *ret, struct error *err)
{
	*ret = (struct servers){ 0 };
	int r = add_users(host, instance, ret, err);

	if (!r)
		r = add_built_in(ret, err);
	for (size_t i = 0; !r && i < ret->count; i++) {
		struct server *s = &ret->list[i];

		override(host, instance, "extensions.", s->name, &s->extensions);
		override(host, instance, "roots.", s->name, &s->roots);
		if (!s->extensions)
			r = fail(err, MT_EINVAL,
				 "`server.%s` needs `extensions.%s`, a list such as "
				 "`zig, zon`",
				 s->name, s->name);
	}
	return r;
}

/* The text after the last dot of the name; "" if none. */
static const char *extension_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	return dot ? dot + 1 : "";
}

static bool lsp_servers_list_has(const char *list, const char *word)
{
	const char *item;
	size_t len;

	while (option_list_next(&list, &item, &len))
		if (strlen(word) == len && strncmp(item, word, len) == 0)
			return true;
	return false;
}

static bool lsp_servers_is_installed(const struct server *s)
{
	char program[4096];
	size_t len = strcspn(s->command, " ");
	AUTO(free) char *path = NULL;

	if (!len || len >= sizeof program)
		return false;
	memcpy(program, s->command, len);
	program[len] = '\0';
	if (strchr(program, '/'))
		return path_is_program(program);
	path = path_find_program(getenv("PATH"), program);
	return path;
}

const struct server *servers_find(const struct servers *s, const char *path,
				  struct error *err)
{
	const char *extension = extension_of(path), *install = NULL, *missing = NULL;

	for (size_t i = 0; i < s->count; i++) {
		const struct server *one = &s->list[i];

		if (!*extension || !*one->command ||
		    !lsp_servers_list_has(one->extensions, extension))
			continue;
		if (lsp_servers_is_installed(one))
			return one;
		missing = missing ? missing : one->name;
		install = install ? install : one->install;
	}
	if (install)
		fail(err, MT_ENOTFOUND,
		     "No language server for .%s files is installed. The user can install "
		     "%s.",
		     extension, install);
	else if (missing)
		fail(err, MT_ENOTFOUND,
		     "The language server `%s` for .%s files is not installed. The user "
		     "can install it, or change server.%s in [tool.lsp].",
		     missing, extension, missing);
	else
		fail(err, MT_EUNSUPPORTED,
		     "No language server is configured for %s. The user can set "
		     "server.NAME and extensions.NAME in [tool.lsp].",
		     path);
	return NULL;
}

const char *lsp_language_of(const char *path)
{
	static const struct {
		const char *extension, *language;
	} known[] = {
		{ "c", "c" },		{ "h", "cpp" },
		{ "cc", "cpp" },	{ "hh", "cpp" },
		{ "cpp", "cpp" },	{ "hpp", "cpp" },
		{ "cxx", "cpp" },	{ "hxx", "cpp" },
		{ "m", "objective-c" }, { "mm", "objective-cpp" },
		{ "py", "python" },	{ "pyi", "python" },
		{ "rs", "rust" },	{ "ts", "typescript" },
		{ "mts", "typescript" }, { "cts", "typescript" },
		{ "tsx", "typescriptreact" }, { "js", "javascript" },
		{ "mjs", "javascript" }, { "cjs", "javascript" },
		{ "jsx", "javascriptreact" },
	};
	const char *extension = extension_of(path);

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].extension, extension) == 0)
			return known[i].language;
	return extension;
}

static bool has_root(const char *roots, const char *dir)
{
	const char *item;
	size_t len;

	while (option_list_next(&roots, &item, &len)) {
		AUTO(free) char *path = NULL;

		if (asprintf(&path, "%s/%.*s", dir, (int)len, item) < 0)
			path = NULL;
		if (path && access(path, F_OK) == 0)
			return true;
	}
	return false;
}

char *lsp_server_root(const struct server *s, const char *path, const char *top)
{
	AUTO(free) char *dir = strdup(path);
	size_t least = strlen(top);

	for (char *slash; dir && (slash = strrchr(dir, '/'));) {
		*slash = '\0';
		if (strlen(dir) < least)
			break;
		if (has_root(s->roots, dir))
			return STEAL(dir);
	}
	return dir ? strdup(top) : NULL;
}

char **server_argv(const struct server *s)
{
	char **argv = calloc(SERVER_WORDS + 1, sizeof *argv);
	char *copy = argv ? strdup(s->command) : NULL, *rest = copy;

	if (!copy) {
		free(argv);
		return NULL;
	}
	for (size_t n = 0; n < SERVER_WORDS && rest;) {
		char *word = strsep(&rest, " ");

		if (*word)
			argv[n++] = word;
	}
	return argv;
}
