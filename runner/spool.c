/* SPDX-License-Identifier: MIT
 *
 * spool.c - the file that keeps the whole output of a call, up to a cap. */
#include "files.h"
#include "services.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

static int create(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Called with c->lock held. */
static bool open_spool(struct mt_call *c)
{
	if (c->spool_fd >= 0)
		return true;
	if (!*c->spool_name)
		return false;
	c->spool_fd = create(c->spool_name);
	if (c->spool_fd < 0 && errno == ENOENT &&
	    dir_make(worker.spec->spool_dir, NULL) == MT_OK)
		c->spool_fd = create(c->spool_name);
	return c->spool_fd >= 0;
}

int spool_write(struct mt_call *c, const char *bytes, size_t len)
{
	int64_t left;
	int status = MT_EIO;
	size_t n;

	pthread_mutex_lock(&c->lock);
	left = worker.spec->limits.spool_max - c->spool_len;
	n = (uint64_t)left < len ? (size_t)left : len;
	if (open_spool(c) && (n == 0 || write_all(c->spool_fd, bytes, n) == MT_OK)) {
		c->spool_len += (int64_t)n;
		c->spool_full |= n < len;
		status = n < len ? MT_ELIMIT : MT_OK;
	}
	pthread_mutex_unlock(&c->lock);
	return status;
}

const char *spool_path(struct mt_call *c)
{
	bool there;

	pthread_mutex_lock(&c->lock);
	there = open_spool(c);
	pthread_mutex_unlock(&c->lock);
	return there ? c->spool_name : "";
}
