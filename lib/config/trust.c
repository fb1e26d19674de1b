/* SPDX-License-Identifier: MIT
 *
 * trust.c - trusts project files by path and SHA-256, stored in the user's state
 * directory. */
#include "config/layers.h"
#include "digest.h"
#include "files.h"
#include "ini.h"
#include <string.h>

enum { STORE_MAX = 1 << 20 };

static int trust_hash(const char *text, size_t len, char hex[65], struct error *err)
{
	if (digest_sha256_hex(text, len, hex))
		return fail(err, MT_EIO,
			    "cannot compute SHA-256: libcrypto is not available");
	return MT_OK;
}

static int store_path(bool make, char **ret, struct error *err)
{
	AUTO(free) char *dir = NULL;
	int status = paths_xdg_dir("STATE", make, &dir, err);

	if (status)
		return status;
	*ret = path_join(dir, "trust.json");
	return *ret ? MT_OK : out_of_memory(err);
}

/* A store that is writable by others or unreadable counts as empty. */
static int store_read(const char *path, json_object **ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int status = file_read(path, STORE_MAX, &text, &len, &why);

	if (status == MT_ENOTFOUND) {
		*ret = json_object_new_object();
		return *ret ? MT_OK : out_of_memory(err);
	}
	if (status)
		return fail(err, status, "%s", why.text);
	if (!path_is_safe(path, &why))
		return fail(err, why.code, "%s", why.text);
	*ret = js_parse_object(text, len, &why);
	return *ret ? MT_OK
		    : fail(err, why.code,
			   "cannot read %s: %s; delete it and trust the projects again",
			   path, why.text);
}

int trust_check(const char *path, const char *text, size_t len, bool *ret_trusted,
		struct error *err)
{
	AUTO(free) char *store = NULL;
	AUTO(json) json_object *known = NULL;
	struct error why = ERROR_NONE;
	char hex[65];
	int status;

	*ret_trusted = false;
	if (store_path(false, &store, &why))
		return why.code == MT_ENOMEM ? out_of_memory(err) : MT_OK; /* no home */
	status = store_read(store, &known, err);
	if (status || !js_get(known, path))
		return status;
	status = trust_hash(text, len, hex, err);
	if (!status)
		*ret_trusted = strcmp(js_str(known, path, ""), hex) == 0;
	return status;
}

int config_trusted(const char *path, const char *text, size_t len, bool *ret,
		   struct error *err)
{
	AUTO(free) char *real = realpath(path, NULL);

	*ret = false;
	return real ? trust_check(real, text, len, ret, err) : MT_OK;
}

/* The file must be valid: otherwise each later run would fail. */
static int check_ini(const char *path, const char *text, size_t len, struct error *err)
{
	AUTO(config) struct config *c = calloc(1, sizeof *c);

	return c ? config_apply_text(c, path, text, len, LAYER_PROJECT, err)
		 : out_of_memory(err);
}

static int check_json(const char *path, const char *text, size_t len, struct error *err)
{
	struct error why = ERROR_NONE;
	json_object *o = js_parse_object(text, len, &why);

	json_object_put(o);
	return o ? MT_OK : fail(err, why.code, "%s: %s", path, why.text);
}

/* A script is not checked. */
static int check_none(const char *path, const char *text, size_t len, struct error *err)
{
	(void)path, (void)text, (void)len, (void)err;
	return MT_OK;
}

/* `*found` is set if the file exists. */
static int trust_one(json_object *known, const char *workspace, const char *name,
		     int (*check)(const char *path, const char *text, size_t len,
				  struct error *err),
		     bool *found, struct error *err)
{
	AUTO(free) char *path = path_join(workspace ? workspace : ".", name);
	AUTO(free) char *real = path ? realpath(path, NULL) : NULL, *text = NULL;
	char hex[65];
	size_t len;
	int status;

	if (!path)
		return out_of_memory(err);
	if (!real)
		return MT_OK;
	*found = true;
	status = file_read(real, INI_MAX_FILE, &text, &len, err);
	if (!status && !path_is_safe(real, err))
		status = MT_EDENIED;
	if (!status)
		status = check(real, text, len, err);
	if (!status)
		status = trust_hash(text, len, hex, err);
	if (!status && js_set_str(known, real, hex))
		status = out_of_memory(err);
	return status;
}

int config_trust(const char *workspace, struct error *err)
{
	AUTO(free) char *store = NULL;
	AUTO(json) json_object *known = NULL;
	const char *out;
	bool found = false;
	size_t len;
	int status = store_path(true, &store, err);

	if (!status)
		status = store_read(store, &known, err);
	if (!status)
		status = trust_one(known, workspace, ".mortise/mortise.ini", check_ini,
				   &found, err);
	if (!status)
		status = trust_one(known, workspace, ".openhands/hooks.json", check_json,
				   &found, err);
	if (!status)
		status = trust_one(known, workspace, ".openhands/setup.sh", check_none,
				   &found, err);
	if (status)
		return status;
	if (!found)
		return fail(err, MT_ENOTFOUND,
			    "nothing to trust in %s: no "
			    ".mortise/mortise.ini, "
			    ".openhands/hooks.json or "
			    ".openhands/setup.sh",
			    workspace ? workspace : ".");
	out = js_text(known, &len);
	return out ? file_write(store, out, len, 0600, true, err) : out_of_memory(err);
}
