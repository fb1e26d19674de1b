/* SPDX-License-Identifier: MIT
 *
 * trust.c - which files of projects count: those whose path and content the
 * user has agreed to. Kept as {"PATH": "SHA-256"} among the user's state. */
#include "config/layers.h"
#include "files.h"
#include "ini.h"
#include <openssl/evp.h>
#include <string.h>

enum { STORE_MAX = 1 << 20 };

static int no_memory(struct error *err)
{
	return fail(err, MT_ENOMEM, "out of memory");
}

static int hash(const char *text, size_t len, char hex[65], struct error *err)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (EVP_Digest(text, len, sum, &n, EVP_sha256(), NULL) != 1 || n != 32)
		return fail(err, MT_EIO,
			    "SHA-256 is not to be had from the crypto library");
	for (unsigned i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	return MT_OK;
}

static int store_path(bool make, char **ret, struct error *err)
{
	AUTO(free) char *folder = NULL;
	int status = xdg_dir("STATE", make, &folder, err);

	if (status)
		return status;
	*ret = path_join(folder, "trust.json");
	return *ret ? MT_OK : no_memory(err);
}

/* A store that others may write to, or that cannot be read, trusts nothing. */
static int store_read(const char *path, json_object **ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int status = file_read(path, STORE_MAX, &text, &len, &why);

	if (status == MT_ENOTFOUND) {
		*ret = json_object_new_object();
		return *ret ? MT_OK : no_memory(err);
	}
	if (status)
		return fail(err, status, "%s", why.text);
	if (!path_is_safe(path, &why))
		return fail(err, why.code, "%s", why.text);
	*ret = js_parse_object(text, len, &why);
	return *ret ? MT_OK
		    : fail(err, why.code,
			   "%s: %s: remove it and trust the projects "
			   "again",
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
		return why.code == MT_ENOMEM ? no_memory(err) : MT_OK; /* no home */
	status = store_read(store, &known, err);
	if (status || !js_get(known, path))
		return status;
	status = hash(text, len, hex, err);
	if (!status)
		*ret_trusted = strcmp(js_str(known, path, ""), hex) == 0;
	return status;
}

int config_trust(const char *workspace, struct error *err)
{
	AUTO(free) char *path = path_join(workspace ? workspace : ".",
					  ".mortise/mortise.ini");
	AUTO(free) char *real = NULL, *text = NULL, *store = NULL;
	AUTO(json) json_object *known = NULL;
	struct ini ini = { 0 };
	const char *out;
	char hex[65];
	size_t len;
	int status;

	if (!path)
		return no_memory(err);
	real = realpath(path, NULL);
	if (!real)
		return fail(err, MT_ENOTFOUND, "%s: there is no such file to trust",
			    path);
	status = file_read(real, INI_MAX_FILE, &text, &len, err);
	if (!status && !path_is_safe(real, err))
		status = MT_EDENIED;
	if (!status)
		status = ini_parse_text(real, text, len, &ini, err);
	ini_clear(&ini);
	if (!status)
		status = hash(text, len, hex, err);
	if (!status)
		status = store_path(true, &store, err);
	if (!status)
		status = store_read(store, &known, err);
	if (status)
		return status;
	if (js_set_str(known, real, hex))
		return no_memory(err);
	out = js_text(known, &len);
	return out ? file_write(store, out, len, 0600, true, err) : no_memory(err);
}
