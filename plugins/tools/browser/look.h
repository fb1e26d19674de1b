/* SPDX-License-Identifier: MIT
 *
 * look.h - shared declarations of the files that capture a page. */
#ifndef BROWSER_LOOK_H
#define BROWSER_LOOK_H

#include "browser-internal.h"

struct rect {
	double x, y, width, height;
};

/** A node of the snapshot. */
struct node {
	int64_t id, parent; /* parent 0: no parent */
	json_object *ax;    /* node of the accessibility tree; borrowed; NULL: none */
	const char *tag, *text; /* text: the first of its own; borrowed; NULL: none */
	struct rect box;
	bool is_element, has_box, clickable, draggable, scrollable;
	double scroll_top, scroll_view, scroll_height; /* if scrollable */
	bool is_around;   /* a label, or the whole page: contains the relevant nodes */
	bool clips, is_placed, is_absolute, is_fixed; /* by style: overflow, position */
	int inner;        /* document in it; -1: none */
	struct rect seen; /* part of the window that the node may occupy */
};

/** A document of the snapshot: the page or a frame in it. */
struct document {
	json_object *json;
	const char *frame_id;
	unsigned frame;      /* index in browser.frames */
	double x, y;         /* of its origin in the window */
	struct rect clip;    /* part of the window that it may occupy */
	struct node *nodes;  /* by id */
	size_t count;
	bool reached;
};

/** One capture of a page. */
struct look {
	struct browser *b;
	const struct view *view;
	const struct cdp_wait *wait;
	struct error *err;
	json_object *snapshot;
	struct document documents[FRAMES_MAX];
	size_t count;
	json_object *nodes;  /* of all trees */
	char *focused;       /* of observation */
};

/** A list in an object, by path; borrowed. NULL: not a list. */
static inline json_object *list_at(json_object *o, const char *path)
{
	json_object *list = js_path(o, path);

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

/* snapshot.c */
/** The intersection of two rectangles. */
struct rect snapshot_rect_meet(struct rect a, struct rect b);
/** Read the documents of the page and their positions in the window. */
int snapshot_take(struct look *l);
/** The node with this id; NULL: not in the document. */
struct node *snapshot_node(const struct document *d, int64_t id);

/* page-tree.c */
/** Read the trees of all documents into l->nodes. */
int page_tree_read(struct look *l);

#endif
