/* SPDX-License-Identifier: MIT
 *
 * look.h - what the files that look at a page share. */
#ifndef BROWSER_LOOK_H
#define BROWSER_LOOK_H

#include "internal.h"

struct rect {
	double x, y, width, height;
};

/** A node of the snapshot. */
struct node {
	int64_t id, parent; /* parent 0: none */
	json_object *ax;    /* the node of the accessibility tree; borrowed; NULL: none */
	const char *tag, *text; /* text: the first of its own; borrowed; NULL: none */
	struct rect box;
	bool is_element, has_box, clickable, draggable, scrollable;
	double scroll_top, scroll_view, scroll_height; /* if scrollable */
	bool is_around;   /* a label, or the whole page: others in it are what counts */
	bool clips, is_placed, is_absolute, is_fixed; /* by its style: overflow, position */
	int inner;        /* document in it; -1: none */
	struct rect seen; /* what of the window it may fill */
};

/** A document of the snapshot: the page or a frame in it. */
struct document {
	json_object *json;
	const char *frame_id;
	unsigned frame;      /* place in browser.frames */
	double x, y;         /* of its origin in the window */
	struct rect clip;    /* what of the window it may fill */
	struct node *nodes;  /* by id */
	size_t count;
	bool reached;
};

/** One look at a page. */
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

/** A list in an object, by its path; borrowed. NULL: it is none. */
static inline json_object *list_at(json_object *o, const char *path)
{
	json_object *list = js_path(o, path);

	return json_object_is_type(list, json_type_array) ? list : NULL;
}

/* snapshot.c */
/** What is in both. */
struct rect snapshot_rect_meet(struct rect a, struct rect b);
/** Read the documents of the page, and where in the window they are. */
int snapshot_take(struct look *l);
/** The node with this id; NULL: it is not in the document. */
struct node *snapshot_node(const struct document *d, int64_t id);

/* page-tree.c */
/** Read the trees of all documents into l->nodes. */
int page_tree_read(struct look *l);

#endif
