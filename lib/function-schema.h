/* SPDX-License-Identifier: MIT
 *
 * function-schema.h - the JSON Schema of a typed C function (mt_function) for the
 * model, and validation of its table. The runner calls the function. */
#ifndef LIB_FUNCTION_SCHEMA_H
#define LIB_FUNCTION_SCHEMA_H

#include "error.h"
#include "strbuf.h"
#include <mortise/function.h>
#include <stdbool.h>

enum {
	FUNCTION_ARGS_MAX = 64,
	FUNCTION_CAPACITY_MAX = 16 << 20, /* of one out argument */
	FUNCTION_CAPACITY = 4096,         /* used where the table has 0 */
};

/** A name that a tool can have: a letter, then at most 63 letters, digits, - and _. */
bool function_name_is_valid(const char *name, size_t len);
/** Argument `n`, stepped by the size of the first. */
const struct mt_arg *function_arg(const struct mt_function *f, size_t n);
/** Is this the size of the buffer before it? */
bool function_arg_is_size(const struct mt_function *f, size_t n);
/** Minimum and maximum of an integer type; false for other types. */
bool function_range(uint16_t type, int64_t *ret_min, uint64_t *ret_max);
/** Step through "NAME=0|OTHER=1". @return false at the end or for a fault. */
bool function_choice(const char **rest, const char **ret_name, size_t *ret_len,
		     int64_t *ret_value);

/** Check argument `n` against the preceding ones. */
int function_check_arg(const struct mt_function *f, size_t n, struct error *err);
/** Check the table: sizes, types, names, combinations of flags. */
int function_check(const struct mt_function *f, struct error *err);
/** Append the schema. The table is checked first. */
int function_schema(const struct mt_function *f, struct strbuf *out, struct error *err);

#endif
