/* SPDX-License-Identifier: MIT
 *
 * test-image.c - recognizes images that a model supports. */
#include "auto.h"
#include "image.h"
#include "tap.h"

#include <stdbool.h>
#include <string.h>

#define PNG(w, h)                                                               \
	"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0" w "\0\0" h "\x08\x02\0\0\0crc!"      \
	"\0\0\0\3IDATabccrc!\0\0\0\0IENDcrc!"
#define JPEG                                                                    \
	"\xff\xd8\xff\xe0\0\4ab\xff\xff\xc0\0\x0b\x08\0\x10\0\x20\1\1\x11\0"     \
	"\xff\xda\0\2data\xff\xd9"
#define GIF "GIF89a\x20\0\x10\0\0\0\0!\xf9\1x\0,\0\0\0\0\1\0\1\0\0\2\1x\0;"
#define WEBP(size, chunk) "RIFF" size "\0\0\0WEBP" chunk

static const struct {
	const char *name, *bytes;
	size_t len;
	const char *mime;      /* NULL: refused... */
	unsigned width, height;
	const char *says;      /* ...with this in the sentence */
} cases[] = {
#define BYTES(text) text, sizeof(text) - 1
	{ "PNG", BYTES(PNG("\0\x20", "\0\x10")), "image/png", 32, 16, NULL },
	{ "JPEG", BYTES(JPEG), "image/jpeg", 32, 16, NULL },
	{ "GIF", BYTES(GIF), "image/gif", 32, 16, NULL },
	{ "WebP, extended",
	  BYTES(WEBP("\x16", "VP8X\x0a\0\0\0\0\0\0\0\x1f\0\0\x0f\0\0")), "image/webp", 32,
	  16, NULL },
	{ "WebP, lossless",
	  BYTES(WEBP("\x16", "VP8L\x0a\0\0\0\x2f\x1f\xc0\3\0\0\0\0\0\0")), "image/webp", 32,
	  16, NULL },
	{ "WebP, lossy",
	  BYTES(WEBP("\x16", "VP8 \x0a\0\0\0abc\x9d\x01\x2a\x20\0\x10\0")), "image/webp",
	  32, 16, NULL },
	{ "WebP that is cut", BYTES(WEBP("\x17", "VP8X\x0a\0\0\0\0\0\0\0\x1f\0\0\x0f\0\0")),
	  NULL, 0, 0, "damaged" },
	{ "WAVE", BYTES("RIFF\x16\0\0\0WAVEfmt \x0a\0\0\0\0\0\0\0\x1f\0\0\x0f\0\0"), NULL, 0,
	  0, "not a PNG" },
	{ "no pixels", BYTES(PNG("\0\0", "\0\x10")), NULL, 0, 0, "damaged" },
	{ "too wide", BYTES(PNG("\x40\0", "\0\x10")), NULL, 0, 0, "16384 x 16 pixels" },
	{ "BMP", BYTES("BM\0\0\0\0"), NULL, 0, 0, "not a PNG" },
	{ "text", BYTES("hello"), NULL, 0, 0, "not a PNG" },
	{ "nothing", BYTES(""), NULL, 0, 0, "not a PNG" },
};

static void cut_everywhere(size_t i)
{
	bool refused = true;

	for (size_t len = 0; len < cases[i].len; len++) {
		AUTO(free) char *copy = malloc(len + 1); /* so that a checker sees */
		struct image image;

		if (!copy)
			continue;
		memcpy(copy, cases[i].bytes, len);
		refused = refused && image_look(copy, len, &image, NULL) != MT_OK;
	}
	CHECK_MSG(refused, "%s, cut anywhere, is refused", cases[i].name);
}

int main(void)
{
	AUTO(free) char *large = calloc(1, IMAGE_MAX_BYTES + 1);
	struct error err = ERROR_NONE;
	struct image image;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error why = ERROR_NONE;
		int status = image_look(cases[i].bytes, cases[i].len, &image, &why);

		if (cases[i].mime) {
			CHECK_MSG(status == MT_OK &&
					  strcmp(image.mime, cases[i].mime) == 0 &&
					  image.width == cases[i].width &&
					  image.height == cases[i].height,
				  "%s: %s %u x %u", cases[i].name, why.text, image.width,
				  image.height);
			cut_everywhere(i);
		} else {
			CHECK_MSG(status != MT_OK && strstr(why.text, cases[i].says),
				  "%s: it %s", cases[i].name, why.text);
		}
	}
	memcpy(large, JPEG, sizeof JPEG);
	CHECK(image_look(large, IMAGE_MAX_BYTES + 1, &image, &err) == MT_ELIMIT);
	return tap_done();
}
