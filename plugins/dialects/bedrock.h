/* SPDX-License-Identifier: MIT
 *
 * bedrock.h - shared by the encoder and decoder of the dialect. */
#ifndef PLUGINS_DIALECTS_BEDROCK_H
#define PLUGINS_DIALECTS_BEDROCK_H

#include "kit.h"

/** Name of the stored data of a reply: its blocks, in order, with reasoningContent
 *  unchanged; {"text": null} stands for the text of the reply, {"toolUse": ID} for a
 *  call. */
#define BEDROCK_KEPT "bedrock"

/* bedrock-decode.c */
int bedrock_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		 const char *type, const char *bytes, size_t len);
int bedrock_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status);

#endif
