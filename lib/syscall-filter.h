/* SPDX-License-Identifier: MIT
 *
 * syscall-filter.h - builds seccomp filters with libseccomp, and applies them. A filter
 * allows every system call that no rule refuses. */
#ifndef LIB_SYSCALL_FILTER_H
#define LIB_SYSCALL_FILTER_H

#include "error.h"

#include <linux/filter.h>
#include <seccomp.h>

/** A filter, built once and applied in any number of child processes. */
struct syscall_filter {
	struct sock_filter *list;
	size_t count;
};

/** A filter that is being built; the first failure is kept. */
struct syscall_filter_draft {
	scmp_filter_ctx filter;
	int error; /* negative errno */
};

/** `need` is what the filter is for, for an error: "to confine plugins".
 *  @return MT_OK, MT_ENOTFOUND (libseccomp is not installed), MT_ENOMEM, MT_EIO */
int syscall_filter_begin(struct syscall_filter_draft *d, const char *need,
			 struct error *err);
/** Refuse a call with this errno, always or `when` the condition holds. A name that this
 *  architecture does not have is ignored. */
void syscall_filter_refuse(struct syscall_filter_draft *d, int number, const char *name,
			   const struct scmp_arg_cmp *when);
/** The same with `count` conditions, all of which must hold. */
void syscall_filter_refuse_all(struct syscall_filter_draft *d, int number,
			       const char *name, const struct scmp_arg_cmp *when,
			       unsigned count);
void syscall_filter_refuse_list(struct syscall_filter_draft *d, int number,
				const char *const *names, size_t count);
/** Refuse it for this value of the low 32 bits of an argument, which is all that the
 *  kernel reads of an `int`. */
void syscall_filter_refuse_value(struct syscall_filter_draft *d, int number,
				 const char *name, unsigned arg, uint32_t value);
/** Hold these calls until a process that listens has answered them. */
void syscall_filter_hold_list(struct syscall_filter_draft *d, const char *const *names,
			      size_t count);
/** Refuse a call by its number: one that is newer than libseccomp may be. */
void syscall_filter_refuse_number(struct syscall_filter_draft *d, int number, int call);
/** Make the filter, and free the draft in any case. */
int syscall_filter_finish(struct syscall_filter_draft *d, struct syscall_filter *ret,
			  struct error *err);
/** Apply it to this thread, permanently, and set no_new_privs. Async-signal-safe.
 *  @return MT_OK, or MT_EUNSUPPORTED where the kernel has no filters. */
int syscall_filter_apply(const struct syscall_filter *f);
/** The same, for a filter that holds calls. @return a descriptor that receives them, see
 *  seccomp_unotify(2); -1: errno, for example EBUSY if this process has one already */
int syscall_filter_listen(const struct syscall_filter *f);
void syscall_filter_clear(struct syscall_filter *f);

#endif
