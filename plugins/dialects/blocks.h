/* SPDX-License-Identifier: MIT
 *
 * blocks.h - writes the blocks of a reply that are sent back: the stored ones in their
 * order, its text, and each call once. For providers whose replies are lists of
 * blocks. */
#ifndef PLUGINS_DIALECTS_BLOCKS_H
#define PLUGINS_DIALECTS_BLOCKS_H

#include "kit.h"

struct blocks;

/** The JSON around the id, the name and the arguments of a call. */
struct call_form {
	const char *id, *name, *input, *end;
};

/** How a provider writes its blocks. */
struct blocks_form {
	const char *kept;  /* name of the stored data */
	const char *empty; /* block for a message without any */
	/** Write the text; `kept`: its stored data, or NULL. */
	void (*text)(struct blocks *b, json_object *kept);
	struct call_form words; /* of a call, if `call` is NULL */
	/** Write a call; `kept`: its stored data, or the whole list. NULL: `words` is
	 *  used. */
	void (*call)(struct blocks *b, size_t c, json_object *kept);
	/** Write one stored item of the reply. */
	void (*item)(struct blocks *b, json_object *kept);
};

enum { BLOCKS_CALLS_MAX = 256 };

struct blocks {
	struct writer *w;
	const struct blocks_form *form;
	size_t m, calls, count;
	bool sent[BLOCKS_CALLS_MAX]; /* by call */
	bool open;                   /* the last block cannot end the message */
};

/** Write all blocks of message `m`. */
void blocks_put(struct writer *w, size_t m, const struct blocks_form *form);
/** Start a block. */
void blocks_next(struct blocks *b);
/** Write a call, unless it was written before. */
void blocks_call(struct blocks *b, size_t c, json_object *kept);
/** Write the calls with this id. */
void blocks_call_of(struct blocks *b, const char *id, json_object *kept);
/** Write each part that is text and not blank with `each`. */
void blocks_text(struct blocks *b, void (*each)(struct writer *w, struct mt_str text));

#endif
