/* SPDX-License-Identifier: MIT
 *
 * log.h - log messages: one line per event, to stderr or a file.
 *
 * A line contains the time, the level, the name of the program part, and the message with
 * the key=value pairs of the caller. Secrets are masked when a mask is set. */
#ifndef LIB_LOG_H
#define LIB_LOG_H

#include "mask.h"
#include <mortise/plugin.h>

/** Destination of the lines: descriptor (not owned; -1: nowhere), and the most detailed
 *  level written. Default: stderr, MT_LOG_WARNING. `part` names the program. */
void log_setup(int fd, int level, const char *part);
void log_set_mask(const struct mask *m);
bool log_wants(int level);
void log_line(int level, const char *part, const char *fmt, ...) MT_PRINTF(3, 4);
/** Set the plugin, instance and call of the calling thread, which are added to every line
 *  (texts borrowed; NULL: none). */
void log_context(const char *plugin, const char *instance, const char *call);

#endif
