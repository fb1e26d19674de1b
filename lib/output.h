/* SPDX-License-Identifier: MIT
 *
 * output.h - command output in constant memory: keeps the beginning and the end, and
 * drops the middle of long output.
 *
 * Both parts are so large that cutting the text to OUTPUT_CHARS characters always removes
 * the gap between them. */
#ifndef LIB_OUTPUT_H
#define LIB_OUTPUT_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	OUTPUT_CHARS = 30000,     /* characters of a result */
	OUTPUT_HEAD = 128 * 1024, /* bytes kept of the beginning */
	OUTPUT_TAIL = 64 * 1024,  /* and of the end */
	OUTPUT_SHOWN = 64 * 1024, /* longest text recognized as shown */
};

#define OUTPUT_MARKER "\n[... Observation truncated due to length ...]\n"

struct output {
	size_t head_len, tail_len, tail_start;
	size_t lost_bytes, lost_lines; /* dropped between the two, with newlines */
	char head[OUTPUT_HEAD];
	char tail[OUTPUT_TAIL]; /* ring */
};

void output_reset(struct output *o);
void output_add(struct output *o, const char *bytes, size_t len);
/** Append all that is kept. */
int output_text(const struct output *o, struct strbuf *out);
/** Remove up to `lines` last lines and append them to `out`, so that they can be changed.
 *  An unterminated last line counts. */
int output_pull(struct output *o, size_t lines, struct strbuf *out);

/** Append valid text, if longer than `max` characters its first and last half
 *  around OUTPUT_MARKER. @return MT_OK or MT_ENOMEM; `*ret_cut` if not NULL. */
int output_cut(const char *text, size_t len, size_t max, struct strbuf *out,
	       bool *ret_cut);

#endif
