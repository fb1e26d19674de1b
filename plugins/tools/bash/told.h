/* SPDX-License-Identifier: MIT
 *
 * told.h - facts about the shell that results have stated, stored in a file. */
#ifndef BASH_TOLD_H
#define BASH_TOLD_H

#include <stdbool.h>

struct told {
	char *directory, *python; /* NULL: none stated */
	bool loaded;
};

/** Load the facts once: those stated before the conversation was resumed, otherwise the
 *  directory `start`, the workspace. `path` of told_load and told_save may be NULL or "": no file. */
void told_load(struct told *t, const char *path, const char *start);
void told_save(const struct told *t, const char *path);
/** Remember the value. @return whether the last stated value differs. */
bool told_is_news(char **known, const char *now);
/** Copy the facts to `to`, which is empty. */
void told_copy(struct told *to, const struct told *from);
void told_clear(struct told *t);

#endif
