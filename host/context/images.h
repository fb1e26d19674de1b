/* SPDX-License-Identifier: MIT
 *
 * images.h - images and PDF files of messages and observations: checked on input, stored
 * as blobs of the log, sent to models that support them. */
#ifndef HOST_CONTEXT_IMAGES_H
#define HOST_CONTEXT_IMAGES_H

#include "events/evlog.h"
#include "request/request.h"

enum { IMAGES_MAX = 20 /* of one message */ };

/** Images of one event as message parts: pairs of a text and an image, or only a text if
 *  the image cannot be shown. */
struct images {
	struct llm_part *parts;
	size_t count;
	char **owned;              /* texts, paths and URLs of the parts */
	size_t owned_count;
	bool notes;                /* set by the caller: with `image_note` of the result */
	const char *note;          /* of the image that is being added */
};

/** The images of an event: `image_urls` of a message or a cell, `media` of a
 *  result. Bytes stay in the blobs. @return MT_OK or MT_ENOMEM. */
int images_of(const struct event *e, struct evlog *log, struct images *ret);
void images_clear(struct images *images);

/** Check the images and PDF files of a message: a list of at most IMAGES_MAX data: or
 *  https: URLs of supported types. */
int images_check(json_object *urls, struct error *err);
/** Read an image or PDF file and add it to a list of URLs, as a data: URL with its path:
 *  data:TYPE;name=PATH;base64,... */
int images_add_file(json_object *urls, const char *path, struct error *err);
/** Is a PDF file among the URLs? */
bool images_have_pdf(json_object *urls);

#endif
