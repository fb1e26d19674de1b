/* SPDX-License-Identifier: MIT
 *
 * function-ini.h - C functions of a shared library, declared in INI files:
 *
 *   library = libm.so.6
 *   symbol = cos
 *   returns = double
 *   arg.x = double, an angle in radians
 *
 * or, for several, function.NAME.symbol, function.NAME.arg.x and so on. The
 * arguments are in the order of the lines. doc/ffi.md describes all keys. */
#ifndef LIB_FUNCTION_INI_H
#define LIB_FUNCTION_INI_H

#include "error.h"
#include "function-schema.h"

enum { FUNCTIONS_MAX = 256 };

struct function_line {
	const char *key, *value;
};

/** One function: a tool of this name. Everything is owned. */
struct declared {
	char *name, *symbol, *help;
	size_t line;             /* index of its first argument */
	size_t *arg_lines;
	uint32_t hints;          /* MT_TOOL_READ_ONLY ... */
	struct mt_arg *args;
	struct mt_function function; /* its address is a placeholder */
};

struct functions {
	char *library;           /* a path, or a name for the dynamic linker */
	size_t library_line;
	struct declared *list;
	size_t count;
};

/** An error in line `n` (`count`: in no particular line). */
typedef void function_fault(void *arg, size_t n, const char *sentence);

/** Read the declarations and report every error. @return MT_OK only if there was none.
 *  The result may be cleared in either case. */
int functions_read(const struct function_line *lines, size_t count, struct functions *ret,
		   function_fault *fault, void *arg);
void functions_clear(struct functions *f);
/** The tools in the form of a toolset's list: [{name, description, schema, hints}]. */
int functions_json(const struct functions *f, struct strbuf *out);

#endif
