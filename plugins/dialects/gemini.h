/* SPDX-License-Identifier: MIT
 *
 * gemini.h - shared by the files of the dialect. */
#ifndef PLUGINS_DIALECTS_GEMINI_H
#define PLUGINS_DIALECTS_GEMINI_H

#include "kit.h"

/** Name of the stored data of a reply: its parts, in order, with their signatures.
 *  {"text": null} stands for the text of the reply, {"call": ID or INDEX} for a call;
 *  anything else is unchanged. */
#define GEMINI_KEPT "gemini"

/* ---- gemini-args.c: arguments of a call that arrive in pieces ------------------- */

struct gemini_args {
	json_object *value;
	char *path;          /* of the text being appended to */
	struct strbuf text;
};

void args_begin(struct gemini_args *g);
/** Add one of partialArgs: {jsonPath, stringValue | numberValue | ..., willContinue}. */
int args_add(struct gemini_args *g, json_object *piece);
/** The complete arguments; borrowed. NULL: out of memory. */
json_object *args_end(struct gemini_args *g);
void args_clear(struct gemini_args *g);

/* ---- gemini-decode.c ------------------------------------------------------------ */

int gemini_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len);
int gemini_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status);

#endif
