/* SPDX-License-Identifier: MIT
 *
 * stdio.c - sets up the descriptors for `--json`. */
#include "frontends/stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static bool made_nonblocking[2];

static bool frontend_stdio_kind_of(int fd, mode_t *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	*ret = st.st_mode & S_IFMT;
	return true;
}

/* Duplicate the descriptor. */
static int own(int fd, mode_t kind, int flags)
{
	char path[32];
	int copy = -1;

	if (kind == S_IFIFO) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		copy = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	}
	if (copy < 0)
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0 && kind == S_IFSOCK)
		made_nonblocking[fd] = !(fcntl(fd, F_GETFL) & O_NONBLOCK);
	return copy;
}

void stdio_restore(void)
{
	for (int fd = 0; fd < 2; fd++)
		if (made_nonblocking[fd])
			fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

bool stdio_listens(bool commands)
{
	mode_t kind;

	return commands && frontend_stdio_kind_of(STDIN_FILENO, &kind) &&
	       (kind == S_IFIFO || kind == S_IFSOCK || kind == S_IFREG);
}

int stdio_open(uv_loop_t *loop, struct conversation *c, bool commands,
	       const struct transport_options *o, struct transport **ret,
	       struct error *err)
{
	mode_t kind;
	int in = -1, out = -1;

	if (stdio_listens(commands) && frontend_stdio_kind_of(STDIN_FILENO, &kind))
		in = own(STDIN_FILENO, kind, O_RDONLY);
	if (frontend_stdio_kind_of(STDOUT_FILENO, &kind))
		out = own(STDOUT_FILENO, kind, O_WRONLY);
	if (out < 0) {
		fail(err, MT_EIO, "cannot use standard output: %s", strerror(errno));
		auto_close(&in);
		return err->code;
	}
	return transport_open(loop, c, in, out, o, ret, err);
}
