/* SPDX-License-Identifier: MIT
 *
 * shell-directory.h - the directory of the shell, to which relative paths refer. */
#ifndef HOST_CONVERSATION_SHELL_DIRECTORY_H
#define HOST_CONVERSATION_SHELL_DIRECTORY_H

#include "controller/feature.h"

/** The last known directory of the shell, borrowed; NULL: unknown. */
const char *shell_directory_of(const struct conversation *c);
/** V0 resolves the relative path of a read or write against the directory of the
 *  shell, except for the editor's own commands, which refuse one. Put the resulting
 *  path into the action, so that policies see it. @return MT_OK or MT_ENOMEM. */
int shell_directory_resolve(const struct conversation *c, json_object *action);

extern const struct feature shell_directory_feature;

#endif
