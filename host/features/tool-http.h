/* SPDX-License-Identifier: MIT
 *
 * tool-http.h - HTTP requests of tools. */
#ifndef HOST_FEATURES_TOOL_HTTP_H
#define HOST_FEATURES_TOOL_HTTP_H

#include "controller/feature.h"

extern const struct feature tool_http_feature;

#endif
