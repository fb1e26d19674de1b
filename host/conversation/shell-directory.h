/* SPDX-License-Identifier: MIT
 *
 * shell-directory.h - the directory of the shell, to which relative paths refer. */
#ifndef HOST_CONVERSATION_SHELL_DIRECTORY_H
#define HOST_CONVERSATION_SHELL_DIRECTORY_H

#include "controller/feature.h"

/** The last known directory of the shell, borrowed; NULL: unknown. */
const char *shell_directory_of(const struct conversation *c);
/** V0 reads and writes a relative path where the shell is, but for the editor's own
 *  commands, which refuse one. The action names the file that will be touched, so that
 *  policies see it. @return MT_OK or MT_ENOMEM. */
int shell_directory_resolve(const struct conversation *c, json_object *action);

extern const struct feature shell_directory_feature;

#endif
