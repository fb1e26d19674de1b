/* SPDX-License-Identifier: MIT
 *
 * tool-filter.c - the seccomp filter of tools. Tools are ordinary programs, such as
 * compilers and debuggers: the filter refuses only what reaches outside of the sandbox. */
#include "sandbox/tool-filter.h"

#include "auto.h"

#include <stdbool.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static const char *const refused[] = {
	/* the system */
	"mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount",
	"fsconfig", "fspick", "mount_setattr", "pivot_root", "swapon", "swapoff",
	"reboot", "sethostname", "setdomainname", "init_module", "finit_module",
	"delete_module", "kexec_load", "kexec_file_load", "settimeofday",
	"clock_settime", "clock_adjtime", "adjtimex", "stime", "acct", "quotactl",
	"quotactl_fd", "iopl", "ioperm", "syslog", "vhangup", "nfsservctl",
	/* what other processes of the user share */
	"add_key", "request_key", "keyctl", "open_by_handle_at", "lookup_dcookie",
	"fanotify_init",
	/* parts of the kernel with many past vulnerabilities */
	"bpf", "perf_event_open", "userfaultfd", "vmsplice",
};

/* Refused as unknown, so that programs use the older calls, which the filter can check. */
static const char *const unknown[] = { "clone3", "io_uring_setup", "io_uring_enter",
				       "io_uring_register" };

static const uint32_t namespaces[] = { CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET,
				       CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS,
				       CLONE_NEWCGROUP, 0x80 /* CLONE_NEWTIME */ };

static void refuse_namespaces(struct syscall_filter_draft *d)
{
	syscall_filter_refuse(d, EPERM, "setns", NULL);
	syscall_filter_refuse(d, EPERM, "chroot", NULL);
	for (size_t i = 0; i < ARRAY_LEN(namespaces); i++) {
		const struct scmp_arg_cmp has = { .arg = 0, .op = SCMP_CMP_MASKED_EQ,
						  .datum_a = namespaces[i],
						  .datum_b = namespaces[i] };

		syscall_filter_refuse(d, EPERM, "unshare", &has);
		/* In clone, the low byte is a signal. */
		if (namespaces[i] != 0x80)
			syscall_filter_refuse(d, EPERM, "clone", &has);
	}
}

/* Only Unix, IPv4, IPv6 and netlink sockets remain: no namespace separates others. */
static void refuse_sockets(struct syscall_filter_draft *d, bool internet)
{
	static const char *const calls[] = { "socket", "socketpair" };
	const struct scmp_arg_cmp newer = { .arg = 0, .op = SCMP_CMP_GE,
					    .datum_a = AF_MAX };

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		for (int family = AF_UNSPEC; family < AF_MAX; family++) {
			const struct scmp_arg_cmp equal = {
				.arg = 0, .op = SCMP_CMP_EQ,
				.datum_a = (scmp_datum_t)family,
			};

			if (family != AF_UNIX && family != AF_NETLINK &&
			    !(internet && (family == AF_INET || family == AF_INET6)))
				syscall_filter_refuse(d, EAFNOSUPPORT, calls[i], &equal);
		}
		syscall_filter_refuse(d, EAFNOSUPPORT, calls[i], &newer);
	}
}

/* A Unix datagram can be sent to any socket, by its path: to the system's logger, for
 * example. To the kernel, a raw Unix socket is one of datagrams too. */
static void refuse_datagrams(struct syscall_filter_draft *d)
{
	static const uint32_t types[] = { SOCK_DGRAM, SOCK_RAW };

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const struct scmp_arg_cmp unix_datagram[] = {
			{ .arg = 0, .op = SCMP_CMP_EQ, .datum_a = AF_UNIX },
			{ .arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xf,
			  .datum_b = types[i] },
		};

		syscall_filter_refuse_all(d, EPERM, "socket", unix_datagram, 2);
		syscall_filter_refuse_all(d, EPERM, "socketpair", unix_datagram, 2);
	}
}

/* ---- without namespaces ------------------------------------------------------- */

static const char *const held[] = {
	"chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime",
	"utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr",
	"removexattr", "lremovexattr", "fremovexattr", "connect",
};

/* Newer calls that do the same, from structures: fchmodat2, setxattrat, removexattrat,
 * file_setattr. libseccomp may not know their names. */
static const int newer[] = { 452, 463, 466, 469 };

/* Requests of ioctl that change a file or directory which was opened for reading: flags,
 * extended flags, version, verity, and encryption of ext4, XFS and others; attributes of
 * FAT; subvolumes and snapshots of Btrfs. Only type and number count, because the size
 * differs. */
static const uint16_t requests[] = {
	0x6602, 0x5820, 0x7602, 0x6685, 0x6613, 0x6617, 0x7211,
	0x9401, 0x940e, 0x940f, 0x9417, 0x9418, 0x941a, 0x9425, 0x943f,
};

static void refuse_requests(struct syscall_filter_draft *d)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		const struct scmp_arg_cmp equal = { .arg = 1, .op = SCMP_CMP_MASKED_EQ,
						    .datum_a = 0xffff,
						    .datum_b = requests[i] };

		syscall_filter_refuse(d, EPERM, "ioctl", &equal);
	}
}

/* A file that is opened for reading can be truncated at the same time. */
static void hold_truncate(struct syscall_filter_draft *d)
{
	static const char *const call[] = { "truncate" };
	static const struct {
		const char *name;
		unsigned flags;
	} opening[] = { { "open", 1 }, { "openat", 2 } };

	syscall_filter_hold_list(d, call, ARRAY_LEN(call));
	for (size_t i = 0; i < ARRAY_LEN(opening); i++) {
		const struct scmp_arg_cmp reading = { .arg = opening[i].flags,
						      .op = SCMP_CMP_MASKED_EQ,
						      .datum_a = O_TRUNC | O_ACCMODE,
						      .datum_b = O_TRUNC | O_RDONLY };

		syscall_filter_refuse(d, EPERM, opening[i].name, &reading);
	}
	syscall_filter_refuse(d, ENOSYS, "openat2", NULL);
}

static void hold_calls(struct syscall_filter_draft *d)
{
	syscall_filter_hold_list(d, held, ARRAY_LEN(held));
	for (size_t i = 0; i < ARRAY_LEN(newer); i++)
		syscall_filter_refuse_number(d, ENOSYS, newer[i]);
	refuse_requests(d);
}

/* Of another process: a limit of CPU time or file size ends it as a signal would, and
 * Landlock has no rule for it. */
static void refuse_limits(struct syscall_filter_draft *d)
{
	const struct scmp_arg_cmp other[] = {
		{ .arg = 0, .op = SCMP_CMP_NE, .datum_a = 0 },
		{ .arg = 2, .op = SCMP_CMP_NE, .datum_a = 0 },
	};

	syscall_filter_refuse_all(d, EPERM, "prlimit64", other, 2);
}

/* Landlock has rules for ports of TCP only. */
static void refuse_other_internet(struct syscall_filter_draft *d)
{
	static const int families[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const struct scmp_arg_cmp other[] = {
			{ .arg = 0, .op = SCMP_CMP_EQ,
			  .datum_a = (scmp_datum_t)families[i] },
			{ .arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xf,
			  .datum_b = SOCK_DGRAM },
		};
		const struct scmp_arg_cmp raw[] = {
			other[0],
			{ .arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xf,
			  .datum_b = SOCK_RAW },
		};
		const struct scmp_arg_cmp protocol[] = {
			other[0],
			{ .arg = 2, .op = SCMP_CMP_GT, .datum_a = IPPROTO_TCP },
		};

		syscall_filter_refuse_all(d, EAFNOSUPPORT, "socket", other, 2);
		syscall_filter_refuse_all(d, EAFNOSUPPORT, "socket", raw, 2);
		syscall_filter_refuse_all(d, EAFNOSUPPORT, "socket", protocol, 2);
	}
}

int tool_filter_make(unsigned flags, struct syscall_filter *ret, struct error *err)
{
	struct syscall_filter_draft d;
	int status = syscall_filter_begin(&d, "to confine tools", err);

	*ret = (struct syscall_filter){ 0 };
	if (status)
		return status;
	syscall_filter_refuse_list(&d, EPERM, refused, ARRAY_LEN(refused));
	syscall_filter_refuse_list(&d, ENOSYS, unknown, ARRAY_LEN(unknown));
	syscall_filter_refuse_value(&d, EPERM, "ioctl", 1, TIOCSTI);
	syscall_filter_refuse_value(&d, EPERM, "ioctl", 1, TIOCLINUX);
	refuse_limits(&d);
	refuse_sockets(&d, !(flags & TOOL_FILTER_NO_INTERNET));
	if (flags & TOOL_FILTER_ONLY_TCP)
		refuse_other_internet(&d);
	if (!(flags & TOOL_FILTER_NAMESPACES))
		refuse_namespaces(&d);
	if (!(flags & TOOL_FILTER_NAMESPACES) || flags & TOOL_FILTER_HOLD)
		refuse_datagrams(&d);
	if (flags & TOOL_FILTER_HOLD)
		hold_calls(&d);
	if (flags & TOOL_FILTER_TRUNCATE)
		hold_truncate(&d);
	return syscall_filter_finish(&d, ret, err);
}
