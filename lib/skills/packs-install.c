/* SPDX-License-Identifier: MIT
 *
 * packs-install.c - installs and removes archives: their directory and its lock
 * file. */
#include "skills/packs.h"
#include "skills/skills-internal.h"

#include "files.h"

#include <string.h>
#include <unistd.h>

#define LOCK_FILE "skills.lock"

enum { LOCK_MAX = 4 << 20 };

char *packs_dir(bool make, struct error *err)
{
	AUTO(free) char *data = NULL;
	char *dir;

	if (paths_xdg_dir("DATA", make, &data, err))
		return NULL;
	dir = path_join(data, "skills.d");
	if (dir && make && dir_make_durable(dir, err)) {
		free(dir);
		return NULL;
	}
	return dir;
}

int pack_hash(const char *path, char hex[65], struct error *err)
{
	AUTO(free) char *bytes = NULL;
	size_t len;
	int r = file_read(path, PACK_FILE_MAX, &bytes, &len, err);

	if (!r && pack_hash_bytes(bytes, len, hex))
		r = fail(err, MT_EIO,
			 "cannot compute SHA-256: libcrypto is not available");
	return r;
}

/* ---- the lock file --------------------------------------------------------- */

json_object *packs_read_lock(const char *dir)
{
	AUTO(free) char *path = path_join(dir, LOCK_FILE), *text = NULL;
	size_t len;

	return path && !file_read(path, LOCK_MAX, &text, &len, NULL)
		       ? js_parse_object(text, len, NULL)
		       : NULL;
}

static int lock_write(const char *dir, json_object *locked, struct error *err)
{
	AUTO(free) char *path = path_join(dir, LOCK_FILE);
	size_t len;
	const char *text = js_text(locked, &len);

	return path && text ? file_write(path, text, len, 0600, true, err)
			    : out_of_memory(err);
}

static bool is_pack_name(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= 100 && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789-_.@") == n;
}

/* NAME-VERSION.SUFFIX; owned. */
static char *file_name(const struct pack *p, const char *path)
{
	static const char *const suffixes[] = {
		".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.zst", ".tar", ".zip",
	};
	AUTO(strbuf) struct strbuf name = STRBUF(512);
	size_t len = strlen(path);

	strbuf_addf(&name, "%s%s%s", p->name, is_pack_name(p->version) ? "-" : "",
		    is_pack_name(p->version) ? p->version : "");
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(path + len - n, suffixes[i]) == 0) {
			strbuf_add(&name, suffixes[i]);
			return strbuf_take(&name);
		}
	}
	return NULL;
}

static int copy_archive(const char *from, const char *to, struct error *err)
{
	AUTO(free) char *bytes = NULL;
	size_t len;
	int r = file_read(from, PACK_FILE_MAX, &bytes, &len, err);

	return r ? r : file_write(to, bytes, len, 0600, true, err);
}

static void remove_file(const char *dir, const char *file)
{
	AUTO(free) char *path = *file && !strchr(file, '/') ? path_join(dir, file) : NULL;

	if (path)
		unlink(path);
}

/* A signed pack is not replaced by one with another signer. */
static int check_signer(json_object *locked, const char *name, const char *signer,
			struct error *err)
{
	const char *before = js_str(js_get(locked, name), "signer", "");

	if (!*before || strcmp(before, signer) == 0)
		return MT_OK;
	return fail(
		err, MT_EDENIED,
		"the installed pack %s was signed by %s, but this one %s%s; to replace "
		"it, run `mortise skills remove %s` first",
		name, before, *signer ? "by " : "is not signed", signer, name);
}

static int packs_install_pack(const struct pack *p, const char *path, const char *dir,
			      const char *source, const char *signer, char **ret_path,
			      struct error *err)
{
	AUTO(free) char *file = file_name(p, path);
	AUTO(free) char *to = file ? path_join(dir, file) : NULL;
	AUTO(json) json_object *locked = packs_read_lock(dir);
	const char *before;
	json_object *o;
	char hex[65];
	int r = to ? pack_hash(path, hex, err)
		   : fail(err, MT_EINVAL,
			  "%s: not the name of an "
			  "archive",
			  path);

	if (!r)
		r = check_signer(locked, p->name, signer, err);
	if (!r)
		r = copy_archive(path, to, err);
	if (r)
		return r;
	locked = locked ? locked : json_object_new_object();
	before = js_str(js_get(locked, p->name), "file", "");
	if (strcmp(before, file) != 0)
		remove_file(dir, before);
	o = json_object_new_object();
	if (js_set_str(o, "file", file) || js_set_str(o, "version", p->version) ||
	    js_set_str(o, "sha256", hex) || js_set_str(o, "source", source) ||
	    js_set_str(o, "signer", signer)) {
		json_object_put(o);
		return out_of_memory(err);
	}
	*ret_path = STEAL(to);
	return js_set(locked, p->name, o) ? out_of_memory(err)
					  : lock_write(dir, locked, err);
}

int pack_install(const char *path, const char *source, const char *signer,
		 char **ret_name, struct error *err)
{
	AUTO(free) char *dir = packs_dir(true, err), *to = NULL;
	AUTO(pack) struct pack *p = NULL;
	AUTO(skills) struct skills *s = NULL;
	int r = dir ? pack_open(path, &p, &s, err)
		    : fail(err, MT_EIO, "cannot determine the skills directory");

	if (r)
		return r;
	for (char *at = p->name; *at; at++) /* @scope/name */
		if (*at == '/')
			*at = '-';
	if (!is_pack_name(p->name))
		return fail(err, MT_EINVAL, "%s: invalid pack name `%.100s`", path,
			    p->name);
	if (!skills_at(s, 0))
		return fail(err, MT_EINVAL, "%s: the archive contains no skill", path);
	r = packs_install_pack(p, path, dir, source, signer, &to, err);
	if (!r) { /* so that no later start reads the whole archive */
		AUTO(skills) struct skills *known = skills_new("", NULL);

		if (known)
			skills_add_pack(known, to, NULL);
		*ret_name = STEAL(p->name);
	}
	return r;
}

int pack_remove(const char *name, struct error *err)
{
	AUTO(free) char *dir = packs_dir(false, err);
	AUTO(json) json_object *locked = dir ? packs_read_lock(dir) : NULL;
	json_object *o = js_get(locked, name);

	if (!o)
		return fail(err, MT_ENOTFOUND, "pack `%.100s` is not installed", name);
	remove_file(dir, js_str(o, "file", ""));
	json_object_object_del(locked, name);
	return lock_write(dir, locked, err);
}
