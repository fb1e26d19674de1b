/* SPDX-License-Identifier: MIT
 *
 * view.h - the output of view: numbered lines, directories. */
#ifndef EDITOR_VIEW_H
#define EDITOR_VIEW_H

#include "textfile.h"

/** Append lines first..last (from 1, those that exist), numbered. After
 *  EDITOR_SHOWN_MAX characters a notice says where it was cut. */
int view_lines(const struct textfile *f, size_t first, size_t last, struct strbuf *out);

/** Append the entries of a directory, two levels deep, without hidden ones.
 *  @return MT_OK, or a status with the reason in `err`. */
int view_dir(const char *path, struct strbuf *out, struct error *err);

/** The type of an image by name and first bytes, "image/png"; or NULL. */
const char *image_type(const char *path, const char *bytes, size_t len);

#endif
