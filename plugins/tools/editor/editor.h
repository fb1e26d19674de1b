/* SPDX-License-Identifier: MIT
 *
 * editor.h - the file editor itself: view, create, str_replace, insert and
 * undo_edit on the files of one machine.
 *
 * It knows nothing of plugins: arguments come in as texts, a result goes out
 * as texts. It runs no program and keeps bytes that an edit does not name:
 * line ends, byte-order mark, encoding, mode, a missing final newline. */
#ifndef EDITOR_H
#define EDITOR_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum {
	EDITOR_SNIPPET = 4,            /* lines of context around an edit */
	EDITOR_CONTENT_MAX = 64 << 10, /* longer file contents are not reported */
	EDITOR_DIFF_MAX = 128 << 10,
};

struct editor; /* files that were viewed, and edits that can be undone */

/** The arguments of one call, borrowed. A text that is absent has ptr NULL. */
struct editor_request {
	struct mt_str command, path, file_text, old_str, new_str;
	struct mt_str insert_line, view_range; /* JSON text; `null` is absent */
	struct mt_str start, end;              /* as those; of `write` */
	struct mt_str edits;                   /* as those; of `str_replace` */
	bool replace_all;
};

/** The result of a call. `text` is for the model, also when the call failed. */
struct editor_result {
	struct strbuf text;
	char *path;            /* as it was understood; NULL: not at all */
	bool edited;           /* a file was written or removed */
	bool prev_exist;       /* there was a file before */
	bool has_old, has_new; /* the next two are filled */
	struct strbuf old_content, new_content;
	struct strbuf diff; /* unified; empty if nothing changed or it
			       would be longer than EDITOR_DIFF_MAX */
	const char *mime;   /* of `media`; NULL: none */
	char *media;
	size_t media_len;
};

/** @param workspace proposed when a path is relative; may be NULL.
 *  @return NULL if out of memory. */
struct editor *editor_new(const char *workspace);
/** Results have the exact texts of V0, and files can be edited without being seen. */
void editor_set_v0(struct editor *e);

/** Facts about a file that do not come from edits. */
struct file_past {
	bool shown;           /* the model was shown it in another way */
	char changed_by[200]; /* call of the model that changed it last; "": none */
};
/** @param changed_ms time of the file, since the epoch
 *  @return a status if nothing can be determined. */
typedef int editor_past_fn(void *arg, const char *path, int64_t changed_ms,
			   struct file_past *ret);
/** Ask this about files that are edited: those that were never seen are refused, those
 *  that a call of the model changed are not. Without it both are as they are. */
void editor_set_past(struct editor *e, editor_past_fn *ask, void *arg);
struct editor *editor_free(struct editor *e);
AUTO_DEFINE(editor, struct editor *, editor_free)

/** Run one call. `ret` needs no preparation and is cleared by the caller,
 *  after success and failure.
 *  @return MT_OK or an mt_status; ret->text is the sentence then (it may have
 *          several lines), empty only when out of memory. */
int editor_run(struct editor *e, const struct editor_request *q,
	       struct editor_result *ret);
void editor_result_clear(struct editor_result *r);

#endif
