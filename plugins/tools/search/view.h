/* SPDX-License-Identifier: MIT
 *
 * view.h - shows a file with line numbers, or a directory. */
#ifndef SEARCH_VIEW_H
#define SEARCH_VIEW_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	VIEW_SHOWN_MAX = 16000,     /* characters */
	VIEW_ENTRIES_MAX = 2000,    /* of a directory */
	VIEW_IMAGE_MAX = 10 << 20,  /* bytes */
	VIEW_UTF16_MAX = 10 << 20,
};

struct view {
	const char *path;      /* absolute */
	bool ranged;
	int64_t first, last;   /* lines, from 1; last -1: to the end */
	int cancel_fd;         /* -1: none */
	struct strbuf text;    /* result */
	struct strbuf media;   /* result: the bytes of an image */
	const char *mime;      /* result: its kind; NULL: none */
};

/** @return MT_OK or a status with a sentence. */
int view_path(struct view *v, struct error *err);
int view_dir(const char *path, struct strbuf *out, struct error *err);
/** Append a name as one line of valid text: what is not becomes an escape. */
void view_name(struct strbuf *out, const char *name);

#endif
