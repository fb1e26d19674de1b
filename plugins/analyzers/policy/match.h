/* SPDX-License-Identifier: MIT
 *
 * match.h - globs and regular expressions, with a limit on the work for an action.
 *
 * A text may be a shape with unknown parts (SHELL_ANY, SHELL_ONE of shell.h): it then
 * matches, does not match, or may match. */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

struct match; /* a compiled expression or glob */

enum fit { FITS_NOT, FITS_MAYBE, FITS };

/** Start measuring the processor time of matching for an action. After the limit,
 *  everything may match. */
void match_begin(void);
/** Has the limit been reached? */
bool match_is_over(void);

/** Compile a regular expression that may match anywhere; `caseless`: ignore case.
 *  @return NULL: `err` contains the reason, and the byte of an invalid expression. */
struct match *match_new(const char *pattern, size_t len, int caseless, struct error *err);
/** Compile a glob: * and ? as in file names, but * crosses slashes; the whole text must
 *  match. `/.../` is a regular expression. */
struct match *match_glob(const char *pattern, struct error *err);
struct match *match_free(struct match *m);
/** @return an enum fit, or MT_ENOMEM. FITS_MAYBE also if it cannot be decided. */
int match_fits(struct match *m, const char *text, size_t len);
/** The same for an expression, starting at the byte `at`. The text is valid UTF-8. */
int match_here(struct match *m, const char *text, size_t len, size_t at);

#endif
