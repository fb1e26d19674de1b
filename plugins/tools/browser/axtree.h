/* SPDX-License-Identifier: MIT
 *
 * axtree.h - formats an accessibility tree as BrowserGym does, one line per node. Models
 * read outline.h's text, which is shorter. */
#ifndef BROWSER_AXTREE_H
#define BROWSER_AXTREE_H

#include "error.h"
#include "js.h"

enum {
	AX_DEPTH = 200,         /* levels that are visited; deeper ones are omitted */
	AX_NODES_MAX = 200000,
	AX_LINE_MAX = 4000,     /* bytes of one name or value */
	AX_INDENT_MAX = 64,
};

/** Properties of a node that has a bid, in addition to the tree. */
struct ax_mark {
	double visibility;        /* fraction in view, 0..1 */
	bool has_box;
	double x, y, width, height;
	bool clickable, som;      /* som: in the set of marks */
	bool draggable, scrollable;
	double scroll_top, scroll_view, scroll_height; /* if scrollable */
};

struct ax_options {
	bool with_visible, with_clickable, with_som, with_center, with_box;
	bool keep_generic;        /* print a `generic` without attributes too */
	bool keep_redundant;      /* print text that the parent's name contains */
	bool visible_only, bid_only, som_only;
	bool hide_bids, hide_bid_if_invisible;
	int decimals;             /* of coordinates */
	const char *const *ignored_roles;      /* NULL-terminated; NULL: default */
	const char *const *ignored_properties; /* likewise */
};

/** Find the element of a bid. @return NULL: unknown bid. */
typedef const struct ax_mark *ax_mark_fn(void *arg, const char *bid);

/** Append the text of a tree, {"nodes": [...]} as in the browser's protocol, with a
 *  node's bid in its `browsergym_id`. The first node is the root. Invalid nodes (visited
 *  twice, without a type) are omitted. If the buffer is full, the text ends after a
 *  complete line. @return MT_OK, MT_ELIMIT (truncated), MT_EINVAL, MT_ENOMEM. */
int axtree_put(struct strbuf *out, json_object *tree, const struct ax_options *options,
	       ax_mark_fn *mark, void *arg, struct error *err);

#endif
