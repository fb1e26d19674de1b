/* SPDX-License-Identifier: MIT
 *
 * charset.c - detects an encoding and converts it to and from UTF-8.
 *
 * A guess counts only if it encodes back to the same bytes, so that an edit never changes
 * unrelated text. The detector for files that are not UTF-8 (libuchardet, which requires
 * the C++ library) is loaded on first use. Without it such files are read as Windows-1252
 * or Latin-1. */
#include "charset.h"
#include "utf8.h"
#include <dlfcn.h>
#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <string.h>
#include <uchardet/uchardet.h>

enum { SAMPLE = 1 << 20, TEXT_MAX = 4 * TEXTFILE_MAX + 64 };

const struct charset charset_utf8 = { .name = "UTF-8", .is_utf8 = true };

static const struct charset marks[] = {
	{ "UTF-8", { 0xef, 0xbb, 0xbf }, 3, true, false },
	{ "UTF-32LE", { 0xff, 0xfe, 0, 0 }, 4, false, false },
	{ "UTF-32BE", { 0, 0, 0xfe, 0xff }, 4, false, false },
	{ "UTF-16LE", { 0xff, 0xfe }, 2, false, false },
	{ "UTF-16BE", { 0xfe, 0xff }, 2, false, false },
};

/* Convert everything or nothing. `*ret_at`: input offset where it stopped. */
static int charset_convert(const char *to, const char *from, const char *in, size_t len,
			   struct strbuf *out, size_t *ret_at)
{
	char chunk[4096];
	char *src = (char *)(uintptr_t)in; /* iconv does not write to its input */
	size_t left = len;
	int status = MT_OK;
	iconv_t cd = iconv_open(to, from);

	*ret_at = 0;
	if (cd == (iconv_t)-1)
		return errno == ENOMEM ? MT_ENOMEM : MT_EINVAL;
	for (bool flush = false; status == MT_OK;) {
		char *dst = chunk;
		size_t room = sizeof chunk;
		size_t n =
			iconv(cd, flush ? NULL : &src, flush ? NULL : &left, &dst, &room);
		int why = errno;

		if (strbuf_addn(out, chunk, sizeof chunk - room) != MT_OK)
			status = out->error;
		else if (n != (size_t)-1 && flush)
			break;
		else if (n != (size_t)-1)
			flush = true;
		else if (why != E2BIG)
			status = MT_EINVAL;
	}
	iconv_close(cd);
	*ret_at = len - left;
	return status;
}

/* Decode, and check that encoding restores the same bytes. */
static int decode_as(const struct charset *cs, const char *bytes, size_t len,
		     struct strbuf *out)
{
	AUTO(strbuf) struct strbuf back = STRBUF(TEXT_MAX);
	size_t from = out->len, at;
	int status;

	if (len < cs->bom_len || memcmp(bytes, cs->bom, cs->bom_len) != 0)
		return MT_EINVAL;
	if (cs->is_utf8) {
		if (!cs->stray && !utf8_valid(bytes + cs->bom_len, len - cs->bom_len))
			return MT_EINVAL;
		return strbuf_addn(out, bytes + cs->bom_len, len - cs->bom_len);
	}
	status = charset_convert("UTF-8", cs->name, bytes + cs->bom_len,
				 len - cs->bom_len, out, &at);
	if (status == MT_OK)
		status =
			charset_encode(cs, out->text + from, out->len - from, &back, &at);
	if (status == MT_OK && (back.len != len || memcmp(back.text, bytes, len) != 0))
		status = MT_EINVAL;
	if (status == MT_OK && memchr(out->text + from, '\0', out->len - from))
		status = MT_EINVAL;
	if (status != MT_OK && out->error == MT_OK)
		strbuf_cut(out, from);
	return status;
}

/* True for a PDF file, and for bytes that text does not contain: a zero, or more than a
 * few other control characters. */
static bool looks_binary(const unsigned char *p, size_t len)
{
	size_t n = len < SAMPLE ? len : SAMPLE, odd = 0;

	if (len >= 5 && memcmp(p, "%PDF-", 5) == 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == 0)
			return true;
		odd += (p[i] < 0x20 && !(p[i] >= 7 && p[i] <= 13) && p[i] != 0x1b) ||
		       p[i] == 0x7f;
	}
	return odd > n / 10 + 1 || (n < len && memchr(p + n, 0, len - n));
}

/* UTF-16 without a byte-order mark: text in which most alternate bytes are 0. */
static bool looks_utf16(const unsigned char *p, size_t len, bool big)
{
	size_t n = (len < 4096 ? len : 4096) / 2, plain = 0;

	if (len < 4 || len % 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned char high = p[2 * i + !big], low = p[2 * i + big];

		if (high == 0 && (low < 9 || (low > 13 && low < 32)))
			return false;
		plain += high == 0;
	}
	return plain * 10 >= n * 7;
}

/* Mostly UTF-8, with some invalid bytes. */
static bool mostly_utf8(const char *p, size_t len)
{
	size_t good = 0, bad = 0;

	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)p[i];
		size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

		if (n > 1 && (n > len - i || !utf8_valid(p + i, n))) {
			bad++, i++;
			continue;
		}
		good += n > 1;
		i += n;
	}
	return good >= 3 && good >= 4 * bad;
}

/* The name that libuchardet returns, or "". */
static void guess(const char *bytes, size_t len, char *name, size_t room)
{
	static void *lib;
	static __typeof__(uchardet_new) *make;
	static __typeof__(uchardet_delete) *drop;
	static __typeof__(uchardet_handle_data) *feed;
	static __typeof__(uchardet_data_end) *end;
	static __typeof__(uchardet_get_charset) *get;
	uchardet_t u;

	name[0] = '\0';
	if (!lib) {
		lib = dlopen("libuchardet.so.0", RTLD_NOW | RTLD_LOCAL);
		if (!lib)
			return;
		make = (__typeof__(make))dlsym(lib, "uchardet_new");
		drop = (__typeof__(drop))dlsym(lib, "uchardet_delete");
		feed = (__typeof__(feed))dlsym(lib, "uchardet_handle_data");
		end = (__typeof__(end))dlsym(lib, "uchardet_data_end");
		get = (__typeof__(get))dlsym(lib, "uchardet_get_charset");
	}
	if (!make || !drop || !feed || !end || !get)
		return;
	u = make();
	if (u && feed(u, bytes, len < SAMPLE ? len : SAMPLE) == 0) {
		end(u);
		if (strlen(get(u)) < room)
			memcpy(name, get(u), strlen(get(u)) + 1);
	}
	if (u)
		drop(u);
}

static bool has_c1(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)bytes[i] >= 0x80 && (unsigned char)bytes[i] < 0xa0)
			return true;
	return false;
}

static int decode_guessed(const char *bytes, size_t len, struct charset *ret,
			  struct strbuf *out)
{
	struct charset tries[3] = { { .name = "" },
				    { .name = "WINDOWS-1252" },
				    { .name = "ISO-8859-1" } };
	int status = MT_EUNSUPPORTED;

	guess(bytes, len, tries[0].name, sizeof tries[0].name);
	if (strcmp(tries[0].name, "UTF-8") == 0 || strcmp(tries[0].name, "ASCII") == 0 ||
	    (strcmp(tries[0].name, "ISO-8859-1") == 0 && has_c1(bytes, len)))
		tries[0].name[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
		if (!tries[i].name[0])
			continue;
		status = decode_as(&tries[i], bytes, len, out);
		if (status == MT_OK)
			*ret = tries[i];
		if (status != MT_EINVAL)
			return status;
	}
	return MT_EUNSUPPORTED;
}

int charset_decode(const char *bytes, size_t len, const struct charset *hint,
		   struct charset *ret, struct strbuf *out)
{
	static const struct charset stray = { .name = "UTF-8",
					      .is_utf8 = true,
					      .stray = true };
	static const struct charset wide[] = { { .name = "UTF-16LE" },
					       { .name = "UTF-16BE" } };
	const unsigned char *p = (const unsigned char *)bytes;
	const struct charset *tries[ARRAY_LEN(marks) + 5];
	size_t count = 0;
	bool plain = !looks_binary(p, len);

	if (hint && (plain || !hint->is_utf8))
		tries[count++] = hint;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (plain || !marks[i].is_utf8)
			tries[count++] = &marks[i];
	for (size_t big = 0; big < 2 && !plain; big++)
		if (looks_utf16(p, len, big))
			tries[count++] = &wide[big];
	if (plain)
		tries[count++] = &charset_utf8;
	if (plain && mostly_utf8(bytes, len))
		tries[count++] = &stray;
	for (size_t i = 0; i < count; i++) {
		int status = decode_as(tries[i], bytes, len, out);

		if (status == MT_OK)
			*ret = *tries[i];
		if (status != MT_EINVAL)
			return status;
	}
	return plain ? decode_guessed(bytes, len, ret, out) : MT_EUNSUPPORTED;
}

int charset_encode(const struct charset *cs, const char *text, size_t len,
		   struct strbuf *out, size_t *ret_at)
{
	*ret_at = 0;
	if (strbuf_addn(out, (const char *)cs->bom, cs->bom_len) != MT_OK)
		return out->error;
	if (cs->is_utf8)
		return strbuf_addn(out, text, len);
	return charset_convert(cs->name, "UTF-8", text, len, out, ret_at);
}
