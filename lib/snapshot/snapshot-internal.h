/* SPDX-License-Identifier: MIT
 *
 * snapshot-internal.h - a store of snapshots, shared by its files. */
#ifndef LIB_SNAPSHOT_SNAPSHOT_INTERNAL_H
#define LIB_SNAPSHOT_SNAPSHOT_INTERNAL_H

#include "snapshot/snapshot.h"
#include "strbuf.h"

#include <sys/stat.h>

enum {
	SNAPSHOT_DEPTH_MAX = 200,  /* of directories */
	SNAPSHOT_PATH_MAX = 16384, /* bytes of a path */
	SNAPSHOT_TREE_MAX = 64 << 20,
	SNAPSHOT_CACHE_MAX = 512 << 20,
	SNAPSHOT_FRESH_MAX = 64,   /* new objects that are synced one by one */
};

/* Why an item is left out. */
enum left_out {
	LEFT_LARGE = 1,
	LEFT_FULL,
	LEFT_UNREADABLE,
	LEFT_SPECIAL,
	LEFT_DEVICE,
	LEFT_DEEP,
};

/* ---- the stat cache --------------------------------------------------------- */

/* A covered file, link or directory as it was at the last snapshot. */
struct cached {
	uint64_t ino, size;
	int64_t mtime_s, ctime_s;
	uint32_t mtime_ns, ctime_ns;
	uint32_t mode;
	uint16_t len;          /* of the path that follows, with its NUL */
	uint8_t type;          /* enum tree_type */
	uint8_t racy;          /* written so recently that a later change may not show */
	unsigned char hash[SHA256_BYTES];
};

struct stat_cache {
	char *text;            /* the file, owned */
	size_t len;
	uint32_t *slots;       /* offsets of records, by the hash of the path; 0: free */
	size_t slot_count;
	uint64_t used;         /* bytes of all objects */
};

/* Read the cache; a missing or damaged one is empty and returns MT_ENOTFOUND. */
int stat_cache_load(int dir_fd, struct stat_cache *ret);
void stat_cache_clear(struct stat_cache *c);
/* Copy the record of a path. @return false: none */
bool stat_cache_find(const struct stat_cache *c, const char *path, struct cached *ret);
/* Start the text of a cache, and append records. */
void stat_cache_begin(struct strbuf *out);
void stat_cache_add(struct strbuf *out, const struct cached *record, const char *path);
/* Write it unless it equals the old one. */
int stat_cache_save(int dir_fd, const struct stat_cache *old, struct strbuf *out,
		    uint64_t used, struct error *err);
/* Call `fn` for the hash of each record. */
int stat_cache_each(const char *text, size_t len,
		    int (*fn)(void *arg, const unsigned char *hash, bool tree),
		    void *arg);

/* ---- the store --------------------------------------------------------- */

struct snapshot_store {
	struct snapshot_options o;
	int fd, lock_fd, index_fd, objects_fd;
	struct snapshot_entry *entries;
	size_t count, room;
	int64_t last_number;
	struct stat index;     /* its file, when it was read or written last */
	uint64_t used;
	bool counting;         /* `used` is not saved yet */
	bool full;             /* nothing is left to drop */
	bool no_clone;         /* the file system has no FICLONE here */
	char *buffer;          /* for copying */
	unsigned char fresh[SNAPSHOT_FRESH_MAX][SHA256_BYTES]; /* objects to sync */
	size_t fresh_count;
	const struct stat_cache *cache;  /* of a snapshot being taken */
	const struct strbuf *taken; /* the records so far */
};

enum { SNAPSHOT_PIECE = 1 << 20 }; /* bytes of the buffer */

/* Which part of the store may be used: a part is kept for trees, without which the other
 * objects are of no use, and a part for small files. */
enum object_type { OBJECT_TREE, OBJECT_SMALL, OBJECT_LARGE };

/* Store the bytes as an object. @return MT_ELIMIT: the store is full */
int object_put(struct snapshot_store *s, enum object_type type, const void *bytes,
	       size_t len, unsigned char ret[SHA256_BYTES], struct error *err);
/* Store the rest of a file. `ret_size`: the bytes that were read. */
int object_put_file(struct snapshot_store *s, int fd, uint64_t size,
		    unsigned char ret[SHA256_BYTES], uint64_t *ret_size,
		    struct error *err);
/* Copy an object to an empty file and check its content. @return MT_EINVAL: damaged */
int object_copy(struct snapshot_store *s, const unsigned char hash[SHA256_BYTES], int to,
		struct error *err);
/* Sync the objects that were written since the last call. */
int object_sync(struct snapshot_store *s, struct error *err);
/* Count the bytes of all objects. */
void object_count_used(struct snapshot_store *s);
/* Make room for `need` bytes: drop objects that no snapshot uses, then the oldest
 * snapshots. @return MT_ELIMIT: impossible */
int snapshot_reclaim(struct snapshot_store *s, uint64_t need, struct error *err);

/* ---- trees ------------------------------------------------------------- */

struct tree {
	struct tree_item *items; /* sorted by name */
	size_t count, room;
	char *text;              /* holds the names */
};

void tree_clear(struct tree *t);
static inline void auto_tree(struct tree *t)
{
	tree_clear(t);
}
/* Append an item to the text of a tree. */
void tree_put(struct strbuf *out, const struct tree_item *item);
/* Read and check a tree. */
int tree_read(struct snapshot_store *s, const unsigned char hash[SHA256_BYTES],
	      struct tree *ret, struct error *err);
/* The directories of a root: its items, see tree_root_name. */
int tree_root(struct snapshot_store *s, const unsigned char root[SHA256_BYTES],
	      struct tree *ret, struct error *err);
/* The name of a directory in the tree of a root: `workspace`, or with `path` the absolute
 * path of another one, in which slashes and percent signs are escaped. */
int tree_root_name(const char *path, struct strbuf *out);
/* The path of such a name; "" for the workspace. @return MT_OK, MT_ENOMEM or MT_EINVAL */
int tree_root_path(const char *name, struct strbuf *out);
/* The next name of two trees, in order: one of the results may be NULL. */
bool tree_next(const struct tree *a, const struct tree *b, size_t *i, size_t *j,
	       const struct tree_item **ret_a, const struct tree_item **ret_b);
bool tree_same_time(const struct tree_item *a, const struct tree_item *b);
const char *tree_left_out_text(uint32_t reason);

#endif
