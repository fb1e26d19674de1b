/* SPDX-License-Identifier: MIT
 *
 * library.h - shared libraries that are loaded on first use: most commands need none
 * of them, and relocating them costs more than the startup of the program. */
#ifndef LIB_LIBRARY_H
#define LIB_LIBRARY_H

#include "error.h"
#include <stddef.h>

struct library_function {
	const char *name;
	size_t offset; /* of the pointer to it, in the table */
};

struct library {
	const char *file, *name; /* "libyaml-0.so.2", "libyaml" */
	const char *need;        /* "to read front matter" */
	const struct library_function *functions;
	size_t count;
};

/** Load it and fill the table, completely or not at all. It is never unloaded.
 *  @return MT_ENOTFOUND, MT_EUNSUPPORTED if a function is missing */
int library_load(const struct library *l, void *table, size_t size, struct error *err);

#endif
