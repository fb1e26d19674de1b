/* SPDX-License-Identifier: MIT
 *
 * namespaces.c - creates the namespaces of a sandbox. */
#include "sandbox/namespaces.h"

#include "auto.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int namespaces_write(const char *path, const char *text, struct error *err)
{
	AUTO(close) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || file_write_all(fd, text, strlen(text)))
		return fail(err, MT_EIO, "cannot write %s: %s", path, strerror(errno));
	return MT_OK;
}

/* Maps the user and the group to themselves. */
static int map_ids(unsigned user, unsigned group, struct error *err)
{
	char users[64], groups[64];
	int status;

	snprintf(users, sizeof users, "%u %u 1", user, user);
	snprintf(groups, sizeof groups, "%u %u 1", group, group);
	status = namespaces_write("/proc/self/setgroups", "deny", err);
	if (!status)
		status = namespaces_write("/proc/self/uid_map", users, err);
	return status ? status : namespaces_write("/proc/self/gid_map", groups, err);
}

static int loopback_up(struct error *err)
{
	AUTO(close) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return fail(err, MT_EIO, "cannot enable the loopback interface: %s",
			    strerror(errno));
	return MT_OK;
}

int namespaces_make_user(struct error *err)
{
	const unsigned user = geteuid(), group = getegid();

	/* Its files in /proc belong to root otherwise. */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER) < 0)
		return fail(err, MT_EUNSUPPORTED, "cannot create a user namespace: %s",
			    strerror(errno));
	return map_ids(user, group, err);
}

/* The namespaces of the host, in which the workspace is an overlay. The mount namespace is
 * copied afterwards. */
static int namespaces_join_overlay(struct error *err)
{
	static const int list[] = { SANDBOX_OVERLAY_USER, SANDBOX_OVERLAY_MOUNT };

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (setns(list[i], 0) < 0)
			return fail(err, MT_EUNSUPPORTED,
				    "cannot enter the overlay of the workspace: %s",
				    strerror(errno));
	return MT_OK;
}

int namespaces_make(const struct sandbox_rules *r, const char *temporary,
		    struct error *err)
{
	const bool network = r->network != SANDBOX_NETWORK_FULL;
	int status =
		r->overlay ? namespaces_join_overlay(err) : namespaces_make_user(err);

	if (status)
		return status;
	if (unshare(CLONE_NEWNS | CLONE_NEWIPC | (network ? CLONE_NEWNET : 0)) < 0)
		return fail(err, MT_EUNSUPPORTED, "cannot create namespaces: %s",
			    strerror(errno));
	status = network ? loopback_up(err) : MT_OK;
	return status ? status : mounts_make(r, temporary, err);
}
