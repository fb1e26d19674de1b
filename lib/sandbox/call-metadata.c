/* SPDX-License-Identifier: MIT
 *
 * call-metadata.c - system calls that change modes, owners, times and attributes of
 * files, which Landlock does not cover. */
#include "sandbox/held-call.h"

#include "auto.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

/* ---- changes ---------------------------------------------------------------------
 * `self` names the opened file, and `args` are the arguments after those that name it. */

static int answer(int result)
{
	return result < 0 ? -errno : 0;
}

static int change_mode(struct held_call *c, const char *self, const uint64_t *args)
{
	(void)c;
	return answer(chmod(self, (mode_t)args[0] & 07777));
}

static int change_owner(struct held_call *c, const char *self, const uint64_t *args)
{
	(void)c;
	return answer(chown(self, (uid_t)args[0], (gid_t)args[1]));
}

static int change_size(struct held_call *c, const char *self, const uint64_t *args)
{
	(void)c;
	return answer(truncate(self, (off_t)args[0]));
}

static int change_times(struct held_call *c, const char *self, const uint64_t *args)
{
	struct timespec times[2];
	int failed = args[0] ? held_call_read(c, args[0], times, sizeof times) : 0;

	return failed ? failed
		      : answer(utimensat(AT_FDCWD, self, args[0] ? times : NULL, 0));
}

static int change_times_us(struct held_call *c, const char *self, const uint64_t *args)
{
	struct timeval times[2];
	int failed = args[0] ? held_call_read(c, args[0], times, sizeof times) : 0;

	return failed ? failed : answer(utimes(self, args[0] ? times : NULL));
}

static int change_times_s(struct held_call *c, const char *self, const uint64_t *args)
{
	struct utimbuf times;
	int failed = args[0] ? held_call_read(c, args[0], &times, sizeof times) : 0;

	return failed ? failed : answer(utime(self, args[0] ? &times : NULL));
}

static int set_attribute(struct held_call *c, const char *self, const uint64_t *args)
{
	char name[XATTR_NAME_MAX + 1];
	AUTO(free) char *value = NULL;
	int failed = held_call_text(c, args[0], name, sizeof name, ERANGE);

	if (failed)
		return failed;
	if (args[2] > XATTR_SIZE_MAX)
		return -E2BIG;
	value = malloc(args[2] ? args[2] : 1);
	if (!value)
		return -ENOMEM;
	failed = args[2] ? held_call_read(c, args[1], value, args[2]) : 0;
	return failed ? failed
		      : answer(setxattr(self, name, value, args[2], (int)args[3]));
}

static int remove_attribute(struct held_call *c, const char *self, const uint64_t *args)
{
	char name[XATTR_NAME_MAX + 1];
	int failed = held_call_text(c, args[0], name, sizeof name, ERANGE);

	return failed ? failed : answer(removexattr(self, name));
}

/* ---- the calls ------------------------------------------------------------------- */

enum {
	NONE = -1,
	LINK = 1 << 0,      /* a symbolic link is changed itself */
	NULL_PATH = 1 << 1, /* without a path, the descriptor of `directory` is changed */
};

/* Arguments by their number. */
struct metadata_call {
	int number;
	int directory, path, first, flags;
	unsigned how;
	int (*change)(struct held_call *c, const char *self, const uint64_t *args);
};

static const struct metadata_call calls[] = {
	{ SYS_fchmod, 0, NONE, 1, NONE, 0, change_mode },
	{ SYS_fchmodat, 0, 1, 2, NONE, 0, change_mode },
	{ SYS_fchown, 0, NONE, 1, NONE, 0, change_owner },
	{ SYS_fchownat, 0, 1, 2, 4, 0, change_owner },
	{ SYS_utimensat, 0, 1, 2, 3, NULL_PATH, change_times },
	{ SYS_truncate, NONE, 0, 1, NONE, 0, change_size },
	{ SYS_setxattr, NONE, 0, 1, NONE, 0, set_attribute },
	{ SYS_lsetxattr, NONE, 0, 1, NONE, LINK, set_attribute },
	{ SYS_fsetxattr, 0, NONE, 1, NONE, 0, set_attribute },
	{ SYS_removexattr, NONE, 0, 1, NONE, 0, remove_attribute },
	{ SYS_lremovexattr, NONE, 0, 1, NONE, LINK, remove_attribute },
	{ SYS_fremovexattr, 0, NONE, 1, NONE, 0, remove_attribute },
/* Newer architectures lack the older calls. */
#ifdef SYS_chmod
	{ SYS_chmod, NONE, 0, 1, NONE, 0, change_mode },
#endif
#ifdef SYS_chown
	{ SYS_chown, NONE, 0, 1, NONE, 0, change_owner },
	{ SYS_lchown, NONE, 0, 1, NONE, LINK, change_owner },
#endif
#ifdef SYS_utime
	{ SYS_utime, NONE, 0, 1, NONE, 0, change_times_s },
#endif
#ifdef SYS_utimes
	{ SYS_utimes, NONE, 0, 1, NONE, 0, change_times_us },
#endif
#ifdef SYS_futimesat
	{ SYS_futimesat, 0, 1, 2, NONE, NULL_PATH, change_times_us },
#endif
};

static int make_path(const struct held_call *c, const struct metadata_call *m,
		     struct held_path *ret)
{
	const uint64_t flags = m->flags == NONE ? 0 : (uint32_t)c->args[m->flags];

	*ret = (struct held_path){ .directory = AT_FDCWD,
				   .follow = !(m->how & LINK) };
	if (flags & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (flags & AT_SYMLINK_NOFOLLOW)
		ret->follow = false;
	ret->may_be_empty = flags & AT_EMPTY_PATH;
	if (m->directory != NONE)
		ret->directory = (int)c->args[m->directory];
	if (m->path == NONE)
		return ret->directory < 0 ? -EBADF : 0;
	ret->text = c->args[m->path];
	if (!ret->text && (!(m->how & NULL_PATH) || ret->directory == AT_FDCWD))
		return -EFAULT;
	return 0;
}

int call_change_metadata(struct held_call *c)
{
	const struct metadata_call *m = NULL;
	AUTO(close) int fd = -1;
	struct held_path path;
	char self[64];
	int failed;

	for (size_t i = 0; !m && i < ARRAY_LEN(calls); i++)
		if (calls[i].number == c->number)
			m = &calls[i];
	if (!m)
		return -ENOSYS;
	failed = make_path(c, m, &path);
	if (failed)
		return failed;
	fd = held_call_open(c, &path);
	if (fd < 0)
		return fd;
	failed = held_call_check(c, fd);
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return failed ? failed : m->change(c, self, c->args + m->first);
}
