/* SPDX-License-Identifier: MIT
 *
 * ffi-tools.h - tools that are declared by the configuration alone: C functions. Their
 * list is therefore known, and checked, before anything runs. */
#ifndef LIB_TOOLS_FFI_TOOLS_H
#define LIB_TOOLS_FFI_TOOLS_H

#include "config/config.h"

/** The toolset that binds them. */
#define FFI_TOOLSET "ffi"

/** The list that the options of [SECTION] declare, as a toolset lists its tools;
 *  owned. A fault names file and line. */
int ffi_tools_read(const struct config *c, const char *section, json_object *options,
		   json_object **ret, struct error *err);

#endif
