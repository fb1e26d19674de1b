/* SPDX-License-Identifier: MIT
 *
 * tree.c - a tree of files in memory, to which the operations of a journal apply. */
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what, const char *which)
{
	fprintf(stderr, "simulate: %s: %s\n", what, which);
	exit(2);
}

void *need(void *memory)
{
	if (!memory)
		die("memory", "exhausted");
	return memory;
}

void tree_clear(struct node *nodes)
{
	for (int i = 0; i < NODES_MAX; i++) {
		for (size_t k = 0; k < nodes[i].count; k++)
			free(nodes[i].entries[k].name);
		free(nodes[i].entries);
		free(nodes[i].bytes);
	}
	memset(nodes, 0, NODES_MAX * sizeof *nodes);
	nodes[0].is_dir = true; /* the root */
}

struct entry *tree_entry(const struct node *dir, const char *name)
{
	for (size_t i = 0; i < dir->count; i++)
		if (strcmp(dir->entries[i].name, name) == 0)
			return &dir->entries[i];
	return NULL;
}

static void set_entry(struct node *dir, const char *name, int node)
{
	struct entry *e = tree_entry(dir, name);

	if (e) {
		e->node = node;
		return;
	}
	dir->entries =
		need(realloc(dir->entries, (dir->count + 1) * sizeof *dir->entries));
	dir->entries[dir->count++] = (struct entry){ need(strdup(name)), node };
}

static void drop_entry(struct node *dir, const char *name)
{
	struct entry *e = tree_entry(dir, name);

	if (!e)
		return;
	free(e->name);
	*e = dir->entries[--dir->count];
}

const char *tree_last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int tree_find(const struct node *nodes, const char *path, bool parent)
{
	const char *last = tree_last_name(path);
	int at = 0;

	while (*path && !(parent && path == last)) {
		size_t n = strcspn(path, "/");
		char name[NAME_MAX + 1];
		struct entry *e;

		snprintf(name, sizeof name, "%.*s", (int)n, path);
		e = n ? tree_entry(&nodes[at], name) : NULL;
		if (!e)
			return -1;
		at = e->node;
		path += n + (path[n] == '/');
	}
	return at;
}

void tree_grow(struct node *n, size_t size)
{
	if (size > n->room) {
		n->room = size * 2;
		n->bytes = need(realloc(n->bytes, n->room));
	}
	if (size > n->size) {
		memset(n->bytes + n->size, 0, size - n->size);
		n->size = size;
	}
}

void tree_write(struct node *n, size_t at, const char *bytes, size_t len)
{
	tree_grow(n, at + len);
	memcpy(n->bytes + at, bytes, len);
}

static void set_size(struct node *n, size_t size)
{
	if (size < n->size)
		n->size = size;
	else
		tree_grow(n, size);
}

void tree_apply(struct node *nodes, const struct op *o)
{
	const char *name = tree_last_name(o->path);

	switch (o->r->kind) {
	case J_MKDIR:
		nodes[o->node].is_dir = true;
		/* fall through */
	case J_CREATE:
		set_entry(&nodes[o->dir], name, o->node);
		break;
	case J_WRITE:
		tree_write(&nodes[o->node], (size_t)o->r->offset, o->data, o->r->data);
		break;
	case J_TRUNCATE:
		set_size(&nodes[o->node], (size_t)o->r->offset);
		break;
	case J_RENAME:
		drop_entry(&nodes[o->dir], name);
		/* fall through */
	case J_LINK:
		set_entry(&nodes[o->to], tree_last_name(o->other), o->node);
		break;
	case J_REMOVE:
		drop_entry(&nodes[o->dir], name);
		break;
	}
}
