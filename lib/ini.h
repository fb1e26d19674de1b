/* SPDX-License-Identifier: MIT
 *
 * ini.h - INI files through inih, without its limits.
 *
 * Debian's inih cuts lines at 200 bytes and section names at 49, takes " ;"
 * inside a value for a comment and counts no lines for its handler; the reader
 * in ini.c guards against each. A file is collected whole before anyone sees
 * it: a fault in line 90 leaves nothing half applied.
 *
 * Form: [section], key = value, key += value, key -= value; comments are lines
 * whose first mark is ; or #, and what follows the ] of a section after such a
 * mark. An indented line continues the value before it (with a newline
 * between). Keys and sections are case-sensitive. Text is UTF-8, lines end in
 * \n or \r\n. */
#ifndef LIB_INI_H
#define LIB_INI_H

#include "error.h"
#include <stddef.h>

enum { INI_MAX_LINE = 65536, INI_MAX_FILE = 1 << 20, INI_MAX_KEY = 120 };

struct ini_entry {
	char *section;  /* "" before the first section */
	char *key;
	char *value;    /* without surrounding white space */
	char op;        /* '=', '+' or '-' */
	unsigned line;  /* of the key, from 1 */
};

struct ini {
	struct ini_entry *entries;
	size_t count;
	char **sections;          /* every section, in order, */
	unsigned *section_lines;  /* also empty ones */
	size_t section_count;
};

/** Parse a text; `name` is for messages ("FILE:LINE: ..."). On failure the
 *  result is empty. */
int ini_parse_text(const char *name, const char *text, size_t len, struct ini *ret,
		   struct error *err);
/** Parse a file. @return MT_ENOTFOUND if it does not exist. */
int ini_read(const char *path, struct ini *ret, struct error *err);
void ini_clear(struct ini *ini);

#endif
