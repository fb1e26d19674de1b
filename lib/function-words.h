/* SPDX-License-Identifier: MIT
 *
 * function-words.h - the keywords that declare a C function: types, arguments, failure
 * and effects. */
#ifndef LIB_FUNCTION_WORDS_H
#define LIB_FUNCTION_WORDS_H

#include "error.h"
#include <mortise/function.h>

/** "out buffer 64K, what it is": one argument. Its texts are owned. */
int words_argument(const char *name, const char *text, struct mt_arg *ret,
		   struct error *err);
void words_clear(struct mt_arg *a);
/** "double", or "nothing". */
int words_returns(const char *text, uint16_t *ret, struct error *err);
/** "negative errno", "zero", "nonzero", "never". */
int words_fails(const char *text, uint32_t *ret, struct error *err);
/** "read-only, idempotent" */
int words_hints(const char *text, uint32_t *ret, struct error *err);

#endif
