/* SPDX-License-Identifier: MIT
 *
 * confine.c - installs a system call filter for foreign code. */
#include "confine.h"

#include "auto.h"

#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Placeholder in the filter for the PID of the process. */
#define OWN_PID 0x5ea7c0deu

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
	uint32_t value;
} refused_values[] = {
	{ "prctl", 0, PR_SET_PDEATHSIG },
	/* the kernel signals the owner of a descriptor that becomes ready */
	{ "fcntl", 1, F_SETOWN }, { "fcntl", 1, F_SETOWN_EX }, { "fcntl", 1, F_SETSIG },
	{ "ioctl", 1, FIOSETOWN }, { "ioctl", 1, SIOCSPGRP },
	{ "ioctl", 1, TIOCSTI }, /* simulates terminal input */
};

/* Calls that open files. */
static const char *const opens[] = { "open", "openat", "name_to_handle_at" };

/* Refuse to open for writing: any of these flags; O_RDWR and O_WRONLY are bits. */
static void refuse_writing(struct syscall_filter_draft *d)
{
	static const unsigned writes[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC };

	for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
		struct scmp_arg_cmp open = { .arg = 1, .op = SCMP_CMP_MASKED_EQ,
					     .datum_a = writes[i], .datum_b = writes[i] };
		struct scmp_arg_cmp openat = open;

		openat.arg = 2;
		syscall_filter_refuse(d, EPERM, "open", &open);
		syscall_filter_refuse(d, EPERM, "openat", &openat);
	}
}

static void confine_add_rules(struct syscall_filter_draft *d, unsigned flags)
{
	static const struct scmp_arg_cmp process = { .arg = 0, .op = SCMP_CMP_MASKED_EQ,
						     .datum_a = CLONE_THREAD };
	static const struct scmp_arg_cmp other = { .arg = 0, .op = SCMP_CMP_NE,
						   .datum_a = OWN_PID };
	static const struct scmp_arg_cmp limit = { .arg = 2, .op = SCMP_CMP_NE };

	if (flags & CONFINE_ONLY_OPEN) {
		syscall_filter_refuse_list(d, EPERM, opens, ARRAY_LEN(opens));
		return;
	}
	syscall_filter_refuse_list(d, EPERM, refused, ARRAY_LEN(refused));
	syscall_filter_refuse_list(d, ENOSYS, unknown, ARRAY_LEN(unknown));
	syscall_filter_refuse(d, EPERM, "clone",
			      flags & CONFINE_NO_THREADS ? NULL : &process);
	for (size_t i = 0; i < ARRAY_LEN(refused_values); i++)
		syscall_filter_refuse_value(d, EPERM, refused_values[i].call,
					    refused_values[i].arg,
					    refused_values[i].value);
	syscall_filter_refuse(d, EPERM, "tgkill", &other);
	syscall_filter_refuse(d, EPERM, "prlimit64", &limit);
	if (flags & CONFINE_NO_OPEN)
		syscall_filter_refuse_list(d, EPERM, opens, ARRAY_LEN(opens));
	else
		refuse_writing(d);
}

int confine_prepare(unsigned flags, struct syscall_filter *ret, struct error *err)
{
	struct syscall_filter_draft draft;
	int status = syscall_filter_begin(&draft, "to confine plugins", err);

	*ret = (struct syscall_filter){ 0 };
	if (status)
		return status;
	confine_add_rules(&draft, flags);
	return syscall_filter_finish(&draft, ret, err);
}

int confine_apply(const struct syscall_filter *f)
{
	uint32_t own = (uint32_t)getpid();

	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].k == OWN_PID)
			f->list[i].k = own;
	return syscall_filter_apply(f);
}
