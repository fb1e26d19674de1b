/* SPDX-License-Identifier: MIT
 *
 * outline.h - formats a page for a model: the elements that it can act on and the texts,
 * each fact once. */
#ifndef BROWSER_OUTLINE_H
#define BROWSER_OUTLINE_H

#include "axtree.h"

struct outline_options {
	const char *url;      /* of the page: left out of the links in it; NULL: unknown */
	bool visible_only;    /* without what is out of view; otherwise `~` marks it */
	bool long_lists;      /* all options of a list, not only OUTLINE_OPTIONS */
};

enum { OUTLINE_OPTIONS = 40 };

/** Append the text of a tree as described at axtree_put. A full buffer ends the text after a
 *  whole line. `*ret_unseen`: texts or controls are out of view, and so were left out or
 *  marked. @return MT_OK, MT_ELIMIT (it was cut), MT_EINVAL, MT_ENOMEM. */
int outline_put(struct strbuf *out, json_object *tree,
		const struct outline_options *options, ax_mark_fn *mark, void *arg,
		bool *ret_unseen, struct error *err);

#endif
