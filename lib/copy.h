/* SPDX-License-Identifier: MIT
 *
 * copy.h - copies a directory tree. */
#ifndef LIB_COPY_H
#define LIB_COPY_H

#include "error.h"

#include <stdint.h>

struct copy_limits {
	int64_t files, bytes;
};

/** Copy the contents of the directory `from` into the existing directory `to`: files with
 *  their permissions, links as links; sockets, pipes and devices are skipped, and so is
 *  `to` itself if it is in `from`. MT_ELIMIT with a sentence if the limits are exceeded;
 *  copied files stay. */
int copy_directory(const char *from, const char *to, const struct copy_limits *limits,
		   struct error *err);

#endif
