/* SPDX-License-Identifier: MIT
 *
 * base64.c - encodes and decodes base64. */
#include "base64.h"

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_put(struct strbuf *out, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	if (strbuf_reserve(out, len / 3 * 4 + 4))
		return out->error;
	for (; len >= 3; len -= 3, p += 3) {
		unsigned v = (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];
		char four[4] = { alphabet[v >> 18], alphabet[v >> 12 & 63],
				 alphabet[v >> 6 & 63], alphabet[v & 63] };

		strbuf_addn(out, four, 4);
	}
	if (len) {
		unsigned v = (unsigned)p[0] << 16 | (len == 2 ? (unsigned)p[1] << 8 : 0);
		char four[4] = { alphabet[v >> 18], alphabet[v >> 12 & 63],
				 len == 2 ? alphabet[v >> 6 & 63] : '=', '=' };

		strbuf_addn(out, four, 4);
	}
	return out->error;
}

int base64_put_url(struct strbuf *out, const void *bytes, size_t len)
{
	size_t before = out->len;

	if (base64_put(out, bytes, len))
		return out->error;
	while (out->len > before && out->text[out->len - 1] == '=')
		strbuf_cut(out, out->len - 1);
	for (char *at = out->text + before; len && *at; at++)
		*at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
	return MT_OK;
}

static int base64_value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int base64_read(struct strbuf *out, const char *text, size_t len)
{
	if (len % 4)
		return MT_EINVAL;
	for (size_t i = 0; i < len; i += 4) {
		size_t pad = 0;
		unsigned v = 0;

		if (i + 4 == len && text[i + 3] == '=')
			pad = text[i + 2] == '=' ? 2 : 1;
		for (size_t k = 0; k < 4; k++) {
			int n = k < 4 - pad ? base64_value_of(text[i + k]) : 0;

			if (n < 0)
				return MT_EINVAL;
			v = v << 6 | (unsigned)n;
		}
		if ((pad == 2 && v & 0xffff) || (pad == 1 && v & 0xff))
			return MT_EINVAL;

		char three[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };

		if (strbuf_addn(out, three, 3 - pad))
			return out->error;
	}
	return out->error;
}
