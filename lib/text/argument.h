/* SPDX-License-Identifier: MIT
 *
 * argument.h - parses numbers in arguments of models, which may be strings. */
#ifndef LIB_TEXT_ARGUMENT_H
#define LIB_TEXT_ARGUMENT_H

#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/** True if the JSON text is present and not `null`. */
bool argument_given(struct mt_str json);
/** Parse an integer, or a string that contains one. @return false otherwise. */
bool argument_int(struct mt_str json, int64_t *ret);
/** Parse a range: `*ret_count` numbers, 0 or 2. @return false otherwise. */
bool argument_range(struct mt_str json, int64_t ret[2], size_t *ret_count);
/** Append a value in the form for messages: [1, 2], 1.5, strings without quotes. */
void argument_put(struct strbuf *out, struct mt_str json);

#endif
