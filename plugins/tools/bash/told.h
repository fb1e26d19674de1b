/* SPDX-License-Identifier: MIT
 *
 * told.h - what results have told the model of the shell, kept in a file. */
#ifndef BASH_TOLD_H
#define BASH_TOLD_H

#include <stdbool.h>

struct told {
	char *directory, *python; /* NULL: nothing */
	bool loaded;
};

/** Load it once: the model knows the workspace, `start`, or what was stated before the
 *  conversation was resumed. `path` of told_load and told_save may be NULL or "": there is
 *  no file. */
void told_load(struct told *t, const char *path, const char *start);
void told_save(const struct told *t, const char *path);
/** Remember the value. @return whether the model knew another one. */
bool told_is_news(char **known, const char *now);
/** Set `to`, which is empty, to the same. */
void told_copy(struct told *to, const struct told *from);
void told_clear(struct told *t);

#endif
