/* SPDX-License-Identifier: MIT
 *
 * oauth-client.c - obtains tokens for a program without a user: client credentials,
 * authenticated by a secret or by a signed assertion (RFC 7523). */
#include "auto.h"
#include "base64.h"
#include "digest.h"
#include "rpc.h"
#include "oauth.h"
#include <string.h>
#include <time.h>

enum { ASSERTION_LIFE_S = 120, HALF = 32, SIGNATURE_MAX = 1024 };

#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/* ---- the assertion ------------------------------------------------------------- */

/* Convert one number of a DER-encoded ECDSA signature to 32 bytes. */
static const unsigned char *take_number(const unsigned char *at, const unsigned char *end,
					unsigned char ret[HALF])
{
	size_t len = end - at >= 2 && at[0] == 2 ? at[1] : 0;
	const unsigned char *bytes = at + 2;

	if (!len || len > (size_t)(end - bytes))
		return NULL;
	at = bytes + len;
	while (len && *bytes == 0)
		bytes++, len--;
	if (len > HALF)
		return NULL;
	memset(ret, 0, HALF);
	memcpy(ret + HALF - len, bytes, len);
	return at;
}

static bool der_to_raw(unsigned char *bytes, size_t *len)
{
	const unsigned char *end = bytes + *len, *at = bytes + 2;
	unsigned char raw[2 * HALF];

	if (*len < 8 || bytes[0] != 0x30)
		return false;
	at = take_number(at, end, raw);
	at = at ? take_number(at, end, raw + HALF) : NULL;
	if (!at)
		return false;
	memcpy(bytes, raw, sizeof raw);
	*len = sizeof raw;
	return true;
}

static EVP_PKEY *oauth_client_read_key(const struct crypto_api *api, const char *pem)
{
	AUTO(fclose) FILE *f = fmemopen((void *)(uintptr_t)pem, strlen(pem), "r");

	return f ? api->PEM_read_PrivateKey(f, NULL, NULL, NULL) : NULL;
}

/* Signature algorithm of the key; NULL: not supported. */
static const char *algorithm_of(const struct crypto_api *api, const EVP_PKEY *key)
{
	switch (api->EVP_PKEY_get_id(key)) {
	case EVP_PKEY_EC:
		return "ES256";
	case EVP_PKEY_RSA:
		return "RS256";
	case EVP_PKEY_ED25519:
		return "EdDSA";
	default:
		return NULL;
	}
}

static int oauth_client_sign(const struct crypto_api *api, EVP_PKEY *key,
			     const char *algorithm, struct strbuf *b, struct error *err)
{
	const EVP_MD *hash =
		*algorithm == 'E' && algorithm[1] == 'd' ? NULL : api->EVP_sha256();
	EVP_MD_CTX *x = api->EVP_MD_CTX_new();
	unsigned char bytes[SIGNATURE_MAX];
	size_t len = sizeof bytes;
	bool good = x && api->EVP_DigestSignInit(x, NULL, hash, NULL, key) == 1 &&
		    api->EVP_DigestSign(x, bytes, &len, (const unsigned char *)b->text,
					b->len) == 1;

	api->EVP_MD_CTX_free(x);
	if (good && strcmp(algorithm, "ES256") == 0)
		good = der_to_raw(bytes, &len); /* other curves are too long */
	if (!good)
		return fail(err, MT_EUNSUPPORTED, "the client key does not support %s",
			    algorithm);
	return strbuf_addc(b, '.') || base64_put_url(b, bytes, len) ? out_of_memory(err)
								    : MT_OK;
}

static int oauth_client_put_part(struct strbuf *b, json_object *part)
{
	size_t len = 0;
	const char *text = js_text(part, &len);

	return text ? base64_put_url(b, text, len) : MT_ENOMEM;
}

static int put_claims(struct strbuf *b, const char *algorithm, const char *client,
		      const char *audience, struct error *err)
{
	AUTO(json) json_object *head = json_object_new_object(),
			       *body = json_object_new_object();
	AUTO(strbuf) struct strbuf id = STRBUF(256);
	int64_t now = time(NULL);

	if (oauth_put_random(&id, err))
		return err->code;
	if (js_set_str(head, "alg", algorithm) || js_set_str(head, "typ", "JWT") ||
	    js_set_str(body, "iss", client) || js_set_str(body, "sub", client) ||
	    js_set_str(body, "aud", audience) || js_set_int(body, "iat", now) ||
	    js_set_int(body, "exp", now + ASSERTION_LIFE_S) ||
	    js_set_str(body, "jti", id.text) || oauth_client_put_part(b, head) ||
	    strbuf_addc(b, '.') || oauth_client_put_part(b, body))
		return out_of_memory(err);
	return MT_OK;
}

/* Append a signed assertion (JWT): client and audience. */
static int put_assertion(struct strbuf *b, const char *pem, const char *client,
			 const char *audience, struct error *err)
{
	const struct crypto_api *api = digest_crypto_api(err);
	EVP_PKEY *key = api ? oauth_client_read_key(api, pem) : NULL;
	const char *algorithm = key ? algorithm_of(api, key) : NULL;
	int status;

	if (!api)
		return err->code;
	if (!algorithm)
		status = fail(err, MT_EINVAL,
			      "the client key is not a P-256, RSA or Ed25519 private "
			      "key in PEM format");
	else
		status = put_claims(b, algorithm, client, audience, err);
	if (!status)
		status = oauth_client_sign(api, key, algorithm, b, err);
	api->EVP_PKEY_free(key);
	return status;
}

/* ---- the token --------------------------------------------------------------------- */

static json_object *oauth_client_begin(const struct oauth *o, const struct oauth_place *p,
				       const char *scope)
{
	json_object *known = js_get(p->metadata, "token_endpoint_auth_methods_supported");
	json_object *login = oauth_login_new(o, p, scope);
	const char *method = rpc_list_has(known, "client_secret_basic", true)
				     ? "client_secret_basic"
				     : "client_secret_post";

	if (!js_set_str(login, "client_id", o->client_id) &&
	    (o->client_key || !js_set_str(login, "client_secret", o->client_secret)) &&
	    !js_set_str(login, "auth_method", method))
		return login;
	json_object_put(login);
	return NULL;
}

static int put_proof(const struct oauth *o, const struct oauth_place *p,
		     struct strbuf *form, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(OAUTH_URL_MAX);
	int status = put_assertion(&text, o->client_key, o->client_id, p->issuer, err);

	if (status)
		return status;
	return oauth_form_add(form, "client_assertion_type", ASSERTION_TYPE) ||
			       oauth_form_add(form, "client_assertion", text.text)
		       ? out_of_memory(err)
		       : MT_OK;
}

static int oauth_client_ask(struct oauth *o, const struct oauth_place *p,
			    const char *challenge, struct error *err)
{
	AUTO(strbuf) struct strbuf scope = STRBUF(OAUTH_URL_MAX);
	AUTO(strbuf) struct strbuf form = STRBUF(4 * OAUTH_URL_MAX);
	AUTO(json) json_object *login = NULL;
	const char *resource;
	int status = oauth_scope(o, p, challenge, &scope, err);

	if (status)
		return status;
	login = oauth_client_begin(o, p, scope.text);
	resource = js_str(login, "resource", NULL);
	if (!login || oauth_form_add(&form, "grant_type", "client_credentials") ||
	    (scope.len && oauth_form_add(&form, "scope", scope.text)) ||
	    (resource && oauth_form_add(&form, "resource", resource)))
		return out_of_memory(err);
	if (o->client_key)
		status = put_proof(o, p, &form, err);
	if (!status)
		status = oauth_ask_token(o, login, &form, err);
	explicit_bzero(form.text, form.len);
	if (!status) {
		json_object_put(o->login);
		o->login = STEAL(login);
	}
	return status;
}

char *oauth_client_token(struct oauth *o, const char *challenge, struct error *err)
{
	if (o->client_id && (o->client_secret || o->client_key))
		return oauth_obtain(o, challenge, oauth_client_ask, err);
	fail(err, MT_EINVAL,
	     "`grant = client_credentials` requires `client_id` and "
	     "either `client_secret_env` or `client_key`");
	return NULL;
}
