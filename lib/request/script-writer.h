/* SPDX-License-Identifier: MIT
 *
 * script-writer.h - replies as the file of a scripted model (doc/script.md),
 * for `run --record`. */
#ifndef LIB_REQUEST_SCRIPT_WRITER_H
#define LIB_REQUEST_SCRIPT_WRITER_H

#include "request/request.h"
#include "strbuf.h"

/** Append one [turn]. Text, reasoning, opaque part, names and arguments come
 *  back from the scripted model byte for byte; ids and latency are left out. */
int script_write_reply(struct strbuf *out, const struct llm_reply *r);

#endif
