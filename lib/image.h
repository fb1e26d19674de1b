/* SPDX-License-Identifier: MIT
 *
 * image.h - which kind of image some bytes are, and whether a model can be
 * shown it: what providers refuse would spoil a conversation for good. */
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

/** Look at a whole image: PNG, JPEG, GIF or WebP by its bytes, whatever its name.
 *  @return MT_OK; MT_EUNSUPPORTED (none of them), MT_EINVAL (damaged or cut
 *  short), MT_ELIMIT (too large), with a text that goes on after "it ". */
int image_look(const void *bytes, size_t len, struct image *ret, struct error *err);

#endif
