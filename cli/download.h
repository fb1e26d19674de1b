/* SPDX-License-Identifier: MIT
 *
 * download.h - downloads one file over https, for commands. */
#ifndef CLI_DOWNLOAD_H
#define CLI_DOWNLOAD_H

#include "config/config.h"

/** Fetch `url` into the directory `dir`, under its own file name (`ret_path`, owned). */
int download_file(const struct config *c, const char *url, size_t max, const char *dir,
		  char **ret_path, struct error *err);
/** The same to a path. */
int download_to(const struct config *c, const char *url, size_t max, const char *path,
		struct error *err);

#endif
