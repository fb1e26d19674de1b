/* SPDX-License-Identifier: MIT
 *
 * call-connect.c - connect() of tools: to Unix sockets, only those that the sandbox can
 * change and those of grants. Landlock, which this process has entered too, decides about the sockets of the
 * abstract namespace, from version 6. */
#include "sandbox/held-call.h"

#include "auto.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ABSTRACT_VERSION = 6 };

union address {
	struct sockaddr any;
	struct sockaddr_un path;
	struct sockaddr_storage space;
};

static int family_of(int socket)
{
	int family = AF_UNSPEC;
	socklen_t len = sizeof family;

	return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &len) < 0 ? -errno
									    : family;
}

/* Opens the socket that an address names, and makes the address one of this process. */
static int find_socket(struct held_call *c, union address *a, socklen_t *len)
{
	/* The path ends with the address, even without a null byte. */
	const size_t room = *len - offsetof(struct sockaddr_un, sun_path);
	char path[sizeof a->path.sun_path + 1];
	int fd, failed;

	if (room > sizeof a->path.sun_path)
		return -EINVAL;
	snprintf(path, sizeof path, "%.*s", (int)room, a->path.sun_path);
	fd = held_call_open_text(c, path);
	if (fd < 0)
		return fd;
	failed = held_call_check_socket(c, fd);
	if (failed) {
		close(fd);
		return -EACCES;
	}
	*len = sizeof a->path;
	snprintf(a->path.sun_path, sizeof a->path.sun_path, "/proc/self/fd/%d", fd);
	return fd;
}

static int connect_unix(struct held_call *c, int socket, union address *a, socklen_t len)
{
	AUTO(close) int target = -1;
	const bool named = len > offsetof(struct sockaddr_un, sun_path);

	if (a->any.sa_family == AF_UNIX && named && *a->path.sun_path) {
		target = find_socket(c, a, &len);
		if (target < 0)
			return target;
	} else if (a->any.sa_family == AF_UNIX && named &&
		   c->handler->landlock < ABSTRACT_VERSION) {
		return -EACCES;
	}
	return connect(socket, &a->any, len) < 0 ? -errno : 0;
}

int call_connect(struct held_call *c)
{
	AUTO(close) int socket = -1;
	union address a = { 0 };
	const socklen_t len = (socklen_t)c->args[2];
	int failed, family;

	if ((int)len < 0 || len > sizeof a)
		return -EINVAL;
	if (len < sizeof a.any.sa_family)
		return -EINVAL;
	failed = held_call_read(c, c->args[1], &a, len);
	if (failed)
		return failed;
	socket = held_call_descriptor(c, (int)c->args[0]);
	if (socket < 0)
		return socket;
	family = family_of(socket);
	if (family < 0)
		return family;
	if (family == AF_UNIX)
		return connect_unix(c, socket, &a, len);
	return connect(socket, &a.any, len) < 0 ? -errno : 0;
}
