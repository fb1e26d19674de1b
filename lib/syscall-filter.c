/* SPDX-License-Identifier: MIT
 *
 * syscall-filter.c - seccomp filters, with libseccomp loaded on first use. */
#include "syscall-filter.h"

#include "auto.h"
#include "library.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel runs a new filter once for every system call: a tree is applied sooner. */
enum { BINARY_TREE = 2 };

#define FUNCTIONS(X)                                                                     \
	X(seccomp_init)                                                                  \
	X(seccomp_release)                                                               \
	X(seccomp_attr_set)                                                              \
	X(seccomp_rule_add_array)                                                        \
	X(seccomp_syscall_resolve_name)                                                  \
	X(seccomp_export_bpf)

#define POINTER(name) __typeof__(&name) name;
#define ROW(name) { #name, offsetof(struct api, name) },

struct api {
	FUNCTIONS(POINTER)
};

static const struct library_function functions[] = { FUNCTIONS(ROW) };
static struct api api;

static int load(const char *need, struct error *err)
{
	const struct library library = { "libseccomp.so.2", "libseccomp", need, functions,
					 sizeof functions / sizeof *functions };

	return api.seccomp_init ? MT_OK : library_load(&library, &api, sizeof api, err);
}

static int filter_failed(int number, struct error *err)
{
	return number == ENOMEM ? out_of_memory(err)
				: fail(err, MT_EIO, "cannot make a seccomp filter: %s",
				       strerror(number));
}

int syscall_filter_begin(struct syscall_filter_draft *d, const char *need,
			 struct error *err)
{
	int status = load(need, err);

	*d = (struct syscall_filter_draft){ 0 };
	if (status)
		return status;
	d->filter = api.seccomp_init(SCMP_ACT_ALLOW);
	if (!d->filter)
		return out_of_memory(err);
	d->error = api.seccomp_attr_set(d->filter, SCMP_FLTATR_ACT_BADARCH,
					SCMP_ACT_ERRNO(EPERM));
	api.seccomp_attr_set(d->filter, SCMP_FLTATR_CTL_OPTIMIZE, BINARY_TREE);
	return MT_OK;
}

void syscall_filter_refuse_all(struct syscall_filter_draft *d, int number,
			       const char *name, const struct scmp_arg_cmp *when,
			       unsigned count)
{
	int call = api.seccomp_syscall_resolve_name(name);

	if (call == __NR_SCMP_ERROR || d->error)
		return;
	d->error = api.seccomp_rule_add_array(d->filter, SCMP_ACT_ERRNO((uint32_t)number),
					      call, count, when);
}

void syscall_filter_refuse(struct syscall_filter_draft *d, int number, const char *name,
			   const struct scmp_arg_cmp *when)
{
	syscall_filter_refuse_all(d, number, name, when, when != NULL);
}

void syscall_filter_refuse_list(struct syscall_filter_draft *d, int number,
				const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		syscall_filter_refuse(d, number, names[i], NULL);
}

void syscall_filter_refuse_value(struct syscall_filter_draft *d, int number,
				 const char *name, unsigned arg, uint32_t value)
{
	const struct scmp_arg_cmp equal = { .arg = arg, .op = SCMP_CMP_MASKED_EQ,
					    .datum_a = UINT32_MAX, .datum_b = value };

	syscall_filter_refuse(d, number, name, &equal);
}

void syscall_filter_hold_list(struct syscall_filter_draft *d, const char *const *names,
			      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int call = api.seccomp_syscall_resolve_name(names[i]);

		if (call != __NR_SCMP_ERROR && !d->error)
			d->error = api.seccomp_rule_add_array(d->filter, SCMP_ACT_NOTIFY,
							      call, 0, NULL);
	}
}

void syscall_filter_refuse_number(struct syscall_filter_draft *d, int number, int call)
{
	if (!d->error)
		d->error = api.seccomp_rule_add_array(d->filter,
						      SCMP_ACT_ERRNO((uint32_t)number),
						      call, 0, NULL);
}

static int export(scmp_filter_ctx filter, struct syscall_filter *ret)
{
	int fd = memfd_create("filter", MFD_CLOEXEC), number = 0;
	struct stat st;

	if (fd < 0 || api.seccomp_export_bpf(filter, fd) || fstat(fd, &st) ||
	    st.st_size <= 0) {
		number = errno ? errno : EIO;
	} else {
		ret->list = malloc((size_t)st.st_size);
		ret->count = (size_t)st.st_size / sizeof *ret->list;
		if (!ret->list)
			number = ENOMEM;
		else if (pread(fd, ret->list, (size_t)st.st_size, 0) != st.st_size)
			number = EIO;
	}
	if (fd >= 0)
		close(fd);
	return number;
}

int syscall_filter_finish(struct syscall_filter_draft *d, struct syscall_filter *ret,
			  struct error *err)
{
	int number = -d->error;

	*ret = (struct syscall_filter){ 0 };
	if (!number)
		number = export(d->filter, ret);
	api.seccomp_release(d->filter);
	d->filter = NULL;
	if (!number)
		return MT_OK;
	syscall_filter_clear(ret);
	return filter_failed(number, err);
}

int syscall_filter_apply(const struct syscall_filter *f)
{
	const struct sock_fprog program = { .len = (unsigned short)f->count,
					    .filter = f->list };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return MT_EUNSUPPORTED;
	return MT_OK;
}

int syscall_filter_listen(const struct syscall_filter *f)
{
	/* Since Linux 5.19, signals do not interrupt a call that is being answered. */
	static const unsigned flags[] = {
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		SECCOMP_FILTER_FLAG_NEW_LISTENER,
	};
	const struct sock_fprog program = { .len = (unsigned short)f->count,
					    .filter = f->list };
	int fd = -1;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	for (size_t i = 0; fd < 0 && i < ARRAY_LEN(flags); i++)
		fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i],
				  &program);
	return fd;
}

void syscall_filter_clear(struct syscall_filter *f)
{
	free(f->list);
	*f = (struct syscall_filter){ 0 };
}
