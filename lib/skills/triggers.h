/* SPDX-License-Identifier: MIT
 *
 * triggers.h - conditions for using a skill: keywords of a message, paths of files. */
#ifndef LIB_SKILLS_TRIGGERS_H
#define LIB_SKILLS_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>

/** True if the message contains the keyword as a whole word, ignoring case: no adjacent
 *  letter or digit of a script that separates words. An empty keyword never matches. */
bool trigger_matches(const char *keyword, const char *message, size_t len);

/** True if a glob matches a whole path relative to the workspace, case-sensitively. Two
 *  stars and a slash: any leading directories; two stars: anything; one star: any
 *  characters within a segment; ?: one character; all others are literal. A glob without
 *  a slash matches at any depth. */
bool trigger_matches_path(const char *pattern, const char *path);

#endif
