/* SPDX-License-Identifier: MIT
 *
 * stat-cache.c - remembers the state of each covered file, so that an unchanged file is
 * not read again. The file of the cache belongs to this machine; a damaged one is
 * ignored. */
#include "snapshot/snapshot-internal.h"

#include "crc32c.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const char magic[8] = "MTSTAT1";

struct stat_cache_head {
	char magic[8];
	uint64_t used;
	uint64_t len;          /* of the records */
	uint32_t crc;          /* of the records */
	uint32_t count;
};

static uint64_t hash_path(const char *path, size_t len)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)path[i]) * 1099511628211u;
	return h ^ h >> 29;
}

void stat_cache_clear(struct stat_cache *c)
{
	free(c->text);
	free(c->slots);
	*c = (struct stat_cache){ 0 };
}

/* The record at an offset. @return the offset of the next one; 0: malformed */
static size_t stat_cache_record(const char *text, size_t len, size_t at,
				struct cached *ret)
{
	if (len - at < sizeof *ret)
		return 0;
	memcpy(ret, text + at, sizeof *ret);
	at += sizeof *ret;
	return ret->len > 1 && ret->len <= len - at && text[at + ret->len - 1] == '\0'
		       ? at + ret->len
		       : 0;
}

static int stat_cache_index(struct stat_cache *c, uint32_t count)
{
	size_t slots = 16, at = sizeof(struct stat_cache_head);
	struct cached record;

	while (slots < 2 * (size_t)count)
		slots *= 2;
	c->slots = calloc(slots, sizeof *c->slots);
	if (!c->slots)
		return MT_ENOMEM;
	c->slot_count = slots;
	for (uint32_t n = 0; n < count; n++) {
		size_t next = stat_cache_record(c->text, c->len, at, &record), slot;

		if (!next)
			return MT_EINVAL;
		slot = hash_path(c->text + at + sizeof record, record.len - 1u);
		while (c->slots[slot & (slots - 1)])
			slot++;
		c->slots[slot & (slots - 1)] = (uint32_t)at;
		at = next;
	}
	return MT_OK;
}

static int stat_cache_read(int dir_fd, struct stat_cache *c)
{
	AUTO(close) int fd = openat(dir_fd, "cache", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	size_t at = 0;

	if (fd < 0 || fstat(fd, &st) || st.st_size > SNAPSHOT_CACHE_MAX ||
	    st.st_size < (off_t)sizeof(struct stat_cache_head))
		return MT_ENOTFOUND;
	c->len = (size_t)st.st_size;
	c->text = malloc(c->len);
	if (!c->text)
		return MT_ENOMEM;
	while (at < c->len) {
		ssize_t n = read(fd, c->text + at, c->len - at);

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return MT_ENOTFOUND;
		at += n > 0 ? (size_t)n : 0;
	}
	return MT_OK;
}

int stat_cache_load(int dir_fd, struct stat_cache *ret)
{
	struct stat_cache_head head;
	int r;

	*ret = (struct stat_cache){ 0 };
	r = stat_cache_read(dir_fd, ret);
	if (!r) {
		memcpy(&head, ret->text, sizeof head);
		ret->used = head.used;
		if (memcmp(head.magic, magic, sizeof magic) != 0 ||
		    head.len != ret->len - sizeof head || head.count > head.len ||
		    head.crc != crc32c_update(0, ret->text + sizeof head, head.len))
			r = MT_ENOTFOUND;
		else
			r = stat_cache_index(ret, head.count);
	}
	if (r)
		stat_cache_clear(ret);
	return r == MT_ENOMEM || r == MT_OK ? r : MT_ENOTFOUND;
}

bool stat_cache_find(const struct stat_cache *c, const char *path, struct cached *ret)
{
	size_t len = strlen(path), slot = hash_path(path, len);

	for (; c->slot_count && c->slots[slot & (c->slot_count - 1)]; slot++) {
		size_t at = c->slots[slot & (c->slot_count - 1)];

		if (stat_cache_record(c->text, c->len, at, ret) && ret->len == len + 1 &&
		    memcmp(c->text + at + sizeof *ret, path, len) == 0)
			return true;
	}
	return false;
}

void stat_cache_begin(struct strbuf *out)
{
	const struct stat_cache_head head = { .count = 0 };

	strbuf_addn(out, (const char *)&head, sizeof head);
}

void stat_cache_add(struct strbuf *out, const struct cached *record, const char *path)
{
	struct stat_cache_head head;
	struct cached one = *record;
	size_t len = strlen(path) + 1;

	if (len > UINT16_MAX || len < 2)
		return;
	one.len = (uint16_t)len;
	strbuf_addn(out, (const char *)&one, sizeof one);
	strbuf_addn(out, path, len);
	if (out->error)
		return;
	memcpy(&head, out->text, sizeof head);
	head.count++;
	memcpy(out->text, &head, sizeof head);
}

int stat_cache_save(int dir_fd, const struct stat_cache *old, struct strbuf *out,
		    uint64_t used, struct error *err)
{
	struct stat_cache_head head;
	int fd;

	if (out->error)
		return out_of_memory(err);
	memcpy(&head, out->text, sizeof head);
	memcpy(head.magic, magic, sizeof magic);
	head.used = used;
	head.len = out->len - sizeof head;
	head.crc = crc32c_update(0, out->text + sizeof head, head.len);
	memcpy(out->text, &head, sizeof head);
	if (old->len == out->len && memcmp(old->text, out->text, out->len) == 0)
		return MT_OK;
	fd = openat(dir_fd, "cache.new",
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || file_write_all(fd, out->text, out->len) ||
	    renameat(dir_fd, "cache.new", dir_fd, "cache")) {
		int number = errno;

		if (fd >= 0)
			close(fd);
		return fail(err, MT_EIO, "cannot write the cache of snapshots: %s",
			    strerror(number));
	}
	close(fd);
	return MT_OK;
}

int stat_cache_each(const char *text, size_t len,
		    int (*fn)(void *arg, const unsigned char *hash, bool tree), void *arg)
{
	size_t at = sizeof(struct stat_cache_head);
	struct cached record;
	int r = MT_OK;

	while (!r && at < len) {
		at = stat_cache_record(text, len, at, &record);
		if (!at)
			break;
		r = fn(arg, record.hash, record.type == TREE_DIRECTORY);
	}
	return r;
}
