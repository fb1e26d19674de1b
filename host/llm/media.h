/* SPDX-License-Identifier: MIT
 *
 * media.h - limits of images and PDF files in requests, and their estimated tokens. */
#ifndef HOST_LLM_MEDIA_H
#define HOST_LLM_MEDIA_H

#include "request/request.h"

enum {
	LLM_IMAGES_MAX = 20,          /* in a request; if there are more... */
	LLM_IMAGES_KEPT = 10,         /* ...the oldest are omitted down to this */
	LLM_IMAGES_BYTES = 9 << 20,   /* the same for their bytes */
	LLM_IMAGES_BYTES_KEPT = 5 << 20,
	LLM_IMAGE_TOKENS = 1000,      /* estimate for one image */
};

/** True if a message of the request has an image in it. */
bool llm_request_has_media(const struct llm_request *r);

#endif
