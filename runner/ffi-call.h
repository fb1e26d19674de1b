/* SPDX-License-Identifier: MIT
 *
 * ffi-call.h - calls a typed C function with arguments from JSON, with libffi; and
 * copies its table, for toolsets that create theirs at run time. */
#ifndef RUNNER_FFI_CALL_H
#define RUNNER_FFI_CALL_H

#include "error.h"
#include "js.h"
#include <mortise/function.h>

/** Call it. The result is appended to `ret`: a single value as plain text, or, with out
 *  arguments, an object of all of them (the return value is its member "returns"). The
 *  table was checked by function_check. */
int ffi_function_call(const struct mt_function *f, json_object *args, struct strbuf *ret,
		      struct error *err);

struct function_copy {
	struct mt_function function;
	struct mt_arg *args;
};

/** A deep copy; NULL: out of memory. */
struct function_copy *ffi_function_copy(const struct mt_function *f);
void ffi_function_free(struct function_copy *f);

#endif
