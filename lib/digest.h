/* SPDX-License-Identifier: MIT
 *
 * digest.h - SHA-256 and other functions of libcrypto, loaded on first use because its
 * relocations cost more than the rest of the startup.
 *
 * All functions are for one thread. */
#ifndef LIB_DIGEST_H
#define LIB_DIGEST_H

#include "error.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

/** The functions of libcrypto by their own names. */
struct crypto_api {
	__typeof__(EVP_Digest) *EVP_Digest;
	__typeof__(EVP_DigestInit_ex) *EVP_DigestInit_ex;
	__typeof__(EVP_DigestUpdate) *EVP_DigestUpdate;
	__typeof__(EVP_DigestFinal_ex) *EVP_DigestFinal_ex;
	__typeof__(EVP_DigestSignInit) *EVP_DigestSignInit;
	__typeof__(EVP_DigestSign) *EVP_DigestSign;
	__typeof__(EVP_DigestVerifyInit) *EVP_DigestVerifyInit;
	__typeof__(EVP_DigestVerify) *EVP_DigestVerify;
	__typeof__(EVP_MD_CTX_new) *EVP_MD_CTX_new;
	__typeof__(EVP_MD_CTX_free) *EVP_MD_CTX_free;
	__typeof__(EVP_PKEY_get_id) *EVP_PKEY_get_id;
	__typeof__(EVP_PKEY_free) *EVP_PKEY_free;
	__typeof__(EVP_sha256) *EVP_sha256;
	__typeof__(HMAC) *HMAC;
	__typeof__(PEM_read_PUBKEY) *PEM_read_PUBKEY;
	__typeof__(PEM_read_PrivateKey) *PEM_read_PrivateKey;
};

/** NULL with `err` (may be NULL) filled if libcrypto is not available; never after a
 *  success. */
const struct crypto_api *digest_crypto_api(struct error *err);

/** @return MT_OK, or MT_EUNSUPPORTED if libcrypto is not available or fails. */
int digest_sha256(const void *bytes, size_t len, unsigned char ret[SHA256_BYTES]);
int digest_sha256_hex(const void *bytes, size_t len, char ret[SHA256_HEX]);
int digest_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
		       unsigned char ret[SHA256_BYTES]);

#endif
