/* SPDX-License-Identifier: MIT
 *
 * object.c - stores contents by their SHA-256. An object is written to a temporary
 * name and renamed when it is complete. */
#include "snapshot/snapshot-internal.h"

#include "files.h"
#include "hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

enum { BLOCK = 4096, NAME_ROOM = SHA256_HEX + 1 };

#define TEMPORARY "new"

static uint64_t object_blocks(uint64_t size)
{
	return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* XX/REST */
static void object_name(const unsigned char hash[SHA256_BYTES], char ret[NAME_ROOM])
{
	char hex[SHA256_HEX];

	hex_write(hash, SHA256_BYTES, hex);
	snprintf(ret, NAME_ROOM, "%.2s/%s", hex, hex + 2);
}

static int object_fail(const char *what, struct error *err)
{
	return fail(err, errno == ENOSPC || errno == EDQUOT ? MT_ELIMIT : MT_EIO,
		    "cannot %s an object of a snapshot: %s", what, strerror(errno));
}

/* ---- the size of the store ----------------------------------------------- */

static void object_count_directory(struct snapshot_store *s, const char *name)
{
	int fd = openat(s->objects_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	struct stat st;

	while (dir && (d = readdir(dir)))
		if (fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			s->used += object_blocks((uint64_t)st.st_size);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

void object_count_used(struct snapshot_store *s)
{
	char name[3];

	s->used = 0;
	for (int i = 0; i < 256; i++) {
		snprintf(name, sizeof name, "%02x", i);
		object_count_directory(s, name);
	}
}

/* Until the cache is saved again, its size of the store does not count. */
static void object_begin_counting(struct snapshot_store *s)
{
	int fd;

	if (s->counting)
		return;
	fd = openat(s->fd, "counting", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	s->counting = true;
}

static int object_room(struct snapshot_store *s, enum object_type type, uint64_t size,
		       struct error *err)
{
	static const int kept[] = { [OBJECT_SMALL] = 16, [OBJECT_LARGE] = 4 };
	uint64_t need = object_blocks(size), max = (uint64_t)s->o.disk;

	if (type != OBJECT_TREE)
		max -= max / (uint64_t)kept[type];
	if (s->used + need <= max)
		return MT_OK;
	if (need > max || s->full || s->o.quick || snapshot_reclaim(s, need, err) ||
	    s->used + need > max)
		return fail(err, MT_ELIMIT, "the store of snapshots is full");
	return MT_OK;
}

/* ---- writing --------------------------------------------------------------- */

static bool object_exists(const struct snapshot_store *s, const char *name, uint64_t size)
{
	struct stat st;

	return fstatat(s->objects_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode) && (uint64_t)st.st_size == size;
}

static int object_create(const struct snapshot_store *s, struct error *err)
{
	int fd = openat(s->objects_fd, TEMPORARY,
			O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? object_fail("create", err) : fd;
}

static int object_rename(struct snapshot_store *s, const unsigned char *hash,
			 uint64_t size, struct error *err)
{
	char name[NAME_ROOM], directory[3];

	object_name(hash, name);
	if (object_exists(s, name, size)) {
		unlinkat(s->objects_fd, TEMPORARY, 0);
		return MT_OK;
	}
	object_begin_counting(s);
	snprintf(directory, sizeof directory, "%.2s", name);
	if (renameat(s->objects_fd, TEMPORARY, s->objects_fd, name) &&
	    (errno != ENOENT ||
	     (mkdirat(s->objects_fd, directory, 0700) && errno != EEXIST) ||
	     renameat(s->objects_fd, TEMPORARY, s->objects_fd, name)))
		return object_fail("rename", err);
	if (s->fresh_count < SNAPSHOT_FRESH_MAX)
		memcpy(s->fresh[s->fresh_count], hash, SHA256_BYTES);
	s->fresh_count++;
	s->used += object_blocks(size);
	return MT_OK;
}

int object_put(struct snapshot_store *s, enum object_type type, const void *bytes,
	       size_t len, unsigned char ret[SHA256_BYTES], struct error *err)
{
	AUTO(close) int fd = -1;
	char name[NAME_ROOM];
	int r = digest_sha256(bytes, len, ret);

	if (r)
		return fail(err, r, "cannot compute SHA-256: libcrypto is not available");
	object_name(ret, name);
	if (object_exists(s, name, len))
		return MT_OK;
	r = object_room(s, type, len, err);
	if (r)
		return r;
	fd = object_create(s, err);
	if (fd < 0)
		return fd;
	if (file_write_all(fd, bytes, len))
		return object_fail("write", err);
	return object_rename(s, ret, len, err);
}

/* Copy `from` to `to` (-1: only read) and compute the hash of what was read. */
static int object_stream(struct snapshot_store *s, int from, int to,
			 unsigned char ret[SHA256_BYTES], uint64_t *ret_size,
			 uint64_t max, struct error *err)
{
	const struct crypto_api *api = digest_crypto_api(err);
	EVP_MD_CTX *sum = api ? api->EVP_MD_CTX_new() : NULL;
	unsigned len = SHA256_BYTES;
	ssize_t n = 0;
	int r = MT_OK;

	*ret_size = 0;
	if (!sum || api->EVP_DigestInit_ex(sum, api->EVP_sha256(), NULL) != 1)
		r = out_of_memory(err);
	while (!r && (n = read(from, s->buffer, SNAPSHOT_PIECE)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			r = object_fail("read", err);
		else if ((*ret_size += (uint64_t)n) > max)
			r = fail(err, MT_EIO, "a file grew while it was read");
		else if (api->EVP_DigestUpdate(sum, s->buffer, (size_t)n) != 1)
			r = out_of_memory(err);
		else if (to >= 0 && file_write_all(to, s->buffer, (size_t)n))
			r = object_fail("write", err);
	}
	if (!r && api->EVP_DigestFinal_ex(sum, ret, &len) != 1)
		r = out_of_memory(err);
	if (sum)
		api->EVP_MD_CTX_free(sum);
	return r;
}

/* Clone the file where the file system can, and copy it otherwise. */
static int object_put_large(struct snapshot_store *s, int from,
			    unsigned char ret[SHA256_BYTES], uint64_t *ret_size,
			    struct error *err)
{
	AUTO(close) int fd = object_create(s, err);
	bool cloned;
	int r;

	if (fd < 0)
		return fd;
	cloned = !s->no_clone && ioctl(fd, FICLONE, from) == 0;
	s->no_clone = !cloned;
	r = object_stream(s, cloned ? fd : from, cloned ? -1 : fd, ret, ret_size,
			  (uint64_t)s->o.file, err);
	if (r) {
		unlinkat(s->objects_fd, TEMPORARY, 0);
		return r;
	}
	return object_rename(s, ret, *ret_size, err);
}

int object_put_file(struct snapshot_store *s, int fd, uint64_t size,
		    unsigned char ret[SHA256_BYTES], uint64_t *ret_size,
		    struct error *err)
{
	size_t len = 0;
	ssize_t n = 1;
	int r;

	if (size >= SNAPSHOT_PIECE) {
		r = object_room(s, OBJECT_LARGE, size, err);
		return r ? r : object_put_large(s, fd, ret, ret_size, err);
	}
	while (len < SNAPSHOT_PIECE && n) {
		n = read(fd, s->buffer + len, SNAPSHOT_PIECE - len);
		if (n < 0 && errno != EINTR)
			return object_fail("read", err);
		len += n > 0 ? (size_t)n : 0;
	}
	if (len == SNAPSHOT_PIECE) /* it grew */
		return fail(err, MT_EIO, "a file grew while it was read");
	*ret_size = len;
	return object_put(s, OBJECT_SMALL, s->buffer, len, ret, err);
}

static int object_sync_one(const struct snapshot_store *s, const char *name, int flags)
{
	AUTO(close) int fd = openat(s->objects_fd, name, flags | O_RDONLY | O_CLOEXEC);

	return fd < 0 || fsync(fd);
}

int object_sync(struct snapshot_store *s, struct error *err)
{
	bool bad = s->fresh_count && s->o.sync && s->fresh_count > SNAPSHOT_FRESH_MAX &&
		   syncfs(s->fd);

	for (size_t i = 0;
	     i < s->fresh_count && s->o.sync && s->fresh_count <= SNAPSHOT_FRESH_MAX;
	     i++) {
		char name[NAME_ROOM];

		object_name(s->fresh[i], name);
		bad |= object_sync_one(s, name, 0);
		name[2] = '\0';
		bad |= object_sync_one(s, name, O_DIRECTORY);
	}
	if (bad)
		return fail(err, MT_EIO, "cannot sync a snapshot: %s", strerror(errno));
	s->fresh_count = 0;
	return MT_OK;
}

/* ---- reading ----------------------------------------------------------------- */

static int object_open(const struct snapshot_store *s, const unsigned char *hash,
		       struct error *err)
{
	char name[NAME_ROOM];
	int fd;

	object_name(hash, name);
	fd = openat(s->objects_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO,
			    "cannot open the object %s: %s", name, strerror(errno));
	return fd;
}

static int object_check(const unsigned char *hash, const unsigned char *sum,
			struct error *err)
{
	char name[NAME_ROOM];

	object_name(hash, name);
	return memcmp(hash, sum, SHA256_BYTES) == 0
		       ? MT_OK
		       : fail(err, MT_EINVAL, "the object %s is damaged", name);
}

int object_copy(struct snapshot_store *s, const unsigned char hash[SHA256_BYTES], int to,
		struct error *err)
{
	AUTO(close) int fd = object_open(s, hash, err);
	unsigned char sum[SHA256_BYTES];
	uint64_t size;
	bool cloned;
	int r;

	if (fd < 0)
		return fd;
	cloned = !s->no_clone && ioctl(to, FICLONE, fd) == 0;
	r = object_stream(s, fd, cloned ? -1 : to, sum, &size, UINT64_MAX, err);
	return r ? r : object_check(hash, sum, err);
}

int snapshot_read(struct snapshot_store *s, const unsigned char hash[SHA256_BYTES],
		  size_t max, char **ret, size_t *ret_len, struct error *err)
{
	AUTO(close) int fd = object_open(s, hash, err);
	AUTO(free) char *text = NULL;
	unsigned char sum[SHA256_BYTES];
	struct stat st;
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || (uint64_t)st.st_size > max)
		return fail(err, MT_ELIMIT, "the file is longer than %zu bytes", max);
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return out_of_memory(err);
	while (len < (size_t)st.st_size &&
	       (n = read(fd, text + len, (size_t)st.st_size - len)) != 0) {
		if (n < 0 && errno != EINTR)
			return object_fail("read", err);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = '\0';
	if (digest_sha256(text, len, sum) || object_check(hash, sum, err))
		return fail(err, MT_EINVAL, "an object of a snapshot is damaged");
	*ret = STEAL(text);
	*ret_len = len;
	return MT_OK;
}
