/* SPDX-License-Identifier: MIT
 *
 * escape-attempts.c - the attempts to break out of a sandbox. They must change nothing
 * that the user would miss if they succeed: they use the targets, and in the workspace
 * they remove what they create. */
#include "sandbox/escape-internal.h"

#include "auto.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>

/* A name in the workspace. */
static const char here[] = "mortise-verify-file";

/* The path of a target; valid until the next call. */
static const char *target_path(const struct escape_targets *t, const char *name)
{
	static char path[400];

	snprintf(path, sizeof path, "%s/%s", t->dir, name);
	return path;
}

static int try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 ? HELD : close(fd);
}

/* Whether the file contains the secret. */
static int escape_read_secret(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return HELD;
	len = read(fd, text, sizeof text - 1);
	close(fd);
	return len > 0 && strcmp(text, escape_secret) == 0 ? ESCAPED : HELD;
}

/* Removes `here`, and passes a result on. */
static int without(int result)
{
	int error = errno;

	unlink(here);
	errno = error;
	return result;
}

/* ---- files outside ---------------------------------------------------------- */

static int try_create(const struct escape_targets *t)
{
	return try_open(target_path(t, "created"), O_CREAT | O_WRONLY);
}

static int try_directory(const struct escape_targets *t)
{
	return mkdir(target_path(t, "directory"), 0700);
}

static int try_link_out(const struct escape_targets *t)
{
	if (try_open(here, O_CREAT | O_WRONLY))
		return HELD;
	return without(link(here, target_path(t, "link-out")));
}

static int try_move_out(const struct escape_targets *t)
{
	if (try_open(here, O_CREAT | O_WRONLY))
		return HELD;
	return without(rename(here, target_path(t, "move-out")));
}

static int try_symlink_out(const struct escape_targets *t)
{
	return symlink("/", target_path(t, "symlink-out"));
}

static int try_write(const struct escape_targets *t)
{
	int fd = open(target_path(t, "write"), O_WRONLY | O_CLOEXEC), result;

	if (fd < 0)
		return HELD;
	result = write(fd, "y", 1) == 1 ? ESCAPED : HELD;
	close(fd);
	return result;
}

static int try_truncate(const struct escape_targets *t)
{
	return truncate(target_path(t, "truncate"), 0);
}

static int try_delete(const struct escape_targets *t)
{
	return unlink(target_path(t, "delete"));
}

static int try_rename(const struct escape_targets *t)
{
	char path[400];

	snprintf(path, sizeof path, "%s/other", t->dir);
	return rename(target_path(t, "rename"), path);
}

static int try_move_in(const struct escape_targets *t)
{
	return without(rename(target_path(t, "move-in"), here));
}

/* The same path, through the parents of the current directory. */
static int try_parents(const struct escape_targets *t)
{
	char path[PATH_MAX] = "";
	size_t len = 0;

	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(path + len, sizeof path - len, "../");
	snprintf(path + len, sizeof path - len, "%s", target_path(t, "parents") + 1);
	return try_open(path, O_WRONLY | O_TRUNC);
}

static int try_symlink_write(const struct escape_targets *t)
{
	if (symlink(target_path(t, "symlink"), here) < 0)
		return HELD;
	return without(try_open(here, O_WRONLY | O_TRUNC));
}

static int try_root_link(const struct escape_targets *t)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "/proc/%d/root%s", (int)t->victim,
		 target_path(t, "root-link"));
	return try_open(path, O_WRONLY | O_TRUNC);
}

static int try_mode(const struct escape_targets *t)
{
	return chmod(target_path(t, "mode"), 0640);
}

/* By a descriptor that needs no right to read the file. */
static int try_mode_descriptor(const struct escape_targets *t)
{
	char path[64];
	int fd = open(target_path(t, "mode-descriptor"), O_PATH | O_CLOEXEC), result;

	if (fd < 0)
		return HELD;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	result = chmod(path, 0640);
	close(fd);
	return result;
}

static int try_owner(const struct escape_targets *t)
{
	return chown(target_path(t, "owner"), geteuid(), getegid());
}

static int try_times(const struct escape_targets *t)
{
	return utimensat(AT_FDCWD, target_path(t, "times"), NULL, 0);
}

static int try_attribute(const struct escape_targets *t)
{
	return setxattr(target_path(t, "attribute"), "user.mortise", "x", 1, 0);
}

/* ---- secrets ---------------------------------------------------------------- */

static int try_read(const struct escape_targets *t)
{
	return escape_read_secret(target_path(t, "secret"));
}

static int try_link_in(const struct escape_targets *t)
{
	if (link(target_path(t, "secret"), here) < 0)
		return HELD;
	return without(escape_read_secret(here));
}

static int try_symlink_read(const struct escape_targets *t)
{
	if (symlink(target_path(t, "secret"), here) < 0)
		return HELD;
	return without(escape_read_secret(here));
}

static int try_handle(const struct escape_targets *t)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} h = { .handle.handle_bytes = MAX_HANDLE_SZ };
	int mount, fd, directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)t;
	if (name_to_handle_at(AT_FDCWD, ".", &h.handle, &mount, 0) < 0)
		return errno == EOPNOTSUPP ? NOT_HERE : HELD;
	fd = open_by_handle_at(directory, &h.handle, O_RDONLY | O_CLOEXEC);
	return fd < 0 && errno != ESTALE ? HELD : ESCAPED;
}

static int try_shared_memory(const struct escape_targets *t)
{
	char path[64];

	snprintf(path, sizeof path, "/dev/shm/%s", t->abstract);
	return try_open(path, O_RDWR);
}

/* ---- what the user's programs run ------------------------------------------- */

/* What Mortise reverts afterwards does not count: whether it stays is checked outside. */
static const char git_comment[] = "# mortise-verify\n";

static int try_git_config(const struct escape_targets *t)
{
	int fd;

	(void)t;
	if (access(".git/config", F_OK) < 0)
		return NOT_HERE;
	fd = open(".git/config", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return HELD;
	(void)!write(fd, git_comment, sizeof git_comment - 1);
	return close(fd);
}

static bool was_configured(const struct escape_targets *t, const struct escape_row *row)
{
	const size_t len = sizeof git_comment - 1;
	AUTO(close) int fd = open(".git/config", O_RDWR | O_CLOEXEC);
	char end[sizeof git_comment];
	struct stat st;

	(void)t, (void)row;
	unlink(".git/config.reverted");
	return fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= (off_t)len &&
	       pread(fd, end, len, st.st_size - (off_t)len) == (ssize_t)len &&
	       memcmp(end, git_comment, len) == 0 &&
	       ftruncate(fd, st.st_size - (off_t)len) == 0;
}

/* By a descriptor for reading. */
static int try_git_mode(const struct escape_targets *t)
{
	int fd = open(".git/config", O_RDONLY | O_CLOEXEC), result;
	struct stat st;

	(void)t;
	if (fd < 0 || fstat(fd, &st) < 0)
		return NOT_HERE;
	result = fchmod(fd, st.st_mode & 07777);
	close(fd);
	return result;
}

static int plant(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);

	if (fd < 0)
		return HELD;
	(void)!write(fd, text, strlen(text));
	return close(fd);
}

static int try_git_hook(const struct escape_targets *t)
{
	(void)t;
	if (access(".git/hooks", F_OK) < 0)
		return NOT_HERE;
	return plant(".git/hooks/mortise-verify", "", 0700);
}

static bool was_hooked(const struct escape_targets *t, const struct escape_row *row)
{
	(void)t, (void)row;
	unlink(".git/hooks/mortise-verify.reverted");
	return unlink(".git/hooks/mortise-verify") == 0;
}

/* Names the directory that git reads the configuration from; here, the same one. */
static int try_git_directory(const struct escape_targets *t)
{
	(void)t;
	if (access(".git/config", F_OK) < 0 || access(".git/commondir", F_OK) == 0)
		return NOT_HERE;
	return plant(".git/commondir", ".\n", 0600);
}

static bool was_redirected(const struct escape_targets *t, const struct escape_row *row)
{
	(void)t, (void)row;
	unlink(".git/commondir.reverted");
	return unlink(".git/commondir") == 0;
}

static int try_git_replace(const struct escape_targets *t)
{
	(void)t;
	if (access(".git", F_OK) < 0)
		return NOT_HERE;
	if (rename(".git", ".mortise-verify") < 0)
		return HELD;
	return rename(".mortise-verify", ".git");
}

/* ---- the network ------------------------------------------------------------ */

static int reach(int family, int type, const void *address, socklen_t len)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0), code = HELD, error;

	if (fd < 0)
		return HELD;
	if (connect(fd, address, len) == 0)
		code = send(fd, "x", 1, MSG_NOSIGNAL) == 1 ? ESCAPED : HELD;
	error = errno;
	close(fd);
	errno = error;
	return code;
}

static int reach_internet(const struct escape_targets *t, int type, in_addr_t address)
{
	const struct sockaddr_in a = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)t->port),
				       .sin_addr.s_addr = address };

	return reach(AF_INET, type, &a, sizeof a);
}

static int try_tcp(const struct escape_targets *t)
{
	return reach_internet(t, SOCK_STREAM, htonl(INADDR_LOOPBACK));
}

static int try_udp(const struct escape_targets *t)
{
	return reach_internet(t, SOCK_DGRAM, htonl(INADDR_LOOPBACK));
}

static int try_address(const struct escape_targets *t)
{
	return t->address ? reach_internet(t, SOCK_STREAM, t->address) : NOT_HERE;
}

static int try_unix(const struct escape_targets *t)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", target_path(t, "socket"));
	return reach(AF_UNIX, SOCK_STREAM, &a, sizeof a);
}

static int try_abstract(const struct escape_targets *t)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t len = strlen(t->abstract);

	memcpy(a.sun_path + 1, t->abstract, len);
	return reach(AF_UNIX, SOCK_STREAM, &a,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
}

static int try_socket(int family, int type)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	return fd < 0 ? HELD : close(fd);
}

static int try_vsock(const struct escape_targets *t)
{
	(void)t;
	return try_socket(AF_VSOCK, SOCK_STREAM);
}

static int try_packet(const struct escape_targets *t)
{
	(void)t;
	return try_socket(AF_PACKET, SOCK_RAW);
}

/* ---- other processes -------------------------------------------------------- */

static int try_process_file(const struct escape_targets *t, const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)t->victim, name);
	return try_open(path, O_RDONLY);
}

static int try_trace(const struct escape_targets *t)
{
	return (int)ptrace(PTRACE_SEIZE, t->victim, NULL, NULL);
}

static int try_environment(const struct escape_targets *t)
{
	return try_process_file(t, "environ");
}

static int try_memory(const struct escape_targets *t)
{
	char byte;
	struct iovec to = { &byte, 1 };
	struct iovec from = { (void *)(uintptr_t)escape_secret, 1 };

	/* At another address in another program, which it is not told apart from. */
	if (process_vm_readv(t->victim, &to, 1, &from, 1, 0) == 1 || errno == EFAULT)
		return ESCAPED;
	return HELD;
}

static int try_descriptor(const struct escape_targets *t)
{
	int process = (int)syscall(SYS_pidfd_open, t->victim, 0), fd;

	if (process < 0)
		return HELD;
	fd = (int)syscall(SYS_pidfd_getfd, process, 0, 0);
	return fd < 0 ? HELD : ESCAPED;
}

static int try_limit(const struct escape_targets *t)
{
	const struct rlimit limit = { 4096, 4096 };

	return prlimit(t->victim, RLIMIT_CORE, &limit, NULL);
}

static int try_priority(const struct escape_targets *t)
{
	return setpriority(PRIO_PROCESS, (id_t)t->victim, 19);
}

static int try_join(const struct escape_targets *t)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)t->victim);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? HELD : setns(fd, 0);
}

static int try_arguments(const struct escape_targets *t)
{
	return try_process_file(t, "cmdline");
}

static int try_schedule(const struct escape_targets *t)
{
	const struct sched_param none = { 0 };

	return sched_setscheduler(t->victim, SCHED_BATCH, &none);
}

static bool was_scheduled(const struct escape_targets *t, const struct escape_row *row)
{
	(void)row;
	return sched_getscheduler(t->victim) == SCHED_BATCH;
}

static int try_signal(const struct escape_targets *t)
{
	return kill(t->victim, SIGUSR1);
}

/* It blocks the signal, which stays pending. */
static bool was_signaled(const struct escape_targets *t, const struct escape_row *row)
{
	char path[64], line[256];
	unsigned long long pending = 0;
	FILE *status;

	(void)row;
	snprintf(path, sizeof path, "/proc/%d/status", (int)t->victim);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof line, status))
		if (strncmp(line, "ShdPnd:", 7) == 0)
			pending = strtoull(line + 7, NULL, 16);
	if (status)
		fclose(status);
	return pending >> (SIGUSR1 - 1) & 1;
}

/* ---- the system ------------------------------------------------------------- */

static int try_namespace(const struct escape_targets *t)
{
	(void)t;
	return unshare(CLONE_NEWUSER);
}

static int try_mount(const struct escape_targets *t)
{
	(void)t;
	if (mkdir("mortise-verify", 0700) < 0)
		return HELD;
	if (mount("tmpfs", "mortise-verify", "tmpfs", 0, NULL) == 0) {
		umount2("mortise-verify", MNT_DETACH);
		rmdir("mortise-verify");
		return ESCAPED;
	}
	int error = errno;
	rmdir("mortise-verify");
	errno = error;
	return HELD;
}

static int try_unmount(const struct escape_targets *t)
{
	(void)t;
	/* Would only mark it as expired. */
	return umount2("/proc", MNT_EXPIRE) == 0 || errno == EAGAIN || errno == EBUSY
		       ? ESCAPED
		       : HELD;
}

static int try_chroot(const struct escape_targets *t)
{
	(void)t;
	return chroot("/");
}

static int try_user(const struct escape_targets *t)
{
	(void)t;
	return geteuid() ? setresuid(0, 0, 0) : setresuid(1, 1, 1);
}

static int try_setuid_program(const struct escape_targets *t)
{
	(void)t;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
		return ESCAPED;
	errno = EPERM;
	return HELD;
}

static int try_keyring(const struct escape_targets *t)
{
	(void)t;
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1) < 0
		       ? HELD
		       : ESCAPED;
}

static int try_io_uring(const struct escape_targets *t)
{
	char parameters[256] = { 0 };

	(void)t;
	return syscall(SYS_io_uring_setup, 1, parameters) < 0 ? HELD : ESCAPED;
}

/* Refused as invalid if the call is allowed. */
static int try_bpf(const struct escape_targets *t)
{
	union bpf_attr attributes = { 0 };

	(void)t;
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) < 0 &&
			       errno != EINVAL
		       ? HELD
		       : ESCAPED;
}

static int try_performance(const struct escape_targets *t)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof attributes,
					      .config = PERF_COUNT_SW_CPU_CLOCK };

	(void)t;
	return syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0) < 0 ? HELD
									   : ESCAPED;
}

static int try_kernel(const struct escape_targets *t)
{
	(void)t;
	return try_open("/proc/sys/kernel/core_pattern", O_WRONLY);
}

static int try_kernel_log(const struct escape_targets *t)
{
	(void)t;
	return klogctl(10 /* its size */, NULL, 0) < 0 ? HELD : ESCAPED;
}

static int try_host_name(const struct escape_targets *t)
{
	char name[256] = "";

	(void)t;
	return gethostname(name, sizeof name - 1) < 0 ? HELD
						      : sethostname(name, strlen(name));
}

static int try_device(const struct escape_targets *t)
{
	(void)t;
	if (mknod(here, S_IFCHR | 0600, 0x103) < 0)
		return HELD;
	return without(try_open(here, O_RDWR));
}

/* A group of its own would be without the limits. */
static int try_control_group(const struct escape_targets *t)
{
	static const char *const all[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/pids",
					   "/sys/fs/cgroup/memory",
					   "/sys/fs/cgroup/unified" };
	int error = ENOENT;

	(void)t;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char path[64];

		snprintf(path, sizeof path, "%s/mortise-verify", all[i]);
		if (mkdir(path, 0700) == 0)
			return rmdir(path);
		error = errno;
	}
	errno = error;
	return HELD;
}

/* ---- the table -------------------------------------------------------------- */

#define INSIDE .happened = NULL /* what the attempt returns counts */
#define CREATED(name_) .happened = escape_was_created, .file = (name_)
#define CHANGED(name_) .happened = escape_was_changed, .file = (name_)
#define REACHED(socket_) .happened = escape_was_reached, .socket = (socket_)

const struct escape_row escape_rows[] = {
	{ "create a file outside", try_create, CREATED("created") },
	{ "create a directory outside", try_directory, CREATED("directory") },
	{ "link a file to a name outside", try_link_out, CREATED("link-out") },
	{ "move a file outside", try_move_out, CREATED("move-out") },
	{ "create a symbolic link outside", try_symlink_out, CREATED("symlink-out") },
	{ "write to a file outside", try_write, CHANGED("write") },
	{ "truncate a file outside", try_truncate, CHANGED("truncate") },
	{ "delete a file outside", try_delete, CHANGED("delete") },
	{ "rename a file outside", try_rename, CHANGED("rename") },
	{ "move a file from outside into the workspace", try_move_in,
	  CHANGED("move-in") },
	{ "write through parent directories (`..`)", try_parents, CHANGED("parents") },
	{ "write through a symbolic link", try_symlink_write, CHANGED("symlink") },
	{ "write through the root directory of a process outside", try_root_link,
	  CHANGED("root-link") },
	{ "write while a symbolic link changes", escape_race_write,
	  CREATED("race-write") },
	{ "change the mode of a file outside", try_mode, CHANGED("mode") },
	{ "change a mode by a descriptor", try_mode_descriptor,
	  CHANGED("mode-descriptor") },
	{ "change a mode while a symbolic link changes", escape_race_mode,
	  CHANGED("race-mode") },
	{ "change a mode while the path in memory changes", escape_race_argument,
	  CHANGED("race-argument") },
	{ "change the owner of a file outside", try_owner, CHANGED("owner") },
	{ "change the times of a file outside", try_times, CHANGED("times") },
	{ "change an attribute of a file outside", try_attribute, CHANGED("attribute") },
	{ "read a file of the user's home directory", try_read, INSIDE },
	{ "link such a file into the workspace", try_link_in, INSIDE },
	{ "read such a file through a symbolic link", try_symlink_read, INSIDE },
	{ "open a file by its handle", try_handle, INSIDE },
	{ "open shared memory of a process outside", try_shared_memory, INSIDE },
	{ "change the configuration of the repository", try_git_config,
	  .happened = was_configured },
	{ "set the mode of the configuration of the repository", try_git_mode, INSIDE },
	{ "add a hook to the repository", try_git_hook, .happened = was_hooked },
	{ "redirect the repository to another configuration", try_git_directory,
	  .happened = was_redirected },
	{ "replace the repository", try_git_replace, INSIDE },
	{ "connect to a TCP port of localhost", try_tcp, REACHED(ESCAPE_TCP) },
	{ "send a UDP datagram to localhost", try_udp, REACHED(ESCAPE_UDP) },
	{ "connect to a TCP port of the host's address", try_address,
	  REACHED(ESCAPE_ADDRESS) },
	{ "connect to a Unix socket outside", try_unix, REACHED(ESCAPE_UNIX) },
	{ "connect to an abstract Unix socket", try_abstract, REACHED(ESCAPE_ABSTRACT) },
	{ "open a socket to the hypervisor", try_vsock, INSIDE },
	{ "open a packet socket", try_packet, INSIDE },
	{ "trace a process outside", try_trace, INSIDE },
	{ "read the environment of a process outside", try_environment, INSIDE },
	{ "read the memory of a process outside", try_memory, INSIDE },
	{ "take a descriptor of a process outside", try_descriptor, INSIDE },
	{ "change a resource limit of a process outside", try_limit,
	  .happened = escape_was_limited },
	{ "enter the mount namespace of a process outside", try_join, INSIDE },
	{ "create a user namespace", try_namespace, INSIDE },
	{ "mount a file system", try_mount, INSIDE },
	{ "unmount a file system", try_unmount, INSIDE },
	{ "change the root directory", try_chroot, INSIDE },
	{ "become another user", try_user, INSIDE },
	{ "gain privileges by a setuid program", try_setuid_program, INSIDE },
	{ "open the user's keyring", try_keyring, INSIDE },
	{ "use io_uring", try_io_uring, INSIDE },
	{ "use bpf", try_bpf, INSIDE },
	{ "open a performance counter", try_performance, INSIDE },
	{ "change a setting of the kernel", try_kernel, INSIDE },
	{ "read the log of the kernel", try_kernel_log, INSIDE },
	{ "change the host name", try_host_name, INSIDE },
	{ "create a device", try_device, INSIDE },
	{ "create a control group", try_control_group, INSIDE },
	{ "see the arguments of a process outside", try_arguments, INSIDE,
	  .kind = ESCAPE_PROCESSES },
	{ "change the priority of a process outside", try_priority,
	  .happened = escape_was_slowed, .kind = ESCAPE_PROCESSES },
	{ "change the scheduling of a process outside", try_schedule,
	  .happened = was_scheduled, .kind = ESCAPE_PROCESSES },
	{ "signal a process outside", try_signal, .happened = was_signaled },
	{ "start 400 processes", escape_flood_processes, INSIDE, .kind = ESCAPE_FLOOD },
	{ "use 512 MiB of memory", escape_flood_memory, INSIDE, .kind = ESCAPE_FLOOD },
	{ "write 400 MiB to the disk", escape_flood_disk, INSIDE, .kind = ESCAPE_FLOOD },
	{ "print 64 MiB", escape_flood_output, INSIDE, .kind = ESCAPE_FLOOD },
};

const size_t escape_row_count = ARRAY_LEN(escape_rows);
_Static_assert(ARRAY_LEN(escape_rows) <= ESCAPE_MAX, "results have no place");
