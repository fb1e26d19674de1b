/* SPDX-License-Identifier: MIT
 *
 * image.h - detects the format of an image and whether it can be sent to a model. An
 * image that the provider refuses would break the conversation permanently. */
#ifndef LIB_IMAGE_H
#define LIB_IMAGE_H

#include "error.h"

enum {
	IMAGE_MAX_BYTES = 3840000, /* as base64 less than the 5 MB of most providers */
	IMAGE_MAX_SIDE = 8000,     /* pixels */
};

struct image {
	const char *mime;          /* a constant: "image/png" */
	unsigned width, height;
};

/** Inspect a whole image: PNG, JPEG, GIF or WebP, detected by its bytes, not its name.
 *  @return MT_OK; MT_EUNSUPPORTED (none of them), MT_EINVAL (damaged or cut
 *  short), MT_ELIMIT (too large), with a text that continues "it ...". */
int image_look(const void *bytes, size_t len, struct image *ret, struct error *err);

#endif
