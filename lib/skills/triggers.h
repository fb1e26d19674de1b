/* SPDX-License-Identifier: MIT
 *
 * triggers.h - when a skill applies: keywords of a message, paths of files
 * (spec/skills 9.2). */
#ifndef LIB_SKILLS_TRIGGERS_H
#define LIB_SKILLS_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>

/** Is the keyword in the message as a whole word, ignoring case: no letter or digit of
 *  a script that separates words is next to it? An empty one never is. */
bool trigger_matches(const char *keyword, const char *message, size_t len);

/** Does a glob match a path relative to the workspace, whole and with its case?
 *  Any leading directories before a slash after two stars, two stars: anything, one:
 *  within a segment, ?: one character; everything else stands for itself. A glob
 *  without a slash matches at any depth. */
bool trigger_matches_path(const char *pattern, const char *path);

#endif
