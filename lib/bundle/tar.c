/* SPDX-License-Identifier: MIT
 *
 * tar.c - writes a bundle as a tar archive, in the format ustar. */
#include "bundle/bundle.h"

#include "auto.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 512, RECORD = 20 * BLOCK, NAME_MAX_BYTES = 100 };

struct tar {
	int fd;                   /* -1: only counts */
	int64_t size;
	const char *root;
};

static int tar_put(struct tar *t, const char *bytes, size_t len, struct error *err)
{
	t->size += (int64_t)len;
	if (t->fd < 0 || file_write_all(t->fd, bytes, len) == MT_OK)
		return MT_OK;
	return fail(err, MT_EIO, "cannot send the bundle: %s", strerror(errno));
}

static int tar_pad(struct tar *t, int64_t to, struct error *err)
{
	static const char zeros[RECORD];

	return tar_put(t, zeros, (size_t)((to - t->size % to) % to), err);
}

static int tar_head(struct tar *t, const char *name, const struct stat *st,
		    struct error *err)
{
	bool directory = S_ISDIR(st->st_mode);
	char head[BLOCK] = "";
	unsigned sum = 0;

	if (strlen(name) >= NAME_MAX_BYTES)
		return fail(err, MT_ELIMIT, "the path %s in the bundle is too long",
			    name);
	snprintf(head, NAME_MAX_BYTES, "%s", name);
	snprintf(head + 100, 8, "%07o", (unsigned)st->st_mode & 0777);
	snprintf(head + 108, 8, "%07o", 0);
	snprintf(head + 116, 8, "%07o", 0);
	snprintf(head + 124, 12, "%011" PRIo64,
		 directory ? (uint64_t)0 : (uint64_t)st->st_size);
	snprintf(head + 136, 12, "%011o", 0);
	head[156] = directory ? '5' : '0';
	memcpy(head + 257,
	       "ustar\0"
	       "00",
	       8);
	memset(head + 148, ' ', 8);
	for (size_t i = 0; i < sizeof head; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 7, "%06o", sum);
	return tar_put(t, head, sizeof head, err);
}

static int tar_file(struct tar *t, const FTSENT *e, struct error *err)
{
	AUTO(close) int fd = -1;
	char buffer[1 << 16];
	int64_t left = e->fts_statp->st_size;
	int status = MT_OK;

	if (t->fd < 0) {
		t->size += left;
		return tar_pad(t, BLOCK, err);
	}
	fd = open(e->fts_accpath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	while (!status && left > 0) {
		ssize_t n = read(fd, buffer, sizeof buffer);

		if (n <= 0 || n > left)
			return fail(err, MT_EIO, "cannot read %s, or it has changed",
				    e->fts_path);
		left -= n;
		status = tar_put(t, buffer, (size_t)n, err);
	}
	return status ? status : tar_pad(t, BLOCK, err);
}

static int tar_entry(struct tar *t, const FTSENT *e, struct error *err)
{
	const char *name = e->fts_path + strlen(t->root);
	int status;

	if ((e->fts_info != FTS_D && e->fts_info != FTS_F) || *name != '/')
		return MT_OK;
	status = tar_head(t, name + 1, e->fts_statp, err);
	return !status && e->fts_info == FTS_F ? tar_file(t, e, err) : status;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int tar_all(struct tar *t, struct error *err)
{
	char *roots[] = { (char *)(uintptr_t)t->root, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	const FTSENT *e;
	int status = MT_OK;

	if (!tree)
		return fail(err, MT_EIO, "cannot read %s: %s", t->root, strerror(errno));
	while (!status && (e = fts_read(tree)))
		status = tar_entry(t, e, err);
	fts_close(tree);
	if (!status)
		status = tar_put(t, (const char[2 * BLOCK]){ 0 }, (size_t)2 * BLOCK, err);
	return status ? status : tar_pad(t, RECORD, err);
}

int bundle_tar_size(const struct bundle *b, int64_t *ret, struct error *err)
{
	struct tar t = { .fd = -1, .root = b->path };
	int status = tar_all(&t, err);

	*ret = t.size;
	return status;
}

int bundle_tar_write(const struct bundle *b, int fd, struct error *err)
{
	struct tar t = { .fd = fd, .root = b->path };

	return tar_all(&t, err);
}
