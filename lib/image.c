/* SPDX-License-Identifier: MIT
 *
 * image.c - parses PNG, JPEG, GIF and WebP: format, size in pixels, and completeness. */
#include "image.h"

#include "auto.h"

#include <stdbool.h>
#include <string.h>

struct bytes {
	const unsigned char *at;
	size_t len;
};

static unsigned big(const unsigned char *p, size_t n)
{
	unsigned value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | p[i];
	return value;
}

static unsigned little(const unsigned char *p, size_t n)
{
	unsigned value = 0;

	while (n-- > 0)
		value = value << 8 | p[n];
	return value;
}

static bool starts(struct bytes b, size_t at, const char *text, size_t len)
{
	return b.len >= at && b.len - at >= len && memcmp(b.at + at, text, len) == 0;
}

/* Chunks up to IEND: length, name, data, checksum. */
static bool read_png(struct bytes b, struct image *ret)
{
	size_t at = 8, size;
	bool data = false;

	if (b.len < 33 || memcmp(b.at + 12, "IHDR", 4) != 0)
		return false;
	ret->width = big(b.at + 16, 4);
	ret->height = big(b.at + 20, 4);
	while (b.len - at >= 12) {
		size = big(b.at + at, 4);
		if (memcmp(b.at + at + 4, "IEND", 4) == 0)
			return data;
		data = data || memcmp(b.at + at + 4, "IDAT", 4) == 0;
		if (size > b.len - at - 12)
			return false;
		at += size + 12;
	}
	return false;
}

static bool is_frame(unsigned char marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
	       marker != 0xcc;
}

/* Segments up to the scan; the end is searched for backwards. */
static bool read_jpeg(struct bytes b, struct image *ret)
{
	size_t at = 2, size;

	while (b.len - at >= 4) {
		unsigned char marker = b.at[at + 1];

		if (b.at[at] != 0xff)
			return false;
		if (marker == 0xff) {
			at++;
			continue;
		}
		size = big(b.at + at + 2, 2);
		if (size < 2 || size > b.len - at - 2)
			return false;
		if (is_frame(marker) && size >= 7) {
			ret->height = big(b.at + at + 5, 2);
			ret->width = big(b.at + at + 7, 2);
		}
		at += size + 2;
		if (marker == 0xda)
			return memmem(b.at + at, b.len - at, "\xff\xd9", 2) != NULL;
	}
	return false;
}

static size_t skip_blocks(struct bytes b, size_t at)
{
	while (at < b.len && b.at[at])
		at += b.at[at] + (size_t)1;
	return at + 1;
}

/* Blocks up to the trailer. */
static bool read_gif(struct bytes b, struct image *ret)
{
	size_t at = 13;
	bool data = false;

	if (b.len < at)
		return false;
	ret->width = little(b.at + 6, 2);
	ret->height = little(b.at + 8, 2);
	if (b.at[10] & 0x80)
		at += (size_t)3 << ((b.at[10] & 7) + 1);
	while (at < b.len) {
		unsigned char kind = b.at[at];

		if (kind == ';')
			return data;
		if (kind == '!') {
			at = skip_blocks(b, at + 2);
			continue;
		}
		if (kind != ',' || b.len - at < 10)
			return false;
		data = true;
		if (b.at[at + 9] & 0x80)
			at += (size_t)3 << ((b.at[at + 9] & 7) + 1);
		at = skip_blocks(b, at + 11);
	}
	return false;
}

static bool read_webp(struct bytes b, struct image *ret)
{
	const unsigned char *p = b.at + 20;

	if (b.len < 30 || little(b.at + 4, 4) > b.len - 8)
		return false;
	if (memcmp(b.at + 12, "VP8X", 4) == 0) {
		ret->width = little(p + 4, 3) + 1;
		ret->height = little(p + 7, 3) + 1;
		return true;
	}
	if (memcmp(b.at + 12, "VP8L", 4) == 0) {
		ret->width = (little(p + 1, 2) & 0x3fff) + 1;
		ret->height = (little(p + 2, 3) >> 6 & 0x3fff) + 1;
		return p[0] == 0x2f;
	}
	ret->width = little(p + 6, 2) & 0x3fff;
	ret->height = little(p + 8, 2) & 0x3fff;
	return memcmp(b.at + 12, "VP8 ", 4) == 0 && memcmp(p + 3, "\x9d\x01\x2a", 3) == 0;
}

static const struct kind {
	const char *mime, *name, *magic;
	size_t magic_len;
	bool (*read)(struct bytes b, struct image *ret);
} kinds[] = {
	{ "image/png", "PNG", "\x89PNG\r\n\x1a\n", 8, read_png },
	{ "image/jpeg", "JPEG", "\xff\xd8\xff", 3, read_jpeg },
	{ "image/gif", "GIF", "GIF87a", 6, read_gif },
	{ "image/gif", "GIF", "GIF89a", 6, read_gif },
	{ "image/webp", "WebP", "RIFF", 4, read_webp },
};

static const struct kind *image_kind_of(struct bytes b)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (starts(b, 0, kinds[i].magic, kinds[i].magic_len) &&
		    (kinds[i].read != read_webp || starts(b, 8, "WEBP", 4)))
			return &kinds[i];
	return NULL;
}

int image_look(const void *bytes, size_t len, struct image *ret, struct error *err)
{
	struct bytes b = { bytes, len };
	const struct kind *kind = image_kind_of(b);

	*ret = (struct image){ 0 };
	if (!kind)
		return fail(
			err, MT_EUNSUPPORTED,
			"is not a PNG, JPEG, GIF or WebP image: convert it to one of them");
	if (len > IMAGE_MAX_BYTES)
		return fail(err, MT_ELIMIT,
			    "is larger than %d bytes: scale it down, or save it as JPEG",
			    IMAGE_MAX_BYTES);
	if (!kind->read(b, ret) || !ret->width || !ret->height)
		return fail(err, MT_EINVAL, "is a damaged or truncated %s image",
			    kind->name);
	if (ret->width > IMAGE_MAX_SIDE || ret->height > IMAGE_MAX_SIDE)
		return fail(err, MT_ELIMIT,
			    "has %u x %u pixels: scale it down to at most %d on a side",
			    ret->width, ret->height, IMAGE_MAX_SIDE);
	ret->mime = kind->mime;
	return MT_OK;
}
