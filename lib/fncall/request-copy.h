/* SPDX-License-Identifier: MIT
 *
 * request-copy.h - a request created from another. Some messages have their own parts and
 * texts; the rest is borrowed. Used by fncall only. */
#ifndef LIB_FNCALL_REQUEST_COPY_H
#define LIB_FNCALL_REQUEST_COPY_H

#include "fncall/fncall.h"

enum { FNCALL_MAX_TEXT = 64 << 20 };
#define FNCALL_RESULT "EXECUTION RESULT of ["

struct request_copy {
	struct llm_request *out;
	int status;          /* the first failure sticks */
};

int request_copy_begin(struct request_copy *w, const struct llm_request *in, bool tools);
/** Get the request, or NULL and the status of the failure. */
int request_copy_end(struct request_copy *w, struct llm_request **ret, struct error *err);

void request_copy_add(struct request_copy *w, const struct llm_message *m);
/** Take ownership of the text; "" on failure. */
const char *request_copy_own_text(struct request_copy *w, struct strbuf *text,
				  size_t *ret_len);
/** Parts of the rewritten message: `room` more than the original has, `front` of them
 *  before the others. NULL on failure. */
struct llm_part *request_copy_parts(struct request_copy *w, const struct llm_message *m,
				    size_t front, size_t room);
void *request_copy_array(struct request_copy *w, size_t count, size_t size);

/** The last part if it is text, else NULL. */
static inline const struct llm_part *message_last_text(const struct llm_message *m)
{
	return m->part_count && !m->parts[m->part_count - 1].mime
		       ? &m->parts[m->part_count - 1]
		       : NULL;
}

static inline const struct llm_part *message_first_text(const struct llm_message *m)
{
	return m->part_count && !m->parts[0].mime ? &m->parts[0] : NULL;
}

#endif
