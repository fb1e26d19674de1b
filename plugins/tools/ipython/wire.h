/* SPDX-License-Identifier: MIT
 *
 * wire.h - messages of the Jupyter protocol as the parts of a ZeroMQ message: identities,
 * a delimiter, a signature, then header, parent header, metadata and content as JSON,
 * which are signed (HMAC-SHA256), then raw buffers. */
#ifndef IPYTHON_WIRE_H
#define IPYTHON_WIRE_H

#include "error.h"
#include "js.h"
#include <stdbool.h>

enum {
	WIRE_KEY_MAX = 128,  /* bytes of a key */
	WIRE_ID_MAX = 64,    /* of our message ids, NUL included */
	WIRE_HEX = 64,       /* characters of a signature */
	WIRE_PARTS_MAX = 64, /* maximum number of parts read */
};

#define WIRE_MARK "<IDS|MSG>"

enum wire_part { WIRE_HEADER, WIRE_PARENT, WIRE_METADATA, WIRE_CONTENT, WIRE_SIGNED };

struct wire_message {
	json_object *header;  /* an object; owned, like the others */
	json_object *parent;  /* the request's header; an object, {} if none */
	json_object *content; /* an object */
};

/** Signature of the four parts as hex digits. */
int wire_sign(const char *key, const struct mt_str parts[WIRE_SIGNED],
	      char ret_hex[WIRE_HEX + 1]);
/** Check and read a message. @return MT_EDENIED if it is not signed with this
 *  key, MT_EINVAL if it is not a message, MT_ELIMIT, MT_ENOMEM. */
int wire_read(const char *key, const struct mt_str *parts, size_t count,
	      struct wire_message *ret, struct error *err);
void wire_clear(struct wire_message *m);
/** Type of a message, and id of the message that it answers; never NULL. */
const char *wire_type(const struct wire_message *m);
const char *wire_parent(const struct wire_message *m);
/** Append the header of one of our messages. */
int wire_header(struct strbuf *out, const char *id, const char *session,
		const char *type);

#endif
