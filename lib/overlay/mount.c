/* SPDX-License-Identifier: MIT
 *
 * mount.c - mounts overlays in the namespaces of a child process, which passes descriptors
 * of them to its parent and exits. */
#include "overlay/mount.h"

#include "auto.h"
#include "sandbox/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The namespaces, and the directories. */
enum { FDS_MAX = 2 + OVERLAY_ROOTS_MAX };

/* ---- the child ------------------------------------------------------------------- */

/* Paths may contain commas and colons, descriptors do not. */
static int mount_one(const struct overlay *o, size_t n, bool read_only, struct error *err)
{
	const struct overlay_root *root = &o->roots[n];
	AUTO(close) int lower = open(root->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(close) int upper = open(root->upper, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(close) int work = openat(upper, "../work", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char options[256];

	if (lower < 0 || upper < 0 || work < 0)
		return fail(err, MT_EIO, "cannot open %s: %s",
			    lower < 0 ? root->path : root->upper, strerror(errno));
	if (read_only)
		snprintf(options, sizeof options,
			 "lowerdir=/proc/self/fd/%d:/proc/self/fd/%d,userxattr,index=off",
			 upper, lower);
	else
		snprintf(options, sizeof options,
			 "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,"
			 "workdir=/proc/self/fd/%d,userxattr,index=off",
			 lower, upper, work);
	if (mount("overlay", root->path, "overlay", MS_NOSUID | MS_NODEV, options) == 0)
		return MT_OK;
	return fail(
		err, MT_EUNSUPPORTED, "cannot mount an overlay over %s: %s", root->path,
		errno == EINVAL || errno == EPERM || errno == ENODEV
			? "the system does not allow it to users (Linux 5.11 does, on "
			  "file systems with user.* attributes)"
			: strerror(errno));
}

static int mount_in_child(struct overlay *o, bool read_only, struct error *err)
{
	int status = namespaces_make_user(err);

	if (!status && unshare(CLONE_NEWNS) < 0)
		status = fail(err, MT_EUNSUPPORTED, "cannot create a mount namespace: %s",
			      strerror(errno));
	if (!status && mount("none", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		status = fail(err, MT_EIO, "cannot detach the mounts: %s",
			      strerror(errno));
	for (size_t i = 0; !status && i < o->count; i++)
		status = mount_one(o, i, read_only, err);
	return status;
}

static int mount_open_all(const struct overlay *o, int fds[FDS_MAX], struct error *err)
{
	bool complete;

	fds[0] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	fds[1] = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	complete = fds[0] >= 0 && fds[1] >= 0;
	for (size_t i = 0; i < o->count; i++) {
		fds[2 + i] = open(o->roots[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		complete = complete && fds[2 + i] >= 0;
	}
	return complete ? MT_OK
			: fail(err, MT_EIO, "cannot open the overlay: %s",
			       strerror(errno));
}

union mount_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int) * FDS_MAX)];
};

static _Noreturn void mount_run_child(struct overlay *o, bool read_only, int socket)
{
	struct error err = ERROR_NONE;
	union mount_control control = { 0 };
	struct iovec text = { &err, sizeof err };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1 };
	size_t size = sizeof(int) * (2 + o->count);
	int fds[FDS_MAX];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!mount_in_child(o, read_only, &err) && !mount_open_all(o, fds, &err)) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(size);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(&control.header), fds, size);
	}
	_exit(sendmsg(socket, &m, MSG_NOSIGNAL) < 0);
}

/* ---- the parent ------------------------------------------------------------------ */

/* @return the number of descriptors; -1: the child failed without a message */
static int mount_receive(int socket, int fds[FDS_MAX], struct error *err)
{
	union mount_control control = { 0 };
	struct error theirs = ERROR_NONE;
	struct iovec text = { &theirs, sizeof theirs };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof control };
	struct cmsghdr *c;
	ssize_t len;
	int count;

	do
		len = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len != (ssize_t)sizeof theirs)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (theirs.code || !c || c->cmsg_type != SCM_RIGHTS) {
		theirs.text[sizeof theirs.text - 1] = '\0';
		fail(err, theirs.code ? theirs.code : MT_EIO, "%s", theirs.text);
		return 0;
	}
	count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(fds, CMSG_DATA(c), (size_t)count * sizeof(int));
	return count;
}

static int mount_take(struct overlay *o, int socket, struct error *err)
{
	int fds[FDS_MAX] = { 0 };
	int count = mount_receive(socket, fds, err);

	if (count == 2 + (int)o->count) {
		o->user = fds[0];
		o->mount = fds[1];
		for (size_t i = 0; i < o->count; i++)
			o->roots[i].fd = fds[2 + i];
		return MT_OK;
	}
	while (count > 0)
		close(fds[--count]);
	return fail(err, MT_EIO, "the process that mounts the overlay failed");
}

int overlay_mount(struct overlay *o, bool read_only, struct error *err)
{
	int ends[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(err, MT_EIO, "cannot mount an overlay: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		mount_run_child(o, read_only, ends[1]);
	close(ends[1]);
	status = pid < 0 ? fail(err, MT_EIO, "cannot mount an overlay: %s",
				strerror(errno))
			 : mount_take(o, ends[0], err);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return status ? err->code : MT_OK;
}

int overlay_enter(const struct overlay *o, struct error *err)
{
	if (setns(o->user, CLONE_NEWUSER) < 0 || setns(o->mount, CLONE_NEWNS) < 0)
		return fail(err, MT_EIO, "cannot enter the overlay: %s", strerror(errno));
	return MT_OK;
}

void overlay_gain(const struct overlay *o)
{
	/* Root can already, and would lose files of other users. */
	if (geteuid() != 0 && o->user >= 0)
		(void)setns(o->user, CLONE_NEWUSER);
}
