/* SPDX-License-Identifier: MIT
 *
 * file-view.h - the output of view: numbered lines, directories. */
#ifndef LIB_TEXT_FILE_VIEW_H
#define LIB_TEXT_FILE_VIEW_H

#include "textfile.h"

enum {
	FILE_VIEW_MAX = 20000, /* characters of a view, with the line numbers */
	VIEW_CONTEXT = 2,      /* lines around each of several ranges */
	LISTING_MAX = 10000,   /* entries of a directory view */
	LISTING_SHOWN = 200,   /* of these that are shown */
};

/** A view that is written line by line. */
struct view_page {
	struct strbuf *out;
	size_t room; /* characters */
	bool begun;  /* it has a line */
};

#define VIEW_PAGE(text) ((struct view_page){ .out = (text), .room = FILE_VIEW_MAX })

/** Append a line with its number. Of the first line of a view, the beginning if it is too
 *  long, with a note. Any bytes; `size`: of the whole line, of which `line` may be the first
 *  4 * FILE_VIEW_MAX bytes. @return false: it does not fit, nothing was appended. */
bool view_put_line(struct view_page *p, size_t number, struct mt_str line, size_t size);
/** Append a note that `omitted` of `total` lines are not shown, and how to see those from
 *  line `from` on. */
void view_put_rest(struct strbuf *out, size_t omitted, size_t total, size_t from,
		   size_t last);

/** Append the lines first..last (from 1), which exist, numbered, as far as they fit into a
 *  view; then a note about the rest. */
int view_lines(const struct textfile *f, size_t first, size_t last, struct strbuf *out);

/** Lines of a text, from 1. */
struct view_range {
	size_t first, last;
};

/** Append these ranges with VIEW_CONTEXT lines around each, as one view, like view_lines. Adjacent
 *  ranges are joined; `...` separates others. Changes their order. */
int view_ranges(const struct textfile *f, struct view_range *ranges, size_t count,
		struct strbuf *out);

/** Append the view of a text: the lines of `range` (JSON text, as the argument
 *  view_range), numbered. @return MT_OK, MT_ENOMEM, or MT_EINVAL with the reason in
 *  `why`. */
int view_text(const struct textfile *f, const char *path, struct mt_str range,
	      struct strbuf *out, struct strbuf *why);

/** Append the entries of a directory, two levels deep, without hidden and ignored ones,
 *  by their paths in it. If there are too many, only the first level is shown.
 *  @param v0 as V0 shows them: absolute paths, with those that are ignored
 *  @return MT_OK, or a status with the reason in `err`. */
int listing_view_dir(const char *path, bool v0, struct strbuf *out, struct error *err);
/** Append a name as one line of valid text; invalid bytes and control characters are
 *  escaped. */
void listing_put_name(struct strbuf *out, const char *name);

/** The type of an image by name and first bytes, "image/png"; or NULL. */
const char *file_view_image_type(const char *path, const char *bytes, size_t len);

#endif
