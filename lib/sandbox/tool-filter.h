/* SPDX-License-Identifier: MIT
 *
 * tool-filter.h - the system calls that are refused in a sandbox. */
#ifndef LIB_SANDBOX_TOOL_FILTER_H
#define LIB_SANDBOX_TOOL_FILTER_H

#include "syscall-filter.h"

enum {
	TOOL_FILTER_NAMESPACES = 1u << 0, /* allow new namespaces, which a browser needs */
	TOOL_FILTER_NO_INTERNET = 1u << 1, /* refuse sockets of the Internet, where no
					    * namespace separates them */
	TOOL_FILTER_ONLY_TCP = 1u << 2,   /* of those, refuse all but TCP */
	TOOL_FILTER_HOLD = 1u << 2,        /* hold what only a call handler can check */
	TOOL_FILTER_TRUNCATE = 1u << 3,    /* with HOLD: Landlock does not cover truncate */
};

/** Build the filter. It refuses calls that change the system, and kinds of sockets that
 *  no namespace and no Landlock rule covers. @return as syscall_filter_begin(). */
int tool_filter_make(unsigned flags, struct syscall_filter *ret, struct error *err);

#endif
