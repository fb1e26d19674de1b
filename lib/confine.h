/* SPDX-License-Identifier: MIT
 *
 * confine.h - removes system calls that foreign code does not need from the calling
 * process: a seccomp filter, built with libseccomp. A refused call fails with EPERM. */
#ifndef LIB_CONFINE_H
#define LIB_CONFINE_H

#include "syscall-filter.h"

enum {
	CONFINE_NO_OPEN = 1u << 0, /* refuse to open any file; without it: only for
				    * writing */
	CONFINE_NO_THREADS = 1u << 1, /* refuse to start threads too */
	CONFINE_ONLY_OPEN = 1u << 2, /* refuse to open any file, and nothing else: after
				      * another filter. Quick to apply */
};

/** Create the filter. It refuses to start a process or a program; to signal other
 *  processes (also as the owner of a descriptor), trace, read, or schedule them; to use
 *  sockets; to change files, limits, mounts, or the system; and to outlive the parent
 *  (PR_SET_PDEATHSIG). @return MT_OK, MT_ENOTFOUND (libseccomp is not installed),
 *  MT_EIO */
int confine_prepare(unsigned flags, struct syscall_filter *ret, struct error *err);
/** Apply it to this thread, permanently. Async-signal-safe. @return MT_OK, or
 *  MT_EUNSUPPORTED where the kernel has no filters. */
int confine_apply(const struct syscall_filter *f);

#endif
