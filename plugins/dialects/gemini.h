/* SPDX-License-Identifier: MIT
 *
 * gemini.h - shared by the files of the dialect. */
#ifndef PLUGINS_DIALECTS_GEMINI_H
#define PLUGINS_DIALECTS_GEMINI_H

#include "kit.h"

/** Under this name a reply keeps what has to go back with it: its parts in their
 *  order with their signatures. {"text": null} stands for the text of the reply,
 *  {"call": ID or PLACE} for a call, anything else is as it came. */
#define GEMINI_KEPT "gemini"

/* ---- gemini-args.c: the arguments of a call that come in pieces ---------------- */

struct gemini_args {
	json_object *value;
	char *path;          /* of the text that is being added to */
	struct strbuf text;
};

void args_begin(struct gemini_args *g);
/** One of partialArgs: {jsonPath, stringValue | numberValue | ..., willContinue}. */
int args_add(struct gemini_args *g, json_object *piece);
/** The arguments that were built; borrowed. NULL: out of memory. */
json_object *args_end(struct gemini_args *g);
void args_clear(struct gemini_args *g);

/* ---- gemini-decode.c ------------------------------------------------------------ */

int gemini_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len);
int gemini_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status);

#endif
