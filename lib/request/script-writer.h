/* SPDX-License-Identifier: MIT
 *
 * script-writer.h - replies as the file of a scripted model (doc/script.md),
 * for `run --record`. */
#ifndef LIB_REQUEST_SCRIPT_WRITER_H
#define LIB_REQUEST_SCRIPT_WRITER_H

#include "request/request.h"
#include "strbuf.h"

/** Append one [turn]. The scripted model restores text, reasoning, opaque part, names,
 *  and arguments byte for byte; IDs and latency are omitted. */
int script_write_reply(struct strbuf *out, const struct llm_reply *r);

#endif
