/* SPDX-License-Identifier: MIT
 *
 * plugin-view.h - the view of a work as bytes, for a copy of the process that was forked
 * before the work began. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_VIEW_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_VIEW_H

#include "strbuf.h"

struct mt_ctx;
struct view_item;

/** The view, whether a condensation is requested, and the size of the log. */
int plugin_view_write(const struct mt_ctx *x, struct strbuf *out);
/** In the copy: read the log as far as the view needs it, and set the view of the work,
 *  whose texts are borrowed from `bytes`. */
int plugin_view_read(struct mt_ctx *x, struct mt_str bytes);

/** Only the texts that are shown instead of events. */
int plugin_view_write_texts(const struct view_item *view, size_t count,
			    struct strbuf *out);
/** Set such texts, borrowed from `bytes`, in a view. @return MT_OK, MT_EINVAL for bytes
 *  that do not match the view. */
int plugin_view_read_texts(struct view_item *view, size_t count, struct mt_str bytes);

#endif
