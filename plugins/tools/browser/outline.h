/* SPDX-License-Identifier: MIT
 *
 * outline.h - formats a page for a model: interactive elements and texts, without
 * repetition. */
#ifndef BROWSER_OUTLINE_H
#define BROWSER_OUTLINE_H

#include "axtree.h"

struct outline_options {
	const char *url;      /* of the page: omitted from links in it; NULL: unknown */
	bool visible_only;    /* omit parts out of view; otherwise mark them with `~` */
	bool long_lists;      /* all options of a list, not only OUTLINE_OPTIONS */
};

enum { OUTLINE_OPTIONS = 40 };

/** Append the text of a tree in the format of axtree_put. If the buffer is full, the text
 *  ends after a complete line. `*ret_unseen`: texts or controls out of view were omitted
 *  or marked. @return MT_OK, MT_ELIMIT (truncated), MT_EINVAL, MT_ENOMEM. */
int outline_put(struct strbuf *out, json_object *tree,
		const struct outline_options *options, ax_mark_fn *mark, void *arg,
		bool *ret_unseen, struct error *err);

#endif
