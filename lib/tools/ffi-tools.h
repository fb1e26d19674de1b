/* SPDX-License-Identifier: MIT
 *
 * ffi-tools.h - C functions that the configuration alone declares as tools. Their list is
 * therefore known, and checked, before they run. */
#ifndef LIB_TOOLS_FFI_TOOLS_H
#define LIB_TOOLS_FFI_TOOLS_H

#include "config/config.h"

/** The toolset that provides them. */
#define FFI_TOOLSET "ffi"

/** The tools that the options of [SECTION] declare, in the form that a toolset lists
 *  them; owned. An error names file and line. */
int ffi_tools_read(const struct config *c, const char *section, json_object *options,
		   json_object **ret, struct error *err);

#endif
