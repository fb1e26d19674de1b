/* SPDX-License-Identifier: MIT
 *
 * sensitive.h - files and directories that a command may not read, write or delete
 * without approval. Paths are clean and absolute, or resolved. */
#ifndef POLICY_SENSITIVE_H
#define POLICY_SENSITIVE_H

#include "place.h"

/** A file of keys or passwords? */
bool sensitive_is_secret(const struct place *place, const char *path);
/** A file whose content runs later, or that protects: a hook, a start file, our own
 *  configuration, a system file, a device? Files of keys too. */
bool sensitive_is_protected(const struct place *place, const char *path);
/** Below a directory of the system, where no project lies? */
bool sensitive_in_system(const char *path);
/** A device, other than /dev/null and the like? */
bool sensitive_is_device(const char *path);
/** A directory that the system or users live in, or all of the workspace? */
bool sensitive_is_critical(const struct place *place, const char *path);

#endif
