/* SPDX-License-Identifier: MIT
 *
 * outline.h - formats a page for a model: interactive elements and texts, without
 * repetition. */
#ifndef BROWSER_OUTLINE_H
#define BROWSER_OUTLINE_H

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

/** Find the element of a bid. @return NULL: unknown bid. */
typedef const struct ax_mark *ax_mark_fn(void *arg, const char *bid);

struct outline_options {
	const char *url;      /* of the page: omitted from links in it; NULL: unknown */
	bool visible_only;    /* omit parts out of view; otherwise mark them with `~` */
	bool long_lists;      /* all options of a list, not only OUTLINE_OPTIONS */
};

enum { OUTLINE_OPTIONS = 40 };

/** Append the text of a tree, {"nodes": [...]} as in the browser's protocol, with a node's
 *  bid in its `browsergym_id`. The first node is the root. Invalid nodes (visited twice,
 *  without a type) are omitted. If the buffer is full, the text ends after a complete line.
 *  `*ret_unseen`: texts or controls out of view were omitted or marked.
 *  @return MT_OK, MT_ELIMIT (truncated), MT_EINVAL, MT_ENOMEM. */
int outline_put(struct strbuf *out, json_object *tree,
		const struct outline_options *options, ax_mark_fn *mark, void *arg,
		bool *ret_unseen, struct error *err);

#endif
