/* SPDX-License-Identifier: MIT
 *
 * view.h - shows a file with line numbers, or a directory. */
#ifndef SEARCH_VIEW_H
#define SEARCH_VIEW_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	VIEW_IMAGE_MAX = 10 << 20,  /* bytes */
};

struct view {
	const char *path;      /* absolute */
	struct mt_str range;   /* JSON text; absent: ptr NULL */
	bool ranged;           /* of a large file, read from `range` */
	int64_t first, last;   /* lines, from 1; last -1: to the end */
	int cancel_fd;         /* -1: none */
	struct strbuf text;    /* result */
	struct strbuf media;   /* result: the bytes of an image */
	const char *mime;      /* result: its MIME type; NULL: none */
};

/** @return MT_OK or a status with a sentence. */
int view_path(struct view *v, struct error *err);

#endif
