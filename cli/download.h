/* SPDX-License-Identifier: MIT
 *
 * download.h - downloads one file over https, for commands. */
#ifndef CLI_DOWNLOAD_H
#define CLI_DOWNLOAD_H

#include "config/config.h"

/** Download `url` into the directory `dir`, with the file name in the URL (`ret_path`,
 *  owned). */
int download_file(const struct config *c, const char *url, size_t max, const char *dir,
		  char **ret_path, struct error *err);
/** The same, to the given path. */
int download_to(const struct config *c, const char *url, size_t max, const char *path,
		struct error *err);

#endif
