/* SPDX-License-Identifier: MIT
 *
 * cache.c - the results of discovery, stored in one file.
 *
 * The first line of the file is a JSON object with an entry for each plugin file. The
 * second one contains the JSON texts of the components' `options` and `data`, which the
 * entries reference by offset and length: most of them are never parsed.
 *
 * An entry is valid while path, size, mtime, inode, the version of this program, and its
 * ABI are unchanged. A refusal is valid only while the system's libraries are also
 * unchanged. A refusal that may be temporary (a crash, a timeout, a missing library)
 * expires. Users never have to delete this file. */
#include "files.h"
#include "registry/internal.h"
#include <config.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { CACHE_MAX = 32 << 20, FILES_MAX = 4096, FORMAT = 6 };

static void host_key(char *key, size_t size)
{
	size_t len = (size_t)snprintf(key, size, "%s abi %u.%u", PACKAGE_VERSION,
				      MT_ABI_MAJOR, MT_ABI_MINOR);

	for (int k = 1; kind_info(k) && len < size; k++)
		len += (size_t)snprintf(key + len, size - len, " %s %u.%u", kind_name(k),
					kind_info(k)->major, kind_info(k)->minor);
}

void cache_key(const struct stat *st, char *key, size_t size)
{
	snprintf(key, size, "%lld:%lld.%09ld:%llu", (long long)st->st_size,
		 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
		 (unsigned long long)st->st_ino);
}

/* Changes when libraries are installed or removed. */
static void library_key(char *key, size_t size)
{
	struct stat st = { 0 };

	stat("/etc/ld.so.cache", &st);
	cache_key(&st, key, size);
}

/* ---- the texts of components ------------------------------------------------- */

static const char *const texts[] = { "options", "data" };

/* Call `change` for the member of each component of each entry that is one of `texts`. */
static int each_text(json_object *files,
		     int (*change)(json_object *component, const char *name, void *arg),
		     void *arg)
{
	int status = MT_OK;

	json_object_object_foreach(files, path, entry) {
		json_object *all = js_path(entry, "plugin.components");

		(void)path;
		for (size_t i = 0; i < js_length(all); i++)
			for (size_t n = 0; !status && n < ARRAY_LEN(texts); n++)
				status = change(json_object_array_get_idx(all, i),
						texts[n], arg);
	}
	return status;
}

struct text_range {
	const char *text;
	size_t len;
};

/* Replace the reference by the text. */
static int load_text(json_object *component, const char *name, void *arg)
{
	const struct text_range *all = arg;
	json_object *range = js_get(component, name);
	int64_t at, len;

	if (js_length(range) != 2)
		return MT_EINVAL;
	at = json_object_get_int64(json_object_array_get_idx(range, 0));
	len = json_object_get_int64(json_object_array_get_idx(range, 1));
	if (at < 0 || len < 0 || (size_t)at > all->len ||
	    (size_t)len > all->len - (size_t)at)
		return MT_EINVAL;
	return js_set_strn(component, name, all->text + at, (size_t)len);
}

/* Append the text, and replace it by the reference. */
static int save_text(json_object *component, const char *name, void *arg)
{
	struct strbuf *all = arg;
	json_object *text = js_get(component, name), *range = js_new_list();
	size_t at = all->len;

	strbuf_addn(all, json_object_get_string(text),
		    (size_t)json_object_get_string_len(text));
	js_add_new(range, json_object_new_int64((int64_t)at));
	js_add_new(range, json_object_new_int64((int64_t)(all->len - at)));
	return all->error ? all->error : js_set_new(component, name, range);
}

/* The entries of the file; NULL: it is missing, damaged or of another version. */
static json_object *cache_parse(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	AUTO(json) json_object *all =
		end ? js_parse_object(text, (size_t)(end - text), NULL) : NULL;
	json_object *files = js_get(all, "files");
	char host[512];

	host_key(host, sizeof host);
	if (!json_object_is_type(files, json_type_object) ||
	    js_int(all, "format", 0) != FORMAT ||
	    strcmp(js_str(all, "host", ""), host) != 0)
		return NULL;
	struct text_range rest = { end + 1, len - (size_t)(end + 1 - text) };

	if ((int64_t)rest.len != js_int(all, "texts", -1) ||
	    each_text(files, load_text, &rest))
		return NULL;
	return json_object_get(files);
}

/* ---- entries -------------------------------------------------------------------- */

void cache_open(struct cache *cache)
{
	AUTO(free) char *directory = NULL, *text = NULL;
	size_t len;

	*cache = (struct cache){ 0 };
	if (paths_xdg_dir("CACHE", false, &directory, NULL) == MT_OK)
		cache->path = path_join(directory, "plugins.json");
	if (cache->path &&
	    file_read(cache->path, CACHE_MAX, &text, &len, NULL) == MT_OK &&
	    path_is_safe(cache->path, NULL))
		cache->files = cache_parse(text, len);
	if (!cache->files)
		cache->files = json_object_new_object();
}

json_object *cache_find(const struct cache *cache, const char *path,
			const struct stat *st)
{
	json_object *entry = cache->files ? js_get(cache->files, path) : NULL;
	char key[96], libraries[96];

	cache_key(st, key, sizeof key);
	if (!entry || strcmp(js_str(entry, "key", ""), key) != 0)
		return NULL;
	if (js_get(entry, "plugin"))
		return entry;
	library_key(libraries, sizeof libraries);
	if (strcmp(js_str(entry, "libraries", ""), libraries) != 0)
		return NULL;
	if (js_get(entry, "retry") && (int64_t)time(NULL) >= js_int(entry, "retry", 0))
		return NULL;
	return js_get(entry, "refused") ? entry : NULL;
}

/* The number of probes of this file during which the program itself terminated. */
static int64_t unfinished(json_object *entry)
{
	pid_t prober = (pid_t)js_int(entry, "prober", 0);

	if (!prober || kill(prober, 0) == 0 || errno == EPERM)
		return js_int(entry, "unfinished", 0);
	return js_int(entry, "unfinished", 0) + 1;
}

bool cache_is_fatal(const struct cache *cache, const char *path, const struct stat *st)
{
	json_object *entry = cache->files ? js_get(cache->files, path) : NULL;
	char key[96];

	cache_key(st, key, sizeof key);
	return entry && strcmp(js_str(entry, "key", ""), key) == 0 &&
	       unfinished(entry) >= 2;
}

int cache_begin(struct cache *cache, const char *path, const struct stat *st)
{
	json_object *entry = cache->files ? js_get(cache->files, path) : NULL;
	int64_t before = 0;
	char key[96];

	if (!cache->files)
		return MT_ENOMEM;
	cache_key(st, key, sizeof key);
	if (entry && strcmp(js_str(entry, "key", ""), key) == 0)
		before = unfinished(entry);
	entry = json_object_new_object();
	if (!entry || js_set_str(entry, "key", key) ||
	    js_set_int(entry, "prober", getpid()) ||
	    js_set_int(entry, "unfinished", before)) {
		json_object_put(entry);
		return MT_ENOMEM;
	}
	cache->changed = true;
	return js_set(cache->files, path, entry);
}

void cache_forget(struct cache *cache, const char *path)
{
	json_object_object_del(cache->files, path);
	cache->changed = true;
}

/* The component with its `options` and `data` as JSON text (component-options.c). */
static json_object *packed_component(json_object *component)
{
	json_object *packed = js_new_object();

	json_object_object_foreach(component, name, value)
		js_set(packed, name, json_object_get(value));
	js_set_str(packed, "options", js_text(js_get(component, "options"), NULL));
	js_set_str(packed, "data", js_text(js_get(component, "data"), NULL));
	return packed;
}

/* The description in the form in which it is stored. */
static json_object *packed(json_object *plugin)
{
	json_object *all = js_get(plugin, "components"), *components = js_new_list();
	json_object *ret = js_new_object();

	json_object_object_foreach(plugin, name, value)
		js_set(ret, name, json_object_get(value));
	for (size_t i = 0; i < js_length(all); i++)
		js_add(components, packed_component(json_object_array_get_idx(all, i)));
	js_set(ret, "components", components);
	return ret;
}

int cache_put(struct cache *cache, const char *path, const struct stat *st,
	      json_object *plugin, const char *reason, int retry_after)
{
	json_object *entry = json_object_new_object();
	char key[96], libraries[96];
	int status = entry && cache->files ? MT_OK : MT_ENOMEM;

	cache_key(st, key, sizeof key);
	if (!status)
		status = js_set_str(entry, "key", key);
	if (!status && plugin) {
		status = js_set(entry, "plugin", packed(plugin));
	} else if (!status) {
		library_key(libraries, sizeof libraries);
		status = js_set_str(entry, "refused", reason);
		if (!status)
			status = js_set_str(entry, "libraries", libraries);
		if (!status && retry_after)
			status = js_set_int(entry, "retry",
					    (int64_t)time(NULL) + retry_after);
	}
	if (!status) {
		status = js_set(cache->files, path, entry);
		entry = NULL;
		cache->changed = true;
	}
	json_object_put(entry);
	return status;
}

/* Remove the entries of missing files, but not of files outside the current plugin path.
 * */
static void forget_gone(json_object *files)
{
	const char *gone[64];
	size_t count = 0;

	json_object_object_foreach(files, path, entry) {
		(void)entry;
		if (count < ARRAY_LEN(gone) && access(path, F_OK) != 0)
			gone[count++] = path;
	}
	while (count > 0)
		json_object_object_del(files, gone[--count]);
}

void cache_write(struct cache *cache)
{
	AUTO(strbuf) struct strbuf text = STRBUF(CACHE_MAX);
	AUTO(strbuf) struct strbuf texts_of_all = STRBUF(CACHE_MAX);
	AUTO(json) json_object *files = NULL;
	AUTO(free) char *directory = NULL;
	char host[512];

	if (!cache->changed || !cache->path || !cache->files ||
	    paths_xdg_dir("CACHE", true, &directory, NULL))
		return;
	cache->changed = false;
	forget_gone(cache->files);
	if (json_object_object_length(cache->files) > FILES_MAX)
		return;
	if (json_object_deep_copy(cache->files, &files, NULL) ||
	    each_text(files, save_text, &texts_of_all))
		return;
	host_key(host, sizeof host);
	strbuf_addc(&text, '{');
	js_key_int(&text, "format", FORMAT);
	js_key_str(&text, "host", host);
	js_key_int(&text, "texts", (int64_t)texts_of_all.len);
	js_key(&text, "files");
	js_put(&text, files);
	strbuf_add(&text, "}\n");
	strbuf_addn(&text, texts_of_all.text, texts_of_all.len);
	if (!text.error)
		file_write(cache->path, text.text, text.len, 0600, false, NULL);
}

void cache_close(struct cache *cache)
{
	cache_write(cache);
	json_object_put(cache->files);
	free(cache->path);
	*cache = (struct cache){ 0 };
}
