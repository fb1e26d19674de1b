/* SPDX-License-Identifier: MIT
 *
 * models.h - shared declarations of the files of `mortise models`. */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H

#include "commands.h"

/** Send a small request to the model `name` (NULL: that of the configuration), and one
 *  with an image if `vision` is set or the table says that it supports vision; print what
 *  works. @return an exit code. */
int models_test(const struct common *common, const char *name, bool vision, bool json);

/** Query the server of a provider ("ollama"; NULL: that of the configured model) for
 *  its models and print them. @return an exit code. */
int models_server(const struct common *common, const char *provider, bool json);

/** Query the server of the model `name` for its context window; fails if it is not
 *  reported. @return an exit code. */
int models_server_window(const struct common *common, const char *name, int64_t *ret);

#endif
