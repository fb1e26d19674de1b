/* SPDX-License-Identifier: MIT
 *
 * sensitive.h - files and directories that a command may not read, write or delete
 * without approval. Paths are clean and absolute, or resolved. */
#ifndef POLICY_SENSITIVE_H
#define POLICY_SENSITIVE_H

#include "place.h"

/** Does the file contain keys or passwords? */
bool sensitive_is_secret(const struct place *place, const char *path);
/** Is it output of a tool in our own directories, which results name: it may be read. */
bool sensitive_is_output(const char *path);
/** Is it a file whose content is executed later, or that protects the system: a hook, a
 *  startup file, our own configuration, a system file, a device? Also files with keys. */
bool sensitive_is_protected(const struct place *place, const char *path);
/** Is it in a system directory, where projects are not expected? */
bool sensitive_in_system(const char *path);
/** Is it a device other than /dev/null and the like? */
bool sensitive_is_device(const char *path);
/** Is it a system directory, a home directory, the workspace, or a parent of these? */
bool sensitive_is_critical(const struct place *place, const char *path);

#endif
