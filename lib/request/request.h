/* SPDX-License-Identifier: MIT
 *
 * request.h - a request to a model and its reply, in memory.
 *
 * A request borrows its strings wherever possible: request-messages.c keeps the parts of
 * each event, so a request of a thousand messages is a thousand small structs without
 * copies. */
#ifndef LIB_REQUEST_REQUEST_H
#define LIB_REQUEST_REQUEST_H

#include "error.h"
#include "js.h"
#include <mortise/plugin.h>

struct llm_part {
	const char *mime;        /* NULL: text */
	const char *text;        /* text, or the bytes of an image or PDF */
	size_t len;
	size_t alone;            /* a text before a medium: its length if that is omitted;
				  * 0: `len` */
	const char *file;        /* path of the media file; or NULL */
	const char *url;         /* URL from which the provider fetches it; or NULL */
};

struct llm_call {
	const char *id, *name;
	const char *args;        /* as received, byte for byte */
	size_t args_len;
};

struct llm_message {
	uint64_t stamp;          /* equal stamps: equal messages; 0: unknown */
	int role;                /* enum mt_role */
	bool cache;              /* a prompt-cache breakpoint belongs after it */
	bool failed;             /* the tool returned an error */
	const struct llm_part *parts;
	size_t part_count;
	const struct llm_call *calls; /* of an assistant; tool: the call it answers */
	size_t call_count;
	const char *opaque;      /* JSON text of the dialect, or NULL */
	size_t opaque_len;
};

struct llm_tool {
	const char *name, *description;
	const char *schema;      /* JSON text */
	const char *sent;        /* the schema for the provider; NULL: unchanged */
	const char *brief;       /* short description; NULL or "": none */
};

/** A part of a request. */
struct request_span {
	size_t message, part;
};

#define MEDIA_PDF "application/pdf" /* the type of a part */

/** Freed with llm_request_free. The arrays are owned; the strings are borrowed unless
 *  `owned` holds them. */
struct llm_request {
	struct llm_message *messages;
	size_t message_count, message_room;
	struct llm_tool *tools;
	size_t tool_count, tool_room;
	json_object *params;     /* {name: any}; NULL: none */
	void **owned;            /* freed with the request */
	size_t owned_count, owned_room;
	bool stream;
	bool blind, links;       /* images are not sent; images are sent by URL */
	bool no_pdf;             /* PDF files are not sent */
	struct request_span shown;  /* earlier media are left out */
};

/** A stamp that is unique in this process. */
uint64_t llm_message_stamp(void);

struct llm_request *llm_request_new(void);
struct llm_request *llm_request_free(struct llm_request *r);
AUTO_DEFINE(llm_request, struct llm_request *, llm_request_free)
/** Make room for `n` more messages. */
int llm_request_reserve(struct llm_request *r, size_t n);
/** Append a copy of the struct; its texts stay borrowed. */
int llm_request_add(struct llm_request *r, const struct llm_message *m);
/** Append copies of a list of messages. */
int llm_request_add_all(struct llm_request *r, const struct llm_message *m, size_t n);
int llm_request_tool(struct llm_request *r, const struct llm_tool *t);
/** True if a cache breakpoint belongs after a message: at the end of the system text, of
 *  the last turn of user or tools (which the next request continues), and of the turn
 *  before it (which this request continues). */
bool llm_request_cache(const struct llm_request *r, size_t m);
/** The first message that ends one of the last two turns of user or tools. */
size_t llm_request_last_turns(const struct llm_request *r);
/** Bytes of the texts, calls, and tools, and the number of images; a PDF file counts as
 *  one or more images. */
size_t llm_request_bytes(const struct llm_request *r, size_t *ret_images);
/** Free this (malloc'ed) pointer with the request; if this fails, it is freed now. */
int llm_request_own(struct llm_request *r, void *p);

struct llm_usage {
	int64_t input, output, cache_read, cache_write, reasoning; /* -1: not reported */
	double cost;             /* US dollars; below 0: unknown */
};

/** A complete reply. All members are owned; llm_reply_free. */
struct llm_reply {
	char *response_id;       /* the provider's, or generated */
	char *model;
	char *text;              /* "" if none */
	size_t text_len;
	char *reasoning;         /* "" if none */
	struct llm_call *calls;  /* texts owned by the reply */
	size_t call_count;
	bool *masked;            /* of each call: a secret in it was masked, so that it
				    must not run; NULL: of none */
	char **refusals;         /* of each call: why it must not run, NULL: it may;
				    NULL: none is refused */
	char *correction;        /* the reply to a call in another format; or NULL */
	bool is_guess;           /* the text may be an answer, not a call */
	char *opaque;            /* or NULL */
	char *stop_reason;       /* "stop", "tool_calls", "length", "refusal" */
	struct llm_usage usage;
	int64_t latency_ms;
};
struct llm_reply *llm_reply_free(struct llm_reply *r);
AUTO_DEFINE(llm_reply, struct llm_reply *, llm_reply_free)
/** Convert a reply to the `llm_reply` record of the log, and back. */
json_object *llm_reply_json(const struct llm_reply *r);
struct llm_reply *llm_reply_from_json(json_object *record, struct error *err);

#endif
