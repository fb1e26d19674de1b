/* SPDX-License-Identifier: MIT
 *
 * blocks.h - the blocks of a reply as they are sent back: the retained ones in their
 * order, its text, and each call once. For providers whose replies are lists of
 * blocks. */
#ifndef PLUGINS_DIALECTS_BLOCKS_H
#define PLUGINS_DIALECTS_BLOCKS_H

#include "kit.h"

struct blocks;

/** What a block has around the id, the name and the arguments of a call. */
struct call_form {
	const char *id, *name, *input, *end;
};

/** How a provider writes its blocks. */
struct blocks_form {
	const char *kept;  /* name under which blocks were kept */
	const char *empty; /* block of a message that would have none */
	/** Write the text; `kept`: what was kept of it, or NULL. */
	void (*text)(struct blocks *b, json_object *kept);
	struct call_form words; /* of a call, if there is no function for it */
	/** Write a call; `kept`: the same, or the whole list. NULL: it is written by
	 *  `words`. */
	void (*call)(struct blocks *b, size_t c, json_object *kept);
	/** Write what was kept in one place of the reply. */
	void (*item)(struct blocks *b, json_object *kept);
};

enum { BLOCKS_CALLS_MAX = 256 };

struct blocks {
	struct writer *w;
	const struct blocks_form *form;
	size_t m, calls, count;
	bool sent[BLOCKS_CALLS_MAX]; /* by call */
	bool open;                   /* the last block must not end the message */
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
