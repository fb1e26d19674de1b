/* SPDX-License-Identifier: MIT
 *
 * request.h - the arguments and the result of one call of the editor. */
#ifndef EDITOR_REQUEST_H
#define EDITOR_REQUEST_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	EDITOR_SNIPPET = 4,            /* lines of context around an edit */
	EDITOR_CONTENT_MAX = 64 << 10, /* maximum size of file contents to report */
	EDITOR_DIFF_MAX = 128 << 10,
};

/** The arguments of one call, borrowed. An absent text has ptr NULL. */
struct editor_request {
	struct mt_str command, path, file_text, old_str, new_str;
	struct mt_str insert_line, view_range; /* JSON text; `null` is absent */
	struct mt_str start, end;              /* likewise; of `write` */
	struct mt_str edits;                   /* likewise; of `str_replace` */
	bool replace_all;
};

/** The result of a call. `text` is for the model, even if the call failed. */
struct editor_result {
	struct strbuf text;
	char *path;            /* the normalized path; NULL: not given */
	bool edited;           /* a file was written or removed */
	bool prev_exist;       /* the file existed before */
	bool has_old, has_new; /* the next two are set */
	struct strbuf old_content, new_content;
	struct strbuf diff; /* unified; empty if nothing changed or it
			       would be longer than EDITOR_DIFF_MAX */
	const char *mime;   /* of `media`; NULL: none */
	char *media;
	size_t media_len;
};

void editor_result_clear(struct editor_result *r);

/** Facts about a file that the editor does not know itself. */
struct file_past {
	bool shown;           /* the model was shown it by other means */
	char changed_by[200]; /* call of the model that last changed it; "": none */
};
/** @param changed_ms time of the file, since the epoch
 *  @return a status if nothing can be determined. */
typedef int editor_past_fn(void *arg, const char *path, int64_t changed_ms,
			   struct file_past *ret);

#endif
