/* SPDX-License-Identifier: MIT
 *
 * socket-dir.c - manages the directory of the conversation sockets. */
#include "frontends/socket-dir.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

enum { IDS_MAX = 4096, ID_LEN_MAX = 80, CONNECT_S = 5, DEPTH_MAX = 256 };

#define SUFFIX ".sock"

/* ---- the directory -------------------------------------------------------- */

/* Fill the address of a file in the directory. If the path is too long, it is relative
 * to the open directory. */
static int socket_dir_address(int dir, const char *path, const char *name,
			      struct sockaddr_un *ret, struct error *err)
{
	int n;

	memset(ret, 0, sizeof *ret);
	ret->sun_family = AF_UNIX;
	n = snprintf(ret->sun_path, sizeof ret->sun_path, "%s/%s", path, name);
	if (n >= (int)sizeof ret->sun_path)
		n = snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s",
			     dir, name);
	return n < (int)sizeof ret->sun_path
		       ? MT_OK
		       : fail(err, MT_ELIMIT, "%s: socket path is too long", name);
}

static int socket_name(const char *id, char *ret, size_t size, struct error *err)
{
	if (!*id || strlen(id) > ID_LEN_MAX || strchr(id, '/') || *id == '.')
		return fail(err, MT_EINVAL, "invalid conversation id `%.80s`", id);
	snprintf(ret, size, "%s" SUFFIX, id);
	return MT_OK;
}

static int make_socket(struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail(err, MT_EIO, "cannot create a socket: %s", strerror(errno));
	return fd;
}

/* ---- connecting -------------------------------------------------------- */

/* Remove a socket without a listener, unless it was replaced meanwhile. */
static void remove_stale(int dir, const char *name, const struct stat *was)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_ino == was->st_ino && st.st_dev == was->st_dev)
		unlinkat(dir, name, 0);
}

static int connect_in(int dir, const char *path, const char *name, int *ret_fd,
		      struct error *err)
{
	const struct timeval limit = { .tv_sec = CONNECT_S };
	AUTO(close) int fd = make_socket(err);
	struct sockaddr_un to;
	struct stat st;

	if (fd < 0 || socket_dir_address(dir, path, name, &to, err))
		return err->code;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(err, MT_ENOTFOUND, "no process has it open");
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
		if (errno == ECONNREFUSED) {
			remove_stale(dir, name, &st);
			return fail(err, MT_ENOTFOUND,
				    "the process that had it open has exited");
		}
		return fail(err, errno == EAGAIN ? MT_ETIMEOUT : MT_EIO, "%s/%s: %s",
			    path, name,
			    errno == EAGAIN ? "does not respond" : strerror(errno));
	}
	*ret_fd = fd;
	fd = -1;
	return MT_OK;
}

static int check_peer(int fd, pid_t *ret_pid, struct error *err)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return fail(err, MT_EIO, "cannot identify the peer of a socket: %s",
			    strerror(errno));
	if (peer.uid != geteuid())
		return fail(err, MT_EDENIED, "the socket belongs to another user");
	if (ret_pid)
		*ret_pid = peer.pid;
	return MT_OK;
}

int socket_dir_connect(const char *id, int *ret_fd, pid_t *ret_pid, struct error *err)
{
	AUTO(free) char *path = NULL;
	AUTO(close) int dir = -1;
	char name[96];
	int r = socket_name(id, name, sizeof name, err);

	if (!r)
		r = paths_open_runtime_dir(false, &dir, &path, err);
	if (!r)
		r = connect_in(dir, path, name, ret_fd, err);
	if (r)
		return r;
	r = check_peer(*ret_fd, ret_pid, err);
	if (r)
		close(*ret_fd);
	return r;
}

/* ---- listening --------------------------------------------------------- */

/* Bind a temporary name first: clients must be able to connect as soon as the final name
 * exists. */
static int bind_as(struct socket_file *p, const char *path, int fd, int backlog,
		   struct error *err)
{
	struct sockaddr_un at;
	char name[32];
	struct stat st;

	snprintf(name, sizeof name, ".%ld", (long)getpid());
	unlinkat(p->dir, name, 0);
	if (socket_dir_address(p->dir, path, name, &at, err))
		return err->code;
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
	    fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    listen(fd, backlog) < 0)
		return fail(err, MT_EIO, "cannot create socket %s: %s", path,
			    strerror(errno));
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	if (renameat(p->dir, name, p->dir, p->name) < 0) {
		fail(err, MT_EIO, "%s/%s: %s", path, p->name, strerror(errno));
		unlinkat(p->dir, name, 0);
		return err->code;
	}
	return MT_OK;
}

int socket_dir_listen(const char *id, int backlog, struct socket_file *ret, int *ret_fd,
		      struct error *err)
{
	AUTO(free) char *path = NULL;
	AUTO(close) int fd = -1, other = -1;
	struct socket_file p = { .dir = -1 };
	int r = socket_name(id, p.name, sizeof p.name, err);

	if (!r)
		r = paths_open_runtime_dir(true, &p.dir, &path, err);
	if (!r && connect_in(p.dir, path, p.name, &other, &(struct error){ 0 }) == MT_OK)
		r = fail(err, MT_EEXIST, "%s/%s: another process is listening", path,
			 p.name);
	if (!r) {
		fd = make_socket(err);
		r = fd < 0 ? err->code : bind_as(&p, path, fd, backlog, err);
	}
	if (!r && fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		r = fail(err, MT_EIO, "%s: %s", path, strerror(errno));
	if (r) {
		auto_close(&p.dir);
		return r;
	}
	*ret = p;
	*ret_fd = fd;
	fd = -1;
	return MT_OK;
}

void socket_dir_remove(struct socket_file *p)
{
	const struct stat ours = { .st_dev = p->dev, .st_ino = p->ino };

	if (p->dir >= 0)
		remove_stale(p->dir, p->name, &ours);
	auto_close(&p->dir);
	p->dir = -1;
}

/* ---- listing ----------------------------------------------------------- */

void socket_dir_free_list(char **ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(ids[i]);
	free(ids);
}

static int socket_dir_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The id in the name of a socket file; NULL: another file, or out of memory. */
static char *id_of(const char *name)
{
	size_t len = strlen(name), tail = strlen(SUFFIX);

	if (*name == '.' || len <= tail || strcmp(name + len - tail, SUFFIX) != 0)
		return NULL;
	return strndup(name, len - tail);
}

int socket_dir_list(char ***ret, size_t *ret_count, struct error *err)
{
	int dir = -1;
	struct error why = ERROR_NONE;
	struct dirent *d;
	char **ids = NULL;
	size_t count = 0;
	DIR *stream;

	*ret = NULL;
	*ret_count = 0;
	if (paths_open_runtime_dir(false, &dir, NULL, &why))
		return why.code == MT_ENOTFOUND ? MT_OK
						: fail(err, why.code, "%s", why.text);
	stream = fdopendir(dir);
	ids = calloc(IDS_MAX, sizeof *ids);
	while (stream && ids && count < IDS_MAX && (d = readdir(stream))) {
		ids[count] = id_of(d->d_name);
		count += ids[count] != NULL;
	}
	if (stream)
		closedir(stream);
	else
		close(dir);
	if (!stream || !ids) {
		socket_dir_free_list(ids, count);
		return out_of_memory(err);
	}
	qsort(ids, count, sizeof *ids, socket_dir_compare);
	*ret = ids;
	*ret_count = count;
	return MT_OK;
}

/* ---- processes --------------------------------------------------------- */

static pid_t socket_dir_parent_of(pid_t pid)
{
	char path[64], text[512];
	AUTO(close) int fd = -1;
	const char *end;
	ssize_t n;
	long parent;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	end = strrchr(text, ')'); /* the name may contain any character */
	return end && sscanf(end + 1, " %*c %ld", &parent) == 1 ? (pid_t)parent : -1;
}

bool socket_dir_descends(pid_t pid, pid_t ancestor)
{
	if (ancestor <= 0)
		return false;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (pid == ancestor)
			return true;
		if (pid <= 1)
			return pid < 0;
		pid = socket_dir_parent_of(pid);
	}
	return true;
}
