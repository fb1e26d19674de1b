/* SPDX-License-Identifier: MIT
 *
 * digest.c - SHA-256, and loading libcrypto. */
#include "digest.h"

#include "auto.h"
#include "hex.h"
#include "library.h"

#include <string.h>

#define FUNCTION(name) { #name, offsetof(struct crypto_api, name) }

static const struct library_function functions[] = {
	FUNCTION(EVP_Digest), FUNCTION(EVP_DigestInit_ex), FUNCTION(EVP_DigestUpdate),
	FUNCTION(EVP_DigestFinal_ex), FUNCTION(EVP_DigestSignInit),
	FUNCTION(EVP_DigestSign), FUNCTION(EVP_DigestVerifyInit),
	FUNCTION(EVP_DigestVerify), FUNCTION(EVP_MD_CTX_new), FUNCTION(EVP_MD_CTX_free),
	FUNCTION(EVP_PKEY_get_id), FUNCTION(EVP_PKEY_free), FUNCTION(EVP_sha256),
	FUNCTION(HMAC), FUNCTION(PEM_read_PUBKEY), FUNCTION(PEM_read_PrivateKey),
};

const struct crypto_api *digest_crypto_api(struct error *err)
{
	static const struct library library = {
		"libcrypto.so.3", "libcrypto", "for hashes and signatures",
		functions, ARRAY_LEN(functions),
	};
	static struct crypto_api api;

	return api.EVP_Digest || !library_load(&library, &api, sizeof api, err) ? &api
										: NULL;
}

int digest_sha256(const void *bytes, size_t len, unsigned char ret[SHA256_BYTES])
{
	const struct crypto_api *api = digest_crypto_api(NULL);
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (!api ||
	    api->EVP_Digest(bytes ? bytes : "", len, sum, &n, api->EVP_sha256(), NULL) !=
		    1 ||
	    n != SHA256_BYTES)
		return MT_EUNSUPPORTED;
	memcpy(ret, sum, n);
	return MT_OK;
}

int digest_sha256_hex(const void *bytes, size_t len, char ret[SHA256_HEX])
{
	unsigned char sum[SHA256_BYTES];
	int r = digest_sha256(bytes, len, sum);

	if (!r)
		hex_write(sum, sizeof sum, ret);
	return r;
}

int digest_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
		       unsigned char ret[SHA256_BYTES])
{
	const struct crypto_api *api = digest_crypto_api(NULL);
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (!api ||
	    !api->HMAC(api->EVP_sha256(), key, (int)key_len, bytes, len, sum, &n) ||
	    n != SHA256_BYTES)
		return MT_EUNSUPPORTED;
	memcpy(ret, sum, n);
	return MT_OK;
}
