/* SPDX-License-Identifier: MIT
 *
 * builtin.h - the rules that are always there: signatures of dangerous commands
 * and of injected instructions, and the rails for what is dangerous together. */
#ifndef POLICY_BUILTIN_H
#define POLICY_BUILTIN_H

#include "corpus.h"
#include "error.h"

struct builtin; /* the compiled tables */

struct builtin *builtin_new(struct error *err);
struct builtin *builtin_free(struct builtin *b);
AUTO_DEFINE(builtin, struct builtin *, builtin_free)

/** Signatures: high, medium, else LOW; UNKNOWN for a deletion that hides its
 *  command, and for what is too large to be seen whole. */
int builtin_patterns(const struct builtin *b, const struct corpus *c,
		     struct finding *ret);
/** Signatures of ours, for what goes around those by its form: HIGH or LOW. */
int builtin_beyond(const struct builtin *b, const struct corpus *c, struct finding *ret);
/** Rails: HIGH or LOW. Each piece for itself. */
int builtin_rails(const struct builtin *b, const struct corpus *c, struct finding *ret);

/** A rule for listing, rails first; false past the last. */
bool builtin_at(size_t n, bool *ret_rail, struct finding *ret, const char **ret_pattern);

#endif
