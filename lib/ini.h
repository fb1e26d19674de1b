/* SPDX-License-Identifier: MIT
 *
 * ini.h - INI files, parsed by inih without its limits.
 *
 * Debian's inih cuts lines at 200 bytes and section names at 49, treats " ;" inside a
 * value as a comment, and passes no line numbers to its handler; the reader in ini.c
 * avoids each of these. A file is parsed completely before any entry is used: an error
 * in line 90 leaves nothing half applied.
 *
 * Form: [section], key = value, key += value, key -= value. Comments begin with ; or #
 * at the start of a line or after the ] of a section. An indented line continues the
 * previous value (with a newline between). Keys and sections are case-sensitive. Text is
 * UTF-8; lines end in \n or \r\n. */
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
	char **sections;          /* every section, in order, including */
	unsigned *section_lines;  /* empty ones */
	size_t section_count;
};

/** Parse a text; `name` is for messages ("FILE:LINE: ..."). On failure the
 *  result is empty. */
int ini_parse_text(const char *name, const char *text, size_t len, struct ini *ret,
		   struct error *err);
/** Takes an error of one line, and returns MT_OK to skip the line, or a status with `err`
 *  filled to stop. */
typedef int ini_fault_fn(void *arg, const struct error *why, struct error *err);
/** As ini_parse_text, but lines that are neither a section nor a key with a value are passed
 *  to `on_fault`. With an invalid section, its keys are skipped, too. */
int ini_parse_each(const char *name, const char *text, size_t len, ini_fault_fn *on_fault,
		   void *arg, struct ini *ret, struct error *err);
/** Parse a file. @return MT_ENOTFOUND if it does not exist. */
int ini_read(const char *path, struct ini *ret, struct error *err);
void ini_clear(struct ini *ini);

#endif
