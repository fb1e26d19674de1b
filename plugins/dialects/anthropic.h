/* SPDX-License-Identifier: MIT
 *
 * anthropic.h - shared by the encoder and decoder of the dialect. */
#ifndef PLUGINS_DIALECTS_ANTHROPIC_H
#define PLUGINS_DIALECTS_ANTHROPIC_H

#include "kit.h"

/** Name of the stored data of a reply: its blocks, in order. A text block without a text
 *  stands for the whole text of the reply, a tool_use block for the call of its id;
 *  others are unchanged. */
#define ANTHROPIC_KEPT "anthropic"

/* anthropic-decode.c */
int anthropic_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		   const char *type, const char *bytes, size_t len);
int anthropic_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status);

#endif
