/* SPDX-License-Identifier: MIT
 *
 * cache.c - the results of discovery, stored in one JSON file.
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

enum { CACHE_MAX = 32 << 20, FILES_MAX = 4096, FORMAT = 4 };

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

void cache_open(struct cache *cache)
{
	AUTO(free) char *directory = NULL, *text = NULL;
	AUTO(json) json_object *all = NULL;
	char host[512];
	size_t len;

	*cache = (struct cache){ 0 };
	if (paths_xdg_dir("CACHE", false, &directory, NULL) == MT_OK)
		cache->path = path_join(directory, "plugins.json");
	host_key(host, sizeof host);
	if (cache->path &&
	    file_read(cache->path, CACHE_MAX, &text, &len, NULL) == MT_OK &&
	    path_is_safe(cache->path, NULL))
		all = js_parse_object(text, len, NULL);
	if (all && js_int(all, "format", 0) == FORMAT &&
	    strcmp(js_str(all, "host", ""), host) == 0 &&
	    json_object_is_type(js_get(all, "files"), json_type_object))
		cache->files = json_object_get(js_get(all, "files"));
	else
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

/* Removes the entries of missing files, but not of files outside the current plugin path.
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
	AUTO(free) char *directory = NULL;
	char host[512];

	if (!cache->changed || !cache->path || !cache->files ||
	    paths_xdg_dir("CACHE", true, &directory, NULL))
		return;
	cache->changed = false;
	forget_gone(cache->files);
	if (json_object_object_length(cache->files) > FILES_MAX)
		return;
	host_key(host, sizeof host);
	strbuf_addc(&text, '{');
	js_key_int(&text, "format", FORMAT);
	js_key_str(&text, "host", host);
	js_key(&text, "files");
	js_put(&text, cache->files);
	strbuf_addc(&text, '}');
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
