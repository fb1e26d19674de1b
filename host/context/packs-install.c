/* SPDX-License-Identifier: MIT
 *
 * packs-install.c - archives that are installed: the folder, its lock file,
 * hashes and signatures. */
#include "context/packs.h"

#include "base64.h"
#include "files.h"

#include <dirent.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

#define LOCK_FILE "skills.lock"

enum { SIGNATURE = 64, LOCK_MAX = 4 << 20 };

char *packs_folder(bool make, struct error *err)
{
	AUTO(free) char *data = NULL;
	char *folder;

	if (xdg_dir("DATA", make, &data, err))
		return NULL;
	folder = path_join(data, "skills.d");
	if (folder && make && dir_make(folder, err)) {
		free(folder);
		return NULL;
	}
	return folder;
}

int pack_hash(const char *path, char hex[65], struct error *err)
{
	AUTO(free) char *bytes = NULL;
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	size_t len;

	if (file_read(path, PACK_FILE_MAX, &bytes, &len, err))
		return err ? err->code : MT_EIO;
	if (EVP_Digest(bytes, len, sum, &n, EVP_sha256(), NULL) != 1 || n != 32)
		return fail(err, MT_EIO, "SHA-256 is not to be had from the crypto library");
	for (unsigned i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	return MT_OK;
}

/* ---- the lock file --------------------------------------------------------- */

json_object *packs_locked(const char *folder)
{
	AUTO(free) char *path = path_join(folder, LOCK_FILE), *text = NULL;
	size_t len;

	return path && !file_read(path, LOCK_MAX, &text, &len, NULL)
		       ? js_parse_object(text, len, NULL) : NULL;
}

static int lock_write(const char *folder, json_object *locked, struct error *err)
{
	AUTO(free) char *path = path_join(folder, LOCK_FILE);
	size_t len;
	const char *text = js_text(locked, &len);

	return path && text ? file_write(path, text, len, 0600, true, err)
			    : fail(err, MT_ENOMEM, "out of memory");
}

static bool is_name(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= 100 && name[0] != '.'
	       && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
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

	strbuf_addf(&name, "%s%s%s", p->name,
		    is_name(p->version) ? "-" : "", is_name(p->version) ? p->version : "");
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(path + len - n, suffixes[i]) == 0) {
			strbuf_add(&name, suffixes[i]);
			return strbuf_take(&name);
		}
	}
	return NULL;
}

static int copy_file(const char *from, const char *to, struct error *err)
{
	AUTO(free) char *bytes = NULL;
	size_t len;
	int r = file_read(from, PACK_FILE_MAX, &bytes, &len, err);

	return r ? r : file_write(to, bytes, len, 0600, true, err);
}

static void remove_file(const char *folder, const char *file)
{
	AUTO(free) char *path = *file && !strchr(file, '/') ? path_join(folder, file) : NULL;

	if (path)
		unlink(path);
}

static int install(const struct pack *p, const char *path, const char *folder,
		   const char *source, const char *signer, struct error *err)
{
	AUTO(free) char *file = file_name(p, path);
	AUTO(free) char *to = file ? path_join(folder, file) : NULL;
	AUTO(json) json_object *locked = packs_locked(folder);
	const char *before;
	json_object *o;
	char hex[65];
	int r = to ? pack_hash(path, hex, err) : fail(err, MT_EINVAL, "%s: not the name of an "
						      "archive", path);

	if (!r)
		r = copy_file(path, to, err);
	if (r)
		return r;
	locked = locked ? locked : json_object_new_object();
	before = js_str(js_get(locked, p->name), "file", "");
	if (strcmp(before, file) != 0)
		remove_file(folder, before);
	o = json_object_new_object();
	js_set_str(o, "file", file);
	js_set_str(o, "version", p->version);
	js_set_str(o, "sha256", hex);
	js_set_str(o, "source", source);
	js_set_str(o, "signer", signer);
	return js_set(locked, p->name, o) ? fail(err, MT_ENOMEM, "out of memory")
					  : lock_write(folder, locked, err);
}

int pack_install(const char *path, const char *source, const char *signer,
		 char **ret_name, struct error *err)
{
	AUTO(free) char *folder = packs_folder(true, err);
	AUTO(pack) struct pack *p = NULL;
	AUTO(skills) struct skills *s = NULL;
	int r = folder ? pack_open(path, &p, &s, err) : fail(err, MT_EIO, "no folder for it");

	if (r)
		return r;
	for (char *at = p->name; *at; at++) /* @scope/name */
		if (*at == '/')
			*at = '-';
	if (!is_name(p->name))
		return fail(err, MT_EINVAL, "%s: `%.100s` is not a name for a pack", path,
			    p->name);
	if (!skills_at(s, 0))
		return fail(err, MT_EINVAL, "%s: there is no skill in it", path);
	r = install(p, path, folder, source, signer, err);
	if (!r)
		*ret_name = STEAL(p->name);
	return r;
}

int pack_remove(const char *name, struct error *err)
{
	AUTO(free) char *folder = packs_folder(false, err);
	AUTO(json) json_object *locked = folder ? packs_locked(folder) : NULL;
	json_object *o = js_get(locked, name);

	if (!o)
		return fail(err, MT_ENOTFOUND, "no pack `%.100s` is installed", name);
	remove_file(folder, js_str(o, "file", ""));
	json_object_object_del(locked, name);
	return lock_write(folder, locked, err);
}

/* ---- signatures ------------------------------------------------------------- */

static EVP_PKEY *read_key(const char *path, bool private, struct error *err)
{
	AUTO(fclose) FILE *f = fopen(path, "re");
	EVP_PKEY *key = !f ? NULL : private ? PEM_read_PrivateKey(f, NULL, NULL, NULL)
					    : PEM_read_PUBKEY(f, NULL, NULL, NULL);

	if (key && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519)
		return key;
	EVP_PKEY_free(key);
	fail(err, MT_EINVAL, "%s: there is no %s Ed25519 key in PEM form in it", path,
	     private ? "private" : "public");
	return NULL;
}

static char *signature_path(const char *path)
{
	AUTO(strbuf) struct strbuf s = STRBUF(8192);

	strbuf_addf(&s, "%s.sig", path);
	return strbuf_take(&s);
}

int pack_sign(const char *path, const char *key_path, struct error *err)
{
	EVP_PKEY *key = read_key(key_path, true, err);
	EVP_MD_CTX *x = key ? EVP_MD_CTX_new() : NULL;
	AUTO(free) char *bytes = NULL, *to = signature_path(path);
	AUTO(strbuf) struct strbuf text = STRBUF(256);
	unsigned char signature[SIGNATURE];
	size_t len = 0, n = sizeof signature;
	int r = x && to ? file_read(path, PACK_FILE_MAX, &bytes, &len, err)
			: fail(err, MT_ENOMEM, "out of memory");

	if (!r && (EVP_DigestSignInit(x, NULL, NULL, NULL, key) != 1
		   || EVP_DigestSign(x, signature, &n, (unsigned char *)bytes, len) != 1))
		r = fail(err, MT_EIO, "%s: signing failed", path);
	if (!r) {
		base64_put(&text, signature, n);
		strbuf_addc(&text, '\n');
		r = file_write(to, text.text, text.len, 0644, false, err);
	}
	EVP_MD_CTX_free(x);
	EVP_PKEY_free(key);
	return r;
}

/* The signature beside an archive: 64 bytes, or the same as base64. */
static int read_signature(const char *path, struct strbuf *out, struct error *err)
{
	AUTO(free) char *file = signature_path(path), *text = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int r = file ? file_read(file, 1024, &text, &len, &why) : MT_ENOMEM;

	if (r)
		return r == MT_ENOTFOUND ? r : fail(err, r, "%s", why.text);
	if (len == SIGNATURE)
		return strbuf_addn(out, text, len);
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	if (base64_read(out, text, len) || out->len != SIGNATURE)
		return fail(err, MT_EINVAL, "%s: not an Ed25519 signature", file);
	return MT_OK;
}

static bool holds(EVP_PKEY *key, const struct strbuf *signature, const char *bytes, size_t len)
{
	EVP_MD_CTX *x = EVP_MD_CTX_new();
	bool yes = x && EVP_DigestVerifyInit(x, NULL, NULL, NULL, key) == 1
		   && EVP_DigestVerify(x, (unsigned char *)signature->text, signature->len,
				       (const unsigned char *)bytes, len) == 1;

	EVP_MD_CTX_free(x);
	return yes;
}

/* Does it hold for this key? Then its name. */
static bool try_key(const char *path, const struct strbuf *signature, const char *bytes,
		    size_t len, char **ret_signer, struct error *err)
{
	EVP_PKEY *key = read_key(path, false, err);
	bool yes = key && holds(key, signature, bytes, len);
	const char *file = strrchr(path, '/');

	EVP_PKEY_free(key);
	if (yes)
		*ret_signer = strdup(file ? file + 1 : path);
	return yes;
}

static bool try_known_keys(const struct strbuf *signature, const char *bytes, size_t len,
			   char **ret_signer)
{
	AUTO(free) char *config = NULL, *folder = NULL;
	struct dirent *d;
	bool yes = false;
	DIR *dir;

	if (xdg_dir("CONFIG", false, &config, NULL))
		return false;
	folder = path_join(config, "keys");
	dir = folder ? opendir(folder) : NULL;
	while (dir && !yes && (d = readdir(dir))) {
		AUTO(free) char *path = path_join(folder, d->d_name);

		yes = path && d->d_name[0] != '.'
		      && try_key(path, signature, bytes, len, ret_signer, NULL);
	}
	if (dir)
		closedir(dir);
	return yes;
}

int pack_signed(const char *path, const char *key, char **ret_signer, struct error *err)
{
	AUTO(strbuf) struct strbuf signature = STRBUF(256);
	AUTO(free) char *bytes = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int r = read_signature(path, &signature, err);

	*ret_signer = NULL;
	if (!r)
		r = file_read(path, PACK_FILE_MAX, &bytes, &len, err);
	if (r)
		return r;
	if (key ? try_key(key, &signature, bytes, len, ret_signer, &why)
		: try_known_keys(&signature, bytes, len, ret_signer))
		return *ret_signer ? MT_OK : fail(err, MT_ENOMEM, "out of memory");
	if (why.code)
		return fail(err, why.code, "%s", why.text);
	return fail(err, MT_EDENIED, "%s: the signature does not hold for %s", path,
		    key ? key : "any key in the folder keys of the configuration");
}
