/* SPDX-License-Identifier: MIT
 *
 * overlay.h - the overlay in which the tools of a conversation work. */
#ifndef HOST_CONTROLLER_OVERLAY_H
#define HOST_CONTROLLER_OVERLAY_H

#include "overlay/overlay.h"

struct conversation;

enum { PASSED_FD = 3 }; /* the first descriptor that a subagent gets */

/** Mount the overlay, if the configuration or the directory of the conversation has one.
 *  `passed`: the directory of the one that the parent of a subagent passes; or NULL. */
int conversation_open_overlay(struct conversation *c, const char *passed,
			      struct error *err);
/** Mount another overlay of the real workspace in `dir`, which does not exist. `more`: a
 *  directory that it covers too; NULL: none.
 *  @return MT_EUNSUPPORTED: not possible here */
int conversation_mount_overlay(const struct conversation *c, const char *dir,
			       const char *more, struct overlay *ret, struct error *err);
void conversation_close_overlay(struct conversation *c);
/** The overlay; NULL: tools work in the real directories. */
const struct overlay *conversation_overlay(const struct conversation *c);
/** The workspace as tools see it, for reading files in this process; `*ret_fd` (may be
 *  NULL) is the descriptor that a child process needs for this path, or -1. */
const char *conversation_files(const struct conversation *c, int *ret_fd);

/** The path at which this process finds a file that tools name by `path`: absolute, or
 *  relative to the workspace. Owned; NULL: out of memory. */
char *conversation_file(const struct conversation *c, const char *path);

#endif
