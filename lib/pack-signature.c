/* SPDX-License-Identifier: MIT
 *
 * pack-signature.c - Ed25519 signatures of archives: over the whole file, in a
 * file next to it, or inside, over the list of its contents. */
#include "pack.h"

#include "array.h"
#include "base64.h"
#include "digest.h"
#include "files.h"

#include <dirent.h>
#include <string.h>

#define SUMS_FORM "mortise-pack-1\n"

enum { SIGNATURE = 64 };

/* ---- what an archive holds, as a text ------------------------------------- */

int pack_sums_add(struct pack_sums *s, char kind, const char *path, const char *hex)
{
	char *line = NULL;
	int status = ARRAY_GROW(s->lines, &s->room, s->count + 1, ARRAY_MAX);

	if (status)
		return status;
	if (asprintf(&line, "%s\t%c %s\n", path, kind, hex) < 0)
		return MT_ENOMEM;
	s->lines[s->count++] = line;
	return MT_OK;
}

void pack_sums_clear(struct pack_sums *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->lines[i]);
	free(s->lines);
	*s = (struct pack_sums){ 0 };
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_sums(struct pack_sums *s, struct strbuf *out)
{
	strbuf_add(out, SUMS_FORM);
	if (s->count)
		qsort(s->lines, s->count, sizeof *s->lines, by_text);
	for (size_t i = 0; i < s->count; i++)
		strbuf_add(out, s->lines[i]);
}

int pack_hash_bytes(const char *bytes, size_t len, char hex[65])
{
	return digest_sha256_hex(bytes, len, hex);
}

/* ---- keys ------------------------------------------------------------------- */

static EVP_PKEY *read_pem_key(const char *path, bool private, struct error *err)
{
	AUTO(fclose) FILE *f = fopen(path, "re");
	const struct crypto_api *api = digest_crypto_api(err);
	EVP_PKEY *key;

	if (!api)
		return NULL;
	key = !f        ? NULL
	      : private ? api->PEM_read_PrivateKey(f, NULL, NULL, NULL)
			: api->PEM_read_PUBKEY(f, NULL, NULL, NULL);
	if (key && api->EVP_PKEY_get_id(key) == EVP_PKEY_ED25519)
		return key;
	api->EVP_PKEY_free(key);
	fail(err, MT_EINVAL, "%s: not an Ed25519 %s key in PEM format", path,
	     private ? "private" : "public");
	return NULL;
}

/* ---- signing ------------------------------------------------------------------ */

/* Write as base64 and a newline. */
static int pack_signature_sign(const char *bytes, size_t len, const char *key_path,
			       struct strbuf *out, struct error *err)
{
	EVP_PKEY *key = read_pem_key(key_path, true, err);
	const struct crypto_api *api = digest_crypto_api(NULL);
	EVP_MD_CTX *x = key ? api->EVP_MD_CTX_new() : NULL;
	unsigned char signature[SIGNATURE];
	size_t n = sizeof signature;
	int r = MT_OK;

	if (!key)
		return err->code;
	if (!x || api->EVP_DigestSignInit(x, NULL, NULL, NULL, key) != 1 ||
	    api->EVP_DigestSign(x, signature, &n, (const unsigned char *)bytes, len) != 1)
		r = fail(err, MT_EIO, "signing with %s failed", key_path);
	else if (base64_put(out, signature, n) || strbuf_addc(out, '\n'))
		r = out_of_memory(err);
	api->EVP_MD_CTX_free(x);
	api->EVP_PKEY_free(key);
	return r;
}

static char *signature_path(const char *path)
{
	char *to = NULL;

	return asprintf(&to, "%s.sig", path) < 0 ? NULL : to;
}

int pack_sign(const char *path, const char *key, struct error *err)
{
	AUTO(free) char *bytes = NULL, *to = signature_path(path);
	AUTO(strbuf) struct strbuf text = STRBUF(256);
	size_t len = 0;
	int r = to ? file_read(path, PACK_FILE_MAX, &bytes, &len, err)
		   : out_of_memory(err);

	if (!r)
		r = pack_signature_sign(bytes, len, key, &text, err);
	return r ? r : file_write(to, text.text, text.len, 0644, false, err);
}

int pack_sums_sign(struct pack_sums *s, const char *key, struct strbuf *out,
		   struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(32 << 20);

	put_sums(s, &text);
	return text.error ? fail(err, text.error, "the file is too large to sign")
			  : pack_signature_sign(text.text, text.len, key, out, err);
}

/* ---- verifying ------------------------------------------------------------------ */

struct claim {
	char *bytes; /* the signed bytes; owned */
	size_t len;
	unsigned char signature[SIGNATURE];
};

/* 64 bytes, or the same as base64. */
static int read_signature(struct claim *c, const char *where, const char *text,
			  size_t len, struct error *err)
{
	AUTO(strbuf) struct strbuf raw = STRBUF(1024);

	if (len == SIGNATURE) {
		memcpy(c->signature, text, len);
		return MT_OK;
	}
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	if (base64_read(&raw, text, len) || raw.len != SIGNATURE)
		return fail(err, MT_EINVAL, "%s: not an Ed25519 signature", where);
	memcpy(c->signature, raw.text, SIGNATURE);
	return MT_OK;
}

/* @return MT_ENOTFOUND: not found. */
static int claim_beside(const char *path, struct claim *c, struct error *err)
{
	AUTO(free) char *file = signature_path(path), *text = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int r = file ? file_read(file, 1024, &text, &len, &why) : out_of_memory(&why);

	if (r)
		return r == MT_ENOTFOUND ? r : fail(err, r, "%s", why.text);
	r = read_signature(c, file, text, len, err);
	return r ? r : file_read(path, PACK_FILE_MAX, &c->bytes, &c->len, err);
}

struct looking {
	struct pack_sums sums;
	struct claim *claim;
	bool found;
};

static bool is_signature(const char *path, void *arg)
{
	(void)arg;
	return strcmp(path, PACK_SIGNATURE) == 0;
}

static int collect_signature(const struct pack_entry *e, void *arg, struct error *err)
{
	struct looking *l = arg;
	char hex[65];
	int r = MT_OK;

	if (is_signature(e->path, NULL)) {
		l->found = true;
		return e->bytes ? read_signature(l->claim, e->path, e->bytes, e->len, err)
				: fail(err, MT_EINVAL, "not a regular file: %s", e->path);
	}
	if (e->kind == 'l' && !pack_hash_bytes(e->target, strlen(e->target), hex))
		r = pack_sums_add(&l->sums, 'l', e->path, hex);
	else if (e->kind == 'f')
		r = pack_sums_add(&l->sums, 'f', e->path, e->sha256);
	return r ? fail_code(err, r) : MT_OK;
}

static int claim_inside(const char *path, struct claim *c, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(32 << 20);
	struct looking l = { .claim = c };
	const struct pack_reader reader = {
		.wants = is_signature,
		.entry = collect_signature,
		.arg = &l,
		.sums = true,
	};
	int r = pack_scan(path, &reader, err);

	if (!r && !l.found)
		r = MT_ENOTFOUND;
	if (!r) {
		put_sums(&l.sums, &text);
		c->len = text.len;
		c->bytes = strbuf_take(&text);
		r = c->bytes ? MT_OK : out_of_memory(err);
	}
	pack_sums_clear(&l.sums);
	return r;
}

static bool signature_holds(const struct crypto_api *api, EVP_PKEY *key,
			    const struct claim *c)
{
	EVP_MD_CTX *x = api->EVP_MD_CTX_new();
	bool yes = x && api->EVP_DigestVerifyInit(x, NULL, NULL, NULL, key) == 1 &&
		   api->EVP_DigestVerify(x, c->signature, SIGNATURE,
					 (const unsigned char *)c->bytes, c->len) == 1;

	api->EVP_MD_CTX_free(x);
	return yes;
}

/* True if the signature is valid for this key; then `*ret_signer` is the key's name. */
static bool try_key(const char *path, const struct claim *c, char **ret_signer,
		    struct error *err)
{
	EVP_PKEY *key = read_pem_key(path, false, err);
	const struct crypto_api *api = digest_crypto_api(NULL);
	bool yes = key && signature_holds(api, key, c);
	const char *file = strrchr(path, '/');

	if (key)
		api->EVP_PKEY_free(key);
	if (yes)
		*ret_signer = strdup(file ? file + 1 : path);
	return yes;
}

static bool try_keys_of(const char *dir, const struct claim *c, char **ret_signer)
{
	struct dirent *d;
	bool yes = false;
	DIR *stream = dir ? opendir(dir) : NULL;

	while (stream && !yes && (d = readdir(stream))) {
		AUTO(free) char *path = path_join(dir, d->d_name);

		yes = path && d->d_name[0] != '.' && try_key(path, c, ret_signer, NULL);
	}
	if (stream)
		closedir(stream);
	return yes;
}

/* The keys that the user trusts, then the one installed with the program. */
static bool try_known_keys(const struct claim *c, const char *key_dir, char **ret_signer)
{
	AUTO(free) char *config = NULL, *dir = NULL;

	if (!paths_xdg_dir("CONFIG", false, &config, NULL))
		dir = path_join(config, "keys");
	return try_keys_of(dir, c, ret_signer) || try_keys_of(key_dir, c, ret_signer);
}

int pack_verify_signature(const char *path, const char *key, const char *key_dir,
			  char **ret_signer, struct error *err)
{
	struct claim c = { 0 };
	struct error why = ERROR_NONE;
	int r = claim_beside(path, &c, err);
	bool yes;

	*ret_signer = NULL;
	if (r == MT_ENOTFOUND)
		r = claim_inside(path, &c, err);
	if (!r) {
		yes = key ? try_key(key, &c, ret_signer, &why)
			  : try_known_keys(&c, key_dir, ret_signer);
		if (yes && !*ret_signer)
			r = out_of_memory(err);
		else if (why.code)
			r = fail(err, why.code, "%s", why.text);
		else if (!yes)
			r = fail(err, MT_EDENIED,
				 "%s: signature verification failed with %s", path,
				 key ? key : "the keys in $XDG_CONFIG_HOME/mortise/keys");
	}
	free(c.bytes);
	return r;
}
