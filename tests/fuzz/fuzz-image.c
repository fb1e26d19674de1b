/* SPDX-License-Identifier: MIT
 *
 * fuzz-image.c - accepted images are of one of four types and within the
 * limits; anything else has a reason. Nothing is read past the end, wherever that
 * is. */
#include "image.h"
#include "strbuf.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool is_known(const char *mime)
{
	static const char *const known[] = { "image/png", "image/jpeg", "image/gif",
					     "image/webp" };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(mime, known[i]) == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	/* a copy of just this size, so that a byte too far is seen */
	uint8_t *copy = malloc(n ? n : 1);
	struct error err = ERROR_NONE;
	struct image image = { 0 };
	int status;

	if (!copy)
		return 0;
	memcpy(copy, bytes, n);
	status = image_look(copy, n, &image, &err);
	if (status == MT_OK) {
		if (!is_known(image.mime) || !image.width || !image.height ||
		    image.width > IMAGE_MAX_SIDE || image.height > IMAGE_MAX_SIDE ||
		    n > IMAGE_MAX_BYTES)
			abort();
	} else if (err.code != status || !err.text[0]) {
		abort();
	}
	free(copy);
	for (size_t cut = 0; cut < n && cut < 64; cut++) {
		uint8_t *part = malloc(cut ? cut : 1);

		if (part) {
			memcpy(part, bytes, cut);
			image_look(part, cut, &image, NULL);
		}
		free(part);
	}
	return 0;
}
