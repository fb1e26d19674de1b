/* SPDX-License-Identifier: MIT
 *
 * doctor-machine.c - checks of `mortise doctor`: what the kernel offers. */
#include "doctor.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

void doctor_kernel(struct doctor *d)
{
	struct utsname u;

	if (uname(&u) == 0)
		doctor_add(d, DOCTOR_OK, "kernel", "%s %s %s", u.sysname, u.release,
			   u.machine);
}

void doctor_landlock(struct doctor *d)
{
	enum { LL_VERSION = 1u << 0 }; /* of <linux/landlock.h>, which may be too old */
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LL_VERSION);

	if (abi > 0)
		doctor_add(d, DOCTOR_OK, "Landlock", "ABI %ld", abi);
	else if (errno == EOPNOTSUPP)
		doctor_add(d, DOCTOR_WARNING, "Landlock",
			   "disabled at boot; add landlock to the kernel parameter lsm=");
	else
		doctor_add(d, DOCTOR_WARNING, "Landlock",
			   "not available (%s); use a kernel with "
			   "CONFIG_SECURITY_LANDLOCK, 5.13 or later",
			   strerror(errno));
}

static bool has_action(unsigned action)
{
	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void doctor_seccomp(struct doctor *d)
{
	if (!has_action(SECCOMP_RET_ERRNO))
		doctor_add(d, DOCTOR_WARNING, "seccomp",
			   "filters are not available (%s); use a kernel with "
			   "CONFIG_SECCOMP_FILTER",
			   strerror(errno));
	else if (!has_action(SECCOMP_RET_USER_NOTIF))
		doctor_add(d, DOCTOR_WARNING, "seccomp",
			   "filters without user notification; use Linux 5.0 or later");
	else
		doctor_add(d, DOCTOR_OK, "seccomp", "filters and user notification");
}

/* Tried, because several settings and security modules can forbid them.
 * @return 0, or the reason */
static int try_namespaces(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) < 0                ? errno
		      : unshare(CLONE_NEWNS | CLONE_NEWNET) < 0 ? errno
								: 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

void doctor_user_namespaces(struct doctor *d)
{
	int error = try_namespaces();

	if (!error)
		doctor_add(d, DOCTOR_OK, "user namespaces",
			   "available, with mounts and a network of their own");
	else
		doctor_add(d, DOCTOR_WARNING, "user namespaces",
			   "not available: %s; allow them with sysctl "
			   "(user.max_user_namespaces, kernel.unprivileged_userns_clone, "
			   "kernel.apparmor_restrict_unprivileged_userns)",
			   strerror(error));
}
