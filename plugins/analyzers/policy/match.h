/* SPDX-License-Identifier: MIT
 *
 * match.h - regular expressions with limits on their work. */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "error.h"

#include <stddef.h>

struct match; /* a compiled expression */

/** Case does not count when `caseless`; otherwise as written.
 *  @return NULL, and `err` says what is wrong at which byte. */
struct match *match_new(const char *pattern, size_t len, int caseless, struct error *err);
/** A glob: * and ? as in file names, but * crosses slashes; the whole text has
 *  to fit. `/.../` is a regular expression that may fit anywhere. */
struct match *match_glob(const char *pattern, struct error *err);
struct match *match_free(struct match *m);
/** @return 1: it is there, 0: it is not, MT_ELIMIT: not to be told in time,
 *  MT_ENOMEM. */
int match_in(struct match *m, const char *text, size_t len);

#endif
