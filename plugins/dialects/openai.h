/* SPDX-License-Identifier: MIT
 *
 * openai.h - what the two halves of the dialect share. */
#ifndef PLUGINS_DIALECTS_OPENAI_H
#define PLUGINS_DIALECTS_OPENAI_H

#define MORTISE_PROVISIONAL
#include <mortise/dialect.h>

/* openai-decode.c */
int openai_feed(const struct mt_dialect_host *host, struct mt_exchange *x, int status,
		const char *type, const char *bytes, size_t len);
int openai_end(const struct mt_dialect_host *host, struct mt_exchange *x, int status);

#endif
