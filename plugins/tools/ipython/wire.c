/* SPDX-License-Identifier: MIT
 *
 * wire.c - encodes and signs Jupyter messages as parts of a ZeroMQ message. */
#include "wire.h"
#include "hex.h"
#include "utf8.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <time.h>

int wire_sign(const char *key, const struct mt_str parts[WIRE_SIGNED],
	      char ret_hex[WIRE_HEX + 1])
{
	unsigned char digest[WIRE_HEX / 2];
	size_t len = 0;
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *c = mac ? EVP_MAC_CTX_new(mac) : NULL;
	char name[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", name, 0),
		OSSL_PARAM_construct_end(),
	};
	bool good = c && EVP_MAC_init(c, (const unsigned char *)key, strlen(key), params);

	for (int i = 0; good && i < WIRE_SIGNED; i++)
		good = EVP_MAC_update(c, (const unsigned char *)parts[i].ptr,
				      parts[i].len);
	good = good && EVP_MAC_final(c, digest, &len, sizeof digest) &&
	       len == sizeof digest;
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(mac);
	if (good)
		hex_write(digest, len, ret_hex);
	return good ? MT_OK : MT_ENOMEM;
}

void wire_clear(struct wire_message *m)
{
	json_object_put(m->header);
	json_object_put(m->parent);
	json_object_put(m->content);
	*m = (struct wire_message){ 0 };
}

/* Kernels pass on bytes that are not valid text: unpaired surrogates, file names. */
static json_object *wire_read_object(struct mt_str part, struct error *err)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(part.len * 3 + 1);

	if (utf8_valid(part.ptr, part.len))
		return js_parse_object(part.ptr, part.len, err);
	if (utf8_add_clean(&clean, part.ptr, part.len)) {
		out_of_memory(err);
		return NULL;
	}
	return js_parse_object(clean.text, clean.len, err);
}

static int wire_find_mark(const struct mt_str *parts, size_t count, size_t *ret)
{
	size_t i = 0;

	while (i < count && (parts[i].len != strlen(WIRE_MARK) ||
			     memcmp(parts[i].ptr, WIRE_MARK, parts[i].len) != 0))
		i++;
	*ret = i;
	return count - i > 1 + WIRE_SIGNED ? MT_OK : MT_EINVAL;
}

int wire_read(const char *key, const struct mt_str *parts, size_t count,
	      struct wire_message *ret, struct error *err)
{
	char hex[WIRE_HEX + 1];
	size_t mark;

	*ret = (struct wire_message){ 0 };
	if (wire_find_mark(parts, count, &mark) != MT_OK)
		return fail(err, MT_EINVAL,
			    "the kernel sent an invalid message of the "
			    "Jupyter protocol");
	const struct mt_str *given = &parts[mark + 1], *body = given + 1;

	if (wire_sign(key, body, hex) != MT_OK)
		return out_of_memory(err);
	if (given->len != WIRE_HEX || CRYPTO_memcmp(given->ptr, hex, WIRE_HEX) != 0)
		return fail(err, MT_EDENIED,
			    "a message from the kernel is not signed with its key");
	ret->header = wire_read_object(body[WIRE_HEADER], err);
	ret->parent = ret->header ? wire_read_object(body[WIRE_PARENT], err) : NULL;
	ret->content = ret->parent ? wire_read_object(body[WIRE_CONTENT], err) : NULL;
	if (ret->content)
		return MT_OK;
	wire_clear(ret);
	return err && err->code ? err->code : MT_EINVAL;
}

const char *wire_type(const struct wire_message *m)
{
	return js_str(m->header, "msg_type", "");
}

const char *wire_parent(const struct wire_message *m)
{
	return js_str(m->parent, "msg_id", "");
}

int wire_header(struct strbuf *out, const char *id, const char *session, const char *type)
{
	struct timespec now;
	struct tm utc;
	char date[64];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
	strbuf_addc(out, '{');
	js_key_str(out, "msg_id", id);
	js_key_str(out, "session", session);
	js_key_str(out, "username", "mortise");
	js_key(out, "date");
	strbuf_addf(out, "\"%s.%06ldZ\"", date, now.tv_nsec / 1000);
	js_key_str(out, "msg_type", type);
	js_key_str(out, "version", "5.3");
	return strbuf_addc(out, '}');
}
