/* SPDX-License-Identifier: MIT
 *
 * bundle.c - makes bundles, and finds those that exist.
 *
 * A file bundles/KEY.sources tells which bundle was made of which files: KEY is a hash of
 * their paths, and the state of each file, libraries included, must still be the same. */
#include "bundle/bundle.h"

#include "auto.h"
#include "files.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

enum {
	FILE_BYTES_MAX = 512 << 20,
	SOURCES_MAX = 1 << 20,
	TEXT_MAX = 1 << 20,
};

static const char start_name[] = "mortise-bundle-start";

/* One file of a bundle. */
struct item {
	char *from, *to;
};

struct making {
	struct item items[BUNDLE_FILES_MAX];
	size_t count;
	const char *loader;
};

static void making_clear(struct making *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->items[i].from);
		free(m->items[i].to);
	}
	free(m);
}

static void auto_making(struct making **m)
{
	if (*m)
		making_clear(*m);
}

void bundle_clear(struct bundle *b)
{
	free(b->path);
	b->path = NULL;
}

char *bundle_plugin_path(const char *plugin)
{
	const char *slash = strrchr(plugin, '/');
	char hash[SHA256_HEX], *path = NULL;

	if (!slash || digest_sha256_hex(plugin, (size_t)(slash - plugin), hash))
		return NULL;
	return asprintf(&path, "plugins/%.16s%s", hash, slash) < 0 ? NULL : path;
}

/* ---- which files ------------------------------------------------------------ */

/* Owns `to`. */
static int bundle_add(struct making *m, const char *from, char *to, struct error *err)
{
	char *copy = strdup(from);

	for (size_t i = 0; to && i < m->count; i++)
		if (strcmp(m->items[i].to, to) == 0) {
			free(copy);
			free(to);
			return MT_OK;
		}
	if (!copy || !to || m->count == BUNDLE_FILES_MAX) {
		bool full = copy && to;

		free(copy);
		free(to);
		return full ? fail(err, MT_ELIMIT,
				   "a bundle has at most %d files; enable fewer plugins",
				   BUNDLE_FILES_MAX)
			    : out_of_memory(err);
	}
	m->items[m->count++] = (struct item){ copy, to };
	return MT_OK;
}

static int add_library(void *arg, const char *path, struct error *err)
{
	return bundle_add(arg, path, path_join("lib", strrchr(path, '/') + 1), err);
}

/* A program or plugin, with its libraries. */
static int add_linked(struct making *m, const char *from, char *to, struct error *err)
{
	int status = bundle_add(m, from, to, err);

	return status ? status : bundle_libraries(m->loader, from, add_library, m, err);
}

/* Libraries that the runner and plugins load when they need them. What is not installed
 * here is not used here either. */
static int add_loaded(struct making *m, struct error *err)
{
	static const char *const names[] = { "libseccomp.so.2", "libcrypto.so.3",
					     "libyaml-0.so.2", "libuchardet.so.0",
					     "libgcc_s.so.1" };
	int status = MT_OK;

	for (size_t i = 0; !status && i < ARRAY_LEN(names); i++) {
		void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
		struct link_map *map = NULL;

		if (library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 &&
		    *map->l_name == '/')
			status = add_linked(m, map->l_name, path_join("lib", names[i]),
					    err);
	}
	return status;
}

static int bundle_add_shell(struct making *m, const char *start, struct error *err)
{
	AUTO(free) char *bash = path_find_program("/bin:/usr/bin:/usr/local/bin", "bash");

	if (!bash)
		return MT_OK;
	return bundle_add(m, start, strdup("shell/bash"), err) ||
			       add_linked(m, bash, strdup("libexec/bash"), err)
		       ? err->code
		       : MT_OK;
}

static int add_all(struct making *m, const char *runner, const char *start,
		   const char *const *plugins, size_t count, struct error *err)
{
	int status = bundle_add(m, start, strdup("bin/mortise-runner"), err);

	if (!status)
		status = add_library(m, m->loader, err);
	if (!status)
		status = add_linked(m, runner, strdup("libexec/mortise-runner"), err);
	for (size_t i = 0; !status && i < count; i++)
		status = add_linked(m, plugins[i], bundle_plugin_path(plugins[i]), err);
	if (!status)
		status = bundle_add_shell(m, start, err);
	return status ? status : add_loaded(m, err);
}

/* ---- the directory ---------------------------------------------------------- */

/* Other users read it: a container may run as one. */
static int make_parents(char *path, size_t root, struct error *err)
{
	for (char *slash = strchr(path + root + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return fail(err, MT_EIO, "cannot create %s: %s", path,
				    strerror(errno));
		if (chmod(path, 0755) < 0)
			return fail(err, MT_EIO, "cannot change the mode of %s: %s", path,
				    strerror(errno));
		*slash = '/';
	}
	return MT_OK;
}

/* Copies a file, and appends "PATH MODE HASH" to `contents`. */
static int bundle_copy(const struct item *i, const char *dir, struct strbuf *contents,
		       struct error *err)
{
	AUTO(free) char *path = path_join(dir, i->to), *bytes = NULL;
	mode_t mode = strncmp(i->to, "plugins/", 8) == 0 ? 0644 : 0755;
	char hash[SHA256_HEX];
	size_t len;
	int status = path ? file_read(i->from, FILE_BYTES_MAX, &bytes, &len, err)
			  : out_of_memory(err);

	if (!status)
		status = make_parents(path, strlen(dir), err);
	if (!status)
		status = file_write(path, bytes, len, mode, false, err);
	if (!status && chmod(path, mode) < 0)
		status = fail(err, MT_EIO, "cannot change the mode of %s: %s", path,
			      strerror(errno));
	if (!status && digest_sha256_hex(bytes, len, hash))
		status = digest_crypto_api(err)
				 ? fail(err, MT_EIO, "cannot hash %s", i->from)
				 : err->code;
	if (!status && strbuf_addf(contents, "%s %o %s\n", i->to, (unsigned)mode, hash))
		status = out_of_memory(err);
	return status;
}

static int bundle_compare(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->to, ((const struct item *)b)->to);
}

static int name_of(const struct strbuf *text, char ret[BUNDLE_NAME], struct error *err)
{
	char hash[SHA256_HEX];

	if (!digest_crypto_api(err))
		return err->code;
	if (digest_sha256_hex(text->text, text->len, hash))
		return fail(err, MT_EIO, "cannot hash the list of files of a bundle");
	memcpy(ret, hash, BUNDLE_NAME - 1);
	ret[BUNDLE_NAME - 1] = '\0';
	return MT_OK;
}

/* Fills a new directory and gives it its name, unless the bundle exists. */
static int build(struct making *m, const char *bundles, struct bundle *ret,
		 struct error *err)
{
	AUTO(strbuf) struct strbuf contents = STRBUF(TEXT_MAX);
	AUTO(free) char *dir = path_join(bundles, "new-XXXXXX");
	int status = MT_OK;

	if (!dir)
		return out_of_memory(err);
	if (!mkdtemp(dir) || chmod(dir, 0755) < 0)
		return fail(err, MT_EIO, "cannot create a directory in %s: %s", bundles,
			    strerror(errno));
	qsort(m->items, m->count, sizeof *m->items, bundle_compare);
	for (size_t i = 0; !status && i < m->count; i++)
		status = bundle_copy(&m->items[i], dir, &contents, err);
	if (!status)
		status = name_of(&contents, ret->name, err);
	if (!status && !(ret->path = path_join(bundles, ret->name)))
		status = out_of_memory(err);
	if (!status && rename(dir, ret->path) < 0 && errno != EEXIST &&
	    errno != ENOTEMPTY)
		status = fail(err, MT_EIO, "cannot rename %s to %s: %s", dir, ret->path,
			      strerror(errno));
	dir_remove(dir, NULL);
	return status;
}

/* ---- what a bundle was made of -------------------------------------------------- */

static int add_source(struct strbuf *to, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return MT_ENOTFOUND;
	return strbuf_addf(to,
			   "%" PRIuMAX " %" PRIuMAX " %" PRIdMAX " %" PRIdMAX ".%09ld "
			   "%" PRIdMAX ".%09ld %s\n",
			   (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
			   (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
			   st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec,
			   st.st_ctim.tv_nsec, path);
}

static char *sources_path(const char *bundles, const char *runner,
			  const char *const *plugins, size_t count, struct error *err)
{
	AUTO(strbuf) struct strbuf all = STRBUF(TEXT_MAX);
	char name[BUNDLE_NAME], *path = NULL;

	strbuf_addf(&all, "%s\n", runner);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&all, "%s\n", plugins[i]);
	if (all.error) {
		out_of_memory(err);
		return NULL;
	}
	if (name_of(&all, name, err))
		return NULL;
	if (asprintf(&path, "%s/%s.sources", bundles, name) < 0) {
		out_of_memory(err);
		return NULL;
	}
	return path;
}

/* True if nothing has changed since the bundle was made. The first line is its name. */
static bool find_made(const char *sources, const char *bundles, struct bundle *ret)
{
	AUTO(free) char *text = NULL;
	AUTO(free) char *path = NULL;
	size_t len;
	char *rest, *line;
	struct stat st;

	if (file_read(sources, SOURCES_MAX, &text, &len, NULL))
		return false;
	rest = text;
	line = strsep(&rest, "\n");
	if (strspn(line, "0123456789abcdef") != BUNDLE_NAME - 1 ||
	    line[BUNDLE_NAME - 1] || !(path = path_join(bundles, line)) ||
	    stat(path, &st) < 0)
		return false;
	memcpy(ret->name, line, BUNDLE_NAME);
	while ((line = strsep(&rest, "\n")) && *line) {
		AUTO(strbuf) struct strbuf now = STRBUF(TEXT_MAX);
		const char *file = strchr(line, '/');

		if (!file || add_source(&now, file) || now.len != strlen(line) + 1 ||
		    strncmp(now.text, line, now.len - 1) != 0)
			return false;
	}
	ret->path = STEAL(path);
	return true;
}

/* Without this file, the next call makes the bundle again. */
static void keep_sources(const struct making *m, const struct bundle *b, const char *path)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SOURCES_MAX);
	int status = strbuf_addf(&text, "%s\n", b->name);

	for (size_t i = 0; !status && i < m->count; i++)
		status = add_source(&text, m->items[i].from);
	if (!status)
		file_write(path, text.text, text.len, 0600, false, NULL);
}

int bundle_make(const char *runner, const char *const *plugins, size_t count,
		struct bundle *ret, struct error *err)
{
	AUTO(free) char *cache = NULL, *bundles = NULL, *sources = NULL, *loader = NULL;
	AUTO(free) char *directory = strdup(runner), *start = NULL;
	AUTO(making) struct making *m = NULL;
	int status;

	*ret = (struct bundle){ 0 };
	if (!directory)
		return out_of_memory(err);
	if (paths_xdg_dir("CACHE", true, &cache, err))
		return err->code;
	if (!(bundles = path_join(cache, "bundles")))
		return out_of_memory(err);
	if (dir_make(bundles, err) ||
	    !(sources = sources_path(bundles, runner, plugins, count, err)))
		return err->code;
	if (find_made(sources, bundles, ret))
		return MT_OK;
	*(strrchr(directory, '/') ? strrchr(directory, '/') : directory) = '\0';
	start = path_join(directory, start_name);
	m = calloc(1, sizeof *m);
	if (!start || !m)
		return out_of_memory(err);
	if (!path_is_program(start))
		return fail(err, MT_ENOTFOUND,
			    "%s is not installed; build Mortise with a static C library "
			    "(libc.a)",
			    start);
	if (bundle_loader(runner, &loader, err))
		return err->code;
	m->loader = loader;
	status = add_all(m, runner, start, plugins, count, err);
	if (!status)
		status = build(m, bundles, ret, err);
	if (status)
		bundle_clear(ret);
	else
		keep_sources(m, ret, sources);
	return status;
}
