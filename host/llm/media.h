/* SPDX-License-Identifier: MIT
 *
 * media.h - limits of images and PDF files in requests, and how many tokens they count for. */
#ifndef HOST_LLM_MEDIA_H
#define HOST_LLM_MEDIA_H

#include "request/request.h"

enum {
	LLM_IMAGES_MAX = 20,          /* of a request; beyond it... */
	LLM_IMAGES_KEPT = 10,         /* ...the oldest go until so many are left */
	LLM_IMAGES_BYTES = 9 << 20,   /* the same for their bytes */
	LLM_IMAGES_BYTES_KEPT = 5 << 20,
	LLM_IMAGE_TOKENS = 1000,      /* of an image, where tokens are estimated */
};

/** True if a message of the request has an image in it. */
bool llm_request_has_media(const struct llm_request *r);

#endif
