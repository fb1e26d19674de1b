/* SPDX-License-Identifier: MIT
 *
 * journal.c - reads a journal of record.c and finds the object of each operation. */
#include "simulate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct op *ops;
int op_count;

bool op_has(const struct op *o, const char *text)
{
	return memmem(o->data, o->r->data, text, strlen(text));
}

char *journal_read_file(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	if (fd < 0 || fstat(fd, &st) != 0)
		die(path, strerror(errno));
	bytes = need(malloc((size_t)st.st_size + 1));
	for (off_t at = 0; at < st.st_size;) {
		ssize_t n = read(fd, bytes + at, (size_t)(st.st_size - at));

		if (n <= 0)
			die(path, "cannot be read");
		at += n;
	}
	close(fd);
	bytes[st.st_size] = '\0';
	*ret_len = (size_t)st.st_size;
	return bytes;
}

static char *path_from(const char *at, size_t len)
{
	char *path = need(strndup(at, len));

	while (len && path[len - 1] == '/')
		path[--len] = '\0';
	return path;
}

void journal_load(const char *path)
{
	size_t len, at = 0;
	char *bytes = journal_read_file(path, &len);

	while (at < len) {
		struct journal_record *r = need(malloc(sizeof *r));
		struct op *o;

		if (len - at < sizeof *r)
			die(path, "ends inside a record");
		memcpy(r, bytes + at, sizeof *r);
		at += sizeof *r;
		if (r->magic != JOURNAL_MAGIC ||
		    len - at < (size_t)r->path + r->other + r->data)
			die(path, "is damaged");
		if (op_count % 1024 == 0)
			ops = need(realloc(ops, (size_t)(op_count + 1024) * sizeof *ops));
		o = &ops[op_count++];
		*o = (struct op){
			.r = r, .node = -1, .dir = -1, .to = -1, .durable = NEVER
		};
		o->path = path_from(bytes + at, r->path);
		o->other = path_from(bytes + at + r->path, r->other);
		o->data = bytes + at + r->path + r->other;
		at += (size_t)r->path + r->other + r->data;
	}
}

/* Objects by their inode numbers, which are used again when a file is gone. */
static struct {
	uint64_t inode;
	int node;
} inodes[NODES_MAX];
static int inode_count;
int journal_node_count = 1;

static int node_of(uint64_t inode)
{
	for (int i = inode_count - 1; i >= 0; i--)
		if (inodes[i].inode == inode)
			return inodes[i].node;
	return -1;
}

static void resolve_one(struct node *live, struct op *o)
{
	uint32_t kind = o->r->kind;

	if (kind == J_CREATE || kind == J_MKDIR) {
		if (journal_node_count == NODES_MAX)
			die(o->path, "too many files");
		inodes[inode_count].inode = o->r->inode;
		inodes[inode_count++].node = o->node = journal_node_count++;
	} else if (kind == J_SYNC && !*o->path) {
		o->node = 0;
	} else if (kind == J_WRITE || kind == J_TRUNCATE || kind == J_SYNC) {
		o->node = node_of(o->r->inode);
	} else if (kind == J_RENAME || kind == J_LINK || kind == J_REMOVE) {
		o->node = tree_find(live, o->path, false);
	} else {
		return;
	}
	if (*o->path && kind != J_SYNC)
		o->dir = tree_find(live, o->path, true);
	if (*o->other)
		o->to = tree_find(live, o->other, true);
	if (o->node < 0 || (*o->path && kind != J_SYNC && o->dir < 0) ||
	    (*o->other && o->to < 0))
		die("the journal lacks the origin of", o->path);
	tree_apply(live, o);
}

bool op_changes_data(const struct op *o)
{
	return o->r->kind == J_WRITE || o->r->kind == J_TRUNCATE;
}

static bool changes_names(const struct op *o)
{
	return o->dir >= 0;
}

/* The first sync of an object behind an operation. */
static int synced(int from, int node)
{
	for (int i = from + 1; i < op_count && !getenv("POWERLOSS_NO_SYNC"); i++)
		if (ops[i].r->kind == J_SYNC && ops[i].node == node)
			return i;
	return NEVER;
}

void journal_resolve(void)
{
	struct node *live = need(calloc(NODES_MAX, sizeof *live));

	tree_clear(live);
	for (int i = 0; i < op_count; i++)
		resolve_one(live, &ops[i]);
	for (int i = 0; i < op_count; i++) {
		struct op *o = &ops[i];
		int other;

		if (op_changes_data(o)) {
			o->durable = synced(i, o->node);
		} else if (changes_names(o)) {
			/* a link leaves the directory of the old name as it was */
			o->durable = synced(i, o->r->kind == J_LINK ? o->to : o->dir);
			other = o->to >= 0 ? synced(i, o->to) : 0;
			if (other > o->durable)
				o->durable = other;
		}
	}
	tree_clear(live);
	free(live);
}
