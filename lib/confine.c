/* SPDX-License-Identifier: MIT
 *
 * confine.c - installs a system call filter for foreign code. */
#include "confine.h"

#include "auto.h"
#include "library.h"

#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Placeholder in the filter for the PID of the process. */
#define OWN_PID 0x5ea7c0deu

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
static const struct library library = { "libseccomp.so.2", "libseccomp",
					"to confine plugins", functions,
					sizeof functions / sizeof *functions };

static const struct api *confine_load(struct error *err)
{
	static struct api api;

	return api.seccomp_init || !library_load(&library, &api, sizeof api, err) ? &api
										  : NULL;
}

/* ---- the rules --------------------------------------------------------------- */

/* Refused with any arguments. */
static const char *const refused[] = {
	/* processes and programs */
	"fork", "vfork", "execve", "execveat", "setsid", "setpgid", "unshare", "setns",
	/* signals to others, and their memory */
	"kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open",
	"pidfd_send_signal", "pidfd_getfd", "ptrace", "process_vm_readv",
	"process_vm_writev", "process_madvise", "kcmp",
	/* the network, and messages between processes */
	"socket", "connect", "bind", "listen", "accept", "accept4", "mq_open", "mq_unlink",
	"msgget", "semget", "shmget",
	/* changes of files */
	"creat", "truncate", "ftruncate", "fallocate", "unlink", "unlinkat", "rename",
	"renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink",
	"symlinkat", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown",
	"fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat",
	"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
	"fremovexattr", "setxattrat", "removexattrat", "open_by_handle_at", "flock",
	"inotify_init", "inotify_init1", "fanotify_init",
	/* the system */
	"mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount",
	"fsconfig", "fspick", "mount_setattr", "pivot_root", "chroot", "swapon", "swapoff",
	"reboot", "sethostname", "setdomainname", "init_module", "finit_module",
	"delete_module", "kexec_load", "kexec_file_load", "settimeofday", "clock_settime",
	"clock_adjtime", "adjtimex", "stime", "acct", "quotactl", "quotactl_fd", "iopl", "ioperm",
	"bpf", "perf_event_open", "userfaultfd", "add_key", "request_key", "keyctl",
	"setrlimit", "setpriority", "sched_setscheduler", "sched_setattr", "setuid", "setgid",
	"setreuid", "setregid", "setresuid", "setresgid", "setgroups", "capset", "personality",
	"sched_setaffinity", "sched_setparam", "ioprio_set", "migrate_pages", "move_pages",
};

/* Refused as unknown: the C library then uses the older call, whose arguments a filter
 * can read. */
static const char *const unknown[] = { "clone3", "openat2", "io_uring_setup",
				       "io_uring_enter", "io_uring_register" };

/* Refused with this value of an argument, of which the kernel reads the low 32 bits. */
static const struct {
	const char *call;
	unsigned arg;
	uint64_t value;
} refused_values[] = {
	{ "prctl", 0, PR_SET_PDEATHSIG },
	/* the kernel signals the owner of a descriptor that becomes ready */
	{ "fcntl", 1, F_SETOWN }, { "fcntl", 1, F_SETOWN_EX }, { "fcntl", 1, F_SETSIG },
	{ "ioctl", 1, FIOSETOWN }, { "ioctl", 1, SIOCSPGRP },
	{ "ioctl", 1, TIOCSTI }, /* simulates terminal input */
};

/* Calls that open files. */
static const char *const opens[] = { "open", "openat", "name_to_handle_at" };

struct making {
	const struct api *api;
	scmp_filter_ctx filter;
	int error; /* negative errno */
};

static void confine_add(struct making *m, uint32_t action, const char *name,
			const struct scmp_arg_cmp *when)
{
	int number = m->api->seccomp_syscall_resolve_name(name);

	if (number == __NR_SCMP_ERROR || m->error)
		return;
	m->error = m->api->seccomp_rule_add_array(m->filter, action, number, when != NULL,
						  when);
}

static void confine_add_list(struct making *m, int number, const char *const *names,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		confine_add(m, SCMP_ACT_ERRNO((uint32_t)number), names[i], NULL);
}

/* Refuse to open for writing: any of these flags; O_RDWR and O_WRONLY are bits. */
static void refuse_writing(struct making *m)
{
	static const unsigned writes[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC };

	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
		struct scmp_arg_cmp open = { .arg = 1, .op = SCMP_CMP_MASKED_EQ,
					     .datum_a = writes[i], .datum_b = writes[i] };
		struct scmp_arg_cmp openat = open;

		openat.arg = 2;
		confine_add(m, SCMP_ACT_ERRNO(EPERM), "open", &open);
		confine_add(m, SCMP_ACT_ERRNO(EPERM), "openat", &openat);
	}
}

static void refuse_values(struct making *m)
{
	for (size_t i = 0; i < ARRAY_LEN(refused_values); i++) {
		struct scmp_arg_cmp equal = { .arg = refused_values[i].arg,
					      .op = SCMP_CMP_MASKED_EQ,
					      .datum_a = UINT32_MAX,
					      .datum_b = refused_values[i].value };

		confine_add(m, SCMP_ACT_ERRNO(EPERM), refused_values[i].call, &equal);
	}
}

static void confine_add_rules(struct making *m, unsigned flags)
{
	static const struct scmp_arg_cmp process = { .arg = 0, .op = SCMP_CMP_MASKED_EQ,
						     .datum_a = CLONE_THREAD };
	static const struct scmp_arg_cmp other = { .arg = 0, .op = SCMP_CMP_NE,
						   .datum_a = OWN_PID };
	static const struct scmp_arg_cmp limit = { .arg = 2, .op = SCMP_CMP_NE };

	if (flags & CONFINE_ONLY_OPEN) {
		confine_add_list(m, EPERM, opens, sizeof opens / sizeof *opens);
		return;
	}
	confine_add_list(m, EPERM, refused, sizeof refused / sizeof *refused);
	confine_add_list(m, ENOSYS, unknown, sizeof unknown / sizeof *unknown);
	confine_add(m, SCMP_ACT_ERRNO(EPERM), "clone",
		    flags & CONFINE_NO_THREADS ? NULL : &process);
	refuse_values(m);
	confine_add(m, SCMP_ACT_ERRNO(EPERM), "tgkill", &other);
	confine_add(m, SCMP_ACT_ERRNO(EPERM), "prlimit64", &limit);
	if (flags & CONFINE_NO_OPEN)
		confine_add_list(m, EPERM, opens, sizeof opens / sizeof *opens);
	else
		refuse_writing(m);
}

/* ---- the filter -------------------------------------------------------------- */

static int confine_export(struct making *m, struct confine *ret)
{
	int fd = memfd_create("filter", MFD_CLOEXEC), status = MT_EIO;
	struct stat st;

	if (fd >= 0 && m->api->seccomp_export_bpf(m->filter, fd) == 0 &&
	    fstat(fd, &st) == 0 && st.st_size > 0) {
		ret->list = malloc((size_t)st.st_size);
		ret->count = (size_t)st.st_size / sizeof *ret->list;
		status = !ret->list ? MT_ENOMEM
			 : pread(fd, ret->list, (size_t)st.st_size, 0) == st.st_size
				 ? MT_OK
				 : MT_EIO;
	}
	if (fd >= 0)
		close(fd);
	return status;
}

int confine_prepare(unsigned flags, struct confine *ret, struct error *err)
{
	struct making m = { .api = confine_load(err) };
	int status = MT_ENOMEM;

	*ret = (struct confine){ 0 };
	if (!m.api)
		return err ? err->code : MT_ENOTFOUND;
	m.filter = m.api->seccomp_init(SCMP_ACT_ALLOW);
	if (m.filter) {
		m.error = m.api->seccomp_attr_set(m.filter, SCMP_FLTATR_ACT_BADARCH,
						  SCMP_ACT_ERRNO(EPERM));
		m.api->seccomp_attr_set(m.filter, SCMP_FLTATR_CTL_OPTIMIZE, BINARY_TREE);
		confine_add_rules(&m, flags);
		status = m.error ? MT_EIO : confine_export(&m, ret);
		m.api->seccomp_release(m.filter);
	}
	if (!status)
		return MT_OK;
	confine_clear(ret);
	return status == MT_ENOMEM ? out_of_memory(err)
				   : fail(err, MT_EIO, "cannot make a seccomp filter: %s",
					  strerror(m.error ? -m.error : errno));
}

int confine_apply(const struct confine *c)
{
	struct sock_fprog program = { .len = (unsigned short)c->count,
				      .filter = c->list };
	uint32_t own = (uint32_t)getpid();

	for (size_t i = 0; i < c->count; i++)
		if (c->list[i].k == OWN_PID)
			c->list[i].k = own;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return MT_EUNSUPPORTED;
	return MT_OK;
}

void confine_clear(struct confine *c)
{
	free(c->list);
	*c = (struct confine){ 0 };
}
